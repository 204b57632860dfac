"""What the library in C is called with: the same values as the Python has them, packed as game.h and dealing.h say."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING

from pigpen.rules.actions import Face
from pigpen.rules.cards import Card, parse_cards
from pigpen.rules.parts import PigWhenMoon, ShooterCards
from pigpen.sim.chance import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pigpen.rules.deal import Deal
    from pigpen.rules.model import Rules
    from pigpen.sim.chance import Chance
    from pigpen.sim.playout import Policy
    from pigpen.sim.sampling import Option, Unseen
    from pigpen.sim.worlds import Worlds

NO_LIMIT = (1 << 63) - 1
SEATS, PLACES, DECK = 8, 16, 52
_SIGN = {PigWhenMoon.FLIP: -1, PigWhenMoon.VOID: 0, PigWhenMoon.KEEP: 1}
_POSITION = struct.Struct("=8Q8Q3Q5q8s")
_CLASS = struct.Struct("=3q16s")
_GROUP = struct.Struct("=q16s")
_NODE = struct.Struct("=2q")
_OPTION = struct.Struct("=Qq16s")
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


class Engine:
    """The library, loaded."""

    def __init__(self, file: Path) -> None:
        """
        Load it.

        Raises:
            OSError: If it does not load.
        """
        functions = ctypes.CDLL(str(file))
        packed, number, out = ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p
        self._sample = functions.pigpen_sample
        self._sample.argtypes = (ctypes.POINTER(Tables), packed, out)
        self._playout = functions.pigpen_playout
        self._playout.argtypes = (packed, packed, packed, number, out)
        self._playouts = functions.pigpen_playouts
        self._playouts.argtypes = (
            packed, packed, ctypes.POINTER(Tables), packed, number, number, ctypes.c_uint64, out,
        )  # fmt: skip
        self._solve = functions.pigpen_solve
        self._solve.argtypes = (packed, packed, out, number, out)
        self._solve.restype = number
        functions.pigpen_memory_size.restype = number
        self._memory_size = functions.pigpen_memory_size()
        for function in (self._sample, self._playout, self._playouts):
            function.restype = None

    def playout(self, deal: Deal, policy: Policy, state: int) -> tuple[int, ...]:
        """The scores of *deal*, in which cards are being played, played to its end; *state* is that of a `Chance`."""
        scores = (ctypes.c_int64 * SEATS)()
        self._playout(deal.rules.packed, position(deal), state.to_bytes(16, "little"), policy, scores)
        return tuple(scores[: deal.rules.players])

    def sample(self, tables: Tables, chance: Chance) -> list[int]:
        """The cards of each place, dealt once."""
        lie = (ctypes.c_uint64 * (PLACES + 2))()
        self._sample(tables, chance.state.to_bytes(16, "little"), lie)
        chance.state = lie[PLACES + 1] << 64 | lie[PLACES]
        return lie[: tables.places]

    def playouts(self, worlds: Worlds, options: int, deals: int, policy: Policy, state: int) -> list[list[int]]:
        """The sums of the scores of each seat over *deals* deals, for each card of the mask *options*."""
        deal, view = worlds.first.copy(), worlds.view
        deal.hands = [view.hand_mask if seat == view.seat else 0 for seat in range(view.rules.players)]
        deal.exposures = view.exposures
        rows = options.bit_count()
        sums = (ctypes.c_int64 * (rows * SEATS))()
        self._playouts(
            deal.rules.packed, position(deal), worlds.unseen.tables, state.to_bytes(16, "little"), policy, deals,
            options, sums,
        )  # fmt: skip
        return [sums[row * SEATS : row * SEATS + view.rules.players] for row in range(rows)]

    def solve(self, deal: Deal, limit: int | None) -> list[tuple[int, ...]] | None:
        """The scores after each legal card, all playing as well as they can; None if *limit* was not enough."""
        options = deal.playable.bit_count()
        rows = (ctypes.c_int64 * (options * SEATS))()
        memory = (ctypes.c_char * self._memory_size)()
        budget = NO_LIMIT if limit is None else limit
        if self._solve(deal.rules.packed, position(deal), memory, budget, rows) < 0:
            return None
        return [tuple(rows[row * SEATS : row * SEATS + deal.rules.players]) for row in range(options)]


def position(deal: Deal) -> bytes:
    """`Position` of game.h."""
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


def pack_rules(rules: Rules) -> bytes:
    """`Game` of game.h."""
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


def pack_unseen(unseen: Unseen) -> Tables:
    """`Unseen` of dealing.h, with the tables that it points to."""
    splits = unseen.splits
    classes, cards = b"", b""
    for dealt, groups in zip(splits.cards, splits.groups, strict=True):
        classes += _CLASS.pack(len(cards), len(dealt), len(groups), bytes(groups))
        cards += bytes(dealt)
    rooms = [(level, room) for level, table in enumerate(splits.options) for room in table]
    number = {node: index for index, node in enumerate(rooms)}
    nodes: list[bytes] = []
    options: list[bytes] = []
    for level, room in rooms:
        ways = splits.options[level][room]
        nodes.append(_NODE.pack(len(options), len(ways)))
        options += [_pack_option(way, number.get((level + 1, way.room), 0)) for way in ways]
    groups_of_places = b"".join(_GROUP.pack(len(group), bytes(group)) for group in unseen.groups)
    return Tables(
        len(splits.cards), len(unseen.groups), len(unseen.places), _padded([place.seat for place in unseen.places]),
        _padded([place.face_down for place in unseen.places]), _padded(unseen.sizes), classes, cards,
        b"".join(nodes), b"".join(options), groups_of_places,
    )  # fmt: skip


def _pack_option(option: Option, node: int) -> bytes:
    return _OPTION.pack(min(option.limit, WORD - 1), node, bytes(option.split))


def _padded(values: Sequence[int]) -> ctypes.Array[ctypes.c_uint8]:
    return (ctypes.c_uint8 * PLACES)(*values)
