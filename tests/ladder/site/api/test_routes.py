"""Every address of the API: what it gives, to whom, how it refuses, and what its description says."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import select
from structlog.testing import capture_logs

from ladder.app import bots
from ladder.app.remote.connection import Connection
from ladder.app.remote.remote_ladder import RemoteLadder
from ladder.app.standings_csv import FIELDS
from ladder.errors import StoreError
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.api import routes
from ladder.site.rendering import long_tables as table_pages
from ladder.site.server.problems import FAILED, NO_DATABASE
from ladder.store import models
from ladder.values.accounts import Role, Scope
from ladder.values.bots import BotList, BotPage
from ladder.values.local_results import SeatLog
from ladder.values.matches import Explanation, MatchList, MatchRow, MatchScores
from ladder.values.reports import LadderHealth
from ladder.values.standings import RatingCurve, StandingRow, Standings, VariantSummary
from tests.ladder import ladders
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.remote_site import served
from tests.ladder.shown import OWNERS
from tests.ladder.site.visitor import MATCHES
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.results.files import Logs
    from ladder.values.value import Value
    from referee.records.lines import AnyLine
    from tests.ladder.site.visitor import Visitor

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
    assert answer.json()["detail"].startswith("Evening did not play ")
    assert f" match {match}. " in answer.json()["detail"]


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
    assert others.headers["cache-control"] == shared.headers["cache-control"]
    assert "etag" in others.headers
    assert others.text.partition("<main")[2] == shared.text.partition("<main")[2]


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


VALUES: list[tuple[str, type[Value]]] = [
    ("/standings/gongzhu?all=1", Standings),
    ("/bots?limit=2", BotList),
    ("/bots/Mud@1?opponents=1", BotPage),
    ("/bots/Mud/ratings/gongzhu", RatingCurve),
    ("/matches?variant=gongzhu&bot=Mud&limit=3", MatchList),
    ("/matches/2", MatchRow),
    ("/matches/2/explanation", Explanation),
    ("/matches/2/scores", MatchScores),
    ("/health", LadderHealth),
]
EMPTY: dict[str, Any] = {
    "/variants": [],
    "/bots": {"bots": [], "next": None},
    "/matches": {"matches": [], "next": None},
    "/live": [],
}
MISSING = [
    "/standings/bridge", "/standings/bridge.csv", "/standings/.csv", "/bots/Nobody", "/bots/Mud@7",
    "/bots/Nobody/ratings/gongzhu", "/bots/Mud/ratings/bridge", "/bots/Nobody/inbox", "/matches?variant=bridge",
    "/matches?bot=Nobody", "/matches/0", "/matches/2147483648", "/matches/99", "/matches/99/explanation",
    "/matches/99/scores", "/matches/99/record",
    "/matches/1/scores", "/matches/1/record", f"/matches/{MATCHES + 1}/explanation", f"/matches/{MATCHES + 2}/scores",
    "/matches/2/boards/10/rotations/1", "/live/99/events", "/live/99/stream", "/nothing",
]  # fmt: skip
NONSENSE = [
    "/variants?first=x", "/standings/gongzhu?all=2", "/matches?before=99999999999999999999", "/matches/x",
    "/matches/2/boards/1/rotations/9",
]  # fmt: skip
PLACES = {"variant": "gongzhu", "bot": "Mud", "match": "2", "board": "1", "rotation": "1", "number": "2", "table": "x"}
"""Values for the names in addresses."""
BOUNDS = {"minimum": -1, "maximum": 1, "minLength": -1, "maxLength": 1}
"""Words of OpenAPI, and the direction in which a value is refused."""


def openapi(site: Visitor) -> dict[str, Any]:
    found: dict[str, Any] = site.get("/api/openapi.json").json()
    return found


@pytest.mark.parametrize(("path", "kind"), VALUES)
def test_a_value_is_what_it_is_said_to_be(site: Visitor, path: str, kind: type[Value]) -> None:
    found = site.value(path)
    assert kind.model_validate_json(json.dumps(found)).model_dump(mode="json") == found


def test_whether_a_runner_plays_is_said_anew_each_time(site: Visitor) -> None:
    response = site.get("/api/v1/health")
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")


def test_variants_come_with_the_first_of_their_standings(site: Visitor) -> None:
    (found,) = (VariantSummary.model_validate(each) for each in site.value("/variants?first=2"))
    assert (found.variant, found.matches, found.active, len(found.top)) == ("gongzhu", MATCHES, len(OWNERS), 2)


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_ladder_has_empty_lists(empty: Visitor, path: str) -> None:
    assert empty.value(path) == EMPTY[path]


@pytest.mark.parametrize("path", MISSING)
def test_what_is_missing_is_said_in_a_sentence(site: Visitor, path: str) -> None:
    sentence = site.problem(f"/api/v1{path}", 404)
    assert sentence.rstrip().endswith((".", "?", "bots", "gongzhu"))
    assert len(sentence) > 15


@pytest.mark.parametrize("path", NONSENSE)
def test_a_parameter_that_makes_no_sense_is_named(site: Visitor, path: str) -> None:
    name, _, rest = site.problem(f"/api/v1{path}", 422).partition(": ")
    assert name.isidentifier()
    assert rest.endswith(".")


def limited(site: Visitor) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """All limits of the parameters of what anyone may read: path, name, kind of value, word of OpenAPI."""
    for path, operations in openapi(site)["paths"].items():
        for given in operations.get("get", {}).get("parameters", ()):
            for kind in given["schema"].get("anyOf", [given["schema"]]):
                if given["in"] == "query" and "pattern" not in kind and "enum" not in kind:
                    yield from ((path, given["name"], kind, word) for word in BOUNDS if word in kind)


def test_each_parameter_is_taken_up_to_its_limit_and_refused_beyond(site: Visitor) -> None:
    tried = set()
    for path, name, kind, word in limited(site):
        address = re.sub(r"\{(\w+)\}", lambda found: PLACES.get(found[1], "1"), path)
        if site.get(address).status_code == 401:
            continue
        for more in (-1, 0, 1):
            number = kind[word] + more * BOUNDS[word]
            is_within = all(BOUNDS[each] * (number - kind[each]) <= 0 for each in BOUNDS if each in kind)
            value = str(number) if "Length" not in word else "a" * number
            status = site.get(f"{address}?{name}={value}").status_code
            assert (status != 422) == is_within, (path, name, word, value)
        tried.add((path, name, word))
    assert len(tried) > 20


def test_matches_are_read_on_until_the_end(site: Visitor) -> None:
    seen: list[int] = []
    path = "/matches?limit=5"
    while path:
        found = site.value(path)
        seen += [match["id"] for match in found["matches"]]
        path = found["next"] and f"/matches?limit=5&before={found['next']}"
    assert seen == list(range(MATCHES, 0, -1))


def test_bots_are_read_on_until_the_end(site: Visitor) -> None:
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        found = site.value(f"/bots?limit=2&after={after}")
        seen += [bot["bot"] for bot in found["bots"]]
        after = found["next"]
    assert seen == sorted(OWNERS)
    assert [bot["bot"] for bot in site.value("/bots?after=N")["bots"]] == ["Snout", "Trotter", "Truffle"]
    assert site.value("/bots?limit=5")["next"] is None


def test_standings_as_csv_are_those_that_the_command_prints(site: Visitor) -> None:
    response = site.get("/api/v1/standings/gongzhu.csv?all=1")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert list(rows[0]) == ["variant", *FIELDS]
    assert [row["bot"] for row in rows] == [row["bot"] for row in site.value("/standings/gongzhu?all=1")["standings"]]
    where = site.ladder.settings.data_dir
    words = ("standings", "--csv", "--all", "--variant", "gongzhu")
    done = typed(*words, folder=where, PIGPEN_DATA_DIR=str(where))
    assert (done.code, done.out) == (0, response.text)


def test_a_record_is_given_as_it_is_stored(site: Visitor) -> None:
    response = site.get("/api/v1/matches/2/record")
    assert response.headers["content-type"] == "application/gzip"
    assert response.headers["content-disposition"] == 'attachment; filename="match-2.jsonl.gz"'
    assert response.content == site.ladder.files.record(2, 1).read_bytes()


def test_the_description_is_valid_and_complete(site: Visitor) -> None:
    document = openapi(site)
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    for path, methods in document["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in methods.values():
            assert operation["description"].endswith((".", "`", "`."))
            assert {"404", "422", "503"} <= operation["responses"].keys()
            assert any(status.startswith("2") for status in operation["responses"])
            assert "HTTPValidationError" not in json.dumps(operation)
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)


def test_every_operation_stands_on_the_page_of_the_api(site: Visitor) -> None:
    text = site.page("/api")
    for path in openapi(site)["paths"]:
        assert path in text


def test_a_failing_database_is_said_to_fail(site: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise StoreError("The database '/secret/ladder.db' is held by another program.")

    monkeypatch.setattr(bots, "standings", fail)
    sentence = site.problem("/api/v1/standings/gongzhu?first=7", 503)
    assert sentence == NO_DATABASE


def test_a_mistake_of_ours_tells_nothing_of_the_machine(site: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "standings", lambda *_: 1 / 0)
    monkeypatch.setattr(table_pages, "standings_page", lambda *_: 1 / 0)
    for path in ("/api/v1/standings/gongzhu?first=8", "/v/gongzhu?page=7"):
        with capture_logs() as logged:
            response = site.get(path)
        assert [type(line["exc_info"]) for line in logged if line["event"] == "failed"] == [ZeroDivisionError]
        assert response.status_code == 500
        assert FAILED in response.text
        assert "ZeroDivision" not in response.text


@pytest.mark.parametrize("query", ["all=1", "all=1&by=points", "season=1&all=1"])
def test_standings_are_read_page_by_page(site: Visitor, query: str) -> None:
    """Pages of one row less than there are, of as many, and of one more; and of one row each."""
    whole = Standings.model_validate(site.value(f"/standings/gongzhu?{query}"))
    count = len(whole.standings)
    assert count > 3
    assert whole.next is None
    for rows in (1, 2, count - 1, count, count + 1):
        found, after = list[StandingRow](), 0
        while True:
            page = Standings.model_validate(site.value(f"/standings/gongzhu?{query}&first={rows}&after={after}"))
            assert [page] == [
                Standings.model_validate(each)
                for each in site.value(f"/standings?variant=gongzhu&{query}&first={rows}&after={after}")
            ]
            found += page.standings
            if page.next is None:
                break
            assert page.next == after + rows
            after = page.next
        assert tuple(found) == whole.standings
    assert site.value(f"/standings/gongzhu?{query}&after={count + 5}")["standings"] == []


@pytest.mark.parametrize("rows", [1, 2, 3, 1000])
@pytest.mark.parametrize("first", [None, 1, 2, 3, 4])
def test_a_remote_command_reads_all_pages(
    site: Visitor, monkeypatch: pytest.MonkeyPatch, rows: int, first: int | None
) -> None:
    monkeypatch.setattr(routes, "MAX_ROWS", rows)
    expected = bots.standings(site.ladder, everyone=True, first=first)
    with served(site.ladder) as address, Connection(address) as connection:
        assert RemoteLadder(connection).standings(None, True, first, None) == expected
