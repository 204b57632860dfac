"""Decisions of an event's organiser while it runs, and the ends of bots and matches that fail."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from sqlalchemy import select
from sqlalchemy.event import listen, remove
from structlog.testing import capture_logs

from ladder.app.accounts import managing
from ladder.app.event import holding, reading
from ladder.app.event.export_file import export_event, read_export
from ladder.app.event.verifying import verify_event
from ladder.app.matches import explanation
from ladder.app.seasons import new_season
from ladder.errors import Forbidden, LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands import event_rounds
from ladder.store.commands.event_rounds import advance_events
from ladder.store.commands.held_events import start_event
from ladder.store.commands.queue import MATCHES
from ladder.store.commands.suspending import set_state
from ladder.store.leases import MAX_LOSSES, Lease
from ladder.store.lookup import find_version
from ladder.values.accounts import ANONYMOUS, LOCAL, Role, Viewer
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from pigpen.rules import PRESETS
from tests.ladder.accounts import add_person
from tests.ladder.app.event_ladders import FILE, coordinator_of, open_cup, own_ways, play, started_cup
from tests.ladder.ladders import NOW, enter, lease, new_ladder
from tests.ladder.virtual import Time, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.runner.coordinator import Coordinator
    from ladder.store.database import Database
    from ladder.values.held_events import EventPage, EventTableRow
    from ladder.worker.match_tasks import MatchOutcome, MatchTask

ALL_ROUNDS = 12
"""More than the cup has."""
RULED = "Two bots of one author shared their cards."


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


@pytest.fixture
def coordinator(ladder: Ladder) -> Coordinator:
    return coordinator_of(ladder, Time())


def page(ladder: Ladder) -> EventPage:
    return reading.event(ladder, LOCAL, "cup", everything=True)


def table(ladder: Ladder, number: int, place: int = 1) -> EventTableRow:
    return page(ladder).round_list[number - 1].tables[place - 1]


def finish(ladder: Ladder, coordinator: Coordinator) -> EventPage:
    """Play what is left; the export then holds."""
    play(coordinator, ALL_ROUNDS)
    found = page(ladder)
    assert found.state is EventState.OVER
    path = ladder.settings.data_dir.parent / "cup.zip"
    export_event(ladder, "cup", path)
    verified = verify_event(path)
    assert (verified.holds, verified.findings) == (True, ())
    assert verified.winner == found.standings[0].name
    return found


def test_no_round_is_drawn_while_it_is_paused_and_what_is_drawn_is_played(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    holding.pause(ladder, LOCAL, "cup", "Dinner.")
    play(coordinator, ALL_ROUNDS)
    found = page(ladder)
    assert (found.state, found.reason, found.rounds) == (EventState.PAUSED, "Dinner.", 1)
    assert found.round_list[0].is_over
    with pytest.raises(LadderError, match=r"event 'cup' is paused\. "):
        holding.pause(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    assert (page(ladder).reason, page(ladder).rounds) == ("", 2)
    finish(ladder, coordinator)


def test_a_round_can_be_drawn_by_hand_once_the_last_one_is_over(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder)
    with pytest.raises(LadderError, match=r"2 tables of .* no result"):
        holding.draw(ladder, LOCAL, "cup")
    holding.pause(ladder, LOCAL, "cup")
    play(coordinator, 1)
    assert holding.draw(ladder, LOCAL, "cup") == 2
    assert page(ladder).state is EventState.PAUSED


def test_a_table_of_the_last_round_is_played_again_with_other_cards(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder)
    holding.pause(ladder, LOCAL, "cup")
    with pytest.raises(LadderError, match="Table 1 of round 1 "):
        holding.redo(ladder, LOCAL, "cup", 1, 1, "A power cut.")
    play(coordinator, 1)
    before = table(ladder, 1)
    with pytest.raises(UserError, match="A reason is needed"):
        holding.redo(ladder, LOCAL, "cup", 1, 1, " ")
    match = holding.redo(ladder, LOCAL, "cup", 1, 1, "A power cut.")
    again = table(ladder, 1)
    assert (again.match, again.turn, again.bots, again.boards) == (match, 1, before.bots, None)
    with ladder.database.read() as session:
        seeds = [session.get_one(models.StoredMatch, each).seed for each in (before.match, match)]
        assert seeds[0] != seeds[1]
    play(coordinator, 1)
    assert table(ladder, 1).boards
    holding.start(ladder, LOCAL, "cup")
    with pytest.raises(LadderError, match=r"Round 1 .*pigpen event rule"):
        holding.redo(ladder, LOCAL, "cup", 1, 1, "A power cut.")
    (row,) = (row for row in managing.audit(ladder, LOCAL) if row.action == "event.redo")
    assert (row.subject, "A power cut." in str(row)) == ("cup", True)
    finish(ladder, coordinator)


def test_no_table_is_played_again_after_the_end(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder)
    play(coordinator, ALL_ROUNDS)
    before = page(ladder)
    with pytest.raises(LadderError, match="pigpen event rule"):
        holding.redo(ladder, LOCAL, "cup", before.rounds, 1, "Another winner is wished.")
    assert page(ladder) == before


def test_a_table_that_is_played_again_shows_why_and_its_first_result(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder)
    play(coordinator, 1)
    first = table(ladder, 1)
    holding.redo(ladder, LOCAL, "cup", 1, 1, "A power cut.")
    finish(ladder, coordinator)
    (redo,) = table(ladder, 1).redos
    assert (redo.reason, redo.match, redo.points) == ("A power cut.", first.match, first.points)


def test_results_are_official_after_the_time_for_appeals(ladder: Ladder, tmp_path: Path) -> None:
    time = Time()
    now = replace(ladder, clock=time)
    started_cup(now, file=FILE.format(show="live").replace('show = "live"', 'show = "live"\nappeal_hours = 24'))
    coordinator = coordinator_of(now, time)
    play(coordinator, ALL_ROUNDS)
    before = page(now)
    assert (before.state, before.official) == (EventState.OVER, None)
    time.now += 23 * 3600
    winner = before.standings[0].name
    holding.rule(now, LOCAL, "cup", before.rounds, 1, [winner], RULED)
    ruled = finish(now, coordinator)
    assert ruled.round_list[before.rounds - 1].tables[0].points_before == before.round_list[-1].tables[0].points
    time.now += 24 * 3600 - 1
    coordinator.advance_events()
    assert page(now).official is None, "a ruling begins the time anew"
    time.now += 1
    coordinator.advance_events()
    coordinator.advance_events()
    official = page(now)
    assert official.official == time_of(time.now)
    assert [one.kind for one in official.stamps].count("event.official") == 1
    with pytest.raises(LadderError, match="official"):
        holding.rule(now, LOCAL, "cup", before.rounds, 1, [official.standings[0].name], RULED)
    assert page(now) == official
    export_event(now, "cup", tmp_path / "official.zip")
    assert verify_event(tmp_path / "official.zip").findings == ()


def test_a_match_of_an_event_has_no_explanation_and_the_sentence_says_so(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    play(coordinator, 1)
    match = table(ladder, 1).match
    assert match is not None
    with pytest.raises(UserError, match=f"Match {match} is of an"):
        explanation(ladder, match)


def test_a_ruling_changes_the_standings_and_not_the_tables_that_were_drawn(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    play(coordinator, 1)
    advance_events(ladder.database, NOW)
    before = page(ladder)
    assert before.rounds == 2
    victim = next(one.name for one in before.standings if one.name in table(ladder, 1).bots)
    holding.rule(ladder, LOCAL, "cup", 1, 1, [victim], RULED)
    ruled = table(ladder, 1)
    assert ruled.points is not None
    seat = ruled.bots.index(victim)
    assert ruled.points[seat] == 0
    (ruling,) = ruled.rulings
    assert (ruling.last, ruling.reason) == ((victim,), RULED)
    after = page(ladder)
    assert after.standings[-1].name == victim
    assert [each.tables for each in after.round_list[1:]] == [each.tables for each in before.round_list[1:]]
    (row,) = (row for row in managing.audit(ladder, LOCAL) if row.action == "event.rule")
    assert (row.subject, victim in str(row)) == ("cup", True)
    finish(ladder, coordinator)


def test_a_table_is_ruled_about_while_others_of_its_round_are_played(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder)
    (task,) = play(coordinator, 1, at_once=1)
    (place,) = (each.number for each in page(ladder).round_list[0].tables if each.match == task.match)
    victim = table(ladder, 1, place).bots[2]
    holding.rule(ladder, LOCAL, "cup", 1, place, [victim], "It had read the cards of others.")
    ruled = table(ladder, 1, place)
    assert ruled.points is not None
    assert ruled.points[2] == 0
    finish(ladder, coordinator)


def test_a_ruling_about_the_final_changes_the_winner_of_an_event_that_is_over(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    play(coordinator, ALL_ROUNDS)
    before = page(ladder)
    winner = before.standings[0].name
    assert winner in before.round_list[-1].tables[0].bots
    holding.rule(ladder, LOCAL, "cup", before.rounds, 1, [winner], "It had read the cards of others.")
    after = finish(ladder, coordinator)
    assert after.standings[0].name != winner
    assert {one.name for one in after.standings} == {one.name for one in before.standings}


@pytest.mark.parametrize(
    ("number", "place", "last", "sentence"),
    [
        (2, 1, ["Bot-1"], "'cup' has no table 1 in round 2|has no result yet"),
        (1, 3, ["Bot-1"], "'cup' has no table 3 in round 1"),
        (1, 1, ["Bot-77"], "'Bot-77' has not entered 'cup'. To list who has: pigpen event show cup"),
        (1, 1, [], "Name each bot that is to be last once: --last BOT"),
        (1, 1, ["other table"], "does not sit at table 1 of round 1"),
    ],
)
def test_a_ruling_is_about_bots_of_a_table_that_has_a_result(
    ladder: Ladder, coordinator: Coordinator, number: int, place: int, last: list[str], sentence: str
) -> None:
    started_cup(ladder)
    play(coordinator, 1)
    last = [table(ladder, 1, 2).bots[0] if bot == "other table" else bot for bot in last]
    with pytest.raises((LadderError, UserError), match=sentence):
        holding.rule(ladder, LOCAL, "cup", number, place, last, "A reason.")
    assert not any(each.rulings for found in page(ladder).round_list for each in found.tables)


def test_a_bot_that_leaves_is_replaced_by_a_stand_in_and_keeps_its_results(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    open_cup(ladder, 9)
    assert holding.withdraw(ladder, LOCAL, "cup", "Bot-9") is None
    assert len(page(ladder).entrant_list) == 8
    holding.freeze(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    holding.pause(ladder, LOCAL, "cup")
    play(coordinator, 1)
    assert holding.withdraw(ladder, LOCAL, "cup", "Bot-1") == 1
    with pytest.raises(LadderError, match="has left 'cup' already"):
        holding.withdraw(ladder, LOCAL, "cup", "Bot-1")
    holding.start(ladder, LOCAL, "cup")
    second = page(ladder).round_list[1]
    seated = [bot for each in second.tables for bot in each.bots]
    assert "Bot-1" not in seated
    assert [bot for bot in seated if bot.startswith("stand-in")]
    found = finish(ladder, coordinator)
    assert sorted(one.name for one in found.standings) == [f"Bot-{number}" for number in range(1, 9)]
    with pytest.raises(LadderError, match="event 'cup' is over"):
        holding.withdraw(ladder, LOCAL, "cup", "Bot-2")


def failing_cup(ladder: Ladder, show: str = "live", fields: str = "") -> Callable[[MatchTask], MatchOutcome]:
    """A cup of three rounds and a final; gives how its matches end: Bot-1 fails in each."""
    file = FILE.format(show=show).replace("rounds = 2", "rounds = 3").replace("entrants =", f"{fields}\nentrants =", 1)
    started_cup(ladder, file=file)
    return partial(own_ways, sinner="Bot-1")


def seated(found: EventPage, bot: str) -> list[bool]:
    """Tell for each round whether a bot sits at a table."""
    return [any(bot in each.bots for each in one.tables) for one in found.round_list]


def played_until(
    ladder: Ladder, coordinator: Coordinator, rounds: int, answer: Callable[..., MatchOutcome]
) -> EventPage:
    """Play until that many rounds have been drawn."""
    while (found := page(ladder)).rounds < rounds:
        play(coordinator, 1, answer, sum(not each.boards for one in found.round_list for each in one.tables))
    return found


def test_a_bot_that_is_taken_over_at_two_tables_leaves_and_the_chain_says_at_which(
    ladder: Ladder, coordinator: Coordinator, tmp_path: Path
) -> None:
    answer = failing_cup(ladder)
    assert seated(played_until(ladder, coordinator, 2, answer), "Bot-1") == [True, True]
    found = played_until(ladder, coordinator, 3, answer)
    assert seated(found, "Bot-1") == [True, True, False]
    places = [[each.number for each in one.tables if each.taken_over == ("Bot-1",)] for one in found.round_list[:2]]
    (entrant,) = (one for one in found.entrant_list if one.left_after is not None)
    at = ((1, places[0][0]), (2, places[1][0]))
    assert (entrant.name, entrant.left_after, entrant.left_by, entrant.taken_over) == ("Bot-1", 2, "takeovers", at)
    with pytest.raises(LadderError, match="has left"):
        holding.withdraw(ladder, LOCAL, "cup", "Bot-1")
    found = finish(ladder, coordinator)
    assert found.standings[-1].name == "Bot-1"
    links = read_export(ladder.settings.data_dir.parent / "cup.zip").links
    (left,) = (each.data for each in links if each.kind == "event.bot_left")
    assert left == {"entrant": entrant.number, "after": 2, "by": "takeovers", "tables": [list(each) for each in at]}


@pytest.mark.parametrize(("fields", "rounds"), [("takeovers = 0", 3), ("takeovers = 3", 3), ("takeovers = 1", 1)])
def test_the_file_says_after_how_many_tables_a_bot_leaves(
    ladder: Ladder, coordinator: Coordinator, fields: str, rounds: int
) -> None:
    answer = failing_cup(ladder, fields=fields)
    found = played_until(ladder, coordinator, 4, answer)
    assert seated(found, "Bot-1") == [number <= rounds for number in range(1, 4)] + [False]
    finish(ladder, coordinator)


def test_a_table_that_is_played_again_without_a_takeover_keeps_the_bot_in(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    answer = failing_cup(ladder)
    played_until(ladder, coordinator, 2, answer)
    holding.pause(ladder, LOCAL, "cup")
    play(coordinator, 1, answer, 2)
    failed = next(each for each in page(ladder).round_list[1].tables if each.taken_over)
    assert not any(one.left_after is not None for one in page(ladder).entrant_list), "not before the next draw"
    holding.redo(ladder, LOCAL, "cup", 2, failed.number, "The machine was too slow.")
    play(coordinator, 1, own_ways, 1)
    holding.start(ladder, LOCAL, "cup")
    assert seated(played_until(ladder, coordinator, 3, own_ways), "Bot-1") == [True] * 3
    finish(ladder, coordinator)


def test_that_a_bot_has_left_by_takeovers_is_public_no_sooner_than_their_results(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    answer = failing_cup(ladder, show="manual")
    played_until(ladder, coordinator, 3, answer)
    shown = []
    while True:
        public = reading.event(ladder, ANONYMOUS, "cup")
        (one,) = (each for each in public.entrant_list if each.name == "Bot-1")
        shown.append(
            (public.rounds, one.left_after, sum(bool(each.kind == "event.bot_left") for each in public.stamps))
        )
        if public.rounds == 3:
            break
        assert holding.release(ladder, LOCAL, "cup")
    assert shown == [(1, None, 0)] * 2 + [(2, None, 0)] * 2 + [(3, 2, 1)]


def test_results_are_shown_one_table_after_the_other(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder, file=FILE.format(show="manual"))
    assert holding.release(ladder, LOCAL, "cup") is None  # nothing has been played
    play(coordinator, ALL_ROUNDS)
    everything = page(ladder)
    assert everything.state is EventState.OVER
    with pytest.raises(LadderError, match=r"'cup' .*event release cup"):
        export_event(ladder, "cup", ladder.settings.data_dir.parent / "early.zip")
    tables = [(found.number, each.number) for found in everything.round_list for each in found.tables]
    for number, place in tables:
        before = reading.event(ladder, LOCAL, "cup")
        assert before.seed is None
        assert before.round_list[number - 1].tables[place - 1].boards is None
        assert holding.release(ladder, LOCAL, "cup") == (number, place)
        after = reading.event(ladder, LOCAL, "cup")
        assert after.round_list[number - 1].tables[place - 1].boards is not None
    assert holding.release(ladder, LOCAL, "cup") is None
    assert reading.event(ladder, LOCAL, "cup") == page(ladder)
    finish(ladder, coordinator)


def test_a_match_that_the_platform_failed_is_played_again(ladder: Ladder) -> None:
    started_cup(ladder)
    time = Time()
    coordinator = coordinator_of(ladder, time)
    (failed, done) = coordinator.take(2)
    coordinator.record(done, recorded(done))
    assert coordinator.fail(failed, "No Docker engine answers.") is models.Status.QUEUED
    assert coordinator.suspect(failed.match, 0) == []
    assert page(ladder).rounds == 1
    time.now += 3600  # it is tried again after a while
    found = finish(ladder, coordinator)
    (again,) = (each for each in found.round_list[0].tables if each.match == failed.match)
    assert again.turn == 0
    assert again.boards


def test_a_match_that_the_platform_gives_up_pauses_the_event_until_it_is_played_again(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    first = table(ladder, 1).match
    assert first is not None
    with ladder.database.write() as session:
        for _ in range(MAX_LOSSES):
            attempt = lease(session, first)
            MATCHES.lose(session, Lease(first, attempt), NOW, "No worker had a slot for it.")
    play(coordinator, 3)
    found = page(ladder)
    assert (found.state, found.rounds) == (EventState.PAUSED, 1)
    assert f" {first} at table 1 of round 1" in found.reason
    assert "pigpen event redo cup --round 1 --table 1 --reason TEXT" in found.reason
    assert found.reason.endswith("pigpen event start cup")
    holding.redo(ladder, LOCAL, "cup", 1, 1, "No worker had a slot.")
    holding.start(ladder, LOCAL, "cup")
    assert finish(ladder, coordinator).round_list[0].tables[0].turn == 1


def test_bots_that_are_suspended_or_replaced_play_their_event_to_the_end(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    with ladder.database.write() as session:
        (suspended, replaced) = (
            session.get_one(models.Rating, ("gongzhu", find_version(session, name, "gongzhu").id))
            for name in ("Bot-1", "Bot-2")
        )
        set_state(session, suspended, models.State.SUSPENDED, "ladder", "It failed too often.", NOW)
        enter(session, "Bot-2", "gongzhu")
        played = {suspended.version_id, replaced.version_id}
    tasks = play(coordinator, ALL_ROUNDS)
    assert page(ladder).state is EventState.OVER
    events_own = [each.match for found in page(ladder).round_list for each in found.tables]
    with ladder.database.read() as session:
        versions = set(
            session.scalars(select(models.StoredSeat.version_id).where(models.StoredSeat.match_id.in_(events_own)))
        )
    assert played <= versions
    assert {task.match for task in tasks} >= set(events_own)
    assert {"Bot-1", "Bot-2"} <= {one.name for one in page(ladder).standings}


def test_an_event_keeps_its_rules_when_a_later_season_has_others(ladder: Ladder, coordinator: Coordinator) -> None:
    started_cup(ladder)
    play(coordinator, ALL_ROUNDS)
    before = page(ladder)
    new_season(ladder, LOCAL, "gongzhu", rules=replace(PRESETS["gongzhu"], title="Another gongzhu"))
    assert finish(ladder, coordinator) == before
    sentence = r"'cup' was played by the rules that gongzhu had before its new season\. No match of it can be played"
    with pytest.raises(LadderError, match=sentence):
        holding.redo(ladder, LOCAL, "cup", before.rounds, 1, "The wrong clock.")
    with pytest.raises(LadderError, match=sentence):
        holding.rule(ladder, LOCAL, "cup", 1, 1, [table(ladder, 1).bots[0]], "It had read the cards of others.")
    assert page(ladder) == before


def test_an_event_that_all_bots_have_left_is_over_and_the_ladder_plays_on(
    ladder: Ladder, coordinator: Coordinator
) -> None:
    started_cup(ladder)
    play(coordinator, 1)
    for number in range(1, 9):
        holding.withdraw(ladder, LOCAL, "cup", f"Bot-{number}")
    assert coordinator.take(1)
    found = page(ladder)
    assert (found.state, found.rounds) == (EventState.OVER, 1)
    assert len(found.standings) == 8


def test_a_bug_that_one_event_meets_pauses_it_and_the_ladder_plays_on(
    ladder: Ladder, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    started_cup(ladder)
    play(coordinator, 1)
    with monkeypatch.context() as patched, capture_logs() as logged:
        patched.setattr(event_rounds, "_step", Mock(side_effect=ValueError("no tables")))
        tasks = coordinator.take(4)
    assert tasks
    (failed,) = (each for each in logged if each["event"] == "event.failed")
    assert (failed["name"], str(failed["exc_info"])) == ("cup", "no tables")
    found = page(ladder)
    assert (found.state, found.rounds) == (EventState.PAUSED, 1)
    assert "could not be drawn" in found.reason
    assert found.reason.endswith("pigpen event start cup")
    holding.start(ladder, LOCAL, "cup")
    assert finish(ladder, coordinator).rounds > 1


def test_no_round_is_drawn_by_results_of_which_one_is_to_be_played_again(
    ladder: Ladder, coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The organiser decides it after the coordinator has found the event, and before it draws."""
    started_cup(ladder)
    play(coordinator, 1)
    advance = event_rounds._advance

    def late(database: Database, event: int, now: float) -> tuple[str, int] | None:
        holding.redo(ladder, LOCAL, "cup", 1, 1, "A power cut.")
        return advance(database, event, now)

    with monkeypatch.context() as patched:
        patched.setattr(event_rounds, "_advance", late)
        assert advance_events(ladder.database, NOW) == []
    assert (page(ladder).state, page(ladder).rounds) == (EventState.RUNNING, 1)
    assert finish(ladder, coordinator).round_list[0].tables[0].turn == 1


class Killed(BaseException):
    """The process ends here."""


def test_a_process_that_is_killed_while_it_draws_a_round_leaves_nothing_of_it(ladder: Ladder) -> None:
    """At each of the statements that write the round: the next process draws the same one, once."""
    open_cup(ladder)
    holding.freeze(ladder, LOCAL, "cup")
    with ladder.database.write() as session:
        event = session.scalars(select(models.StoredEvent)).one()
        start_event(session, event, NOW)
    frozen = page(ladder)
    engine, tried, crashes = ladder.database.engine, 0, 0
    while page(ladder).rounds == 0:
        left = crashes

        def crash(*_: object) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed

        listen(engine, "before_cursor_execute", crash)
        try:
            advance_events(ladder.database, NOW)
        except Killed:
            tried += 1
            remove(engine, "before_cursor_execute", crash)
            assert page(ladder) == frozen
            with ladder.database.read() as session:
                assert session.scalars(select(models.StoredMatch)).all() == []
        else:
            remove(engine, "before_cursor_execute", crash)
        crashes += 1
    assert tried > 20
    drawn = page(ladder).round_list
    assert [len(found.tables) for found in drawn] == [2]
    assert advance_events(ladder.database, NOW) == []
    assert page(ladder).round_list == drawn
    with ladder.database.read() as session:
        assert len(session.scalars(select(models.StoredMatch)).all()) == 2


ACTS: dict[str, Callable[[Ladder, Viewer], object]] = {
    "freeze": lambda ladder, viewer: holding.freeze(ladder, viewer, "cup"),
    "start": lambda ladder, viewer: holding.start(ladder, viewer, "cup"),
    "pause": lambda ladder, viewer: holding.pause(ladder, viewer, "cup"),
    "draw": lambda ladder, viewer: holding.draw(ladder, viewer, "cup"),
    "redo": lambda ladder, viewer: holding.redo(ladder, viewer, "cup", 1, 1, "why"),
    "rule": lambda ladder, viewer: holding.rule(ladder, viewer, "cup", 1, 1, ["Bot-1"], "why"),
    "release": lambda ladder, viewer: holding.release(ladder, viewer, "cup"),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("viewer", [ANONYMOUS, Viewer("ada")], ids=["nobody", "an account"])
def test_only_organisers_decide(ladder: Ladder, act: str, viewer: Viewer) -> None:
    started_cup(ladder)
    before = page(ladder)
    with pytest.raises(Forbidden):
        ACTS[act](ladder, viewer)
    assert page(ladder) == before


def test_every_decision_is_written_down_with_who_has_made_it(ladder: Ladder, coordinator: Coordinator) -> None:
    open_cup(ladder)
    olga = Viewer("olga", is_organiser=True)
    add_person(ladder, "olga", Role.ORGANISER)
    with ladder.database.write() as session:
        enter(session, "Late", "gongzhu", owner="ada")
    before = len(managing.audit(ladder, LOCAL))
    holding.enter(ladder, Viewer("ada"), "cup", "Late")
    holding.withdraw(ladder, Viewer("ada"), "cup", "Late")
    for act in ("freeze", "start"):
        ACTS[act](ladder, olga)
    play(coordinator, 1)
    for act in ("pause", "draw"):
        ACTS[act](ladder, olga)
    holding.rule(ladder, olga, "cup", 1, 1, [page(ladder).round_list[0].tables[0].bots[0]], "why")
    done = managing.audit(ladder, LOCAL)
    new = list(reversed(done[: len(done) - before]))
    assert [(row.actor, row.action, row.subject) for row in new] == [
        ("ada", "event.enter", "cup"),
        ("ada", "event.withdraw", "cup"),
        *(("olga", f"event.{act}", "cup") for act in ("freeze", "start", "pause", "draw", "rule")),
    ]
    assert [row.details["bot"] for row in new[:2]] == ["Late", "Late"]


def test_an_event_starts_once_its_entrants_are_final(ladder: Ladder) -> None:
    open_cup(ladder)
    with pytest.raises(LadderError, match=r"'cup' .*: pigpen event freeze"):
        holding.start(ladder, LOCAL, "cup")
