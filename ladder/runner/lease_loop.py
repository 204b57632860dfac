"""
The loop of every process that works on leases of the ladder: matches, submissions, tables, questions, messages.

`LeaseLoop` is the loop, and `Work` one kind of work in it: how it is leased, done, recorded and given back. The loop
itself does the same for all kinds: it renews leases, begins what is ready, gives up what is lost, records each result
once, counts failures, pauses while the platform fails, and gives the rest back when it ends. All that it does with the
database, except to wait for work, happens in one step after the other.
"""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import structlog

from ladder.errors import Unstorable
from ladder.runner.executor import AttemptFailure, Judgement
from ladder.runner.run_log import LONGEST_PAUSE, PLATFORM_ERRORS, Outage, in_one_line
from ladder.store.leases import AnyLease
from ladder.values.value import storable
from pigpen.rules.errors import PigpenError
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

LONGEST_WAIT = 60.0
"""The most seconds that a loop waits for something to happen."""

L = TypeVar("L", bound=AnyLease)
R = TypeVar("R")

log = structlog.get_logger()


class Alarm:
    """Ends the wait of a loop: its tasks, other threads and signal handlers ring it."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls: list[Callable[[], object]] = []
        """Functions to call once a loop runs."""

    def ring(self) -> None:
        """Let the loop look at once."""
        self.call(lambda: None)

    def call(self, function: Callable[[], object]) -> None:
        """Have a function called in the thread of the loop, which then looks at once."""

        def call() -> None:
            function()
            self._rung.set()

        if self._loop is None:
            self._calls.append(call)
        else:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(call)

    @contextmanager
    def ringing_here(self) -> Iterator[None]:
        """Let the event loop that runs now be the one that is woken."""
        self._loop = asyncio.get_running_loop()
        while self._calls:
            self._calls.pop(0)()
        yield

    async def wait(self, seconds: float) -> None:
        """Wait until it rings, or has rung since the last call of this; *seconds* at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        self._rung.clear()


class Work(ABC, Generic[L, R]):
    """One kind of work: a loop leases it, does it, and records what comes of it."""

    name = ""
    """Name of a row of the queue, in the names of the log's events."""
    retry_seconds = 0.0
    """Seconds that a lease is kept after a failure of the platform, before that is counted."""

    @abstractmethod
    async def work(self, lease: L) -> R | AttemptFailure:
        """
        Do the work of a lease; cancelled if the lease is lost, or the loop ends.

        Raises:
            PigpenError: If the platform failed.
        """

    @abstractmethod
    async def record(self, lease: L, result: R) -> AttemptFailure | None:
        """Write down a result, unless the lease is lost by now; gives what is wrong with the result, if anything is."""

    @abstractmethod
    async def fail(self, lease: L, failure: AttemptFailure) -> None:
        """Count an attempt without a result, unless the lease is lost by now."""

    @abstractmethod
    async def give_back(self, leases: Collection[L]) -> None:
        """Put back what this loop will not finish: attempts that have not failed."""

    async def claim(self, leases: Sequence[L]) -> Sequence[L]:
        """Lease what is ready and has room beside *leases*, which are worked on."""
        return ()

    async def renew(self, leases: Sequence[L]) -> None:
        """Keep the leases that are worked on, if it is time to, and put back what is lost."""

    async def lost(self, leases: Sequence[L]) -> Collection[L]:
        """Find those whose lease does not hold any more: another process has it, or the row has ended."""
        return ()

    def given_up(self, lease: L) -> None:
        """Do what else there is to do when a lease is lost."""

    def seconds(self, lease: L) -> float:
        """Give the seconds after which a lease is lost though no one says so: its work hangs."""
        return math.inf

    def patience(self, leases: Sequence[L]) -> float:
        """Give the seconds until this kind wants to be looked at."""
        return LONGEST_WAIT

    def watching(self, changed: Callable[[], object]) -> AbstractContextManager[object]:
        """Call a function whenever there may be something to do."""
        return nullcontext()

    def about(self, lease: L) -> dict[str, object]:
        """Say in fields of the log which lease it is."""
        return {self.name: lease.id, "attempt": lease.attempt}

    def started(self, lease: L) -> dict[str, object]:
        """Say in fields of the log what else is known of a lease when its work begins."""
        return {}


class Attempt:
    """One lease that is worked on, or whose result is not recorded yet."""

    def __init__(self, work: Work[Any, Any], lease: AnyLease, until: float) -> None:
        self.work = work
        self.lease = lease
        self.until = until
        """Time at which it is given up, by the clock of the event loop."""
        self.is_given_up = False
        self.task = asyncio.ensure_future(_came_of(work, lease))

    def give_up(self) -> None:
        """End the work, once: what it then clears away is not disturbed."""
        if not self.is_given_up:
            self.is_given_up = True
            self.task.cancel()


async def _came_of(work: Work[Any, Any], lease: Any) -> Any:
    """Do the work of a lease; gives its result, or why there is none."""
    try:
        return await work.work(lease)
    except PigpenError as error:
        failure = AttemptFailure(Judgement.VOID, str(error))
    except Exception as error:
        failure = _mistake(work, lease, error)
    await asyncio.sleep(work.retry_seconds)
    return failure


def _mistake(work: Work[Any, Any], lease: Any, error: Exception) -> AttemptFailure:
    """Note a bug: a loop runs unattended for months, so that one lease fails, and the others continue."""
    log.error(f"{work.name}.mistake", exc_info=error, **work.about(lease))
    return AttemptFailure(Judgement.VOID, f"The platform has a mistake: {type(error).__name__}: {storable(str(error))}")


class LeaseLoop:
    """Works on what a process leases, in one event loop: several kinds of work, and several leases of each."""

    passed_on: tuple[type[Exception], ...] = ()
    """Errors that end the loop, though most of their kind pass."""

    def __init__(
        self, works: Sequence[Work[Any, Any]], longest_pause: float = LONGEST_PAUSE, alarm: Alarm | None = None
    ) -> None:
        """
        Prepare.

        Args:
            works: The kinds of work, in the order in which they are begun.
            longest_pause: The most seconds between two steps while the platform fails.
            alarm: Rung by others when there may be something to do; None: by none.
        """
        self.alarm = alarm or Alarm()
        self.outage = Outage(loop_time, longest_pause)
        self.attempts: list[Attempt] = []
        self._works = works
        self._returned: list[Attempt] = []
        """Those of `attempts` whose work has ended, in that order: to be recorded."""

    async def run(self) -> bool:
        """
        Work until `is_over`, or cancelled; then what is under way is given back, to be leased by another process.

        Returns:
            True if nothing was under way then.
        """
        with ExitStack() as stack:
            stack.enter_context(self.alarm.ringing_here())
            for work in self._works:
                stack.enter_context(work.watching(self.alarm.ring))
            try:
                while not self.is_over():
                    await self._try()
                    if not self.is_over():
                        await self.alarm.wait(max(0.0, self.patience()))
                return not self.attempts
            finally:
                await asyncio.shield(self._end())

    def leases(self, work: Work[L, Any]) -> list[L]:
        """List the leases of one kind that are worked on, or not recorded yet."""
        return [attempt.lease for attempt in self.attempts if attempt.work is work]  # type: ignore[misc]

    def is_over(self) -> bool:
        """Tell whether there is nothing more to do; most loops run until they are cancelled."""
        return False

    @property
    def is_well(self) -> bool:
        """True if nothing makes it doubtful that the platform works, once a step has not failed."""
        return True

    def patience(self) -> float:
        """Give the seconds until there is something to do even if nothing happens; 0 or less: at once."""
        if (pause := self.outage.pause) > 0:  # nothing is tried before its end
            return min(LONGEST_WAIT, pause)
        if self._returned:
            return 0.0
        ends = [attempt.until - loop_time() for attempt in self.attempts if not attempt.is_given_up]
        return min(LONGEST_WAIT, *ends, *(work.patience(self.leases(work)) for work in self._works))

    async def step(self) -> None:
        """Do all that is due; what fails is done again by the next step."""
        for work in self._works:
            await work.renew(self.leases(work))
        await self._record_returned()
        for work in self._works:
            await self._give_up_lost(work)
        await self.begin_ready()

    async def begin_ready(self) -> None:
        """Lease what is ready, and begin it."""
        for work in self._works:
            for lease in await work.claim(self.leases(work)):
                self.begin(work, lease)

    def begin(self, work: Work[L, Any], lease: L) -> None:
        """Begin the work of a lease."""
        log.info(f"{work.name}.started", **work.about(lease), **work.started(lease))
        attempt = Attempt(work, lease, loop_time() + work.seconds(lease))
        self.attempts.append(attempt)
        attempt.task.add_done_callback(lambda _: self._ended(attempt))

    async def _try(self) -> None:
        if self.outage.pause > 0:
            return
        try:
            await self.step()
        except self.passed_on:
            raise
        except PLATFORM_ERRORS as error:
            self.outage.begin(error)
        else:
            if self.is_well:
                self.outage.end()

    def _ended(self, attempt: Attempt) -> None:
        if attempt.task.cancelled():
            self.attempts.remove(attempt)
        else:
            self._returned.append(attempt)
        self.alarm.ring()

    async def _record_returned(self) -> None:
        while self._returned:  # one that cannot be recorded now stays, and is recorded later
            attempt = self._returned[0]
            came = attempt.task.result()
            failure = came if isinstance(came, AttemptFailure) else await _recorded(attempt, came)
            if failure is not None:
                await attempt.work.fail(attempt.lease, failure)
            self._returned.remove(attempt)
            self.attempts.remove(attempt)

    async def _give_up_lost(self, work: Work[Any, Any]) -> None:
        lost = {(lease.id, lease.attempt) for lease in await work.lost(self.leases(work))}
        for attempt in self.attempts:
            if attempt.work is not work or attempt.is_given_up or attempt.task.done():
                continue
            lease = attempt.lease
            if attempt.until <= loop_time() or (lease.id, lease.attempt) in lost:
                attempt.give_up()
                log.warning(f"{work.name}.lost", **work.about(lease))
                work.given_up(lease)

    async def _end(self) -> None:
        """Record what has come back; the rest goes back into the queue."""
        attempts = list(self.attempts)
        for attempt in attempts:
            attempt.give_up()
        await asyncio.gather(*(attempt.task for attempt in attempts), return_exceptions=True)
        try:
            await self._record_returned()
            for work in self._works:
                left = [each.lease for each in attempts if each.work is work and each.task.cancelled()]
                if left:
                    await work.give_back(left)
        except PLATFORM_ERRORS as error:  # others find that their holder has ended, or their leases run out
            log.error("platform.down", reason=in_one_line(error))


async def _recorded(attempt: Attempt, result: object) -> AttemptFailure | None:
    try:
        return await attempt.work.record(attempt.lease, result)
    except Unstorable as error:  # else all others would wait behind it for ever
        return AttemptFailure(Judgement.INVALID, f"Its worker's answer cannot be stored: {storable(str(error))}")
    except PLATFORM_ERRORS:
        raise
    except Exception as error:
        return _mistake(attempt.work, attempt.lease, error)
