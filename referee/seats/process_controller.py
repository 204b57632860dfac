"""The program behind a seat: when it may run, and what it is told of the time."""

from __future__ import annotations

from typing import Protocol

RESTLESS_SECONDS = 0.005
"""A program that uses more CPU time than this while nobody asks it is held still as soon as it has answered."""


class ProcessController(Protocol):
    """Whoever can hold a program still and read its clock: its sandbox. Nothing here ever fails."""

    def cpu_time(self) -> float | None:
        """Seconds of CPU time that the program has used so far; None where that cannot be read."""

    def seated(self) -> None:
        """It has taken its seat: from now on it uses what a bot has for thinking, and no more."""

    def hold(self) -> None:
        """Let no instruction of it run."""

    def free(self) -> None:
        """Let it run."""

    def mark(self, decision: int) -> None:
        """What it writes from now on, it writes at *decision*."""


class NoController:
    """Nobody: the program runs as it likes, and its time cannot be read."""

    def cpu_time(self) -> None:
        """Nothing can be read."""

    def seated(self) -> None:
        """Nothing can be limited."""

    def hold(self) -> None:
        """Nothing can be held."""

    def free(self) -> None:
        """It always runs."""

    def mark(self, decision: int) -> None:
        """Nobody listens."""


class FreezePolicy:
    """
    When one program runs and when it rests.

    Holding and freeing cost more than a quick decision, so a program that lies quiet is left alone until somebody else
    thinks for long (`rest`). One that is found to have worked unasked is held whenever it is not asked. Its stream
    makes no difference, or programs would break it to run on their neighbours' time.
    """

    def __init__(self, keeper: ProcessController) -> None:
        self._keeper = keeper
        self._answered_at: float | None = None
        self._restless = False
        self._seated = False
        self._rests = False
        self._dismissed = False
        self.is_held = False
        """Whether it is to stand still."""

    def begin(self, decision: int, used: float | None) -> None:
        """The program is asked; so far it has used *used* seconds of CPU time, where that can be read."""
        self._keeper.mark(decision)
        if used is not None and self._answered_at is not None:
            self._restless |= used - self._answered_at > RESTLESS_SECONDS
        self._rests = False
        self._settle()

    def end(self, used: float | None) -> None:
        """It has answered, or is too late; so far it has used *used* seconds."""
        self._answered_at = used
        if self._restless:
            self.rest()

    def rest(self) -> None:
        """Somebody else thinks."""
        self._rests = True
        self._settle()

    def seated(self) -> None:
        """The program has come, for the first time or again."""
        if not self._seated:
            self._seated = True
            self._keeper.seated()

    def dismiss(self) -> None:
        """Its seat is lost: it is held from now on."""
        self._dismissed = True
        self._settle()

    def over(self) -> None:
        """The match is over: unless it was dismissed it may run to its end."""
        self._rests = False
        self._settle()

    def _settle(self) -> None:
        held = self._dismissed or self._rests
        if held != self.is_held:
            (self._keeper.hold if held else self._keeper.free)()
            self.is_held = held
