"""An owner's own pages: bots, submissions, output of bots."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.accounts import managing
from ladder.app.accounts.groups import set_group, set_group_quota
from ladder.app.bots import bots
from ladder.app.deadlines import set_deadline
from ladder.app.submit.ordering import TOO_MANY_A_DAY, TOO_MANY_BOTS
from ladder.entry.claims import LOOKS_LIKE_BOT
from ladder.entry.deadlines import CLOSED
from ladder.errors import LadderError
from ladder.settings.settings import load_settings
from ladder.site.rendering.translations import sentence_in, translations
from ladder.values.accounts import LOCAL, Role
from tests.ladder.site.ladder_with_people import AGAIN, PeopleLadder, a_folder, ladder_with_people
from tests.ladder.site.person import PASSWORD, Person, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Iterator[PeopleLadder]:
    place = ladder_with_people(load_settings(data_dir=tmp_path))
    yield place
    place.ladder.database.close()


@pytest.fixture
def ada(place: PeopleLadder) -> Person:
    return logged_in(place, "ada")


def logged_in(place: PeopleLadder, name: str, app: Any = None) -> Person:
    person = Person(place.ladder, app)
    assert person.log_in(name).status_code == 303
    return person


def actions(place: PeopleLadder) -> list[tuple[str, str, str]]:
    return [(row.actor, row.action, row.subject) for row in managing.audit(place.ladder, LOCAL)]


def test_the_header_names_the_reader_and_pages_that_are_kept_name_no_one_else(ada: Person, place: PeopleLadder) -> None:
    others = logged_in(place, "olga", ada.app), Person(place.ladder, ada.app)
    for path in ("/help", "/me", "/nowhere"):
        assert header_of(ada, path) == "/me ada"
    assert [header_of(each, "/help") for each in others] == ["/me olga", "/login?next=/help"]
    assert ada.send("/me", "/logout").status_code == 303
    assert header_of(ada, "/help") == "/login?next=/help"


def header_of(person: Person, path: str) -> str:
    """Give where the end of the header leads, and the name there."""
    found = re.search(
        r'<a class="account" href="([^"]*)"[^>]*>(?:<svg.*</svg> <span>(.*)</span>)?', person.get(path).text
    )
    assert found
    return f"{found[1]} {found[2] or ''}".strip()


def test_the_first_page_has_ones_bots_and_submissions_and_nobody_elses(ada: Person, place: PeopleLadder) -> None:
    page = ada.get("/me")
    assert page.headers["cache-control"] == "no-store"
    assert '<a href="/b/Trotter">Trotter</a>' in page.text
    assert '<a href="/b/Trotter/inbox">' in page.text
    assert '<a href="/me/logs?bot=Trotter">' in page.text
    for number in (place.queued, place.leased, place.entered, place.refused):
        assert f'<a href="/me/submissions/{number}">' in page.text
    assert "is being tried: 3 of 20" in page.text
    assert f'<a href="/me/submissions/{place.of_bob}">' not in page.text
    assert "Mud" not in page.text
    assert "/admin" not in page.text


def test_older_submissions_are_further_on(ada: Person, place: PeopleLadder) -> None:
    page = ada.get(f"/me?before={place.refused}").text
    assert f'<a href="/me/submissions/{place.entered}">' in page
    assert f'<a href="/me/submissions/{place.refused}">' not in page


def test_a_submission_says_how_far_it_is(ada: Person, place: PeopleLadder) -> None:
    waits = ada.get(f"/me/submissions/{place.queued}").text
    assert "waits in place " in waits
    assert f'data-number="{place.queued}"' in waits
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in waits
    assert "is being tried: 3 of 20" in ada.get(f"/me/submissions/{place.leased}").text


def test_one_that_has_ended_says_what_became_of_it(ada: Person, place: PeopleLadder) -> None:
    entered = ada.get(f"/me/submissions/{place.entered}").text
    assert "made room: Trotter@1" in entered
    assert "1,512" in entered
    refused = ada.get(f"/me/submissions/{place.refused}").text
    assert "It played 2C, " in refused
    assert "I hold the &lt;b&gt;queen&lt;/b&gt;.\n�[2Jnothing" in refused
    assert AGAIN in refused
    for page in (entered, refused):
        assert "submission.js" not in page
        assert "refresh" not in page


def test_the_submissions_of_others_are_as_good_as_none(ada: Person, place: PeopleLadder) -> None:
    theirs, none = ada.get(f"/me/submissions/{place.of_bob}"), ada.get("/me/submissions/999999")
    assert theirs.status_code == none.status_code == 404
    assert theirs.text.replace(f"submission {place.of_bob} ", "N") == none.text.replace("submission 999999 ", "N")
    assert logged_in(place, "olga").get(f"/me/submissions/{place.of_bob}").status_code == 200


def test_a_submission_is_withdrawn(ada: Person, place: PeopleLadder) -> None:
    page = f"/me/submissions/{place.queued}"
    assert ada.send(page, f"{page}/withdrawal").headers["location"] == page
    assert "withdrawn" in ada.get(page).text
    assert ("ada", "submission.withdraw", "Boar") in actions(place)
    assert ada.send(f"/me/submissions/{place.leased}", "/me/submissions/999999/withdrawal").status_code == 404
    assert ada.post(f"/me/submissions/{place.leased}/withdrawal", csrf="").status_code == 403


def test_a_bot_is_submitted_by_a_form(place: PeopleLadder) -> None:
    bob = logged_in(place, "bob")
    sent = bob.upload("Farrow", a_folder(), variant_gongzhu="on", keep_old="on")
    assert sent.status_code == 303, sent.text
    page = bob.get(sent.headers["location"]).text
    assert "my folder" in page
    assert "waits in place" in page
    assert ("bob", "submission.order", "Farrow") in actions(place)
    row = bob.get(f"/api/v1{sent.headers['location'].removeprefix('/me')}").json()
    assert (row["bot"], row["source"], row["status"]) == ("Farrow", "my folder", "queued")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("Farrow", b"", "Choose a file"),
        ("", b"x", "A bot has a name of 1 to 64 characters."),
        ("Farrow", b"no archive", "gzip"),
        ("Trotter", None, "Trotter"),
    ],
)
def test_what_is_not_taken_is_said_on_the_form(
    name: str, content: bytes | None, sentence: str, place: PeopleLadder
) -> None:
    bob = logged_in(place, "bob")
    refused = bob.upload(name, a_folder() if content is None else content)
    assert refused.status_code == 422
    assert sentence in refused.text.partition('role="alert">')[2].partition("</p>")[0]
    assert f'value="{name}"' in refused.text
    assert [*(place.ladder.settings.data_dir / "uploads").glob("*")] == []


def test_a_quota_that_is_used_up_is_said_there_too(ada: Person, place: PeopleLadder) -> None:
    assert ada.upload("Farrow", a_folder()).status_code == 303
    refused = ada.upload("Gilt", a_folder())
    assert refused.status_code == 422
    assert "have not ended: " in refused.text


def test_a_form_from_another_site_brings_no_bot(ada: Person) -> None:
    files = {"bot": ("x.tar.gz", a_folder(), "application/gzip")}
    for headers in ({"Origin": "http://evil.test"}, {}, {"Origin": ada.base}):  # the last one has no field csrf
        refused = ada.ask("POST", "/me/submissions", data={"name": "Farrow"}, files=files, headers=headers)
        assert refused.status_code in (303, 403), refused.text
        assert refused.headers.get("location") in (None, "/login")


def refused_in_chinese(person: Person, name: str = "Farrow") -> str:
    """Submit a bot that is not taken; gives the sentence on the form, for a reader of Chinese."""
    person.get("/?lang=zh")
    refused = person.upload(name, a_folder(), variant_gongzhu="on")
    assert refused.status_code == 422
    return unescape(refused.text.partition('role="alert">')[2].partition("</p>")[0])


def test_a_refusal_is_in_the_language_of_the_reader(place: PeopleLadder) -> None:
    def at(sentence: str, **values: object) -> str:
        assert translations("zh").gettext(sentence) != sentence
        return sentence_in(LadderError(sentence, **values), "zh")

    managing.add_with_password(place.ladder, quick_passwords(), LOCAL, "cleo", Role.CONTESTANT, PASSWORD)
    cleo = logged_in(place, "cleo")
    assert cleo.upload("Snaffle", a_folder()).status_code == 303
    set_group(place.ladder, LOCAL, "cleo", "course-a")
    set_group_quota(place.ladder, LOCAL, "course-a", None, 1)
    assert refused_in_chinese(cleo) == at(
        TOO_MANY_BOTS, group="course-a", limit=1, bot="Farrow", bots="Snaffle", first="Snaffle"
    )
    set_group_quota(place.ladder, LOCAL, "course-a", 0, None)
    assert refused_in_chinese(cleo) == at(TOO_MANY_A_DAY, limit=0)
    set_group_quota(place.ladder, LOCAL, "course-a", None, None)
    assert refused_in_chinese(cleo, "Tr0tter") == at(LOOKS_LIKE_BOT, name="Tr0tter", taken="Trotter")
    (row,) = set_deadline(place.ladder, LOCAL, None)
    assert refused_in_chinese(cleo) == at(CLOSED, variant="gongzhu", when=row.at)


def test_nobody_submits_without_logging_in(place: PeopleLadder) -> None:
    refused = Person(place.ladder).upload("Farrow", a_folder())
    assert (refused.status_code, refused.headers["location"]) == (303, "/login")


def test_a_form_that_is_none_is_refused(ada: Person) -> None:
    headers = {"Origin": ada.base, "Content-Type": "multipart/form-data; boundary=x"}
    refused = ada.ask("POST", "/me/submissions", content=b"--y\r\nnonsense", headers=headers)
    assert refused.status_code in (400, 403)


def test_owners_read_what_their_bots_printed(ada: Person, place: PeopleLadder) -> None:
    listed = ada.get("/me/logs?bot=Trotter").text
    assert f'<a href="/me/logs/{place.match}/0">' in listed
    assert f'<a href="/me/logs/{place.match}/1">' not in listed
    assert "I hold the &lt;b&gt;queen&lt;/b&gt;.\n�[2Jnothing" in ada.get(f"/me/logs/{place.match}/0").text


def test_to_others_it_is_as_good_as_none(ada: Person, place: PeopleLadder) -> None:
    for path in (f"/me/logs/{place.match}/1", f"/me/logs/{place.match}/9", "/me/logs/999999/0"):
        assert ada.get(path).status_code == 404
    theirs, none = ada.get("/me/logs?bot=Mud"), ada.get("/me/logs?bot=Nobody")
    assert theirs.status_code == none.status_code == 404
    assert theirs.text.replace("Mud", "N") == none.text.replace("Nobody", "N")
    assert logged_in(place, "bob").get(f"/me/logs/{place.match}/0").status_code == 404
    assert logged_in(place, "olga").get(f"/me/logs/{place.match}/0").status_code == 200


@pytest.mark.parametrize("path", ["/me", "/me/submissions/1", "/me/logs?bot=Trotter", "/me/logs/1/0"])
def test_who_has_not_logged_in_is_led_to_where_one_does(path: str, place: PeopleLadder) -> None:
    response = Person(place.ladder).get(path)
    assert response.status_code == 303
    assert response.headers["location"].startswith("/login?next=/me")


@pytest.mark.parametrize("path", ["/me", "/me/submissions/1", "/me/logs?bot=Trotter"])
def test_pages_of_people_are_in_chinese_too(path: str, ada: Person) -> None:
    text = ada.get(path, accept_language="zh").text
    assert '<html lang="zh-Hans">' in text


def test_an_owner_lets_people_play_with_a_bot_and_takes_that_back(ada: Person, place: PeopleLadder) -> None:
    page = ada.get("/me").text
    assert 'action="/me/bots/Trotter/people"' in page
    for allowed in (True, False):
        page = ada.get("/me").text
        assert ("Stop it: Trotter" if not allowed else "Allow it: Trotter") in page
        assert ada.send("/me", "/me/bots/Trotter/people", allowed="1" if allowed else "0").status_code == 303
        assert [bot.people for bot in bots(place.ladder, owner="ada") if bot.bot == "Trotter"] == [allowed]
    assert actions(place).count(("ada", "bot.people", "Trotter")) == 2
