"""`pigpen ladder run`: play the ladder's matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.app.accounts.links import why_nobody_comes
from ladder.cli.organise.doctor import say_what_is_missing
from ladder.cli.organise.export import export_dataset
from ladder.cli.organise.requeue import requeue
from ladder.cli.organise.season import season
from ladder.cli.organise.webhook import webhook
from ladder.errors import UserError
from ladder.people.commands.ladder_tables import run_tables
from ladder.terminal.interrupts import stopped, stopped_by_signals
from ladder.terminal.ladder import opened
from ladder.terminal.options import StderrOption
from ladder.terminal.running import run
from ladder.terminal.sandboxes import say
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.app.running import RunPlan

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
    from ladder.cli.organise.watch import LadderWatch

    with (
        LadderWatch(plan.matches, is_shown=log_to_stderr is None) as watch,
        ladder_run(ladder, plan, watch.take, log_to_stderr=bool(log_to_stderr)) as runner,
        stopped_by_signals(runner.stop) as signals,
    ):
        runner.run()
    typer.echo(watch.summary())
    if signals:
        raise stopped(signals[0])
