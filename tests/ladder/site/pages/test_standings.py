"""The page of a variant in both orders, and what it says where they differ."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.store import models
from ladder.store.commands.estimates import refresh
from ladder.values.order import Order
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator


SENTENCE = "wins more points, fewer places than Trotter"
CIRCLE = {"Acorn": (641, 301), "Snout": (1200, 1007), "Truffle": (79, 9)}
"""Bots that beat each other, with the boards on which they were ahead of the next one, and behind it."""


@pytest.fixture(scope="module")
def estimated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """The small ladder, whose last by places is first by points, and surely before Trotter."""
    with small_site(tmp_path_factory.mktemp("estimated")) as site:
        refresh(site.ladder.database, "gongzhu")
        with site.ladder.database.write() as session:
            ids = {bot.name: bot.id for bot in session.scalars(select(models.StoredBot))}
            last = session.scalars(select(models.Rating).order_by(models.Rating.rating)).first()
            assert last is not None
            last.margin, last.margin_error, last.margin_rank_low, last.margin_rank_high = 77.5, 4.5, 1, 2
            last.outplaced_by = ids["Trotter"]
            circle = [[ids[name], *boards] for name, boards in CIRCLE.items()]
            session.get_one(models.StoredEstimate, "gongzhu").circles = [circle]
        yield site


def order_of(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="/b/(\w+)', page)


def test_the_page_has_the_order_that_is_asked_for(estimated: Visitor) -> None:
    by_elo, by_points = (estimated.value(f"/standings/gongzhu?by={order}")["standings"] for order in ("elo", "points"))
    assert [row["margin"] for row in by_points] == sorted((row["margin"] for row in by_points), reverse=True)
    assert by_points[0] == by_elo[-1]
    for query, rows in (("", by_elo), ("?by=elo", by_elo), ("?by=points", by_points)):
        assert order_of(estimated.page(f"/v/gongzhu{query}")) == [row["bot"] for row in rows]


def test_by_points_the_rank_and_its_range_are_those_of_the_margin(estimated: Visitor) -> None:
    first = estimated.page("/v/gongzhu?by=points").partition("<tbody")[2].partition("</tr>")[0]
    assert '<span class="rank">1</span><small>1–2</small>' in first
    assert "+77.50<small>± 4.50</small>" in first
    assert "+77.50<small>± 4.50 · 1–2</small>" in estimated.page("/v/gongzhu")


def test_the_links_of_the_page_keep_what_was_asked_for(estimated: Visitor) -> None:
    page = estimated.page("/v/gongzhu?q=a&all=1&by=points")
    assert 'href="?q=a&all=1&by=elo"' in page.replace("&amp;", "&")
    assert '<option value="points" selected>' in page


def test_the_pages_say_where_the_two_orders_surely_differ(estimated: Visitor) -> None:
    page = estimated.page("/v/gongzhu")
    assert page.count(SENTENCE) == 1
    bot = order_of(page)[-1]
    assert SENTENCE in estimated.page(f"/b/{bot}")
    assert "得分多于 Trotter" in estimated.page("/v/gongzhu", accept_language="zh")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("query", ["", "?by=points", "?q=trot", "?sort=matches"])
def test_bots_that_beat_each_other_in_a_circle_are_named_below_the_table(
    estimated: Visitor, query: str, language: str
) -> None:
    below = estimated.page(f"/v/gongzhu{query}", accept_language=language).rpartition("</table>")[2]
    (note,) = [note for note in re.findall('<p class="note">(.*?)</p>', below) if "Truffle" in note]
    found = re.findall(r"Acorn|Snout|Truffle|\d[\d,]*", note)
    bots = [*CIRCLE]
    assert [each.replace(",", "") for each in found] == [
        str(each) for bot, other in zip(bots, [*bots[1:], bots[0]], strict=True) for each in (bot, other, *CIRCLE[bot])
    ]


def test_the_api_has_the_circle_too(estimated: Visitor) -> None:
    found = estimated.value("/standings/gongzhu?first=1")["circles"]
    steps = [{"bot": bot, "ahead": ahead, "behind": behind} for bot, (ahead, behind) in CIRCLE.items()]
    assert found == [{"steps": steps}]


def test_a_bot_s_page_has_its_points_against_the_field(estimated: Visitor) -> None:
    bot = estimated.value("/standings/gongzhu?by=points")["standings"][0]["bot"]
    page = estimated.page(f"/b/{bot}")
    assert "rank 1 by points (1–2)" in page
    assert "± 4.50 points a deal" in page


def test_the_order_of_the_organiser_is_that_of_the_home_page_too(estimated: Visitor) -> None:
    settings = estimated.ladder.settings.model_copy(update={"standings_by": Order.POINTS})
    site = Visitor(replace(estimated.ladder, settings=settings))
    rows = site.value("/standings/gongzhu")["standings"]
    assert (rows[0]["margin_rank"], rows[0]["rank"]) == (1, 5)
    assert order_of(site.page("/v/gongzhu")) == [row["bot"] for row in rows]
    home = site.page("/")
    assert home.index(rows[0]["bot"]) < home.index(rows[1]["bot"])
    assert "+77.50<small> ± 4.50" in home


def test_an_order_that_there_is_not_is_refused(estimated: Visitor) -> None:
    assert "by" in estimated.problem("/api/v1/standings/gongzhu?by=luck", 422)


def test_before_the_first_fit_there_are_no_points(site: Visitor) -> None:
    page = site.page("/v/gongzhu?by=points")
    assert len(order_of(page)) == 5
    assert "<small>± " not in page
    assert "against the field" not in site.page("/b/Mud")


def test_each_column_is_a_link_that_sorts_and_says_so(estimated: Visitor) -> None:
    rows = estimated.value("/standings/gongzhu")["standings"]
    page = estimated.page("/v/gongzhu?q=&all=1").replace("&amp;", "&")
    for column in ("bot", "matches", "places", "faults", "trend"):
        assert f'href="?q=&all=1&sort={column}"' in page
    page = estimated.page("/v/gongzhu?sort=bot&by=elo")
    assert order_of(page) == sorted(row["bot"] for row in rows)
    assert page.count("aria-sort") == 1
    assert 'aria-sort="ascending"' in page
    assert '<input type="hidden" name="sort" value="bot">' in page
    assert [row["matches"] for row in sorted(rows, key=lambda row: order_of(
        estimated.page("/v/gongzhu?sort=matches")).index(row["bot"]))] == sorted(
        (row["matches"] for row in rows), reverse=True)  # fmt: skip
    assert estimated.get("/v/gongzhu?sort=colour").status_code == 422


def test_the_best_are_drawn_over_time_unless_something_is_searched_for(estimated: Visitor) -> None:
    page = estimated.page("/v/gongzhu")
    assert page.count('<polyline class="line c') == 5
    assert 'aria-label="Ratings of the ' in page
    assert '<polyline class="line c' not in estimated.page("/v/gongzhu?q=trot")
