"""Announcements on the front page, on their own page, in the feed and the API; organisers write them in a browser."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from ladder.app.announcements import announce, announcements, remove
from ladder.settings.settings import load_settings
from ladder.site.pages.announcements import ON_FRONT_PAGE
from ladder.site.rendering import cache
from ladder.values.accounts import LOCAL
from ladder.values.announcements import MAX_TITLE
from tests.ladder.ladders import new_ladder
from tests.ladder.site.ladder_with_people import ladder_with_people
from tests.ladder.site.test_my_pages import logged_in
from tests.ladder.site.visitor import Outline, Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def test_the_front_page_has_the_newest_and_the_page_all(ladder: Ladder) -> None:
    assert "Announcements" not in Visitor(ladder).page("/")
    for number in range(ON_FRONT_PAGE + 1):
        announce(ladder, LOCAL, f"Week <{number}>", "# Rules\n\nSee [them](/rules/hearts).")
    home, page = Visitor(ladder).page("/"), Visitor(ladder).page("/announcements")
    assert [f"Week &lt;{number}&gt;" in home for number in range(4)] == [False, True, True, True]
    assert [f"<h2>Week &lt;{number}&gt;</h2>" in page for number in range(4)] == [True] * 4
    assert "<h3>Rules</h3>" in page
    assert "<h4>Rules</h4>" in home
    assert {"/rules/hearts", "/announcements"} <= Outline.of(home).addresses
    assert "公告" in Visitor(ladder).page("/", **{"Accept-Language": "zh"})


def test_a_page_that_is_kept_is_made_anew_when_one_comes_or_goes(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, seconds = Visitor(ladder), count(step=10)
    monkeypatch.setattr(cache, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    before = visitor.page("/announcements")
    made = announce(ladder, LOCAL, "Week 1")
    assert "Week 1" in visitor.page("/announcements")
    remove(ladder, LOCAL, made.number)
    assert visitor.page("/announcements") == before


def test_a_text_holds_no_program_and_no_picture(ladder: Ladder) -> None:
    announce(
        ladder, LOCAL, "x", "<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](https://far.example/y.png)"
    )
    for path in ("/", "/announcements"):
        text = Visitor(ladder).page(path)
        assert "<script>alert" not in text
        assert '<img src="https://far' not in text
        assert Outline.of(text).inline == []


def test_the_feed_and_the_api_have_them(ladder: Ladder) -> None:
    announce(ladder, LOCAL, "Week 1 & 2", "Read the *rules*.")
    last = announce(ladder, LOCAL, "Week 3")
    visitor = Visitor(ladder)
    newest, oldest = ElementTree.fromstring(visitor.get("/announcements/feed.atom").content).findall(f"{ATOM}entry")
    assert newest.findtext(f"{ATOM}id", "").endswith(f"/announcements#{last.number}")
    assert newest.find(f"{ATOM}content") is None
    assert oldest.findtext(f"{ATOM}title") == "Week 1 & 2"
    assert oldest.findtext(f"{ATOM}content") == "<p>Read the <em>rules</em>.</p>\n"
    rows = visitor.get("/api/v1/announcements").json()
    assert [(row["title"], row["text"]) for row in rows] == [("Week 3", ""), ("Week 1 & 2", "Read the *rules*.")]
    assert "/announcements/feed.atom" in Outline.of(visitor.page("/new")).addresses


def test_an_organiser_writes_and_removes_one_in_the_browser(tmp_path: Path) -> None:
    place = ladder_with_people(load_settings(data_dir=tmp_path))
    olga = logged_in(place, "olga")
    path = "/admin/announcements"
    assert olga.send(path, path, title="Week 1", text="Read the *rules*.").headers["location"] == path
    assert "<em>rules</em>" in olga.get(path).text
    refused = olga.send(path, path, title="x" * (MAX_TITLE + 1), text="kept <b>")
    assert refused.status_code == 422
    assert "kept &lt;b&gt;</textarea>" in refused.text
    (row,) = announcements(place.ladder)
    assert olga.send(path, f"{path}/{row.number}/removal").headers["location"] == path
    assert announcements(place.ladder) == []
    assert olga.send(path, f"{path}/{row.number}/removal").status_code == 404
    place.ladder.database.close()
