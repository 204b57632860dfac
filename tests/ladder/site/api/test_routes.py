"""Every address of the API: what it gives, how it refuses, and what its description says."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from structlog.testing import capture_logs

from ladder.app import bots
from ladder.app.remote.connection import Connection
from ladder.app.remote.remote_ladder import RemoteLadder
from ladder.app.standings_csv import FIELDS
from ladder.errors import StoreError
from ladder.site.api import routes
from ladder.site.rendering import long_tables as table_pages
from ladder.site.server.problems import NO_DATABASE
from ladder.values.bots import BotList, BotPage
from ladder.values.matches import Explanation, MatchList, MatchRow, MatchScores
from ladder.values.reports import LadderHealth
from ladder.values.standings import RatingCurve, StandingRow, Standings, VariantSummary
from tests.ladder.remote_site import served
from tests.ladder.shown import OWNERS
from tests.ladder.site.visitor import MATCHES
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.value import Value
    from tests.ladder.site.visitor import Visitor

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
        assert "The site failed; its log says why." in response.text
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
