"""A match from its record, finished or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules.errors import PigpenError
from pigpen.rules.shuffle import SEED_BYTES, commitment
from referee.records.lines import DealLine, MatchLine, ResultLine
from referee.records.packed_deals import Deals
from referee.records.rules_file import RulesFileError, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pigpen.rules import Rules
    from referee.records.lines import AnyLine


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
