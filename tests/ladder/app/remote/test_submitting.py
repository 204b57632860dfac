"""A submission to a remote ladder: its folder on the way, sent on where a connection broke, and its progress."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.remote.connection import Connection
from ladder.app.remote.remote_submission import FOLLOW_TRIES, PIECE, TRIES, follow, packed, upload
from ladder.app.submit.ended import result_of
from ladder.errors import LadderError, RemoteError, SandboxError
from ladder.sandbox.bots.content import Content
from ladder.values.submission import SubmissionResult, SubmissionRow
from ladder.values.value import time_of
from tests.ladder.app.remote.conftest import Reply, serving, telling

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
    with pytest.raises(RemoteError, match=f"folder in {TRIES} attempts"):
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


EVENTS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
WAITING = SubmissionRow(
    id=7, owner="ada", bot="Trotter", source="mybot", status="queued", phase="received", place=2, done=0, steps=0,
    attempt=0, added=time_of(1), started=None, finished=None, reason="", result=None,
)  # fmt: skip
TRYING = WAITING.model_copy(update={"status": "leased", "phase": "trying", "place": None, "done": 3, "steps": 9})
RESULT = SubmissionResult(
    accepted=True, bot="Trotter", owner="ada", identity="x", pinned=None, version="Trotter@1", new=True, changed=True,
    moved_from=None, outdated=(), variants=(), reasons=(), again=None,
)  # fmt: skip
ENDED = TRYING.model_copy(update={"status": "entered", "phase": "ended", "finished": time_of(9), "result": RESULT})


def stream(*rows: SubmissionRow, stop: bool = False) -> Reply:
    text = "".join(f"data: {row.model_dump_json()}\n\n: still here\n\n" for row in rows)
    return 200, EVENTS, (text + ("event: stop\ndata: {}\n\n" if stop else "")).encode()


def row(now: SubmissionRow) -> Reply:
    return 200, {"Content-Type": "application/json"}, now.model_dump_json().encode()


REFUSED: Reply = (503, {"Content-Type": "application/problem+json"}, b'{"detail": "too many streams"}')


@pytest.mark.parametrize(
    ("replies", "seen"),
    [
        ([stream(WAITING, TRYING, ENDED, stop=True)], [WAITING, TRYING, ENDED]),
        ([stream(WAITING), row(TRYING), stream(TRYING, ENDED)], [WAITING, TRYING, TRYING, ENDED]),
        ([stream(WAITING, stop=True), row(ENDED)], [WAITING, ENDED]),
        ([REFUSED, row(TRYING), REFUSED, row(ENDED)], [TRYING, ENDED]),
        ([None, row(TRYING), stream(ENDED)], [TRYING, ENDED]),
        ([(200, {"Content-Type": "text/html"}, b"<h1>"), row(ENDED)], [ENDED]),
        ([(200, EVENTS, b"data: {}\n\n"), row(ENDED)], [ENDED]),
        ([(200, {**EVENTS, "Content-Length": "99999"}, stream(TRYING)[2]), row(ENDED)], [TRYING, ENDED]),
    ],
    ids=["a stream", "a stream that breaks", "a site that restarts", "none", "no answer", "a page", "nonsense", "half"],
)
def test_each_step_is_told_until_the_end(
    replies: list[Reply | None], seen: list[SubmissionRow], wait: Callable[[float], None]
) -> None:
    with telling(*replies) as server, Connection(server.address, "pgp_x", wait) as connection:
        assert list(follow(connection, 7, wait)) == seen


def test_a_ladder_that_does_not_come_back_ends_it_with_how_to_look_later(
    waits: list[float], wait: Callable[[float], None]
) -> None:
    with (
        telling(None) as server,
        Connection(server.address, "pgp_x", wait) as connection,
        pytest.raises(RemoteError, match="It continues there"),
    ):
        list(follow(connection, 7, wait))
    assert len(waits) > FOLLOW_TRIES


def test_what_is_not_shown_any_more_ends_it(wait: Callable[[float], None]) -> None:
    gone: Reply = (401, {"Content-Type": "application/problem+json"}, b'{"detail": "Log in again"}')
    with (
        telling(gone) as server,
        Connection(server.address, "pgp_x", wait) as connection,
        pytest.raises(LadderError, match="Log in again"),
    ):
        list(follow(connection, 7, wait))


def test_an_end_without_a_trial_is_an_error_as_on_this_machine() -> None:
    def ended(status: str, reason: str) -> SubmissionRow:
        return ENDED.model_copy(update={"status": status, "reason": reason, "result": None})

    assert result_of(ENDED) == RESULT
    with pytest.raises(LadderError, match="another owner's"):
        result_of(ended("refused", "It is another owner's."))
    with pytest.raises(SandboxError, match="no engine"):
        result_of(ended("failed", "There is no engine."))
    with pytest.raises(LadderError, match=r"^Submission 7 was withdrawn\.$"):
        result_of(ended("withdrawn", ""))
