"""A recorded bot's questions, put to another bot."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Phase
from pigpen.values.notices import DealResult, MatchResult
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec
from referee.records.file import read_record
from referee.records.lines import DealLine
from referee.records.recorded import BadRecord, Recorded
from referee.replay.rerun import TableRerun, asked, table_reruns
from referee.seats.verdict import SeatFailure, Verdict
from tests.referee.bots import highest, showy, showy_seats
from tests.referee.match.test_resume import slept_over_exposing
from tests.referee.recorded import OF_VERSION_1, SEED, faulty_seats, match_lines
from tests.referee.scripted_seats import AbsentSeat, FakeTime, ScriptedSeat, WorkingSeat
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat
    from tests.referee.scripted_seats import Script


def recorded(rules: str = "hearts", form: str = "deals:2") -> Recorded:
    return Recorded.of(match_lines(rules, form, showy_seats))


def put(match: Recorded, seat: Seat, bot: int = 0, limit: float = math.inf) -> list[TableRerun]:
    """Put all questions of a bot, at every table to the same seat."""
    tables = table_reruns(match, bot, match.deals, limit)
    for table in tables:
        asyncio.run(table.put(seat))
    return tables


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("form", ["game", "boards:1", "board:2:1"])
def test_the_views_are_those_of_the_match_to_the_last_bit(rules: str, form: str) -> None:
    players = PRESETS[rules].players
    spec = MatchSpec(PRESETS[rules], tuple("abcdefgh"[:players]), Format.parse(form), DEFAULT_CLOCK, SEED)
    lines: list[AnyLine] = []
    tables = [[ScriptedSeat(showy) for _ in range(players)] for _ in range(spec.format.tables(spec.rules))]
    asyncio.run(play_tables(spec, tables, lines.append))
    match = Recorded.of(lines)
    for bot in range(players):
        for table, seats in zip(table_reruns(match, bot, match.deals, math.inf), tables, strict=True):
            again = ScriptedSeat(showy)
            asyncio.run(table.put(again))
            assert [shown(view) for view in again.asked] == [shown(view) for view in seats[bot].asked]
            banks = [view.bank for view in seats[bot].asked]  # the record rounds the times they follow from
            assert [view.bank for view in again.asked] == pytest.approx(banks, abs=0.001)
            assert again.notices == seats[bot].notices[:-1] + again.notices[-1:]
            assert again.welcomed == seats[bot].welcomed
            assert again.closed


def shown(view: View) -> tuple[object, ...]:
    """All that a bot is told, but its bank."""
    return (*view.known(), view.totals, view.decision, view.seed, view.limit)


def test_a_bot_is_told_of_its_bank_as_it_was_though_it_had_worked_unasked() -> None:
    seats = [WorkingSeat(showy) for _ in range(4)]
    spec = MatchSpec(PRESETS["hearts"], tuple("abcd"), Format.parse("deals:2"), DEFAULT_CLOCK, SEED)
    lines: list[AnyLine] = []
    asyncio.run(play_tables(spec, [seats], lines.append))
    again = ScriptedSeat(showy)
    put(Recorded.of(lines), again, 2)
    assert [view.bank for view in again.asked] == pytest.approx([view.bank for view in seats[2].asked], abs=0.001)
    assert again.asked[-1].bank < 60


def test_C_9_a_bot_that_slept_over_a_sealed_question_is_told_what_the_share_of_all_seats_cost() -> None:
    first, line, *rest = match_lines("gongzhu", "deals:1", showy_seats)
    assert isinstance(line, DealLine)
    line = slept_over_exposing(line)
    exposing = {step.seat for step in line.steps if step.expose is not None}
    assert 0 < len(exposing) < 4, "some seats were not asked"
    again = ScriptedSeat(showy)
    put(Recorded.of([first, line, *rest]), again, min(exposing))
    assert [view.bank for view in again.asked[:2]] == pytest.approx([60.0, 60 + 0.1 - 0.5])


def test_the_same_bot_makes_the_same_decisions() -> None:
    match = recorded("gongzhu-sale", "boards:2")
    tables = put(match, ScriptedSeat(showy), 2)
    assert [table.questions for table in tables] == [len(table.answers) for table in tables]
    assert all(table.is_over for table in tables)
    assert not [answer for table in tables for answer in table.answers if answer.differs]


def test_another_bot_differs_exactly_where_it_says_something_else() -> None:
    match = recorded("hearts")

    def odd(view: View) -> Action:
        """Another card in trick 5 of deal 2, if there is one."""
        return view.legal[-1] if (view.deal, len(view.tricks)) == (1, 4) else showy(view)

    seat = ScriptedSeat(odd)
    (table,) = put(match, seat, 3)
    changed = [view for view in seat.asked if odd(view) != showy(view)]
    assert len(changed) == 1
    (answer,) = [answer for answer in table.answers if answer.differs]
    assert answer.view == changed[0]
    assert (answer.line, answer.now) == (match.deals[1], str(changed[0].legal[-1]))
    assert answer.then == answer.step.play == str(changed[0].legal[0])
    assert answer.verdict == ""


def test_later_questions_show_what_was_really_played() -> None:
    match = recorded("hearts")
    seat = ScriptedSeat(highest)
    (table,) = put(match, seat, 3)
    assert any(answer.differs for answer in table.answers)
    played = [card for step in match.deals[0].steps if (card := step.play)]
    last = [view for view in seat.asked if view.deal == 0][-1]
    shown = [str(play.card) for trick in (*last.tricks, last.trick) for play in trick]
    assert shown == played[: len(shown)]
    assert len(shown) > 36


def test_a_pass_is_the_same_whatever_the_order_of_its_cards() -> None:
    def backwards(view: View) -> Action:
        answer = showy(view)
        return answer[::-1] if isinstance(answer, tuple) else answer

    (table,) = put(recorded("hearts"), ScriptedSeat(backwards), 1)
    assert not [answer for answer in table.answers if answer.differs]


def test_what_the_trick_brought_is_told_with_a_play_only() -> None:
    match = recorded("gongzhu", "deals:1")
    (table,) = put(match, ScriptedSeat(showy))
    gains = [answer.trick_points for answer in table.answers if answer.view.phase is Phase.PLAY]
    assert sum(gain for gain in gains if gain) == match.deals[0].scores[0]
    assert [answer.trick_points for answer in table.answers if answer.view.phase is not Phase.PLAY] == [None]


FAULTS: dict[str, tuple[Script, Verdict, str]] = {
    "illegal": (lambda view: next(card for card in view.unseen), Verdict.ILLEGAL, "is not in the hand"),
    "malformed": (lambda view: SeatFailure(Verdict.MALFORMED, "by its script"), Verdict.MALFORMED, "by its script"),
}


@pytest.mark.parametrize(("script", "verdict", "why"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_a_difference_and_the_questions_go_on(script: Script, verdict: Verdict, why: str) -> None:
    def faulty(view: View) -> Action | SeatFailure:
        return script(view) if view.phase is Phase.PLAY else showy(view)

    match = recorded("hearts", "deals:1")
    (table,) = put(match, ScriptedSeat(faulty))
    assert table.is_over
    bad = [answer for answer in table.answers if answer.verdict]
    assert [answer.verdict for answer in bad] == [verdict] * (len(asked(match.deals[0], 0)) - 1)
    assert all(why in answer.why and answer.differs for answer in bad)


def test_a_late_answer_is_a_difference_even_if_it_is_the_same() -> None:
    match = recorded("hearts", "deals:1")
    (table,) = table_reruns(match, 0, match.deals, -1.0)
    asyncio.run(table.put(ScriptedSeat(showy)))
    assert {answer.verdict for answer in table.answers} == {Verdict.TIMEOUT}
    assert {answer.why for answer in table.answers} == {"no answer within -1.000 s"}


def test_a_bot_that_is_gone_is_asked_no_more_and_a_fresh_one_takes_up_where_it_ended() -> None:
    match = recorded("hearts", "deals:1")

    def dies(view: View) -> Action | SeatFailure:
        return SeatFailure(Verdict.GONE, "its program ended") if len(view.tricks) == 6 else showy(view)

    (table,) = table_reruns(match, 1, match.deals, math.inf)
    asyncio.run(table.put(ScriptedSeat(dies)))
    assert not table.is_over
    assert (table.answers[-1].verdict, table.answers[-1].why) == (Verdict.GONE, "its program ended")
    fresh = ScriptedSeat(showy)
    asyncio.run(table.put(fresh))
    assert table.is_over
    assert [len(view.tricks) for view in fresh.asked] == [7, 8, 10, 11]
    assert [answer.differs for answer in table.answers] == [False] * 6 + [True] + [False] * 4


def test_a_bot_that_never_comes_is_a_difference() -> None:
    (table,) = put(recorded("hearts", "deals:1"), AbsentSeat())
    assert [(answer.verdict, answer.now) for answer in table.answers] == [(Verdict.ABSENT, "")]


def test_only_the_chosen_deals_are_asked_about_with_the_numbers_of_the_match() -> None:
    match = recorded("hearts", "deals:3")
    (table,) = table_reruns(match, 0, match.deals.where(deal=2), math.inf)
    seat = ScriptedSeat(showy)
    asyncio.run(table.put(seat))
    before, now = (len(asked(line, 0)) for line in match.deals[:2])
    assert table.questions == len(seat.asked) == now
    assert {view.deal for view in seat.asked} == {1}
    assert [view.decision for view in seat.asked] == list(range(before + 1, before + now + 1))
    assert [type(notice) for notice in seat.notices] == [DealResult, DealResult, MatchResult]


def test_what_the_default_policy_played_was_no_question() -> None:
    match = Recorded.of(match_lines("hearts", "deals:2", faulty_seats))
    assert [len(asked(line, 1)) for line in match.deals] == [1, 0]
    assert [len(asked(line, 0)) for line in match.deals] == [3, 0]
    (table,) = put(match, ScriptedSeat(showy), 0)
    assert [answer.step.by for answer in table.answers] == ["default:malformed"] * 3


def test_a_forced_card_was_no_question() -> None:
    match = recorded("gongzhu", "deals:1")
    for bot in range(4):
        seat = ScriptedSeat(showy)
        (table,) = put(match, seat, bot)
        steps = [step for step in match.deals[0].steps if step.seat == bot]
        assert table.forced == sum(step.by == "forced" for step in steps) > 0
        assert [answer.step for answer in table.answers] == [step for step in steps if step.by == "bot"]
        assert all(len(view.legal) > 1 for view in seat.asked if view.phase is Phase.PLAY)


def test_a_record_of_version_1_is_asked_about_as_it_was_played() -> None:
    match = Recorded.of(read_record(OF_VERSION_1))
    seat = ScriptedSeat(highest)
    (table,) = put(match, seat, 0)
    assert (table.questions, table.forced, len(seat.asked)) == (55, 0, 55)
    assert any(len(view.legal) == 1 for view in seat.asked)
    assert [view.decision for view in seat.asked] == list(range(1, 56))


def test_times_are_those_of_the_match_then_and_of_the_bot_now() -> None:
    match = recorded("hearts", "deals:1")
    time = FakeTime()
    time.cpu = 0.0
    seat = ScriptedSeat(showy, time=time, thinks=0.5, works=0.25)
    (table,) = put(match, seat, 0)
    took = [took for step, took, _ in match.deals[0].timed_steps() if step.seat == 0 and step.by == "bot"]
    assert [answer.took for answer in table.answers] == took
    assert [answer.took_now for answer in table.answers] == [0.25] * len(took)
    assert [view.last_cpu for view in seat.asked] == [None, *[0.25] * (len(took) - 1)], "the program's own clock is now"


def test_an_unfinished_match_is_refused() -> None:
    match = Recorded.of(match_lines("hearts", "deals:1")[:-1])
    with pytest.raises(BadRecord, match="match is not finished"):
        TableRerun(match, 0, match.deals, 1.0)


def test_each_table_is_asked_about_apart() -> None:
    match = recorded("hearts", "boards:2")
    tables = table_reruns(match, 0, match.deals, 1.0)
    lines = [[*match.deals.where(rotation=rotation)] for rotation in (1, 2, 3, 4)]
    assert [table.questions for table in tables] == [sum(len(asked(line, 0)) for line in each) for each in lines]
    assert [table.questions + table.forced for table in tables] == [28] * 4
    one = match.deals.where(rotation=3)
    assert [table.questions for table in table_reruns(match, 0, one, 1.0)] == [tables[2].questions]
