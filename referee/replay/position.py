"""
A position of a deal in two lines of text, for addresses of pages: the cards dealt, and what has been done since.

A hand is written suit by suit, spades first, as in Portable Bridge Notation: `AQ5.KT2.J83.9742`. Hands follow each
other by seat with `_` between, and so do actions in the order in which seats act: `7C` a card played, `QSKHAH` cards
passed, `JD*QS` cards exposed (`*`: face down), `-` none exposed, `add` or `subtract` the choice of who has shot the
moon.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pigpen.rules import Card, Deal, Phase, cards_in, mask_of
from pigpen.rules.cards import RANKS, SUITS, parse_cards
from pigpen.rules.errors import IllegalAction, PigpenError
from referee.records.steps import action_of, parse_action, words_of
from referee.replay.deal_replay import DealReplay, leader_of
from referee.replay.table_view import TableMoment, TableStep, table_moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from pigpen.rules import Action, Rules
    from referee.records.lines import DealLine, MatchLine, Step

BETWEEN = "_"
"""Between hands, and between actions."""
NOTHING = "-"
"""No card exposed."""
KINDS: Mapping[Phase, Literal["pass", "expose", "play", "moon"]] = {
    Phase.PASS: "pass",
    Phase.EXPOSE: "expose",
    Phase.PLAY: "play",
    Phase.MOON: "moon",
}
"""Kind of the action that is asked for in each phase, as in a record."""


class BadPosition(PigpenError, ValueError):
    """
    A text is no position of a deal.

    Attributes:
        kind: `hands` (a wrong number of them), `card` (no card or hand), `deck` (a card that is not in it), `twice`
            (a card), `many` (cards of a seat), `leader` (no seat), `incomplete` (cards that no hand holds), `after` (a
            move after the end), `unreadable` (a move), or of a move that the rules forbid: `not held` (a card), `not
            legal` (a card), `pass`, `expose`.
        what: The parts of the text that are wrong, and what would be right.
    """

    exit_code = 2

    def __init__(self, kind: str, *what: str) -> None:
        super().__init__(kind, *what)
        self.kind = kind
        self.what = what


@dataclass(frozen=True, slots=True)
class Position:
    """A deal up to some moment, all hands open."""

    rules: Rules
    hands: tuple[int, ...]
    """Cards dealt to each seat, as masks."""
    number: int = 0
    """Number of the deal in its game or match, from 0: the direction of the pass depends on it."""
    leader: int | None = None
    """Seat that leads to the first trick with any card; None: as the rules say of the first deal."""
    actions: tuple[Action, ...] = ()
    """Actions done so far, in the order in which seats act."""

    @classmethod
    def parse(
        cls, rules: Rules, hands: Sequence[str], moves: str = "", number: int = 0, leader: int | None = None
    ) -> Position:
        """
        Read a position.

        >>> from pigpen.rules import PRESETS
        >>> Position.parse(PRESETS["gongzhu"], ["AQ5.KT2.J83.9742", "QD JC", "", ""]).text_of_hands
        'AQ5.KT2.J83.9742_..Q.J_..._...'

        Args:
            rules: The variant.
            hands: The text of each hand, as above or as names of cards (`QS KH`).
            moves: The actions.
            number: Number of the deal.
            leader: See `leader`.

        Raises:
            BadPosition: If it is none.
        """
        if len(hands) != rules.players:
            raise BadPosition("hands", str(rules.players), str(len(hands)))
        held = [_hand(text) for text in hands]
        seen = 0
        for seat, cards in enumerate(held):
            for card in cards:
                if not card.mask & rules.plan.deck_mask:
                    raise BadPosition("deck", str(card))
                if card.mask & seen:
                    raise BadPosition("twice", str(card))
                seen |= card.mask
            if len(cards) > rules.hand_size:
                raise BadPosition("many", str(seat + 1), str(len(cards)), str(rules.hand_size))
        position = cls(rules, tuple(map(mask_of, held)), number, leader)
        return position if not moves else position.followed_by(moves.split(BETWEEN))

    @classmethod
    def of_record(cls, rules: Rules, first: MatchLine, line: DealLine) -> Position:
        """
        Take a recorded deal up to its end.

        Raises:
            BadRecord: If what was played breaks the rules.
        """
        hands = tuple(parse_cards(hand.split()) for hand in line.hands)
        replay = DealReplay(rules, first, line)
        steps = [step for moment in replay.moments for step in sorted((each for each, _, _ in moment.done), key=_seat)]
        return cls(rules, hands, line.deal, leader_of(rules, first, line), tuple(map(action_of, steps)))

    @property
    def is_complete(self) -> bool:
        """True if all cards are dealt."""
        return sum(self.hands) == self.rules.plan.deck_mask

    def completed(self, rng: random.Random) -> Position:
        """Deal the cards that no hand holds at random; a position without actions."""
        rest = list(cards_in(self.rules.plan.deck_mask & ~sum(self.hands)))
        rng.shuffle(rest)
        hands = []
        for hand in self.hands:
            missing = self.rules.hand_size - hand.bit_count()
            hands.append(hand | mask_of(rest[:missing]))
            del rest[:missing]
        return replace(self, hands=tuple(hands), actions=())

    def followed_by(self, moves: Sequence[str]) -> Position:
        """
        Give the position after some more actions.

        Raises:
            BadPosition: If one of them cannot be read, or is against the rules.
        """
        deal, done = self.deal(), list(self.actions)
        for word in moves:
            number = str(len(done) + 1)
            if deal.is_over:
                raise BadPosition("after", number, word[:40])
            try:
                action = _action(deal, word)
            except (PigpenError, ValueError):
                raise BadPosition("unreadable", number, word[:40]) from None
            try:
                deal.apply(deal.to_act[0], action)
            except IllegalAction:
                kind, *what = _refusal(deal, action)
                raise BadPosition(kind, number, word[:40], *what) from None
            done.append(action)
        return replace(self, actions=tuple(done))

    def deal(self) -> Deal:
        """Play the deal up to here."""
        *_, (deal, _) = self._states()
        return deal

    @property
    def text_of_hands(self) -> str:
        """The hands, as `parse` reads them, with `_` between."""
        return BETWEEN.join(map(text_of_hand, self.hands))

    @property
    def text_of_moves(self) -> str:
        """The actions, as `parse` reads them."""
        return BETWEEN.join(words_of(action)[1].replace(" ", "") or NOTHING for action in self.actions)

    def moments(self, seat: int | None = None) -> tuple[TableMoment, ...]:
        """
        Make every moment of the table up to here, as for a replay.

        Args:
            seat: Show what this seat knew, and nothing else; None: all hands.
        """
        seats = range(self.rules.players) if seat is None else (seat,)
        done, found = 0, []
        for deal, steps in self._states():
            done += len(steps)
            shown = tuple(step for step in steps if step.seat in seats or step.kind == "play")
            found.append(
                table_moment(
                    [deal.view(each) for each in seats],
                    shown if seat is None else tuple(step.model_copy(update={"number": None}) for step in shown),
                    after=done if seat is None else None,
                    points=deal.points() if deal.is_over else None,
                    totals=(0,) * self.rules.players,
                )
            )
        if deal.is_over:
            scores = deal.scores()
            found.append(found[-1].model_copy(update={"steps": (), "scores": scores, "totals": scores}))
        return tuple(found)

    def _states(self) -> Iterator[tuple[Deal, tuple[TableStep, ...]]]:
        """Yield the deal as dealt, and after each moment, with what has been done in it."""
        deal = Deal(self.rules, self.hands, number=self.number, leader=self.leader)
        yield deal.copy(), ()
        steps: list[TableStep] = []
        for number, action in enumerate(self.actions, 1):
            seat, phase = deal.to_act[0], deal.phase
            deal.apply(seat, action)
            steps.append(TableStep(number=number, seat=seat, kind=KINDS[phase], action=words_of(action)[1]))
            is_sealed = phase in (Phase.PASS, Phase.EXPOSE) and deal.phase is phase
            if number == len(self.actions) or not is_sealed:
                yield deal.copy(), tuple(steps)
                steps = []


def _seat(step: Step) -> int:
    return step.seat


def text_of_hand(hand: int) -> str:
    """
    Write a hand suit by suit, spades first.

    >>> text_of_hand(mask_of([Card.parse("QS"), Card.parse("2S"), Card.parse("TC")]))
    'Q2...T'
    """
    cards = sorted(cards_in(hand), reverse=True)
    return ".".join("".join(str(card)[0] for card in cards if str(card)[1] == suit) for suit in reversed(SUITS))


def _hand(text: str) -> list[Card]:
    """Read a hand: suit by suit, or as names of cards, with spaces between or not."""
    if "." in text:
        suits = text.strip().upper().split(".")
        words = [rank + suit for suit, ranks in zip("SHDC", suits, strict=False) for rank in ranks if rank != " "]
        if len(suits) != len(SUITS) or any(word[0] not in RANKS for word in words):
            raise BadPosition("card", text.strip()[:40])
        return [Card.parse(word) for word in words]
    return list(map(_card, _pairs(text)))


def _pairs(text: str) -> list[str]:
    """Divide names of cards without spaces between; a star belongs to the card before it."""
    found: list[str] = []
    for letter in text.upper().replace("10", "T"):
        if letter in " ,":
            continue
        if found and (len(found[-1]) < len("QS") or letter == "*"):
            found[-1] += letter
        else:
            found.append(letter)
    return found


def _card(word: str) -> Card:
    try:
        return Card.parse(word)
    except ValueError:
        raise BadPosition("card", word[:40]) from None


def _refusal(deal: Deal, action: Action) -> tuple[str, ...]:
    """Give the kind of a `BadPosition` for an action that the seat to act may not do, and what would be right."""
    seat = deal.to_act[0]
    if isinstance(action, Card):
        if not deal.hands[seat] & action.mask:
            return "not held", str(seat + 1)
        return "not legal", " ".join(map(str, deal.legal(seat)))
    if deal.phase is Phase.PASS and deal.rules.passing:
        return "pass", str(deal.rules.passing.cards), str(seat + 1)
    return "expose", " ".join(map(str, deal.legal(seat))) or NOTHING


def _action(deal: Deal, word: str) -> Action:
    kind = KINDS[deal.phase]
    if kind == "moon":
        return parse_action(kind, word)
    return parse_action(kind, "" if word == NOTHING else " ".join(_pairs(word)))
