"""Names, reasons and addresses of an attacker: text, never markup, and no file of the machine."""

from __future__ import annotations

import asyncio
import html
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import pytest

from ladder.app.event import holding
from ladder.app.event_log import event_log
from ladder.app.ladder import Ladder
from ladder.errors import UserError
from ladder.site.rendering.static_files import digest
from ladder.store import models
from ladder.values.accounts import LOCAL
from ladder.values.text import sanitize
from pigpen.rules import PRESETS
from tests.ladder import ladders, shown
from tests.ladder.app.event_ladders import FILE
from tests.ladder.databases import LATER_BACKENDS, settings_in
from tests.ladder.databases import later_backend as backend
from tests.ladder.site.visitor import Outline, Visitor, keep_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.settings.settings import Settings

__all__ = ["backend"]
NAMES = (
    "<script>alert(1)</script>",
    "\x1b[2J\x1b]0;owned\x07red",
    "a\u202egpj.exe\u2066b",
    "🐖" * 64,
    "\"'><img src=x onerror=alert(1)>&amp;",
    "../../etc/passwd",
    "%00{{ 7*7 }}{% x %}",
    "=1+cmd|' /C calc'!A0",
)
REASON = "<b>\x1b[31m</p><script src=//evil.test/x.js></script>\u202e"
EVENT_NAMES = (
    'cup"; filename="run.sh', "cup\r\nSet-Cookie: x=1", "../cup", "a/b", "a\\b", "..", ".cup", "cup.", "cup\n", "-cup",
    "Cup", "caf\u00e9", "拱猪", "a\u202egpj", "a;b", "a%22b", "con.zip", "cup\x00", "a b", "c" * 65,
)  # fmt: skip
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that change the direction of writing."""
TRAVERSALS = [
    "/static/..%2f..%2fapplication.py", "/static/../application.py", "/static/%2e%2e/%2e%2e/etc/passwd",
    "/static/D/../../application.py", "/static/D/..%2f..%2f..%2fpyproject.toml", "/static/D/%2fetc%2fpasswd",
    "/static/D//etc/passwd", "/static/D/..%5c..%5capplication.py", "/static/D/%00", "/static/D/style.css%00.js",
    "/static/D/" + "a" * 5000, "/static/D/", "/static/D", "/m/..%2f..%2fetc", "/m/2/..%2f..", "/..%2f..%2fetc/passwd",
    "/api/v1/matches/..%2f..%2fladder.db/record", "/api/v1/matches/%00/record", "/b/%00", "/v/%00", "/rules/%00",
    "/rules/..%2f..%2fetc%2fpasswd", "/b/%ff%fe", "/b/%ed%a0%80", "/v/%f0%9f%90%96", "/api/v1/bots/%00%1b",
    "/api/v1/standings/%00.csv", "/api/v1/standings/..%2f..%2fx.csv", "/m?bot=%00", "/m?variant=%00",
]  # fmt: skip


@pytest.fixture(scope="module", params=LATER_BACKENDS)
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A site whose bots, owners and reasons mean harm, on each database; no test changes it."""
    folder = tmp_path_factory.mktemp("hostile")
    with settings_in(folder, request.param, request) as settings, Ladder.open(settings) as ladder:
        with ladder.database.write() as session:
            versions = [
                ladders.enter(session, name, owner=f"{name}{number}"[-64:]) for number, name in enumerate(NAMES)
            ]
            for number in range(3):
                shown.play(session, versions[number : number + 4], "hearts", number, sinner=1)
                keep_record(ladder, number + 1, str(number), 1, "hearts")
            shown.suspend(session, versions[0], REASON, "hearts")
            for fault in session.query(models.StoredFault):
                fault.why = REASON
            session.get_one(models.StoredMatch, 3).reason = REASON
        yield Visitor(ladder)


def places(name: str) -> list[str]:
    quoted = quote(name, safe="")
    return [f"/b/{quoted}", f"/b/{quoted}@1", f"/m?bot={quoted}", f"/v/hearts?q={quoted}"[:150], f"/b?q={quoted}"[:150]]


def test_names_and_reasons_are_text_on_every_page(hostile: Visitor, site: Visitor) -> None:
    outline, usual = Outline(), Outline()
    paths = [path for name in NAMES if "/" not in name for path in places(name)]
    for path in ("/", "/v/hearts", "/v/hearts?all=1", "/b", "/m", "/m/1", "/m/2", "/m/3", "/live", *paths):
        text = hostile.page(path)
        assert not FORBIDDEN.findall(html.unescape(text)), path
        outline.feed(text)
    for path in ("/", "/v/gongzhu", "/b", "/b/Mud", "/b/Trotter", "/m", "/m/2", "/m/12", "/live"):
        usual.feed(site.page(path))
    assert outline.elements <= usual.elements | {"p", "details", "pre", "li", "ul"}
    assert all(address.startswith(("/", "?", "#")) for address in outline.addresses)


def test_names_are_shown_as_they_are_where_they_do_no_harm(hostile: Visitor) -> None:
    text = html.unescape(hostile.page("/v/hearts?all=1"))
    for name in NAMES:
        assert sanitize(name) in text


def test_a_slash_or_a_number_of_a_percent_sign_in_a_name_is_only_a_name(hostile: Visitor) -> None:
    for name in ("%00{{ 7*7 }}{% x %}", "🐖" * 64):
        assert hostile.value(f"/bots/{quote(name, safe='')}")["bot"] == name
    assert hostile.get("/b/..%2f..%2fetc%2fpasswd").status_code == 404


def test_what_is_not_found_is_repeated_as_text(hostile: Visitor) -> None:
    for name in ("<script>alert(2)</script>", "\x1b[2Jx", "\u202ex", "'\"><svg onload=alert(1)>"):
        response = hostile.get(f"/b/{quote(name, safe='')}")
        if "/" not in name:
            assert response.status_code == 404
        assert Outline.of(response.text).inline == []
        assert not FORBIDDEN.findall(html.unescape(response.text))
        assert "alert(2)</script>" not in response.text


def test_csv_has_no_control_character(hostile: Visitor) -> None:
    text = hostile.get("/api/v1/standings/hearts.csv?all=1").text
    assert not FORBIDDEN.findall(text)
    assert "=1+cmd" in text


def test_a_download_is_named_by_numbers_and_not_by_a_stranger(hostile: Visitor) -> None:
    for number in (1, 2, 3):
        found = hostile.get(f"/api/v1/matches/{number}/record")
        assert found.headers["content-disposition"] == f'attachment; filename="match-{number}.jsonl.gz"'


@pytest.mark.parametrize("name", EVENT_NAMES)
def test_no_event_has_a_name_that_leaves_an_address_a_header_or_a_folder(settings: Settings, name: str) -> None:
    with Ladder.open(settings, create=True) as ladder:
        with pytest.raises(UserError):
            holding.open_event(ladder, LOCAL, name, FILE.format(show="live"), PRESETS["gongzhu"])
        found = Visitor(ladder).get(f"/api/v1/events/{quote(name, safe='')}/export")
        assert found.status_code in (404, 422)
        assert not {"content-disposition", "set-cookie"} & {*found.headers}


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_address_leaves_the_site(hostile: Visitor, path: str) -> None:
    raw = path.replace("/static/D", f"/static/{digest()}")
    status, body = asyncio.run(asked(hostile, raw))
    assert status in (404, 405, 422, 307), (raw, status)
    for secret in (b"root:", b"def make_app", b"[project]", b"SQLite format"):
        assert secret not in body


async def asked(visitor: Visitor, target: str) -> tuple[int, bytes]:
    """Ask for a target as it is, as a socket would bring it: httpx tidies addresses up."""
    path, _, query = target.partition("?")
    scope: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"site.test")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await visitor.app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def test_what_is_asked_for_makes_no_line_of_the_log(settings: Settings) -> None:
    made_up = '/b/x"\n{"event": "account.disabled", "who": "olga"}\r\n\u2028'
    with Ladder.open(settings, create=True) as ladder, event_log(ladder, "site"):
        Visitor(ladder).get(quote(made_up), User_Agent="x\t{}", Referer='"}')
    lines = (settings.data_dir / "logs" / "site.jsonl").read_text().split("\n")
    events = [json.loads(line) for line in lines if line]
    assert [event["event"] for event in events] == ["request"]
    assert events[0]["path"] == made_up
