"""
`pigpen ladder`: commands that run the ladder, compute for its site, requeue its matches, and export them.

`run` plays the ladder's matches. `LadderWatch` shows the run to people: a line for each result; on a terminal the
progress of the run, too. `requeue` queues a quarantined match again, and `export` writes the data set of the ladder.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ladder.app.accounts.links import why_nobody_comes
from ladder.cli.organise.doctor import say_what_is_missing
from ladder.cli.organise.season import season
from ladder.cli.organise.webhook import webhook
from ladder.errors import UserError
from ladder.people.commands.table import run_tables
from ladder.terminal.interrupts import stopped, stopped_by_signals
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.options import StderrOption, say
from ladder.terminal.running import run
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.accounts import LOCAL
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from ladder.app.ladder import Ladder
    from ladder.app.running import RunPlan


def export_dataset(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A new folder, or one that this command has written. By default the one that the site offers."
        ),
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="Under which the data may be used, such as CC-BY-4.0. By default: as before.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Write all public matches of the ladder as one data set of Parquet files: matches, seats, deals, decisions, versions.

    Into a folder that is there, only what it lacks is written; each file is compared with the last manifest before,
    and one that is missing or damaged is written again, or named. What bots printed is no part of it. docs/dataset.md
    explains each column. Without a folder, the data set is offered by the site at /data.

    Examples:
        pigpen ladder export --licence CC-BY-4.0
        pigpen ladder export dataset
    """
    with opened() as ladder:
        from ladder.app.dataset.exporting import export_dataset as export  # needs the extra `data`, too
        from ladder.app.dataset.offered import FOLDER

        folder = folder or ladder.settings.data_dir / FOLDER
        found = export(ladder, folder, licence, lambda sentence: typer.echo(sanitize(sentence), err=True))
    if as_json:
        print_json(found)
        return
    size = sum(each.bytes for each in found.files)
    counted = ", ".join(f"{count:,} {table}" for table, count in found.rows.items())
    typer.echo(sanitize(f"{folder}: {counted} ({size:,} bytes)"))


def requeue(
    match: Annotated[int, typer.Argument(help="The number of a match; see: pigpen matches --status quarantined")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the match as JSON.")] = False,
) -> None:
    """
    Queue a match again that was quarantined because the platform failed in it too often.

    Examples:
        pigpen ladder requeue 17
    """
    from ladder.app.states import requeue as put_back

    with opened() as ladder:
        row = put_back(ladder, LOCAL, match)
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(f"Match {row.id} is in the queue again."))


ENDS = frozenset({"match.finished", "match.void", "match.quarantined", "match.late", "match.lost"})
"""Events after which a match is not under way any more."""
LOUD = frozenset({"warning", "error", "critical"})
"""Levels at which what other processes say is shown."""
FOREIGN_CHARACTERS = 200


class LadderWatch:
    """Takes the runner's events, and shows them on stderr; what moves is for terminals only."""

    def __init__(self, total: int | None, console: Console | None = None, *, is_shown: bool = True) -> None:
        """
        Prepare to watch.

        Args:
            total: After how many results the run ends; None: it is not known.
            console: Where to show it; by default stderr.
            is_shown: Show anything at all.
        """
        self._console = console or Console(stderr=True)
        self._is_shown, self._moves = is_shown, is_shown and self._console.is_terminal
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[playing]} under way"),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[workers]}"),
            TimeElapsedColumn(),
        )
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._moves)
        self._task = self._bar.add_task("matches", total=total, playing=0, rate="", workers="")
        self._begun = time.monotonic()
        self._recorded = self._deals = 0
        self._playing: set[tuple[int, int]] = set()
        self._voids = 0
        self._workers: set[str] = set()
        """On other machines."""
        self._had_workers = False

    def __enter__(self) -> Self:
        """Begin to show."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take away what moves; the results stay on the screen."""
        self._bar.stop()

    def take(self, event: Mapping[str, Any]) -> None:
        """Show an event."""
        name = event["event"]
        if event.get("source"):  # another process says so: it may say what it likes
            if self._is_shown and event.get("level") in LOUD:
                self._console.print(_foreign(event), highlight=False, soft_wrap=not self._moves)
            return
        if name == "worker.joined":
            self._workers.add(event["worker_name"])
            self._had_workers = True
        elif name == "worker.gone":
            self._workers.discard(event["worker_name"])
        if name == "match.started":
            self._playing.add((event["match"], event["attempt"]))
        elif name in ENDS:
            self._playing = {attempt for attempt in self._playing if attempt[0] != event["match"]}
        if name == "match.finished":
            self._recorded += 1
            self._deals += event["deals"]
        elif name in ("match.void", "match.quarantined"):
            self._voids += 1
        if self._is_shown:
            self._show(event)

    def summary(self) -> str:
        """Sum the run up in a line."""
        seconds = time.monotonic() - self._begun
        void = f", {self._voids} void" if self._voids else ""
        return (
            f"{counted(self._recorded, 'match', 'matches')} recorded ({counted(self._deals, 'deal')}{void}) "
            f"in {_duration(seconds)}. See: pigpen standings"
        )

    def _show(self, event: Mapping[str, Any]) -> None:
        if line := _line(event):
            self._console.print(line, highlight=False, soft_wrap=not self._moves)
        if not self._moves:
            return
        minutes = (time.monotonic() - self._begun) / 60
        rate = f"{self._recorded / minutes:.0f} a minute" if self._recorded else ""
        workers = counted(len(self._workers), "worker") if self._had_workers else ""
        self._bar.update(self._task, completed=self._recorded, playing=len(self._playing), rate=rate, workers=workers)


def _line(event: Mapping[str, Any]) -> str | None:
    """Give the event as rich markup, if people want to see it."""
    match event["event"]:
        case "match.finished":
            return f"[dim]match {event['match']}[/]  {in_markup(event['variant'])}  {_standing(event) or 'of an event'}"
        case "match.void" | "match.quarantined":
            again = "It is played again." if event["event"] == "match.void" else "It is quarantined."
            return f"[yellow]match {event['match']} is void[/]: {in_markup(event['reason'])} {again}"
        case "match.late" | "match.lost":
            return f"[yellow]match {event['match']} did not come back in time; it is played again.[/]"
        case "match.requeued":
            return f"[dim]match {event['match']} waits again: {in_markup(event['reason'])}[/]"
        case "bot.suspended":
            bot, variant, reason = (in_markup(event[name]) for name in ("bot", "variant", "reason"))
            return f"[yellow]{bot} is suspended[/] in {variant}: {reason}"
        case "platform.down":
            return f"[red]{in_markup(event['reason'])}[/] Waiting; nothing is lost."
        case "platform.up":
            return "[green]It works again.[/]"
        case "scheduler.lost":
            return f"[red]{in_markup(event['reason'])}[/] Workers reconnect when there is another one."
        case "scheduler.failed" | "cluster.waiting" | "workers.unwritten":
            return f"[yellow]{in_markup(event['reason'])}[/] Waiting; nothing is lost."
        case "ladder.waiting":
            return f"[dim]{in_markup(event['reason'])} Waiting for submissions.[/]"
        case "ladder.stopping":
            return f"Finishing {counted(event['playing'], 'match', 'matches')}; Ctrl-C again gives them up."
        case "ladder.aborting":
            return f"Giving up {counted(event['playing'], 'match', 'matches')}; the next run plays them."
    return _of_worker(event) if event["event"].startswith("worker.") and "worker_name" in event else None


def _of_worker(event: Mapping[str, Any]) -> str | None:
    """Describe an event of a worker on another machine."""
    name, reason = in_markup(event["worker_name"]), in_markup(event.get("reason", ""))
    match event["event"]:
        case "worker.joined":
            return f"[green]{name} has joined[/] with {counted(event['slots'], 'slot')}."
        case "worker.gone":
            return f"[yellow]{name} has gone:[/] {reason}"
        case "worker.turned_away":
            return f"[red]{name} is turned away:[/] {reason}"
        case "worker.lied":
            return f"[red]{name} has given an answer that cannot be true:[/] {reason}"
        case "worker.drained":
            return f"[yellow]{name} gets no more tasks.[/] {reason}"
        case "worker.fails":
            return f"[yellow]{name} fails:[/] {reason}"
        case "worker.resumed":
            return f"[green]{name} may play again.[/]"
    return None


def _foreign(event: Mapping[str, Any]) -> str:
    """Describe an event of another process in a line."""
    who = event.get("worker_name") or event["source"]
    shown_apart = ("level", "timestamp", "event", "source", "worker_name", "exception")
    more = ", ".join(f"{name}: {value}" for name, value in event.items() if name not in shown_apart)
    entry = f"{event['event']}  {more}"
    return f"[dim]{in_markup(str(who))}: {in_markup(entry[:FOREIGN_CHARACTERS])}[/]"


def _standing(event: Mapping[str, Any]) -> str:
    ranked = sorted(zip(event["places"], event["bots"], event["moves"], strict=True))
    return "  ".join(f"{place} {in_markup(bot)} [dim]{move:+.0f}[/]" for place, bot, move in ranked)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


ASKED = "visitors ask for what is computed"
"""Text for the events on the site from which the process that computes has work."""

ladder_app = typer.Typer(help="Run the ladder: schedule matches, play them, rate the bots.", no_args_is_help=True)


@ladder_app.callback()
def _ladder() -> None:
    """Run the ladder: schedule matches, play them, rate the bots."""


ladder_app.command("requeue")(requeue)
ladder_app.command("export")(export_dataset)
ladder_app.add_typer(webhook)
ladder_app.add_typer(season)


@ladder_app.command("run")
def run_ladder(
    matches: Annotated[int | None, typer.Option(min=1, help="End after this number of results.")] = None,
    until_ci: Annotated[
        float | None, typer.Option("--until-ci", min=1.0, help="End when every bot's ± is at most this number of Elo.")
    ] = None,
    variant: Annotated[
        list[str] | None, typer.Option(help="Play only this variant; may be given several times. By default: all.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Number of matches to play at once. By default: as the settings say.")
    ] = None,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Play on the machines where pigpen worker runs, and not on this one.")
    ] = False,
    seed: Annotated[str, typer.Option(help="Any text: the seed of the random choice of opponents.")] = "",
    log_to_stderr: Annotated[
        bool | None,
        typer.Option(
            "--log-to-stderr/--no-log-to-stderr",
            help="Print each event as JSON to stderr, or nothing. By default: a line for each match.",
        ),
    ] = None,
) -> None:
    """
    Play the ladder's matches and rate the bots, for ever or until a goal is reached.

    The first Ctrl-C finishes the running matches. The second one stops them; the next run plays them again. No
    finished match is lost, even if the run is killed. Several runs may play one ladder at the same time.

    Examples:
        pigpen ladder run

        pigpen ladder run --matches 40 --concurrency 2

        pigpen ladder run --until-ci 15 --variant gongzhu --variant hearts

        pigpen ladder run --cluster
    """
    from ladder.app.running import RunPlan, check_run

    if matches is not None and until_ci is not None:
        raise UserError("--matches and --until-ci exclude each other: choose one.")
    plan = RunPlan(matches, until_ci, tuple(variant or ()), concurrency, cluster, seed)
    with opened() as ladder:
        check_run(ladder, plan)
        if ladder.settings.sandbox == SandboxKind.DOCKER and not cluster:
            say_what_is_missing(ladder.settings)
        _run(ladder, plan, log_to_stderr=log_to_stderr)


ladder_app.command("tables")(run_tables)


@ladder_app.command("compute")
def run_computing(log_to_stderr: StderrOption = True) -> None:
    """
    Compute what visitors of the site ask for: estimates, and how house bots play a board. Ctrl-C ends it.

    The site simulates nothing itself: it puts questions into a queue, in which visitors take turns, and keeps the
    answers. pigpen up runs both. Without this process the site says that it is not running; as long as no site runs
    here, this process says so and waits.

    Examples:
        pigpen ladder compute
    """
    from ladder.app.computing.running import run_computing as compute

    with opened() as ladder:
        if reason := why_nobody_comes(ladder.settings, ASKED):
            say(reason)
        run(compute(ladder, log_to_stderr=log_to_stderr))


def _run(ladder: Ladder, plan: RunPlan, *, log_to_stderr: bool | None) -> None:
    from ladder.app.running import ladder_run

    with (
        LadderWatch(plan.matches, is_shown=log_to_stderr is None) as watch,
        ladder_run(ladder, plan, watch.take, log_to_stderr=bool(log_to_stderr)) as runner,
        stopped_by_signals(runner.stop) as signals,
    ):
        runner.run()
    typer.echo(watch.summary())
    if signals:
        raise stopped(signals[0])
