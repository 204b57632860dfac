"""
A match as read from its record, finished or not.

Its deals are packed: as objects they take fifteen times the room of their lines. As tables they are rows of plain
values, for data frames.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, overload

from pigpen.rules.errors import PigpenError
from pigpen.rules.shuffle import SEED_BYTES, commitment
from referee.records.lines import DealLine, MatchLine, ResultLine
from referee.records.rules_file import RulesFileError, rules_from
from referee.records.steps import kind_and_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

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


class BadRecord(PigpenError, ValueError):
    """The lines are not the record of a match; the message says what is wrong."""

    exit_code = 2


@dataclass(frozen=True)
class Recorded:
    """The content of a record's lines."""

    first: MatchLine
    rules: Rules
    deals: Deals
    """By board and rotation, or by number, in whatever order they ended."""
    result: ResultLine | None
    """None while the match is not finished."""

    @classmethod
    def of(cls, lines: Iterable[AnyLine]) -> Recorded:
        """
        Put the lines of a record in order.

        Raises:
            BadRecord: If they are not those of a match.
        """
        rest = iter(lines)
        first = next(rest, None)
        if not isinstance(first, MatchLine):
            raise BadRecord("it does not begin with the first line of a match")
        try:
            rules = rules_from(first.rules)
        except RulesFileError as error:
            raise BadRecord(f"its rules cannot be understood: {error}") from None
        if len(first.bots) != rules.players:
            raise BadRecord(f"{rules.name} has {rules.players} seats, and it names {len(first.bots)} bots")
        results: list[ResultLine] = []
        deals = Deals.of(_deals(rest, results, rules.players))
        return cls(first, rules, deals, results[0] if results else None)

    @property
    def seed(self) -> bytes:
        """
        The match seed.

        Raises:
            BadRecord: If the match is not finished, or the seed is not the one that the first line commits to.
        """
        if self.result is None:
            raise BadRecord("the match is not finished, and its seed is published at the end only")
        try:
            seed = bytes.fromhex(self.result.seed)
        except ValueError:
            seed = b""
        if len(seed) != SEED_BYTES:
            raise BadRecord("its seed is not 64 hex digits")
        if commitment(seed) != self.first.commitment:
            raise BadRecord("its seed is not the one that its first line commits to")
        return seed

    def bot(self, word: str) -> int:
        """
        Find the number of the bot that *word* names or numbers.

        Raises:
            ValueError: If there is none; the message says which there are.
        """
        bots = self.first.bots
        if word in bots:
            return bots.index(word)
        if word.isdecimal() and int(word) < len(bots):
            return int(word)
        known = ", ".join(f"{number} {name}" for number, name in enumerate(bots))
        raise ValueError(f"there is no bot {word!r} in it; there are {known}")


def _deals(lines: Iterable[AnyLine], results: list[ResultLine], players: int) -> Iterator[DealLine]:
    """Yield the deals among *lines*, each with one of everything for each seat; the result goes to *results*."""
    for line in lines:
        if isinstance(line, ResultLine) and not results:
            results.append(line)
        elif isinstance(line, DealLine):
            if not has_seats(line, players):
                raise BadRecord(f"{line.name} does not have one of everything for each of {players} seats")
            yield line
        else:
            raise BadRecord("it holds more than one match")


def has_seats(line: DealLine, players: int) -> bool:
    """Tell whether a deal has one of everything for each seat, and one time for each step, of a seat that is there."""
    each = (line.hands, line.scores, line.totals)
    times = [those for those in (line.took_ms, line.cpu_ms, line.unasked_ms) if those is not None]
    return (
        sorted(seats_of(line)) == list(range(players))
        and all(len(those) == players for those in each)
        and all(len(those) == len(line.steps) for those in times)
        and all(step.seat < players for step in line.steps)
    )


def seats_of(line: DealLine) -> tuple[int, ...]:
    """Give the number of the bot in each seat."""
    return line.seats or tuple(range(len(line.hands)))


Row: TypeAlias = "dict[str, str | int | float | bool | None]"


def deal_rows(recorded: Recorded) -> Iterator[Row]:
    """
    Give a row for each seat of each deal.

    Deals, boards and rotations count from 1, seats from 0. Only boards have rotations.
    """
    for line in recorded.deals:
        yield from rows_of_seats(recorded.first, line)


def decision_rows(recorded: Recorded) -> Iterator[Row]:
    """
    Give a row for each step of each deal, forced cards included.

    Deals, boards, rotations, steps and tricks count from 1, seats from 0; times are in milliseconds.
    """
    for line in recorded.deals:
        yield from rows_of_steps(recorded.first, line)


def rows_of_seats(first: MatchLine, line: DealLine) -> Iterator[Row]:
    """Give the rows of one deal; see `deal_rows`."""
    for seat, bot in enumerate(seats_of(line)):
        yield {
            **_place(line),
            "seat": seat,
            "bot": first.bots[bot],
            "hand": line.hands[seat],
            "score": line.scores[seat],
            "total": line.totals[seat],
        }


def rows_of_steps(first: MatchLine, line: DealLine) -> Iterator[Row]:
    """Give the rows of one deal; see `decision_rows`."""
    bots, cards, players = seats_of(line), 0, len(line.hands)
    cpu = line.cpu_ms or (None,) * len(line.steps)
    for number, (step, took, own) in enumerate(zip(line.steps, line.took_ms, cpu, strict=True), 1):
        kind, choice = kind_and_words(step)
        yield {
            **_place(line),
            "step": number,
            "seat": step.seat,
            "bot": first.bots[bots[step.seat]],
            "kind": kind,
            "trick": cards // players + 1 if kind == "play" else None,
            "choice": choice,
            "by": step.by,
            "why": step.why,
            "took_ms": took,
            "cpu_ms": own,
        }
        cards += kind == "play"


def _place(line: DealLine) -> Row:
    board, rotation = (None if number is None else number + 1 for number in (line.board, line.rotation))
    return {"deal": line.deal + 1, "board": board, "rotation": rotation}
