"""Logging in and out, registering, and one's account, as people do it with a browser."""

from __future__ import annotations

import ast
import re
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from ladder.app.accounts import managing, registering
from ladder.app.accounts.passwords import BAD_LENGTH, MAX_CHARACTERS, MIN_CHARACTERS, known_device, made_known
from ladder.app.accounts.sessions import WRONG_OLD
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.settings.settings import load_settings
from ladder.site.accounts.login import next_of
from ladder.site.rendering.translations import SENTENCES
from ladder.site.server.attempts import ALL_PLACES, LIMITS, TOO_OFTEN, Attempt
from ladder.site.server.problems import COMMAND
from ladder.site.server.viewer import FOREIGN_PAGE
from ladder.store.account_names import find_account
from ladder.store.commands.accounts import NOT_GOOD, disable
from ladder.values.accounts import LOCAL, Role
from tests.ladder import ladders
from tests.ladder.accounts import session_of
from tests.ladder.site.person import CSRF, PASSWORD, Person, quick_passwords

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

WRONG = "The name or the password is wrong."


@pytest.fixture
def ladder(sqlite_template: Path, tmp_path: Path) -> Iterator[Ladder]:
    """A ladder with a contestant who has a bot, and an organiser."""
    shutil.copy(sqlite_template, tmp_path / "ladder.db")
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        with ladder.database.write() as session:
            ladders.enter(session, "Trotter", owner="ada")
        for name, role in (("ada", Role.CONTESTANT), ("olga", Role.ORGANISER)):
            managing.add_with_password(ladder, quick_passwords(), LOCAL, name, role, PASSWORD)
        yield ladder


@pytest.fixture
def person(ladder: Ladder) -> Person:
    return Person(ladder)


def audited(ladder: Ladder) -> list[tuple[str, str, str]]:
    return [(row.actor, row.action, row.subject) for row in managing.audit(ladder, LOCAL)]


def invited(ladder: Ladder, name: str | None = None, role: Role = Role.CONTESTANT) -> str:
    return f"/register?invitation={registering.invite(ladder, LOCAL, role, name).secret}"


def is_in(person: Person, name: str) -> bool:
    response = person.get("/me/account")
    return response.status_code == 200 and name in response.text


def test_who_has_not_logged_in_is_led_there_and_back(person: Person) -> None:
    for path in ("/me", "/me/account", "/login/code?code=BCDF-GHJK"):
        response = person.get(path)
        assert response.status_code == 303
        place = response.headers["location"]
        assert place.startswith("/login?next=/")
        assert f'name="next" value="{path}"' in person.get(place).text
    response = person.send("/login?next=/m", "/login", name="ada", password=PASSWORD, next="/m")
    assert (response.status_code, response.headers["location"]) == (303, "/m")
    assert is_in(person, "ada")
    assert "My bots" in person.get("/me").text
    assert person.get("/login?next=/b").headers["location"] == "/b"


@pytest.mark.parametrize(
    "place",
    ["//evil.test", "https://evil.test/", "/\\evil.test", "\\evil.test", "javascript:alert(1)", "evil", "",
     "/\t/evil.test", "/a\r\nX: y", "/" + "a" * 501, "///evil.test", "/é", "//[", "http://[::1"],
)  # fmt: skip
def test_a_link_leads_nowhere_else(place: str) -> None:
    assert next_of(place) == "/me"


def test_an_address_that_cannot_be_read_leads_home(person: Person) -> None:
    response = person.send("/login?next=//[", "/login", name="ada", password=PASSWORD, next="//[")
    assert (response.status_code, response.headers["location"]) == (303, "/me")
    assert person.get("/login?next=//[").headers["location"] == "/me"


def test_a_session_begins_with_a_secret_that_nobody_knew(ladder: Ladder, person: Person) -> None:
    person.cookies.set("pigpen_session", "pgs_" + "A" * 43)
    first, known = person.log_in("ada").headers.get_list("set-cookie")
    assert re.match(r"pigpen_device=[\w-]{16}~\w{64}; HttpOnly; Max-Age=31536000; Path=/login; SameSite=lax$", known)
    assert re.match(r"pigpen_session=pgs_[\w-]{43}; HttpOnly; Max-Age=2592000; Path=/; SameSite=lax$", first)
    assert "A" * 43 not in first
    assert is_in(person, "ada")


def test_who_logs_in_again_has_another_session_and_the_old_one_ends(ladder: Ladder, person: Person) -> None:
    thief = Person(ladder)
    person.log_in("ada")
    thief.cookies = type(person.cookies)(person.cookies)
    assert is_in(thief, "ada")
    person.send("/me/account", "/login", name="ada", password=PASSWORD)
    assert is_in(person, "ada")
    assert not is_in(thief, "ada")


def test_over_https_the_cookie_is_for_this_host_over_https_alone(ladder: Ladder) -> None:
    person = Person(ladder, base="https://site.test")
    cookie, known = person.log_in("ada").headers.get_list("set-cookie")
    assert known.endswith("; Secure")
    assert cookie.startswith("__Host-pigpen_session=pgs_")
    assert cookie.endswith("; HttpOnly; Max-Age=2592000; Path=/; SameSite=lax; Secure")
    assert is_in(person, "ada")


def test_unknown_names_wrong_passwords_and_disabled_accounts_are_told_the_same(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        disable(session, find_account(session, "olga"), "gone", ladder.clock())
    managing.add(ladder, LOCAL, "bob", Role.CONTESTANT)
    pages = set()
    for name, password in (("ada", "wrong horse"), ("eve", PASSWORD), ("olga", PASSWORD), ("bob", ""), ("a\0b", "x")):
        response = Person(ladder).log_in(name, password)
        assert response.status_code == 403
        assert "set-cookie" not in response.headers
        pages.add(re.sub(r'value="[^"]*"', "", response.text))
    assert len(pages) == 1
    assert WRONG in pages.pop()
    assert {action for _, action, _ in audited(ladder)} == {"account.create", "invitation.create"}


def test_every_log_in_verifies_one_hash(ladder: Ladder, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = person.app._app._app.state.site.passwords  # type: ignore[attr-defined]
    hashed: list[str] = []
    verify = passwords._hasher.verify

    class Counting:
        def __getattr__(self, name: str) -> object:
            return getattr(hasher, name)

        def verify(self, stored: str, password: str) -> bool:
            hashed.append(stored)
            return bool(verify(stored, password))

    hasher = passwords._hasher
    monkeypatch.setattr(passwords, "_hasher", Counting())
    for name in ("ada", "eve", "bob"):
        person.log_in(name, "wrong horse")
    assert len(hashed) == 3
    assert hashed[1] == hashed[2] != hashed[0]


def test_who_tries_too_often_waits(ladder: Ladder, person: Person) -> None:
    _, most, seconds = LIMITS[Attempt.LOG_IN]
    for _ in range(most):
        assert person.log_in("ada", "wrong horse").status_code == 403
    response = Person(ladder, person.app, address="192.0.2.200").log_in("ADA", PASSWORD)
    assert response.status_code == 429
    assert 0 < int(response.headers["retry-after"]) <= seconds
    assert TOO_OFTEN.format(minutes=10) in response.text
    assert "10 分钟" in person.ask("POST", "/login?lang=zh", data={"name": "ada"}, headers={"Origin": person.base}).text
    assert person.log_in("olga").status_code == 303


def strangers(ladder: Ladder, person: Person, name: str, places: int) -> list[int]:
    """Try ten wrong passwords from each of that number of places; gives the answers."""
    tries = (Person(ladder, person.app, address=f"198.51.{number}.7") for number in range(places))
    return [each.log_in(name, "wrong horse").status_code for each in tries for _ in range(10)]


def test_a_strangers_wrong_passwords_keep_nobody_out(ladder: Ladder, person: Person) -> None:
    assert strangers(ladder, person, "olga", 3) == [403] * 30
    neighbour = Person(ladder, person.app, address="198.51.0.200")
    assert neighbour.log_in("olga").status_code == 429, "a sender has all addresses near it"
    assert person.log_in("olga").status_code == 303, "its owner is somewhere else"


def test_strangers_of_many_places_lock_out_no_browser_that_the_account_knows(
    ladder: Ladder, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ALL_PLACES, Attempt.LOG_IN, 20)
    person.log_in("olga")
    person.send("/me/account", "/logout")
    assert strangers(ladder, person, "olga", 3) == [403] * 19 + [429] * 11, "the first log-in was one, too"
    unknown = Person(ladder, person.app, address="203.0.113.5")
    refused = unknown.log_in("olga")
    assert refused.status_code == 429
    assert "in which you did" in refused.text
    for _ in range(9):
        assert person.log_in("olga", "wrong horse").status_code == 403
    assert person.log_in("olga").status_code == 303
    assert person.log_in("ada", page="/me/account").status_code == 303
    link = registering.new_password(ladder, LOCAL, "olga", 1).secret
    fields = {"name": "olga", "password": "another horse", "again": "another horse", "invitation": link}
    assert unknown.send(f"/register?invitation={link}", "/register", **fields).status_code == 303
    assert is_in(unknown, "olga"), "the organiser has a way in, from anywhere"


def test_a_known_browser_has_few_tries_and_is_known_to_its_accounts_alone(
    ladder: Ladder, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ALL_PLACES, Attempt.LOG_IN, 10)
    person.log_in("ada")
    assert strangers(ladder, person, "olga", 1) == [403] * 10
    assert person.log_in("olga", page="/me/account").status_code == 429
    kept = person.cookies["pigpen_device"]
    number, _, code = kept.partition("~")
    for forged in ("", "x", "~", f"~{code}", f"{number}~", f"{number}x~{code}", "é~é", kept * 50):
        assert known_device(ladder.settings.data_dir, forged, "ada") == ""
    assert known_device(ladder.settings.data_dir, kept, "Ada") == number
    assert known_device(ladder.settings.data_dir, kept, "olga") == ""
    for _ in range(10):
        assert person.log_in("ada", "wrong horse", page="/me/account").status_code == 403
    assert person.log_in("ada", page="/me/account").status_code == 429


def test_a_browser_is_known_to_its_last_few_accounts(tmp_path: Path) -> None:
    kept = ""
    for name in "abcde":
        kept = made_known(tmp_path, kept, name)
    assert [bool(known_device(tmp_path, kept, name)) for name in "abcde"] == [False, True, True, True, True]
    assert made_known(tmp_path, kept, "B") == kept
    (file,) = (tmp_path / "accounts").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("nothing")
    with pytest.raises(LadderError, match="secret of known browsers"):
        known_device(tmp_path, kept, "a")


def test_without_the_ladders_secret_everybody_logs_in_as_before(ladder: Ladder, person: Person) -> None:
    (ladder.settings.data_dir / "accounts").write_text("no folder")
    assert person.log_in("ada").status_code == 303
    assert "pigpen_device" not in person.cookies


def test_an_address_is_counted_whatever_names_it_tries(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, Attempt.LOG_IN, (5, 100, 600))
    person = Person(ladder, address="2001:db8::1")
    for number in range(5):
        assert person.log_in(f"name{number}", "wrong horse").status_code == 403
    neighbour = Person(ladder, person.app, address="2001:db8::ffff")
    assert neighbour.log_in("ada").status_code == 429
    assert Person(ladder, person.app, address="2001:db8:0:1::1").log_in("ada").status_code == 303


def test_a_good_log_in_lets_its_owner_err_again(ladder: Ladder, person: Person) -> None:
    for _ in range(3):
        again = Person(ladder, person.app)
        for _ in range(8):
            again.log_in("ada", "wrong horse")
        assert again.log_in("ada").status_code == 303


def test_logging_out_ends_the_session_and_not_only_the_cookie(ladder: Ladder, person: Person) -> None:
    person.log_in("ada")
    copy = Person(ladder)
    copy.cookies = type(person.cookies)(person.cookies)
    response = person.send("/me/account", "/logout")
    assert (response.status_code, response.headers["location"]) == (303, "/login")
    assert 'pigpen_session=""' in response.headers["set-cookie"]
    assert not is_in(copy, "ada")
    assert audited(ladder)[0] == ("ada", "session.revoke", "ada")


def from_another_site(person: Person, path: str, **fields: str) -> list[httpx.Response]:
    return [
        person.ask("POST", path, data=fields, headers=headers)
        for headers in ({}, {"Origin": "http://evil.test"}, {"Origin": "null"}, {"Origin": "http://["},
                        {"Sec-Fetch-Site": "cross-site"})
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["/login", "/logout", "/register", "/login/code", "/me/account/password", "/me/account/tokens",
     "/me/account/tokens/1", "/me/account/sessions/1", "/me/account/revoke"],
)  # fmt: skip
def test_a_form_of_another_site_changes_nothing(ladder: Ladder, person: Person, path: str) -> None:
    person.log_in("ada")
    before = audited(ladder)
    (good, *_) = CSRF.findall(person.get("/me/account").text)
    for response in from_another_site(person, path, csrf=good, name="x", scope_read="on", days="1"):
        assert response.status_code == 403
    for csrf in ("", "0" * 64, good[:-1]):
        assert person.post(path, csrf=csrf, name="x", scope_read="on", days="1").status_code == 403
    assert FOREIGN_PAGE in person.post(path, csrf="").text
    assert audited(ladder) == before
    assert is_in(person, "ada")


def test_a_form_is_small_and_of_its_kind(person: Person) -> None:
    ours = {"Origin": person.base}
    assert person.ask("POST", "/login", content=b"{}", headers=ours).status_code == 415
    form = ours | {"Content-Type": "application/x-www-form-urlencoded"}
    assert person.ask("POST", "/login", content=b"name=" + b"a" * 70_000, headers=form).status_code == 413
    assert person.ask("POST", "/login", content=b"name=" + b"a" * 400_000, headers=form).status_code == 413
    assert person.ask("POST", "/login", content=b"name=%ff", headers=form).status_code == 422
    assert person.ask("POST", "/login", content=b"&".join([b"a=1"] * 60), headers=form).status_code == 422
    assert person.ask("POST", "/api/v1/login/codes", content=b" " * 400_000).status_code == 413


def test_an_invitation_makes_one_account(ladder: Ladder, person: Person) -> None:
    link = invited(ladder)
    text = person.get(link).text
    assert "At least 10 characters." in text
    secret = link.partition("=")[2]
    response = person.send(link, "/register", name="eve", password=PASSWORD, invitation=secret)
    assert (response.status_code, response.headers["location"]) == (303, "/me")
    assert is_in(person, "eve")
    assert audited(ladder)[:2] == [("eve", "session.create", "eve"), ("eve", "account.create", "eve")]
    other = Person(ladder)
    assert other.get(link).status_code == 403
    assert NOT_GOOD in other.post("/register", name="eve2", password=PASSWORD, invitation=secret).text
    (row,) = registering.invitations(ladder, LOCAL)
    assert (row.used_by, row.used is not None) == ("eve", True)
    assert Person(ladder).log_in("eve").status_code == 303


def test_without_an_invitation_nobody_registers(ladder: Ladder, person: Person) -> None:
    for path in ("/register", "/register?invitation=pgi_x"):
        assert person.get(path).status_code == 403
    for secret in ("", "pgi_x", "x" * 500):
        assert person.post("/register", name="eve", password=PASSWORD, invitation=secret).status_code == 403
    assert len(managing.accounts(ladder, LOCAL)) == 2


def test_where_registration_is_open_everybody_may(ladder: Ladder) -> None:
    ladder = Ladder(ladder.settings.model_copy(update={"registration": "open"}), ladder.database)
    person = Person(ladder)
    assert 'href="/register"' in person.get("/login").text
    assert person.send("/register", name="eve", password=PASSWORD).status_code == 303
    assert is_in(person, "eve")


@pytest.mark.parametrize(
    ("name", "password", "sentence"),
    [
        ("eve", "short", BAD_LENGTH.format(least=MIN_CHARACTERS, most=MAX_CHARACTERS)),
        ("eve", "a" * 1001, BAD_LENGTH.format(least=MIN_CHARACTERS, most=MAX_CHARACTERS)),
        ("Evelyn.Smith", "evelyn.smith", "The password must not be the name."),
        ("", PASSWORD, "cannot be the name of an account"),
        ("a b", PASSWORD, "cannot be the name of an account"),
        ("../x", PASSWORD, "cannot be the name of an account"),
        ("a" * 65, PASSWORD, "cannot be the name of an account"),
        ("ada", PASSWORD, "There is an account &#39;ada&#39; already."),
        ("ADA", PASSWORD, "looks like &#39;ada&#39;"),
        ("\u0430da", PASSWORD, "The name &#39;\u0430da&#39; looks like &#39;ada&#39;"),
        ("\uff41da", PASSWORD, "looks like &#39;ada&#39;"),
        ("ev\u0435", PASSWORD, "mixes the scripts of"),
        ("d0ra", PASSWORD, "looks like &#39;dora&#39;"),
        ("carl", PASSWORD, "is taken. Choose another, or ask the organiser"),
        ("Carl", PASSWORD, "looks like &#39;carl&#39;"),
        ("dora", PASSWORD, "is taken. Choose another, or ask the organiser"),
    ],
)
def test_a_name_or_password_that_cannot_be_is_told_why(
    ladder: Ladder, person: Person, name: str, password: str, sentence: str
) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Snout", owner="carl")
    registering.invite(ladder, LOCAL, Role.CONTESTANT, "dora")
    link = invited(ladder)
    response = person.send(link, "/register", name=name, password=password, invitation=link.partition("=")[2])
    assert response.status_code == 422
    assert sentence in response.text
    assert person.get(link).status_code == 200, "the invitation is still good"


def test_an_owner_with_bots_is_reached_by_an_invitation_for_that_name_alone(ladder: Ladder, person: Person) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Snout", owner="carl")
    link = invited(ladder, "carl")
    person.send(link, "/register", name="person", password=PASSWORD, invitation=link.partition("=")[2])
    assert is_in(person, "carl")
    assert [row.bots for row in managing.accounts(ladder, LOCAL) if row.name == "carl"] == [1]


def test_a_link_for_a_new_password_ends_what_was_open(ladder: Ladder, person: Person) -> None:
    old = Person(ladder)
    old.log_in("ada")
    secret = registering.new_password(ladder, LOCAL, "ada").secret
    assert "Set a new password" in person.get(f"/register?invitation={secret}").text
    response = person.send(
        f"/register?invitation={secret}", "/register", password="another horse", invitation=secret
    )  # fmt: skip
    assert response.status_code == 303
    assert is_in(person, "ada")
    assert not is_in(old, "ada")
    assert Person(ladder).log_in("ada").status_code == 403
    assert Person(ladder).log_in("ada", "another horse").status_code == 303


def test_a_link_does_not_open_a_disabled_account(ladder: Ladder, person: Person) -> None:
    secret = registering.new_password(ladder, LOCAL, "ada").secret
    managing.disable(ladder, LOCAL, "ada", "It cheats.")
    assert person.post("/register", password=PASSWORD, invitation=secret).status_code == 403


def test_another_password_ends_other_sessions(ladder: Ladder, person: Person) -> None:
    other = Person(ladder)
    other.log_in("ada")
    person.log_in("ada")
    wrong = person.send("/me/account", "/me/account/password", old="wrong horse", new="another horse")
    assert (wrong.status_code, WRONG_OLD in wrong.text) == (403, True)
    short = person.send("/me/account", "/me/account/password", old=PASSWORD, new="short")
    assert short.status_code == 422
    assert is_in(other, "ada")
    done = person.send("/me/account", "/me/account/password", old=PASSWORD, new="another horse")
    assert "other sessions have ended" in done.text
    assert is_in(person, "ada")
    assert not is_in(other, "ada")
    assert audited(ladder)[0] == ("ada", "account.password", "ada")


def test_sessions_are_listed_and_ended(ladder: Ladder, person: Person) -> None:
    session_of(ladder, "olga")
    other = Person(ladder)
    other.ask("POST", "/login", data={"name": "ada", "password": PASSWORD},
              headers={"Origin": other.base, "User-Agent": "<b>Lynx"})  # fmt: skip
    person.log_in("ada")
    text = person.get("/me/account").text
    assert "&lt;b&gt;Lynx" in text
    numbers = re.findall(r'action="/me/account/sessions/(\d+)"', text)
    assert len(numbers) == 1
    assert person.send("/me/account", f"/me/account/sessions/{numbers[0]}").status_code == 303
    assert not is_in(other, "ada")
    for number in (1, 99):  # the first one is olga's
        assert person.send("/me/account", f"/me/account/sessions/{number}").status_code == 404


def test_a_token_is_shown_once_and_is_good_until_it_is_revoked(ladder: Ladder, person: Person) -> None:
    person.log_in("ada")
    made = person.send("/me/account", "/me/account/tokens", name="laptop", scope_read="on", days="7").text
    token = re.search(r"pgp_[\w-]{43}", made)
    assert token is not None, made
    page = person.get("/me/account").text
    assert "laptop" in page
    assert token[0] not in page
    answer = Person(ladder).get("/api/v1/me", authorization=f"Bearer {token[0]}")
    assert answer.json() == {"name": "ada", "role": "contestant", "scopes": ["read"], "bots": ["Trotter"], "team": None}
    (number,) = re.findall(r'action="/me/account/tokens/(\d+)"', page)
    person.send("/me/account", f"/me/account/tokens/{number}")
    assert Person(ladder).get("/api/v1/me", authorization=f"Bearer {token[0]}").status_code == 401


@pytest.mark.parametrize(
    "fields",
    [{"days": "0"}, {"days": "366"}, {"days": "x"}, {"days": "9" * 9}, {"scope_read": ""}, {"scope_admin": "1"}],
)
def test_a_token_that_cannot_be_is_refused(ladder: Ladder, person: Person, fields: dict[str, str]) -> None:
    person.log_in("ada")
    wanted = {"name": "x", "scope_read": "on", "days": "7"} | fields
    wanted = {name: value for name, value in wanted.items() if value}
    assert person.send("/me/account", "/me/account/tokens", **wanted).status_code == 422


def test_everything_may_be_revoked_at_once(ladder: Ladder, person: Person) -> None:
    other = Person(ladder)
    other.log_in("ada")
    person.log_in("ada")
    person.send("/me/account", "/me/account/tokens", name="x", scope_read="on", days="7")
    person.send("/me/account", "/me/account/revoke")
    assert is_in(person, "ada")
    assert not is_in(other, "ada")
    assert "/me/account/tokens/" not in person.get("/me/account").text


def test_a_secret_in_a_path_is_not_logged(person: Person) -> None:
    secret = "pgi_" + "A" * 43
    with capture_logs() as logs:
        person.get(f"/register/{secret}?invitation={secret}")
        person.get("/register/pgi_/B")
    assert [line["path"] for line in logs] == ["/register/…", "/register/pgi_/B"]
    assert secret not in str(logs)


def test_sentences_are_translated_as_they_are_said() -> None:
    root = Path(__file__).parents[3] / "ladder"
    modules = sorted(set(root.rglob("*.py")) - {root / "site" / "rendering" / "translations.py"})
    texts = [
        node.value
        for module in modules
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    there = {*texts, *(COMMAND.sub("", text) for text in texts)}
    assert [sentence for sentence in SENTENCES if sentence not in there] == []
