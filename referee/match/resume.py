"""An interrupted match: what its unfinished record says, and what must be known besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules.shuffle import commitment
from pigpen.values.notices import ClockSetting
from referee.match.formats import Format
from referee.match.match import CannotResume
from referee.match.spec import MatchSpec
from referee.records.lines import VERSION, DealLine, MatchLine, ResultLine
from referee.records.rules_file import RulesFileError, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.records.lines import AnyLine


FINISHED = "the match is finished"


@dataclass(frozen=True)
class Unfinished:
    """A record without its last line."""

    first: MatchLine
    deals: tuple[DealLine, ...]

    @classmethod
    def of(cls, lines: Iterable[AnyLine]) -> Unfinished:
        """
        Take the lines of a record.

        Raises:
            CannotResume: If the match is finished, or the lines are not those of a match.
        """
        found = list(lines)
        if not found or not isinstance(found[0], MatchLine):
            raise CannotResume("it does not begin with the first line of a match")
        first, rest = found[0], found[1:]
        if first.version != VERSION:
            raise CannotResume(
                f"it is of version {first.version} of the format; only records of version {VERSION} can be resumed"
            )
        if any(isinstance(line, ResultLine) for line in rest):
            raise CannotResume(FINISHED)
        deals = tuple(line for line in rest if isinstance(line, DealLine))
        if len(deals) != len(rest):
            raise CannotResume("it holds more than one match")
        return cls(first, deals)

    def spec(self, seed: bytes) -> MatchSpec:
        """
        Give what the match is.

        Raises:
            CannotResume: If *seed* is not the one that the record commits to, or the first line cannot be understood.
        """
        if commitment(seed) != self.first.commitment:
            raise CannotResume("the seed is not the one with which the match began")
        try:
            clock = ClockSetting(**self.first.clock.model_dump())
            people = {each.bot: ClockSetting(**each.clock.model_dump()) for each in self.first.people or ()}
            rules, form = rules_from(self.first.rules), Format.parse(self.first.format)
            form.check(rules)
            return MatchSpec(rules, self.first.bots, form, clock, seed, people)
        except (RulesFileError, ValueError) as error:
            raise CannotResume(f"its first line cannot be understood: {error}") from None
