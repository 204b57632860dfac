"""Events on a ladder, held by a coordinator, and verified from their exports."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text

from ladder.app.database_maintenance import check_database
from ladder.app.event import holding, reading
from ladder.app.event.export_file import export_event
from ladder.app.event.verifying import verify_event
from ladder.errors import LadderError, UserError
from ladder.events.course import max_matches
from ladder.events.event_file import parse_event
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.entries import retire
from ladder.store.lookup import find_version
from ladder.store.queries.matches import unfinished
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from pigpen.rules import PRESETS
from tests.ladder.app.event_ladders import FILE, coordinator_of, open_cup, own_ways, play, started_cup
from tests.ladder.ladders import new_ladder, queue
from tests.ladder.virtual import Time, recorded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

RATED = ("ratings", "pair_stats", "rating_points", "think_times", "estimates", "state_changes")
"""Tables of what is rated."""
ROUNDS = 12
"""More than the cup has."""


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


def rows(ladder: Ladder) -> dict[str, list[tuple[object, ...]]]:
    with ladder.database.read() as session:
        names = set(session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")))
        assert set(RATED) <= names
        return {name: sorted(map(tuple, session.execute(text(f"SELECT * FROM {name}"))), key=repr) for name in RATED}


def edited(path: Path, change: dict[str, bytes]) -> Path:
    """The same archive with some of its files changed."""
    target = path.with_name(f"edited-{path.name}")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            copy.writestr(name, change.get(name, source.read(name)))
    return target


def test_an_event_is_played_to_its_end(ladder: Ladder) -> None:
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), ROUNDS)
    page = reading.event(ladder, LOCAL, "cup")
    assert page.state is EventState.OVER
    assert sorted(one.name for one in page.standings) == sorted(f"Bot-{number}" for number in range(1, 9))
    assert page.standings[0].place == 1


@pytest.mark.sqlite
def test_an_event_that_is_not_rated_changes_nothing_that_is(ladder: Ladder) -> None:
    started_cup(ladder)
    before = rows(ladder)
    events_matches = play_event_alone(ladder)
    assert events_matches
    assert rows(ladder) == before
    assert list(check_database(ladder)) == []


def play_event_alone(ladder: Ladder) -> int:
    """Play until the event is over; give how many of its matches are done."""
    coordinator = coordinator_of(ladder, Time())
    for _ in range(ROUNDS):
        if reading.event(ladder, LOCAL, "cup").state is EventState.OVER:
            break
        play(coordinator, 1, at_once=1)
    with ladder.database.read() as session:
        done = session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.status == models.Status.DONE))
        return len(done.all())


def test_two_coordinators_draw_each_round_once(ladder: Ladder) -> None:
    started_cup(ladder)
    time = Time()
    one, other = coordinator_of(ladder, time), coordinator_of(ladder, time)
    for _ in range(ROUNDS):
        play(one, 1, at_once=1)
        play(other, 1, at_once=1)
    page = reading.event(ladder, LOCAL, "cup", everything=True)
    assert page.state is EventState.OVER
    assert [found.number for found in page.round_list] == list(range(1, page.rounds + 1))
    assert [len(found.tables) for found in page.round_list if found.kind == "round"] == [2, 2, 1]
    matches = [table.match for found in page.round_list for table in found.tables]
    with ladder.database.read() as session:
        events_own = session.scalars(
            select(models.StoredMatch.id).where(models.StoredMatch.event_id.is_not(None))
        ).all()
    assert sorted(matches) == sorted(events_own)  # type: ignore[type-var]


def test_matches_of_an_event_are_played_before_those_that_wait_longer(ladder: Ladder) -> None:
    open_cup(ladder)
    with ladder.database.write() as session:
        versions = [find_version(session, f"Bot-{number}").id for number in range(1, 5)]
        waiting = [queue(session, versions, "gongzhu", seed=str(number)) for number in range(3)]
    holding.freeze(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    taken = [task.match for task in coordinator_of(ladder, Time()).take(2)]
    assert sorted(taken) == sorted(
        table.match or 0 for table in reading.event(ladder, LOCAL, "cup", everything=True).round_list[0].tables
    )
    assert min(taken) > max(waiting)


def test_the_records_of_an_event_are_kept_where_the_ladder_keeps_the_newest_alone(
    ladder: Ladder, tmp_path: Path
) -> None:
    few = replace(ladder, settings=ladder.settings.model_copy(update={"records": 1}))
    started_cup(few)
    play(coordinator_of(few, Time()), ROUNDS)
    assert reading.event(few, LOCAL, "cup").state is EventState.OVER
    with few.database.read() as session:
        done = session.scalars(select(models.StoredMatch).where(models.StoredMatch.status == models.Status.DONE)).all()
    of_ladder = [match for match in done if match.event_id is None]
    assert len(of_ladder) > 1
    assert sum(match.record_kept for match in of_ladder) == 1
    of_event = [match for match in done if match.event_id is not None]
    assert all(match.record_kept and few.files.record(match.id, match.attempt).exists() for match in of_event)
    export_event(few, "cup", tmp_path / "cup.zip")
    assert verify_event(tmp_path / "cup.zip").holds


def test_a_bot_that_is_retired_stays_in_its_event(ladder: Ladder) -> None:
    started_cup(ladder)
    with ladder.database.write() as session:
        retire(session, "Bot-1", [], "enough", 0.0)
    play(coordinator_of(ladder, Time()), ROUNDS)
    page = reading.event(ladder, LOCAL, "cup")
    assert page.state is EventState.OVER
    assert "Bot-1" in {one.name for one in page.standings}


def test_the_seed_is_committed_to_before_anyone_enters_and_known_at_the_end(ladder: Ladder) -> None:
    open_cup(ladder)
    committed = reading.event(ladder, LOCAL, "cup")
    assert (committed.seed, len(committed.commitment)) == (None, 64)
    holding.freeze(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    play(coordinator_of(ladder, Time()), ROUNDS)
    page = reading.event(ladder, LOCAL, "cup")
    assert page.seed
    assert page.commitment == committed.commitment


def test_an_export_holds_on_its_own_and_not_once_it_is_edited(ladder: Ladder, tmp_path: Path) -> None:
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), ROUNDS)
    path = tmp_path / "cup.zip"
    export_event(ladder, "cup", path)
    found = verify_event(path)
    page = reading.event(ladder, LOCAL, "cup", everything=True)
    tables = sum(len(each.tables) for each in page.round_list)
    assert (found.holds, found.findings, found.rounds, found.tables) == (True, (), page.rounds, tables)
    assert found.winner == page.standings[0].name

    with zipfile.ZipFile(path) as file:
        event = json.loads(file.read("event.json"))
        record = next(name for name in file.namelist() if name != "event.json")
    seats = event["rounds"][0]["tables"]
    seats[0]["entrants"], seats[1]["entrants"] = seats[1]["entrants"], seats[0]["entrants"]
    assert not verify_event(edited(path, {"event.json": json.dumps(event).encode()})).holds
    assert not verify_event(edited(path, {record: b""})).holds
    (tmp_path / "no.zip").write_text("no")
    with pytest.raises(UserError, match="read as an export"):
        verify_event(tmp_path / "no.zip")


def test_a_sealed_round_is_not_among_the_matches_of_the_ladder(ladder: Ladder) -> None:
    started_cup(ladder, file=FILE.format(show="manual"))
    with ladder.database.read() as session:
        queued = session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.sealed)).all()
        assert len(queued) == 2
        assert not {row.id for row in unfinished(session, models.Status.QUEUED, 50)} & set(queued)


def test_numbers_of_later_matches_do_not_show_whether_there_was_a_play_off(tmp_path: Path) -> None:
    rounds, numbers, later = [], [], []
    for name, answer in (("all alike", recorded), ("all different", own_ways)):
        ladder = new_ladder(load_settings(data_dir=tmp_path / name, sandbox="process"))
        started_cup(ladder, file=FILE.format(show="manual"))
        coordinator = coordinator_of(ladder, Time())
        while (held := reading.event(ladder, LOCAL, "cup", everything=True)).state is not EventState.OVER:
            play(coordinator, 1, answer, sum(not each.boards for one in held.round_list for each in one.tables))
        rounds.append(len(held.round_list))
        numbers.append([each.match or 0 for one in held.round_list for each in one.tables])
        later.append([task.match for task in play(coordinator, 2, answer, 2)])
        ladder.database.close()
    assert rounds[0] > rounds[1], "one of them had a play-off"
    assert numbers[1] == numbers[0][: len(numbers[1])] == list(range(1, len(numbers[1]) + 1))
    assert later[0] == later[1]
    assert min(later[0]) > max(numbers[0])


def test_tables_played_again_and_again_use_up_the_numbers_of_the_event_and_then_those_of_all(ladder: Ladder) -> None:
    started_cup(ladder, file=FILE.format(show="round"))
    reserved = max_matches(parse_event(FILE.format(show="round")), 8, PRESETS["gongzhu"])
    coordinator, numbers = coordinator_of(ladder, Time()), [1, 2]
    first, _ = coordinator.take(2)  # the other table is not over meanwhile, so that no round follows
    coordinator.record(first, recorded(first))
    with ladder.database.write() as session:
        version = session.scalar(select(models.StoredSeat.version_id).where(models.StoredSeat.match_id == 1))
        assert version
        assert queue(session, [version] * 4, "gongzhu") == reserved + 1
    while len(numbers) < reserved + 1:
        holding.redo(ladder, LOCAL, "cup", 1, 1, "The light went out.")
        (task,) = play(coordinator, 1, at_once=1)
        numbers.append(task.match)
    assert numbers == [*range(1, reserved + 1), reserved + 2]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda ladder: holding.enter(ladder, LOCAL, "cup", "Bot-9"), "Bot-9"),
        (lambda ladder: holding.enter(ladder, LOCAL, "nothing", "Bot-1"), "There is no event 'nothing' on this ladder"),
        (lambda ladder: holding.start(ladder, LOCAL, "cup"), "cup"),
        (lambda ladder: holding.open_event(ladder, LOCAL, "cup", FILE.format(show="live"), PRESETS["gongzhu"]), "cup"),
    ],
)
def test_what_cannot_be_done_now_is_said(ladder: Ladder, act: object, sentence: str) -> None:
    open_cup(ladder)
    with pytest.raises(LadderError, match=sentence):
        act(ladder)  # type: ignore[operator]


@pytest.mark.parametrize("reason", ["a\x1b[2J", "\u202egnp", "two\nlines", "   "])
def test_a_reason_that_cannot_be_shown_is_refused(ladder: Ladder, reason: str) -> None:
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), 1)
    for act in (
        lambda: holding.pause(ladder, LOCAL, "cup", reason),
        lambda: holding.redo(ladder, LOCAL, "cup", 1, 1, reason),
        lambda: holding.rule(ladder, LOCAL, "cup", 1, 1, ["Bot-1"], reason),
    ):
        with pytest.raises(UserError, match=r"reason (cannot be|is needed)"):
            act()
    assert reading.event(ladder, LOCAL, "cup").state is not EventState.PAUSED


def test_an_event_whose_title_cannot_be_printed_is_not_opened(ladder: Ladder) -> None:
    for odd in ("\\u0001", "\\u202e", "\\n"):
        with pytest.raises(UserError, match="which cannot be printed"):
            open_cup(ladder, 0, file=FILE.format(show="live").replace("Small", f"Small{odd}"))
    assert reading.events(ladder) == ()
