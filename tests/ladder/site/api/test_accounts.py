"""The API of accounts: the command logs in, tokens are made and revoked, and what is refused how."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.accounts import device, managing
from ladder.app.accounts.passwords import BUSY
from ladder.app.accounts.sessions import MAX_TOKENS
from ladder.app.ladder import Ladder
from ladder.site.server.attempts import LIMITS, Attempt
from ladder.site.server.viewer import BAD_TOKEN, CSRF_HEADER, LOG_IN
from ladder.store.commands.accounts import add_login_code
from ladder.values.accounts import LOCAL, LoginAnswer, LoginStarted, Me, Role, Scope
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.site.person import CSRF, Person, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.settings.settings import Settings

__all__ = ["backend"]


class Clock:
    """Gives the time that it is set to."""

    now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ladder(settings: Settings, clock: Clock) -> Iterator[Ladder]:
    """A ladder with a contestant and an organiser, in either database."""
    with Ladder.open(settings.model_copy(update={"site_url": "https://arena.example"})) as opened:
        ladder = Ladder(opened.settings, opened.database, clock)
        add_person(ladder, "ada")
        add_person(ladder, "olga", Role.ORGANISER)
        yield ladder


def browser(ladder: Ladder, name: str) -> Person:
    person = Person(ladder)
    person.cookies.set("pigpen_session", session_of(ladder, name))
    return person


def started(program: Program, client: str = "ada's laptop") -> LoginStarted:
    response = program.ask("POST", "/login/codes", {"client": client})
    assert response.status_code == 200
    return LoginStarted.model_validate(response.json())


def asked(program: Program, login: LoginStarted) -> LoginAnswer | None:
    response = program.ask("POST", "/login/tokens", {"device_code": login.device_code})
    assert response.status_code in (200, 404)
    return LoginAnswer.model_validate(response.json()) if response.status_code == 200 else None


def problem(response: Any, status: int) -> str:
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    return str(response.json()["detail"])


def test_a_command_logs_in_when_its_user_confirms_the_code(ladder: Ladder) -> None:
    program, person = Program(ladder), browser(ladder, "ada")
    login = started(program, "ada's laptop <b>")
    assert re.fullmatch("[B-Z]{4}-[B-Z]{4}", login.user_code)
    assert login.address == f"https://arena.example/login/code?code={login.user_code}"
    assert asked(program, login) == LoginAnswer(token=None)
    page = person.get(f"/login/code?code={login.user_code}").text
    for words in (login.user_code, "ada&#39;s laptop &lt;b&gt;", "192.0.2.7", "as ada."):
        assert words in page
    done = person.send(f"/login/code?code={login.user_code}", "/login/code", code=login.user_code, decision="confirm")
    assert "Confirmed." in done.text
    answer = asked(program, login)
    assert answer is not None
    assert answer.token is not None
    assert answer.name == "ada"
    me = Program(ladder, answer.token).ask("GET", "/me")
    assert Me.model_validate(me.json()) == Me(
        name="ada", role=Role.CONTESTANT, scopes=(Scope.READ, Scope.SUBMIT), bots=()
    )  # fmt: skip
    assert me.headers["cache-control"] == "no-store"
    assert asked(program, login) is None, "a token is given once"
    actions = [(row.action, row.actor) for row in managing.audit(ladder, LOCAL)]
    assert actions == [("token.create", "ada"), ("login.confirm", "ada")]


def test_a_code_is_typed_as_people_type(ladder: Ladder) -> None:
    login = started(Program(ladder))
    for typed in (login.user_code.lower(), login.user_code.replace("-", ""), f" {login.user_code.replace('-', ' ')}"):
        assert "ada&#39;s laptop" in browser(ladder, "ada").get(f"/login/code?code={typed}").text


def test_a_log_in_that_is_refused_ends(ladder: Ladder) -> None:
    program, person = Program(ladder), browser(ladder, "ada")
    login = started(program)
    assert "Refused" in person.send("/me/account", "/login/code", code=login.user_code, decision="refuse").text
    assert asked(program, login) is None
    assert person.get(f"/login/code?code={login.user_code}").status_code == 404
    assert person.send("/me/account", "/login/code", code=login.user_code, decision="confirm").status_code == 404


def test_a_log_in_ends_after_ten_minutes(ladder: Ladder, clock: Clock) -> None:
    program, person = Program(ladder), browser(ladder, "ada")
    login = started(program)
    clock.now += device.GOOD_SECONDS - 1
    assert person.get(f"/login/code?code={login.user_code}").status_code == 200
    clock.now += 1
    assert person.send("/me/account", "/login/code", code=login.user_code, decision="confirm").status_code == 404
    assert asked(program, login) is None


def test_only_an_organiser_lets_a_command_do_what_organisers_do(ladder: Ladder) -> None:
    for name, scopes in (("ada", ("read", "submit")), ("olga", ("admin", "read", "submit"))):
        program, person = Program(ladder), browser(ladder, name)
        login = started(program)
        person.send("/me/account", "/login/code", code=login.user_code, decision="confirm", admin="on")
        answer = asked(program, login)
        assert answer is not None
        assert answer.token is not None
        assert tuple(Program(ladder, answer.token).ask("GET", "/me").json()["scopes"]) == scopes


def test_an_account_that_is_disabled_meanwhile_gives_no_token(ladder: Ladder) -> None:
    program, person = Program(ladder), browser(ladder, "ada")
    login = started(program)
    person.send("/me/account", "/login/code", code=login.user_code, decision="confirm")
    managing.disable(ladder, LOCAL, "ada", "It cheats.")
    assert asked(program, login) is None


def test_codes_cannot_be_tried_out(ladder: Ladder) -> None:
    person = browser(ladder, "ada")
    _, most, _ = LIMITS[Attempt.CONFIRM_CODE]
    codes = [person.get(f"/login/code?code=BBBB-BBB{letter}").status_code for letter in "BCDFGHJKLMNPQRSTVWXZ"]
    assert codes == [404] * most
    assert person.get("/login/code?code=BBBB-BBBB").status_code == 429


def test_what_is_started_is_limited(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "MAX_WAITING", 10)
    with ladder.database.write() as session:
        for number in range(device.MAX_WAITING - 3):
            add_login_code(session, f"hash {number}", f"CODE-{number}", "x", "192.0.2.200", NOW, NOW + 60)
    programs = [Program(ladder) for _ in range(4)]
    for program in programs[:3]:
        started(program)
    response = programs[3].ask("POST", "/login/codes", {"client": "x"})
    assert BUSY in problem(response, 503)
    assert response.headers["retry-after"] == "60"
    for _ in range(LIMITS[Attempt.START_CODE][0]):
        programs[0].ask("POST", "/login/codes", {"client": "x"})
    assert "Too many attempts" in problem(programs[0].ask("POST", "/login/codes", {"client": "x"}), 429)


def test_what_makes_no_sense_is_refused(ladder: Ladder) -> None:
    program = Program(ladder)
    for path, value in (("/login/codes", {"client": "x" * 201}), ("/login/codes", {"more": 1}), ("/login/tokens", {}),
                        ("/login/codes", []), ("/login/tokens", {"device_code": 7})):  # fmt: skip
        problem(program.ask("POST", path, value), 422)
    for secret in ("", "x", "pgd_" + "A" * 43, "\0", "é"):
        problem(program.ask("POST", "/login/tokens", {"device_code": secret}), 404)


def test_who_has_no_token_is_told_so(ladder: Ladder) -> None:
    for method, path in (("GET", "/me"), ("DELETE", "/me/token"), ("GET", "/me/tokens"), ("POST", "/me/tokens"),
                         ("DELETE", "/me/tokens/1")):  # fmt: skip
        value = {"name": "x"} if method == "POST" else None
        response = Program(ladder).ask(method, path, value)
        assert LOG_IN in problem(response, 401)
        assert response.headers["www-authenticate"] == "Bearer"
        response = Program(ladder, "pgp_wrong").ask(method, path, value)
        assert BAD_TOKEN in problem(response, 401)


def test_a_token_logs_itself_out(ladder: Ladder) -> None:
    for scopes in ((Scope.READ,), (Scope.SUBMIT,), tuple(Scope)):
        program = Program(ladder, token_of(ladder, "ada", *scopes))
        assert program.ask("DELETE", "/me/token").status_code == 204
        problem(program.ask("DELETE", "/me/token"), 401)


def test_no_token_makes_or_revokes_tokens(ladder: Ladder) -> None:
    program = Program(ladder, token_of(ladder, "olga"))
    assert "log in with a browser" in problem(program.ask("POST", "/me/tokens", {"name": "x"}), 403)
    problem(program.ask("DELETE", "/me/tokens/1"), 403)
    assert [row["kind"] for row in program.ask("GET", "/me/tokens").json()] == ["token"]


def test_a_page_of_the_site_makes_and_revokes_tokens(ladder: Ladder) -> None:
    person = browser(ladder, "ada")
    (csrf, *_) = CSRF.findall(person.get("/me/account").text)
    ours = {"Origin": person.base, CSRF_HEADER: csrf}

    def make(value: dict[str, Any], headers: dict[str, str] = ours) -> Any:
        return person.ask("POST", "/api/v1/me/tokens", json=value, headers=headers)

    made = make({"name": "laptop", "scopes": ["read"], "days": 3})
    assert made.status_code == 201
    assert made.json()["secret"].startswith("pgp_")
    for headers in ({}, {"Origin": person.base}, ours | {"Origin": "http://evil.test"}, ours | {CSRF_HEADER: "x"}):
        problem(make({"name": "x"}, headers), 401)
    wrong: list[dict[str, Any]] = [
        {"scopes": []},
        {"scopes": ["all"]},
        {"days": 0},
        {"days": 366},
        {"scopes": ["admin"]},
    ]
    for value in wrong:
        problem(make(value), 422)
    number = made.json()["id"]
    problem(person.ask("DELETE", f"/api/v1/me/tokens/{number}"), 401)
    assert person.ask("DELETE", f"/api/v1/me/tokens/{number}", headers=ours).status_code == 204
    problem(person.ask("DELETE", f"/api/v1/me/tokens/{number}", headers=ours), 404)
    token_of(ladder, "olga")
    for other in range(1, 5):
        problem(person.ask("DELETE", f"/api/v1/me/tokens/{other}", headers=ours), 404)


def test_an_account_has_so_many_tokens(ladder: Ladder) -> None:
    for _ in range(MAX_TOKENS - 2):
        token_of(ladder, "ada")
    person = browser(ladder, "ada")
    for status in (200, 200, 422):
        made = person.send("/me/account", "/me/account/tokens", name="x", scope_read="on", days="1")
        assert made.status_code == status


def test_when_a_secret_was_used_last_is_known_to_some_minutes(ladder: Ladder, clock: Clock) -> None:
    program = Program(ladder, token_of(ladder, "ada", hours=24))
    seen = []
    for seconds in (0, 60, 541, 60):
        clock.now += seconds
        program.ask("GET", "/me")
        seen.append(program.ask("GET", "/me/tokens").json()[0]["used"])
    assert seen[0] == seen[1] != seen[2] == seen[3]
