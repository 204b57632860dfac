"""The page of one's team, as people use it with a browser."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts import managing, teams
from ladder.settings.settings import load_settings
from ladder.site.rendering.translations import translations
from ladder.store.commands.teams import NOT_OPEN
from ladder.values.accounts import LOCAL, Role
from tests.ladder.accounts import token_of
from tests.ladder.site.ladder_with_people import PeopleLadder, a_folder, ladder_with_people
from tests.ladder.site.person import PASSWORD, Person, Program, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

LINK = re.compile(r"https://arena\.test(/me/team\?invitation=(pgj_[\w-]+))")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[PeopleLadder]:
    """The ladder of people, with two who have no bots, and teams of two."""
    place = ladder_with_people(load_settings(data_dir=tmp_path, site_url="https://arena.test", team_size=2))
    for name in ("cleo", "dan"):
        managing.add_with_password(place.ladder, quick_passwords(), LOCAL, name, Role.CONTESTANT, PASSWORD)
    yield place
    place.ladder.database.close()


def person(place: PeopleLadder, name: str) -> Person:
    found = Person(place.ladder)
    assert found.log_in(name).status_code == 303
    return found


def refusal(response: httpx.Response) -> str:
    assert response.status_code == 422
    return unescape(response.text.partition('role="alert">')[2].partition("</p>")[0])


def test_a_team_is_founded_joined_by_a_link_and_left(place: PeopleLadder) -> None:
    cleo, dan = person(place, "cleo"), person(place, "dan")
    assert cleo.send("/me/team", name="badgers").status_code == 303
    made = cleo.send("/me/team", "/me/team/invitations")
    link = LINK.search(made.text)
    assert link is not None
    assert link[2] not in cleo.get("/me/team").text
    assert "badgers" in dan.get(link[1]).text
    assert dan.send(link[1], "/me/team/join", invitation=link[2]).status_code == 303
    assert {"cleo", "dan"} <= set(re.findall(r"<li>(\w+)</li>", dan.get("/me/team").text))
    assert refusal(dan.send("/me/team", "/me/team/invitations"))
    assert refusal(dan.get(link[1])) == NOT_OPEN

    sent = dan.upload("Farrow", a_folder())
    assert sent.status_code == 303
    assert "badgers" in cleo.get(sent.headers["location"]).text
    assert "Farrow" in cleo.get("/me").text
    assert person(place, "bob").get(sent.headers["location"]).status_code == 404
    assert cleo.send("/me/team", "/me/team/leaving").status_code == 303
    assert cleo.get(sent.headers["location"]).status_code == 404
    assert "Farrow" not in cleo.get("/me").text
    row = Program(place.ladder, token_of(place.ladder, "dan")).ask("GET", "/me").json()
    assert row["team"] == {"name": "badgers", "members": ["dan"], "limit": 2}


def test_a_link_is_taken_back(place: PeopleLadder) -> None:
    cleo = person(place, "cleo")
    cleo.send("/me/team", name="badgers")
    link = LINK.search(cleo.send("/me/team", "/me/team/invitations").text)
    assert link is not None
    assert cleo.send("/me/team", "/me/team/invitations/1/revoke").status_code == 303
    dan = person(place, "dan")
    assert refusal(dan.send("/me/team", "/me/team/join", invitation=link[2])) == NOT_OPEN


def test_who_has_bots_retires_them_first_and_reads_so_in_chinese(place: PeopleLadder) -> None:
    ada = person(place, "ada")
    ada.get("/?lang=zh")
    refused = ada.send("/me/team", name="badgers")
    assert "Trotter" in refusal(refused)
    assert "自己的机器人" in refusal(refused)
    assert 'value="badgers"' in refused.text
    assert translations("zh").gettext(NOT_OPEN) != NOT_OPEN


def test_without_the_setting_there_are_no_teams(place: PeopleLadder) -> None:
    without = place.ladder.settings.model_copy(update={"team_size": 0})
    cleo = Person(type(place.ladder)(without, place.ladder.database))
    cleo.log_in("cleo")
    assert 'href="/me/team"' in person(place, "cleo").get("/me").text
    assert all('href="/me/team"' not in cleo.get(path).text for path in ("/me", "/me/account"))
    assert 'action="/me/team"' not in cleo.get("/me/team").text
    assert "team_size" in refusal(cleo.send("/me", "/me/team", name="badgers"))


def test_teams_are_seen_by_organisers(place: PeopleLadder) -> None:
    person(place, "cleo").send("/me/team", name="badgers")
    page = person(place, "olga").get("/admin").text
    assert "/admin/accounts/badgers/disable" in page
    assert "/admin/accounts/badgers/role" not in page
    assert [row.members for row in teams.teams(place.ladder)] == [("cleo",)]


def test_the_page_says_that_a_team_is_disabled_and_lets_a_member_leave(place: PeopleLadder) -> None:
    cleo = person(place, "cleo")
    assert cleo.send("/me/team", name="badgers").status_code == 303
    managing.disable(place.ladder, LOCAL, "badgers", "It shares its bots.")
    page = cleo.get("/me/team").text
    assert "badgers" in page
    assert 'action="/me/team"' not in page  # nothing to found
    assert cleo.send("/me/team", "/me/team/leaving").status_code == 303
    assert 'action="/me/team"' in cleo.get("/me/team").text
