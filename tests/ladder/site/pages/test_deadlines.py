"""Deadlines on the pages from which bots are submitted, in standings and in the API."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from ladder.app.deadlines import set_deadline
from ladder.settings.settings import load_settings
from ladder.site.rendering import cache
from ladder.values.accounts import LOCAL
from tests.ladder.ladders import NOW
from tests.ladder.site.ladder_with_people import PeopleLadder, ladder_with_people
from tests.ladder.site.test_my_pages import logged_in
from tests.ladder.site.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SENTENCE = "Deadline of submissions"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[PeopleLadder]:
    place = ladder_with_people(load_settings(data_dir=tmp_path))
    yield place
    place.ladder.database.close()


def test_a_deadline_is_shown_where_bots_are_submitted_and_ranked(place: PeopleLadder) -> None:
    paths = ("/", "/v/gongzhu")
    assert [SENTENCE in Visitor(place.ladder).page(path) for path in paths] == [False, False]
    set_deadline(replace(place.ladder, clock=lambda: NOW), LOCAL, NOW + 60, ["hearts"])
    assert [SENTENCE in Visitor(place.ladder).page(path) for path in paths] == [True, False]
    set_deadline(replace(place.ladder, clock=lambda: NOW), LOCAL, NOW + 60, ["gongzhu"])
    visitor = Visitor(place.ladder)
    assert [SENTENCE in visitor.page(path) for path in paths] == [True, True]
    ada = logged_in(place, "ada")
    assert "submissions for Gong Zhu" in ada.get("/me").text
    assert 'data-passed="passed"' in visitor.page("/v/gongzhu")
    assert "提交截止时间" in visitor.page("/v/gongzhu", **{"Accept-Language": "zh"})
    assert [row["variant"] for row in visitor.value("/deadlines")] == ["gongzhu", "hearts"]


def test_an_answer_that_is_kept_is_made_anew_when_it_changes(
    place: PeopleLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, seconds = Visitor(place.ladder), count(step=10)
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    before = visitor.value("/deadlines")
    set_deadline(replace(place.ladder, clock=lambda: NOW), LOCAL, NOW + 60)
    assert before == []
    assert [row["variant"] for row in visitor.value("/deadlines")] == [None]
