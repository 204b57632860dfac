"""The session of a person's chair in the web process: tabs, repeated answers, dead tables, and whole games."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from typing import TYPE_CHECKING, get_args
from unittest.mock import Mock

import pytest

from ladder.errors import Conflict, LadderError, StoreError, TooOften, UserError
from ladder.people.seat.illegal_cards import NO_REASON
from ladder.people.sessions import seat_session
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.seat_session import MAX_MESSAGES, MAX_PHRASES, MAX_TABS, TOO_MANY_TABS
from ladder.people.sessions.table_info import FoundSeat, TableInfo
from ladder.values.people import TableStatus
from ladder.values.person_state import PersonState, Phrase
from pigpen import View
from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.values.notices import FaultNotice
from pigpen.values.view import Seen
from referee.records.lines import DealLine, MatchLine
from tests.ladder.people.sessions.open_sessions import TableHere, first_answer, play_on, session_at, until
from tests.ladder.people.sessions.states import game_of
from tests.rules.table import named
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pigpen.rules import Rules


async def test_a_game_is_played_to_its_end() -> None:
    table = TableHere(PRESETS["gongzhu"], deals=2)
    table.start()
    async with session_at(table) as session:
        last = await play_on(session, lambda state: state.status == "over")
    assert last.over
    assert last.over.totals == [line.totals for line in table.lines if isinstance(line, DealLine)][-1]
    assert last.question is None


async def test_before_the_table_plays_it_is_starting_and_an_answer_is_stale() -> None:
    table = TableHere()
    async with session_at(table) as session:
        assert session.open_tab()._states[0].status == "starting"
        with pytest.raises(Conflict):
            session.answer(1, "QS")
        table.start()
        assert (await until(session, lambda state: state.question)).status == "playing"


async def test_two_tabs_see_the_same_and_the_second_answer_is_stale() -> None:
    table = TableHere()
    table.start()
    async with session_at(table) as session:
        state = await until(session, lambda state: state.question)
        other = await until(session, lambda state: state.question)
        assert (state.number, state.question.decision) == (other.number, other.question.decision)  # type: ignore[union-attr]
        decision, words = state.question.decision, first_answer(state)  # type: ignore[union-attr]
        session.answer(decision, words)
        session.answer(decision, " ".join(reversed(words.split())))  # the same once more
        with pytest.raises(Conflict):
            session.answer(decision, "2D 3D 4D")
        later = await until(session, lambda state: state.question and state.question.decision > decision)
        session.answer(decision, words)
        assert later.moment
        passed = later.moment.seats[0].passed
        assert set(map(str, passed)) == set(words.split())


async def test_what_the_rules_forbid_is_refused_with_the_reason_and_the_referee_hears_nothing() -> None:
    table = TableHere()
    table.start()
    async with session_at(table) as session:
        state = await play_on(session, lambda state: state.question and state.question.why)
        assert state.question
        card, _ = next(iter(state.question.why.items()))
        with pytest.raises(UserError) as refused:
            session.answer(state.question.decision, card)
        assert str(refused.value) not in ("", NO_REASON)
        for words in ("", "XX", "QS QS", "add", "A" * 10**6, "\0", card[::-1]):
            with pytest.raises(UserError):
                session.answer(state.question.decision, words)
        await play_on(session, lambda state: state.status == "over")
    assert all(step.why is None for line in table.lines if isinstance(line, DealLine) for step in line.steps)


async def test_a_table_that_is_killed_and_started_anew_is_found_again() -> None:
    table = TableHere()
    table.start()
    async with session_at(table) as session:
        await play_on(session, lambda state: state.moment and state.moment.trick >= 2)
        await table.kill()
        lost = await until(session, lambda state: state.status == "resuming")
        assert not lost.connected
        table.lines.clear()
        table.start()
        again = await until(session, lambda state: state.status == "playing" and state.question)
        assert [notice.kind for notice in again.notices] == ["resumed"]
        await play_on(session, lambda state: state.status == "over")
    assert isinstance(table.lines[0], MatchLine)


async def test_a_table_that_is_ended_says_why() -> None:
    table = TableHere()
    table.start()
    async with session_at(table) as session:
        await until(session, lambda state: state.question)
        await table.kill()
        table.status, table.reason = TableStatus.ENDED, "Ada ended it."
        last = await until(session, lambda state: state.status == "ended")
        assert last.reason == "Ada ended it."
        assert [state async for state in session.open_tab()][-1].status == "ended"


async def test_a_table_that_is_removed_ends_its_session() -> None:
    table = TableHere()
    async with session_at(table) as session:

        def gone() -> None:
            raise LadderError("There is no such table.")

        session._find = gone  # type: ignore[assignment]
        assert (await until(session, lambda state: state.status == "ended")).reason == ""


async def test_a_database_that_does_not_answer_for_a_while_ends_no_session() -> None:
    table = TableHere()
    async with session_at(table) as session:
        find, failures = session._find, 3

        def failing() -> FoundSeat:
            nonlocal failures
            failures -= 1
            if failures >= 0:
                raise StoreError("The database does not answer.")
            return find()

        session._find = failing
        table.start()
        await until(session, lambda state: state.question)
        assert failures < 0


async def test_a_desk_without_tabs_ends_and_the_person_is_away() -> None:
    table = TableHere()
    table.start()
    async with session_at(table, seconds=0.05) as session:
        await until(session, lambda state: state.question)
        await asyncio.wait_for(asyncio.wait({session._task}), PATIENCE)
        assert session._task.cancelled()


async def test_leaving_and_coming_back_is_shown_and_only_so_much_is_said() -> None:
    table = TableHere()
    table.start()
    async with session_at(table) as session:
        await until(session, lambda state: state.question)
        session.say("away")
        assert (await until(session, lambda state: state.away)).question is None
        session.say("here")
        await until(session, lambda state: not state.away)
        for _ in range(MAX_MESSAGES - 2):
            session.say("here")
        with pytest.raises(TooOften):
            session.say("here")


async def test_only_so_many_tabs_are_open() -> None:
    table = TableHere()
    async with session_at(table) as session:
        tabs = [session.open_tab() for _ in range(MAX_TABS)]
        with pytest.raises(TooOften, match=re.escape(TOO_MANY_TABS)):
            session.open_tab()
        tabs[0].close()
        session.open_tab()


every_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


@every_preset
def test_a_game_is_shown_from_the_first_card_to_the_end(rules: Rules) -> None:
    states, lines = game_of(rules)
    assert all(one.number < other.number for one, other in pairwise(states))
    played = [line for line in lines if isinstance(line, DealLine)]
    results = {state.result.deal: state.result for state in states if state.result}
    assert [(each.scores, each.totals) for each in results.values()] == [(line.scores, line.totals) for line in played]
    for result in results.values():
        assert tuple(sum(part.points for part in parts) for parts in result.parts) == result.scores
    last = states[-1]
    assert (last.status, last.away, last.question) == ("over", False, None)
    assert last.over is not None
    assert last.over.totals == played[-1].totals
    assert [(row.scores, row.totals) for row in last.sheet] == [(line.scores, line.totals) for line in played]
    asked = [state.question for state in states if state.question]
    assert len({question.decision for question in asked}) == sum(
        step.by == "bot" and step.seat == 0 for line in played for step in line.steps
    )


@every_preset
def test_every_card_of_a_deal_is_shown_once_and_the_last_trick_adds_up(rules: Rules) -> None:
    states, _ = game_of(rules, deals=1)
    cards = [
        state.moment.steps[-1].action for state in states if state.moment and state.moment.trick and not state.result
    ]
    assert len(dict.fromkeys(cards)) == len(rules.deck)
    tricks = {state.last_trick.cards: state.last_trick for state in states if state.last_trick}
    assert len(tricks) == rules.hand_size
    for state in states:
        if state.moment and state.last_trick and state.moment.complete:
            assert state.last_trick.cards == state.moment.cards
            assert state.last_trick.winner == state.moment.winning


@pytest.mark.parametrize("by", ["", "away", "default:timeout"])
def test_a_card_that_was_played_for_the_person_is_marked_as_such(by: str) -> None:
    rules, states = PRESETS["gongzhu"], list[PersonState]()
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    tracker = PersonStateTracker(states.append, TableInfo({}))

    def see(away: bool = False) -> None:
        view = View(*deal.known_to(0), totals=(0,) * 4, decision=1, limit=30.0)
        tracker.saw(Seen(view, ("you", "b", "c", "d"), away))

    see()
    while deal.phase is not Phase.OVER and not (deal.phase is Phase.PLAY and deal.to_act == (0,)):
        seat = deal.to_act[0]
        deal.apply(seat, deal.default_action(seat))
        see()
    if by == "default:timeout":
        tracker.notified(FaultNotice("timeout", "no answer within 30.000 s", 1, takeover=False))
    deal.apply(0, deal.default_action(0))
    see(away=by == "away")
    deal.apply(deal.to_act[0], deal.default_action(deal.to_act[0]))
    see(away=by == "away")
    newest = [state.moment.steps[0] for state in states if state.moment and state.moment.steps]
    assert [(step.seat == 0, step.by) for step in newest[-2:]] == [(True, by), (False, "")]


@every_preset
def test_only_the_own_hand_is_shown_and_each_card_that_may_not_be_played_says_why(rules: Rules) -> None:
    states, _ = game_of(rules)
    for state in states:
        if state.moment is None or state.deal is None:
            continue
        for seat, viewed in enumerate(state.moment.seats):
            hand = set(viewed.hand)
            if seat != state.deal.seat:
                passed = set(state.moment.seats[state.deal.seat or 0].passed)
                assert hand <= passed | set(viewed.exposed)
                assert not viewed.legal
            elif state.question and state.question.kind == "play":
                assert set(map(str, hand)) == set(map(str, state.question.legal)) | state.question.why.keys()
                assert all(barred.bar != "other" for barred in state.question.why.values())


def test_notices_of_a_new_start_have_greater_numbers_than_those_that_a_page_has_shown() -> None:
    """The page stays while its session ends and begins anew; it leaves out what it takes for shown."""
    shown: list[int] = []
    for start in (1000.0, 1060.0):
        tracker = PersonStateTracker(Mock(), TableInfo({}), clock=Mock(return_value=start))
        for phrase in get_args(Phrase)[:3]:
            tracker.show_phrase("Ben", phrase)
        shown += [notice.number for notice in tracker.state().notices]
    assert len(shown) == 6
    assert shown == sorted(set(shown))


async def test_a_person_may_say_a_few_phrases_and_then_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_session, "PHRASES_SECONDS", 1e6)
    monkeypatch.setattr(PersonStateTracker, "may_say", True)
    monkeypatch.setattr(seat_session, "_is_shared", lambda _: True)
    async with session_at(TableHere()) as session:
        for _ in range(MAX_PHRASES):
            await session.say_phrase("thanks")
        with pytest.raises(TooOften):
            await session.say_phrase("thanks")
