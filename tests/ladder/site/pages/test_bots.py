"""The page of a bot: one variant at a time, the others by a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.store import models
from tests.ladder import ladders, shown
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator

STYLE = 'href="/b/Trotter/style?v={}"'


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Trotter has twelve matches of gongzhu at most, one of hearts, and none of hearts-jack."""
    with small_site(tmp_path_factory.mktemp("several")) as site:
        with site.ladder.database.write() as session:
            trotter = session.scalar(select(models.Version).join(models.StoredBot).filter_by(name="Trotter"))
            assert trotter is not None
            for variant in ("hearts", "hearts-jack"):
                ladders.enter_version(session, trotter.id, variant)
            others = [ladders.enter(session, name, "hearts") for name in ("Ox", "Hen", "Goat")]
            shown.play(session, [trotter.id, *others], "hearts", 1)
        yield site


def test_it_shows_the_variant_with_the_most_matches_and_has_the_others_as_tabs(several: Visitor) -> None:
    page = several.page("/b/Trotter")
    assert [page.count(f'id="{variant}"') for variant in ("gongzhu", "hearts", "hearts-jack")] == [1, 0, 0]
    assert STYLE.format("gongzhu") in page
    for variant in ("gongzhu", "hearts", "hearts-jack"):
        assert f'<a href="?v={variant}"' in page
        chosen = several.page(f"/b/Trotter?v={variant}")
        assert chosen.count('<section class="sheet pad" id=') == chosen.count(f'id="{variant}"') == 1
        assert f'<a href="?v={variant}" aria-current="page"' in chosen
        assert STYLE.format(variant) in chosen


def test_a_variant_in_which_it_is_not_entered_changes_nothing(several: Visitor) -> None:
    assert several.page("/b/Trotter?v=bridge").count('id="gongzhu"') == 1


def test_a_name_in_other_letters_leads_to_the_same_variant(several: Visitor) -> None:
    answer = several.get("/b/tRoTTer?v=hearts&lang=zh")
    assert (answer.status_code, answer.headers["location"]) == (307, "/b/Trotter?v=hearts&lang=zh")


def test_a_bot_of_one_variant_has_no_tabs(several: Visitor) -> None:
    page = several.page("/b/Snout")
    assert 'class="tabs"' not in page
    assert 'id="gongzhu"' in page
