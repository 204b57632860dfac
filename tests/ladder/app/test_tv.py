"""Ladder TV: which board comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.tv import closeness, tv_next
from ladder.settings.settings import load_settings
from ladder.store.queries.matches import results
from ladder.values.matches import SeatRow
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.referee.bots import showy_seats
from tests.referee.recorded import SEED, match_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def seats(first: float, second: float, error: float) -> list[SeatRow]:
    """The seats of a match that these two headed."""
    given = dict.fromkeys(SeatRow.model_fields) | {"version_id": 1, "bot": "A", "version": 1}
    return [
        SeatRow.model_validate(
            given | {"seat": place, "place": place, "points_per_deal": points, "standard_error": error}
        )
        for place, points in enumerate((first, second, -50.0), 1)
    ]


def test_closeness_is_one_for_equals_and_falls_with_the_gap_in_standard_errors() -> None:
    assert closeness(seats(5, 5, 1)) == 1
    assert closeness(seats(6, 5, 1)) == 0.5
    assert closeness(seats(5, 6, 1)) == 0.5  # where fewer points are better
    assert closeness(seats(25, 5, 1)) < 0.1
    assert closeness([]) == 0.5


def test_without_a_match_there_is_nothing_to_watch(ladder: Ladder) -> None:
    assert tv_next(ladder) is None


def test_the_board_with_the_greatest_swing_of_a_match_is_shown(ladder: Ladder) -> None:
    match = recorded_match(ladder, match_lines("hearts", "boards:3", showy_seats), SEED.hex())
    found = tv_next(ladder)
    assert found is not None
    with ladder.database.read() as session:
        [row] = results(session, 1)
    points = [seat.board_points for seat in row.seats if seat.board_points]
    swings = [max(each) - min(each) for each in zip(*points, strict=True)]
    assert (found.match, found.board) == (match, swings.index(max(swings)) + 1)
    assert 1 <= found.rotation <= 4
    assert len(found.bots) == 4


def test_a_match_comes_again_only_after_all_others_and_one_may_be_the_first(ladder: Ladder) -> None:
    matches = {recorded_match(ladder, played("gongzhu")) for _ in range(3)}
    seen: list[int] = []
    for _ in matches:
        board = tv_next(ladder, seen)
        assert board is not None
        seen.append(board.match)
    assert set(seen) == matches
    again = tv_next(ladder, seen)
    assert again is not None
    assert again.match in matches
    for match in matches:
        chosen = tv_next(ladder, seen, first=match)
        assert chosen is not None
        assert chosen.match == match
    assert tv_next(ladder, first=999) is not None
