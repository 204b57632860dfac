"""The page of seasons: standings of old ones stay as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.seasons import new_season
from ladder.values.accounts import LOCAL
from tests.ladder.site.chinese_words import text_of
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Visitor]:
    """A site of its own, for it changes."""
    with small_site(tmp_path) as found:
        yield found


def test_the_standings_of_a_season_that_is_over_stay_as_they_were(site: Visitor) -> None:
    assert "/v/gongzhu/seasons" not in site.page("/v/gongzhu")
    assert "The first season is being played." in site.page("/v/gongzhu/seasons")
    before = site.value("/standings/gongzhu")
    assert before["matches"] > 0
    new_season(site.ladder, LOCAL, "gongzhu", "winter")
    site = Visitor(site.ladder)  # which knows no answer of a moment ago
    assert site.value("/standings/gongzhu?season=1") == before
    now = site.value("/standings/gongzhu")
    assert (now["matches"], {row["matches"] for row in now["standings"]}) == (0, {0})
    assert 'href="/v/gongzhu/seasons"' in site.page("/v/gongzhu")
    for page in (site.page("/v/gongzhu/seasons"), site.page("/v/gongzhu/seasons?season=1")):
        assert ">winter</a>" in page
        for row in before["standings"]:
            assert f'href="/b/{row["bot"]}' in page
            assert f"{row['elo']:,.0f}" in page
    assert "1," in site.get("/api/v1/standings/gongzhu.csv?season=1").text
    assert "赛季" in " ".join(text_of(site.get("/v/gongzhu/seasons", accept_language="zh").text).texts)


def test_a_season_or_a_variant_that_there_is_not_is_refused(site: Visitor) -> None:
    assert site.get("/v/bridge/seasons").status_code == 404
    assert site.get("/v/gongzhu/seasons?season=spring").status_code == 404
    assert "spring" in site.problem("/api/v1/standings/gongzhu?season=spring", 404)
