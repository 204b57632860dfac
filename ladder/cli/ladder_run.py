"""`pigpen ladder run`: play the ladder's matches on this machine."""

from __future__ import annotations

import signal
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.doctor import say_what_is_missing
from ladder.cli.ladder import opened, the_settings
from ladder.cli.running import stopped
from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ladder.runner.executor import LocalExecutor
    from ladder.runner.stop_condition import StopCondition
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

ladder_app = typer.Typer(help="Run the ladder: schedule matches, play them, rate the bots.", no_args_is_help=True)


@ladder_app.callback()
def _ladder() -> None:
    """Run the ladder: schedule matches, play them, rate the bots."""


@ladder_app.command("run")
def run_ladder(
    matches: Annotated[int | None, typer.Option(min=1, help="End after so many results.")] = None,
    until_ci: Annotated[
        float | None, typer.Option("--until-ci", min=1.0, help="End when every bot's ± is at most so many Elo.")
    ] = None,
    variant: Annotated[
        list[str] | None, typer.Option(help="Play only this variant; may be given several times. By default: all.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Play so many matches at once. By default: as the settings say.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Any text: decides by what chance opponents are chosen.")] = "",
) -> None:
    """
    Play the ladder's matches on this machine and rate the bots, for ever or until a goal is reached.

    The first Ctrl-C finishes the matches that are under way, a second one gives them up; they are played again by the
    next run. Whatever ends a run, no finished match is lost. Several runs may work at one ladder at the same time.

    Examples:
        pigpen ladder run

        pigpen ladder run --matches 40 --concurrency 2

        pigpen ladder run --until-ci 15 --variant gongzhu --variant hearts
    """
    from ladder.runner.stop_condition import StopCondition

    if matches is not None and until_ci is not None:
        raise UserError("--matches and --until-ci exclude each other: choose one.")
    settings = the_settings()
    goal = StopCondition(matches, until_ci)
    try:
        with opened(settings) as database:
            names = _known(database, variant)
            _check_time(database, settings, names)
            if settings.sandbox == "docker":
                say_what_is_missing()
            _run(database, settings, goal, names, concurrency, seed)
    except KeyboardInterrupt:  # before the first match, or for the third time
        raise stopped(signal.SIGINT) from None


def _known(database: Database, names: Sequence[str] | None) -> list[str] | None:
    from ladder.store.names import find_variant

    if not names:
        return None
    with database.read() as session:
        return [find_variant(session, name).name for name in names]


def _check_time(database: Database, settings: Settings, variants: list[str] | None) -> None:
    from ladder.store.commands.match_time import why_too_short

    with database.read() as session:
        if reason := why_too_short(session, settings, variants):
            raise UserError(reason)


def _run(
    database: Database,
    settings: Settings,
    goal: StopCondition,
    variants: list[str] | None,
    concurrency: int | None,
    seed: str,
) -> None:
    import random
    import time

    from ladder.cli.ladder_watch import LadderWatch
    from ladder.errors import SandboxError
    from ladder.runner.coordinator import Coordinator
    from ladder.runner.run_log import log_to
    from ladder.runner.runner import Runner

    with LadderWatch(goal) as watch, ExitStack() as logging:
        folder = settings.data_dir / "logs"
        try:
            logging.callback(log_to(folder, to_stderr=not watch.is_shown, watch=watch.take))
        except OSError as error:
            raise SandboxError(f"The log in {folder} cannot be written: {error.strerror}.") from error
        coordinator = Coordinator(database, settings, random.Random(seed or None), time.time, variants)
        slots = concurrency or settings.concurrency or default_slots()
        with _executor(slots) as executor:
            runner = Runner(coordinator, executor, goal)
            with _stopped_by_signals(runner.stop) as signals:
                runner.run()
    typer.echo(watch.summary())
    if signals:
        raise stopped(signals[0])


def default_slots() -> int:
    """Matches at once if nobody says otherwise: one for each core that bots have, and one that starts meanwhile."""
    from ladder.sandbox.host.cores import bot_cores

    return len(bot_cores()) + 1


@contextmanager
def _executor(slots: int) -> Iterator[LocalExecutor]:
    from ladder.runner.executor import LocalExecutor
    from ladder.worker.pinned import load_version
    from ladder.worker.worker import Worker

    executor = LocalExecutor(Worker(load_version), slots)
    try:
        yield executor
    finally:
        executor.close()


@contextmanager
def _stopped_by_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Call *stop* for the first two signals that ask for an end; a third ends the process at once."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    received: list[int] = []

    def take(number: int, _: object) -> None:
        received.append(number)
        stop()
        if len(received) == 2:
            _restore(before)

    before = {number: signal.signal(number, take) for number in numbers}
    try:
        yield received
    finally:
        _restore(before)


def _restore(handlers: dict[signal.Signals, signal._HANDLER]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
