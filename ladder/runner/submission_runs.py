"""The submissions that a runner has under way, beside its matches."""

from __future__ import annotations

from collections import deque
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING

import structlog

from ladder.runner.executor import Judgement
from ladder.runner.returned import AttemptFailure, failure_of
from ladder.store.leases import GRACE
from ladder.trials.tasks import SubmissionOutcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from ladder.runner.events import Events
    from ladder.runner.executor import Executor
    from ladder.runner.submission_coordinator import SubmissionCoordinator
    from ladder.trials.tasks import SubmissionTask

SHARE = 4
"""One slot of so many may try submissions, and one in any case; the others play matches."""

log = structlog.get_logger()


class SubmissionRuns:
    """Leases submissions, hands them to the executor, and records what comes back; in the thread of the runner."""

    def __init__(
        self,
        coordinator: SubmissionCoordinator,
        executor: Executor,
        events: Events,
        tick: Callable[[], float],
        tell: Callable[[bool], None] = lambda is_void: None,
    ) -> None:
        """
        Begin with none.

        Args:
            coordinator: Leases and records.
            executor: Where trials take place.
            events: The runner's queue of events.
            tick: A clock that never goes back; seconds.
            tell: Hears of each attempt that has come back, whether the platform failed in it.
        """
        self._tell = tell
        self._coordinator = coordinator
        self._executor = executor
        self._events = events
        self._tick = tick
        self._trying: dict[str, tuple[SubmissionTask, Future[str], float]] = {}
        self._returns: deque[tuple[SubmissionTask, SubmissionOutcome | AttemptFailure]] = deque()

    def __len__(self) -> int:
        """How many are under way, or have come back and are not recorded yet."""
        return len(self._trying) + len(self._returns)

    @property
    def taken(self) -> int:
        """How many slots they take."""
        return len(self._trying)

    @property
    def waits(self) -> list[float]:
        """Seconds until the lease of each of them ends."""
        return [until - self._tick() for *_, until in self._trying.values()]

    def are_waiting(self) -> bool:
        """Whether the ladder has any that have not ended."""
        return self._coordinator.are_waiting()

    def settle(self) -> None:
        """Record what has come back, and give up what hangs, or does not count any more."""
        while self._returns:
            self._settle(*self._returns[0])
            self._returns.popleft()
        self._give_up_lost()

    def begin(self, free: int) -> None:
        """Begin what there is room for; *free* slots are idle."""
        count = min(free, max(1, self._executor.slots // SHARE) - len(self._trying))
        for task in self._coordinator.take(
            count, {(task.submission, task.attempt) for task, *_ in self._trying.values()}
        ):
            self._begin(task)

    def give_back(self) -> None:
        """Record what has come back; the rest is tried again some day."""
        for _, future, _ in self._trying.values():
            future.cancel()
        while self._returns:
            self._settle(*self._returns.popleft())
        self._coordinator.give_back([task for task, *_ in self._trying.values()])

    def _begin(self, task: SubmissionTask) -> None:
        future = self._executor.submit(task.model_dump_json(), task.key)
        self._trying[task.key] = task, future, self._tick() + task.seconds + GRACE
        log.info("submission.started", submission=task.submission, attempt=task.attempt, bot=task.bot, owner=task.owner)
        future.add_done_callback(lambda done: self._events.put(partial(self._returned, task, done)))

    def _returned(self, task: SubmissionTask, future: Future[str]) -> None:
        if self._trying.pop(task.key, None) is not None and (came := _outcome_of(task, future)):
            self._returns.append((task, came))

    def _give_up_lost(self) -> None:
        if not self._trying:
            return
        lost = {task.key for task in self._coordinator.lost(task for task, *_ in self._trying.values())}
        for key, (task, future, until) in list(self._trying.items()):
            if until <= self._tick() or key in lost:
                del self._trying[key]
                future.cancel()
                log.warning("submission.lost", submission=task.submission, attempt=task.attempt)

    def _settle(self, task: SubmissionTask, came: SubmissionOutcome | AttemptFailure) -> None:
        if isinstance(came, AttemptFailure):
            self._fail(task, came)
            return
        self._record(came)
        self._executor.judge(task.key, Judgement.COUNTED)
        self._tell(False)

    def _fail(self, task: SubmissionTask, failure: AttemptFailure) -> None:
        is_seen_to = failure.judgement is None or self._executor.judge(task.key, failure.judgement, failure.reason)
        if is_seen_to and failure.judgement is not Judgement.VOID:
            self._coordinator.give_back([task], failure.reason)
            log.warning("submission.returned", submission=task.submission, attempt=task.attempt, reason=failure.reason)
            return
        self._record(SubmissionOutcome(submission=task.submission, attempt=task.attempt, void=failure.reason))
        if not is_seen_to:
            self._tell(True)

    def _record(self, outcome: SubmissionOutcome) -> None:
        row = self._coordinator.record(outcome)
        if row is None:
            log.warning("submission.late", submission=outcome.submission, attempt=outcome.attempt)
        elif outcome.void is not None:
            log.warning("submission.void", submission=row.id, attempt=outcome.attempt, reason=outcome.void)
        else:
            log.info(f"submission.{row.status}", submission=row.id, bot=row.bot, owner=row.owner)


def _outcome_of(task: SubmissionTask, future: Future[str]) -> SubmissionOutcome | AttemptFailure | None:
    """What a future says; None if it was given up."""
    try:
        outcome = SubmissionOutcome.model_validate_json(future.result())
    except CancelledError:
        return None
    except Exception as error:
        return failure_of(error)
    if (outcome.submission, outcome.attempt) != (task.submission, task.attempt):
        return AttemptFailure(Judgement.INVALID, "Its worker answered for another submission.")
    return outcome if outcome.void is None else AttemptFailure(Judgement.VOID, outcome.void)
