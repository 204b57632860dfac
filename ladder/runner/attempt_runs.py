"""The attempts of one queue that a run has under way: begun, recorded when they come back, given up when they hang."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import structlog

from ladder.errors import Unstorable
from ladder.runner.executor import Judgement
from ladder.runner.returned import AttemptFailure
from ladder.store.leases import GRACE
from ladder.values.task import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Future

    from ladder.runner.events import Events
    from ladder.runner.executor import Executor

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
