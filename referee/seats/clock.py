"""A seat's time: a bank, an increment, a limit for each decision."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.values.notices import ClockSetting

MARGIN = 0.025
"""Seconds of wall time of every decision that are never charged: what the way to the bot and back may take."""
NOTICE_SECONDS = 1.0
"""Seconds that a notice may wait for a bot that does not read; no bank is charged for it."""
WALL_CAP = 3.0
"""Wall time counts a third where CPU time is charged: an answer may take at most `WALL_CAP` times its limit."""
IDLE_SECONDS = 0.5
IDLE_RATIO = 20.0
"""Wall time beyond `IDLE_SECONDS` and `IDLE_RATIO` times the CPU time is sleep, and the bank pays for all of it."""
MAX_UNASKED_CPU = 0.1
"""Seconds of CPU time that a program may use unasked and not pay for: to read notices, for its library's threads."""
UNASKED_EACH = 0.001
"""Seconds of that which each question gives back, up to `MAX_UNASKED_CPU`."""


class Clock:
    """
    The time one bot has left in one match. All times in seconds.

    The bank grows by the setting's bank whenever `deals_per_bank` further deals begin, and by the increment with
    every decision. A decision never takes it below zero. What a program uses when it is not asked may: then it has no
    time for an answer until the bank has been filled again.
    """

    def __init__(self, setting: ClockSetting) -> None:
        self.setting = setting
        self.bank = 0.0
        self._deals = 0
        self._unasked = MAX_UNASKED_CPU

    def begin_deal(self) -> None:
        """Begin a deal."""
        if self._deals % self.setting.deals_per_bank == 0:
            self.bank += self.setting.bank
        self._deals += 1

    @property
    def allowance(self) -> float:
        """Seconds that the next decision may take."""
        return max(0.0, min(self.setting.limit, self.bank + self.setting.increment))

    @property
    def is_used_up(self) -> bool:
        """True if the bank and the increment hold nothing; below zero only unasked work brings them."""
        return self.bank + self.setting.increment <= 0

    def charge(self, rated: float, slept: float = 0.0) -> float:
        """
        Draw a decision on the bank, and give the seconds that were drawn: no more than there are.

        Args:
            rated: What it is rated at; of that no more counts than it was allowed.
            slept: What its sleep costs, if that is more.
        """
        gained = self.bank + self.setting.increment
        drawn = max(0.0, min(rated, self.allowance), min(slept, gained))
        self.bank = gained - drawn
        return drawn

    def charge_unasked(self, cpu: float) -> None:
        """Draw on the bank what the program used since its last answer, beyond what it may; *cpu* is in seconds."""
        left = self._unasked + UNASKED_EACH - cpu
        self._unasked = min(MAX_UNASKED_CPU, max(0.0, left))
        self.bank += min(0.0, left)


def concurrent_questions(players: int, *, sealed: bool) -> int:
    """
    Give the number of questions that count as open at the same time: one for each seat if the question is sealed.

    Only holders of certain cards are asked to expose, and a bot can compute this number from the times that it is
    sent. So it must not depend on how many seats are asked (C-9).

    Args:
        players: Seats of the table.
        sealed: Whether it is the question which cards to pass or to expose.
    """
    return players if sealed else 1


def slack_for(concurrent: int, cpu: float | None) -> float:
    """Give the seconds of wall time that count as one, where *concurrent* questions are open at the same time."""
    return 1.0 if cpu is None else WALL_CAP * concurrent


def rating(wall: float, cpu: float | None, slack: float) -> float:
    """Give the seconds that count for the limit and the bank, of *wall* time and *cpu* time."""
    return max(cpu or 0.0, (wall - MARGIN) / slack)


def sleep(wall: float, cpu: float | None, concurrent: int) -> float:
    """Give the seconds of *wall* time that a program slept while *concurrent* questions were open."""
    return 0.0 if cpu is None else max(0.0, (wall - IDLE_SECONDS) / concurrent - IDLE_RATIO * cpu)


class Stopwatch:
    """
    Measures one decision, from when this is made until `stop`, and says whether it is too late.

    Wall time alone would let other programs on the machine take a bot's time away; CPU time alone would let a bot
    sleep for ever. So a decision is rated at the CPU time that the bot's program takes, or at a third of the wall
    time if that is more. Where no CPU time can be read, it is rated at the wall time.
    """

    def __init__(
        self,
        limit: float,
        cpu_time: Callable[[], float | None] = lambda: None,
        now: Callable[[], float] = time.monotonic,
        concurrent: int = 1,
        cpu_before: float | None = None,
    ) -> None:
        """
        Start.

        Args:
            limit: Seconds that the decision may be rated at.
            cpu_time: Seconds of CPU time that the program has used so far; None where that cannot be read.
            now: Seconds of wall time.
            concurrent: Questions open at the same time: their bots share a core, so wall time counts only its share.
            cpu_before: What *cpu_time* says now, where that has just been read.
        """
        self._limit = limit
        self._concurrent = concurrent
        self._cpu_time = cpu_time
        self._now = now
        self.cpu_before = cpu_time() if cpu_before is None else cpu_before
        """CPU time of the program when this was made."""
        self.cpu_after: float | None = None
        """CPU time of the program when it was read last."""
        self._slack = slack_for(concurrent, self.cpu_before)
        self._started = now()
        self._paused_at: float | None = None
        self._stopped: tuple[float, float | None] | None = None

    def pause(self) -> None:
        """Let no wall time pass until `resume`: a person reads help."""
        if self._paused_at is None and self._stopped is None:
            self._paused_at = self._now()

    def resume(self) -> None:
        """Continue after `pause`."""
        if self._paused_at is not None:
            self._started += self._now() - self._paused_at
            self._paused_at = None

    def stop(self) -> None:
        """Stop: the answer is there, or too late; the times stand from now on."""
        if self._stopped is None:
            self._stopped = self._read()

    @property
    def wall(self) -> float:
        """Seconds by the referee's clock."""
        return (self._stopped or self._read())[0]

    @property
    def cpu(self) -> float | None:
        """Seconds of CPU time; None where that cannot be read."""
        return (self._stopped or self._read())[1]

    @property
    def thought(self) -> float:
        """Seconds that the bot thought, as well as can be measured: in CPU time, or else in wall time."""
        wall, cpu = self._stopped or self._read()
        return wall if cpu is None else cpu

    @property
    def rated(self) -> float:
        """Seconds that count for the limit and the bank."""
        wall, cpu = self._stopped or self._read()
        return rating(wall, cpu, self._slack)

    @property
    def slept(self) -> float:
        """Seconds that count for the bank, where they are more than what the decision is rated at."""
        wall, cpu = self._stopped or self._read()
        return sleep(wall, cpu, self._concurrent)

    @property
    def is_late(self) -> bool:
        """True if the limit is passed."""
        return self.rated > self._limit

    @property
    def cap(self) -> float:
        """Seconds of wall time from the start after which the limit is passed whatever the CPU time."""
        return self._limit * self._slack + MARGIN

    @property
    def sure(self) -> float:
        """Seconds from the start in which the limit cannot be passed: on one core, CPU time runs no faster."""
        return self.cap if self.cpu_before is None else min(self._limit, self.cap)

    @property
    def left(self) -> float:
        """Seconds of wall time from now in which the limit cannot be passed."""
        wall, cpu = self._stopped or self._read()
        return self.cap - wall if cpu is None else min(self._limit - cpu, self.cap - wall)

    @property
    def late(self) -> str:
        """The message for an answer that is too late."""
        whole = "" if self.cpu_before is None else f" of CPU time and {self._limit * self._slack:.3f} s in all"
        return f"no answer within {self._limit:.3f} s{whole}"

    def _read(self) -> tuple[float, float | None]:
        cpu = None if self.cpu_before is None else self._cpu_time()
        wall = (self._now() if self._paused_at is None else self._paused_at) - self._started
        if cpu is None or self.cpu_before is None:
            return wall, None
        self.cpu_after = cpu
        return wall, cpu - self.cpu_before
