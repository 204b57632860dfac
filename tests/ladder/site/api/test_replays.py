"""Deals and records in the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.values.matches import DealReplayed
from tests.ladder.ladders import NAMES, enter, new_ladder, packed, played, queue, recorded_match

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from referee.records.lines import AnyLine


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


@pytest.fixture(scope="module")
def lines() -> tuple[AnyLine, ...]:
    """Played before a test has an event loop."""
    return played("gongzhu")


@pytest.fixture
async def client(ladder: Ladder, lines: tuple[AnyLine, ...]) -> AsyncIterator[httpx.AsyncClient]:
    recorded_match(ladder, lines)
    transport = httpx.ASGITransport(make_app(ladder), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
        yield client


async def test_a_deal_is_given_from_all_seats_or_from_one(client: httpx.AsyncClient) -> None:
    whole = await client.get("/api/v1/matches/1/boards/1/rotations/3")
    shown = DealReplayed.model_validate_json(whole.content)
    assert (shown.match, shown.place.board, shown.place.rotation, shown.seat) == (1, 1, 3, None)
    mine = DealReplayed.model_validate_json((await client.get("/api/v1/matches/1/boards/1/rotations/3?seat=3")).content)
    assert [bool(hand) for hand in mine.hands] == [False, False, False, True]
    assert mine.bots == shown.bots
    assert len(whole.content) < 100_000


async def test_what_has_not_changed_is_not_sent_again(client: httpx.AsyncClient) -> None:
    address = "/api/v1/matches/1/boards/1/rotations/1"
    etag = (await client.get(address)).headers["etag"]
    assert (await client.get(address, headers={"If-None-Match": etag})).status_code == 304


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        (
            "1/boards/10/rotations/1",
            404,
            "Match 1 has no board 10, rotation 1; it has the boards 1 to 1, rotations 1 to 4.",
        ),
        ("1/boards/1/rotations/1?seat=5", 404, "Match 1 has no seat 5; its seats are 0 to 3."),
        ("7/boards/1/rotations/1", 404, "no match 7"),
        ("7/record", 404, "no match 7"),
        ("1/boards/x/rotations/1", 422, "board: "),
        ("1/boards/1/rotations/1?seat=-1", 422, "seat: "),
    ],
)
async def test_what_is_not_there_is_a_problem_in_a_sentence(
    client: httpx.AsyncClient, address: str, status: int, words: str
) -> None:
    answer = await client.get(f"/api/v1/matches/{address}")
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert words in answer.json()["detail"]


async def test_a_match_that_is_not_over_has_no_record_yet(client: httpx.AsyncClient, ladder: Ladder) -> None:
    with ladder.database.write() as session:
        match = queue(session, [enter(session, name, "gongzhu") for name in NAMES[:4]], "gongzhu", "2")
    answer = await client.get(f"/api/v1/matches/{match}/record")
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith(f"Match {match} is not over")


async def test_the_record_comes_as_it_is_stored_with_a_name(client: httpx.AsyncClient, ladder: Ladder) -> None:
    answer = await client.get("/api/v1/matches/1/record")
    assert answer.content == packed(played("gongzhu"))
    assert answer.headers["content-type"] == "application/gzip"
    assert answer.headers["content-disposition"] == 'attachment; filename="match-1.jsonl.gz"'
    ladder.files.remove(1, 1)
    gone = await client.get("/api/v1/matches/1/record")
    assert gone.status_code == 404
    assert "record of match 1 " in gone.json()["detail"]


async def test_the_page_of_a_deal_names_hands_tricks_and_scores(client: httpx.AsyncClient) -> None:
    page = (await client.get("/m/1/boards/1/2")).text
    shown = DealReplayed.model_validate_json((await client.get("/api/v1/matches/1/boards/1/rotations/2")).content)
    assert page.count('<td id="') == 52
    assert 'src="/api/v1/matches/1/boards/1/rotations/2"' in page
    assert all(bot in page for bot in shown.bots)
    assert (await client.get("/m/1/boards/1/10")).status_code == 404
    assert (await client.get("/m/1/boards/4/2")).status_code == 404
    assert (await client.get("/replay")).status_code == 200
