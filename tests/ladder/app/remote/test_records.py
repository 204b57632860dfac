"""Records of a remote ladder: fetched once, checked, and cached."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from ladder.app.remote.connection import Connection
from ladder.app.remote.remote_ladder import KEPT_BYTES, fetch_record
from ladder.errors import LadderError, RemoteError, UserError
from tests.ladder.app.remote.conftest import Reply, ScriptedServer, telling

if TYPE_CHECKING:
    from pathlib import Path

RECORD = b"packed" * 100


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "pigpen" / "records"


def reply(status: int = 200, body: bytes = RECORD, of: bytes = RECORD) -> Reply:
    digest = base64.b64encode(hashlib.sha256(of).digest()).decode()
    return status, {"Content-Type": "application/gzip", "Repr-Digest": f"sha-256=:{digest}:"}, body


def fetch(server: ScriptedServer, match: int = 7, kept_bytes: int = KEPT_BYTES) -> Path:
    with Connection(server.address) as connection:
        return fetch_record(connection, match, kept_bytes)


def test_a_record_is_kept_by_match_and_hash_and_not_sent_again() -> None:
    with telling(reply(), reply(304, b"")) as server:
        first = fetch(server)
        assert first.read_bytes() == RECORD
        assert first.name == f"7-{hashlib.sha256(RECORD).hexdigest()}.jsonl.gz"
        assert fetch(server) == first
    assert [asked[2].get("if-none-match") for asked in server.asked] == [
        None, f'"{hashlib.sha256(RECORD).hexdigest()}"',
    ]  # fmt: skip


def test_a_file_that_somebody_changed_is_fetched_again() -> None:
    with telling(reply()) as server:
        fetch(server).write_bytes(b"something else")
        assert fetch(server).read_bytes() == RECORD
    assert "if-none-match" not in server.asked[1][2]


def test_what_came_damaged_is_not_kept(cache: Path) -> None:
    with telling(reply(body=RECORD[:-1])) as server, pytest.raises(RemoteError, match="arrived damaged"):
        fetch(server)
    assert list(cache.rglob("*.gz")) == []


def test_what_is_no_record_is_not_kept(cache: Path) -> None:
    with (
        telling((200, {"Content-Type": "text/html"}, b"<h1>")) as server,
        pytest.raises(RemoteError, match="understood"),
    ):
        fetch(server)
    refusal = 404, {"Content-Type": "application/problem+json"}, b'{"detail": "none"}'
    with telling(refusal) as server, pytest.raises(LadderError, match="none"):
        fetch(server)
    assert list(cache.rglob("*.gz")) == []


def test_ladders_do_not_share_records() -> None:
    with telling(reply()) as one, telling(reply()) as other:
        assert fetch(one).parent != fetch(other).parent


def test_those_fetched_longest_ago_make_room() -> None:
    most = 2 * len(RECORD)
    with telling(reply()) as server:
        kept = []
        for match in range(1, 4):
            kept.append(fetch(server, match, most))
            os.utime(kept[-1], (match, match))
        last = fetch(server, 4, most)
    assert [path.exists() for path in [*kept, last]] == [False, False, True, True]


def test_where_there_is_no_room_a_sentence_says_so(cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("no folder")
    with telling(reply()) as server, pytest.raises(UserError, match="cannot be kept in"):
        fetch(server)
