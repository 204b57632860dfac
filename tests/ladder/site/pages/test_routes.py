"""The pages of bots, seasons and news: one variant at a time, standings as they were, feeds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from sqlalchemy import select, update

from ladder.app import matches
from ladder.app.seasons import new_season
from ladder.app.whats_new import since_visit, upsets
from ladder.site.pages import feeds
from ladder.site.server.viewer import COOKIE, VISIT_SECONDS
from ladder.store import models
from ladder.store.commands.results import record_summary
from ladder.store.core_tables import MATCH, SEAT
from ladder.values.accounts import LOCAL
from tests.ladder import ladders, shown
from tests.ladder.site.chinese_words import text_of
from tests.ladder.site.visitor import BASE, Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Visitor]:
    """A site of its own, for it changes."""
    with small_site(tmp_path) as found:
        yield found


def test_the_standings_of_a_season_that_is_over_stay_as_they_were(site: Visitor) -> None:
    assert "/v/gongzhu/seasons" not in site.page("/v/gongzhu")
    assert "The first season " in site.page("/v/gongzhu/seasons")
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


ATOM = "{http://www.w3.org/2005/Atom}"


def entries(site: Visitor, path: str) -> list[ElementTree.Element]:
    response = site.get(path)
    assert response.headers["content-type"] == "application/atom+xml"
    feed = ElementTree.fromstring(response.content)
    assert {"title", "id", "updated"} <= {child.tag.removeprefix(ATOM) for child in feed}
    found = feed.findall(f"{ATOM}entry")
    assert len({each.findtext(f"{ATOM}id") for each in found}) == len(found)
    updated = [each.findtext(f"{ATOM}updated") or "" for each in found]
    assert updated == sorted(updated, reverse=True)
    for each in found:
        link = each.find(f"{ATOM}link")
        assert link is not None
        assert site.get(link.get("href", "").removeprefix(BASE)).status_code == 200
    return found


def titles(found: list[ElementTree.Element]) -> list[str]:
    return [each.findtext(f"{ATOM}title") or "" for each in found]


def make_upset(site: Visitor, number: int = 9, gap: float = 200.0) -> tuple[str, str]:
    """Let the winner of a match have been rated lower than the second; give their names."""
    row = matches.match(site.ladder, number)
    first, second = sorted(row.seats, key=lambda seat: seat.place or 0)[:2]
    with site.ladder.database.write() as session:
        mine = SEAT.c.match_id == number
        session.execute(update(SEAT).where(mine).values(rating_before=1500.0, matches_before=100))
        session.execute(update(SEAT).where(mine, SEAT.c.seat == second.seat).values(rating_before=1500.0 + gap))
        session.execute(update(MATCH).where(MATCH.c.id == number).values(finished=site.ladder.clock() - 60))
    return first.bot, second.bot


def test_a_match_won_against_the_odds_is_an_upset_of_the_day(site: Visitor) -> None:
    assert upsets(site.ladder, 5) == []
    assert "no bot has won" in site.page("/new")
    winner, beaten = make_upset(site)
    (found,) = upsets(site.ladder, 5)
    assert (found.match, found.winner, found.beaten, found.gap) == (9, winner, beaten, 200.0)
    for path in ("/new", "/"):
        page = Visitor(site.ladder).page(path)
        assert f'>{winner}</a> won match <a href="/m/9">9</a>' in page
        assert "200 Elo higher" in page
    (title,) = (
        each for each in titles(entries(Visitor(site.ladder), "/v/gongzhu/feed.atom")) if "200 Elo higher" in each
    )
    assert title.startswith(f"{winner} has won ahead of {beaten}, ")
    assert upsets(site.ladder, 5, "hearts") == []


@pytest.mark.parametrize("why", ["small", "old", "provisional"])
def test_what_is_no_upset(site: Visitor, why: str) -> None:
    make_upset(site, gap=49.0 if why == "small" else 200.0)
    with site.ladder.database.write() as session:
        if why == "old":
            session.execute(update(MATCH).where(MATCH.c.id == 9).values(finished=site.ladder.clock() - 90_000))
        if why == "provisional":
            session.execute(update(SEAT).where(SEAT.c.match_id == 9, SEAT.c.place == 1).values(matches_before=5))
    assert upsets(site.ladder, 5) == []


def test_a_browser_is_told_what_has_happened_since_its_last_visit(site: Visitor) -> None:
    with site.ladder.database.write() as session:
        session.execute(update(MATCH).values(finished=time.time() - 2 * VISIT_SECONDS))
    first = site.get("/new")
    assert "your first visit" in first.text
    cookie = first.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=0-")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    now = int(time.time())
    again = site.get("/new", cookie=f"{COOKIE}=0-{now - 10}")
    assert "your first visit" in again.text
    assert "set-cookie" not in again.headers, "it has just been written"
    later = site.get("/new", cookie=f"{COOKIE}=0-{now - VISIT_SECONDS - 10}")
    assert "Since your last visit" in later.text
    assert "0 matches have ended." in later.text
    assert later.headers["set-cookie"].startswith(f"{COOKIE}={now - VISIT_SECONDS - 10}-")
    assert "Since your last visit" in site.get("/", cookie=f"{COOKIE}={now - 9999}-{now - 10}").text


@pytest.mark.parametrize("value", ["x", "9-5", "-", "1-99999999999", "9999999998-9999999999", "<b>-1"])
def test_a_cookie_that_makes_no_sense_is_no_visit(site: Visitor, value: str) -> None:
    page = site.get("/new", cookie=f"{COOKIE}={value}").text
    assert "your first visit" in page


def test_programs_read_what_is_new(site: Visitor) -> None:
    winner, beaten = make_upset(site)
    found = site.get("/api/v1/new").json()
    assert [(each["match"], each["winner"], each["beaten"]) for each in found["upsets"]] == [(9, winner, beaten)]
    assert found["news"]
    assert found["since"] is None
    since = site.get("/api/v1/new?since=2001-09-09T01:46:40Z").json()["since"]
    assert since["since"].startswith("2001-09-09T01:46:40")
    assert since["matches"] == since_visit(site.ladder, 1e9, None).matches > 0
    for wrong in ("yesterday", "2026-11-27T20:00:00"):
        assert site.get(f"/api/v1/new?since={wrong}").status_code == 422, "a time zone is needed"


@pytest.mark.parametrize(
    "since", ["0001-01-01T00:00:00%2B23:00", "9999-12-31T23:59:59-23:00", "9999-12-31T23:59:59.999999Z"]
)
def test_a_moment_whose_year_is_in_no_time_zone_is_refused(site: Visitor, since: str) -> None:
    assert site.problem(f"/api/v1/new?since={since}", 422).startswith("since: the year ")


def test_matches_bots_and_own_ratings_are_counted_from_the_visit_on(site: Visitor) -> None:
    with site.ladder.database.read() as session:
        finished = list(
            session.scalars(select(MATCH.c.finished).where(MATCH.c.ordinal.is_not(None)).order_by(MATCH.c.ordinal))
        )
        owner = session.scalars(
            select(models.Owner.name).join(models.StoredBot).where(models.StoredBot.name == "Trotter")
        ).one()
    assert since_visit(site.ladder, 1.0, None).matches == len(finished)
    found = since_visit(site.ladder, finished[-1] + 1, owner)
    assert (found.matches, found.own) == (0, ())
    assert since_visit(site.ladder, 1.0, None).news != ()
    with site.ladder.database.write() as session:
        versions = list(session.scalars(select(models.Version.id).limit(4)))
        match = ladders.queue(session, versions, "gongzhu")
        ended = finished[-1] + 10
        assert record_summary(session, match, ladders.lease(session, match), ladders.summary_of(), ended)
    later = since_visit(site.ladder, finished[-1] + 1, owner)
    assert later.matches == 1
    (mine,) = [each for each in later.own if each.bot == "Trotter"]
    assert (mine.variant, mine.matches) == ("gongzhu", 1)
    assert mine.change == pytest.approx(_move(site, match, "Trotter"))
    assert since_visit(site.ladder, finished[-1] + 1, None).own == ()


def _move(site: Visitor, match: int, bot: str) -> float:
    (seat,) = [seat for seat in matches.match(site.ladder, match).seats if seat.bot == bot]
    assert seat.move is not None
    return seat.move


def test_a_variant_has_a_feed_of_its_bots(site: Visitor) -> None:
    found = titles(entries(site, "/v/gongzhu/feed.atom"))
    assert "Trotter has entered" in found
    assert not any(title.startswith("Match ") for title in found)
    assert site.page("/v/gongzhu").count('href="/v/gongzhu/feed.atom"') == 2
    assert site.get("/v/none/feed.atom").status_code == 404


def test_a_bot_has_a_feed_of_its_versions_and_results(site: Visitor) -> None:
    found = titles(entries(site, "/b/Trotter/feed.atom"))
    assert any(title.startswith("Trotter has entered ") for title in found)
    assert sum(title.startswith("Match ") for title in found) > 3
    assert not any("Snout" in title for title in found)
    assert len(found) <= feeds.MAX_ENTRIES
    assert site.page("/b/Trotter").count('href="/b/Trotter/feed.atom"') == 2
    assert site.get("/b/Nobody/feed.atom").status_code == 404
