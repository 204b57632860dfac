"""The submissions that a run has under way, beside its matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ladder.runner.attempt_runs import AttemptRuns
from ladder.runner.returned import AttemptFailure, trial_outcome_of
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Future

    from ladder.runner.events import Events
    from ladder.runner.executor import Executor
    from ladder.runner.submission_coordinator import SubmissionCoordinator

SHARE = 4
"""A run tries submissions in one slot of `SHARE`, but in one at least; the others play matches."""

log = structlog.get_logger()


class SubmissionRuns(AttemptRuns[SubmissionTask, SubmissionOutcome]):
    """Leases submissions, has them tried, and records what comes back."""

    name = "submission"

    def __init__(
        self,
        coordinator: SubmissionCoordinator,
        executor: Executor,
        events: Events,
        tick: Callable[[], float],
        tell: Callable[[bool], None],
    ) -> None:
        """Begin with none; *coordinator* leases and records, the rest as for `AttemptRuns`."""
        super().__init__(executor, events, tick, tell)
        self._coordinator = coordinator

    def are_waiting(self) -> bool:
        """Tell whether the ladder has any that have not ended."""
        return self._coordinator.are_waiting()

    def begin(self, free: int) -> None:
        """Begin what there is room for; *free* slots are idle."""
        trying = self.tasks
        count = min(free, max(1, self._executor.slots // SHARE) - len(trying))
        for task in self._coordinator.take(count, {(each.submission, each.attempt) for each in trying}):
            self._begin(task, bot=task.bot, owner=task.owner)

    def _outcome_of(self, task: SubmissionTask, future: Future[str]) -> SubmissionOutcome | AttemptFailure | None:
        return trial_outcome_of(task, future)

    def _record(self, task: SubmissionTask, outcome: SubmissionOutcome) -> None:
        self._write(outcome)
        self._tell(False)

    def _fail(self, task: SubmissionTask, failure: AttemptFailure, is_seen_to: bool) -> None:
        is_lost = failure.broke is not None
        void = SubmissionOutcome(submission=task.submission, attempt=task.attempt, void=failure.reason)
        self._write(void.model_copy(update={"lost_container": is_lost}))
        if not (is_seen_to or is_lost):  # one container's end says nothing of the platform
            self._tell(True)

    def _return(self, tasks: Collection[SubmissionTask], reason: str) -> None:
        self._coordinator.give_back(tasks, reason)

    def _lost(self, tasks: Sequence[SubmissionTask]) -> Collection[SubmissionTask]:
        return self._coordinator.lost(tasks) if tasks else ()

    def _write(self, outcome: SubmissionOutcome) -> None:
        row = self._coordinator.record(outcome)
        if row is None:
            log.warning("submission.late", submission=outcome.submission, attempt=outcome.attempt)
        elif outcome.void is not None:
            log.warning("submission.void", submission=row.id, attempt=outcome.attempt, reason=outcome.void)
        else:
            log.info(f"submission.{row.status}", submission=row.id, bot=row.bot, owner=row.owner)
