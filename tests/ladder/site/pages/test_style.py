"""The page that says how a bot plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.computing_here import compute_all
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A site on which the style of Trotter is known."""
    with small_site(tmp_path_factory.mktemp("read")) as site:
        assert "<being-computed>" in site.page("/b/Trotter/style")
        answer = site.get("/api/v1/bots/Trotter/style")
        assert (answer.status_code, answer.json()["computing"]["place"]) == (202, 1)
        assert compute_all(site.ladder) == 1
        yield site


def test_each_habit_has_its_share_its_error_and_the_median_of_the_others(read: Visitor) -> None:
    page, found = read.page("/b/Trotter/style"), read.value("/bots/Trotter/style?variant=gongzhu")
    assert "<being-computed>" not in page
    assert page.count('scope="row"') == 5 + len(found["seats"]) + len(found["costs"])
    for bar in found["bars"]:
        assert f"{100 * bar['share']:.1f}\xa0%<small>± {100 * bar['error']:.1f} · of {bar['of']:,}</small>" in page
        assert bar["median"] is not None
    assert page.count('class="median"') == 5
    assert all(f"± {seat['error']:.1f}" in page for seat in found["seats"])


def test_what_choices_cost_is_shown_by_part_of_the_deal_beside_the_others(read: Visitor) -> None:
    page, costs = read.page("/b/Trotter/style"), read.value("/bots/Trotter/style?variant=gongzhu")["costs"]
    assert [each["last"] for each in costs if each["phase"] == "play"] == [4, 9, 13]
    for each in costs:
        own, others = each["own"], each["others"]
        assert f"{own['mean']:.2f}<small>± {own['error']:.2f}</small>".replace("-", "−") in page
        assert f'<td class="num hide-s">{own["estimated"]}</td>' in page
        assert f"{others['mean']:.2f}<small>± {others['error']:.2f}</small>".replace("-", "−") in page
    assert '<th scope="row">Tricks 5–9</th>' in page


def test_the_page_of_the_bot_leads_there_and_unknown_ones_are_not_there(read: Visitor) -> None:
    assert 'href="/b/Trotter/style?v=gongzhu"' in read.page("/b/Trotter")
    assert read.get("/b/Nil/style").status_code == 404
    assert read.get("/b/Trotter/style?v=bridge").status_code == 404
    assert "does not play 'bridge'" in read.problem("/api/v1/bots/Trotter/style?variant=bridge", 404)
