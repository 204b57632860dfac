"""The style of bots, counted from the records of matches."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, get_args

from ladder.ratings.means import QUANTILE, Mean
from ladder.values.bot_comparison import FoundStyle, SeatPoints, Second, StyleBar, StyleFigure, Trait
from pigpen.rules import Card, Phase
from pigpen.rules.scoring import shooter_of
from referee.records.recorded import seats_of
from referee.records.steps import BY_TAKEOVER, action_of, was_asked
from referee.replay.deal_replay import DealReplay

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ladder.values.bot_comparison import PhaseCosts
    from pigpen.rules import Deal
    from referee.records.lines import DealLine, Step
    from referee.records.recorded import Recorded

MIN_CHANCES = 20
"""Decisions, cards or deals that a share takes to count in a median."""
MIN_BOTS = 3
"""Bots that a median takes."""
HIGH = Card.parse("JC") % 13
"""The rank of a jack; cards are numbered by suit, then by rank."""
MOON_PART = 0.75
"""Of the cards that make a moon, taken by one bot: it has tried."""


class Count(NamedTuple):
    """Number of times that something happened, and of its chances."""

    times: int = 0
    chances: int = 0

    def plus(self, times: int, chances: int = 1) -> Count:
        """Add some."""
        return Count(self.times + times, self.chances + chances)


class Habits:
    """Counts of one bot's actions."""

    def __init__(self) -> None:
        self.counts: defaultdict[Trait | Second, Count] = defaultdict(Count)
        self.exposed: list[float] = []
        """Its points in the deals in which it exposed a card."""
        self.closed: list[float] = []
        """In those in which it could and did not."""
        self.seats: defaultdict[int, list[float]] = defaultdict(list)

    def add(self, trait: Trait | Second, times: int, chances: int = 1) -> None:
        """Count something."""
        self.counts[trait] = self.counts[trait].plus(times, chances)


class Styles:
    """The habits of all bots of some matches, by what names them."""

    def __init__(self) -> None:
        self._habits: defaultdict[str, Habits] = defaultdict(Habits)
        self._sources: dict[str, None] = {}
        self._deals = 0

    def take_all(self, recorded: Recorded, lines: Iterable[DealLine], source: str, bots: Sequence[str]) -> None:
        """
        Add deals of a match, but none in which a bot was taken over.

        Args:
            recorded: The match.
            lines: Some of its deals.
            source: The match, as people name it.
            bots: What names each bot, by its number in the match.
        """
        self._sources[source] = None
        for line in lines:
            if not any(step.by == BY_TAKEOVER for step in line.steps):
                self._deals += 1
                replay = DealReplay(recorded.rules, recorded.first, line)
                _count(replay, [self._habits[bots[bot]] for bot in seats_of(line)])

    def found(self, bot: str, costs: Sequence[PhaseCosts] = ()) -> FoundStyle:
        """Say how one of them plays, beside the others; *costs* are what its choices cost."""
        habits = self._habits[bot]
        others = [each for name, each in self._habits.items() if name != bot]
        return FoundStyle(
            sources=tuple(self._sources),
            deals=self._deals,
            bars=tuple(_bars(habits, others)),
            figures=tuple(_figures(habits)),
            seats=tuple(_seats(habits)),
            costs=tuple(costs),
        )


def _count(replay: DealReplay, habits: Sequence[Habits]) -> None:
    """Count all of one deal; *habits* by seat."""
    for before, after in pairwise(replay.moments):
        for step, _, _ in after.done:
            if was_asked(step.by) and not before.deal.is_forced(step.seat):
                _count_decision(before.deal, step, habits[step.seat])
    _count_result(replay, habits)


def _count_decision(deal: Deal, step: Step, habits: Habits) -> None:
    action, players = action_of(step), len(deal.hands)
    if deal.phase is Phase.EXPOSE and isinstance(action, dict):
        habits.add("exposes", len(action), deal.legal_mask(step.seat).bit_count())
    if not isinstance(action, Card):
        return
    trick = deal.plays[len(deal.plays) - len(deal.plays) % players :]
    if not trick:
        habits.add("leads", action % 13 >= HIGH)
        return
    suit = trick[0] // 13
    best = max(card for card in trick if card // 13 == suit)
    legal = [card for card in deal.legal(step.seat) if card.suit.value == suit]
    if legal and min(legal) < best < max(legal):
        habits.add("ducks", action < best)


def _count_result(replay: DealReplay, habits: Sequence[Habits]) -> None:
    rules, deal = replay.rules, replay.moments[-1].deal
    pig, moon = rules.plan.pig, rules.plan.moon
    sign = -1 if rules.low_is_better else 1
    players = {card: seat for trick in deal.view(0).tricks for seat, card in trick}
    giver = next((seat for card, seat in players.items() if card.mask & pig), None)
    shooter = shooter_of(rules, deal.taken)
    exposers = {shown.seat for shown in deal.exposures}
    for seat, own in enumerate(habits):
        points = float(sign * replay.line.scores[seat])
        own.seats[seat].append(points)
        if pig and giver is not None:
            own.add("pig", bool(deal.taken[seat] & pig))
            own.add("pig_given", seat == giver and not deal.taken[seat] & pig)
        if moon:
            own.add("moons", (deal.taken[seat] & moon).bit_count() >= MOON_PART * moon.bit_count())
            own.add("moons_made", seat == shooter)
        if _could_expose(replay, seat):
            (own.exposed if seat in exposers else own.closed).append(points)


def _could_expose(replay: DealReplay, seat: int) -> bool:
    asked = next((each.deal for each in replay.moments if each.deal.phase is Phase.EXPOSE), None)
    return asked is not None and asked.legal_mask(seat) != 0


def _bars(habits: Habits, others: Sequence[Habits]) -> Iterator[StyleBar]:
    for trait in get_args(Trait):
        own = habits.counts[trait]
        if own.chances:
            shares = [
                each.counts[trait].times / each.counts[trait].chances
                for each in others
                if each.counts[trait].chances >= MIN_CHANCES
            ]
            share, error = _share(own)
            middle = round(median(shares), 4) if len(shares) >= MIN_BOTS else None
            yield StyleBar(trait=trait, share=share, error=error, of=own.chances, median=middle)


def _figures(habits: Habits) -> Iterator[StyleFigure]:
    names: tuple[Second, ...] = ("pig_given", "moons_made")
    for name in names:
        own = habits.counts[name]
        if own.chances:
            share, error = _share(own)
            yield StyleFigure(name=name, value=share, error=error, of=own.chances)
    if len(habits.exposed) > 1 and len(habits.closed) > 1:
        one, two = Mean.of(habits.exposed), Mean.of(habits.closed)
        error = QUANTILE * math.hypot(one.standard_error, two.standard_error)
        value = round(one.value - two.value, 4)
        yield StyleFigure(name="exposing_yield", value=value, error=round(error, 4), of=one.n)


def _seats(habits: Habits) -> Iterator[SeatPoints]:
    for seat, points in sorted(habits.seats.items()):
        if len(points) > 1:
            found = Mean.of(points)
            yield SeatPoints(seat=seat + 1, mean=round(found.value, 4), error=round(found.error, 4), deals=found.n)


def _share(count: Count) -> tuple[float, float]:
    share = count.times / count.chances
    return round(share, 4), round(QUANTILE * math.sqrt(share * (1 - share) / count.chances), 4)
