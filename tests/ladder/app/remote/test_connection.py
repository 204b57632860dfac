"""A remote ladder: its address as people type it, its answers, and the values or errors that they become."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.remote.connection import Connection
from ladder.app.remote.login import ladder_address, origin_of
from ladder.errors import LadderError, RemoteError, UserError
from ladder.values.bots import BotList
from ladder.values.submission import Upload, UploadOrder
from tests.ladder.app.remote.conftest import Reply, telling

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("word", "address"),
    [
        ("https://arena.example", "https://arena.example"),
        (" HTTPS://Arena.Example:443/ ", "https://arena.example"),
        ("https://arena.example:8443", "https://arena.example:8443"),
        ("http://127.0.0.1:8020/", "http://127.0.0.1:8020"),
        ("http://localhost:80", "http://localhost"),
        ("http://a.localhost:8020", "http://a.localhost:8020"),
        ("http://[::1]:8020", "http://[::1]:8020"),
    ],
)
def test_an_address_is_written_in_one_way(word: str, address: str) -> None:
    assert ladder_address(word) == address


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("arena.example", "Write it as https://arena.example"),
        ("", "Write it as https"),
        ("ftp://arena.example", "Write it as https"),
        ("https://", "Write it as https"),
        ("https://arena.example/pigpen", "Write only scheme, host and port"),
        ("https://arena.example/?a=b", "Write only scheme, host and port"),
        ("http://[::1]:8020/pigpen", r"host and port: http://\[::1\]:8020$"),
        ("https://arena.example:x", "is not an address"),
        ("https://arena.example:99999", "is not an address"),
        ("https://[::1", "is not an address"),
        ("https://arena example", "Write it as https"),
        ("https://arena\u202e.example", "Write it as https"),
        ("https://a\\b.example", "Write it as https"),
        ("http://arena.example", "is not encrypted"),
        ("http://10.0.0.1:8020", "is not encrypted"),
        ("http://localhost.example", "is not encrypted"),
        ("http://127.0.0.1.example", "is not encrypted"),
    ],
)
def test_what_is_no_address_is_refused_with_what_would_be_one(word: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        ladder_address(word)


def test_without_encryption_only_if_somebody_says_so() -> None:
    assert ladder_address("http://10.0.0.1:8020", plain_http=True) == "http://10.0.0.1:8020"


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(UserError) as refused:
        ladder_address("https://ada:secret@arena.example/?token=secret")
    assert "secret" not in str(refused.value)


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin_of("https://arena.example/a?b") == origin_of("https://ARENA.example:443") != ""
    others = {
        "http://arena.example",
        "https://arena.example:8443",
        "https://arena.example.evil",
        "//x",
        "https://[",
        "x",
    }
    assert origin_of("https://arena.example") not in map(origin_of, others)


TOKEN = "pgp_secret"
JSON = {"Content-Type": "application/json"}
EMPTY = b'{"bots": [], "next": null}'
GOOD: Reply = (200, JSON, EMPTY)
HTML: Reply = (200, {"Content-Type": "text/html; charset=utf-8"}, b"<h1>Hello</h1>")


def problem(status: int, detail: object = "There is no bot 'x'.") -> Reply:
    return status, {"Content-Type": "application/problem+json"}, json.dumps({"detail": detail}).encode()


def ask(address: str, wait: Callable[[float], None] = lambda _: None) -> BotList:
    with Connection(address, TOKEN, wait) as connection:
        return connection.get("/bots", BotList, after=None, limit=3, all=True)


def change(address: str) -> Upload:
    with Connection(address, TOKEN) as connection:
        return connection.send("POST", "/uploads", Upload, UploadOrder(bytes=3))


def test_a_question_has_the_token_and_says_who_asks() -> None:
    with telling(GOOD) as server:
        assert ask(server.address) == BotList(bots=(), next=None)
    ((method, path, headers, _),) = server.asked
    assert (method, path) == ("GET", "/api/v1/bots?limit=3&all=true")
    assert headers["authorization"] == f"Bearer {TOKEN}"
    assert headers["user-agent"].startswith("pigpen/")


@pytest.mark.parametrize(
    ("what", "kind", "body"),
    [
        ({"value": UploadOrder(bytes=3)}, "application/json", b'{"bytes":3}'),
        ({"data": b"\x00{}"}, "application/octet-stream", b"\x00{}"),
        ({}, None, b""),
    ],
)
def test_what_is_sent_says_what_it_is(what: dict[str, Any], kind: str | None, body: bytes) -> None:
    with telling((204, {}, b"")) as server, Connection(server.address, TOKEN) as connection:
        connection.send("POST", "/uploads", type(None), headers={"Upload-Offset": "0"}, **what)
    ((method, _, headers, came),) = server.asked
    assert (method, headers.get("content-type"), headers["upload-offset"], came) == ("POST", kind, "0", body)


def test_a_file_netrc_does_not_take_the_tokens_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("default login ada password other\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with telling(GOOD) as server:
        ask(server.address)
        with Connection(server.address) as nobody:
            nobody.get("/bots", BotList)
    assert [asked[2].get("authorization") for asked in server.asked] == [f"Bearer {TOKEN}", None]


def test_fields_of_a_later_version_are_left_out() -> None:
    with telling((200, JSON, b'{"bots": [], "next": null, "later": 1}')) as server:
        assert ask(server.address).next is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 429])
def test_a_refusal_is_the_ladders_own_sentence(status: int) -> None:
    with telling(problem(status)) as server, pytest.raises(LadderError) as refused:
        ask(server.address)
    assert (str(refused.value), refused.value.exit_code, len(server.asked)) == ("There is no bot 'x'.", 2, 1)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (problem(500, "The site failed; its log says why."), "failed: The site failed; its log says why."),
        (problem(503, "try again soon"), "failed: try again soon"),
        ((502, HTML[1], b"<h1>Bad Gateway</h1>"), "does not answer: 502 Bad Gateway."),
        (HTML, "is not understood (200, text/html): it is not a ladder, or its version of Pigpen is not this one"),
        ((200, JSON, b"{}"), "is not understood (200, application/json)"),
        ((200, JSON, b"\xff"), "is not understood"),
        ((200, JSON, b""), "is not understood"),
        ((200, JSON, b"[" * 100_000), "is not understood"),
        ((404, HTML[1], b"<h1>Not Found</h1>"), "is not understood (404, text/html)"),
        ((200, {}, EMPTY[:9]), "is not understood"),
        (problem(404, ["x"]), "is not understood (404, application/problem+json)"),
        ((404, {"Content-Type": "application/problem+json"}, b"[[["), "is not understood"),
        ((304, {}, b""), "is not understood"),
    ],
)
def test_what_is_no_answer_is_one_sentence_that_names_the_ladder(reply: Reply, words: str) -> None:
    with telling(reply) as server, pytest.raises(RemoteError) as failed:
        ask(server.address)
    assert server.address in str(failed.value)
    assert words in str(failed.value)
    assert failed.value.exit_code == 3
    assert TOKEN not in str(failed.value)


def test_what_did_not_come_is_asked_for_again_after_ever_longer_pauses(
    waits: list[float], wait: Callable[[float], None]
) -> None:
    busy: Reply = (503, {"Retry-After": "3", **problem(503)[1]}, problem(503)[2])
    with telling(None, (502, {}, b""), busy, GOOD) as server:
        assert ask(server.address, wait) == BotList(bots=(), next=None)
    assert waits == [0.5, 1.0, 3.0]


def test_a_change_is_not_asked_for_twice() -> None:
    with telling(None, GOOD) as server, pytest.raises(RemoteError, match="does not answer"):
        change(server.address)
    ((method, _, headers, body),) = server.asked
    assert (method, headers["content-type"], body) == ("POST", "application/json", b'{"bytes":3}')


def test_nobody_there_is_said_in_the_systems_words(waits: list[float], wait: Callable[[float], None]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(RemoteError) as failed:
        ask(f"http://127.0.0.1:{port}", wait)
    assert str(failed.value).startswith(f"http://127.0.0.1:{port} ")
    assert str(failed.value).endswith(": Connection refused.")
    assert waits == [0.5, 1.0, 2.0]


def test_a_host_that_nobody_knows_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    for name in ("https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with pytest.raises(RemoteError, match=r"^https://nowhere\.invalid does not answer: [A-Za-z ]+\.$"):
        ask("https://nowhere.invalid")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (None, "the connection was closed before an answer came"),
        ((200, {**JSON, "Content-Length": "99"}, b"{"), "the connection was closed in the middle of an answer"),
    ],
)
def test_a_connection_that_breaks_is_said_in_words_of_ours(
    reply: Reply | None, words: str, wait: Callable[[float], None]
) -> None:
    with telling(*[reply] * 4) as server, pytest.raises(RemoteError) as failed:
        ask(server.address, wait)
    assert str(failed.value) == f"{server.address} does not answer: {words}."


def test_what_speaks_another_protocol_is_no_ladder(wait: Callable[[float], None]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mail:

        def greet() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with mail.accept()[0] as caller:
                        caller.recv(65536)
                        caller.sendall(b"220 mail.example ESMTP\r\n")

        threading.Thread(target=greet, daemon=True).start()
        with pytest.raises(RemoteError, match=r"does not speak HTTP\.$"):
            ask(f"http://127.0.0.1:{mail.getsockname()[1]}", wait)
        mail.shutdown(socket.SHUT_RDWR)


def test_who_stops_in_the_middle_has_not_answered() -> None:
    with telling((200, {**JSON, "Content-Length": "99"}, b"{"), GOOD) as server:
        assert ask(server.address).bots == ()
    assert len(server.asked) == 2


def test_more_than_the_limit_is_not_read() -> None:
    bomb = gzip.compress(bytes(80 * 1024**2))
    reply = 200, {**JSON, "Content-Encoding": "gzip"}, bomb
    with telling(reply) as server, pytest.raises(RemoteError, match="more than 67,108,864 bytes"):
        ask(server.address)


def test_a_token_goes_to_the_ladders_origin_alone() -> None:
    words = "redirects to 'http://[^']*/x', where your token is not valid"
    with (
        telling(GOOD) as other,
        telling((302, {"Location": f"{other.address}/x"}, b"")) as server,
        pytest.raises(RemoteError, match=words),
    ):
        ask(server.address)
    assert other.asked == []


def test_an_address_of_the_same_origin_is_followed_for_a_while() -> None:
    with telling((307, {"Location": "/api/v1/bots/"}, b""), GOOD) as server:
        ask(server.address)
        assert [asked[1] for asked in server.asked] == ["/api/v1/bots?limit=3&all=true", "/api/v1/bots/"]
    with telling((302, {"Location": "/x"}, b"")) as server, pytest.raises(RemoteError, match="without end"):
        ask(server.address)


def test_a_change_follows_nobody() -> None:
    with telling((307, {"Location": "/y"}, b"")) as server, pytest.raises(RemoteError, match="redirects to"):
        change(server.address)
    assert len(server.asked) == 1


def test_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with telling(GOOD) as server:
        ask(server.address)
