"""The pages and the API of events, one's entries, and the bracket."""

from __future__ import annotations

import csv
import datetime
import io
import json
import re
import zipfile
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from icalendar import Calendar

from ladder.app.event import holding, reading
from ladder.app.event.export_file import EXPORT_JSON
from ladder.app.event.verifying import verify_event
from ladder.settings.settings import load_settings
from ladder.site.pages import events
from ladder.site.pages.events import Column, bracket, cross_table, going_on
from ladder.site.pages.presenter import seated
from ladder.site.rendering.faces import avatar, emblem
from ladder.store.commands import held_events as commands
from ladder.values.accounts import ANONYMOUS, LOCAL
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from pigpen.rules import PRESETS
from tests.ladder.app.event_ladders import FILE, coordinator_of, open_cup, own_ways, play, started_cup
from tests.ladder.app.test_event_files import EXAMPLES
from tests.ladder.ladders import enter, new_ladder
from tests.ladder.site.chinese_words import latin, text_of
from tests.ladder.site.ladder_with_people import PeopleLadder, ladder_with_people
from tests.ladder.site.person import Person
from tests.ladder.site.visitor import BASE, Outline, Visitor
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.held_events import EventTableRow
    from ladder.worker.match_tasks import MatchOutcome, MatchTask

ATOM = "{http://www.w3.org/2005/Atom}"
BOTS = [f"Bot-{number}" for number in range(1, 9)]
TERMS = {
    "Pigpen",
    "Elo",
    "JSON",
    "CSV",
    "API",
    "SHA-256",
    "UTC",
    "English",
    "Small",
    "cup",
    "Round",
    "robin",
    "Final",
    "Python",
}


def finished(ladder: Ladder, answer: Callable[[MatchTask], MatchOutcome] = own_ways) -> None:
    """Play the cup to its end, and nothing else."""
    coordinator = coordinator_of(ladder, Time())
    while (found := reading.event(ladder, LOCAL, "cup", everything=True)).state is not EventState.OVER:
        left = sum(not each.boards for one in found.round_list for each in one.tables)
        play(coordinator, 1, answer, at_once=max(left, 1))


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A site on which one event is over, and one open."""
    ladder = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("over") / "data", sandbox="process"))
    started_cup(ladder)
    finished(ladder)
    holding.open_event(ladder, LOCAL, "next", FILE.format(show="live").replace("Small", "Next"), PRESETS["gongzhu"])
    yield Visitor(ladder)
    ladder.database.close()


def test_all_events_are_listed_and_lead_to_their_pages(over: Visitor) -> None:
    page = over.page("/events")
    assert page.index('href="/events/next"') < page.index('href="/events/cup"')
    assert ">registration is open<" in page
    assert [(each["name"], each["state"]) for each in over.value("/events")] == [("next", "open"), ("cup", "over")]
    assert over.problem("/api/v1/events/cap", 404).startswith("There is no event ")
    assert over.get("/events/cap").status_code == 404


def test_the_page_of_an_event_that_is_over_has_all_places_rounds_and_what_proves_them(over: Visitor) -> None:
    page, value = over.page("/events/cup"), over.value("/events/cup")
    winner = value["standings"][0]["name"]
    assert f'Winner: <a href="/b/{winner}"' in page
    assert all(f'href="/events/cup/certificate/{bot}"' in page for bot in BOTS)
    assert all(value[name] in page for name in ("commitment", "entrants_hash", "seed"))
    assert page.count("<h2><a href=") == 2
    places = re.findall(r'<td class="num rank" .*', page)
    assert len(places) == len(BOTS)
    assert not any('data-of="board points">–' in each for each in places), (
        "all have a score, also those below the final"
    )
    assert ["out in Round robin" in each for each in places].index(True) == 3
    assert [one["out_after"] for one in value["standings"]] == [None] * 4 + [2] * 4
    assert [">Round robin, round 2<" in each for each in places] == [False] * 4 + [True] * 4
    assert all(one["why"] for one in value["standings"][:-1])
    for number, found in enumerate(value["round_list"], 1):
        shown = over.page(f"/events/cup/rounds/{number}")
        play_off = ", play-off" if found["kind"] == "play-off" else ""
        assert f"<h1>Round {number}: {found['stage']}{play_off}</h1>" in shown
        for table in found["tables"]:
            assert f'<a href="/m/{table["match"]}">' in shown
    assert over.get("/events/cup/rounds/9").status_code == 404
    assert over.get("/events/cup/rounds/0").status_code == 404


def test_a_final_shows_how_sure_its_first_place_is_on_the_page_and_on_the_two_certificates(over: Visitor) -> None:
    found = over.value("/events/cup")["standings"]
    margin = found[0]["margin"]
    assert (margin["boards"], margin["together"]) == (2, 2)
    shown = f"{margin['difference']:.1f} ± {margin['plus_minus']:.1f}"
    pages = ["", *(f"/certificate/{one['name']}" for one in found)]
    assert [shown in over.page(f"/events/cup{path}") for path in pages] == [True] * 3 + [False] * 6
    page = over.page("/events/cup")
    levels = sum(one["margin"] is not None and one["margin"]["is_tied"] for one in found)
    assert page.count('<span class="tag">statistically level</span>') == levels > 0
    assert found[3]["margin"] is None, "the fourth of the final is before one who did not play it"


def test_a_cross_table_counts_each_board_of_each_pair_once(over: Visitor) -> None:
    rounds = reading.event(over.ladder, LOCAL, "cup").round_list
    found = cross_table(rounds)
    pairs = 0
    for each in (each for one in rounds for each in one.tables):
        there = sum(number > 0 for number in each.entrants)  # the others of a play-off are stand-ins
        pairs += len(each.boards or ()) * there * (there - 1)
    assert sum(count for _, count in found.values()) == pairs
    assert all(found[a, b][0] + found[b, a][0] == found[a, b][1] == found[b, a][1] for a, b in found)
    page = over.page("/events/cup/cross")
    assert page.count("<tr>") == 9
    assert over.get("/events/next/cross").status_code == 404


def test_a_certificate_is_there_for_each_place_of_an_event_that_is_over(over: Visitor) -> None:
    last = over.value("/events/cup")["standings"][-1]["name"]
    page = over.page(f"/events/cup/certificate/{last}")
    assert f"<h1>{last}</h1>" in page
    assert "Place 8 of 8." in page
    assert over.get("/events/cup/certificate/Nobody").status_code == 404
    assert over.get("/events/next/certificate/Bot-1").status_code == 404


def test_the_prizes_are_on_the_events_page_and_on_the_certificates_of_their_places(ladder: Ladder) -> None:
    file = FILE.format(show="live").replace("entrants =", 'prizes = ["A <medal>", "A book"]\nentrants =', 1)
    started_cup(ladder, file=file)
    assert "1. A &lt;medal&gt; · 2. A book" in Visitor(ladder).page("/events/cup")
    finished(ladder)
    site = Visitor(ladder)
    by_place = [one["name"] for one in site.value("/events/cup")["standings"]]
    for bot, prize in zip(by_place, ["A &lt;medal&gt;", "A book", ""], strict=False):
        page = site.page(f"/events/cup/certificate/{bot}")
        assert [each for each in ("A &lt;medal&gt;", "A book") if each in page] == ([prize] if prize else [])


def test_what_is_downloaded_verifies(over: Visitor, tmp_path: Path) -> None:
    response = over.get("/api/v1/events/cup/export")
    assert response.headers["content-disposition"] == 'attachment; filename="cup.zip"'
    path = tmp_path / "cup.zip"
    path.write_bytes(response.content)
    found = verify_event(path)
    assert (found.holds, found.winner) == (True, over.value("/events/cup")["standings"][0]["name"])
    assert EXPORT_JSON in zipfile.ZipFile(io.BytesIO(response.content)).namelist()
    assert over.problem("/api/v1/events/next/export", 404).endswith("when it is over.")


@pytest.mark.parametrize(
    "path",
    [
        "/events",
        "/events/cup",
        "/events/next",
        "/events/cup/rounds/1",
        "/events/cup/cross",
        "/events/cup/certificate/Bot-1",
    ],
)
def test_a_page_is_in_chinese(over: Visitor, path: str) -> None:
    names = {*BOTS, *(f"owner of {bot}" for bot in BOTS), "gongzhu"}
    page = over.get(path, accept_language="zh").text
    assert text_of(page).language == "zh-Hans"
    assert latin(page, TERMS | names | {"Next", "owner", "of", "pigpen", "event", "verify", "published", "link"}) == []


def test_a_page_changes_when_the_event_does(ladder: Ladder) -> None:
    open_cup(ladder)
    site = Visitor(ladder)
    assert "registration is open" in site.page("/events/cup")
    holding.freeze(ladder, LOCAL, "cup")
    assert "entrants is final" in site.page("/events/cup")
    holding.start(ladder, LOCAL, "cup")
    assert "Round 1: Round robin" in site.page("/events/cup")
    play(coordinator_of(ladder, Time()), 1)
    assert site.page("/events/cup").count("<b>") >= 8
    bot = reading.event(ladder, LOCAL, "cup").round_list[0].tables[0].bots[0]
    holding.rule(ladder, LOCAL, "cup", 1, 1, [bot], "It knew the <b>cards</b>.")
    page = site.page("/events/cup/rounds/1")
    assert f"{bot}: last on every board." in page
    assert "It knew the &lt;b&gt;cards&lt;/b&gt;." in page


def test_pages_the_feed_and_certificates_have_stamps_with_which_an_export_is_compared(
    over: Visitor, tmp_path: Path
) -> None:
    path = tmp_path / "cup.zip"
    path.write_bytes(over.get("/api/v1/events/cup/export").content)
    rounds = len(over.value("/events/cup")["round_list"])
    for name, stamps in {
        "/events/cup": 1, "/events/cup/certificate/Bot-1": 1, "/events/feed.atom": rounds + 4,
        "/api/v1/events/cup": 2 * rounds + 6,
    }.items():  # fmt: skip
        copy = tmp_path / "copy"
        copy.write_text(over.get(name).text)
        found = verify_event(path, [str(copy)])
        assert (name, found.published, found.findings) == (name, stamps, ())


def test_a_feed_has_what_has_happened_the_newest_first(over: Visitor) -> None:
    response = over.get("/events/feed.atom")
    assert response.headers["content-type"] == "application/atom+xml"
    feed = ElementTree.fromstring(response.content)
    names = [child.tag.removeprefix(ATOM) for child in feed]
    assert {"title", "id", "updated"} <= set(names)
    entries = feed.findall(f"{ATOM}entry")
    value = over.value("/events/cup")
    assert len(entries) == 5 + len(value["round_list"])
    for each in entries:
        parts = {child.tag.removeprefix(ATOM): child for child in each}
        assert {"title", "id", "updated", "author", "link"} <= set(parts)
        assert parts["link"].get("href", "").startswith(f"{BASE}/events/")
    assert len({each.findtext(f"{ATOM}id") for each in entries}) == len(entries)
    updated = [datetime.datetime.fromisoformat(each.findtext(f"{ATOM}updated") or "") for each in entries]
    assert updated == sorted(updated, reverse=True)
    titles = [each.findtext(f"{ATOM}title") for each in entries]
    assert f"Small cup: {value['standings'][0]['name']} has won" in titles
    assert over.page("/events").count('href="/events/feed.atom"') == 2


def test_a_calendar_has_the_times_of_an_events_file(ladder: Ladder) -> None:
    open_cup(ladder)
    text = (EXAMPLES / "gongzhu-weekend.toml").read_text()
    early = replace(ladder, clock=lambda: datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC).timestamp())
    holding.open_event(early, LOCAL, "weekend", text, PRESETS["gongzhu"])
    response = Visitor(ladder).get("/events/weekend/event.ics")
    assert response.headers["content-type"] == "text/calendar; charset=utf-8"
    found = Calendar.from_ical(response.content).walk("VEVENT")
    assert len({each["uid"] for each in found}) == len(found) == 4 + 7
    by_title = {str(each["summary"]): each for each in found}
    first = by_title["拱猪 Weekend: Swiss, round 1"]
    assert first.decoded("dtstart") == datetime.datetime(2026, 12, 12, 9, tzinfo=datetime.UTC)
    assert by_title["拱猪 Weekend: registration closes"].decoded("dtstart").hour == 8
    (check_in,) = (each for title, each in by_title.items() if "check-in" in title)
    assert check_in.decoded("dtstart").hour == 7


def test_a_title_that_was_opened_before_it_was_refused_stands_in_a_calendar_without_what_cannot_be_printed(
    ladder: Ladder,
) -> None:
    file = FILE.format(show="live").replace("Small", "Sm\\u0001\\u202e\\nall").replace("Final", "F\\u0002")
    file = file.replace('variant = "gongzhu"\n', 'variant = "gongzhu"\nopens = 2026-12-20T01:00:00-08:00\n')
    with ladder.database.write() as session:
        enter(session, "house-counting", "gongzhu", owner="house-counting")
        commands.open_event(session, "cup", file, PRESETS["gongzhu"], bytes(32), 1.0)
    site = Visitor(ladder)
    (entry,) = Calendar.from_ical(site.get("/events/cup/event.ics").content).walk("VEVENT")
    assert entry["summary"] == "Sm\ufffd\ufffd\ufffdall cup: registration opens"
    assert entry.decoded("dtstart") == datetime.datetime(2026, 12, 20, 9, tzinfo=datetime.UTC)
    assert ">20 Dec 2026, 09:00 UTC<" in site.page("/events/cup"), "the page says that it is UTC"


def test_what_looks_like_a_formula_is_text_in_csv(ladder: Ladder) -> None:
    started_cup(ladder, file=FILE.format(show="live").replace("Round robin", "=1+1"))
    finished(ladder)
    lines = lines_of(Visitor(ladder), "/events/cup/standings.csv")
    assert [line["stage"] for line in lines] == ["Final"] * 4 + ["'=1+1"] * 4
    assert lines[3]["why"] == "went out in =1+1"
    assert [line["out_after"] for line in lines] == [""] * 4 + ["2"] * 4
    assert {line["stage"] for line in lines_of(Visitor(ladder), "/events/cup/tables.csv")} == {"Final", "'=1+1"}


MARKUP = "<script>alert(1)</script>'\"><img src=x onerror=alert(2)>{{ 7*7 }}"


def test_what_an_organiser_writes_is_text_on_every_page_feed_and_calendar(ladder: Ladder) -> None:
    file = FILE.format(show="live").replace(
        "[event]", f"[event]\nopens = 2026-01-01T00:00:00Z\nprizes = [{json.dumps(MARKUP)}]"
    )
    for name in ("Small cup", "Round robin", "Final"):
        file = file.replace(f'"{name}"', json.dumps(f"{name[0]}{MARKUP}"))
    started_cup(ladder, file=file)
    finished(ladder)
    site, pages = Visitor(ladder), ["", "/rounds/1", "/rounds/3", f"/certificate/{BOTS[0]}"]
    found = [site.get(f"/events{path}") for path in ("", *(f"/cup{each}" for each in pages))]
    assert {each.status_code for each in found} == {200}
    for response in found:
        outline = Outline.of(response.text)
        assert outline.inline == [], response.url
        assert MARKUP not in response.text
        assert all(each.startswith(("/", "?", "#", "https://")) for each in outline.addresses)
    assert all("alert(1)" in each.text for each in found)
    feed = ElementTree.fromstring(site.get("/events/feed.atom").content)
    assert {child.tag.removeprefix(ATOM) for child in feed.iter()} <= {
        "feed", "title", "id", "updated", "author", "name", "link", "entry", "summary", "content"
    }  # fmt: skip
    events = Calendar.from_ical(site.get("/events/cup/event.ics").content).walk("VEVENT")
    assert {str(each["summary"]).partition(": ")[0] for each in events} == {f"S{MARKUP}"}


def lines_of(site: Visitor, path: str) -> list[dict[str, str]]:
    """The lines of a CSV file of the API."""
    response = site.get(f"/api/v1{path}")
    assert (response.status_code, response.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(io.StringIO(response.text)))


def test_standings_and_tables_are_there_as_csv(over: Visitor) -> None:
    value = over.value("/events/cup")
    found = lines_of(over, "/events/cup/standings.csv")
    assert [(int(one["place"]), one["bot"], one["why"]) for one in found] == [
        (one["place"], one["name"], one["why"]) for one in value["standings"]
    ]
    assert float(found[0]["board_points"]) == value["standings"][0]["values"][0]
    assert all(one["board_points"] and one["card_points"] and one["stage"] for one in found), "also below the final"
    tables = [each for one in value["round_list"] for each in one["tables"]]
    lines = lines_of(over, "/events/cup/tables.csv")
    assert [line["bot"] for line in lines] == [bot for each in tables for bot in each["bots"]]
    assert [float(line["board_points"]) for line in lines] == [points for each in tables for points in each["points"]]
    assert lines_of(over, "/events/next/standings.csv") == []


def by_place(table: EventTableRow) -> list[int]:
    """The places at a table, in order."""
    points = table.points or ()
    return sorted(1 + sum(other > own for other in points) for own in points)


def test_a_presented_table_has_what_each_bot_had_before_in_the_stage(over: Visitor) -> None:
    page = reading.event(over.ladder, LOCAL, "cup")
    found = [(one, table) for one in page.round_list for table in one.tables]
    second = next(each for each in found if each[0].number == 2)
    had = {bot: points for one, table in found[:2] for bot, points in zip(table.bots, table.points or (), strict=True)}
    shown = seated(second, found)
    assert {each.name: each.before for each in shown} == {bot: had[bot] for bot in second[1].bots}
    assert [each.place for each in shown] == by_place(second[1])
    assert all(each.total == each.before + (each.points or 0) for each in shown)
    final = next(each for each in found if each[0].stage == "Final")
    assert {each.before for each in seated(final, found)} == {0.0}, "a stage begins anew"
    hidden = (second[0], second[1].model_copy(update={"points": None}))
    waiting = seated(hidden, found)
    assert [each.total for each in waiting] == sorted((had[bot] for bot in second[1].bots), reverse=True)
    assert {(each.points, each.place) for each in waiting} == {(None, 0)}


def test_a_certificate_has_an_emblem_a_face_a_date_and_the_prize_of_its_place(ladder: Ladder) -> None:
    file = FILE.format(show="live").replace("[event]", '[event]\nprizes = ["A golden pig", "A sheep"]')
    started_cup(ladder, file=file)
    finished(ladder)
    site, places = Visitor(ladder), reading.event(ladder, LOCAL, "cup").standings
    for one, prize in zip(places, ["A golden pig", "A sheep", *[None] * 6], strict=True):
        page = site.page(f"/events/cup/certificate/{one.name}")
        assert emblem("cup") in page
        assert avatar(one.name) in page
        assert f"Place {one.place} of 8." in page
        assert '<time datetime="' in page
        assert re.findall(r">Prize</span> ([^<]+)</p>", page) == ([prize] if prize else [])


def of_form(page: str) -> dict[str, str]:
    """Give what the presenter's form says of the table whose result it shows."""
    return dict(re.findall(r'name="(round|table)" value="(\d+)"', page))


def test_an_organiser_shows_the_results_table_by_table(tmp_path: Path) -> None:
    place = ladder_with_people(load_settings(data_dir=tmp_path, sandbox="process"))
    try:
        started_cup(place.ladder, file=FILE.format(show="manual"))
        olga, address = Person(place.ladder), "/events/cup/present"
        olga.log_in("olga")
        assert "no result that " in olga.get(address).text
        play(coordinator_of(place.ladder, Time()), 1, own_ways, at_once=2)
        page = olga.get(address).text
        tables = reading.event(place.ladder, LOCAL, "cup", everything=True).round_list[0].tables
        assert "Round robin · Table 1" in page
        assert all(f'href="/b/{bot}"' in page for bot in tables[0].bots)
        assert "<b>" not in page
        assert "<button" in page
        assert "autofocus" in page
        assert olga.send(address).headers["location"] == address, "a form that names no table shows nothing"
        after = olga.send(address, **of_form(page))
        assert (after.status_code, after.headers["location"]) == (303, f"{address}?round=1&table=1")
        assert olga.send(address, **of_form(page)).headers["location"] == address, "the same form shows nothing more"
        shown = olga.get(after.headers["location"]).text
        assert [float(points) for points in re.findall(r"<b>([0-9.]+)</b>", shown)] == sorted(
            tables[0].points or (), reverse=True
        )
        assert re.findall(r"place-(\d).*?Place (\d)", shown) == [
            (str(place), str(place)) for place in by_place(tables[0])
        ]
        assert "Round robin · Table 2" in shown
        public = reading.event(place.ladder, LOCAL, "cup").round_list[0].tables
        assert [each.status for each in public] == ["done", "sealed"]
        assert "<b>" not in olga.get(f"{address}?round=1&table=2").text, "its result is not shown yet"
        assert f'href="{address}"' in olga.get("/me").text
        ada = Person(place.ladder)
        ada.log_in("ada")
        assert ada.get(address).status_code == 404
        assert 'href="/events/cup"' in ada.get("/me").text
        assert address not in ada.get("/me").text, "it is for organisers"
        to_its_end(place.ladder)
        while "autofocus" in (page := olga.get(address).text):
            assert "Winner: " not in page
            last = olga.send(address, **of_form(page))
        assert "Winner: " in olga.get(last.headers["location"]).text
    finally:
        place.ladder.database.close()


def to_its_end(ladder: Ladder) -> None:
    """Play the cup, and whatever else there is to be played, until the cup is over."""
    coordinator = coordinator_of(ladder, Time())
    while reading.event(ladder, LOCAL, "cup", everything=True).state is not EventState.OVER:
        play(coordinator, 1, own_ways, at_once=2)


def test_an_owner_enters_and_withdraws_a_bot_on_a_page(tmp_path: Path) -> None:
    place = ladder_with_people(load_settings(data_dir=tmp_path))
    try:
        variant = next(iter(reading_variants(place)))
        file = FILE.format(show="live").replace("gongzhu", variant)
        holding.open_event(place.ladder, LOCAL, "cup", file, PRESETS[variant])
        assert Person(place.ladder).get("/events/cup/entries").status_code == 303
        ada = Person(place.ladder)
        ada.log_in("ada")
        assert 'aria-label="Enter Trotter"' in ada.get("/events/cup/entries").text
        assert ada.post("/events/cup/entries", bot="Trotter").status_code == 403, "without the form's own value"
        assert ada.send("/events/cup/entries", bot="Trotter", act="enter").status_code == 303
        assert 'aria-label="Withdraw Trotter"' in ada.get("/events/cup/entries").text
        assert [one.name for one in reading.event(place.ladder, LOCAL, "cup").entrant_list] == ["Trotter"]
        refused = ada.send("/events/cup/entries", bot="Snout", act="enter")
        assert refused.status_code == 422
        assert 'role="alert"' in refused.text
        assert ada.send("/events/cup/entries", bot="Trotter", act="withdraw").status_code == 303
        assert reading.event(place.ladder, LOCAL, "cup").entrant_list == ()
    finally:
        place.ladder.database.close()


def test_an_owner_checks_in_on_the_page_and_all_pages_say_so(tmp_path: Path) -> None:
    place, time = ladder_with_people(load_settings(data_dir=tmp_path)), Time()
    ladder = replace(place.ladder, clock=time)
    try:
        variant = next(iter(reading_variants(place)))
        begins, freezes = (time_of(time.now + later).isoformat() for later in (60, 3600))
        times = f"waiting_list = 1\ncheck_in = {begins}\nfreezes = {freezes}\n\n[[stage]]"
        file = FILE.format(show="live").replace("gongzhu", variant).replace("[4, 16]", "[2, 2]")
        holding.open_event(ladder, LOCAL, "cup", file.replace("\n[[stage]]", times, 1), PRESETS[variant])
        ada, entries = Person(ladder), "/events/cup/entries"
        ada.log_in("ada")
        assert ada.send(entries, bot="Trotter", act="enter").status_code == 303
        assert 'value="check-in"' not in ada.get(entries).text, "too early"
        assert ada.send(entries, bot="Trotter", act="check-in").status_code == 422
        time.now += 60
        assert 'aria-label="Check in Trotter"' in ada.get(entries).text
        assert ada.send(entries, bot="Trotter", act="check-in").status_code == 303
        assert 'value="check-in"' not in ada.get(entries).text
        assert ">checked in<" in ada.get(entries).text
        (entry,) = reading.event(ladder, LOCAL, "cup").entrant_list
        assert (entry.checked_in, entry.checked_in_by) == (time_of(time.now), "ada")
        page = ada.get("/events/cup").text
        assert "<dt>Check-in</dt>" in page
        assert '<small class="aside">checked in</small>' in page
        assert "Check-in" in ada.get("/me").text
        holding.withdraw(ladder, LOCAL, "cup", "Trotter")
        assert all("was withdrawn by" in ada.get(path).text for path in ("/events/cup", entries))
        assert "被组织者撤回" in ada.get("/events/cup", accept_language="zh").text
    finally:
        ladder.database.close()


def reading_variants(place: PeopleLadder) -> list[str]:
    """The variants that Trotter plays."""
    from ladder.app.bots import bots

    (trotter,) = (one for one in bots(place.ladder) if one.bot == "Trotter")
    return [entry.variant for entry in trotter.entries]


HEAD = FILE.partition("[[stage]]")[0]
FINAL = FILE.rpartition("[[stage]]")[2]
PODS = f"""{HEAD}
[[stage]]
name = "Pods"
kind = "pods"
advance = 2
until = 4
format = "boards:1"
play_off = "boards:1"

[[stage]]{FINAL}"""
HALVING = f"""{HEAD}
[[stage]]
name = "Halving"
kind = "halving"
until = 8
format = "boards:1"

[[stage]]
name = "Eight"
kind = "round-robin"
rounds = 2
format = "boards:1"
play_off = "boards:1"

[[stage]]{FINAL}"""


def bracket_of(ladder: Ladder, bots: int, file: str) -> tuple[Column, ...]:
    """Play a cup to its end; give its bracket."""
    started_cup(ladder, bots, file=file.format(show="live"))
    coordinator = coordinator_of(ladder, Time())
    while (page := reading.event(ladder, ANONYMOUS, "cup")).state is not EventState.OVER:
        play(coordinator, 1, own_ways, at_once=sum(not each.boards for one in page.round_list for each in one.tables))
    return bracket(page)


def plain(column: Column) -> dict[int, list[str]]:
    """The bots of each table of a column, play-offs and stand-ins aside."""
    return {
        pod.table: [seat.name for seat in pod.seats if seat.number > 0] for pod in column.pods if not pod.is_play_off
    }


def test_each_bot_goes_on_to_the_table_at_which_it_sits_next(ladder: Ladder) -> None:
    columns = bracket_of(ladder, 11, PODS)  # a stand-in sits in both rounds of pods
    page = reading.event(ladder, ANONYMOUS, "cup")
    assert [(one.stage, one.tables) for one in columns] == [("Pods", 3), ("Pods", 2), ("Final", 1)]
    rounds = [one for one in page.round_list if one.kind == "round"]
    assert [one.round for one in columns] == [one.round for one in rounds]  # a play-off at the cut is a round, too
    for one, column in zip(rounds, columns, strict=True):
        for table in one.tables:
            assert sorted(plain(column)[table.number]) == sorted(bot for bot in table.bots if bot.startswith("Bot-"))
    for column, following in pairwise(columns):
        went = {seat.name: seat.to for pod in column.pods if not pod.is_play_off for seat in pod.seats if seat.to}
        assert went == {name: table for table, names in plain(following).items() for name in names}
    assert {seat.to for pod in columns[-1].pods for seat in pod.seats} == {None}
    for pod in (pod for one in columns for pod in one.pods):
        points = [seat.points for seat in pod.seats]
        assert points == sorted(points, key=lambda each: -(each or 0))
        assert None not in points


def test_a_stage_of_several_rounds_is_one_column_with_sums(ladder: Ladder) -> None:
    columns = bracket_of(ladder, 16, HALVING)
    page = reading.event(ladder, ANONYMOUS, "cup")
    assert [(one.stage, one.round, one.tables) for one in columns] == [
        ("Halving", 1, 4),
        ("Eight", 0, 1),
        ("Final", 1, 1),
    ]
    eight = columns[1].pods[0]
    mine = [one for one in page.round_list if one.stage == "Eight" and one.kind == "round"]
    assert len(mine) == 2
    for seat in eight.seats:
        at = [(table, table.bots.index(seat.name)) for one in mine for table in one.tables if seat.name in table.bots]
        assert seat.points == sum(table.points[place] for table, place in at if table.points)
    assert sum(seat.to == 0 for pod in columns[0].pods if not pod.is_play_off for seat in pod.seats) == 8
    assert sum(seat.to == 1 for seat in eight.seats) == 4
    shown = Visitor(ladder).page("/events/cup")
    assert shown.count('id="pod-') == sum(len(one.pods) for one in columns)
    assert f'href="#pod-{eight.round}-0">→ Eight</a>' in shown


def test_what_is_not_shown_has_no_points_and_nobody_goes_on(ladder: Ladder) -> None:
    started_cup(ladder, 8, file=PODS.format(show="manual"))
    coordinator = coordinator_of(ladder, Time())
    play(coordinator, 1, own_ways, at_once=2)
    holding.release(ladder, LOCAL, "cup")
    (column,) = bracket(reading.event(ladder, ANONYMOUS, "cup"))
    assert [seat.points is None for pod in column.pods for seat in pod.seats] == [False] * 4 + [True] * 4
    assert {seat.to for pod in column.pods for seat in pod.seats} == {None}
    assert going_on(reading.event(ladder, ANONYMOUS, "cup")) == {}
    assert "→" not in Visitor(ladder).page("/events/cup").partition('class="bracket"')[2]


def test_events_without_such_a_stage_have_no_bracket(ladder: Ladder) -> None:
    assert bracket_of(ladder, 8, FILE) == ()
    assert 'class="bracket"' not in Visitor(ladder).page("/events/cup")


def test_the_page_has_a_bracket_in_chinese_and_leaves_rounds_out_that_are_too_great(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = bracket_of(ladder, 15, PODS)
    page = Visitor(ladder).page("/events/cup")
    assert ">Pods, round 1</a>" in page
    for column, sign, least in (
        (columns[0], "→ Table ", sum(map(len, plain(columns[1]).values()))),
        (columns[1], "→ Final", 4),
    ):
        marked = sum(seat.to is not None for pod in column.pods for seat in pod.seats)  # in a play-off once more
        assert page.count(sign) == marked >= least
    winner = reading.event(ladder, ANONYMOUS, "cup").standings[0].name
    assert page.partition(">Final</a></h3>")[2].index('<li class="on">') < page.partition(">Final</a></h3>")[2].index(
        winner
    )
    chinese = Visitor(ladder).get("/events/cup", accept_language="zh").text
    shown = '<html lang="zh"><body>' + chinese.partition("晋级图</h2>")[2].partition("<h2>")[0] + "</body></html>"
    assert latin(shown, {"Pods", "Final", *(f"Bot-{number}" for number in range(1, 16))}) == []
    monkeypatch.setattr(events, "MAX_SEATS", 8)
    assert [one.stage for one in bracket(reading.event(ladder, ANONYMOUS, "cup"))][-1] == "Final"
    assert len(bracket(reading.event(ladder, ANONYMOUS, "cup"))) < len(columns)
