"""Logging in with an identity provider of Authlib's classes, and attempts of people whom it does not vouch for."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import shutil
import time
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from pydantic import SecretStr

from ladder.app.accounts import managing, registering
from ladder.app.accounts.oidc import ALGORITHMS, NO_ANSWER, NOT_BEGUN, REFUSED
from ladder.app.accounts.provider_settings import check_provider
from ladder.app.accounts.registering import BY_PROVIDER, THERE_ALREADY
from ladder.app.accounts.sessions import DISABLED
from ladder.app.ladder import Ladder
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.site.server.attempts import LIMITS, Attempt
from ladder.values.accounts import LOCAL, Role
from tests.ladder import ladders
from tests.ladder.accounts import add_person
from tests.ladder.oidc_provider import CLIENT, SECRET, OidcProvider, oidc_provider
from tests.ladder.site.person import PASSWORD, Person
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from joserfc.jwk import ECKey


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    """The identity provider, which makes no mistake."""
    with oidc_provider() as provider:
        yield provider


@pytest.fixture
def ladder(provider: OidcProvider, sqlite_template: Path, tmp_path: Path) -> Iterator[Ladder]:
    """A ladder whose people log in there."""
    shutil.copy(sqlite_template, tmp_path / "ladder.db")
    scheme, _, place = provider.address.partition("://")
    settings = load_settings(data_dir=tmp_path, oidc=f"{scheme}://{CLIENT}:{quote(SECRET, safe='')}@{place}")
    with Ladder.open(settings, create=True) as ladder:
        yield ladder


@pytest.fixture
def person(ladder: Ladder) -> Person:
    return Person(ladder)


def to_provider(person: Person, path: str = "/login/oidc") -> str:
    """Begin a log-in, and let the provider vouch; gives where it sends the browser back to."""
    response = person.get(path)
    assert response.status_code == 303, response.text
    back = httpx.get(response.headers["location"], follow_redirects=False, timeout=PATIENCE).headers["location"]
    assert back.startswith("http://site.test/login/oidc/callback?")
    return str(back).removeprefix("http://site.test")


def log_in(person: Person, path: str = "/login/oidc") -> httpx.Response:
    return person.get(to_provider(person, path))


def who(person: Person) -> str | None:
    response = person.get("/api/v1/me")
    return response.json()["name"] if response.status_code == 200 else None


def refused(response: httpx.Response, sentence: str = REFUSED, status: int = 403) -> bool:
    return (
        response.status_code == status and sentence in response.text and "pigpen_session" not in str(response.headers)
    )


def test_the_first_log_in_makes_an_account_and_the_next_ones_open_it(ladder: Ladder, person: Person) -> None:
    assert 'href="/login/oidc?next=/me"' in person.get("/login").text
    response = log_in(person, "/login/oidc?next=/m")
    assert (response.status_code, response.headers["location"]) == (303, "/m")
    assert who(person) == "ada"
    again = Person(ladder)
    log_in(again)
    assert who(again) == "ada"
    (row,) = managing.accounts(ladder, LOCAL)
    assert (row.name, row.role, row.signs_in_by) == ("ada", Role.CONTESTANT, "provider")
    actions = [each.action for each in managing.audit(ladder, LOCAL)]
    assert actions == ["session.create", "session.create", "account.create"]
    assert "Password" not in person.get("/me/account").text


def test_who_it_is_follows_from_the_subject_and_not_from_the_name(
    ladder: Ladder, person: Person, provider: OidcProvider
) -> None:
    log_in(person)
    provider.user = {"sub": "other", "preferred_username": "ada"}
    thief = Person(ladder)
    page = log_in(thief)
    assert (page.status_code, who(thief)) == (200, None)
    assert "Choose the name " in page.text
    provider.user = {"sub": "248289761001", "preferred_username": "renamed"}
    again = Person(ladder)
    log_in(again)
    assert who(again) == "ada"


def test_who_chooses_a_name_is_pointed_to_the_texts_of_the_organiser(ladder: Ladder, provider: OidcProvider) -> None:
    provider.user = {"sub": "1", "preferred_username": "a b"}
    folder = ladder.settings.data_dir / "pages"
    folder.mkdir()
    (folder / "terms.md").write_text("Be fair.")
    form = log_in(Person(ladder)).text.partition('action="/login/oidc/name"')[2].partition("</form>")[0]
    links = [f'<a href="/{name}">' in form for name in ("terms", "privacy", "imprint")]
    assert ("Read first" in form, links) == (True, [True, True, False])


@pytest.mark.parametrize("name", ["carl", "CARL", "a b", "", None, 7, "x" * 300, "<b>"])
def test_a_name_that_cannot_be_is_chosen_anew(
    ladder: Ladder, person: Person, provider: OidcProvider, name: object
) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Snout", owner="carl")
    provider.user = {"sub": "1", "preferred_username": name}
    page = log_in(person)
    assert page.status_code == 200
    for wrong in ("carl", "../x"):
        page = person.post("/login/oidc/name", name=wrong)
        assert page.status_code == 422
    response = person.post("/login/oidc/name", name="dora")
    assert (response.status_code, who(person)) == (303, "dora")
    assert person.post("/login/oidc/name", name="dora2").status_code == 403
    assert refused(Person(ladder, person.app).post("/login/oidc/name", name="dora2"), NOT_BEGUN)


def test_who_begins_twice_has_one_account(ladder: Ladder, person: Person, provider: OidcProvider) -> None:
    provider.user = {"sub": "1", "preferred_username": ""}
    other = Person(ladder, person.app)
    for each in (person, other):
        log_in(each)
    assert person.post("/login/oidc/name", name="dora").status_code == 303
    assert THERE_ALREADY in other.post("/login/oidc/name", name="eve").text
    assert [row.name for row in managing.accounts(ladder, LOCAL)] == ["dora"]


def test_an_invitation_brings_an_owner_with_bots_to_them(ladder: Ladder, person: Person) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Snout", owner="carl")
    secret = registering.invite(ladder, LOCAL, Role.ORGANISER, "carl").secret
    link = re.search(r'href="(/login/oidc\?invitation=[^"]+)"', person.get(f"/register?invitation={secret}").text)
    assert link is not None
    log_in(person, link[1])
    assert who(person) == "carl"
    assert [row.role for row in managing.accounts(ladder, LOCAL)] == [Role.ORGANISER]
    provider_again = Person(ladder)
    assert provider_again.get(f"/register?invitation={secret}").status_code == 403


def test_a_disabled_account_stays_out(ladder: Ladder, person: Person) -> None:
    log_in(person)
    managing.disable(ladder, LOCAL, "ada", "It cheats.")
    assert who(person) is None
    again = Person(ladder)
    assert refused(log_in(again), DISABLED)


def test_an_account_with_a_password_still_logs_in_with_it(ladder: Ladder, person: Person) -> None:
    link = managing.add(ladder, LOCAL, "olga", Role.ORGANISER).secret
    assert person.post("/register", password=PASSWORD, invitation=link).status_code == 303
    assert Person(ladder).log_in("olga").status_code == 303
    assert refused(Person(ladder).post("/register", name="eve", password=PASSWORD), BY_PROVIDER)


def with_secret(ladder: Ladder, secret: str) -> Person:
    """Give a visitor of the same ladder whose settings have another secret of the provider."""
    settings = ladder.settings.model_copy(update={"oidc_secret": SecretStr(secret)})
    return Person(Ladder(settings, ladder.database))


def test_a_site_with_a_wrong_secret_is_refused(ladder: Ladder) -> None:
    for secret in ("wrong", unquote(SECRET), ""):
        assert refused(log_in(with_secret(ladder, secret))), secret
    assert log_in(Person(ladder)).status_code == 303, "the others were refused for their secrets"


def test_a_site_without_a_secret_logs_people_in(ladder: Ladder, provider: OidcProvider) -> None:
    provider.secret = ""
    assert log_in(with_secret(ladder, "")).status_code == 303


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_algorithm_is_one_by_which_a_provider_may_sign(
    person: Person, provider: OidcProvider, algorithm: str
) -> None:
    provider.algorithm = algorithm
    assert (log_in(person).status_code, who(person)) == (303, "ada")
    provider.forge = resigned(provider, {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"})
    assert refused(log_in(person))


def changed(back: str, **query: str) -> str:
    url = httpx.URL(back)
    return str(url.copy_merge_params(query))


def test_a_log_in_that_another_browser_began_is_refused(ladder: Ladder, person: Person) -> None:
    back = to_provider(person)
    victim = Person(ladder, person.app)
    assert refused(victim.get(back), NOT_BEGUN)
    to_provider(victim)
    assert refused(victim.get(back), NOT_BEGUN), "the state is another"
    assert who(victim) is None


@pytest.mark.parametrize("state", ["", "x", "é"])
def test_a_wrong_state_is_refused(person: Person, state: str) -> None:
    back = to_provider(person)
    assert refused(person.get(changed(back, state=state)), NOT_BEGUN)
    assert refused(person.get(back), NOT_BEGUN), "it was good once"


def test_a_code_is_good_once(ladder: Ladder, person: Person) -> None:
    back = to_provider(person)
    code = httpx.URL(back).params["code"]
    assert person.get(back).status_code == 303
    assert refused(person.get(back), NOT_BEGUN)
    thief = Person(ladder, person.app)
    assert refused(thief.get(changed(to_provider(thief), code=code)))


def test_a_code_of_another_browsers_is_not_redeemed(ladder: Ladder, person: Person) -> None:
    """PKCE: the provider gives the tokens to who began the log-in."""
    code = httpx.URL(to_provider(person)).params["code"]
    thief = Person(ladder, person.app)
    assert refused(thief.get(changed(to_provider(thief), code=code)))


def test_what_the_provider_refuses_is_refused(person: Person, provider: OidcProvider) -> None:
    provider.user = None
    back = to_provider(person)
    assert httpx.URL(back).params["error"] == "access_denied"
    assert refused(person.get(back))


def test_an_answer_in_the_name_of_another_provider_is_refused(person: Person) -> None:
    assert refused(person.get(changed(to_provider(person), iss="https://evil.test")))
    unnamed = httpx.URL(to_provider(person)).copy_remove_param("iss")
    assert person.get(str(unnamed)).status_code == 303, "not every provider names itself"


def resigned(
    provider: OidcProvider, claims: dict[str, Any], key: RSAKey | ECKey | None = None, **header: str
) -> Callable[[str], str]:
    """Give a change of an ID token: other claims (None: left out), another header or key, and a new signature."""

    def forge(token: str) -> str:
        read = jwt.decode(token, provider.key, algorithms=ALGORITHMS)
        claimed = {name: value for name, value in (read.claims | claims).items() if value is not None}
        head = {**read.header, **header}
        return jwt.encode(head, claimed, key or provider.key, algorithms=[head["alg"]])

    return forge


LIES: dict[str, dict[str, Any]] = {
    "another nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "another"},
    "no audience": {"aud": None},
    "more audiences, and given to another": {"aud": [CLIENT, "other"], "azp": "other"},
    "more audiences, and given to nobody": {"aud": [CLIENT, "other"]},
    "expired": {"exp": int(time.time()) - 3600},
    "never expires": {"exp": None},
    "from the future": {"iat": int(time.time()) + 10**9, "nbf": int(time.time()) + 10**9},
    "another issuer": {"iss": "https://evil.test"},
    "no issuer": {"iss": None},
    "nobody": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is no text": {"sub": 7},
    "a long subject": {"sub": "x" * 256},
    "another access token": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
}


def test_a_token_that_says_something_else_is_refused(ladder: Ladder, person: Person, provider: OidcProvider) -> None:
    for number, (lie, claims) in enumerate(LIES.items()):
        provider.forge = resigned(provider, claims)
        visitor = Person(ladder, person.app, address=f"198.51.100.{number}")
        assert refused(log_in(visitor)), lie
        assert managing.accounts(ladder, LOCAL) == [], lie
    provider.forge = resigned(provider, {"aud": CLIENT})
    assert log_in(person).status_code == 303, "the others were refused for what they said"


def test_a_token_that_another_signed_is_refused(person: Person, provider: OidcProvider) -> None:
    provider.forge = resigned(provider, {}, RSAKey.generate_key(2048))
    assert refused(log_in(person))
    provider.forge = resigned(provider, {}, kid="unknown")
    assert refused(log_in(person))


def test_a_token_that_nobody_signed_is_refused(person: Person, provider: OidcProvider) -> None:
    def unsigned(token: str, alg: str, keeps: bool) -> str:
        _, claims, signature = token.split(".")
        return f"{encoded(json.dumps({'alg': alg}).encode())}.{claims}.{signature if keeps else ''}"

    for alg in ("none", "None", "NONE", ""):
        for keeps in (False, True):
            provider.forge = partial(unsigned, alg=alg, keeps=keeps)
            assert refused(log_in(person))
    provider.forge = lambda token: token.rpartition(".")[0] + "."
    assert refused(log_in(person))


@pytest.mark.parametrize("nonsense", [" ", "x", "a.b.c", "....", "eyJ9.e30."])
def test_what_is_no_token_is_refused(person: Person, provider: OidcProvider, nonsense: str) -> None:
    provider.forge = lambda _: nonsense
    assert refused(log_in(person))


def test_a_public_key_is_no_shared_secret(person: Person, provider: OidcProvider) -> None:
    def shared(token: str, key: bytes) -> str:
        head, claims = encoded(json.dumps({"alg": "HS256", "kid": provider.key.kid}).encode()), token.split(".")[1]
        return f"{head}.{claims}.{encoded(hmac.new(key, f'{head}.{claims}'.encode(), hashlib.sha256).digest())}"

    for key in (provider.key.as_pem(private=False), SECRET.encode(), b""):
        provider.forge = partial(shared, key=key)
        assert refused(log_in(person))


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/jwks"])
def test_no_redirect_is_followed(person: Person, provider: OidcProvider, path: str) -> None:
    back = to_provider(person)
    provider.redirects = {path}
    response = person.get(back)
    assert response.status_code in (403, 503)
    assert "/other" not in provider.seen
    assert who(person) is None


@pytest.mark.parametrize(
    "described",
    [{"issuer": "https://evil.test"}, {"issuer": None}, {"token_endpoint": "http://192.0.2.1/token"},
     {"jwks_uri": "file:///etc/passwd"}, {"authorization_endpoint": "javascript:alert(1)"}, {"jwks_uri": None}],
)  # fmt: skip
def test_a_description_of_another_is_not_believed(
    person: Person, provider: OidcProvider, described: dict[str, Any]
) -> None:
    back = to_provider(person)
    provider.description = described
    assert refused(person.get(back), NO_ANSWER, 503)
    assert refused(person.get("/login/oidc"), NO_ANSWER, 503)


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/jwks"])
@pytest.mark.parametrize("how", ["broken_off", "garbled"])
def test_an_answer_that_breaks_off_or_cannot_be_unpacked_is_none(
    person: Person, provider: OidcProvider, path: str, how: str
) -> None:
    back = to_provider(person)
    setattr(provider, how, {path})
    assert refused(person.get(back), NO_ANSWER, 503)
    assert who(person) is None
    if path == "/.well-known/openid-configuration":
        assert refused(person.get("/login/oidc"), NO_ANSWER, 503)


def test_a_browser_chooses_no_address(person: Person, provider: OidcProvider) -> None:
    response = person.ask("GET", "/login/oidc?issuer=http://evil.test&redirect_uri=http://evil.test&next=//evil.test")
    assert response.headers["location"].startswith(f"{provider.address}/authorize?")
    assert "evil" not in response.headers["location"]


def test_without_such_a_setting_there_is_no_such_page(ladder: Ladder) -> None:
    person = Person(Ladder(ladder.settings.model_copy(update={"registration": "open"}), ladder.database))
    for path in ("/login/oidc", "/login/oidc/callback?code=x&state=y"):
        assert person.get(path).status_code == 404
    assert person.post("/login/oidc/name", name="x").status_code == 404


@pytest.mark.parametrize(
    ("issuer", "client", "sentence"),
    [("", "x", "needs the settings oidc_issuer and oidc_client"), ("https://id.example", "", "needs the settings"),
     ("http://id.example", "x", "begins with https"), ("ftp://127.0.0.1", "x", "begins with https"),
     ("id.example", "x", "begins with https"), ("http://[::1", "x", "begins with https")],
)  # fmt: skip
def test_settings_that_name_no_provider_are_refused(issuer: str, client: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        check_provider(load_settings(registration="oidc", oidc_issuer=issuer, oidc_client=client))


def test_a_name_is_not_chosen_by_another_site(ladder: Ladder, person: Person, provider: OidcProvider) -> None:
    add_person(ladder, "ada")
    log_in(person)
    response = person.ask("POST", "/login/oidc/name", data={"name": "eve"}, headers={"Origin": "http://evil.test"})
    assert response.status_code == 403
    assert len(managing.accounts(ladder, LOCAL)) == 1


def test_a_log_in_counts_once_and_a_stray_return_as_one(
    ladder: Ladder, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, Attempt.LOG_IN, (3, 3, 600))
    for _ in range(2):
        assert log_in(Person(ladder, person.app)).status_code == 303
    back = to_provider(person)
    assert person.get("/login/oidc").status_code == 429
    assert Person(ladder, person.app).get("/login/oidc/callback").status_code == 429, (
        "who comes back to nothing may be guessing"
    )
    assert (person.get(back).status_code, who(person)) == (303, "ada")
