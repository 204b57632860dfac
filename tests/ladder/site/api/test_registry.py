"""Tokens for the ladder's registry, as `docker push` asks for them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from ladder.app.ladder import Ladder
from ladder.app.submit.ordering import NO_REGISTRY
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.server.headers import EveryResponse
from ladder.store.account_names import find_account
from ladder.values.accounts import Scope
from tests.ladder.accounts import HOUR, add_person, session_of, token_of
from tests.ladder.site.person import Person, Program

ARENA = "arena.example:5000"
TOKEN = "/api/v1/registry/token"


@dataclass
class RegistrySite:
    """The site of a ladder that has a registry, seen by `docker`."""

    ladder: Ladder
    app: EveryResponse

    def ask(self, account: str = "", secret: str = "", address: str = "192.0.2.7", **wanted: Any) -> httpx.Response:
        """Ask for a token as an engine does."""
        basic = base64.b64encode(f"{account}:{secret}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}"} if account else {}
        params = {"service": "pigpen"} | wanted
        return Person(self.ladder, self.app, address=address).ask("GET", TOKEN, headers=headers, params=params)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[RegistrySite]:
    with Ladder.open(load_settings(data_dir=tmp_path, registry=ARENA), create=True) as ladder:
        for name in ("ada", "bob", "Zoë"):
            add_person(ladder, name)
        yield RegistrySite(ladder, make_app(ladder))


def claims(response: httpx.Response) -> dict[str, Any]:
    """Read the claims of a token; its signature is for the registry to check."""
    assert response.status_code == 200, response.text
    middle = response.json()["token"].split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(middle + "==")))


def test_an_account_gets_a_token_for_its_own_names(arena: RegistrySite) -> None:
    wanted = ["repository:ada/trotter:pull,push,delete", "repository:bob/snout:pull", "registry:catalog:*"]
    response = arena.ask("ada", token_of(arena.ladder, "ada", Scope.SUBMIT), scope=wanted)
    found = claims(response)
    assert found["access"] == [{"type": "repository", "name": "ada/trotter", "actions": ["pull", "push"]}]
    assert (found["iss"], found["aud"], found["sub"]) == ("pigpen", "pigpen", "ada")
    assert found["exp"] - found["iat"] == response.json()["expires_in"] == 300
    assert response.headers["cache-control"] == "no-store"
    assert response.json()["access_token"] == response.json()["token"]


def test_docker_login_asks_for_nothing_and_gets_that(arena: RegistrySite) -> None:
    assert claims(arena.ask("ada", token_of(arena.ladder, "ada")))["access"] == []


def test_the_namespace_of_a_name_that_cannot_stand_in_one_of_an_image_is_told(arena: RegistrySite) -> None:
    token = token_of(arena.ladder, "Zoë")
    place = Program(arena.ladder, token, arena.app).ask("GET", "/registry").json()
    assert place == {"address": ARENA, "namespace": "x--5a6fc3ab"}
    access = claims(arena.ask("Zoë", token, scope=f"repository:{place['namespace']}/snout:push"))["access"]
    assert [each["actions"] for each in access] == [["push"]]


def test_who_is_not_that_account_hears_the_same(arena: RegistrySite) -> None:
    mine, ladder = token_of(arena.ladder, "ada"), arena.ladder
    tried = {
        "nobody": arena.ask(),
        "no such account": arena.ask("eve", mine),
        "another account's": arena.ask("bob", mine),
        "made up": arena.ask("ada", f"pgp_{'x' * 43}"),
        "of another kind": arena.ask("ada", "password"),
        "no secret": arena.ask("ada"),
        "a session": arena.ask("ada", session_of(ladder, "ada")),
        "expired": arena.ask("ada", token_of(ladder, "ada", hours=-1)),
        "another scope": arena.ask("ada", token_of(ladder, "ada", Scope.READ)),
    }
    assert {why: each.status_code for why, each in tried.items()} == dict.fromkeys(tried, 401)
    assert len({each.text for each in tried.values()}) == 1
    assert {each.headers["www-authenticate"] for each in tried.values()} == {'Basic realm="pigpen", charset="UTF-8"'}


def test_a_disabled_account_gets_none(arena: RegistrySite) -> None:
    token = token_of(arena.ladder, "ada")
    with arena.ladder.database.write() as session:
        find_account(session, "ada").disabled = arena.ladder.clock() - HOUR
    assert arena.ask("ada", token).status_code == 401


def test_a_header_that_is_none_is_nobody(arena: RegistrySite) -> None:
    person = Person(arena.ladder, arena.app)
    for header in (
        "Basic",
        "Basic !!!",
        "Basic 4444=",
        f"Basic {'A' * 4000}",
        f"Bearer {token_of(arena.ladder, 'ada')}",
    ):
        assert person.ask("GET", f"{TOKEN}?service=pigpen", headers={"Authorization": header}).status_code == 401


def test_another_service_gets_no_tokens_here(arena: RegistrySite) -> None:
    assert arena.ask("ada", token_of(arena.ladder, "ada"), service="other").status_code == 404


def test_guessing_is_limited(arena: RegistrySite) -> None:
    seen = [arena.ask("ada", "pgp_guess").status_code for _ in range(301)]
    assert (set(seen[:300]), seen[300]) == ({401}, 429)


def test_a_strangers_guesses_keep_no_account_out(arena: RegistrySite) -> None:
    for number in range(301):
        arena.ask("ada", "pgp_guess", address=f"198.51.100.{number % 250}")
    assert arena.ask("ada", "pgp_guess", address="198.51.100.7").status_code == 429
    assert arena.ask("ada", token_of(arena.ladder, "ada")).status_code == 200


def test_a_ladder_without_a_registry_says_so(tmp_path: Path) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        add_person(ladder, "ada")
        token = token_of(ladder, "ada")
        arena = RegistrySite(ladder, make_app(ladder))
        for response in (arena.ask("ada", token), Program(ladder, token, arena.app).ask("GET", "/registry")):
            assert response.status_code == 404
            assert response.json()["detail"].startswith(NO_REGISTRY)
        assert not (tmp_path / "registry").exists()
