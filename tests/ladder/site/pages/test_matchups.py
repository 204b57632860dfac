"""The match-up matrix of a variant, and the pages of owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.site.pages.comparisons import share_of
from ladder.store import models
from ladder.values.bots import Matchup
from tests.ladder.site.chinese_words import text_of

if TYPE_CHECKING:
    from tests.ladder.site.visitor import Visitor


def test_each_pair_agrees_with_the_matches_that_both_have_played(site: Visitor) -> None:
    found = site.value("/standings/gongzhu/matchups")
    best = [row["bot"] for row in site.value("/standings/gongzhu")["standings"] if row["rank"]]
    assert found["bots"] == best[:12]
    pairs = {(each["bot"], each["other"]): each for each in found["pairs"]}
    assert pairs
    with site.ladder.database.read() as session:
        matches = [
            {
                seat.version_id: seat.place or 0
                for seat in session.scalars(select(models.StoredSeat).filter_by(match_id=match))
            }
            for match in session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.ordinal.is_not(None)))
        ]
        ids = {
            bot: session.scalar(
                select(models.Version.id)
                .join(models.StoredBot)
                .where(models.StoredBot.name == bot)
                .order_by(models.Version.number.desc())
            )
            for bot in best
        }
    for (bot, other), pair in pairs.items():
        a, b = ids[bot] or 0, ids[other] or 0
        places = [(seats[a], seats[b]) for seats in matches if a in seats and b in seats]
        assert pair["matches"] == len(places)
        assert pair["score"] == sum(1 if one < two else 0.5 if one == two else 0 for one, two in places)
        turned = pairs[other, bot]
        assert pair["score"] + turned["score"] == pair["matches"]
        assert pair["points_per_deal"] == pytest.approx(-turned["points_per_deal"])


def test_the_page_has_a_row_and_a_column_for_each_of_the_best(site: Visitor) -> None:
    found = site.value("/standings/gongzhu/matchups")
    page = site.page("/v/gongzhu/matchups")
    assert page.count('scope="row"') == len(found["bots"])
    assert page.count("\xa0%</a><small>") == len(found["pairs"])
    assert 'href="/v/gongzhu/matchups"' in site.page("/v/gongzhu")
    assert site.get("/v/bridge/matchups").status_code == 404
    assert site.problem("/api/v1/standings/bridge/matchups", 404).startswith("This ladder does not ")
    assert "对战表" in " ".join(text_of(site.get("/v/gongzhu/matchups", accept_language="zh").text).texts)


def test_a_share_is_of_boards_or_where_none_is_known_of_matches() -> None:
    known = Matchup(bot="A", other="B", matches=4, score=1.0, boards=8, board_score=6.0, points_per_deal=1.5)
    assert share_of(known) == 0.75
    assert share_of(known.model_copy(update={"boards": 0, "board_score": 0.0, "points_per_deal": None})) == 0.25


def test_an_owners_page_has_the_owners_bots_where_they_play(site: Visitor) -> None:
    row = site.value("/bots/Trotter")
    page = site.page(f"/o/{row['owner']}")
    assert '<a href="/b/Trotter"' in page
    entries = [
        one for table in site.value("/standings?all=true") for one in table["standings"] if one["owner"] == row["owner"]
    ]
    assert page.count('scope="row"') == len(entries)
    assert f'href="/o/{row["owner"].replace(" ", "%20")}"' in site.page("/b/Trotter")
    assert site.get("/o/Nobody").status_code == 404
