"""Tree search with a net: the priors and the values come from it, for many deals at once."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from pigpen.learn.encoding import Encoding
from pigpen.rules.cards import mask_of
from pigpen.sim.card_tree import MAX_BRANCHES, CardTree
from pigpen.sim.native.binding import SEATS, Tables, history, packed_rules, position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pigpen.learn.opponents import Net
    from pigpen.rules import Card, Deal
    from pigpen.rules.view import SeatView
    from pigpen.sim.sim_random import Bits

NET_DEALS = 8
"""Number of sampled deals in one trial: the net is asked once, about as many positions for each card that is tried."""
PLAY = 3
_NUMBER, _ADDRESS, _BYTES = ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p


class NetTree(CardTree):
    """
    A `CardTree` that asks a net, in place of playing deals to their end.

    >>> import numpy as np
    >>> from pigpen import View
    >>> from pigpen.learn.net_tree import NetTree
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> while len(deal.plays) < 40:
    ...     deal.apply(deal.turn, deal.default_action(deal.turn))
    ...
    >>> view = View(*deal.known_to(deal.turn), seed=7)
    >>> def net(observations):  # yours is trained
    ...     return np.zeros((len(observations), 54)), np.zeros((len(observations), 4))
    ...
    >>> tree = NetTree(view, view.rng, net)
    >>> len(tree.trial(view.legal)) == len(view.legal)
    True

    A trial deals the unseen cards 8 times. In each deal every card is tried, and the tree followed to a new branch; the
    net is then asked about all these positions at once. Below the root its priors stand in the place of the learned
    policy's. A seat's observation in a sampled deal has the cards that it holds there; of passes it has those that
    the root's seat knows, and who leads to the first trick is left out. Deals that end within the tree are counted.

    Without the accelerated engine, and under own rules whose views say less than all about the hands, a trial is made
    by playouts, as that of a `CardTree`, and no net is asked: `is_tree` is False.
    """

    def __init__(self, view: SeatView, rng: Bits, net: Net, branches: int = MAX_BRANCHES) -> None:
        """
        Begin a search.

        Args:
            view: The view of a seat that is to play a card. Nothing else is looked at.
            rng: Source of the search's random numbers.
            net: The net.
            branches: Largest number of branches, from 64 to 2**32 - 1.

        Raises:
            ValueError: If it is not this seat's turn to play, no deal fits, or *branches* is too small or too
                large.
        """
        super().__init__(view, rng, branches)
        self._net, self._encoding = net, Encoding(view.rules)
        self._root = pack_table(self._encoding, view, self._possible.known_position()) if self.is_tree else b""

    def trial(self, cards: Sequence[Card]) -> list[float]:
        """
        Return the mean margin of this seat after each of *cards*, in 8 more deals; see `pigpen.margin`.

        Raises:
            ValueError: If a card is not legal, there is none, or the net's answer has another shape.
        """
        if not self._engine or not self._tree:
            return super().trial(cards)
        view, options = self._view, mask_of(cards)
        if not options or options & ~view.legal_mask:
            raise ValueError("a search tries one or more legal cards")
        library, tried = self._engine.library, options.bit_count()
        count = NET_DEALS * tried
        library.pigpen_leaf_size.restype = _NUMBER
        leaves = np.zeros((count, library.pigpen_leaf_size() // 8), dtype=np.int64)
        packed = np.zeros((count, self._encoding.words), dtype=np.uint64)
        self._follow(options, leaves, packed)
        self._learn(leaves, packed)
        margins = leaves[:, -SEATS + view.seat].reshape(NET_DEALS, tried).mean(0).tolist()
        found = dict(zip([card for card in view.legal if options & card.mask], margins, strict=True))
        return [found[card] for card in cards]

    def _follow(self, options: int, leaves: NDArray[np.int64], packed: NDArray[np.uint64]) -> None:
        assert self._engine
        assert self._tree
        follow = self._engine.library.pigpen_tree_leaves
        follow.argtypes = (
            _BYTES, _BYTES, ctypes.POINTER(Tables), _BYTES, _ADDRESS, _NUMBER, ctypes.c_uint64, _BYTES,
            _ADDRESS, _ADDRESS,
        )  # fmt: skip
        follow.restype = None
        follow(
            packed_rules(self._view.rules), position(self._possible.known_position()), self._possible.unseen.tables,
            history(self._view), self._tree.address, NET_DEALS, options, self._root, leaves.ctypes.data,
            packed.ctypes.data,
        )  # fmt: skip

    def _learn(self, leaves: NDArray[np.int64], packed: NDArray[np.uint64]) -> None:
        assert self._engine
        assert self._tree
        players = self._encoding.players
        legal = np.ascontiguousarray(packed[:, self._encoding.planes.index("legal")])
        priors = np.zeros((len(leaves), 52), dtype=np.float32)
        asked = np.flatnonzero(leaves[:, -SEATS - 2] == 0)
        if len(asked):
            logits, values = ask(self._net, self._encoding, packed[asked])
            mask = (legal[asked, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)
            priors[asked] = softmax(logits[:, :52], mask)
            seats = (leaves[asked, -SEATS - 3, None] + np.arange(players)) % players
            leaves[asked[:, None], seats - SEATS] = np.rint(values * players).astype(np.int64)
        learn = self._engine.library.pigpen_tree_learn
        learn.argtypes, learn.restype = (_ADDRESS, _NUMBER, *[_ADDRESS] * 3, _NUMBER), None
        learn(
            self._tree.address, len(leaves), leaves.ctypes.data, priors.ctypes.data, legal.ctypes.data, self._view.seat
        )


def ask(
    net: Net, encoding: Encoding, packed: NDArray[np.uint64]
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """
    Ask a net about packed observations.

    Raises:
        ValueError: If its answer has another shape, or is not finite.
    """
    logits, values = net(encoding.unpack(packed))
    wanted = (len(packed), encoding.actions), (len(packed), encoding.players)
    if (logits.shape, values.shape) != wanted:
        raise ValueError(
            f"A net returns logits of the shape {wanted[0]} and values of {wanted[1]}; given: {logits.shape} and "
            f"{values.shape}."
        )
    if not (np.isfinite(logits).all() and (np.abs(values) < 1e9).all()):
        raise ValueError("A net returned numbers that are not finite.")
    return logits, values


def softmax(logits: NDArray[np.floating[Any]], mask: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
    """Return the probabilities of what the mask allows, shape of *logits*; 0 for the others."""
    allowed = np.where(mask, logits, -np.inf)
    weights = np.exp(allowed - allowed.max(1, keepdims=True))
    result: NDArray[np.floating[Any]] = weights / weights.sum(1, keepdims=True)
    return result


def pack_table(encoding: Encoding, view: SeatView, deal: Deal) -> bytes:
    """
    Pack a decision to play a card as `Table` of stepwise.h, as far as the seat knows it.

    Args:
        encoding: That of the variant.
        view: What the seat knows.
        deal: The deal as the view shows it, with empty hands for the other seats.
    """
    players, seat = encoding.players, view.seat
    passed, received, played, chosen, down = ([0] * SEATS for _ in range(5))
    if view.pass_to != seat:
        passed[seat], received[view.pass_to] = view.passed_mask, view.passed_mask
        received[seat], passed[(2 * seat - view.pass_to) % players] = view.received_mask, view.received_mask
    voids = sum(1 << 4 * other + suit for other in range(players) for suit in view.voids(other))
    by = bytes((view.leaders[number // players] + number) % players for number in range(len(view.plays)))
    for player, card in zip(by, view.plays, strict=True):
        played[player] |= 1 << card
    for shown in view.exposures:
        chosen[shown.seat] |= shown.card.mask
        down[shown.seat] |= shown.card.mask if shown.face.name == "DOWN" else 0
    start = struct.pack("=16x") + position(deal)
    rest = struct.pack(
        "=Q40Q2Q5q", view.legal_mask, *passed, *received, *played, *chosen, *down, voids, 0, seat, PLAY,
        (view.pass_to - seat) % players, 0, len(view.plays),
    )  # fmt: skip
    return start + rest + bytes(view.plays).ljust(52, b"\0") + by.ljust(52, b"\0")
