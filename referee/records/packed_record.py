"""A record in memory, as the bytes of a packed file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.records.chain import START, chained
from referee.records.lines import to_json
from referee.records.packing import pack

if TYPE_CHECKING:
    from referee.records.lines import AnyLine


class PackedRecord:
    """Takes the lines of a record; what it holds is, byte for byte, what a file ``….jsonl.gz`` would hold."""

    def __init__(self) -> None:
        self._before = START
        self._members: list[bytes] = []

    def write(self, line: AnyLine) -> None:
        """Put *line* behind all others."""
        text, self._before = chained(to_json(line).encode(), self._before)
        self._members.append(pack(text + b"\n"))

    def __bytes__(self) -> bytes:
        """Give the whole file."""
        return b"".join(self._members)
