"""
One deal, from the cards dealt to the scores: who must decide, what is legal, what happens next.

A deal knows every hand. What one seat may know is a `SeatView`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pigpen.rules.actions import Action, Exposure, Face, MoonChoice, Phase
from pigpen.rules.cards import CARDS, Card, cards_in, mask_of
from pigpen.rules.errors import DealOver, IllegalAction
from pigpen.rules.scoring import card_points, shooter_of
from pigpen.rules.tricks import Tricks
from pigpen.rules.view import KnownToSeat, SeatView

if TYPE_CHECKING:
    from pigpen.rules.model import Rules

# Looking a member up in its class is slow enough to matter here.
_PASS, _EXPOSE, _PLAY, _MOON, _OVER = Phase
_SUBTRACT = MoonChoice.SUBTRACT


class Deal(Tricks):
    """
    The complete state of one deal.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> deal.turn, deal.legal(deal.turn)
    (2, (Card('2C'),))
    >>> deal.apply(deal.turn, deal.legal(deal.turn)[0])
    >>> while not deal.is_over:
    ...     for seat in deal.to_act:
    ...         deal.apply(seat, deal.default_action(seat))
    ...
    >>> deal.scores()
    (6, 3, 13, 4)
    """

    __slots__ = (
        "_moon_choice", "_sealed", "_waiting", "dealt", "exposures", "first_leader", "number", "passed", "phase",
        "received",
    )  # fmt: skip

    def __init__(self, rules: Rules, hands: Sequence[int], *, number: int = 0, leader: int | None = None) -> None:
        """
        Start a deal with the given hands.

        Args:
            rules: The variant.
            hands: The cards dealt to each seat, as masks.
            number: Number of the deal in the game or match, from 0.
            leader: The seat that leads to the first trick; None: the holder of the opening card, after passing.

        Raises:
            ValueError: If the hands are not the deck of this variant, dealt evenly.
        """
        super().__init__(rules, hands)
        players = rules.players
        plan = self._plan
        if sum(hands) != plan.deck_mask or list(map(int.bit_count, hands)) != [plan.hand_size] * players:
            raise ValueError(f"the hands are not the deck of {rules.name} dealt evenly to {players} seats")
        self.number: int = number
        """Number of the deal in the game or match, from 0. The direction of the pass depends on it."""
        self.phase: Phase = _PLAY
        """The phase, which says what is decided now."""
        self.dealt: tuple[int, ...] = tuple(hands)
        """Cards dealt to each seat, as masks."""
        self.passed: tuple[int, ...] = (0,) * players
        """Cards that each seat passed, as masks; all zero until every seat has passed."""
        self.received: tuple[int, ...] = (0,) * players
        """Cards that each seat was passed, as masks; all zero until every seat has passed."""
        self.exposures: tuple[Exposure, ...] = ()
        """Every exposed card; empty until every seat has answered."""
        self.first_leader: int | None = leader
        """The seat that leads to the first trick with any card (GZ-2); None: the holder of the opening card leads."""
        self._sealed: dict[int, Action | int] = {}
        self._waiting: list[int] = []
        self._moon_choice: MoonChoice | None = None
        if rules.pass_offset(number):
            self.phase = _PASS
            self._waiting = list(range(players))
        else:
            self._begin_exposing()

    @property
    def is_over(self) -> bool:
        """True if nothing is left to decide."""
        return self.phase is _OVER

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that must act now: all that have not answered a sealed question yet; otherwise one, or none."""
        if self.phase is _OVER:
            return ()
        return tuple(self._waiting) if self._waiting else (self.turn,)

    @property
    def moon_choice(self) -> MoonChoice | None:
        """The choice of the shooter; None until it is made."""
        return self._moon_choice

    def legal(self, seat: int) -> tuple[Card, ...]:
        """
        List the cards that *seat* may choose among now, in canonical order; empty if it is not asked.

        PLAY: it plays one of them. PASS: it passes `Passing.cards` of them. EXPOSE: it exposes any of them, or
        none. In MOON it chooses a member of `MoonChoice`, and the list is empty.
        """
        return cards_in(self.legal_mask(seat))

    def legal_mask(self, seat: int) -> int:
        """Return the cards that *seat* may choose among now, as a mask; see `legal`."""
        if self.phase is _PLAY:
            return self.playable if seat == self.turn else 0
        if seat not in self._waiting:
            return 0
        return self.hands[seat] if self.phase is _PASS else self._exposable(seat)

    def is_forced(self, seat: int) -> bool:
        """
        Return whether *seat* must act now and has exactly one legal action: its `default_action`.

        That is so if only one card may be played, or the whole hand is passed. In EXPOSE and MOON there is always a
        choice.
        """
        if self.phase is _PLAY:
            return seat == self.turn and not self.playable & self.playable - 1
        return self.phase is _PASS and seat in self._waiting and self._plan.pass_count == self._plan.hand_size

    def default_action(self, seat: int) -> Action:
        """Return the first legal action in canonical order, which is played for a seat without a legal answer."""
        if self.phase is _PLAY:
            return CARDS[(self.playable & -self.playable).bit_length() - 1]
        if self.phase is _PASS and self.rules.passing:
            return cards_in(self.hands[seat])[: self.rules.passing.cards]
        return {} if self.phase is _EXPOSE else MoonChoice.SUBTRACT

    def check(self, seat: int, action: Action) -> None:
        """
        Check that *seat* may do *action* now.

        Raises:
            IllegalAction: If it may not; the message says why.
            DealOver: If the deal is over.
        """
        self._accepted(seat, action)

    def apply(self, seat: int, action: Action) -> None:
        """
        Do *action* for *seat*.

        A sealed action takes effect when the last seat that is asked has answered.

        Raises:
            IllegalAction: If the seat may not do that; the message says why, and nothing has changed.
            DealOver: If the deal is over.
        """
        phase = self.phase
        if phase is _PLAY and seat == self.turn and isinstance(action, Card):
            self.play(action)
            return
        answer = self._accepted(seat, action)
        if phase is _MOON:
            self._moon_choice = answer  # type: ignore[assignment]
            self.phase = _OVER
            return
        self._sealed[seat] = answer
        self._waiting.remove(seat)
        if not self._waiting:
            if phase is _PASS:
                self._exchange()
            else:
                self._expose()

    def view(self, seat: int) -> SeatView:
        """Return all that *seat* may know now (C-9)."""
        return SeatView(*self.known_to(seat))

    def known_to(self, seat: int) -> KnownToSeat:
        """Return the arguments of `SeatView` for *seat*, from which `View` and other subclasses are made, too."""
        known, hidden = self._exposures_known_to(seat) if self.exposures else ((), (0,) * len(self.hands))
        return (
            self.rules,
            seat,
            self.number,
            self.phase,
            self.hands[seat],
            self.legal_mask(seat),
            self.passed[seat],
            self.received[seat],
            known,
            hidden,
            bytes(self.plays),
            bytes(self.leaders),
            self.first_leader,
        )

    def points(self) -> tuple[int, ...]:
        """Return the points of each seat for the cards that it has captured so far; final if the deal is over."""
        exposed = {exposure.card: exposure.face for exposure in self.exposures} if self.exposures else None
        return card_points(self.rules, self.taken, exposed, self._moon_choice or _SUBTRACT)

    def scores(self) -> tuple[int, ...]:
        """Return the score of each seat: its points, and those of its partner if there are partners (GP-1)."""
        points = self.points()
        if not self.rules.partners:
            return points
        return tuple(sum(points[mate] for mate in self.rules.teammates(seat)) for seat in range(len(points)))

    def copy(self) -> Deal:
        """Return an independent copy, on which to try actions."""
        twin = object.__new__(Deal)
        self._copy_tricks(twin)
        twin._moon_choice, twin.phase, twin.number = self._moon_choice, self.phase, self.number
        twin.dealt, twin.passed, twin.received = self.dealt, self.passed, self.received
        twin.exposures, twin.first_leader = self.exposures, self.first_leader
        twin._sealed, twin._waiting = self._sealed.copy(), self._waiting.copy()
        return twin

    def __copy__(self) -> Deal:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Deal:
        return self.copy()

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in _STATE}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._plan = self.rules.plan

    def _exposable(self, seat: int) -> int:
        return self.hands[seat] & self._plan.exposable

    def _exchange(self) -> None:
        offset = self.rules.pass_offset(self.number)
        passed: tuple[int, ...] = tuple([self._sealed[seat] for seat in range(len(self.hands))])  # type: ignore[misc]
        self.passed = passed
        self.received = received = passed[-offset:] + passed[:-offset]
        self.hands[:] = [hand - out + in_ for hand, out, in_ in zip(self.hands, passed, received, strict=True)]
        self._sealed = {}
        self._begin_exposing()

    def _begin_exposing(self) -> None:
        exposable = self._plan.exposable
        if exposable:
            self._waiting = [seat for seat, hand in enumerate(self.hands) if hand & exposable]
        if self._waiting:
            self.phase = _EXPOSE
        else:
            self._begin_play()

    def _expose(self) -> None:
        self.exposures = tuple(
            [
                Exposure(seat, card, Face(face))
                for seat, shown in sorted(self._sealed.items())
                for card, face in sorted(shown.items())  # type: ignore[union-attr]
            ]
        )
        self._sealed = {}
        self._barred = mask_of([shown.card for shown in self.exposures if shown.face is Face.UP])
        self._begin_play()

    def _begin_play(self) -> None:
        self.phase = _PLAY
        leader = self.first_leader
        if leader is None:
            opening = self._plan.opening
            leader = [hand & opening for hand in self.hands].index(opening)
        self._lead(leader)

    def _end_tricks(self) -> None:
        """Ask the shooter, if there is one and it has a choice; else the deal is over."""
        moon = self.rules.moon
        shooter = shooter_of(self.rules, self.taken) if moon and moon.instead is not None else None
        if shooter is not None:
            self.turn = shooter
            self.phase = _MOON
        else:
            self.phase = _OVER

    def _exposures_known_to(self, seat: int) -> tuple[tuple[Exposure, ...], tuple[int, ...]]:
        """Find what *seat* knows of the exposures, and how many face-down cards of each seat it does not (GS-2)."""
        played = mask_of(self.plays)
        known = tuple(
            shown for shown in self.exposures if shown.face is Face.UP or shown.seat == seat or shown.card.mask & played
        )
        hidden = [0] * self.rules.players
        for shown in self.exposures:
            hidden[shown.seat] += shown not in known
        return known, tuple(hidden)

    def _accepted(self, seat: int, action: Action) -> Action | int:
        """Give *action* as it is kept, a pass as a mask; raise the errors of `check`."""
        phase = self.phase
        if phase is _OVER:
            raise DealOver("the deal is over")
        if seat not in (self._waiting or (self.turn,)):
            raise IllegalAction(f"seat {seat} is not asked now")
        if phase is _PASS:
            return self._accepted_pass(seat, action)
        if phase is _EXPOSE:
            return self._accepted_exposure(seat, action)
        if phase is _PLAY:
            self._check_play(action)
        elif not isinstance(action, MoonChoice):
            raise IllegalAction("the shooter answers with a moon choice")
        return action

    def _accepted_pass(self, seat: int, action: Action) -> int:
        wanted = self._plan.pass_count
        if not isinstance(action, tuple):
            raise IllegalAction("a pass is a tuple of cards")
        chosen = 0
        for card in action:
            if not isinstance(card, Card):
                raise IllegalAction("a pass is a tuple of cards")
            chosen |= 1 << card
        if len(action) != wanted or chosen.bit_count() != wanted:
            raise IllegalAction(f"{chosen.bit_count()} different cards passed, {wanted} wanted")
        if chosen & ~self.hands[seat]:
            missing = " ".join(map(str, cards_in(chosen & ~self.hands[seat])))
            raise IllegalAction(f"not in the hand: {missing}")
        return chosen

    def _accepted_exposure(self, seat: int, action: Action) -> Mapping[Card, Face]:
        if not isinstance(action, Mapping):
            raise IllegalAction("an exposure maps cards to faces")
        for card, face in action.items():
            if not isinstance(card, Card) or not isinstance(face, Face):
                raise IllegalAction("an exposure maps cards to faces")
            if not self.hands[seat] & card.mask:
                raise IllegalAction(f"{card} is not in the hand")
            if not self._plan.exposable & card.mask:
                raise IllegalAction(f"{card} may not be exposed")
            if face is Face.DOWN and not (self.rules.exposing and self.rules.exposing.face_down):
                raise IllegalAction(f"{card} may not be put face down in {self.rules.name}")
        return dict(action)


_STATE = sorted({*Tricks.__slots__, *Deal.__slots__} - {"_plan"})
"""The attributes that are pickled: the plan follows from the rules."""
