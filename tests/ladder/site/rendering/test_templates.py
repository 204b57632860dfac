"""Every page: of a small ladder, of an empty one, of names that do not exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.entry.claims import skeleton
from ladder.values.names import NAME_LENGTH
from pigpen.rules import PRESETS
from tests.ladder import ladders
from tests.ladder.shown import OWNERS
from tests.ladder.site.visitor import MATCHES, empty_site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ladder.site.visitor import Visitor

ANYWHERE = ["/", "/b", "/m", "/live", "/replay", "/help", "/api", *(f"/rules/{name}" for name in PRESETS)]
HERE = [
    "/v/gongzhu", "/v/gongzhu?all=1&q=mud&page=3", "/b?q=EVE", "/b/Mud", "/b/Mud@1", "/m?variant=gongzhu&bot=Mud",
    "/m?bot=Mud@1&before=3", "/m/1", "/m/2", f"/m/{MATCHES}", f"/m/{MATCHES + 1}", f"/m/{MATCHES + 2}",
    "/m/2/boards/1/2", f"/live/{MATCHES + 2}", "/live/2",
]  # fmt: skip
NOWHERE = [
    "/v/bridge", "/v/hearts", "/b/Nobody", "/b/Mud@2", "/b/Mud@x", "/b/Nobody/inbox", "/m/99", "/m?bot=Nobody",
    "/m?variant=bridge", "/rules/bridge", "/live/99", "/m/99/boards/1/1", "/m/2/boards/8/1", "/m/1/boards/1/1",
    "/m/2/0/1", "/nothing", "/static/x.css", "/api/nothing", "/b/a/b/c", "/%2e%2e/etc/passwd",
    "/b/..%2f..%2fetc%2fpasswd", "/m/0", "/m/x", "/m/99999999999", "/m/-1", "/m/2/boards/1/10", "/live/x",
    "/m/2/boards/0/1", "/m/2/boards/1/0", "/b/nobody",
]  # fmt: skip
NONSENSE = [
    "/v/gongzhu?page=0", "/v/gongzhu?page=1e9", "/v/gongzhu?all=perhaps", f"/v/gongzhu?q={'a' * 65}", "/b?page=10001",
    "/m?before=0", "/m?before=99999999999999999999", f"/m?bot={'a' * 81}",
]  # fmt: skip


@pytest.mark.parametrize("path", [*ANYWHERE, *HERE])
def test_a_page_is_there(site: Visitor, path: str) -> None:
    text = site.page(path)
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert len(re.findall("<h1[ >]", text)) == 1
    assert len(re.findall("<main ", text)) == 1


@pytest.mark.parametrize("path", ANYWHERE)
def test_a_page_of_an_empty_ladder_is_there(empty: Visitor, path: str) -> None:
    empty.page(path)


@pytest.mark.parametrize("path", NOWHERE)
def test_what_is_not_there_is_said_on_a_page(site: Visitor, path: str) -> None:
    response = site.get(path)
    assert response.status_code == 404
    if not path.startswith("/api/"):
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert re.search(r"<h1>404 Not Found</h1>\s*<p>[^<]{10,}</p>", response.text)
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/v/Gongzhu", "/v/gongzhu"),
        ("/v/GONGZHU?page=2", "/v/gongzhu?page=2"),
        ("/b/mud", "/b/Mud"),
        ("/b/MUD@1", "/b/Mud%401"),
    ],
)
def test_another_spelling_leads_to_the_page(site: Visitor, path: str, where: str) -> None:
    response = site.get(path)
    assert (response.status_code, response.headers["location"]) == (307, where)
    assert site.get(where).status_code == 200


def test_what_can_be_no_name_fills_no_memory(site: Visitor) -> None:
    before = skeleton.cache_info().currsize
    assert site.get("/b/" + "long" * (NAME_LENGTH // 4) + "er").status_code == 404
    assert skeleton.cache_info().currsize == before


@pytest.mark.parametrize(
    ("path", "around"), [("/b/Nobody", "/b"), ("/v/bridge", "/v"), ("/m/99", "/m"), ("/live/99", "/live")]
)
def test_where_nothing_is_a_link_leads_to_all_there_is(site: Visitor, path: str, around: str) -> None:
    main = site.get(path).text.partition("<main ")[2].partition("</main>")[0]
    assert re.findall(r'<a href="([^"]+)"', main) == [around, "/"]


@pytest.mark.parametrize("path", NONSENSE)
def test_a_parameter_that_makes_no_sense_is_named(site: Visitor, path: str) -> None:
    response = site.get(path)
    assert response.status_code == 422
    assert re.search(r"<p>(page|all|q|before|bot): [^<]+\.</p>", response.text)


def test_other_methods_are_refused(site: Visitor) -> None:
    response = site.get("/v/gongzhu", method="POST")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")
    assert "cannot be used that way" in response.text


def test_standings_show_every_bot_and_where_to_get_them(site: Visitor) -> None:
    text = site.page("/v/gongzhu")
    ranked = re.findall(r'<th scope="row"><a href="/b/(\w+)\?v=gongzhu"', text)
    assert sorted(ranked) == sorted(OWNERS)
    assert 'href="/api/v1/standings/gongzhu.csv"' in text
    assert text.count('class="band"') == len(OWNERS)


def test_a_variant_and_a_bot_that_wait_for_owners_say_so_in_both_languages(tmp_path: Path) -> None:
    with empty_site(tmp_path) as site:
        with site.ladder.database.write() as session:
            ladders.enter(session, "Trotter", owner="ada")
        for path in ("/v/hearts", "/b/Trotter"):
            assert "3 more owners must have a bot here." in site.page(path)
            assert "还需要另外 3 位拥有者" in site.page(path, accept_language="zh")


def test_a_variant_and_a_bot_that_can_play_wait_for_nobody(tmp_path: Path) -> None:
    with empty_site(tmp_path) as site:
        with site.ladder.database.write() as session:
            for bot in ("Trotter", "Snout", "Truffle", "Acorn"):
                ladders.enter(session, bot)
        for path in ("/v/hearts", "/b/Trotter"):
            assert "must have a bot here" not in site.page(path)


def test_standings_are_searched_by_bot_and_by_owner(site: Visitor) -> None:
    for wanted, found in (("mud", "Mud"), ("ADA", "Trotter")):
        text = site.page(f"/v/gongzhu?q={wanted}")
        assert re.findall(r'<th scope="row"><a href="/b/(\w+)', text) == [found]
    assert "No bot is found." in site.page("/v/gongzhu?q=nobody")


def test_a_bots_page_tells_how_it_plays(site: Visitor) -> None:
    text = site.page("/b/Mud")
    for words in ("by eve", "Against each opponent", "How long it thinks", 'class="chart"', "Versions"):
        assert words in text


def test_matches_lead_to_bots_and_boards(site: Visitor) -> None:
    newest = re.findall(r'<td class="num"><a href="/m/(\d+)">', site.page("/m"))
    assert newest == [str(number) for number in range(MATCHES, 0, -1)]
    text = site.page("/m/2")
    for link in ('href="/m/2/boards/1/1"', 'href="/api/v1/matches/2/record"', 'href="/api/v1/matches/2"'):
        assert link in text


def test_a_match_without_record_or_result_says_so(site: Visitor) -> None:
    assert "Its record has been removed." in site.page("/m/1")
    for number in (MATCHES + 1, MATCHES + 2):
        text = site.page(f"/m/{number}")
        assert "published when the match is over" in text
        assert "/record" not in text


def test_the_seed_of_a_match_is_shown_when_it_is_over(site: Visitor) -> None:
    for number in (2, MATCHES + 1, MATCHES + 2):
        value = site.value(f"/matches/{number}")
        assert (value["seed"] is not None) == (number == 2)


def test_the_first_variant_is_the_one_that_is_played_most(site: Visitor, empty: Visitor) -> None:
    for visitor, where in ((site, "/v/gongzhu"), (empty, "/")):
        response = visitor.get("/v")
        assert (response.status_code, response.headers["location"]) == (307, where)


def test_a_slash_too_many_is_taken_away(site: Visitor) -> None:
    response = site.get("/v/gongzhu/")
    assert (response.status_code, response.headers["location"]) == (307, "/v/gongzhu")


def test_every_link_leads_somewhere(site: Visitor) -> None:
    """One step from the pages above, and to their scripts and styles; records name the bots that really played."""
    pages = [site.page(path) for path in (*ANYWHERE, *HERE) if path != "/m/2/boards/1/2"]
    links = {link for text in pages for link in re.findall(r'(?:href|src)="(/[^"#]*)', text)}
    paths = sorted(link.replace("&amp;", "&") for link in links if not link.endswith("/inbox"))
    assert len(paths) > 60
    assert [path for path in paths if site.get(path).status_code not in (200, 303, 307)] == []
