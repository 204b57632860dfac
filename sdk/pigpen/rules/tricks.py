"""The tricks of a deal: whose turn it is, which cards may be played, who wins the trick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules.cards import CARDS, FULL_DECK, SUIT_MASKS, Card, cards_in
from pigpen.rules.errors import DealOver, IllegalAction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.model import Rules

_LED = {card: SUIT_MASKS[card // 13] for card in CARDS}
_BIT = {card: 1 << card for card in CARDS}
_NEXT_SEAT = {players: (*range(1, players), 0) for players in range(2, 9)}


class Tricks:
    """The cards in hands, on the table, and taken. `Deal` adds what comes before and after the tricks."""

    __slots__ = (
        "_barred", "_best", "_bound", "_broken", "_free", "_held", "_leader", "_led", "_next_seat", "_plan", "_winner",
        "hands", "leaders", "playable", "plays", "rules", "taken", "turn",
    )  # fmt: skip

    def __init__(self, rules: Rules, hands: Sequence[int]) -> None:
        plan = rules.plan
        self.rules: Rules = rules
        """The variant."""
        self.hands: list[int] = list(hands)
        """Cards that each seat holds now, as masks."""
        self.taken: list[int] = [0] * rules.players
        """Cards that each seat has captured, as masks."""
        self.plays: bytearray = bytearray()
        """Every card played so far, in order."""
        self.leaders: bytearray = bytearray()
        """Leader of each trick begun so far; the last one leads the trick on the table."""
        self.turn: int = 0
        """The seat that is to play; in `Phase.MOON` the shooter."""
        self.playable: int = 0
        """The cards that the seat may play, as a mask; 0 if no card is to be played."""
        self._leader = self._winner = 0
        self._plan = plan
        self._next_seat = _NEXT_SEAT[rules.players]
        self._held = plan.deck_mask
        """The cards that were in hands when the trick on the table began."""
        self._best = 0
        self._led = FULL_DECK
        """Cards that could beat the best card on the table: the suit led, any card where none is."""
        self._barred = 0
        self._broken = not plan.restricted
        self._bound = True
        """True while a bar of the first trick or of GZ-4 is in force."""
        self._free = False
        """True if nothing binds the leader either."""

    @property
    def barred(self) -> int:
        """Exposed cards that may not be played yet in their own suit (GZ-4), as a mask."""
        return self._barred

    @property
    def is_broken(self) -> bool:
        """True if every suit may be led."""
        return self._broken

    def play(self, card: Card) -> None:
        """
        Play *card* from the hand of the seat whose turn it is. Quicker than `apply`, for simulations.

        Raises:
            IllegalAction: If the card may not be played now; nothing has changed.
            DealOver: If no card is to be played.
        """
        try:
            bit = _BIT[card]
        except (KeyError, TypeError):
            bit = 0
        if not self.playable & bit:
            self._check_play(card)
        seat, hands = self.turn, self.hands
        self.plays.append(card)
        hands[seat] -= bit
        if self._best < bit and bit <= self._led:
            self._best, self._winner, self._led = bit, seat, _LED[card]
        self.turn = seat = self._next_seat[seat]
        if seat == self._leader:
            self._end_trick()
            return
        hand = hands[seat]
        self.playable = hand & self._led or hand
        if self._bound:
            self._bind_follower()

    def _copy_tricks(self, twin: Tricks) -> None:
        """Copy each attribute to *twin*, a new object; one by one, because that is fastest, and searches copy often."""
        twin.rules, twin._plan, twin._next_seat = self.rules, self._plan, self._next_seat
        twin.hands, twin.taken = self.hands.copy(), self.taken.copy()
        twin.plays, twin.leaders = self.plays[:], self.leaders[:]
        twin.turn, twin.playable, twin._held = self.turn, self.playable, self._held
        twin._leader, twin._winner, twin._best, twin._led = self._leader, self._winner, self._best, self._led
        twin._barred, twin._broken, twin._bound, twin._free = self._barred, self._broken, self._bound, self._free

    def _bind_follower(self) -> None:
        """Apply what is barred from the first trick (C-5 lifts it) and the bar of GZ-4."""
        legal = self.playable
        if len(self.leaders) == 1:
            legal = legal & ~self._plan.barred_first or legal
        if self._barred and legal & self._led:
            legal = legal & ~self._barred or legal
        self.playable = legal

    def _lead(self, seat: int) -> None:
        """Let *seat* lead to the next trick."""
        self.leaders.append(seat)
        self.turn = self._leader = seat
        self._best, self._led = 0, FULL_DECK
        self.playable = self.hands[seat]
        if not self._free:
            self._bind_leader()

    def _bind_leader(self) -> None:
        """Apply the unbroken suit, the bar of GZ-5, what is barred from the first trick, and the opening."""
        legal = self.playable
        if not self._broken and legal & ~self._plan.alone:
            legal = legal & ~self._plan.restricted or legal
        if self._barred:
            legal = self._without_barred(legal) or legal
        if len(self.leaders) == 1:
            legal = legal & ~self._plan.barred_first or legal
            legal = self.hands[self.turn] & self._plan.forced or legal
        self.playable = legal

    def _without_barred(self, hand: int) -> int:
        """Take out each exposed card whose suit has other cards in the hand (GZ-5)."""
        for suit in SUIT_MASKS:
            if hand & suit & self._barred and hand & suit & ~self._barred:
                hand &= ~(suit & self._barred)
        return hand

    def _end_trick(self) -> None:
        winner, held = self._winner, sum(self.hands)
        trick = self._held - held
        self._held = held
        self.taken[winner] |= trick
        if not self._free:
            self._loosen(trick)
        if held:
            self._lead(winner)
            return
        self.playable = 0
        self._end_tricks()

    def _loosen(self, trick: int) -> None:
        """Lift what the end of *trick* lifts."""
        self._barred &= ~self._led
        self._bound = bool(self._barred)
        self._broken = self._broken or bool(trick & self._plan.breakers)
        self._free = self._broken and not self._bound

    def _end_tricks(self) -> None:
        """End the tricks: the last one is complete."""
        raise NotImplementedError

    def _check_play(self, action: object) -> None:
        if not self.playable:
            raise DealOver("no card is to be played")
        if not isinstance(action, Card):
            raise IllegalAction("a play is one card")
        if not self.hands[self.turn] & action.mask:
            raise IllegalAction(f"{action} is not in the hand")
        if not self.playable & action.mask:
            options = " ".join(map(str, cards_in(self.playable)))
            raise IllegalAction(f"{action} may not be played now; legal: {options}")
