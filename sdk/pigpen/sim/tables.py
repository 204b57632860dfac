"""The tables from which unseen cards are dealt, packed as the library in C reads them (dealing.h)."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING

from pigpen.sim.native.binding import PLACES, Tables
from pigpen.sim.sim_random import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.sim.splits import CardPlace, Option, Splits

_CLASS = struct.Struct("=3q16s")
_GROUP = struct.Struct("=q16s")
_NODE = struct.Struct("=2q")
_OPTION = struct.Struct("=Qq16s")


def pack_tables(splits: Splits, groups: Sequence[Sequence[int]], places: Sequence[CardPlace]) -> Tables:
    """Make `Unseen` of dealing.h, with its tables; see `pigpen.sim.sampling.Unseen`."""
    classes, cards = b"", b""
    for dealt, allowed in zip(splits.cards, splits.groups, strict=True):
        classes += _CLASS.pack(len(cards), len(dealt), len(allowed), bytes(allowed))
        cards += bytes(dealt)
    rooms = [(level, room) for level, table in enumerate(splits.options) for room in table]
    number = {node: index for index, node in enumerate(rooms)}
    nodes: list[bytes] = []
    options: list[bytes] = []
    for level, room in rooms:
        ways = splits.options[level][room]
        nodes.append(_NODE.pack(len(options), len(ways)))
        options += [_pack_option(way, number.get((level + 1, way.room), 0)) for way in ways]
    groups_of_places = b"".join(_GROUP.pack(len(group), bytes(group)) for group in groups)
    return Tables(
        len(splits.cards), len(groups), len(places), _padded([place.seat for place in places]),
        _padded([place.face_down for place in places]), _padded([place.size for place in places]), classes, cards,
        b"".join(nodes), b"".join(options), groups_of_places,
    )  # fmt: skip


def _pack_option(option: Option, node: int) -> bytes:
    return _OPTION.pack(min(option.limit, WORD - 1), node, bytes(option.split))


def _padded(values: Sequence[int]) -> ctypes.Array[ctypes.c_uint8]:
    return (ctypes.c_uint8 * PLACES)(*values)
