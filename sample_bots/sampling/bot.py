"""
Tries every choice in many deals that fit what it knows, and takes the one that does best on average.

`view.playouts` does that for cards; for what is passed and exposed the same is done here. Nothing is remembered between
decisions, and no variant is known by name.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations, product
from statistics import fmean
from typing import TypeVar

import pigpen
from pigpen import Bot, Card, ClockSetting, Face, MoonChoice, View, Welcome

Action = TypeVar("Action", tuple[Card, ...], dict[Card, Face])

DEALS = 1200
"""Deals in which each card is tried, if time allows."""
AT_ONCE = 60
"""Deals between two looks at the clock."""
FIRST_LOOK = 6
"""Deals in which every pass is tried; the better third of them is then tried in three times as many."""
LAST_LOOK = 200
"""Deals after which the best pass is taken."""
SEALED = 5
"""How many times as long as a card a pass or an exposure may take: there is one for thirteen cards."""


class Sampling(Bot):
    """Chooses by the mean lead over the other seats."""

    clock: ClockSetting | None = None

    def match_started(self, welcome: Welcome) -> None:
        """Note how much time there is."""
        self.clock = welcome.clock

    def play(self, view: View) -> Card:
        """Try each card in the same deals, until there are enough of them or time is up."""
        if len(view.legal) == 1:
            return view.legal[0]
        end = time.perf_counter() + self.seconds(view)
        totals = dict.fromkeys(view.legal, 0.0)
        for _ in range(0, DEALS, AT_ONCE):
            for card, scores in view.playouts(AT_ONCE, view.rng).items():
                totals[card] += lead(view, scores)
            if time.perf_counter() > end:
                break
        return max(view.legal, key=totals.__getitem__)

    def pass_cards(self, view: View) -> tuple[Card, ...]:
        """Try every pass."""
        return self.best(view, list(combinations(view.hand, view.pass_count)))

    def expose(self, view: View) -> dict[Card, Face]:
        """Try every way to expose some of the cards."""
        exposing = view.rules.exposing
        faces = (None, Face.UP, Face.DOWN) if exposing and exposing.face_down else (None, Face.UP)
        ways = product(faces, repeat=len(view.legal))
        return self.best(
            view, [{card: face for card, face in zip(view.legal, way, strict=True) if face} for way in ways]
        )

    def choose_moon(self, view: View) -> MoonChoice:
        """Both choices gain as much on the others: the leader brings the end nearer, the others put it off."""
        sign = 1 if view.rules.low_is_better else -1
        ahead = not view.totals or sign * view.totals[view.seat] <= min(sign * total for total in view.totals)
        return MoonChoice.ADD if ahead else MoonChoice.SUBTRACT

    def best(self, view: View, actions: list[Action]) -> Action:
        """Try *actions* in a few deals, the better third of them in three times as many, and so on."""
        end = time.perf_counter() + SEALED * self.seconds(view)
        totals = [0.0] * len(actions)
        left, deals = list(range(len(actions))), FIRST_LOOK
        while len(left) > 1 and deals < LAST_LOOK:
            for _ in range(deals):
                deal = view.sample(view.rng)
                for number in left:
                    after = deal.copy()
                    after.apply(view.seat, actions[number])
                    totals[number] += lead(view, after.playout(rng=view.rng))
                if time.perf_counter() > end:
                    return actions[max(left, key=totals.__getitem__)]
            left = sorted(left, key=totals.__getitem__, reverse=True)[: max(len(left) // 3, 2)]
            deals *= 3
        return actions[max(left, key=totals.__getitem__)]

    def seconds(self, view: View) -> float:
        """What a card may take: an equal part of the bank, and a quarter of the limit at most."""
        if not view.limit:
            return float("inf")
        clock = self.clock
        deals = clock.deals_per_bank - view.deal % clock.deals_per_bank if clock else 16
        cards = deals * (view.rules.hand_size + 2 * SEALED)
        return min(view.limit / (4 * SEALED), view.bank / cards + (clock.increment if clock else 0.0))


def lead(view: View, scores: Sequence[float]) -> float:
    """By how much this seat is ahead of the mean of all; more is better in every variant."""
    ahead = scores[view.seat] - fmean(scores)
    return -ahead if view.rules.low_is_better else ahead


if __name__ == "__main__":
    pigpen.run(Sampling())
