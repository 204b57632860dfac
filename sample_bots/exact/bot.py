"""Plays like `sampling`, but solves the last tricks of the sampled deals instead of playing them out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pigpen
from pigpen import Card, TooLong, View, margin, solve
from pigpen.search import SearchBot, card_trial, race

TRICKS = 4 if pigpen.is_accelerated() else 2
"""From how many tricks before the end deals are solved."""
DEALS = 100
"""The most that are solved for one card."""
LIMIT = 10_000
"""The most positions that are looked at in one of them: some 10 ms."""


class Exact(SearchBot):
    """Plays the ending as well as can be in deals with all hands open."""

    def play(self, view: View) -> Card:
        """Solve the ending in many deals; before, do as `SearchBot` does."""
        if len(view.hand) > TRICKS:
            return super().play(view)
        return race(view.legal, partial(self.solved, view), self.seconds(view), DEALS)

    def solved(self, view: View, cards: Sequence[Card]) -> list[float]:
        """By how much this seat is ahead in the end after each of the cards, in one sampled deal."""
        try:
            choices = solve(view.sample(view.rng), LIMIT).choices
        except TooLong:
            return card_trial(view, self.policy, cards)
        return [margin(view.rules, choices[card], view.seat) for card in cards]


if __name__ == "__main__":
    pigpen.run(Exact())
