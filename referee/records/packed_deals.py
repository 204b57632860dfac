"""The deals of a recorded match, packed: as objects they take fifteen times the room of their lines."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from referee.records.lines import DealLine

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

_FAST = 1


@dataclass(frozen=True, slots=True)
class _Packed:
    deal: int
    board: int | None
    rotation: int | None
    line: bytes

    @classmethod
    def of(cls, line: DealLine) -> Self:
        text = line.model_dump_json(by_alias=True, exclude_none=True).encode()
        return cls(line.deal, line.board, line.rotation, zlib.compress(text, _FAST))

    def unpacked(self) -> DealLine:
        return DealLine.model_validate_json(zlib.decompress(self.line))


class Deals(Sequence[DealLine]):
    """Deals by board and rotation, or by number; each access makes an object of its own."""

    def __init__(self, packed: Iterable[_Packed] = ()) -> None:
        self._packed = sorted(packed, key=lambda each: (each.deal, each.rotation or 0))

    @classmethod
    def of(cls, lines: Iterable[DealLine]) -> Self:
        """Put lines in order, in whatever order they come."""
        return cls(map(_Packed.of, lines))

    def where(self, deal: int | None = None, board: int | None = None, rotation: int | None = None) -> Self:
        """Choose the deals with these numbers, which count from 1, as people do; None: any."""
        wanted = [None if number is None else number - 1 for number in (deal, board, rotation)]
        return type(self)(
            each
            for each in self._packed
            if all(
                want in (None, number)
                for want, number in zip(wanted, (each.deal, each.board, each.rotation), strict=True)
            )
        )

    def tables(self) -> list[Self]:
        """Divide them by their rotations."""
        tables: dict[int, list[_Packed]] = {}
        for each in self._packed:
            tables.setdefault(each.rotation or 0, []).append(each)
        return [type(self)(those) for _, those in sorted(tables.items())]

    def up_to(self, line: DealLine) -> Self:
        """Choose the deals in the rotation of *line* until then, it included."""
        return type(self)(each for each in self._packed if each.rotation == line.rotation and each.deal <= line.deal)

    @overload
    def __getitem__(self, place: int) -> DealLine: ...
    @overload
    def __getitem__(self, place: slice) -> Deals: ...
    def __getitem__(self, place: int | slice) -> DealLine | Deals:
        """Give one of them, or several."""
        if isinstance(place, slice):
            return Deals(self._packed[place])
        return self._packed[place].unpacked()

    def __len__(self) -> int:
        """Count them."""
        return len(self._packed)
