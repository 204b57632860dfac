"""A bot that plays by a net, alone or in a tree search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pigpen.learn.action_numbers import Steps
from pigpen.learn.encoding import Encoding
from pigpen.learn.net_tree import NetTree, ask
from pigpen.search import SearchBot, race

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pigpen.learn.opponents import Net
    from pigpen.rules import Card, Face, MoonChoice
    from pigpen.values.view import View


class NetBot(SearchBot):
    """
    A bot that takes the action which its net likes best; with `trials` above 0, cards by a `NetTree`.

    Derive your bot from it, and give it a net in its constructor.
    """

    trials: int = 0
    """Largest number of trials of a tree search for a card, in the time that `Pace` gives it; 0: no search."""

    def __init__(self, net: Net) -> None:
        """Play by *net*."""
        self.net: Net = net

    def play(self, view: View) -> Card:
        """Search, or return the card that the net likes best."""
        if not self.trials:
            card: Card = self._answer(view)
            return card
        return race(view.legal, NetTree(view, view.rng, self.net).trial, self.seconds(view), self.trials)

    def pass_cards(self, view: View) -> Iterable[Card]:
        """Return the cards that the net likes best, one after the other."""
        cards: Iterable[Card] = self._answer(view)
        return cards

    def expose(self, view: View) -> Mapping[Card, Face]:
        """Return the exposures that the net likes best, one after the other."""
        exposures: Mapping[Card, Face] = self._answer(view)
        return exposures

    def choose_moon(self, view: View) -> MoonChoice:
        """Return the choice that the net likes best."""
        choice: MoonChoice = self._answer(view)
        return choice

    def _answer(self, view: View) -> Any:
        encoding, steps = Encoding(view.rules), Steps(view.rules, view.phase, view.legal_mask)
        while steps.answer is None:
            legal = steps.legal()
            if len(legal) > 1:
                packed = np.array([encoding.observe(view, steps)], dtype=np.uint64)
                logits = ask(self.net, encoding, packed)[0][0]
                legal = tuple(sorted(legal, key=lambda action: -float(logits[action])))
            steps.take(legal[0])
        return steps.answer
