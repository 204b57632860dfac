"""Calls of the library in C: values are packed as game.h and dealing.h describe."""

from __future__ import annotations

import ctypes
import mmap
import struct
from typing import TYPE_CHECKING, Protocol

from pigpen.rules.actions import Face, Phase
from pigpen.rules.cards import Card, parse_cards
from pigpen.rules.parts import PigWhenMoon, ShooterCards

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence
    from pathlib import Path

    from pigpen.rules.deal import Deal
    from pigpen.rules.model import Rules
    from pigpen.rules.view import SeatView

NO_LIMIT = (1 << 63) - 1
SEATS, PLACES, DECK = 8, 16, 52
_SIGN = {PigWhenMoon.FLIP: -1, PigWhenMoon.VOID: 0, PigWhenMoon.KEEP: 1}
_POSITION = struct.Struct("=8Q8Q3Q5q8s")
_HISTORY = struct.Struct("=2qQ52s4x")
_NEW_TREE = struct.Struct("=16sq")
_SEALED = struct.Struct("=4q2Q")
SEALED_SEEDS = 48
"""Bytes of the random numbers of one deal in which answers to a sealed question are tried."""
FACTORS = 4
"""Numbers by which the learned policy weighs a card."""
MAX_PACKED = 64
"""Largest number of variants that are kept packed; a process seldom meets more than one."""
_packed: dict[int, tuple[Rules, bytes]] = {}
_UNPLACED = tuple((0,) * (SEATS - players) for players in range(SEATS + 1))


class Tables(ctypes.Structure):
    """`Unseen` of dealing.h."""

    _fields_ = (
        ("classes", ctypes.c_int64),
        ("groups", ctypes.c_int64),
        ("places", ctypes.c_int64),
        ("seat", ctypes.c_uint8 * PLACES),
        ("is_face_down", ctypes.c_uint8 * PLACES),
        ("size", ctypes.c_uint8 * PLACES),
        ("class_", ctypes.c_char_p),
        ("card", ctypes.c_char_p),
        ("node", ctypes.c_char_p),
        ("option", ctypes.c_char_p),
        ("group", ctypes.c_char_p),
    )


class Counted(Protocol):
    """Numbers to which the engine adds its counts: `pigpen.sim.tally.Tally`."""

    numbers: array[int]

    def add(self, numbers: Sequence[int]) -> None:
        """Add to each of the numbers."""


class Engine:
    """The library, loaded."""

    def __init__(self, file: Path) -> None:
        """
        Load the library.

        Raises:
            OSError: If it does not load.
        """
        functions = ctypes.CDLL(str(file))
        self.library: ctypes.CDLL = functions
        self.source: str = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(functions, "pigpen_source"))).decode()
        """SHA-256 of its sources, in hexadecimal digits."""
        packed, number, out = ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p
        self._sample = functions.pigpen_sample
        self._sample.argtypes = (ctypes.POINTER(Tables), packed, out)
        self._playout = functions.pigpen_playout
        self._playout.argtypes = (packed, packed, packed, number, out, number, out)
        self._playouts = functions.pigpen_playouts
        self._playouts.argtypes = (
            packed, packed, ctypes.POINTER(Tables), packed, number, number, ctypes.c_uint64, out, out,
        )  # fmt: skip
        self._sealed = functions.pigpen_sealed
        self._sealed.argtypes = (
            packed, ctypes.POINTER(Tables), packed, number, packed, number, number, packed, out,
        )  # fmt: skip
        self._solve = functions.pigpen_solve
        self._solve.argtypes = (packed, packed, out, number, out)
        self._solve.restype = number
        self._tree = functions.pigpen_tree
        self._tree.argtypes = (
            packed, packed, ctypes.POINTER(Tables), packed, out, number, ctypes.c_uint64, out, out,
        )  # fmt: skip
        self._size_of_tree = functions.pigpen_tree_size
        self._size_of_tree.argtypes, self._size_of_tree.restype = (number,), number
        self._learned_playouts = functions.pigpen_learned_playouts
        self._learned_playouts.argtypes = (packed, packed, packed, number, out)
        self._features = functions.pigpen_features
        self._features.argtypes = (packed, packed, out)
        functions.pigpen_memory_size.restype = number
        self._memory_size = functions.pigpen_memory_size()
        self._memories: list[Memory] = []
        for function in (
            self._sample,
            self._playout,
            self._playouts,
            self._sealed,
            self._tree,
            self._learned_playouts,
            self._features,
        ):
            function.restype = None

    def playout(
        self, deal: Deal, policy: int, state: int, seat: int = 0, tally: Counted | None = None
    ) -> tuple[int, ...]:
        """
        Play *deal* to its end and give the scores; cards are being played, and *state* is that of a `SimRandom`.

        The deal is added to *tally*, which counts for *seat*.
        """
        scores = (ctypes.c_int64 * SEATS)()
        counts = None if tally is None else (ctypes.c_int64 * len(tally.numbers)).from_buffer(tally.numbers)
        start = position(deal)
        self._playout(packed_rules(deal.rules), start, state.to_bytes(16, "little"), policy, scores, seat, counts)
        return tuple(scores[: deal.rules.players])

    def sample(self, tables: Tables, state: int) -> tuple[list[int], int]:
        """Deal the cards of each place once; return them and the state of the `SimRandom` after that."""
        dealt = (ctypes.c_uint64 * (PLACES + 2))()
        self._sample(tables, state.to_bytes(16, "little"), dealt)
        return dealt[: tables.places], dealt[PLACES + 1] << 64 | dealt[PLACES]

    def playouts(
        self, deal: Deal, tables: Tables, options: int, deals: int, policy: int, state: int,
        tallies: Sequence[Counted] | None = None,
    ) -> list[list[int]]:  # fmt: skip
        """
        Sum the scores of each seat over *deals* deals, for each card of the mask *options*.

        Args:
            deal: The deal from which to start; of its hands only that of the seat that is to play is read.
            tables: The ways to deal the other cards.
            options: The cards to try.
            deals: Number of deals to sample.
            policy: Number of the policy.
            state: State of a `SimRandom`.
            tallies: For each of the cards, the tally to which its deals are added; None: nothing is counted.
        """
        players, rows = deal.rules.players, options.bit_count()
        sums, counts = (ctypes.c_int64 * (rows * SEATS))(), _counts(tallies)
        self._playouts(
            packed_rules(deal.rules), position(deal), tables, state.to_bytes(16, "little"), policy, deals, options,
            sums, counts,
        )  # fmt: skip
        _add(counts, tallies)
        return [sums[row * SEATS : row * SEATS + players] for row in range(rows)]

    def sealed(
        self, rules: Rules, tables: Tables, question: bytes, seeds: bytes, policy: int, choices: Sequence[bytes]
    ) -> list[int]:
        """
        Sum the margins of a seat over deals, for each of its answers to a sealed question.

        Args:
            rules: The variant.
            tables: The ways to deal the cards that the seat does not know.
            question: The question, by `sealed_question`.
            seeds: Three states of a `SimRandom` for each deal: for the cards, for the answers of the other seats, and
                for the play.
            policy: Number of the policy.
            choices: The answers, by `sealed_choice`.
        """
        count = len(choices)
        sums = (ctypes.c_int64 * count)()
        self._sealed(
            packed_rules(rules), tables, question, len(seeds) // SEALED_SEEDS, seeds, policy, count, b"".join(choices),
            sums,
        )  # fmt: skip
        return sums[:]

    def solve(self, deal: Deal, limit: int | None) -> list[tuple[int, ...]] | None:
        """Solve *deal*: return the scores after each legal card, or None if *limit* was not enough."""
        options = deal.playable.bit_count()
        rows = (ctypes.c_int64 * (options * SEATS))()
        budget = NO_LIMIT if limit is None else limit
        try:
            memory = self._memories.pop()
        except IndexError:  # as many are made as threads solve at once
            memory = Memory(self._memory_size)
        rest = self._solve(packed_rules(deal.rules), position(deal), memory.address, budget, rows)
        self._memories.append(memory)
        if rest < 0:
            return None
        return [tuple(rows[row * SEATS : row * SEATS + deal.rules.players]) for row in range(options)]

    def new_tree(self, branches: int, state: int) -> Memory:
        """Make the memory of a search for at most *branches* branches; *state* is that of a `SimRandom`."""
        return Memory(self.tree_size(branches), _NEW_TREE.pack(state.to_bytes(16, "little"), branches))

    def tree_size(self, branches: int) -> int:
        """Return the bytes of a tree with room for *branches*."""
        size: int = self._size_of_tree(branches)
        return size

    def search(
        self, deal: Deal, tables: Tables, view: SeatView, tree: Memory, options: int, deals: int,
        tallies: Sequence[Counted] | None = None,
    ) -> list[list[int]]:  # fmt: skip
        """
        Search on: sum the scores of each seat over *deals* deals, for each card of the mask *options*.

        Args:
            deal: The deal from which to start; of its hands only that of the seat that is to play is read.
            tables: The ways to deal the other cards.
            view: What that seat knows.
            tree: What earlier calls for the same view found.
            options: The cards to try.
            deals: Number of deals to sample.
            tallies: As for `playouts`.
        """
        players, rows = deal.rules.players, options.bit_count()
        sums, counts = (ctypes.c_int64 * (rows * SEATS))(), _counts(tallies)
        self._tree(
            packed_rules(deal.rules), position(deal), tables, history(view), tree.address, deals, options, sums, counts
        )
        _add(counts, tallies)
        return [sums[row * SEATS : row * SEATS + players] for row in range(rows)]

    def learned_playouts(self, deal: Deal, times: int, state: int) -> list[float]:
        """Play *deal* to its end *times* times by the learned policy; return the mean scores."""
        sums = (ctypes.c_int64 * SEATS)()
        seed = state.to_bytes(16, "little")
        self._learned_playouts(packed_rules(deal.rules), position(deal), seed, times, sums)
        return [points / times for points in sums[: deal.rules.players]]

    def features(self, deal: Deal) -> list[tuple[int, ...]]:
        """Return what the learned policy looks at for each legal card: numbers of its weights."""
        options = deal.playable.bit_count()
        found = (ctypes.c_int32 * (options * FACTORS))()
        self._features(packed_rules(deal.rules), position(deal), found)
        return [tuple(found[row * FACTORS : (row + 1) * FACTORS]) for row in range(options)]


def _counts(tallies: Sequence[Counted] | None) -> ctypes.Array[ctypes.c_int64] | None:
    return None if tallies is None else (ctypes.c_int64 * sum(len(tally.numbers) for tally in tallies))()


def _add(counts: ctypes.Array[ctypes.c_int64] | None, tallies: Sequence[Counted] | None) -> None:
    for place, tally in enumerate(tallies or ()):
        assert counts is not None
        size = len(tally.numbers)
        tally.add(counts[place * size : (place + 1) * size])


class Memory:
    """
    Memory of one search, which the system provides page by page as it is used: most searches need little of it.

    It can be copied, because what the library writes there holds no addresses.
    """

    def __init__(self, size: int, start: bytes = b"") -> None:
        """Take *size* bytes, which are *start* and zeros, for as long as this object is there."""
        self._memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory.write(start)
        self._first: ctypes.c_char = ctypes.c_char.from_buffer(self._memory)
        self.address: int = ctypes.addressof(self._first)

    def __reduce__(self) -> tuple[type[Memory], tuple[int, bytes]]:
        return Memory, (len(self._memory), self._memory[:].rstrip(b"\0"))


def position(deal: Deal) -> bytes:
    """Pack *deal* as `Position` of game.h."""
    unplaced = _UNPLACED[deal.rules.players]
    on_table = len(deal.plays) % deal.rules.players
    up = down = 0
    for shown in deal.exposures:
        if shown.face is Face.UP:
            up |= 1 << shown.card
        else:
            down |= 1 << shown.card
    return _POSITION.pack(
        *deal.hands, *unplaced, *deal.taken, *unplaced, deal.barred, up, down, deal.leaders[-1], deal.turn, on_table,
        len(deal.leaders) == 1, deal.is_broken, bytes(deal.plays[-on_table:]) if on_table else b"",
    )  # fmt: skip


def history(view: SeatView) -> bytes:
    """Pack the plays of *view* as `History` of tree.h."""
    leader = view.leaders[0] if view.leaders else view.seat
    barred = 0
    for shown in view.exposures:
        barred |= 1 << shown.card if shown.face is Face.UP else 0
    return _HISTORY.pack(len(view.plays), leader, barred, bytes(view.plays))


def sealed_question(view: SeatView) -> bytes:
    """Pack the sealed question that is put to the seat of *view*, as `Sealed` of sealed.h."""
    passes, plan = view.phase is Phase.PASS, view.rules.plan
    leader = -1 if view.first_leader is None else view.first_leader
    return _SEALED.pack(
        view.seat, plan.pass_count if passes else 0, view.rules.pass_offset(view.deal) if passes else 0, leader,
        view.hand_mask, plan.opening,
    )  # fmt: skip


def sealed_choice(cards: int, face_down: int) -> bytes:
    """Pack an answer to it, two masks, as `SealedChoice` of sealed.h."""
    return (cards | face_down << 64).to_bytes(16, "little")


def packed_rules(rules: Rules) -> bytes:
    """Pack *rules* once for each `Rules` value, found by identity: to compute its hash would take longer."""
    known = _packed.get(id(rules))
    if known is None or known[0] is not rules:
        if len(_packed) >= MAX_PACKED:
            _packed.clear()
        known = _packed[id(rules)] = rules, pack_rules(rules)
    return known[1]


def pack_rules(rules: Rules) -> bytes:
    """Pack *rules* as `Game` of game.h."""
    plan, doubler, moon = rules.plan, rules.scoring.doubler, rules.moon
    numbers = [rules.players, rules.partners, rules.low_is_better]
    masks = [plan.barred_first, plan.restricted, plan.breakers, plan.alone, plan.forced]
    masks += [plan.scoring, plan.doubler, plan.moon, plan.pig & ~plan.moon]
    scoring = [doubler.factor, doubler.alone] if doubler else [1, 0]
    if moon:
        scoring += [moon.shooter is ShooterCards.NEGATE, _SIGN[moon.pig_when_moon], moon.others, moon.others_doubled]
        scoring += [moon.instead is not None, moon.instead or 0]
    else:
        scoring += [0] * 6
    exposing, multiplied = rules.exposing, [0] * DECK
    scoring += [exposing.face_up, exposing.face_down] if exposing else [1, 1]
    for name, cards in exposing.cards.items() if exposing else ():
        multiplied[Card.parse(name)] = parse_cards(cards)
    orders = [*plan.harm, *plan.danger, *plan.prize, *plan.meek]
    return struct.pack("=3q9Q10q52q52Q208q", *numbers, *masks, *scoring, *plan.points, *multiplied, *orders)
