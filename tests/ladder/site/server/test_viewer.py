"""Visitors: cookies and tokens, good and bad ones; rights; and the check that a page of the site sent a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ladder.app.ladder import Ladder
from ladder.entry.policy import Act
from ladder.serving.application import make_app
from ladder.site.server.viewer import LogInFirst, csrf_of, demand, is_same_origin, still_may, viewer_of
from ladder.store.account_names import find_account
from ladder.store.commands.accounts import disable
from ladder.values.accounts import ANONYMOUS, Role, Scope
from tests.ladder.accounts import HOUR, add_person, session_of, token_of
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW

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
def ladder(settings: Settings) -> Iterator[Ladder]:
    """A ladder with a contestant and an organiser."""
    with Ladder.open(settings) as opened:
        ladder = Ladder(settings, opened.database, Clock())
        add_person(ladder, "ada")
        add_person(ladder, "olga", Role.ORGANISER)
        yield ladder


def request(ladder: Ladder, path: str = "/me", method: str = "GET", scheme: str = "http", **headers: str) -> Request:
    app: Any = make_app(ladder)
    while not isinstance(app, FastAPI):
        app = app._app
    named = {"host": "site.test"} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope: dict[str, Any] = {
        "type": "http", "method": method, "scheme": scheme, "path": path, "raw_path": path.encode(), "app": app,
        "query_string": b"", "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        "client": ("192.0.2.7", 1), "server": ("site.test", 80), "root_path": "", "state": {},
    }  # fmt: skip
    return Request(scope)


def cookie(secret: str, name: str = "pigpen_session") -> dict[str, str]:
    return {"cookie": f"{name}={secret}"}


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def refused(asked: Request, act: Act, owner: str | None = None) -> tuple[int, str]:
    with pytest.raises(HTTPException) as caught:
        demand(asked, act, owner)
    return caught.value.status_code, (caught.value.headers or {}).get("WWW-Authenticate", "")


def test_a_session_says_who_asks_and_from_where(ladder: Ladder) -> None:
    viewer = viewer_of(request(ladder, **cookie(session_of(ladder, "ada"))))
    assert (viewer.name, viewer.is_organiser, viewer.by_token, viewer.address) == ("ada", False, False, "192.0.2.7")
    assert viewer_of(request(ladder, **cookie(session_of(ladder, "olga")))).is_organiser


def test_who_asks_is_looked_up_once_for_a_request(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request(ladder, **cookie(session_of(ladder, "ada")))
    assert viewer_of(asked).name == "ada"
    monkeypatch.setattr("ladder.site.server.viewer.viewer_by", lambda *_: 1 / 0)
    assert viewer_of(asked).name == "ada"


def test_a_token_goes_before_a_cookie_and_is_good_for_its_scopes(ladder: Ladder) -> None:
    both = cookie(session_of(ladder, "ada")) | bearer(token_of(ladder, "olga", Scope.READ))
    viewer = viewer_of(request(ladder, **both))
    assert (viewer.name, viewer.by_token, viewer.scopes) == ("olga", True, frozenset({Scope.READ}))


def test_a_cookie_that_opens_nothing_is_nobodys(ladder: Ladder) -> None:
    token, session = token_of(ladder, "ada"), session_of(ladder, "ada")
    for secret in (
        "",
        "x",
        "pgs_" + "A" * 43,
        token,
        session.upper(),
        session + "x",
        session[:-1],
        "pgs_" + "ü" * 9999,
    ):
        assert viewer_of(request(ladder, **cookie(secret.encode().decode("latin-1")))) == ANONYMOUS


def test_a_token_that_opens_nothing_is_refused(ladder: Ladder) -> None:
    for secret in ("", "x", "pgp_" + "A" * 43, session_of(ladder, "ada"), token_of(ladder, "ada") + "x"):
        asked = request(ladder, "/api/v1/me", **bearer(secret))
        assert refused(asked, Act.READ_ACCOUNT) == (401, 'Bearer error="invalid_token"')


def test_what_a_proxy_wants_of_its_own_is_no_token(ladder: Ladder) -> None:
    headers = {"authorization": "Basic YWRhOmFkYQ=="} | cookie(session_of(ladder, "ada"))
    assert viewer_of(request(ladder, **headers)).name == "ada"


def test_secrets_end_with_their_time(ladder: Ladder) -> None:
    headers = cookie(session_of(ladder, "ada", hours=2))
    assert isinstance(ladder.clock, Clock)
    ladder.clock.now += 2 * HOUR - 1
    assert viewer_of(request(ladder, **headers)).name == "ada"
    ladder.clock.now += 1
    assert viewer_of(request(ladder, **headers)) == ANONYMOUS


def test_a_disabled_account_ends_sessions_tokens_and_streams_at_once(ladder: Ladder) -> None:
    session, token = session_of(ladder, "ada"), token_of(ladder, "ada")
    streams = [request(ladder, **cookie(session)), request(ladder, "/api/v1/x", **bearer(token))]
    for stream in streams:
        demand(stream, Act.READ_SUBMISSION, "ada")
        assert still_may(stream, Act.READ_SUBMISSION, "ada")
    with ladder.database.write() as transaction:
        disable(transaction, find_account(transaction, "ada"), "It cheats.", ladder.clock())
    assert not any(still_may(stream, Act.READ_SUBMISSION, "ada") for stream in streams)
    assert viewer_of(request(ladder, **cookie(session))) == ANONYMOUS
    assert refused(request(ladder, **bearer(token)), Act.READ_ACCOUNT)[0] == 401


def test_over_https_the_cookie_is_that_of_this_host_alone(ladder: Ladder) -> None:
    secret = session_of(ladder, "ada")
    assert viewer_of(request(ladder, scheme="https", **cookie(secret))) == ANONYMOUS
    assert viewer_of(request(ladder, scheme="https", **cookie(secret, "__Host-pigpen_session"))).name == "ada"
    assert viewer_of(request(ladder, **cookie(secret, "__Host-pigpen_session"))) == ANONYMOUS


def test_an_area_of_peoples_leads_nobody_to_where_one_logs_in(ladder: Ladder) -> None:
    for path in ("/me", "/admin"):
        with pytest.raises(LogInFirst):
            demand(request(ladder, path), Act.ADMINISTER if path == "/admin" else Act.READ_ACCOUNT)
    assert refused(request(ladder, "/api/v1/me"), Act.READ_ACCOUNT) == (401, "Bearer")


def test_what_is_for_organisers_is_not_there_for_others(ladder: Ladder) -> None:
    assert refused(request(ladder, "/admin", **cookie(session_of(ladder, "ada"))), Act.ADMINISTER) == (404, "")
    assert refused(request(ladder, "/admin", **bearer(token_of(ladder, "ada"))), Act.ADMINISTER) == (404, "")
    assert demand(request(ladder, "/admin", **cookie(session_of(ladder, "olga"))), Act.ADMINISTER).name == "olga"


def test_what_is_anothers_is_not_there(ladder: Ladder) -> None:
    for headers in ({}, cookie(session_of(ladder, "ada")), bearer(token_of(ladder, "ada"))):
        for path in ("/me", "/api/v1/me"):
            assert refused(request(ladder, path, **headers), Act.READ_SUBMISSION, "eve") == (404, "")


def test_a_token_without_the_scope_is_told_which(ladder: Ladder) -> None:
    asked = request(ladder, "/api/v1/x", **bearer(token_of(ladder, "ada", Scope.READ)))
    assert refused(asked, Act.SUBMIT) == (403, 'Bearer error="insufficient_scope"')
    assert refused(asked, Act.CHANGE_ACCOUNT) == (403, 'Bearer error="insufficient_scope"')
    assert demand(asked, Act.READ_ACCOUNT).name == "ada"
    asked = request(ladder, "/api/v1/x", **bearer(token_of(ladder, "olga", Scope.READ)))
    assert refused(asked, Act.ADMINISTER) == (403, 'Bearer error="insufficient_scope"')


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({}, False),
        ({"origin": "http://site.test"}, True),
        ({"origin": "https://site.test"}, True),
        ({"origin": "http://site.test:81"}, False),
        ({"origin": "http://evil.test"}, False),
        ({"origin": "http://site.test.evil.test"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"origin": "http://["}, False),
        ({"origin": "https://arena.example"}, True),
        ({"sec_fetch_site": "same-origin"}, True),
        ({"sec_fetch_site": "same-site"}, False),
        ({"sec_fetch_site": "cross-site", "origin": "http://site.test"}, False),
        ({"sec_fetch_site": "none", "origin": "http://site.test"}, True),
        ({"sec_fetch_site": "same-origin", "origin": "http://evil.test"}, False),
    ],
)
def test_only_a_page_of_the_site_sends_what_changes_something(
    ladder: Ladder, headers: dict[str, str], is_ours: bool
) -> None:
    ladder = Ladder(ladder.settings.model_copy(update={"site_url": "https://arena.example"}), ladder.database)
    assert is_same_origin(request(ladder, method="POST", **headers)) == is_ours
    secret = session_of(ladder, "ada")
    viewer = viewer_of(request(ladder, "/me", "POST", **headers, **cookie(secret)))
    assert viewer.name == ("ada" if is_ours else None)


def test_over_https_a_page_that_came_over_http_is_another_site(ladder: Ladder) -> None:
    assert not is_same_origin(request(ladder, method="POST", scheme="https", origin="http://site.test"))
    assert is_same_origin(request(ladder, method="POST", scheme="https", origin="https://site.test"))


def test_the_api_takes_a_cookie_for_a_change_only_with_what_the_page_knows(ladder: Ladder) -> None:
    headers = cookie(session_of(ladder, "ada")) | {"origin": "http://site.test"}
    good = csrf_of(request(ladder, **headers))
    for given, name in ((good, "ada"), ("", None), (good[:-1], None), (csrf_of(request(ladder, **cookie("x"))), None)):
        asked = request(ladder, "/api/v1/me/tokens", "POST", x_pigpen_csrf=given, **headers)
        assert viewer_of(asked).name == name
    assert viewer_of(request(ladder, "/api/v1/me/tokens", "POST", **headers)).name is None
    assert viewer_of(request(ladder, "/api/v1/me/tokens", **headers)).name == "ada"
