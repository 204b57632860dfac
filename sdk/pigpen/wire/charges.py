"""The rates at which the referee charges a bot's wall time, learned from what it has charged so far."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pigpen.rules import Phase

if TYPE_CHECKING:
    from pigpen.values.view import View

FIRST_SECONDS = 0.01
"""Wall time that counts as charged in full before the first decision: little, so that one search outweighs it."""
KEPT = 0.8
"""Weight of all decisions before, when a new one is added."""
LEAST_RATE = 0.02


class ChargeRate:
    """
    Seconds of wall time, and the seconds that were charged and worked in them; newer decisions weigh more.

    Attributes:
        charged: Seconds charged for a second of wall time, 0.02 to 1.
        cpu: Seconds of CPU time in a second of wall time, 0.02 to 1.
    """

    def __init__(self) -> None:
        self._wall = self._charged = self._cpu = FIRST_SECONDS
        self.charged: float = 1.0
        self.cpu: float = 1.0

    def add(self, wall: float, charged: float, cpu: float | None) -> None:
        """Count a decision; *cpu* is None where the clock counts wall time."""
        self._wall = KEPT * self._wall + wall
        self._charged = KEPT * self._charged + charged
        self._cpu = KEPT * self._cpu + (wall if cpu is None else cpu)
        self.charged = min(1.0, max(LEAST_RATE, self._charged / self._wall))
        self.cpu = min(1.0, max(LEAST_RATE, self._cpu / self._wall))


class Charges:
    """
    The rates of a bot's questions: those that all seats answer at the same time share a core, and have their own.

    Each question says what the answer before was charged, and its CPU time. How long that took is what the bot
    measures by itself, from reading the question to its answer.
    """

    def __init__(self) -> None:
        self._rates = {True: ChargeRate(), False: ChargeRate()}
        self._answered: tuple[int, ChargeRate, float] | None = None

    def question(self, view: View) -> None:
        """Learn from what *view* says of the answer before, and write the rates of its own kind into it."""
        if self._answered and self._answered[0] == view.decision - 1:
            _, rate, wall = self._answered
            rate.add(wall, view.last_took, view.last_cpu)
        self._answered = None
        rate = self._rate(view)
        view.charge_rate, view.cpu_rate = rate.charged, rate.cpu

    def answer(self, view: View) -> None:
        """Note that the question of *view* has its answer."""
        self._answered = view.decision, self._rate(view), time.monotonic() - view.asked_at

    def _rate(self, view: View) -> ChargeRate:
        return self._rates[view.phase < Phase.PLAY]
