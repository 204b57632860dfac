"""
Work of a ladder's run that an executor does: matches, and trials of submissions.

`TaskWork` is what both have in common: a task goes to the executor, its answer is read and judged, and the coordinator
records it. `MatchWork` and `TrialWork` say what differs.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, TypeVar

import structlog

from ladder.runner.executor import AttemptFailure, Judgement
from ladder.runner.lease_loop import Work
from ladder.runner.returned import log_result, log_suspended, match_outcome, trial_outcome
from ladder.store.commands.results import WrongRecord
from ladder.store.leases import GRACE, AnyLease
from ladder.store.models import Status
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask
from ladder.worker.match_tasks import MatchOutcome, MatchTask

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ladder.runner.coordinator import Coordinator
    from ladder.runner.executor import Executor
    from ladder.runner.submission_coordinator import SubmissionCoordinator


class AnyTask(AnyLease, Protocol):
    """A `MatchTask` or a `SubmissionTask`: a lease, and all that its work needs."""

    @property
    def key(self) -> str:
        """Names the attempt wherever it is worked at."""

    @property
    def seconds(self) -> float:
        """The most seconds that it may take."""

    def model_dump_json(self) -> str:
        """Write it as JSON."""


Task = TypeVar("Task", bound=AnyTask)
Outcome = TypeVar("Outcome")

log = structlog.get_logger()


class TaskWork(Work[Task, Outcome]):
    """Work that an executor does, under a lease as long as the work may take."""

    def __init__(self, executor: Executor, came_back: Callable[[bool], None]) -> None:
        """
        Prepare.

        Args:
            executor: Where the work is done.
            came_back: Called for each attempt that has come back, with whether the platform failed in it.
        """
        self._executor = executor
        self._came_back = came_back

    @abstractmethod
    def read(self, task: Task, answer: str | Exception) -> Outcome | AttemptFailure:
        """Read an answer, or why there is none."""

    @abstractmethod
    def write(self, task: Task, outcome: Outcome) -> AttemptFailure | None:
        """Record an outcome; gives what is wrong with it, if anything is."""

    @abstractmethod
    def write_void(self, task: Task, failure: AttemptFailure, is_seen_to: bool) -> None:
        """Count a failure of the platform; *is_seen_to*: the executor does what can be done about it."""

    @abstractmethod
    def put_back(self, tasks: Collection[Task], reason: str) -> None:
        """Put attempts back into the queue that have not failed; empty *reason*: this run will not finish them."""

    def seconds(self, lease: Task) -> float:
        """Give the seconds after which its lease ends."""
        return lease.seconds + GRACE

    async def work(self, lease: Task) -> Outcome | AttemptFailure:
        """Let the executor do it, and read the answer."""
        try:
            answer = await asyncio.wrap_future(self._executor.submit(lease.model_dump_json(), lease.key))
        except Exception as error:
            return self.read(lease, error)
        return self.read(lease, answer)

    async def record(self, lease: Task, result: Outcome) -> AttemptFailure | None:
        """Record an outcome, and tell the executor that it counted, or came too late."""
        failure = self.write(lease, result)
        if failure is None:
            self._executor.judge(lease.key, Judgement.COUNTED)
            self._came_back(False)
        return failure

    async def fail(self, lease: Task, failure: AttemptFailure) -> None:
        """Put a task back that was not played, or where a worker lied; count a failure of the platform."""
        judgement = failure.judgement
        is_seen_to = judgement is None or self._executor.judge(lease.key, judgement, failure.reason)
        if is_seen_to and judgement is not Judgement.VOID:
            self.put_back([lease], failure.reason)
            log.warning(f"{self.name}.returned", **self.about(lease), reason=failure.reason)
            return
        self.write_void(lease, failure, is_seen_to)
        if failure.broke is None and not is_seen_to:  # one container's end says nothing of the platform
            self._came_back(True)

    async def give_back(self, leases: Collection[Task]) -> None:
        """Put back what this run will not finish."""
        self.put_back(leases, "")


class MatchWork(TaskWork[MatchTask, MatchOutcome]):
    """Has matches played, records their results, and finds the bots that are behind void ones."""

    name = "match"

    def __init__(self, coordinator: Coordinator, executor: Executor, came_back: Callable[[bool], None]) -> None:
        """Begin with none; *coordinator* records, the rest as for `TaskWork`."""
        super().__init__(executor, came_back)
        self.recorded = 0
        """Results so far."""
        self._coordinator = coordinator
        self._unexplained: list[int] = []
        """Matches that are void, while it is not known whether the platform works."""
        self._suspects: list[tuple[int, int | None]] = []
        """Matches that are void though the platform works, and the number of the bot whose container was lost."""

    def started(self, lease: MatchTask) -> dict[str, object]:
        """Say what is played, by which bots."""
        return {"variant": lease.rules["name"], "format": lease.format, "bots": [bot.name for bot in lease.bots]}

    def given_up(self, lease: MatchTask) -> None:
        """Tell spectators."""
        self._coordinator.live.end(lease.match, lease.attempt, "void")

    def explain(self, platform_works: bool) -> None:
        """Attribute void matches to the platform or to their bots, after the platform was probed."""
        if platform_works:
            self._suspects += [(match, None) for match in self._unexplained]
        self._unexplained.clear()

    def suspend(self) -> None:
        """Suspend bots that are common to void matches."""
        while self._suspects:
            log_suspended(self._coordinator.suspect(*self._suspects[0]))
            self._suspects.pop(0)

    def read(self, task: MatchTask, answer: str | Exception) -> MatchOutcome | AttemptFailure:
        """Read an answer, or why there is none."""
        return match_outcome(task, answer)

    def write(self, task: MatchTask, outcome: MatchOutcome) -> AttemptFailure | None:
        """Verify a record, and write its result; gives what is wrong with it, if anything is."""
        try:
            result = self._coordinator.record(task, outcome, self._executor.reporter(task.key))
        except WrongRecord as error:
            return AttemptFailure(Judgement.INVALID, str(error))
        if result is None:
            log.warning("match.late", **self.about(task))
        else:
            self.recorded += 1
            log_result(result)
        return None

    def write_void(self, task: MatchTask, failure: AttemptFailure, is_seen_to: bool) -> None:
        """Count a void match, and note what may be behind it."""
        status = self._coordinator.fail(task, failure.reason, failure.lost)
        event = "match.quarantined" if status is Status.QUARANTINED else "match.void"
        bot = {} if failure.broke is None else {"bot": task.bots[failure.broke].name}
        log.warning(event, **self.about(task), reason=failure.reason, **bot)
        if status is None:
            return
        if failure.broke is not None:
            self._suspects.append((task.match, failure.broke))
        elif not (is_seen_to or failure.lost):
            self._unexplained.append(task.match)

    def put_back(self, tasks: Collection[MatchTask], reason: str) -> None:
        """Put matches back into the queue."""
        self._coordinator.give_back(tasks, reason)


class TrialWork(TaskWork[SubmissionTask, SubmissionOutcome]):
    """Has submissions tried, and records what was found."""

    name = "submission"

    def __init__(
        self, coordinator: SubmissionCoordinator, executor: Executor, came_back: Callable[[bool], None]
    ) -> None:
        """Begin with none; *coordinator* leases and records, the rest as for `TaskWork`."""
        super().__init__(executor, came_back)
        self._coordinator = coordinator

    def started(self, lease: SubmissionTask) -> dict[str, object]:
        """Say which bot is tried."""
        return {"bot": lease.bot}

    async def lost(self, leases: Sequence[SubmissionTask]) -> Collection[SubmissionTask]:
        """Find those that were withdrawn, or are held by another process."""
        return self._coordinator.lost(leases) if leases else ()

    def read(self, task: SubmissionTask, answer: str | Exception) -> SubmissionOutcome | AttemptFailure:
        """Read an answer, or why there is none."""
        return trial_outcome(task, answer)

    def write(self, task: SubmissionTask, outcome: SubmissionOutcome) -> None:
        """Enter the bot, or write down why it is not."""
        row = self._coordinator.record(outcome)
        if row is None:
            log.warning("submission.late", **self.about(task))
        elif outcome.void is not None:
            log.warning("submission.void", **self.about(task), reason=outcome.void)
        else:
            log.info(f"submission.{row.status}", submission=row.id, bot=row.bot)

    def write_void(self, task: SubmissionTask, failure: AttemptFailure, is_seen_to: bool) -> None:
        """Count a void trial."""
        void = SubmissionOutcome(submission=task.submission, attempt=task.attempt, void=failure.reason)
        self.write(task, void.model_copy(update={"lost_container": failure.broke is not None}))

    def put_back(self, tasks: Collection[SubmissionTask], reason: str) -> None:
        """Put submissions back into the queue."""
        self._coordinator.give_back(tasks, reason)
