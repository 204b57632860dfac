"""Standings of a group of accounts, on the page and in the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts.groups import set_group
from ladder.settings.settings import load_settings
from ladder.values.accounts import LOCAL
from tests.ladder.site.ladder_with_people import PeopleLadder, ladder_with_people
from tests.ladder.site.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Iterator[PeopleLadder]:
    place = ladder_with_people(load_settings(data_dir=tmp_path))
    yield place
    place.ladder.database.close()


def test_standings_are_shown_for_a_group(place: PeopleLadder) -> None:
    before = Visitor(place.ladder).page("/v/gongzhu")
    assert 'name="group"' not in before
    set_group(place.ladder, LOCAL, "ada", "course-a")
    visitor = Visitor(place.ladder)
    rows = visitor.value("/standings/gongzhu")["standings"]
    of_group = visitor.value("/standings/gongzhu?group=course-a")["standings"]
    assert of_group == [row for row in rows if row["owner"] == "ada"]
    assert 0 < len(of_group) < len(rows)
    page = visitor.page("/v/gongzhu?group=course-a")
    assert "<option selected>course-a</option>" in page
    others = {row["bot"] for row in rows} - {row["bot"] for row in of_group}
    assert not any(f'href="/b/{bot}' in page for bot in others)
    assert "course-z" in visitor.problem("/api/v1/standings/gongzhu?group=course-z", 404)
    assert [row["name"] for row in visitor.value("/groups")] == ["course-a"]
    assert "所有账户" in visitor.page("/v/gongzhu", **{"Accept-Language": "zh"})
