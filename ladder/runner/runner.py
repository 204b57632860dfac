"""
The ladder's loop: lease matches, hand them to an executor, record what comes back; for months, whatever fails.

Everything happens in the thread that calls `Runner.run`, one event after the other. What other threads and signal
handlers have to say (a match has come back, somebody wants to stop), they put into a queue as a function to call.
"""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import CancelledError
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

import pydantic
import structlog

from ladder.errors import LadderError, SandboxError, StoreError
from ladder.store.commands.queue import GRACE
from ladder.store.commands.results import WrongRecord
from ladder.store.models import Status
from ladder.worker.tasks import MatchOutcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from ladder.runner.coordinator import Coordinator
    from ladder.runner.executor import Executor
    from ladder.runner.goals import Goal
    from ladder.store.commands.results import Result
    from ladder.worker.tasks import MatchTask

    Event = Callable[[], None]

TROUBLES = (StoreError, LadderError, SandboxError, OSError)
"""What passes: a database that is gone or locked, a disk that is full, an engine that is down."""
LONGEST_PAUSE = 60.0
"""Seconds between two attempts while something is missing; the first pause is one second, each next one is doubled."""
IDLE_SECONDS = 5.0
"""How often the store is asked for matches while there are too few."""
LONGEST_WAIT = 60.0
"""How often it is looked at anyway."""

log = structlog.get_logger()


class Events(Protocol):
    """What has happened, as functions to call."""

    def put(self, item: Event, /) -> None:
        """Add one."""

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        """
        Take the oldest one; wait for it so many seconds.

        Raises:
            queue.Empty: If there was none in that time.
        """


class NobodyPlays(LadderError):
    """The goal cannot be reached: there is nobody to play, and no match under way."""


class Runner:
    """Runs one ladder with one executor."""

    def __init__(
        self,
        desk: Coordinator,
        executor: Executor,
        goal: Goal,
        tick: Callable[[], float] = time.monotonic,
        events: Events | None = None,
    ) -> None:
        """
        Prepare a run.

        Args:
            desk: The ladder.
            executor: Where matches are played; it is the caller's to close.
            goal: When the run is over.
            tick: A clock that never goes back; seconds.
            events: Where to wait for what others have to say; safe in threads and signal handlers.
        """
        self.recorded = 0
        """Results of this run."""
        self._desk = desk
        self._executor = executor
        self._goal = goal
        self._tick = tick
        self._events: Events = SimpleQueue() if events is None else events
        self._playing: dict[str, tuple[MatchTask, Future[str], float]] = {}
        self._outcomes: deque[MatchOutcome] = deque()
        self._is_starved = self._is_settled = self._has_looked = False
        self._stops = 0
        self._voids = 0
        self._troubles = 0
        self._trouble = ""
        self._resume_at = 0.0
        self._probing = self._must_probe = False

    def run(self) -> bool:
        """
        Run until the goal is reached, or somebody stops it.

        Returns:
            Whether every match that had begun was finished; else they are given back to the ladder.

        Raises:
            LadderError: If the goal cannot be reached, since there is nobody to play, or the ladder cannot be used.
            StoreError: If the ladder cannot be reached at the start.
        """
        self._tidy()
        while not self._is_over():
            self._try()
            if not self._is_over():
                self._hear(self._patience())
        if self._stops >= 2:
            self._give_everything_back()
            return False
        self._desk.refresh_estimates(whatever_it_takes=True)
        return True

    def stop(self) -> None:
        """Finish the matches that are under way and end; called again, give them up. For signal handlers, too."""
        self._events.put(self._stop)

    def _is_over(self) -> bool:
        if self._stops >= 2:
            return True
        return not (self._playing or self._outcomes) and (self._stops > 0 or self._is_reached())

    def _is_reached(self) -> bool:
        return self._is_settled or (self._goal.matches is not None and self.recorded >= self._goal.matches)

    def _tidy(self) -> None:
        for match, status in self._desk.tidy().items():
            log.info("match.requeued", match=match, status=str(status), reason="its runner was killed")

    def _step(self) -> None:
        while self._outcomes:
            self._settle(self._outcomes[0])
            self._outcomes.popleft()
        self._give_up_the_lost()
        if not self._stops:
            self._look_at_estimates()
            self._fill_slots()

    def _fill_slots(self) -> None:
        if self._must_probe:
            self._probe()
        count = self._wanted()
        if count <= 0 or self._probing:
            return
        playing = {(task.match, task.attempt) for task, *_ in self._playing.values()}
        tasks = self._desk.take(count, self._ahead(count), playing)
        for task in tasks:
            self._begin(task)
        if not self._playing:
            self._have_nobody()
        self._is_starved = len(tasks) < count

    def _wanted(self) -> int:
        """How many more matches may begin now."""
        free = self._executor.slots - len(self._playing)
        return 0 if self._is_reached() else min(free, self._left() - len(self._playing))

    def _left(self) -> int:
        return self._executor.slots * 2 if self._goal.matches is None else self._goal.matches - self.recorded

    def _ahead(self, count: int) -> int:
        """How many matches wait beside those that begin: that none is scheduled which this run does not play."""
        return min(self._executor.slots, self._left() - len(self._playing) - count)

    def _begin(self, task: MatchTask) -> None:
        future = self._executor.submit(task.model_dump_json(), task.key)
        self._playing[task.key] = task, future, self._tick() + task.seconds + GRACE
        log.info("match.started", match=task.match, attempt=task.attempt, variant=task.rules["name"],
                 format=task.format, bots=[bot.name for bot in task.bots])  # fmt: skip
        future.add_done_callback(lambda done: self._events.put(partial(self._come_back, task, done)))

    def _come_back(self, task: MatchTask, future: Future[str]) -> None:
        self._playing.pop(task.key, None)
        if outcome := _outcome(task, future):
            self._outcomes.append(outcome)

    def _settle(self, outcome: MatchOutcome) -> None:
        if outcome.void is not None:
            self._void(outcome, outcome.void)
            return
        try:
            result = self._desk.record(outcome)
        except WrongRecord as error:
            self._void(outcome, str(error))
            return
        if result is None:
            log.warning("match.late", match=outcome.match, attempt=outcome.attempt)
            return
        self.recorded += 1
        self._voids = 0
        _tell(result)

    def _void(self, outcome: MatchOutcome, reason: str) -> None:
        status = self._desk.fail(outcome.match, outcome.attempt, reason, outcome.lost)
        event = "match.quarantined" if status is Status.QUARANTINED else "match.void"
        log.warning(event, match=outcome.match, attempt=outcome.attempt, reason=reason)
        self._voids += 1
        self._must_probe = True

    def _probe(self) -> None:
        """Before more matches fail: try whether there is an engine, and room."""
        self._must_probe, self._probing = False, True
        self._executor.ready().add_done_callback(lambda done: self._events.put(partial(self._probed, done)))

    def _probed(self, ready: Future[None]) -> None:
        self._probing = False
        if error := ready.exception():
            self._must_probe = True
            self._have_trouble(error)
        elif self._voids > 1:  # all is there, and yet one match after the other is void
            self._pause(self._voids - 1)

    def _give_up_the_lost(self) -> None:
        """Whoever has not come back when its lease ends will not: it hangs, or its machine is gone."""
        for key, (task, future, until) in list(self._playing.items()):
            if until <= self._tick():
                del self._playing[key]
                future.cancel()
                log.warning("match.lost", match=task.match, attempt=task.attempt)

    def _look_at_estimates(self) -> None:
        is_new = self._desk.refresh_estimates()
        if self._goal.ci is not None and (is_new or not self._has_looked):
            self._is_settled = self._desk.is_settled(self._goal.ci)
            self._has_looked = True

    def _have_nobody(self) -> None:
        reason = self._desk.why_nobody()
        if reason and not self._goal.is_endless:
            raise NobodyPlays(reason)
        if reason and not self._is_starved:
            log.info("ladder.waiting", reason=reason)

    def _try(self) -> None:
        if self._tick() < self._resume_at:
            return
        try:
            self._step()
        except NobodyPlays:
            raise
        except TROUBLES as error:
            self._have_trouble(error)
        else:
            if self._trouble and not (self._probing or self._must_probe):
                log.info("platform.up")
                self._trouble, self._troubles = "", 0

    def _have_trouble(self, error: BaseException) -> None:
        self._troubles += 1
        sentence = _sentence(error)
        if sentence != self._trouble:
            log.error("platform.down", reason=sentence)
            self._trouble = sentence
        self._pause(self._troubles)

    def _pause(self, count: int) -> None:
        self._resume_at = self._tick() + min(LONGEST_PAUSE, 2.0 ** min(count - 1, 10))

    def _patience(self) -> float:
        """Seconds until there is something to do even if nothing happens."""
        waits = [LONGEST_WAIT, *(until - self._tick() for *_, until in self._playing.values())]
        if (pause := self._resume_at - self._tick()) > 0:
            return max(0.0, min(*waits, pause))
        if self._outcomes or (self._trouble and not (self._probing or self._stops)):
            return 0.0
        if self._is_starved and not self._stops:
            waits.append(IDLE_SECONDS)
        return max(0.0, min(waits))

    def _hear(self, patience: float) -> None:
        try:
            self._events.get(timeout=patience)()
            while True:
                self._events.get(block=False)()
        except Empty:
            return

    def _stop(self) -> None:
        self._stops += 1
        if self._stops == 1:
            log.info("ladder.stopping", playing=len(self._playing))
        elif self._stops == 2:
            log.info("ladder.aborting", playing=len(self._playing))

    def _give_everything_back(self) -> None:
        """What has come back is recorded, what has not is played again some day."""
        for _, future, _ in self._playing.values():
            future.cancel()
        try:
            while self._outcomes:
                self._settle(self._outcomes[0])
                self._outcomes.popleft()
            self._desk.give_back([task for task, *_ in self._playing.values()])
        except TROUBLES as error:  # the next runner finds that their holder has ended
            log.error("platform.down", reason=_sentence(error))


def _outcome(task: MatchTask, future: Future[str]) -> MatchOutcome | None:
    """What a future says; None if it was given up."""
    try:
        outcome = MatchOutcome.model_validate_json(future.result())
    except CancelledError:
        return None
    except pydantic.ValidationError as error:
        return _lost(task, f"Its worker's answer cannot be understood: {error.errors()[0]['msg']}.")
    except Exception as error:  # whatever an executor raises when it loses a worker
        return _lost(task, f"Its worker was lost: {type(error).__name__}: {error}")
    if (outcome.match, outcome.attempt) != (task.match, task.attempt):
        return _lost(task, "Its worker answered for another match.")
    return outcome


def _lost(task: MatchTask, reason: str) -> MatchOutcome:
    return MatchOutcome(match=task.match, attempt=task.attempt, void=reason)


def _tell(result: Result) -> None:
    log.info(
        "match.finished",
        match=result.match,
        variant=result.variant,
        ordinal=result.ordinal,
        deals=result.deals,
        seconds=round(result.seconds, 3),
        bots=[move.name for move in result.moves],
        places=[move.place for move in result.moves],
        moves=[round(move.after - move.before, 2) for move in result.moves],
    )
    for bot, reason in result.suspended:
        log.warning("bot.suspended", bot=bot, variant=result.variant, reason=reason)


def _sentence(error: BaseException) -> str:
    """What is missing, in one line."""
    if isinstance(error, OSError):
        return f"{error.filename or 'The disk'} cannot be written: {error.strerror or error}."
    return str(error)
