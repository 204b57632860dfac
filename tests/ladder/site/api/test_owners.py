"""Routes of the API for owners of bots alone: the output of their bots, and taking them out of the ladder."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import select

from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.values.accounts import Role, Scope
from ladder.values.local_results import SeatLog
from tests.ladder import ladders
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.ladders import played
from tests.ladder.recorded_ladders import new_ladder, recorded_match

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.results.files import Logs
    from referee.records.lines import AnyLine

API = "/api/v1"
LOGS: Logs = dict.fromkeys(range(4), ("[1] secret of Trotter\n", "[1] secret of Snout\n", "", ""))
DEAL = "/matches/1/boards/1/rotations/1"


@pytest.fixture(scope="module")
def lines() -> tuple[AnyLine, ...]:
    """Played before a test has an event loop."""
    return played("gongzhu")


@pytest.fixture
def ladder(tmp_path: Path, lines: tuple[AnyLine, ...]) -> Iterator[Ladder]:
    """A match of bots of several owners, two of whom have accounts; and an organiser."""
    made = new_ladder(load_settings(data_dir=tmp_path))
    recorded_match(made, lines, logs=LOGS)
    for bot, account in (("Trotter", "ada"), ("Snout", "ben")):
        add_person(made, account)
        with made.database.write() as session:
            owner = session.scalars(select(models.Owner).where(models.Owner.name == account)).one()
            session.scalars(select(models.StoredBot).where(models.StoredBot.name == bot)).one().owner_id = owner.id
    add_person(made, "eve")
    add_person(made, "olga", Role.ORGANISER)
    yield made
    made.database.close()


@pytest.fixture
async def client(ladder: Ladder) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(make_app(ladder), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
        yield client


def by(ladder: Ladder, name: str | None, *scopes: Scope) -> dict[str, str]:
    return {} if name is None else {"Authorization": f"Bearer {token_of(ladder, name, *scopes)}"}


def session(ladder: Ladder, name: str) -> dict[str, str]:
    return {"Cookie": f"pigpen_session={session_of(ladder, name)}"}


@pytest.mark.parametrize("name", ["ada", "olga"])
async def test_an_owner_and_an_organiser_read_what_a_bot_printed(
    client: httpx.AsyncClient, ladder: Ladder, name: str
) -> None:
    answer = await client.get(f"{API}/matches/1/seats/Trotter/logs", headers=by(ladder, name))
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    (log,) = [SeatLog.model_validate(each) for each in answer.json()]
    assert [each.printed for each in log.rotations] == ["[1] secret of Trotter\n"] * 4
    one = await client.get(f"{API}/matches/1/seats/0/logs?rotation=3", headers=by(ladder, name))
    assert [each["rotation"] for each in one.json()[0]["rotations"]] == [3]


@pytest.mark.parametrize("name", [None, "ben", "eve"])
async def test_for_others_it_is_as_if_it_were_not_there(
    client: httpx.AsyncClient, ladder: Ladder, name: str | None
) -> None:
    headers = by(ladder, name)

    async def problem(match: int, seat: str) -> Any:
        answer = await client.get(f"{API}/matches/{match}/seats/{seat}/logs", headers=headers)
        assert answer.status_code == 404
        return answer.text.replace(f"match {match}", "match M").replace(f"'{seat}'", "'S'")

    there = await problem(1, "Trotter")
    assert "secret" not in there
    assert there == await problem(1, "Nobody") == await problem(99, "Trotter")


@pytest.mark.parametrize("match", [1, 99])
async def test_an_owner_is_told_that_the_bot_was_not_in_the_match(
    client: httpx.AsyncClient, ladder: Ladder, match: int
) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Evening", "gongzhu", owner="eve")
    answer = await client.get(f"{API}/matches/{match}/seats/Evening/logs", headers=by(ladder, "eve"))
    assert answer.status_code == 404
    assert answer.json()["detail"] == (
        f"Evening did not play in match {match}. Its matches: pigpen matches --bot Evening"
    )


async def test_an_organiser_is_told_what_is_wrong(client: httpx.AsyncClient, ladder: Ladder) -> None:
    headers = by(ladder, "olga")
    for place, words in (("99/seats/0", "no match 99"), ("1/seats/7", "No bot '7' played in match 1")):
        answer = await client.get(f"{API}/matches/{place}/logs", headers=headers)
        assert (answer.status_code, words in answer.json()["detail"]) == (404, True)


async def test_where_the_organiser_shows_it_everybody_reads_it(ladder: Ladder) -> None:
    public = type(ladder)(ladder.settings.model_copy(update={"public_logs": True}), ladder.database, ladder.clock)
    transport = httpx.ASGITransport(make_app(public), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
        answer = await client.get(f"{API}/matches/1/seats/Snout/logs")
    assert "secret of Snout" in answer.text


async def test_a_replay_shows_an_owner_what_its_own_bot_printed_and_nobody_keeps_that(
    client: httpx.AsyncClient, ladder: Ladder
) -> None:
    def secrets_in(answer: httpx.Response) -> set[str]:
        return {word for word in ("Trotter", "Snout") if f"secret of {word}" in answer.text}

    for address in (API + DEAL, "/m/1/boards/1/1"):
        everybody = await client.get(address)
        assert (secrets_in(everybody), "etag" in everybody.headers) == (set(), True)
    for name, seen in (("ada", {"Trotter"}), ("ben", {"Snout"}), ("eve", set()), ("olga", {"Trotter", "Snout"})):
        answer = await client.get(API + DEAL, headers=by(ladder, name))
        assert (secrets_in(answer), answer.headers["cache-control"] == "no-store") == (seen, bool(seen)), name
        known = await client.get(API + DEAL, headers=by(ladder, name) | {"If-None-Match": everybody.headers["etag"]})
        assert known.status_code == 200
    assert secrets_in(await client.get(API + DEAL)) == set()


async def test_the_page_of_a_deal_is_made_anew_for_who_sees_more(client: httpx.AsyncClient, ladder: Ladder) -> None:
    shared = await client.get("/m/1/boards/1/1")
    own = await client.get("/m/1/boards/1/1", headers=session(ladder, "ada"))
    others = await client.get("/m/1/boards/1/1", headers=session(ladder, "eve"))
    assert (own.headers["cache-control"], "etag" in own.headers) == ("no-store", False)
    assert others.headers["etag"] == shared.headers["etag"]


async def test_nobody_retires_anothers_bot(client: httpx.AsyncClient, ladder: Ladder) -> None:
    async def refused(bot: str, headers: dict[str, str]) -> tuple[int, str]:
        answer = await client.post(f"{API}/bots/{bot}/retirement", json={"reason": "mine now"}, headers=headers)
        return answer.status_code, answer.text.replace(f"'{bot}'", "'B'")

    ben = by(ladder, "ben")
    assert (await refused("Trotter", ben))[0] == 404
    assert await refused("Trotter", ben) == await refused("Nobody", ben)
    assert (await refused("Trotter", {}))[0] == 401
    assert (await refused("Trotter", by(ladder, "ada", Scope.READ)))[0] == 403
    with ladder.database.read() as session:
        assert {rating.state for rating in session.scalars(select(models.Rating))} == {"active"}


async def test_a_record_comes_with_its_hash_and_only_once(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{API}/matches/1/record")
    digest = base64.b64encode(hashlib.sha256(answer.content).digest()).decode()
    assert answer.headers["repr-digest"] == f"sha-256=:{digest}:"
    again = await client.get(f"{API}/matches/1/record", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_matches_of_any_status_are_given_some_at_a_time(client: httpx.AsyncClient, ladder: Ladder) -> None:
    with ladder.database.write() as session:
        versions = list(session.scalars(select(models.Version.id)))
        waiting = [ladders.queue(session, versions, "gongzhu") for _ in range(3)]
    first = (await client.get(f"{API}/matches?status=queued&limit=2")).json()
    rest = (await client.get(f"{API}/matches?status=queued&limit=2&after={first['next']}")).json()
    assert [match["id"] for match in first["matches"] + rest["matches"]] == waiting
    assert (rest["next"], (await client.get(f"{API}/matches?status=running")).json()["matches"]) == (None, [])
    assert [match["id"] for match in (await client.get(f"{API}/matches")).json()["matches"]] == [1]


async def test_standings_of_all_variants_come_in_one_answer(client: httpx.AsyncClient) -> None:
    (found,) = (await client.get(f"{API}/standings?first=2")).json()
    assert (found["variant"], len(found["standings"])) == ("gongzhu", 2)
    assert (await client.get(f"{API}/standings?variant=hearts")).status_code == 404
    assert (await client.get(f"{API}/bots/Trotter?variant=hearts")).status_code == 404
