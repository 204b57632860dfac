"""A ladder run, for people: a line for each result; on a terminal the progress of the run, too."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ladder.terminal.sanitize import in_markup
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

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
