"""The bracket of an event: each bot at its tables, and where it went on."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from ladder.app.event import holding, reading
from ladder.settings.settings import load_settings
from ladder.site.pages import events
from ladder.site.pages.events import Column, bracket, going_on
from ladder.values.accounts import ANONYMOUS, LOCAL
from ladder.values.held_events import EventState
from tests.ladder.app.event_ladders import FILE, coordinator_of, own_ways, play, started_cup
from tests.ladder.recorded_ladders import new_ladder
from tests.ladder.site.chinese_words import latin
from tests.ladder.site.visitor import Visitor
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

HEAD = FILE.partition("[[stage]]")[0]
FINAL = FILE.rpartition("[[stage]]")[2]
PODS = f"""{HEAD}
[[stage]]
name = "Pods"
kind = "pods"
advance = 2
until = 4
format = "boards:1"
play_off = "boards:1"

[[stage]]{FINAL}"""
HALVING = f"""{HEAD}
[[stage]]
name = "Halving"
kind = "halving"
until = 8
format = "boards:1"

[[stage]]
name = "Eight"
kind = "round-robin"
rounds = 2
format = "boards:1"
play_off = "boards:1"

[[stage]]{FINAL}"""


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


def finished(ladder: Ladder, bots: int, file: str) -> tuple[Column, ...]:
    """Play a cup to its end; give its bracket."""
    started_cup(ladder, bots, file=file.format(show="live"))
    coordinator = coordinator_of(ladder, Time())
    while (page := reading.event(ladder, ANONYMOUS, "cup")).state is not EventState.OVER:
        play(coordinator, 1, own_ways, at_once=sum(not each.boards for one in page.round_list for each in one.tables))
    return bracket(page)


def plain(column: Column) -> dict[int, list[str]]:
    """The bots of each table of a column, play-offs and stand-ins aside."""
    return {
        pod.table: [seat.name for seat in pod.seats if seat.number > 0] for pod in column.pods if not pod.is_play_off
    }


def test_each_bot_goes_on_to_the_table_at_which_it_sits_next(ladder: Ladder) -> None:
    columns = finished(ladder, 11, PODS)  # a stand-in sits in both rounds of pods
    page = reading.event(ladder, ANONYMOUS, "cup")
    assert [(one.stage, one.tables) for one in columns] == [("Pods", 3), ("Pods", 2), ("Final", 1)]
    rounds = [one for one in page.round_list if one.kind == "round"]
    assert [one.round for one in columns] == [one.round for one in rounds]  # a play-off at the cut is a round, too
    for one, column in zip(rounds, columns, strict=True):
        for table in one.tables:
            assert sorted(plain(column)[table.number]) == sorted(bot for bot in table.bots if bot.startswith("Bot-"))
    for column, following in pairwise(columns):
        went = {seat.name: seat.to for pod in column.pods if not pod.is_play_off for seat in pod.seats if seat.to}
        assert went == {name: table for table, names in plain(following).items() for name in names}
    assert {seat.to for pod in columns[-1].pods for seat in pod.seats} == {None}
    for pod in (pod for one in columns for pod in one.pods):
        points = [seat.points for seat in pod.seats]
        assert points == sorted(points, key=lambda each: -(each or 0))
        assert None not in points


def test_a_stage_of_several_rounds_is_one_column_with_sums(ladder: Ladder) -> None:
    columns = finished(ladder, 16, HALVING)
    page = reading.event(ladder, ANONYMOUS, "cup")
    assert [(one.stage, one.round, one.tables) for one in columns] == [
        ("Halving", 1, 4),
        ("Eight", 0, 1),
        ("Final", 1, 1),
    ]
    eight = columns[1].pods[0]
    mine = [one for one in page.round_list if one.stage == "Eight" and one.kind == "round"]
    assert len(mine) == 2
    for seat in eight.seats:
        at = [(table, table.bots.index(seat.name)) for one in mine for table in one.tables if seat.name in table.bots]
        assert seat.points == sum(table.points[place] for table, place in at if table.points)
    assert sum(seat.to == 0 for pod in columns[0].pods if not pod.is_play_off for seat in pod.seats) == 8
    assert sum(seat.to == 1 for seat in eight.seats) == 4
    shown = Visitor(ladder).page("/events/cup")
    assert shown.count('id="pod-') == sum(len(one.pods) for one in columns)
    assert f'href="#pod-{eight.round}-0">→ Eight</a>' in shown


def test_what_is_not_shown_has_no_points_and_nobody_goes_on(ladder: Ladder) -> None:
    started_cup(ladder, 8, file=PODS.format(show="manual"))
    coordinator = coordinator_of(ladder, Time())
    play(coordinator, 1, own_ways, at_once=2)
    holding.release(ladder, LOCAL, "cup")
    (column,) = bracket(reading.event(ladder, ANONYMOUS, "cup"))
    assert [seat.points is None for pod in column.pods for seat in pod.seats] == [False] * 4 + [True] * 4
    assert {seat.to for pod in column.pods for seat in pod.seats} == {None}
    assert going_on(reading.event(ladder, ANONYMOUS, "cup")) == {}
    assert "→" not in Visitor(ladder).page("/events/cup").partition('class="bracket"')[2]


def test_events_without_such_a_stage_have_no_bracket(ladder: Ladder) -> None:
    assert finished(ladder, 8, FILE) == ()
    assert 'class="bracket"' not in Visitor(ladder).page("/events/cup")


def test_the_page_has_a_bracket_in_chinese_and_leaves_rounds_out_that_are_too_great(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = finished(ladder, 15, PODS)
    page = Visitor(ladder).page("/events/cup")
    assert ">Pods, round 1</a>" in page
    for column, sign, least in (
        (columns[0], "→ Table ", sum(map(len, plain(columns[1]).values()))),
        (columns[1], "→ Final", 4),
    ):
        marked = sum(seat.to is not None for pod in column.pods for seat in pod.seats)  # in a play-off once more
        assert page.count(sign) == marked >= least
    winner = reading.event(ladder, ANONYMOUS, "cup").standings[0].name
    assert page.partition(">Final</a></h3>")[2].index('<li class="on">') < page.partition(">Final</a></h3>")[2].index(
        winner
    )
    chinese = Visitor(ladder).get("/events/cup", accept_language="zh").text
    shown = '<html lang="zh"><body>' + chinese.partition("晋级图</h2>")[2].partition("<h2>")[0] + "</body></html>"
    assert latin(shown, {"Pods", "Final", *(f"Bot-{number}" for number in range(1, 16))}) == []
    monkeypatch.setattr(events, "MAX_SEATS", 8)
    assert [one.stage for one in bracket(reading.event(ladder, ANONYMOUS, "cup"))][-1] == "Final"
    assert len(bracket(reading.event(ladder, ANONYMOUS, "cup"))) < len(columns)
