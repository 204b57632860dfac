"""A variant in words, made from its data alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules.cards import CARDS, Card, Suit, cards_in, parse_cards
from pigpen.rules.parts import PigWhenMoon, ShooterCards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pigpen.rules.model import Rules
    from pigpen.rules.parts import Moon


def describe(rules: Rules, translate: Callable[[str], str] = str) -> str:
    """
    Describe the rules of a variant in plain sentences, a paragraph for each part.

    Args:
        rules: The variant.
        translate: Translates a sentence, in which ``%(name)s`` stands for a value.

    >>> from pigpen.rules import PRESETS
    >>> print(describe(PRESETS["hearts"]).splitlines()[0])
    Table: 4 players; 52 cards, 13 each; follow suit if you can; no trumps.
    """
    return "\n".join(_Words(translate).sentences(rules))


class _Words:
    """The sentences of one language. Each text that `_say` is given is one to translate."""

    def __init__(self, translate: Callable[[str], str]) -> None:
        self._translate = translate

    def sentences(self, rules: Rules) -> Iterator[str]:
        parts = (
            self._table, self._passing, self._exposing, self._opening, self._restrictions,
            self._points, self._doubler, self._moon, self._end,
        )  # fmt: skip
        for part in parts:
            yield from part(rules)

    def _say(self, text: str, **values: object) -> str:
        return self._translate(text) % values

    def _table(self, rules: Rules) -> Iterator[str]:
        players = self._say("%(count)s players", count=rules.players)
        if rules.partners:
            players += self._say(", partners opposite")
        deck = self._say("%(count)s cards", count=len(rules.deck))
        if rules.removed:
            deck += self._say(" (without %(cards)s)", cards=self._all_of(rules.removed))
        yield self._say(
            "Table: %(players)s; %(deck)s, %(hand)s each; follow suit if you can; no trumps.",
            players=players, deck=deck, hand=rules.hand_size,
        )  # fmt: skip

    def _passing(self, rules: Rules) -> Iterator[str]:
        passing = rules.passing
        if passing:
            cycle = self._say(", ").join(self._direction(way) for way in passing.directions)
            yield self._say(
                "Passing: %(count)s cards each, sealed; deal by deal %(cycle)s, and again.",
                count=passing.cards, cycle=cycle,
            )  # fmt: skip

    def _direction(self, way: str) -> str:
        ways = {
            "left": self._say("left"), "right": self._say("right"),
            "across": self._say("across"), "none": self._say("no pass"),
        }  # fmt: skip
        return ways[way]

    def _exposing(self, rules: Rules) -> Iterator[str]:
        exposing = rules.exposing
        if exposing is None:
            return
        ways = self._say("face up (×%(factor)s)", factor=exposing.face_up)
        if exposing.face_down:
            ways += self._say(" or face down (×%(factor)s)", factor=exposing.face_down)
        yield self._say(
            "Exposing: before play, sealed, any of %(cards)s in hand may be exposed, %(ways)s.",
            cards=self._all_of(exposing.cards), ways=ways,
        )  # fmt: skip
        for card, multiplied in exposing.cards.items():
            if multiplied != (card,):
                yield self._say("  %(card)s multiplies %(cards)s.", card=card, cards=self._all_of(multiplied))
        yield self._say(
            "  A card exposed face up may not be played to the first trick in which its suit is led,\n"
            "  nor lead it, while the hand holds another card of the suit."
        )

    def _opening(self, rules: Rules) -> Iterator[str]:
        opening = rules.opening
        if opening.forced:
            yield self._say("Opening: the holder of %(card)s leads it to the first trick.", card=opening.card)
        else:
            yield self._say("Opening: the holder of %(card)s leads any card to the first trick.", card=opening.card)
        if opening.later:
            yield self._say("  In later deals of a game the seat that took %(card)s leads.", card=opening.later)

    def _restrictions(self, rules: Rules) -> Iterator[str]:
        if rules.first_trick and rules.first_trick.barred:
            barred = self._one_of(rules.first_trick.barred)
            yield self._say("First trick: no %(cards)s, unless the hand holds nothing else.", cards=barred)
        leading = rules.leading
        if leading:
            yield self._say(
                "Leading: no %(suit)s before %(breaks)s has been played to an earlier trick, "
                "unless the hand holds only %(alone)s.",
                suit=self._name(leading.suit),
                breaks=self._one_of(leading.broken_by),
                alone=self._all_of(leading.alone),
            )

    def _points(self, rules: Rules) -> Iterator[str]:
        groups: dict[int, list[Card]] = {}
        for card in cards_in(rules.plan.scoring):
            groups.setdefault(rules.plan.points[card], []).append(card)
        worst_first = sorted(groups.items(), reverse=rules.low_is_better)
        texts = [f"{self._cards(cards)} {points:+d}" for points, cards in worst_first]
        if rules.low_is_better:
            yield self._say("Points to the seat that takes the card (the lowest total wins):")
        else:
            yield self._say("Points to the seat that takes the card (the highest total wins):")
        yield self._say("  %(points)s.", points=self._say("; ").join(texts))

    def _doubler(self, rules: Rules) -> Iterator[str]:
        doubler = rules.scoring.doubler
        if doubler is None:
            return
        alone = self._say("nothing by itself")
        if doubler.alone:
            alone = self._say("%(points)s for a taker of no scoring card", points=f"{doubler.alone:+d}")
        yield self._say(
            "  %(card)s: %(alone)s; else its taker's points ×%(factor)s.",
            card=doubler.card, alone=alone, factor=doubler.factor,
        )  # fmt: skip

    def _moon(self, rules: Rules) -> Iterator[str]:
        moon = rules.moon
        if moon is None:
            return
        yield self._say("Moon: one player takes %(cards)s.", cards=self._all_of(moon.cards))
        if moon.shooter is ShooterCards.VOID:
            yield self._say("  These cards then count nothing for the shooter.")
        else:
            yield self._say("  These cards then count their points with the sign turned for the shooter.")
        if not parse_cards([moon.pig]) & rules.plan.moon and moon.pig_when_moon is not PigWhenMoon.KEEP:
            if moon.pig_when_moon is PigWhenMoon.VOID:
                yield self._say("  The shooter's %(card)s, if taken too, counts nothing.", card=moon.pig)
            else:
                yield self._say(
                    "  The shooter's %(card)s, if taken too, counts its points with the sign turned.", card=moon.pig
                )
        if moon.others:
            yield self._others(rules, moon)

    def _others(self, rules: Rules, moon: Moon) -> str:
        """Say what the moon brings those who have not shot it."""
        doubler = rules.scoring.doubler if moon.others_doubled else None
        points = f"{moon.others:+d}"
        if doubler:
            points += self._say(" (×%(factor)s if the shooter took %(card)s)", factor=doubler.factor, card=doubler.card)
        if moon.instead is not None:
            points += self._say(", or the shooter takes %(points)s instead", points=f"{moon.instead:+d}")
        return self._say("  Every other player scores %(points)s.", points=points)

    def _end(self, rules: Rules) -> Iterator[str]:
        yield self._say(
            "End: when %(total)s is %(limit)s after a deal%(deals)s (at the latest after %(cap)s deals).",
            total=self._say("a team's total") if rules.partners else self._say("a total"),
            limit=self._limit(rules),
            deals=self._say(", or after %(count)s deals", count=rules.end.deals) if rules.end.deals else "",
            cap=rules.end.cap,
        )

    def _limit(self, rules: Rules) -> str:
        limit = rules.end.limit
        if rules.low_is_better:
            if rules.end.inclusive:
                return self._say("at %(limit)s or above", limit=limit)
            return self._say("above %(limit)s", limit=limit)
        if rules.end.inclusive:
            return self._say("at %(limit)s or below", limit=limit)
        return self._say("below %(limit)s", limit=limit)

    def _all_of(self, names: Iterable[str]) -> str:
        return self._list(names, self._say(" and "))

    def _one_of(self, names: Iterable[str]) -> str:
        return self._list(names, self._say(" or "))

    def _list(self, names: Iterable[str], word: str) -> str:
        *first, last = (self._name(name) for name in names)
        return f"{self._say(', ').join(first)}{word}{last}" if first else last

    def _name(self, name: str) -> str:
        """Name a suit in the language; a card by its two letters."""
        suits = {
            "clubs": self._say("clubs"), "diamonds": self._say("diamonds"),
            "hearts": self._say("hearts"), "spades": self._say("spades"),
        }  # fmt: skip
        return suits.get(str(name), str(name))

    def _cards(self, cards: list[Card]) -> str:
        """Name cards; a run within a suit by its two ends."""
        if len(cards) > 2 and cards[-1] - cards[0] == len(cards) - 1 and cards[0].suit is cards[-1].suit:
            if len(cards) == len(CARDS) // len(Suit):
                return self._say("each of the %(suit)s", suit=self._name(cards[0].suit.name.lower()))
            return self._say("each of %(first)s…%(last)s", first=cards[0], last=cards[-1])
        return " ".join(map(str, cards))
