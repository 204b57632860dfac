"""
Waiting for a program that must do something by itself: take its seat, or end.

The seconds that it is given are seconds of a machine that lets it run. They are counted in two ways, and the larger
figure decides: the CPU time that the program uses, and the wall time of the wait as far as the machine had a core to
give. A witness shows that: a program of ours that is started beside the other one in the same way, and is known to do
nothing but start. If it needs ten times as much wall time as CPU time, a tenth of the wall time counts; but all counts
for a program that used much less CPU time meanwhile than the witness did, because that one slept. So a program that
hangs is found on a busy machine too, and one that only was not let run is not blamed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from referee.seats.stall_tolerant_loop import loop_time
from referee.seats.verdict import SeatBroken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
