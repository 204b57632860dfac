"""Running a ladder."""

from __future__ import annotations

import random
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ladder.app.bot_runtime import with_runtime
from ladder.app.event_log import event_log
from ladder.app.seasons import check_clocks
from ladder.app.webhooks import delivering
from ladder.errors import LadderError, StoreError, UserError
from ladder.runner.attempt_runs import EventQueue
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import LocalExecutor
from ladder.runner.runner import Runner, StopCondition
from ladder.sandbox.host.cores import all_cores, bot_cores
from ladder.store.commands.queue import why_too_short
from ladder.store.names import find_variant
from ladder.worker.worker_pool import WorkerPool, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ladder.app.ladder import Ladder
    from ladder.runner.attempt_runs import Events
    from ladder.runner.executor import Executor


@dataclass(frozen=True)
class RunPlan:
    """The plan of a run of a ladder."""

    matches: int | None = None
    """Number of results after which the run ends; None: no limit."""
    until_ci: float | None = None
    """End when the ± of every bot is at most this, in Elo; None: this does not end it."""
    variants: tuple[str, ...] = ()
    """Play only these; none: all."""
    concurrency: int | None = None
    """Number of matches to play at once; None: as the settings say."""
    cluster: bool = False
    """Play on other machines, and not on this one."""
    seed: str = ""
    """Decides by what chance opponents are chosen; empty: by another one each time."""


def check_run(ladder: Ladder, plan: RunPlan) -> None:
    """
    Refuse a run that cannot be.

    Raises:
        LadderError: If the ladder does not play one of the variants.
        UserError: If the settings leave a match too little time, or bots cannot come to the cluster, or matches of the
            season were played with another clock.
    """
    if plan.cluster:
        from ladder.app.cluster_run import check_cluster

        check_cluster(ladder)
    with ladder.database.read() as session:
        for name in plan.variants:
            find_variant(session, name)
        if reason := why_too_short(session, ladder.settings, plan.variants or None):
            raise UserError(reason)
    check_clocks(ladder, plan.variants or None)


@contextmanager
def ladder_run(
    ladder: Ladder, plan: RunPlan, watch: Callable[[Mapping[str, Any]], None], *, log_to_stderr: bool
) -> Iterator[Runner]:
    """
    Prepare a run that `check_run` has let through; `Runner.run` begins it, `Runner.stop` ends it.

    Args:
        ladder: The ladder.
        plan: What is to be done.
        watch: Called with each event.
        log_to_stderr: Write each event to stderr, too.

    Raises:
        UserError: If the certificates of a cluster cannot be used.
        SandboxError: If the log cannot be written, or no worker of a cluster could come.
    """
    with ExitStack() as stack:
        stack.enter_context(event_log(ladder, "ladder", watch, to_stderr=log_to_stderr))
        chance = random.Random(plan.seed or None)
        # Workers of a cluster choose, each for its own machine.
        settings = ladder.settings if plan.cluster else with_runtime(ladder.settings)
        coordinator = Coordinator(ladder.database, settings, chance, ladder.clock, list(plan.variants) or None)
        stack.callback(coordinator.live.close)
        stack.callback(_left, coordinator)
        events = EventQueue()
        executor = _executor(ladder, plan, coordinator, events)
        stack.callback(executor.close)
        stack.enter_context(delivering(ladder))
        yield Runner(coordinator, executor, StopCondition(plan.matches, plan.until_ci), events=events)


def _executor(ladder: Ladder, plan: RunPlan, coordinator: Coordinator, events: Events) -> Executor:
    if plan.cluster:
        from ladder.app.cluster_run import cluster_executor

        return cluster_executor(ladder, coordinator, plan.concurrency, lambda: events.put(_look_again))
    slots = plan.concurrency or ladder.settings.concurrency or _slots()
    workers = min(ladder.settings.workers or len(all_cores()), slots)
    start = partial(
        WorkerProcess.start,
        take_events=coordinator.live.append,
        take_progress=coordinator.submissions.take_progress,
    )
    return LocalExecutor(WorkerPool(workers, start), slots)


def _look_again() -> None:
    """Let the runner see how many slots there are now."""


def _left(coordinator: Coordinator) -> None:
    with suppress(StoreError, LadderError):  # the others will miss it
        coordinator.leave()


def _slots() -> int:
    """Give the default number of matches at once: one for each core that bots have, and one that starts meanwhile."""
    return len(bot_cores()) + 1
