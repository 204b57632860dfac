"""A seat's view of a deal: all that it may know (C-9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pigpen.rules.actions import Exposure, Phase
from pigpen.rules.cards import CARDS, SUIT_MASKS, Card, Suit, cards_in, mask_of

if TYPE_CHECKING:
    from pigpen.rules.model import Rules


KnownToSeat: TypeAlias = (
    "tuple[Rules, int, int, Phase, int, int, int, int, tuple[Exposure, ...], tuple[int, ...], bytes, bytes, int | None]"
)
"""The arguments of `SeatView` and of `View`, in order; see `Deal.known_to`."""


class Play(NamedTuple):
    """
    A card and the seat that played it.

    >>> from pigpen.rules import Card, Play
    >>> Play(seat=2, card=Card.parse("QS"))
    Play(seat=2, card=Card('QS'))
    """

    seat: int
    """Seat that played the card."""
    card: Card
    """The card."""


@dataclass(slots=True, eq=False, repr=False)
class SeatView:
    """
    All that one seat may know. What is not here is hidden.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> view = deal.view(deal.turn)
    >>> view.phase.name, view.seat, view.legal
    ('PLAY', 2, (Card('2C'),))
    >>> len(view.hand), len(view.unseen)
    (13, 39)
    >>> view.trick, view.led
    ((), None)

    Each set of cards is there twice: as a tuple of `Card` in canonical order (``hand``) and as a bit mask
    (``hand_mask``), which is quicker to compute with.
    """

    rules: Rules
    """The variant."""
    seat: int
    """The seat whose view this is, 0…n−1."""
    deal: int
    """Number of the deal in the game or match, from 0. Commands and pages count from 1."""
    phase: Phase
    """The phase of the deal, which says what is decided now."""
    hand_mask: int
    """The cards that this seat holds, as a mask."""
    legal_mask: int
    """The cards that this seat may choose among now, as a mask; see `legal`."""
    passed_mask: int
    """The cards that this seat passed in this deal, as a mask."""
    received_mask: int
    """The cards that this seat was passed in this deal, as a mask."""
    exposures: tuple[Exposure, ...]
    """The exposed cards that this seat knows: face up, its own, or face down and played since."""
    hidden: tuple[int, ...]
    """Number of cards that each seat has exposed face down and that this seat does not know."""
    plays: bytes
    """Every card played in this deal, in order, one byte each."""
    leaders: bytes
    """Leader of each trick begun, one byte each; the last one leads the trick on the table."""
    first_leader: int | None
    """The seat that leads to the first trick with any card (GZ-2); None: the holder of the opening card leads."""

    def known(self) -> tuple[object, ...]:
        """Return all attributes except the rules, in the order of the constructor; two views are compared by them."""
        return (
            self.seat, self.deal, self.phase, self.hand_mask, self.legal_mask, self.passed_mask,
            self.received_mask, self.exposures, self.hidden, self.plays, self.leaders, self.first_leader,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeatView) and self.rules == other.rules and self.known() == other.known()

    @property
    def hand(self) -> tuple[Card, ...]:
        """The cards that this seat holds."""
        return cards_in(self.hand_mask)

    @property
    def legal(self) -> tuple[Card, ...]:
        """The cards that this seat may choose among now: to play one, pass `pass_count`, or expose any of them."""
        return cards_in(self.legal_mask)

    @property
    def pass_count(self) -> int:
        """Number of cards that each seat passes in this variant; 0: none are passed."""
        return self.rules.passing.cards if self.rules.passing else 0

    @property
    def pass_to(self) -> int:
        """The seat to which this seat passes in this deal; itself if none are passed."""
        return (self.seat + self.rules.pass_offset(self.deal)) % self.rules.players

    @property
    def passed(self) -> tuple[Card, ...]:
        """The cards that this seat passed in this deal."""
        return cards_in(self.passed_mask)

    @property
    def received(self) -> tuple[Card, ...]:
        """The cards that this seat was passed in this deal."""
        return cards_in(self.received_mask)

    @property
    def trick(self) -> tuple[Play, ...]:
        """The cards on the table now, the leader's first; empty if this seat is to lead."""
        on_table = len(self.plays) % self.rules.players if self.leaders else 0
        return self._plays_of(len(self.leaders) - 1) if on_table else ()

    @property
    def tricks(self) -> tuple[tuple[Play, ...], ...]:
        """The complete tricks, in order."""
        return tuple(self._plays_of(index) for index in range(len(self.plays) // self.rules.players))

    @property
    def led(self) -> Suit | None:
        """The suit led to the trick on the table; None if no card is on the table."""
        trick = self.trick
        return trick[0].card.suit if trick else None

    @property
    def winning(self) -> Play | None:
        """The card that wins the trick on the table so far, and its seat; None if no card is on the table."""
        trick = self.trick
        return max((play for play in trick if play.card.suit is trick[0].card.suit), default=None, key=_card)

    @property
    def is_last(self) -> bool:
        """True if this seat plays the last card of the trick."""
        return len(self.trick) == self.rules.players - 1

    @property
    def unseen_mask(self) -> int:
        """The cards of the deck that this seat does not hold and that have not been played, as a mask."""
        return self.rules.plan.deck_mask & ~self.hand_mask & ~mask_of(self.plays)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """The cards of the deck that this seat does not hold and that have not been played."""
        return cards_in(self.unseen_mask)

    def taken_mask(self, seat: int) -> int:
        """Return the cards that *seat* has captured (public: GZ-14), as a mask."""
        players, mask = self.rules.players, 0
        for index in range(len(self.plays) // players):
            if self.winner(index) == seat:
                mask |= mask_of(self.plays[index * players : (index + 1) * players])
        return mask

    def taken(self, seat: int) -> tuple[Card, ...]:
        """
        List the cards that *seat* has captured (public: GZ-14), in canonical order.

        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
        >>> while len(deal.plays) < 8:
        ...     deal.apply(deal.turn, deal.default_action(deal.turn))
        ...
        >>> view = deal.view(deal.turn)
        >>> for seat in range(rules.players):
        ...     print(seat, *view.taken(seat))
        ...
        0
        1
        2 4C 9C JC QC
        3 2C 3C 5C 7C
        """
        return cards_in(self.taken_mask(seat))

    def winner(self, trick: int) -> int:
        """Return the seat that took complete trick number *trick*, from 0."""
        if trick + 1 < len(self.leaders):
            return self.leaders[trick + 1]
        return max((play for play in self._plays_of(trick) if self._followed(play, trick)), key=_card).seat

    def voids(self, seat: int) -> frozenset[Suit]:
        """
        Return the suits that *seat* has failed to follow, and so no longer holds.

        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
        >>> while len(deal.plays) < 24:
        ...     deal.apply(deal.turn, deal.default_action(deal.turn))
        ...
        >>> view = deal.view(deal.turn)
        >>> for seat in range(rules.players):
        ...     print(seat, *sorted(suit.name for suit in view.voids(seat)))
        ...
        0
        1
        2 CLUBS
        3 CLUBS DIAMONDS
        """
        mask = self._failed_suits(seat)
        return frozenset(suit for suit in Suit if mask >> suit & 1)

    def held_by(self, seat: int) -> int:
        """
        Return the cards that another *seat* is known to hold, as a mask: passed to it by this seat, or exposed by it.

        >>> from pigpen.rules import PRESETS, Deal, cards_in, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
        >>> for seat in deal.to_act:
        ...     deal.apply(seat, deal.default_action(seat))
        ...
        >>> view = deal.view(0)
        >>> view.pass_to, cards_in(view.held_by(view.pass_to))
        (1, (Card('2C'), Card('8C'), Card('5D')))
        """
        mask = self.passed_mask if seat == self.pass_to != self.seat else 0
        mask |= mask_of(shown.card for shown in self.exposures if shown.seat == seat)
        return mask & ~mask_of(self.plays)

    def __repr__(self) -> str:
        hand = " ".join(map(str, self.hand))
        return f"<View of seat {self.seat}, {self.phase.name.lower()}, hand {hand}>"

    def _plays_of(self, trick: int) -> tuple[Play, ...]:
        players, leader = self.rules.players, self.leaders[trick]
        cards = self.plays[trick * players : (trick + 1) * players]
        return tuple(Play((leader + place) % players, CARDS[card]) for place, card in enumerate(cards))

    def _followed(self, play: Play, trick: int) -> bool:
        return bool(play.card.mask & SUIT_MASKS[self.plays[trick * self.rules.players] // 13])

    def _failed_suits(self, seat: int) -> int:
        players, plays, suits = self.rules.players, self.plays, 0
        for index, leader in enumerate(self.leaders):
            place = index * players + (seat - leader) % players
            if place < len(plays) and plays[place] // 13 != plays[index * players] // 13:
                suits |= 1 << plays[index * players] // 13
        return suits


def _card(play: Play) -> Card:
    return play.card
