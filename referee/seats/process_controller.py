"""The program behind a seat: how it is frozen and thawed, and how its CPU time is read."""

from __future__ import annotations

from typing import Protocol

QUIET_CPU_SECONDS = 0.001
"""CPU time that a program may use between two questions and still counts as quiet: an honest one reads notices."""
EXCESS_CPU_SECONDS = 0.004
"""A program that has used more than this beyond what is quiet is frozen from then on whenever it is not asked."""


class ProcessController(Protocol):
    """Freezes and thaws one program and reads its CPU time; its sandbox implements it. No method ever fails."""

    def cpu_time(self) -> float | None:
        """Read the seconds of CPU time that the program has used so far; None where that cannot be read."""

    def seated(self) -> None:
        """Learn that the program has taken its seat: from now on it is limited to the cores that bots think on."""

    def freeze(self) -> None:
        """Stop all its threads where they are."""

    def thaw(self) -> None:
        """Resume all its threads."""

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""


class NoController:
    """Controls nothing: the program always runs, and its CPU time cannot be read."""

    def cpu_time(self) -> None:
        """Give None: nothing can be read."""

    def seated(self) -> None:
        """Limit nothing."""

    def freeze(self) -> None:
        """Freeze nothing."""

    def thaw(self) -> None:
        """Thaw nothing: it always runs."""

    def mark(self, decision: int) -> None:
        """Label nothing."""


class FreezePolicy:
    """
    Decides when one program is frozen.

    To freeze and thaw costs more than a quick decision. So a program that uses no CPU time between its questions runs
    on until another bot's decision takes very long (`freeze`). One that works is frozen when it is looked at
    (`freeze_if_working`); each question takes `QUIET_CPU_SECONDS` off what it has used unasked, and when more than
    `EXCESS_CPU_SECONDS` are left it is frozen whenever it is not asked. Whether its stream is open makes no
    difference: otherwise a program could break its stream to run during the decisions of others.
    """

    def __init__(self, controller: ProcessController) -> None:
        self._controller = controller
        self._answered_at: float | None = None
        self._excess = 0.0
        self._works_unasked = False
        self._seated = False
        self._is_idle = False
        self._has_lost_seat = False
        self.is_frozen = False
        """True while the program is frozen."""

    def begin(self, decision: int, used: float | None) -> None:
        """Note that the program is asked; so far it has used *used* seconds of CPU time, where that can be read."""
        self._controller.mark(decision)
        if used is not None and self._answered_at is not None:
            self._excess = max(0.0, self._excess + used - self._answered_at - QUIET_CPU_SECONDS)
            self._works_unasked |= self._excess > EXCESS_CPU_SECONDS
        self._is_idle = False
        self._apply()

    def end(self, used: float | None) -> None:
        """Note that it has answered, or is too late; so far it has used *used* seconds."""
        self._answered_at = used
        if self._works_unasked:
            self.freeze()

    def freeze(self) -> None:
        """Freeze the program until it is asked again: another bot is thinking."""
        self._is_idle = True
        self._apply()

    def freeze_if_working(self) -> None:
        """Do the same, unless it has been quiet since it answered; where that cannot be read, it is not trusted."""
        if not self.is_frozen and not self._is_quiet():
            self.freeze()

    def seated(self) -> None:
        """Note that the program has connected, for the first time or again."""
        if not self._seated:
            self._seated = True
            self._controller.seated()

    def seat_lost(self) -> None:
        """Note that the bot has lost its seat: its program is frozen from now on."""
        self._has_lost_seat = True
        self._apply()

    def match_over(self) -> None:
        """Note that the match is over: the program may run to its end, unless it has lost its seat."""
        self._is_idle = False
        self._apply()

    def _is_quiet(self) -> bool:
        used = self._controller.cpu_time()
        return used is not None and self._answered_at is not None and used - self._answered_at <= QUIET_CPU_SECONDS

    def _apply(self) -> None:
        frozen = self._has_lost_seat or self._is_idle
        if frozen != self.is_frozen:
            (self._controller.freeze if frozen else self._controller.thaw)()
            self.is_frozen = frozen
