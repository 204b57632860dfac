"""A person among the players: away and back, faults without a takeover, and what the record says of it."""

from __future__ import annotations

import asyncio
import json
import math
from typing import TYPE_CHECKING

from pigpen.rules import PRESETS
from pigpen.values.notices import FaultNotice
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.match.match import Unfinished
from referee.records.lines import DealLine, MatchLine, ResultLine, from_json, to_json
from referee.seats.presence import PersonAway
from referee.seats.verdict import SeatFailure, Verdict
from tests.referee.scripted_seats import PersonsSeat, ScriptedSeat, fails, honest
from tests.referee.tables import play_match, play_tables
from tests.waiting import comes

if TYPE_CHECKING:
    from pigpen.rules import Action
    from pigpen.values.notices import Notice
    from pigpen.values.view import View
    from referee.records.lines import AnyLine, Step
    from referee.seats.clock import Stopwatch

NAMES = ("human", "b", "c", "d")


def spec_of(form: Format) -> MatchSpec:
    return MatchSpec(PRESETS["hearts"], NAMES, form, DEFAULT_CLOCK, bytes(32), {0: person_clock(700.0)})


def played(seat: PersonsSeat, form: Format | None = None) -> list[AnyLine]:
    """A match of this person against bots."""
    lines: list[AnyLine] = []
    seats = [seat, *(ScriptedSeat(honest) for _ in range(3))]
    asyncio.run(play_match(spec_of(form or Format(1)), seats, lines.append))
    return lines


def steps_of(lines: list[AnyLine]) -> list[Step]:
    return [step for line in lines if isinstance(line, DealLine) for step in line.steps if step.seat == 0]


def test_the_record_says_who_is_human_and_that_the_wall_clock_counts() -> None:
    first, *_, last = played(PersonsSeat(honest))
    assert isinstance(first, MatchLine)
    assert isinstance(last, ResultLine)
    people = json.loads(to_json(first))["people"]
    clock = {"bank": 0.0, "increment": 700.0, "limit": 700.0, "start_up": 700.0, "deals_per_bank": 16}
    assert people == [{"bot": 0, "kind": "human", "timed": "wall", "clock": clock}]
    assert first.clock.limit == DEFAULT_CLOCK.limit
    assert last.results[0].timed == "wall"


def test_a_record_without_people_says_nothing_of_them() -> None:
    lines: list[AnyLine] = []
    spec = MatchSpec(PRESETS["hearts"], NAMES, Format(1), seed=bytes(32))
    asyncio.run(play_match(spec, [ScriptedSeat(honest) for _ in NAMES], lines.append))
    assert "people" not in to_json(lines[0])


def test_each_has_a_clock_of_its_own() -> None:
    seat = PersonsSeat(honest)
    bots = [ScriptedSeat(honest) for _ in range(3)]
    asyncio.run(play_match(spec_of(Format(2)), [seat, *bots], lambda line: None))
    assert {view.limit for view in seat.asked} == {700.0}
    assert {view.limit for bot in bots for view in bot.asked} == {1.0}
    assert seat.welcomed is not None
    assert seat.welcomed.clock == person_clock(700.0)


def test_a_person_who_never_answers_is_away_after_three_faults_and_is_not_taken_over() -> None:
    seat = PersonsSeat(fails(Verdict.TIMEOUT))
    lines = played(seat)
    asked = [step.by for step in steps_of(lines) if step.by != "forced"]
    assert asked == ["default:timeout"] * 3 + ["away"] * (len(asked) - 3)
    last = lines[-1]
    assert isinstance(last, ResultLine)
    assert not last.results[0].taken_over
    assert last.results[0].faults == 3
    assert [notice.takeover for notice in fault_notices(seat)] == [False, False, False]
    assert seat.freezes == 0


def fault_notices(seat: PersonsSeat) -> list[FaultNotice]:
    return [notice for notice in seat.notices if isinstance(notice, FaultNotice)]


def test_a_decision_between_faults_keeps_a_person_at_the_table() -> None:
    def mostly_late(view: View) -> Action | SeatFailure:
        return honest(view) if not view.decision % 3 else SeatFailure(Verdict.TIMEOUT, "late")

    lines = played(PersonsSeat(mostly_late))
    assert "away" not in {step.by for step in steps_of(lines)}
    assert sum(step.by == "default:timeout" for step in steps_of(lines)) > 3


def test_a_person_who_comes_back_is_asked_again_from_the_next_decision_on() -> None:
    def script(view: View) -> Action:
        if view.decision == 2:
            seat.presence.leave()
            asyncio.get_running_loop().call_soon(seat.presence.come_back)
            raise PersonAway
        return honest(view)

    seat = PersonsSeat(script)
    by = [step.by for step in steps_of(played(seat)) if step.by != "forced"]
    assert by[:3] == ["bot", "away", "bot"]
    assert by.count("away") == 1
    assert [view.decision for view in seat.asked] == list(range(1, len(by) + 1)), "no number is given twice"


def test_a_person_who_is_waited_for_is_asked_the_same_again_and_nothing_is_played_for_it() -> None:
    def script(view: View) -> Action:
        if view.decision == 2 and len(seat.asked) == 2:
            seat.presence.leave()
            asyncio.get_running_loop().call_later(0.01, seat.presence.come_back)
            raise PersonAway
        return honest(view)

    seat = PersonsSeat(script)
    seat.presence.wait = math.inf
    steps = steps_of(played(seat))
    assert {step.by for step in steps} == {"bot", "forced"}
    assert seat.asked[1] == seat.asked[2], "the very question, with its number"
    never_left = PersonsSeat(honest)
    assert steps == steps_of(played(never_left))


def test_faults_in_a_row_let_a_table_wait_that_waits_for_its_person() -> None:
    def script(view: View) -> Action | SeatFailure:
        if len(seat.asked) <= 3:
            return SeatFailure(Verdict.TIMEOUT, "late")
        return honest(view)

    async def play() -> None:
        lines: list[AnyLine] = []
        seats = [seat, *(ScriptedSeat(honest) for _ in range(3))]
        playing = asyncio.ensure_future(play_match(spec_of(Format(1)), seats, lines.append))
        await comes(lambda: seat.presence.is_away)
        await asyncio.sleep(0)
        assert len(seat.asked) == 3
        seat.presence.come_back()
        await playing
        assert [step.by for step in steps_of(lines) if step.by != "forced"].count("default:timeout") == 3
        assert "away" not in {step.by for step in steps_of(lines)}

    seat = PersonsSeat(script)
    seat.presence.wait = math.inf
    asyncio.run(play())


def test_what_is_played_for_a_person_who_is_away_takes_no_time_and_is_the_default() -> None:
    seat = PersonsSeat(honest)
    seat.presence.leave()
    lines = played(seat)
    assert not seat.asked
    for line in lines:
        if isinstance(line, DealLine):
            assert {took for step, took, _ in line.timed_steps() if step.seat == 0} == {0.0}


def test_the_clock_of_the_next_deal_waits_until_the_end_of_the_last_one_has_been_looked_at() -> None:
    order: list[str] = []

    class Reading(PersonsSeat):
        async def ask(self, view: View, watch: Stopwatch) -> Action:
            order.append(f"asked in {view.deal}")
            return await super().ask(view, watch)

        async def notify(self, notice: Notice, decision: int = 0) -> None:
            await super().notify(notice, decision)
            if not order.count("looked at 0"):
                self.presence.show_end_of(0)
                asyncio.get_running_loop().call_later(0.1, self._look)

        def _look(self) -> None:
            order.append("looked at 0")
            self.presence.look_at_end_of(0)

    played(Reading(honest), Format(2))
    assert order.index("looked at 0") < order.index("asked in 1")


def test_an_interrupted_match_goes_on_with_its_people() -> None:
    spec = spec_of(Format(2))
    first, *rest = played(PersonsSeat(fails(Verdict.TIMEOUT)), Format(2))
    begun = Unfinished.of([first, *rest[:1]])
    again = begun.spec(spec.seed)
    assert again == spec
    seat = PersonsSeat(honest)
    lines: list[AnyLine] = []

    seats = [seat, *(ScriptedSeat(honest) for _ in range(3))]
    asyncio.run(play_tables(again, [seats], lines.append, recorded=begun.deals))
    assert seat.asked, "the faults of the deal before have not taken the seat"
    assert from_json(to_json(lines[-1])).results[0].faults == 3  # type: ignore[union-attr]
