"""The page of a recorded deal without any script."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ladder.app.match_replay import replayed
from ladder.app.matches import read_recorded
from ladder.site.pages import replays as replay_pages
from ladder.values.matches import DealPlace
from tests.ladder.ladders import packed
from tests.referee.recorded import lines_with_a_person

if TYPE_CHECKING:
    from pathlib import Path


def test_a_person_who_is_away_is_told_once_for_each_time(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl.gz"
    path.write_bytes(packed(lines_with_a_person()))
    recorded = read_recorded(path)
    places = [DealPlace(board=deal, rotation=1) for deal in (1, 2)]
    first, second = (
        cast("list[dict[str, object]]", replay_pages.deal_without_script(replayed(recorded, each))["notes"])
        for each in places
    )
    assert [note["by"] for note in first] == ["default:timeout"] * 3 + ["away"]
    assert [note["by"] for note in second] == ["away"]
    assert {note["bot"] for note in second} == {"human"}
