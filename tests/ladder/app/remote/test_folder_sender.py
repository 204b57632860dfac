"""A folder on its way: packed the same each time, and sent on where a connection broke."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.remote.connection import Connection
from ladder.app.remote.submitting import PIECE, TRIES, packed, upload
from ladder.errors import LadderError, RemoteError
from ladder.sandbox.bots.content import Content
from tests.ladder.app.remote.conftest import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SENT = os.urandom(2 * PIECE + 1000)


class Receiver:
    """Takes uploads, and has a way to fail for each request in turn."""

    def __init__(self) -> None:
        self.data = b""
        self.failures: list[str] = []
        self.requests: list[str] = []
        self.sent = 0

    def answer(self, handler: BaseHTTPRequestHandler, method: str, body: bytes) -> tuple[int, dict[str, Any]] | None:
        """Give the answer to a request; None: there is none."""
        self.requests.append(method)
        failure = self.failures.pop(0) if method == "PATCH" and self.failures else ""
        if failure == "refused":
            return 413, {"detail": "too much"}
        if method == "PATCH":
            self.sent += len(body)
            if int(handler.headers["Upload-Offset"]) != len(self.data):
                return 409, {"detail": "another offset"}
            self.data += body[:1000] if failure == "cut off" else b"" if failure == "lost" else body
        if failure:
            return None
        return 201 if method == "POST" else 200, {"id": "u1", "bytes": len(SENT), "offset": len(self.data)}


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def connection(receiver: Receiver, wait: Callable[[float], None]) -> Iterator[Connection]:
    with serving(receiver.answer) as address, Connection(address, "pgp_x", wait) as connection:
        yield connection


def send(connection: Connection, wait: Callable[[float], None]) -> int:
    pieces: list[None] = []
    assert upload(connection, io.BytesIO(SENT), len(SENT), lambda: pieces.append(None), wait) == "u1"
    return len(pieces)


def test_a_file_arrives_piece_by_piece(
    connection: Connection, receiver: Receiver, wait: Callable[[float], None]
) -> None:
    assert send(connection, wait) == 3
    assert receiver.data == SENT
    assert receiver.requests == ["POST", "PATCH", "PATCH", "PATCH"]


@pytest.mark.parametrize(
    "failures", [["lost"], ["", "cut off"], ["", "unheard"], ["lost", "lost", "cut off", "unheard"]]
)
def test_after_a_broken_connection_it_goes_on_where_the_ladder_says(
    connection: Connection, receiver: Receiver, wait: Callable[[float], None], waits: list[float], failures: list[str]
) -> None:
    receiver.failures = list(failures)
    send(connection, wait)
    assert receiver.data == SENT
    broken = sum(map(bool, failures))
    assert receiver.requests.count("GET") == broken == len(waits)
    assert receiver.sent < len(SENT) + (broken + 1) * PIECE


def test_a_ladder_that_is_gone_ends_it_and_what_came_is_given_up(
    connection: Connection, receiver: Receiver, wait: Callable[[float], None], waits: list[float]
) -> None:
    receiver.failures = ["lost"] * 99
    with pytest.raises(RemoteError, match=f"did not receive the folder in {TRIES} attempts"):
        send(connection, wait)
    assert receiver.requests[-1] == "DELETE"
    assert waits == sorted(waits)
    assert len(waits) == TRIES - 1


def test_what_the_ladder_refuses_is_not_sent_again(
    connection: Connection, receiver: Receiver, wait: Callable[[float], None]
) -> None:
    receiver.failures = ["refused"]
    with pytest.raises(LadderError, match="too much"):
        send(connection, wait)
    assert receiver.requests == ["POST", "PATCH", "GET", "DELETE"]


def test_ctrl_c_gives_up_what_came(connection: Connection, receiver: Receiver) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        upload(connection, io.BytesIO(SENT), len(SENT), stop)
    assert receiver.requests == ["POST", "PATCH", "DELETE"]


def test_the_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    def make(name: str) -> bytes:
        folder = tmp_path / name
        (folder / "sub").mkdir(parents=True)
        (folder / "bot.py").write_text("print()")
        (folder / "run.sh").write_text("#!/bin/sh")
        (folder / "run.sh").chmod(0o700)
        (folder / "sub" / "link").symlink_to("../bot.py")
        os.utime(folder / "bot.py", (len(name), len(name)))
        with packed(Content.read(folder)) as (file, size):
            file.seek(0)
            content = file.read()
        assert len(content) == size
        return content

    first = make("one")
    assert first == make("another")
    with tarfile.open(fileobj=io.BytesIO(first), mode="r:gz") as tar:
        assert [(each.name, each.type, oct(each.mode), each.mtime) for each in tar] == [
            ("bot.py", tarfile.REGTYPE, "0o644", 0),
            ("run.sh", tarfile.REGTYPE, "0o755", 0),
            ("sub", tarfile.DIRTYPE, "0o755", 0),
            ("sub/link", tarfile.SYMTYPE, "0o755", 0),
        ]


def test_a_folder_that_shrinks_like_a_bomb_is_sent_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "table.bin").write_bytes(bytes(5_000_000))
    content = Content.read(tmp_path / "bot")
    with packed(content) as (file, size):
        assert content.size < size < content.size + 50_000
        file.seek(0)
        assert gzip.decompress(file.read()) == content.archive().read()
