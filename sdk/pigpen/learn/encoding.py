"""
A seat's knowledge as numbers: version 1 of the observation (docs/learn.md has every plane and feature).

An observation is a row of words of 64 bits, *packed*: a mask of cards for each plane, and two words of features. Its
length depends on the number of players alone, so that one net fits all variants for as many players. Seats are
relative to the one that decides: 0 is itself, 1 the next one clockwise. *Unpacked* it is a row of small numbers.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pigpen.learn.action_numbers import ADD, DONE, FACE_DOWN, Steps, actions_of, count_actions, has_faces
from pigpen.rules import CARDS, PRESETS, Face, Phase, Suit, mask_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from pigpen.rules import Action, Rules, SeatView

VERSION = 1
"""Of observations and actions; it grows when a number changes its place or its meaning."""
PHASES = (Phase.PASS, Phase.EXPOSE, Phase.PLAY, Phase.MOON)
OWN_PLANES = ("hand", "legal", "chosen", "passed", "received", "table", "led", "winning", "face_down")
SEAT_PLANES = ("played", "taken", "exposed")
PASS_TO, LEADER, VOIDS, HIDDEN_BITS = 8, 16, 32, 8
"""Bits of the first word of features: the phase from 0, then these; and the bits of a seat in the second one."""


class Encoding:
    """
    The observations and actions of one variant.

    >>> from pigpen.learn import Encoding
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> encoding = Encoding(rules)
    >>> encoding.words, encoding.size, encoding.actions
    (23, 1124, 54)
    >>> packed = encoding.observe(deal.view(deal.turn))
    >>> packed[encoding.planes.index("hand")] == deal.hands[deal.turn]
    True
    """

    def __init__(self, rules: Rules | str) -> None:
        """
        Make the encoding of *rules*, a variant or the name of a preset.

        Raises:
            ValueError: If no preset has that name.
        """
        self.rules: Rules = find_rules(rules)
        """The variant."""
        self.players: int = self.rules.players
        """Number of seats."""
        seats = range(self.players)
        self.planes: tuple[str, ...] = (*OWN_PLANES, *(f"{name}_{seat}" for name in SEAT_PLANES for seat in seats))
        """Name of each plane; those of seats end with the relative seat, such as ``played_1``."""
        self.features: tuple[str, ...] = (
            *(f"phase_{phase.name.lower()}" for phase in PHASES),
            *(f"pass_to_{seat}" for seat in seats),
            *(f"leader_{seat}" for seat in seats),
            *(f"void_{seat}_{suit.name.lower()}" for seat in seats for suit in Suit),
            *(f"hidden_{seat}" for seat in seats),
        )
        """Name of each feature."""
        self.words: int = len(self.planes) + 2
        """Words of a packed observation: the planes, and two for the features."""
        self.size: int = len(CARDS) * len(self.planes) + len(self.features)
        """Numbers of an unpacked observation: 52 for each plane, then the features."""
        self.actions: int = count_actions(self.rules)
        """Number of actions."""

    def observe(self, view: SeatView, steps: Steps | None = None) -> tuple[int, ...]:
        """
        Encode what a seat knows at a step of its decision, packed.

        Args:
            view: What the seat knows.
            steps: The decision, as far as it is made; None: its first step.
        """
        steps = steps or Steps(view.rules, view.phase, view.legal_mask)
        seats = [(view.seat + place) % self.players for place in range(self.players)]
        trick, winning = view.trick, view.winning
        down = mask_of(shown.card for shown in view.exposures if shown.face is Face.DOWN)
        own = (
            view.hand_mask, steps.cards, steps.chosen, view.passed_mask, view.received_mask,
            mask_of(play.card for play in trick), trick[0].card.suit.mask if trick else 0,
            winning.card.mask if winning else 0, down | steps.face_down,
        )  # fmt: skip
        played, exposed = _played(view), [0] * self.players
        for shown in view.exposures:
            exposed[shown.seat] |= shown.card.mask
        return (
            *own,
            *(played[seat] for seat in seats),
            *(view.taken_mask(seat) for seat in seats),
            *(exposed[seat] for seat in seats),
            self._state(view),
            sum(view.hidden[seat] << HIDDEN_BITS * place for place, seat in enumerate(seats)),
        )

    def plays(self, view: SeatView) -> tuple[int, ...]:
        """
        Number the plays so far in their order, which a packed observation leaves out.

        >>> from pigpen.learn import Encoding
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
        >>> deal.apply(deal.turn, deal.default_action(deal.turn))
        >>> Encoding(rules).plays(deal.view(deal.turn))[:3]
        (156, -1, -1)

        Args:
            view: What the seat knows.

        Returns:
            52 numbers, one for each play: 52 times the relative seat, plus the card; -1 for those to come.
        """
        players, known = self.players, len(view.plays)
        played = [
            (view.leaders[number // players] + number - view.seat) % players * len(CARDS) + card
            for number, card in enumerate(view.plays)
        ]
        return (*played, *[-1] * (len(CARDS) - known))

    def steps(self, view: SeatView, answer: Action) -> Iterator[tuple[tuple[int, ...], int]]:
        """
        Encode a whole decision: the packed observation and the action of each step in which more than one is legal.

        This is how the data set and the environments meet: an environment that is given these actions has been in
        exactly these observations.

        >>> from pigpen.learn import Encoding
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
        >>> [action for _, action in Encoding(rules).steps(deal.view(0), deal.default_action(0))]
        [0, 6, 16]

        Args:
            view: What the seat knew.
            answer: Its answer, as `Deal.apply` takes it.

        Raises:
            IllegalAction: If the answer is not legal.
        """
        steps = Steps(view.rules, view.phase, view.legal_mask)
        for action in actions_of(answer, view.legal_mask):
            if len(steps.legal()) > 1:
                yield self.observe(view, steps), action
            steps.take(action)

    def unpack(self, packed: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """
        Unpack observations.

        >>> import numpy as np
        >>> from pigpen.learn import Encoding
        >>> encoding = Encoding("hearts")
        >>> encoding.unpack(np.zeros((5, encoding.words), dtype=np.uint64)).shape
        (5, 1124)

        Args:
            packed: Shape (…, words).

        Returns:
            Shape (…, size): for each plane 52 zeros and ones by card, then the features. All are 0 or 1 but the last
            ones, which count cards.
        """
        import numpy as np

        as_bytes = np.ascontiguousarray(packed, dtype="<u8").view(np.uint8)
        bits = np.unpackbits(as_bytes.reshape(*packed.shape, 8), axis=-1, bitorder="little")
        planes = bits[..., : len(self.planes), : len(CARDS)].reshape(*packed.shape[:-1], -1)
        state = bits[..., len(self.planes), self._state_bits]
        hidden = as_bytes[..., -HIDDEN_BITS:][..., : self.players]
        return np.concatenate([planes, state, hidden], axis=-1)

    def mask(self, packed: NDArray[np.uint64]) -> NDArray[np.int8]:
        """
        Return the legal actions of packed observations.

        >>> import numpy as np
        >>> from pigpen.learn import Encoding
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
        >>> encoding = Encoding(rules)
        >>> np.flatnonzero(encoding.mask(np.array(encoding.observe(deal.view(deal.turn)), dtype=np.uint64)))
        array([0])

        Args:
            packed: Shape (…, words).

        Returns:
            Shape (…, actions): 1 for a legal action, else 0.
        """
        import numpy as np

        mask = np.zeros((*packed.shape[:-1], self.actions), dtype=np.int8)
        legal = packed[..., self.planes.index("legal"), None]
        cards = (legal >> np.arange(len(CARDS), dtype=np.uint64) & np.uint64(1)).astype(np.int8)
        state = packed[..., -2]
        expose, moon = ((state >> np.uint64(PHASES.index(each)) & np.uint64(1)) for each in (Phase.EXPOSE, Phase.MOON))
        mask[..., : len(CARDS)] = cards
        mask[..., DONE] = expose | moon
        mask[..., ADD] = moon
        if has_faces(self.rules):
            mask[..., FACE_DOWN:] = cards * expose[..., None].astype(np.int8)
        return mask

    def _state(self, view: SeatView) -> int:
        players, seat = self.players, view.seat
        state = sum(1 << place for place, phase in enumerate(PHASES) if phase is view.phase)  # none if the deal is over
        state |= 1 << PASS_TO + (view.pass_to - seat) % players
        if view.first_leader is not None:
            state |= 1 << LEADER + (view.first_leader - seat) % players
        for place in range(players):
            for suit in view.voids((seat + place) % players):
                state |= 1 << VOIDS + len(Suit) * place + suit
        return state

    @cached_property
    def _state_bits(self) -> list[int]:
        """The bits of the first word of features, in the order of the features."""
        seats = range(self.players)
        return [
            *range(len(PHASES)),
            *(PASS_TO + seat for seat in seats),
            *(LEADER + seat for seat in seats),
            *range(VOIDS, VOIDS + len(Suit) * self.players),
        ]


def find_rules(rules: Rules | str) -> Rules:
    """
    Return a variant, or the preset of a name.

    Raises:
        ValueError: If no preset has that name.
    """
    if not isinstance(rules, str):
        return rules
    if rules not in PRESETS:
        raise ValueError(f"There is no preset {rules!r}. Choose one of {', '.join(PRESETS)}, or give a Rules value.")
    return PRESETS[rules]


def _played(view: SeatView) -> list[int]:
    """Give the cards that each seat has played, as masks."""
    players, played = view.rules.players, [0] * view.rules.players
    for number, card in enumerate(view.plays):
        played[(view.leaders[number // players] + number) % players] |= 1 << card
    return played
