"""The trial that a bot must pass before the ladder takes it: every conformance case, and deals against itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.matches.check import WIRE, ConformanceCheck, Report
from ladder.matches.inline_match import Played
from ladder.matches.play import play_sandboxed
from ladder.results.match_decisions import Faults
from pigpen.check import cases_of
from pigpen.rules import Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.base import Program
    from pigpen import ClockSetting
    from referee.records.lines import AnyLine


@dataclass(frozen=True)
class SelfPlay:
    """A match of a bot against itself."""

    spec: MatchSpec
    played: Played
    faults: Faults


@dataclass(frozen=True)
class Preflight:
    """The result of a bot's trial; what comes after a failure has not been tried."""

    report: Report
    matches: tuple[SelfPlay, ...] = ()

    @property
    def passed(self) -> bool:
        """True if every case passed and no match had a fault."""
        return self.report.passed and not any(match.faults.reports for match in self.matches)


def steps(variants: Sequence[Rules], deals: int) -> int:
    """Count the cases and deals of a pre-flight."""
    return len(WIRE) + sum(len(cases_of(rules)) + deals for rules in variants)


async def preflight(
    program: Program,
    name: str,
    variants: Sequence[Rules],
    clock: ClockSetting,
    deals: int,
    advance: Callable[[str], None] = lambda doing: None,
) -> Preflight:
    """
    Try a bot.

    Args:
        program: The bot, in the sandbox in which it is to play.
        name: Its name.
        variants: What it is to play, at least one.
        clock: How much time it has, in a case and in a match.
        deals: How many it plays against itself in each variant. Rotations would repeat the same games.
        advance: Called after each case and each deal, with the variant's name.

    Raises:
        SandboxError: If the sandbox failed; that says nothing about the bot.
    """
    report = await ConformanceCheck(program, clock, advance=lambda outcome: advance(outcome.group)).run(variants)
    matches: list[SelfPlay] = []
    found = Preflight(report)
    for rules in variants:
        if found.passed:
            spec = MatchSpec(rules, _names(name, rules), Format(deals), clock, _seed(program, rules))
            matches.append(await _play(spec, program, advance))
            found = Preflight(report, tuple(matches))
    return found


async def _play(spec: MatchSpec, program: Program, advance: Callable[[str], None]) -> SelfPlay:
    faults = Faults()

    def take(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            faults.take(line)
            advance(spec.rules.name)

    played = await play_sandboxed(spec, [program] * spec.rules.players, take)
    return SelfPlay(spec, played, faults)


def _names(name: str, rules: Rules) -> tuple[str, ...]:
    return (name, *(f"{name}#{seat + 1}" for seat in range(1, rules.players)))


def _seed(program: Program, rules: Rules) -> bytes:
    """Give the same seed for the same program: one that failed does not pass by trying again."""
    return seed_from(f"{program.identity} {rules.name}")
