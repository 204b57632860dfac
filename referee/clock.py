"""A seat's time: a bank, an increment, a limit for each decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pigpen.notices import ClockSetting

MARGIN = 0.025
"""Seconds of every decision that are never charged: what the way to the bot and back may take."""


class Clock:
    """
    The time one bot has left in one match. All times in seconds.

    The bank grows by the setting's bank whenever `deals_per_bank` further deals begin, and by the increment with
    every decision. It never goes below zero.
    """

    def __init__(self, setting: ClockSetting) -> None:
        self.setting = setting
        self.bank = 0.0
        self._deals = 0

    def begin_deal(self) -> None:
        """A deal begins."""
        if self._deals % self.setting.deals_per_bank == 0:
            self.bank += self.setting.bank
        self._deals += 1

    @property
    def allowance(self) -> float:
        """How long the next decision may take."""
        return min(self.setting.limit, self.bank + self.setting.increment)

    def charge(self, took: float) -> float:
        """Draw a decision that took *took* on the bank; returns what was charged."""
        charged = max(0.0, took - MARGIN)
        self.bank = max(0.0, self.bank + self.setting.increment - charged)
        return charged
