"""Difficult hands for bots, in the presets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.check.case import Case
from pigpen.check.table import dealt, expose, play

if TYPE_CHECKING:
    from pigpen.rules import Rules

NO_PASS = 3
"""Place in the cycle of passes at which no preset passes cards."""


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A decision at the edge of the rules; cards are written with two letters."""

    name: str
    """Name of the case."""
    rules: tuple[str, ...]
    """Names of the presets that have the case."""
    hands: tuple[str, ...]
    """Cards that each seat holds; the other cards fill the hands in canonical order."""
    plays: str = ""
    """Cards played before the decision."""
    up: str = ""
    """Cards that their holders expose face up."""
    down: str = ""
    """Cards that their holders expose face down."""
    legal: str
    """Cards that may be played now, two or more, by the rules; a test compares them with the engine's."""

    def case(self, rules: Rules, number: int) -> Case:
        """Make the case of *rules*, in deal number *number*."""
        deal = dealt(rules, self.hands, number)
        expose(deal, self.up, self.down)
        play(deal, self.plays)
        return Case(name=self.name, deal=deal, seat=deal.turn)


HEARTS = ("hearts-short", "hearts", "hearts-jack")
PASSING = (*HEARTS, "chinese-hearts")
GONGZHU = ("gongzhu", "gongzhu-partners")
FACE_UP = (*GONGZHU, "gongzhu-sale")
_QUEEN_AND_HEARTS = ("AC QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH", "2C")

EDGES = (
    Edge(
        name="nothing but hearts on the first trick",
        rules=PASSING, hands=("clubs", "hearts"), plays="2C", legal="hearts",
    ),
    Edge(
        name="lead from nothing but hearts, unbroken",
        rules=PASSING, hands=("AC 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", "2C"), plays="2C 3D 3S AC",
        legal="2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",
    ),
    Edge(
        name="QS, a club and hearts, unbroken: no heart may be led",
        rules=("hearts-short", "chinese-hearts"), hands=("KC AC QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH", "2C"),
        plays="2C 4D 3S AC", legal="KC QS",
    ),
    Edge(
        name="QS and hearts, unbroken: either may be led",
        rules=("hearts", "hearts-jack"), hands=_QUEEN_AND_HEARTS, plays="2C 3D 3S AC",
        legal="2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS",
    ),
    Edge(
        name="nothing but points on the first trick",
        rules=("hearts", "hearts-jack"), hands=("clubs", "QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"), plays="2C",
        legal="2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH QS",
    ),
    Edge(
        name="nothing but pointed cards on the first trick",
        rules=("chinese-hearts",), hands=("clubs", "JD QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"), plays="2C",
        legal="JD 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS",
    ),
    Edge(
        name="void on the first trick, two cards not barred",
        rules=("hearts", "hearts-jack"), hands=("clubs", "JD KD QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH"), plays="2C",
        legal="JD KD",
    ),
    Edge(
        name="points may be discarded on the first trick",
        rules=("hearts-short",), hands=("clubs", "2D QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"), plays="2C",
        legal="2D 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS",
    ),
    Edge(
        name="an exposed card is barred when its suit is first led",
        rules=FACE_UP, hands=("2S", "3S 4S QS"), up="QS", plays="2S", legal="3S 4S",
    ),
    Edge(
        name="an exposed card may be discarded",
        rules=FACE_UP, hands=("2S", "3S QS", "AC"), up="QS", plays="2C",
        legal="2D 3D 4D 5D 6D 7D 8D 9D TD JD QD 3S QS",
    ),
    Edge(
        name="the bar is gone after the first trick of the suit",
        rules=FACE_UP, hands=("2S AS", "3S TS QS", "4S 5S", "6S 7S"), up="QS", plays="AS 3S 4S 6S 2S", legal="TS QS",
    ),
    Edge(
        name="open with an exposed card in hand",
        rules=FACE_UP, hands=("2S QS",), up="QS", legal="2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2S",
    ),
    Edge(
        name="every exposable card exposed by others",
        rules=FACE_UP, hands=("2S 3S", "AH JD TC QS"), up="AH QS JD TC",
        legal="2C 3C 4C 5C 6C 7C 8C 9C JC QC KC 2S 3S",
    ),
    Edge(
        name="a partner's exposed pig",
        rules=("gongzhu-partners",), hands=("2S 3S", "4S", "QS 5S"), up="QS",
        legal="2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2S 3S",
    ),
    Edge(
        name="a card put face down is not barred",
        rules=("gongzhu-sale",), hands=("2S", "3S 4S QS"), down="QS", plays="2S", legal="3S 4S QS",
    ),
    Edge(
        name="cards that others have put face down",
        rules=("gongzhu-sale",), hands=("2S AS", "3S 4S", "QS JD"), down="QS JD", plays="2S", legal="3S 4S",
    ),
    Edge(
        name="the fifth seat, last to the trick",
        rules=("gongzhu-five",), hands=("2S", "3S", "4S", "5S", "6S QS"), plays="2S 3S 4S 5S",
        legal="6S 7S 8S 9S TS JS QS KS AS",
    ),
    Edge(
        name="the fifth seat, its pig exposed and barred",
        rules=("gongzhu-five",), hands=("2S KS AS TS JS", "3S", "4S 9S", "5S 7S", "6S 8S QS"), up="QS",
        plays="2S 3S 4S 5S", legal="6S 8S",
    ),
)  # fmt: skip
"""All of them, in the order in which a bot is asked."""
