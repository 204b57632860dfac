"""Standings some rows at a time say what the whole of them says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app import bots
from ladder.app.standings_page import ROWS, in_order, standings_page
from ladder.settings.settings import load_settings
from ladder.store.models import State
from ladder.values.order import Column
from tests.ladder.ladders import enter, new_ladder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.standings import StandingRow

BOTS = 2 * ROWS + 5


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    """More bots than two pages have, and one that is suspended; no test changes it."""
    ladder = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("long")))
    with ladder.database.write() as session:
        for number in range(BOTS):
            enter(session, f"Bot{number:03}", owner=f"Owner{number % 7}", rating=1400.0 + number)
        enter(session, "Idler", state=State.SUSPENDED, rating=3000.0)
    yield ladder
    ladder.database.close()


@pytest.mark.parametrize(("page", "rows"), [(1, ROWS), (2, ROWS), (3, 5), (9, 5)])
def test_a_page_has_the_rows_that_the_whole_table_has_there(long: Ladder, page: int, rows: int) -> None:
    (whole,) = bots.standings(long)
    found = standings_page(long, "hearts", page=page)
    number = min(page, 3)
    assert found.table.standings == whole.standings[(number - 1) * ROWS : number * ROWS]
    assert (len(found.table.standings), found.extent.rows, found.page, found.pages) == (rows, BOTS, number, 3)
    assert found.table.next == (number * ROWS if number < 3 else None)
    assert found.table.model_copy(update={"standings": whole.standings, "next": None}) == whole


def test_those_that_do_not_play_stand_at_the_end(long: Ladder) -> None:
    found = standings_page(long, "hearts", everyone=True, page=3)
    assert (found.extent.rows, found.table.standings[-1].bot) == (BOTS + 1, "Idler")


def test_the_scale_is_that_of_all_rows_whatever_is_searched_for(long: Ladder) -> None:
    (whole,) = bots.standings(long)
    found = standings_page(long, "hearts", search="bOT00")
    assert [row.bot for row in found.table.standings] == [f"Bot00{number}" for number in range(9, -1, -1)]
    assert (found.extent.rows, found.pages) == (BOTS, 1)
    assert found.extent.low == pytest.approx(min(row.elo for row in whole.standings))
    assert found.extent.high == pytest.approx(max(row.elo for row in whole.standings))
    assert len(standings_page(long, "hearts", search="owner6").table.standings) == len(range(6, BOTS, 7))


def test_the_scale_goes_to_the_ends_of_the_intervals(tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    with ladder.database.write() as session:
        enter(session, "Best", rating=1700.0)
        enter(session, "Sure", rating=1500.0)
        enter(session, "Unsure", rating=1500.0)
        session.connection().exec_driver_sql("UPDATE ratings SET error = 400 WHERE rating = 1500")
    (whole,) = bots.standings(ladder)
    extent = standings_page(ladder, "hearts").extent
    ladder.database.close()
    assert extent.low == pytest.approx(min(row.elo - (row.error or 0.0) for row in whole.standings))
    assert extent.high == pytest.approx(max(row.elo + (row.error or 0.0) for row in whole.standings))


def row(long: Ladder, **values: object) -> StandingRow:
    return bots.standings(long)[0].standings[0].model_copy(update=values)


def test_rows_are_sorted_by_a_column_and_those_without_a_value_come_last(long: Ladder) -> None:
    one = row(long, bot="a", matches=3, shares=(0.5, 0.5), fault_rate=None, change=-4.0)
    two = row(long, bot="B", matches=9, shares=(), fault_rate=0.25, change=None)
    three = row(long, bot="c", matches=5, shares=(0.75, 0.25), fault_rate=0.0, change=6.0)
    rows = (three, two, one)
    for sort, expected in (
        (None, "cBa"), (Column.BOT, "aBc"), (Column.MATCHES, "Bca"), (Column.PLACES, "caB"), (Column.FAULTS, "cBa"),
        (Column.TREND, "caB"),
    ):  # fmt: skip
        assert "".join(each.bot for each in in_order(rows, sort)) == expected, sort


def test_a_sorted_page_has_the_rows_of_the_whole_sorted_table_and_the_ranks_of_the_order(long: Ladder) -> None:
    names = sorted(each.bot for each in bots.standings(long)[0].standings)
    pages = [standings_page(long, "hearts", page=page, sort=Column.BOT) for page in (1, 2, 3)]
    assert [each.bot for page in pages for each in page.table.standings] == names
    assert pages[0].pages == 3
    ranks = {each.bot: each.rank for each in bots.standings(long)[0].standings}
    assert all(each.rank == ranks[each.bot] for page in pages for each in page.table.standings)
