"""
The attempts that a run has under way: begun, recorded when they come back, given up when they hang.

`AttemptRuns` has the attempts of one queue; `MatchRuns` are those of matches, and `SubmissionRuns`, beside them, those
of submissions. `EventQueue` holds the functions that a program's main thread is to call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

import structlog

from ladder.errors import Unstorable
from ladder.runner.executor import Judgement
from ladder.runner.returned import AttemptFailure, log_result, log_suspended, outcome_of, trial_outcome_of
from ladder.store.commands.results import WrongRecord
from ladder.store.leases import GRACE
from ladder.store.models import Status
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask
from ladder.values.task import storable
from ladder.worker.match_tasks import MatchOutcome, MatchTask

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from concurrent.futures import Future

    from ladder.runner.coordinator import Coordinator
    from ladder.runner.executor import Executor
    from ladder.runner.submission_coordinator import SubmissionCoordinator

Event: TypeAlias = Callable[[], None]

MAX_WAIT_SECONDS = 0.5
"""A signal that comes right before a wait, or to another thread, is handled only after it: no wait is longer."""


class Events(Protocol):
    """A loop's queue of events; each is a function to call."""

    def put(self, item: Event, /) -> None:
        """Add one."""

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        """
        Take the oldest event; wait *timeout* seconds for it, None: until there is one.

        Raises:
            queue.Empty: If there was none in that time.
        """


class EventQueue:
    """Events from other threads, and from signal handlers, which are called while the main thread waits here."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Event] = SimpleQueue()

    def put(self, item: Event, /) -> None:
        """Add an event; from any thread or signal handler."""
        self._queue.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        """
        Take the oldest event; wait *timeout* seconds for it, None: until there is one.

        Raises:
            queue.Empty: If there was none in that time.
        """
        while block and (timeout is None or timeout > MAX_WAIT_SECONDS):
            try:
                return self._queue.get(timeout=MAX_WAIT_SECONDS)
            except Empty:
                timeout = None if timeout is None else timeout - MAX_WAIT_SECONDS
        return self._queue.get(block, timeout)


log = structlog.get_logger()


class AnyTask(Protocol):
    """A `MatchTask` or a `SubmissionTask`."""

    attempt: int
    seconds: float

    @property
    def key(self) -> str:
        """Names the attempt wherever it is worked at."""

    def model_dump_json(self) -> str:
        """Write it as JSON."""


Task = TypeVar("Task", bound=AnyTask)
Outcome = TypeVar("Outcome")


class AttemptRuns(ABC, Generic[Task, Outcome]):
    """Hands tasks to an executor, and settles what comes back; all in the thread of the runner."""

    name = ""
    """Name of a row of the queue: its number's name in a task, and in the names of the log's events."""

    def __init__(
        self, executor: Executor, events: Events, tick: Callable[[], float], tell: Callable[[bool], None]
    ) -> None:
        """
        Begin with none.

        Args:
            executor: Where the work is done.
            events: The runner's queue of events.
            tick: A clock that never goes back; seconds.
            tell: Called for each attempt that has come back, with whether the platform failed in it.
        """
        self._executor = executor
        self._events = events
        self._tick = tick
        self._tell = tell
        self._begun: dict[str, tuple[Task, Future[str], float]] = {}
        self._returns: deque[tuple[Task, Outcome | AttemptFailure]] = deque()

    def __len__(self) -> int:
        """Count those that are under way, or have come back and are not recorded yet."""
        return len(self._begun) + len(self._returns)

    @property
    def tasks(self) -> list[Task]:
        """The tasks under way; each takes a slot."""
        return [task for task, *_ in self._begun.values()]

    @property
    def have_returned(self) -> bool:
        """True if any have come back and are not recorded yet."""
        return bool(self._returns)

    @property
    def waits(self) -> list[float]:
        """Seconds until the lease of each that is under way ends."""
        return [until - self._tick() for *_, until in self._begun.values()]

    def settle(self) -> None:
        """Record what has come back, and give up what hangs, or does not count any more."""
        self._settle_returns()
        lost = {task.key for task in self._lost(self.tasks)}
        for key, (task, future, until) in list(self._begun.items()):
            if until <= self._tick() or key in lost:
                del self._begun[key]
                future.cancel()
                log.warning(f"{self.name}.lost", **self._about(task))
                self._given_up(task)

    def give_back(self) -> None:
        """Record what has come back; the rest goes back into the queue."""
        for _, future, _ in self._begun.values():
            future.cancel()
        self._settle_returns()
        self._return(self.tasks, "")

    def _begin(self, task: Task, **more: object) -> None:
        future = self._executor.submit(task.model_dump_json(), task.key)
        self._begun[task.key] = task, future, self._tick() + task.seconds + GRACE
        log.info(f"{self.name}.started", **self._about(task), **more)
        future.add_done_callback(lambda done: self._events.put(partial(self._returned, task, done)))

    def _returned(self, task: Task, future: Future[str]) -> None:
        """Take an answer; of one that was given up the fence of the lease decides whether it counts."""
        self._begun.pop(task.key, None)
        if came := self._outcome_of(task, future):
            self._returns.append((task, came))

    def _settle_returns(self) -> None:
        while self._returns:  # one that cannot be recorded now stays, and is recorded later
            self._settle(*self._returns[0])
            self._returns.popleft()

    def _settle(self, task: Task, came: Outcome | AttemptFailure) -> None:
        failure = came if isinstance(came, AttemptFailure) else self._recorded(task, came)
        if failure is None:
            self._executor.judge(task.key, Judgement.COUNTED)
            return
        is_seen_to = failure.judgement is None or self._executor.judge(task.key, failure.judgement, failure.reason)
        if is_seen_to and failure.judgement is not Judgement.VOID:
            self._return([task], failure.reason)
            log.warning(f"{self.name}.returned", **self._about(task), reason=failure.reason)
        else:
            self._fail(task, failure, is_seen_to)

    def _recorded(self, task: Task, outcome: Outcome) -> AttemptFailure | None:
        try:
            return self._record(task, outcome)
        except Unstorable as error:  # else all others would wait behind it for ever
            return AttemptFailure(Judgement.INVALID, f"Its worker's answer cannot be stored: {storable(str(error))}")

    def _about(self, task: Task) -> dict[str, object]:
        return {self.name: getattr(task, self.name), "attempt": task.attempt}

    @abstractmethod
    def _outcome_of(self, task: Task, future: Future[str]) -> Outcome | AttemptFailure | None:
        """Read what a future says; None if it was given up."""

    @abstractmethod
    def _record(self, task: Task, outcome: Outcome) -> AttemptFailure | None:
        """Record an outcome; gives what is wrong with it, if anything is."""

    @abstractmethod
    def _fail(self, task: Task, failure: AttemptFailure, is_seen_to: bool) -> None:
        """Count a failure of the platform; *is_seen_to*: the executor does what can be done about it."""

    @abstractmethod
    def _return(self, tasks: Collection[Task], reason: str) -> None:
        """Put attempts back into the queue that have not failed; empty *reason*: this run will not finish them."""

    def _lost(self, tasks: Sequence[Task]) -> Collection[Task]:
        """Find those whose lease does not hold any more."""
        return ()

    def _given_up(self, task: Task) -> None:
        """Do what else there is to do when an attempt is given up."""


class MatchRuns(AttemptRuns[MatchTask, MatchOutcome]):
    """Has matches played, records their results, and finds the bots that are behind void ones."""

    name = "match"

    def __init__(
        self,
        coordinator: Coordinator,
        executor: Executor,
        events: Events,
        tick: Callable[[], float],
        tell: Callable[[bool], None],
    ) -> None:
        """Begin with none; *coordinator* records, the rest as for `AttemptRuns`."""
        super().__init__(executor, events, tick, tell)
        self.recorded = 0
        """Results so far."""
        self._coordinator = coordinator
        self._unexplained: list[int] = []
        """Matches that are void, while it is not known whether the platform works."""
        self._suspects: list[tuple[int, int | None]] = []
        """Matches that are void though the platform works, and the number of the bot whose container was lost."""

    def begin(self, task: MatchTask) -> None:
        """Have a match played."""
        bots = [bot.name for bot in task.bots]
        self._begin(task, variant=task.rules["name"], format=task.format, bots=bots)

    def settle(self) -> None:
        """Suspend bots that are common to void matches, too."""
        self._settle_returns()
        while self._suspects:
            log_suspended(self._coordinator.suspect(*self._suspects[0]))
            self._suspects.pop(0)
        super().settle()

    def explain(self, platform_works: bool) -> None:
        """Attribute void matches to the platform or to their bots, after the platform was probed."""
        if platform_works:
            self._suspects += [(match, None) for match in self._unexplained]
        self._unexplained.clear()

    def _outcome_of(self, task: MatchTask, future: Future[str]) -> MatchOutcome | AttemptFailure | None:
        return outcome_of(task, future)

    def _record(self, task: MatchTask, outcome: MatchOutcome) -> AttemptFailure | None:
        try:
            result = self._coordinator.record(task, outcome, self._executor.reporter(task.key))
        except WrongRecord as error:
            return AttemptFailure(Judgement.INVALID, str(error))
        if result is None:
            log.warning("match.late", **self._about(task))
            return None
        self.recorded += 1
        self._tell(False)
        log_result(result)
        return None

    def _fail(self, task: MatchTask, failure: AttemptFailure, is_seen_to: bool) -> None:
        status = self._coordinator.fail(task.match, task.attempt, failure.reason, failure.lost)
        event = "match.quarantined" if status is Status.QUARANTINED else "match.void"
        bot = {} if failure.broke is None else {"bot": task.bots[failure.broke].name}
        log.warning(event, **self._about(task), reason=failure.reason, **bot)
        if failure.broke is not None:
            self._suspects += [] if status is None else [(task.match, failure.broke)]
        elif not is_seen_to:
            self._unexplained += [] if status is None or failure.lost else [task.match]
            self._tell(True)

    def _return(self, tasks: Collection[MatchTask], reason: str) -> None:
        self._coordinator.give_back(tasks, reason)

    def _given_up(self, task: MatchTask) -> None:
        self._coordinator.live.end(task.match, task.attempt, "void")


SHARE = 4
"""A run tries submissions in one slot of `SHARE`, but in one at least; the others play matches."""


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
