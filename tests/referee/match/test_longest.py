"""However slowly the bots of a match go about it together, it ends within the time that `longest_match` gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pigpen import ClockSetting
from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, longest_match
from referee.records.lines import AnyLine, DealLine
from referee.seats.verdict import Verdict
from tests.referee.scripted_seats import FakeTime
from tests.referee.slow import Slow, quick, sleeps, sleeps_as_long_as_it_may, works_for_a_third
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from referee.records.lines import ResultLine
    from tests.referee.slow import Use

MATCHES = [("hearts", "boards:4"), ("gongzhu", "boards:2"), ("gongzhu-five", "deals:3"), ("hearts-short", "game")]


def spec_of(rules: str, form: str, clock: ClockSetting = DEFAULT_CLOCK) -> MatchSpec:
    variant = PRESETS[rules]
    return MatchSpec(variant, tuple("abcde"[: variant.players]), Format.parse(form), clock, bytes(range(32)))


async def played(spec: MatchSpec, friends: int, use: Use) -> tuple[float, ResultLine, list[AnyLine]]:
    """Play a match in which *friends* bots use their time in that way: seconds, result, lines."""
    time = FakeTime()
    tables = [
        [Slow(time, use if bot < friends else quick) for bot in range(len(spec.bots))]
        for _ in range(spec.format.tables(spec.rules))
    ]
    lines: list[AnyLine] = []
    result = await play_tables(spec, tables, lines.append, now=time)
    return time.seconds, result, lines


@pytest.mark.parametrize(("rules", "form"), MATCHES)
@pytest.mark.parametrize("use", [sleeps, sleeps_as_long_as_it_may, works_for_a_third])
@pytest.mark.parametrize("friends", [1, 3, 4])
async def test_a_match_ends_in_time_and_the_honest_have_no_fault(rules: str, form: str, use: Use, friends: int) -> None:
    spec = spec_of(rules, form)
    seconds, result, _ = await played(spec, friends, use)
    assert seconds <= longest_match(spec.rules, spec.format, spec.clock)
    assert [row.faults for row in result.results[friends:]] == [0] * (len(spec.bots) - friends)


async def test_those_who_sleep_are_at_fault_once_their_bank_is_used_up() -> None:
    spec = spec_of("hearts", "boards:4")
    _, result, lines = await played(spec, 3, sleeps)
    assert [(row.faults, row.taken_over) for row in result.results] == [(12, True)] * 3 + [(0, False)]
    steps = [step for line in lines if isinstance(line, DealLine) for step in line.steps]
    assert {step.by for step in steps} == {"bot", "forced", f"default:{Verdict.TIMEOUT}", "takeover"}


def test_the_bound_counts_every_table_and_no_more_deals_than_a_game_can_have() -> None:
    rules, clock = PRESETS["hearts"], ClockSetting(bank=1.0, increment=0.0, limit=1.0, start_up=5.0)

    def longest(form: str) -> float:
        return longest_match(rules, Format.parse(form), clock)

    assert longest("boards:4") == 4 * longest("deals:4")
    assert longest("game") == longest(f"deals:{rules.end.cap}")
