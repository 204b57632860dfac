"""
Waiting that counts only the time that a busy machine gives.

A referee that is stopped, swapped out, or kept from its core cannot read answers; its timers would find every bot late
as soon as it continues. That is no fault of the bots. So the event loop's clock leaves out each time for which its
thread neither worked nor waited for what it wanted to wait for. `LazyTimer` is cheap to set again and again, and seldom
fires.

`wait_fairly` waits for a program that must do something by itself: take its seat, or end. The seconds that it is given
are seconds of a machine that lets it run. They are counted in two ways, and the larger figure decides: the CPU time
that the program uses, and the wall time of the wait as far as the machine had a core to give. A witness shows that: a
program of ours that is started beside the other one in the same way, and is known to do nothing but start. If it needs
ten times as much wall time as CPU time, a tenth of the wall time counts; but all counts for a program that used much
less CPU time meanwhile than the witness did, because that one slept. So a program that hangs is found on a busy machine
too, and one that only was not let run is not blamed.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from referee.seats.verdict import SeatBroken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STALL_SECONDS = 0.25
"""A standstill that is shorter counts: who plays beside others has to live with that."""
BEAT_SECONDS = 0.25
"""Longest wait of the loop in seconds; in a longer one, a standstill would look like waiting."""


def loop_time() -> float:
    """Give the seconds by the clock of the event loop that runs now."""
    return asyncio.get_running_loop().time()


def new_loop() -> asyncio.AbstractEventLoop:
    """Make an event loop for a referee; on Windows an ordinary one, for only that one can start programs there."""
    return asyncio.new_event_loop() if sys.platform == "win32" else StallTolerantLoop()


class StallSelector(selectors.DefaultSelector):
    """
    A selector that notices when its thread stands still.

    Attributes:
        stalled: Seconds of all standstills so far.
    """

    def __init__(self, wall: Callable[[], float] = time.monotonic, cpu: Callable[[], float] = time.thread_time) -> None:
        super().__init__()
        self.stalled = 0.0
        self._wall = wall
        self._cpu = cpu
        self._looked = wall()
        """Time of the last look at the clock: no standstill begins before that."""
        self._seen = self._looked, cpu()
        """Time of the last reading of the thread's CPU time, and its value."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for events, *timeout* seconds at most, or `BEAT_SECONDS`; there may be none."""
        patience = BEAT_SECONDS if timeout is None else min(max(timeout, 0.0), BEAT_SECONDS)
        entered = self.look()
        events = super().select(patience)
        left = self._looked = self._wall()
        self._count(left - entered - patience)
        self._seen = left, self._cpu()
        return events

    def look(self) -> float:
        """Count what the thread stood still since it was looked last, and give the time by the wall clock."""
        now, (seen, used) = self._wall(), self._seen
        if now - seen > STALL_SECONDS:  # what the thread did meanwhile took CPU time; the rest is none of its doing
            cpu = self._cpu()
            self._count(min(now - seen - (cpu - used), now - self._looked))
            self._seen = now, cpu
        self._looked = now
        return now

    def _count(self, seconds: float) -> None:
        if seconds > STALL_SECONDS:
            self.stalled += seconds


class StallTolerantLoop(asyncio.SelectorEventLoop):
    """An event loop on whose clock its own standstills take no time."""

    def __init__(self) -> None:
        self._watching = StallSelector()
        super().__init__(self._watching)

    def time(self) -> float:
        """Give the seconds of a clock that runs as `time.monotonic` does while the loop can work."""
        return self._watching.look() - self._watching.stalled


class LazyTimer:
    """
    Calls a function once, some time after it was set, unless it is set again or stopped before.

    To set it costs next to nothing: the event loop's timer from an earlier setting stays, and when that expires, it is
    started again for the time that is left. So the event loop gets a timer every few seconds, not for every decision.
    """

    def __init__(self, callback: Callable[[], None]) -> None:
        """Prepare a timer that calls *callback* in the event loop that runs now."""
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._due: float | None = None

    def set(self, seconds: float) -> None:
        """Fire in *seconds* from now; an earlier setting no longer counts."""
        self._due = due = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > due:
            self._start(due)

    def stop(self) -> None:
        """Do not fire."""
        self._due = None

    def close(self) -> None:
        """Do not fire, and remove the event loop's timer."""
        self._due = None
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _start(self, due: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._expired)

    def _expired(self) -> None:
        self._timer = None
        if self._due is None:
            return
        if self._due > self._loop.time():
            self._start(self._due)
        else:
            self._due = None
            self._callback()


LOOKS = 4
"""A witness is started after each of this many equal parts of the seconds that a program is given."""
LOOK_SECONDS = 0.25
"""Seconds of wall time between two readings of its CPU time."""
USUAL_CPU_SECONDS = 0.5
"""CPU time that a witness is taken to need where none can be read."""
SLEPT_SHARE = 0.5
"""A program that used less CPU time than this share of the witness's beside it did not wait for a core."""
MAX_TIMES = 12.0
"""After this multiple of the seconds, in wall time, the machine is too busy to tell: the match is void."""


@dataclass(frozen=True)
class WitnessStart:
    """Time that a witness needed to take its own seat."""

    wall: float
    """Seconds of wall time from its start."""
    cpu: float | None
    """Seconds of CPU time; None where that cannot be read."""


class Witness(Protocol):
    """Starts programs of ours."""

    async def start(self) -> WitnessStart:
        """
        Start one as bots are started, and wait until it has taken its seat; may be cancelled.

        Raises:
            Exception: If the sandbox fails; the match is void.
        """


class MachineTooBusy(SeatBroken):
    """The machine let a program run too little to tell whether it hangs."""


class FairTime:
    """
    The time that one program has had, in seconds.

    Attributes:
        counted: Wall time so far, as far as the machine let programs run.
    """

    def __init__(
        self,
        seconds: float,
        cpu_time: Callable[[], float | None] = lambda: None,
        now: Callable[[], float] = loop_time,
    ) -> None:
        """
        Begin.

        Args:
            seconds: The time that it is given.
            cpu_time: Seconds of CPU time that it has used so far; None where that cannot be read.
            now: Seconds of wall time.
        """
        self.seconds = seconds
        self.counted = 0.0
        self._cpu_time = cpu_time
        self._now = now
        self._began = self._judged = now()
        self._first = self._last = cpu_time() or 0.0

    @property
    def used(self) -> float:
        """CPU time that it has used; 0.0 where that cannot be read."""
        return max(0.0, (self._cpu_time() or 0.0) - self._first)

    @property
    def is_used_up(self) -> bool:
        """True if the program has had all of its time."""
        return max(self.counted, self.used) >= self.seconds

    @property
    def is_endless(self) -> bool:
        """True if there is no use in waiting any longer."""
        return self._now() - self._began >= MAX_TIMES * self.seconds

    @property
    def until_witness(self) -> float:
        """Seconds of wall time from now until the time since the last judgement is to be judged by a witness."""
        part = min(self.seconds / LOOKS, self.seconds - self.counted)
        return self._judged + part - self._now()

    def judge(self, witness: WitnessStart | None) -> None:
        """Count the wall time since the last judgement by what the *witness* in it needed; all of it if None."""
        now, used = self._now(), self._cpu_time()
        of_witness = None if witness is None else witness.cpu
        slept = used is not None and of_witness is not None and used - self._last < SLEPT_SHARE * of_witness
        self.counted += (now - self._judged) * (1.0 if slept else pace(witness))
        self._judged, self._last = now, used or 0.0


def pace(witness: WitnessStart | None) -> float:
    """Give the part of the wall time that counts by what a *witness* needed; 1.0 where there is none."""
    if witness is None or witness.wall <= 0.0:
        return 1.0
    cpu = USUAL_CPU_SECONDS if witness.cpu is None else witness.cpu
    return min(1.0, cpu / witness.wall)


async def wait_fairly(done: Iterable[asyncio.Future[Any]], time: FairTime, witness: Witness | None) -> bool:
    """
    Wait until one of *done* is done, or the program has had its time, and say whether one is done.

    Args:
        done: What the program is expected to bring about.
        time: The time that it is given, which begins now.
        witness: Shows how busy the machine is; None: all wall time counts.

    Raises:
        MachineTooBusy: If that cannot be told.
    """
    expected = set(done)
    start: asyncio.Future[WitnessStart] | None = None
    try:
        while not time.is_used_up and not time.is_endless:
            waits = expected if start is None else {*expected, start}
            patience = min(LOOK_SECONDS, max(0.0, time.until_witness) if start is None else LOOK_SECONDS)
            await asyncio.wait(waits, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if any(each.done() for each in expected):
                return True
            if start is not None and start.done():
                time.judge(start.result())
                start = None
            elif start is None and time.until_witness <= 0.0:
                if witness is None:
                    time.judge(None)
                else:
                    start = asyncio.ensure_future(witness.start())
    finally:
        if start is not None:
            start.cancel()
            await asyncio.gather(start, return_exceptions=True)
    if any(each.done() for each in expected):  # in the very last moment
        return True
    if not time.is_used_up:
        raise MachineTooBusy(
            f"The machine is too busy to start bots: in {MAX_TIMES * time.seconds:g} s it let one run so little that "
            "no one can tell whether it hangs."
        )
    return False
