"""Organisers' acts with a browser; each is in the audit log, and no other account can do it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.app import bots, overview
from ladder.app.accounts import managing, registering
from ladder.app.accounts.groups import groups
from ladder.app.cluster import worker_states
from ladder.app.deadlines import deadlines
from ladder.app.matches import public_match
from ladder.settings.settings import load_settings
from ladder.values.accounts import LOCAL, Role, Scope
from tests.ladder.accounts import token_of
from tests.ladder.site.ladder_with_people import PeopleLadder, ladder_with_people
from tests.ladder.site.person import Person
from tests.ladder.site.test_my_pages import actions, logged_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.values.accounts import AccountRow

PAGES = [
    "/admin",
    "/admin/invitations",
    "/admin/announcements",
    "/admin/deadlines",
    "/admin/groups",
    "/admin/bots",
    "/admin/alike",
    "/admin/matches",
    "/admin/submissions",
    "/admin/audit",
    "/admin/workers",
]
ACTIONS = [
    "/admin/accounts/ada/disable", "/admin/accounts/ada/enable", "/admin/accounts/ada/role",
    "/admin/accounts/ada/quota", "/admin/accounts/ada/group", "/admin/deadlines", "/admin/deadlines/removal",
    "/admin/groups/course-a/quota", "/admin/invitations", "/admin/invitations/1/revoke", "/admin/announcements",
    "/admin/announcements/1/removal", "/admin/bots/Trotter/suspend",
    "/admin/bots/Trotter/resume", "/admin/bots/Trotter/retire", "/admin/matches/1/requeue",
    "/admin/workers/barn/drain", "/admin/workers/barn/resume", "/admin/workers/old/forget",
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Iterator[PeopleLadder]:
    place = ladder_with_people(load_settings(data_dir=tmp_path, site_url="https://arena.test"))
    yield place
    place.ladder.database.close()


@pytest.fixture
def olga(place: PeopleLadder) -> Person:
    return logged_in(place, "olga")


def account(place: PeopleLadder, name: str) -> AccountRow:
    (row,) = [row for row in managing.accounts(place.ladder, LOCAL) if row.name == name]
    return row


def states(place: PeopleLadder, bot: str) -> set[tuple[str, str]]:
    (row,) = [row for row in bots.bots(place.ladder) if row.bot == bot]
    return {(entry.state, entry.reason) for entry in row.entries}


@pytest.mark.parametrize("path", PAGES)
def test_only_organisers_see_that_there_is_such_a_page(path: str, place: PeopleLadder, olga: Person) -> None:
    assert olga.get(path).status_code == 200
    ada = logged_in(place, "ada")
    hidden, none = ada.get(path), ada.get("/nothing")
    assert hidden.status_code == none.status_code == 404
    assert re.sub('href="[^"]*"', "", hidden.text) == re.sub('href="[^"]*"', "", none.text)
    assert Person(place.ladder).get(path).headers["location"] == f"/login?next={path}"


@pytest.mark.parametrize("path", ACTIONS)
def test_nobody_else_does_what_organisers_do(path: str, place: PeopleLadder, olga: Person) -> None:
    before = actions(place)
    assert logged_in(place, "ada").send("/me", path, reason="x", role="organiser").status_code == 404
    assert Person(place.ladder).send("/login", path, reason="x").status_code in (303, 403)
    assert olga.post(path, reason="x").status_code == 403  # not from a page of the site
    changed = [each for each in actions(place) if each not in before]
    assert {action for _, action, _ in changed} <= {"session.create"}


def test_an_account_is_disabled_and_enabled(olga: Person, place: PeopleLadder) -> None:
    ada = logged_in(place, "ada")
    assert olga.send("/admin", "/admin/accounts/ada/disable", reason="It shares its token.").status_code == 303
    assert "It shares its token." in olga.get("/admin").text
    assert ada.get("/me").status_code == 303
    assert olga.send("/admin", "/admin/accounts/ada/enable").status_code == 303
    assert account(place, "ada").disabled is None
    assert {("olga", "account.disable", "ada"), ("olga", "account.enable", "ada")} <= set(actions(place))


def test_roles_and_quotas_are_set(olga: Person, place: PeopleLadder) -> None:
    assert olga.send("/admin", "/admin/accounts/ada/role", role="organiser").status_code == 303
    assert account(place, "ada").role is Role.ORGANISER
    for given, quota in (("7", 7), ("", None), ("0", 0)):
        assert olga.send("/admin", "/admin/accounts/ada/quota", quota=given).status_code == 303
        assert account(place, "ada").submissions_a_day == quota
    assert {("olga", "account.role", "ada"), ("olga", "account.quota", "ada")} <= set(actions(place))


def test_deadlines_are_set_and_lifted(olga: Person, place: PeopleLadder) -> None:
    page = "/admin/deadlines"
    assert olga.send(page, time="2126-12-18T18:00+01:00").status_code == 303
    assert olga.send(page, time=" now ", variant="hearts").status_code == 303
    shown = olga.get(page).text
    assert '<time datetime="2126-12-18T17:00:00+00:00"' in shown
    assert [row.variant for row in deadlines(place.ladder)] == [None, "hearts"]
    assert olga.send(page, f"{page}/removal", variant="hearts").status_code == 303
    assert [row.variant for row in deadlines(place.ladder)] == [None]
    assert olga.send(page, f"{page}/removal").status_code == 303
    assert deadlines(place.ladder) == []
    wanted = ("set", "all"), ("set", "hearts"), ("lift", "hearts"), ("lift", "all")
    done = [each for each in actions(place) if each[1].startswith("deadline.")]
    assert done[::-1] == [("olga", f"deadline.{act}", variant) for act, variant in wanted]
    assert 'value="friday"' in olga.send(page, time="friday").text
    for far in ("9999-12-31T23:59-14:00", "0001-01-01T00:00+14:00"):
        refused = olga.send(page, time=far)
        assert refused.status_code == 422
        assert "from 2 to 9998" in refused.text
    assert deadlines(place.ladder) == []


def test_accounts_are_put_into_groups_and_groups_have_quotas(olga: Person, place: PeopleLadder) -> None:
    page = "/admin/groups"
    assert f'action="{page}/' not in olga.get(page).text
    assert olga.send("/admin", "/admin/accounts/ada/group", group="course-a").status_code == 303
    invited = olga.send("/admin/invitations", role="contestant", days="3", group="course-a")
    assert invited.status_code == 200
    assert olga.send(page, f"{page}/course-a/quota", submissions="5", bots="2").status_code == 303
    (row,) = groups(place.ladder)
    assert (row.name, row.accounts, row.submissions_a_day, row.bots) == ("course-a", 1, 5, 2)
    assert "course-a" in olga.get("/admin/invitations").text
    assert olga.send(page, f"{page}/course-a/quota", submissions="", bots=" ").status_code == 303
    (row,) = groups(place.ladder)
    assert (row.submissions_a_day, row.bots) == (None, None)
    assert olga.send("/admin", "/admin/accounts/ada/group", group="").status_code == 303
    assert account(place, "ada").group is None
    assert {("olga", "account.group", "ada"), ("olga", "group.quota", "course-a")} <= set(actions(place))


@pytest.mark.parametrize(
    ("path", "fields", "sentence"),
    [
        ("accounts/olga/disable", {"reason": "x"}, "You cannot disable your own account"),
        ("accounts/ada/disable", {"reason": " "}, "A reason is needed"),
        ("accounts/nobody/enable", {}, "nobody"),
        ("accounts/ada/role", {"role": "king"}, "An account is a contestant&#39;s or an organiser&#39;s."),
        ("accounts/ada/quota", {"quota": "many"}, "That is not a number"),
        ("accounts/ada/quota", {"quota": "1000001"}, "That is not a number"),
        ("accounts/ada/group", {"group": "../a"}, "cannot be the name of a group"),
        ("deadlines", {"time": "friday"}, "&#39;friday&#39; is not a time"),
        ("deadlines", {"time": "2020-01-01T00:00Z"}, "2020-01-01 00:00 UTC is past"),
        ("deadlines", {"time": "now", "variant": "whist"}, "whist"),
        ("deadlines/removal", {}, "There is no deadline"),
        ("deadlines/removal", {"variant": "hearts"}, "hearts has no deadline of its own"),
        ("groups/course-a/quota", {"bots": "2"}, "There is no group"),
        ("groups/course-a/quota", {"bots": "many"}, "That is not a number"),
        ("invitations", {"role": "contestant", "days": "0"}, "1 to 365 days"),
        ("invitations", {"role": "contestant", "days": "9", "name": "ada"}, "There is an account"),
        ("bots/Trotter/suspend", {}, "A reason is needed"),
        ("bots/Nobody/suspend", {"reason": "x"}, "There is no bot"),
        ("bots/Trotter/resume", {}, "is not suspended"),
        ("workers/nobody/drain", {}, "There is no worker &#39;nobody&#39;. There is barn"),
        ("workers/barn/drain", {"reason": "x" * 201}, "200 characters at most"),
        ("workers/barn/forget", {}, "The worker barn is connected"),
        ("bots/Trotter/fly", {"reason": "x"}, "is none of these"),
    ],
)
def test_what_cannot_be_is_said_on_the_page(path: str, fields: dict[str, str], sentence: str, olga: Person) -> None:
    page = "/admin" if path.startswith(("accounts", "groups")) else f"/admin/{path.partition('/')[0]}"
    refused = olga.send(page, f"/admin/{path}", **fields)
    assert refused.status_code == 422
    assert sentence in refused.text.partition('role="alert">')[2].partition("</p>")[0]


def test_a_link_is_shown_once_and_lets_somebody_register(olga: Person, place: PeopleLadder) -> None:
    made = olga.send("/admin/invitations", role="contestant", note="for Eve", days="3").text
    found = re.search(r"https://arena\.test(/register\?invitation=pgi_[\w-]+)", made)
    assert found
    assert found[1] not in olga.get("/admin/invitations").text
    eve = Person(place.ladder)
    invitation = found[1].partition("=")[2]
    assert eve.send(found[1], "/register", name="eve", password="a long one", invitation=invitation).status_code == 303
    assert "used by eve" in olga.get("/admin/invitations").text
    assert "for Eve" in olga.get("/admin/invitations").text


def test_an_invitation_is_taken_back(olga: Person, place: PeopleLadder) -> None:
    number = registering.invite(place.ladder, LOCAL, Role.CONTESTANT, note="for Mallory").id
    assert olga.send("/admin/invitations", f"/admin/invitations/{number}/revoke").status_code == 303
    assert "for Mallory" not in olga.get("/admin/invitations").text
    assert ("olga", "invitation.revoke", str(number)) in actions(place)
    assert olga.send("/admin/invitations", "/admin/invitations/999/revoke").status_code in (404, 422)


def test_bots_are_found_by_name_and_owner(olga: Person) -> None:
    page = olga.get("/admin/bots?q=ada").text
    assert "/admin/bots/Trotter/suspend" in page
    assert "/admin/bots/Mud/suspend" not in page


def test_a_quarantined_match_is_queued_again(olga: Person, place: PeopleLadder) -> None:
    page = olga.get("/admin/matches").text
    assert "The &lt;engine&gt; did not answer." in page
    assert olga.send("/admin/matches", f"/admin/matches/{place.aside}/requeue").status_code == 303
    row = public_match(place.ladder, place.aside)
    assert (row.status, row.failures, row.attempt) == ("queued", 0, 1)
    assert ("olga", "match.requeue", str(place.aside)) in actions(place)
    assert "None: every match" in olga.get("/admin/matches").text


def test_others_are_left_where_they_are(olga: Person, place: PeopleLadder) -> None:
    for number in (place.match, 999999):
        assert olga.send("/admin/invitations", f"/admin/matches/{number}/requeue").status_code == 404
    assert public_match(place.ladder, place.match).status == "done"


def test_everybodys_submissions_are_there(olga: Person, place: PeopleLadder) -> None:
    page = olga.get("/admin/submissions").text
    for number in (place.queued, place.of_bob):
        assert f'<a href="/me/submissions/{number}">' in page


def test_the_audit_log_is_read_on_page_by_page(olga: Person, place: PeopleLadder) -> None:
    for number in range(60):
        managing.set_quota(place.ladder, LOCAL, "ada", number)
    first = olga.get("/admin/audit").text
    assert "submissions_a_day: 59" in first
    assert "the machine" in first
    found = re.search(r'href="(/admin/audit\?before=\d+)"', first)
    assert found
    second = olga.get(found[1]).text
    assert "submissions_a_day: 59" not in second
    assert "submissions_a_day: 5<" in second


def workers_of(place: PeopleLadder) -> dict[str, tuple[str, str]]:
    return {row.name: (row.wanted.value, row.reason) for row in worker_states.workers(place.ladder, LOCAL)}


def test_workers_are_drained_and_play_again_and_old_ones_are_forgotten(olga: Person, place: PeopleLadder) -> None:
    assert olga.send("/admin/workers", "/admin/workers/barn/drain", reason="A new disk.").status_code == 303
    assert workers_of(place)["barn"] == ("drained", "A new disk.")
    page = olga.get("/admin/workers").text
    assert "A new disk." in page
    assert "to drain" in page
    assert olga.send("/admin/workers", "/admin/workers/barn/resume").status_code == 303
    assert workers_of(place)["barn"] == ("active", "")
    assert olga.send("/admin/workers", "/admin/workers/old/forget").status_code == 303
    assert "old" not in workers_of(place)
    wanted = {("worker.drain", "barn"), ("worker.resume", "barn"), ("worker.forget", "old")}
    assert {("olga", *each) for each in wanted} <= set(actions(place))


def test_the_page_of_workers_shows_what_is_wrong_with_some(olga: Person) -> None:
    page = olga.get("/admin/workers").text
    for words in (
        "7 of 16 slots busy", "The &lt;engine&gt; does not answer.", "Its clock is off by -3,600 s.",
        "Its certificate expires:", "It has version 0.1.", "turned away", "16× Ryzen 9 7950X",
    ):  # fmt: skip
        assert words in page
    found = olga.get("/admin/workers?q=BAR").text
    assert "barn" in found
    assert "byre" not in found
    assert "No worker is found." in olga.get("/admin/workers?q=nobody").text


def test_all_counts_of_the_ladder_are_metrics(place: PeopleLadder) -> None:
    lines = Person(place.ladder).get("/metrics").text.splitlines()
    counts = overview.counts(place.ladder).model_dump()
    for name, found in counts.items():
        label = "state" if name == "bots" else "status"
        numbers = found.items() if isinstance(found, dict) else [("", found)]
        for key, number in numbers:
            labels = f'{{{label}="{key}"}}' if key else ""
            assert any(re.fullmatch(rf"pigpen_\w*{name}{re.escape(labels)} {number}\.0", line) for line in lines), (
                name,
                key,
            )
        assert name in ("failures", "decisions", "faults") or found


def test_each_worker_s_figures_are_for_organisers_and_their_sums_for_all(place: PeopleLadder) -> None:
    def lines(*scopes: Scope, who: str = "") -> list[str]:
        headers = {"Authorization": f"Bearer {token_of(place.ladder, who, *scopes)}"} if who else {}
        return Person(place.ladder).get("/metrics", **headers).text.splitlines()

    for everybody in (lines(), lines(who="ada"), lines(Scope.READ, who="olga")):
        assert 'pigpen_workers{state="failing"} 1.0' in everybody
        assert "pigpen_busy_slots 7.0" in everybody
        assert "pigpen_worker_lies 3.0" in everybody
        assert not any("barn" in line or "pigpen_failure_reasons" in line for line in everybody)
    organiser = lines(who="olga")
    assert 'pigpen_each_worker_voids{worker="byre"} 3.0' in organiser
    assert 'pigpen_failure_reasons{reason="The <engine> did not answer."} 1.0' in organiser
    (silent,) = [line for line in organiser if line.startswith('pigpen_each_worker_silent_seconds{worker="old"}')]
    assert float(silent.split()[1]) >= 10**6
