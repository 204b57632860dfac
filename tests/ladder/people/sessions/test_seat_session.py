"""The session of a person's chair in the web process: tabs, answers sent twice, tables that die and come again."""

from __future__ import annotations

import asyncio
import re

import pytest

from ladder.errors import Conflict, LadderError, StoreError, TooOften, UserError
from ladder.people.sessions.seat_session import MAX_MESSAGES, MAX_TABS, TOO_MANY_TABS
from ladder.people.sessions.table_info import FoundSeat
from ladder.values.people import TableStatus
from pigpen.rules import PRESETS
from referee.records.lines import DealLine, MatchLine
from tests.ladder.people.sessions.open_sessions import TableHere, first_answer, play_on, session_at, until
from tests.waiting import PATIENCE


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
        assert str(refused.value) not in ("", "It may not be played now.")
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
