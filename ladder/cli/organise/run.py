"""
`pigpen ladder`: commands that run the ladder, compute for its site, requeue its matches, and export them.

`run` plays the ladder's matches. `LadderWatch` shows the run to people: a line for each result; on a terminal the
progress of the run, too. `requeue` queues a quarantined match again, `export` writes the data set of the ladder, and
`alike` lists bots that resemble each other.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.app.accounts.links import why_nobody_comes
from ladder.cli.organise.alike import alike
from ladder.cli.organise.announcement import announcement
from ladder.cli.organise.deadline import deadline
from ladder.cli.organise.doctor import say_what_is_missing
from ladder.cli.organise.hosting import make_images, run_registry, write_compose, write_units
from ladder.cli.organise.mail import mail
from ladder.cli.organise.season import season
from ladder.cli.organise.webhook import webhook
from ladder.errors import UserError
from ladder.people.commands.table import run_tables
from ladder.terminal.interrupts import stopped, stopped_by_signals
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.options import StderrOption, say
from ladder.terminal.running import run, run_with_handlers
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.app.ladder_run import RunPlan


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


def write_monitoring(
    folder: Annotated[Path, typer.Argument(help="Where; it is made if it is not there.")] = Path("monitoring"),
) -> None:
    """
    Write what watches a ladder by its /metrics: rules of alarms for Prometheus, and a board for Grafana.

    docs/operating.md says how they are put to use, and what to do when an alarm rings.

    Examples:
        pigpen ladder monitoring
    """
    from ladder.app.monitoring import write_monitoring as write

    alarms, board = write(folder)
    typer.echo(sanitize(f"{alarms}: rules for Prometheus (rule_files in prometheus.yml)"))
    typer.echo(sanitize(f"{board}: a board for Grafana (Dashboards, New, Import)"))


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


ASKED = "visitors ask for what is computed"
"""Text for the events on the site from which the process that computes has work."""

ladder_app = typer.Typer(help="Run the ladder: schedule matches, play them, rate the bots.", no_args_is_help=True)


@ladder_app.callback()
def _ladder() -> None:
    """Run the ladder: schedule matches, play them, rate the bots."""


ladder_app.command("requeue")(requeue)
ladder_app.command("alike")(alike)
ladder_app.command("export")(export_dataset)
ladder_app.command("monitoring")(write_monitoring)
ladder_app.command("units")(write_units)
ladder_app.command("image")(make_images)
ladder_app.command("compose")(write_compose)
ladder_app.command("registry")(run_registry)
ladder_app.add_typer(webhook)
ladder_app.add_typer(mail)
ladder_app.add_typer(season)
ladder_app.add_typer(announcement)
ladder_app.add_typer(deadline)


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
    from ladder.app.ladder_run import RunPlan, check_run

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
    here, this process says so and waits. It also looks for puzzles, and for bots that resemble each other.

    Examples:
        pigpen ladder compute
    """
    from ladder.app.computing.computing_run import run_computing as compute

    with opened() as ladder:
        if reason := why_nobody_comes(ladder.settings, ASKED):
            say(reason)
        run(compute(ladder, log_to_stderr=log_to_stderr))


def _run(ladder: Ladder, plan: RunPlan, *, log_to_stderr: bool | None) -> None:
    from ladder.app.ladder_run import ladder_run
    from ladder.cli.organise.watch import LadderWatch
    from ladder.mail.sending import mailing

    with (
        LadderWatch(plan.matches, is_shown=log_to_stderr is None) as watch,
        ladder_run(ladder, plan, watch.take, log_to_stderr=bool(log_to_stderr)) as runner,
        mailing(ladder),
        stopped_by_signals(runner.stop) as signals,
    ):
        run_with_handlers(runner.run())
    typer.echo(watch.summary())
    if signals:
        raise stopped(signals[0])
