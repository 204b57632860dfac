"""Match formats: which deals are played, and when a match ends."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pigpen.rules import Deal, Game, Rules


@dataclass(frozen=True)
class Format:
    """
    How many deals a match has.

    ``game``: deals until the variant's own end. ``deals:N``: N independent deals in one seating, every one a first
    deal, deal k passing in direction k of the cycle.
    """

    deals: int | None = None
    """The number of independent deals; None: a whole game."""

    @classmethod
    def parse(cls, text: str) -> Format:
        """
        Read a format as it is written.

        Raises:
            ValueError: If *text* is none.
        """
        if text == "game":
            return cls()
        found = re.fullmatch(r"deals:(\d+)", text)
        if not found or int(found[1]) < 1:
            raise ValueError(f"{text!r} is not a match format; write game, or deals:N with N at least 1")
        return cls(int(found[1]))

    def __str__(self) -> str:
        return "game" if self.deals is None else f"deals:{self.deals}"

    def start(self, rules: Rules) -> Game:
        """The running totals of a fresh match."""
        return Game(rules) if self.deals is None else IndependentDeals(rules, self.deals)


class IndependentDeals(Game):
    """A fixed number of deals, each of them a first deal, with one running total."""

    def __init__(self, rules: Rules, count: int) -> None:
        super().__init__(rules)
        self._count = count

    @property
    def is_over(self) -> bool:
        """Whether all deals have been played."""
        return self.deals >= self._count

    def _leader_after(self, deal: Deal) -> int | None:
        """Nobody leads for having taken a card: the holder of the opening card does."""
        return None
