"""The plan of an event with a certain number of entrants: its legs, each of them rounds after which some advance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.events.designs import round_robin_rounds
from ladder.values.events import MAX_BOARDS, boards_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.events import Event, Stage, StageKind
    from pigpen.rules import Rules

GAME_DEALS = {
    "hearts-short": (4, 4, 4),
    "hearts": (6, 10, 19),
    "hearts-jack": (7, 17, 23),
    "gongzhu": (1, 9, 19),
}
"""By variant: the deals of a game, fewest, median, most. Measured, 25 games each (docs/events.md)."""
OTHER_GAMES = (2, 10, 20)


@dataclass(frozen=True)
class Leg:
    """Rounds of one stage, at whose end some advance."""

    stage: int
    """Its place in the file, from 0."""
    kind: StageKind
    entrants: int
    """That play."""
    rounds: int
    boards: int | None
    """Of each match; None: a game."""
    keeps: int
    """That advance; of the last leg of an event 0."""
    first: bool
    """True for the first leg of its stage."""

    def tables(self, sides: int) -> int:
        """Count the tables of a round."""
        return -(-self.entrants // sides)

    def matches(self, sides: int) -> int:
        """Count the matches of all rounds."""
        return self.rounds * self.tables(sides)

    def deals(self, rules: Rules) -> int:
        """Count the deals of all rounds; of games an estimate."""
        each = game_deals(rules)[1] if self.boards is None else self.boards * rules.players
        return self.matches(sides_of(rules)) * each


def sides_of(rules: Rules) -> int:
    """Give how many bots play a match against each other: partners are one bot in both seats."""
    return 2 if rules.partners else rules.players


def game_deals(rules: Rules) -> tuple[int, int, int]:
    """Give the deals of a game: fewest, median, most."""
    return GAME_DEALS.get(rules.name, OTHER_GAMES)


def legs_of(event: Event, entrants: int, rules: Rules) -> tuple[Leg, ...]:
    """
    Give all legs of an event with *entrants* entrants.

    A stage whose condition does not hold is left out, and so is one that would end before its first round: pods or
    halving down to as many as there are.
    """
    sides = sides_of(rules)
    legs = list[Leg]()
    left = entrants
    for number, stage in enumerate(event.stages):
        if not stage.is_played(entrants):
            continue
        left = min(left, stage.take or (sides if stage.kind == "final" else left))
        if legs and legs[-1].keeps > left:
            legs[-1] = _keeping(legs[-1], left)
        for leg in _legs(number, stage, left, sides, sum(leg.deals(rules) for leg in legs), rules):
            legs.append(leg)
            left = leg.keeps
    if legs:
        legs[-1] = _keeping(legs[-1], 0)
    return tuple(legs)


def _legs(number: int, stage: Stage, left: int, sides: int, deals: int, rules: Rules) -> Iterator[Leg]:
    half = min(MAX_BOARDS, max(1, -(-deals // rules.players)))
    boards = boards_of(stage.format) if stage.format else half
    match stage.kind:
        case "round-robin":
            filled = -(-left // sides) * sides
            yield Leg(number, stage.kind, left, stage.rounds or round_robin_rounds(filled, sides), boards, left, True)
        case "swiss" | "final":
            yield Leg(number, stage.kind, left, stage.rounds or 1, boards, left, True)
        case "pods" | "halving":
            first, until = True, stage.until or sides
            while left > until:
                keeps = max(until, -(-left // 2))
                if stage.kind == "pods":
                    keeps = -(-left // sides) * (stage.advance or 1)
                if keeps >= left:
                    return
                rounds = 1 if stage.kind == "pods" else stage.rounds or 1
                yield Leg(number, stage.kind, left, rounds, boards, keeps, first)
                first, left = False, keeps


def _keeping(leg: Leg, keeps: int) -> Leg:
    return Leg(leg.stage, leg.kind, leg.entrants, leg.rounds, leg.boards, keeps, leg.first)
