"""A match as its record tells it, finished or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules.shuffle import SEED_BYTES, commitment
from referee.record import DealLine, MatchLine, ResultLine
from referee.rules_file import RulesFileError, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pigpen.rules import Rules
    from referee.record import AnyLine


class BadRecord(ValueError):
    """The lines are not the record of a match; the message says what is wrong."""


@dataclass(frozen=True)
class Recorded:
    """What the lines of a record say."""

    first: MatchLine
    rules: Rules
    deals: tuple[DealLine, ...]
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
        every = list(lines)
        first, rest = every[0] if every else None, every[1:]
        if not isinstance(first, MatchLine):
            raise BadRecord("it does not begin with the first line of a match")
        try:
            rules = rules_from(first.rules)
        except RulesFileError as error:
            raise BadRecord(f"its rules cannot be understood: {error}") from None
        if len(first.bots) != rules.players:
            raise BadRecord(f"{rules.name} has {rules.players} seats, and it names {len(first.bots)} bots")
        deals = [line for line in rest if isinstance(line, DealLine)]
        results = [line for line in rest if isinstance(line, ResultLine)]
        if len(deals) + len(results) < len(rest) or len(results) > 1:
            raise BadRecord("it holds more than one match")
        for line in deals:
            if sorted(seats_of(line)) != list(range(rules.players)) or not (
                len(line.hands) == len(line.scores) == len(line.totals) == rules.players
            ):
                raise BadRecord(f"{line.name} does not have one of everything for each of {rules.players} seats")
        deals.sort(key=lambda line: (line.deal, line.rotation or 0))
        return cls(first, rules, tuple(deals), results[0] if results else None)

    @property
    def seed(self) -> bytes:
        """
        The match seed.

        Raises:
            BadRecord: If the match is not finished, or the seed is not the one that the first line commits to.
        """
        if self.result is None:
            raise BadRecord("the match is not finished, and its seed is told at the end only")
        try:
            seed = bytes.fromhex(self.result.seed)
        except ValueError:
            seed = b""
        if len(seed) != SEED_BYTES:
            raise BadRecord("its seed is none")
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


def seats_of(line: DealLine) -> tuple[int, ...]:
    """Give the number of the bot in each seat."""
    return line.seats or tuple(range(len(line.hands)))
