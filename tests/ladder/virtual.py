"""A ladder's run in no time: a clock that jumps to whatever happens next, and an executor that plays as it is told."""

from __future__ import annotations

import asyncio
import heapq
import math
import selectors
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from ladder.runner.executor import Judgement
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask, TriedProgram
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import MatchOutcome, MatchTask
from pigpen.rules import PRESETS
from referee.records.file import PackedRecord
from referee.seats.verdict import Verdict
from tests.ladder.ladders import NOW
from tests.referee.recorded import honest_seats
from tests.referee.scripted_seats import ScriptedSeat, fails
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ladder.pairing.suspension import Reporter
    from referee.seats.seat import Seat

    Answer = Callable[[MatchTask], MatchOutcome | str | Exception | None]
    """Result of a task: an outcome, a text that is none, an exception that the future raises, or nothing, ever."""
    Trial = Callable[[SubmissionTask], SubmissionOutcome | str | Exception | None]
    """The same of a trial."""
    Outcome = MatchOutcome | SubmissionOutcome | str | Exception | None

T = TypeVar("T")


class Time:
    """The clock of a run, in which waiting takes no time, and the clock advances all the same."""

    def __init__(self) -> None:
        self.now = NOW
        self.waits = 0
        """Number of times that the run has waited."""
        self._plans: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()

    def __call__(self) -> float:
        return self.now

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Call *action* in that many seconds."""
        heapq.heappush(self._plans, (self.now + seconds, next(self._numbers), action))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something whose event loop has this clock."""
        with asyncio.Runner(loop_factory=lambda: _Loop(self)) as runner:
            return runner.run(work)

    def pass_by(self, timeout: float | None) -> None:
        """Let time pass until something is planned, *timeout* seconds at most."""
        self.waits += timeout != 0
        end = self.now + (math.inf if timeout is None else timeout)
        if not self._plans or self._plans[0][0] > end:
            assert end < math.inf, "nothing will ever happen"
            self.now = max(end, math.nextafter(self.now, math.inf) if timeout else self.now)
            return
        self.now = max(self.now, self._plans[0][0])
        while self._plans and self._plans[0][0] <= self.now:
            heapq.heappop(self._plans)[2]()


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, time: Time) -> None:
        super().__init__(_Selector(time))
        self._time = time
        self._clock_resolution = 1e-6
        """It is Unix time, of which a float holds no more: what is planned for that moment is due then."""

    def time(self) -> float:
        return self._time.now


class _Selector(selectors.SelectSelector):
    def __init__(self, time: Time) -> None:
        super().__init__()
        self._time = time

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if found := super().select(0):
            return found
        self._time.pass_by(timeout)
        return super().select(0)


def recorded(task: MatchTask, sinner: str = "") -> MatchOutcome:
    """The outcome of a match of bots that play the first legal card, but for the one of that name, which fails."""
    record, spec = PackedRecord(), task.spec()

    def seats() -> list[Seat]:
        honest = honest_seats(spec.rules.players)
        bad = ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read"))
        return [bad if name == sinner else seat for name, seat in zip(spec.bots, honest, strict=True)]

    tables = [seats() for _ in range(spec.format.tables(spec.rules))]
    with ThreadPoolExecutor(1) as thread:  # in this one the run's event loop runs
        thread.submit(asyncio.run, play_tables(spec, tables, record.write, runtime=runtime_of(task))).result()
    return MatchOutcome(
        match=task.match, attempt=task.attempt, record=bytes(record), logs={0: ("hello",) * len(spec.bots)}
    )


def runtime_of(task: MatchTask) -> str | None:
    """The OCI runtime that the record of a match has: the one that was asked for, if its bots are in containers."""
    return task.runtime if any(bot.sandbox is SandboxKind.DOCKER for bot in task.bots) else None


def void(task: MatchTask, reason: str = "No Docker engine answers.", broke: str = "") -> MatchOutcome:
    """The outcome of an attempt in which the platform failed; where the container of a bot was lost, it is named."""
    names = [bot.name for bot in task.bots]
    return MatchOutcome(
        match=task.match, attempt=task.attempt, void=reason, broke=names.index(broke) if broke else None
    )


def fit(task: SubmissionTask) -> SubmissionOutcome:
    """The outcome of a trial that a bot has passed: it plays hearts."""
    return SubmissionOutcome(
        submission=task.submission,
        attempt=task.attempt,
        program=TriedProgram(identity=f"sha256:{task.submission:064}", pinned=None, size=7, lock=None, can_fork=False),
        variants=(PRESETS["hearts"].to_plain(),),
    )


def trial_void(task: SubmissionTask, reason: str = "No Docker engine answers.") -> SubmissionOutcome:
    """The outcome of a trial in which the platform failed."""
    return SubmissionOutcome(submission=task.submission, attempt=task.attempt, void=reason)


class FakeExecutor:
    """
    Plays every task in `seconds` of virtual time, with whatever outcome `answer` gives.

    Bots are tried in `trial_seconds`, and `trial` says what comes of it.
    """

    def __init__(self, time: Time, slots: int = 2, answer: Answer = recorded, trial: Trial = fit) -> None:
        self.slots = slots
        self.seconds = 1.0
        self.answer = answer
        self.trial_seconds = 10.0
        self.trial = trial
        self.trials: list[SubmissionTask] = []
        """All bots that it was given to try."""
        self.most_trials = 0
        """The most trials at once."""
        self.probe_seconds = 0.1
        """Seconds that it takes to find out whether tasks can be played."""
        self.is_ready: Callable[[], Exception | None] = lambda: None
        self.sees_to = False
        """True if it asks less itself of places that fail, as a cluster does."""
        self.reporters: dict[str, Reporter] = {}
        """The worker that has played each task; others are played on this machine."""
        self.judgements: list[tuple[str, Judgement]] = []
        """Judgement of each task."""
        self.tasks: list[MatchTask] = []
        """All that it was given."""
        self.futures: dict[str, Future[str]] = {}
        self.most = 0
        """The most tasks at once."""
        self._time = time

    def machines(self) -> None:
        """All is played on one machine."""

    def submit(self, task: str, key: str) -> Future[str]:
        """Play a task, or try a bot."""
        if '"kind":"submission"' in task:
            return self._try(SubmissionTask.model_validate_json(task), key)
        read = MatchTask.model_validate_json(task)
        assert key == read.key
        self.tasks.append(read)
        future = self._begin(key, self.seconds, lambda: self.answer(read))
        future.set_running_or_notify_cancel()
        return future

    def _try(self, task: SubmissionTask, key: str) -> Future[str]:
        assert key == task.key
        self.trials.append(task)
        future = self._begin(key, self.trial_seconds, lambda: self.trial(task))
        under_way = sum(not self.futures[each.key].done() for each in self.trials)
        self.most_trials = max(self.most_trials, under_way)
        return future

    def _begin(self, key: str, seconds: float, answer: Callable[[], Outcome]) -> Future[str]:
        future = self.futures[key] = Future[str]()
        self.most = max(self.most, sum(not each.done() for each in self.futures.values()))
        self._time.after(seconds, lambda: self._end(answer, future))
        return future

    def reporter(self, key: str) -> Reporter | None:
        """The worker that has played a task."""
        return self.reporters.get(key)

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> bool:
        """Note it; `sees_to` says whether that is enough."""
        self.judgements.append((key, judgement))
        return self.sees_to

    def ready(self) -> Future[None]:
        """Give a future that is done once tasks can be played."""
        future = Future[None]()
        self._time.after(self.probe_seconds, lambda: self._tell(future))
        return future

    def close(self) -> None:
        """Nothing to clear away."""

    def _tell(self, future: Future[None]) -> None:
        if error := self.is_ready():
            future.set_exception(error)
        else:
            future.set_result(None)

    def _end(self, outcome: Callable[[], Outcome], future: Future[str]) -> None:
        if future.cancelled() or (answer := outcome()) is None:
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer if isinstance(answer, str) else answer.model_dump_json())
