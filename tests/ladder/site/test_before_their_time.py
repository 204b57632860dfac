"""
Nothing is told before its time, in whatever way a real site is asked.

Two ladders are alike in all that is public, and differ in what is hidden: results under embargo, seeds of matches that
wait or run, today's board and who was good at it, the answers of puzzles, a data set that is being written. Each route
is asked over HTTP by several visitors, in all ways that HTTP has; the two must answer the same.
"""

from __future__ import annotations

import gzip
import http.client
import os
import re
from contextlib import ExitStack, closing
from datetime import timedelta
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pytest
from sqlalchemy import select

from ladder.app.dataset import exporting
from ladder.app.dataset.exporting import export_dataset
from ladder.app.dataset.offered import FOLDER
from ladder.app.event import holding
from ladder.people.boards import daily_board
from ladder.people.boards.daily_board import open_today, seed_of_day, todays_board
from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_names import find_account
from ladder.store.commands import studies
from ladder.store.commands.puzzles import keep_puzzles
from ladder.store.table_models import PeopleTable
from ladder.values.accounts import Role
from ladder.values.people import TableVisitor
from ladder.values.studies import StudiedPosition
from pigpen.rules import PRESETS
from pigpen.rules.shuffle import commitment
from tests.ladder.accounts import add_person, session_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, own_ways, seeds_in_order, started_cup
from tests.ladder.ladders import NAMES, NOW, enter, lease, new_ladder, played, queue, recorded_match
from tests.ladder.people.boards.finished import finished
from tests.ladder.puzzles import RIGHT, WRONG, made_up
from tests.ladder.site.pages.test_event_leaks import OWN, QUERIES, VALUES, addresses, room_beside, to_the_end
from tests.ladder.site.person import CSRF
from tests.ladder.site.serving import served
from tests.ladder.virtual import Time
from tests.ladder.worker.live_events import watched
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.why import FoundPuzzle

TABLE, NO_TABLE = "AAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBB"
"""The name of the table at which today's board was played, as if a link had told it, and one that no table has."""
WAITING, RUNNING, SEALED, FREE = 3, 4, 11, 99
"""Numbers of matches: in the queue, being played, of the event and hidden, and one of as many digits that none has."""
STUDY = "SSSSSSSSSSSS"
"""The name of a study, one position of which is a puzzle, and the next one of the same deal."""
VISITORS = ("", "eve", "olga")
"""A guest, a contestant without a part in anything, an organiser."""
SECRET = b"\x17" * 32
"""Of the days' boards: the same on both ladders, as its commitments are public."""


class Way(NamedTuple):
    """A way to ask for an address."""

    method: str = "GET"
    headers: Mapping[str, str] = MappingProxyType({})
    spelled: str = "{path}{query}"
    """With the path, its query, the path with each letter of its last part as a number, and with two slashes."""


WAYS = {
    "plainly": Way(),
    "for its head": Way("HEAD"),
    "for what may be done": Way("OPTIONS"),
    "to change it": Way("PUT"),
    "for a part": Way(headers={"Range": "bytes=0-99"}),
    "for its end": Way(headers={"Range": "bytes=-1", "If-Range": '"x"'}),
    "if it is another": Way(headers={"If-None-Match": "*"}),
    "if it is newer": Way(headers={"If-Modified-Since": "Fri, 15 Jan 2027 08:00:01 GMT"}),
    "packed": Way(headers={"Accept-Encoding": "gzip"}),
    "as JSON": Way(headers={"Accept": "application/json", "X-Requested-With": "XMLHttpRequest"}),
    "in Chinese": Way(headers={"Accept-Language": "zh"}),
    "as the proxy": Way(
        headers={
            "X-Forwarded-For": "127.0.0.1",
            "X-Forwarded-Host": "localhost",
            "X-Original-URL": "/admin",
            "X-HTTP-Method-Override": "GET",
            "Forwarded": "for=127.0.0.1;host=localhost",
        }
    ),
    "with a made-up session": Way(headers={"Cookie": "pigpen_session=pgs_AAAAAAAAAAAA; pigpen_guest=AAAA"}),
    "for more": Way(spelled="{path}?everything=1&all=1&sealed=1&days_ago=-1&day=2027-01-16&with=house-exact&seat=0"),
    "with a slash": Way(spelled="{path}/{query}"),
    "with two slashes": Way(spelled="{doubled}{query}"),
    "by numbers of letters": Way(spelled="{encoded}{query}"),
}
EACH_PUSH = ("plainly", "for its head", "if it is another", "for more")
Answer = tuple[int, tuple[tuple[str, str], ...], str]
"""Status, headers and body."""
Answers = dict[str, Answer]
"""Answers by address."""
HOST = {"Host": "site.test"}
"""Feeds name the site by what a request calls it."""
ORGANISERS = ["/events/cup/present", "/metrics", "/api/v1/health", "/api/v1/events/cup/everything"]
"""Addresses by which an organiser is told of hidden results, and of the machine."""


def readable() -> list[str]:
    """All that can be read of the site, by whatever name of a match, a table, a board, a puzzle or a file."""
    numbers = ["1", str(WAITING), str(RUNNING), str(SEALED), str(FREE)]
    values = {
        **VALUES, "match": numbers, "number": numbers, "variant": ["gongzhu", "hearts"], "bot": ["Trotter", "Bot-1"],
        "one": ["Trotter", "Bot-1"], "two": ["Snout"], "other": ["Snout"], "key": ["you", "house-exact", "person-1"],
        "table": ["matches", "seats", ".drafts", "..%2f.."], "seat": ["0"],
        "part": ["000000001-000000002.parquet", "000000001-000000020.parquet", "all.parquet", "manifest.json"],
    }  # fmt: skip
    names = {"/b": ["Trotter", "Bot-1"], "/play": [TABLE, NO_TABLE], "/studies": [STUDY]}
    found = [
        *addresses(values, names),
        *QUERIES,
        "/robots.txt",
        "/sitemap.xml",
        "/api/openapi.json",
        "/docs/",
        "/nosuch",
    ]
    found += [f"/play/{name}/compare?with={key}" for name in (TABLE, NO_TABLE) for key in ("person-1", "house-exact")]
    found += [f"/play/{name}/watch?key={'K' * 22}" for name in (TABLE, NO_TABLE)]
    found += [f"/dataset/{name}" for name in ("README.md", "manifest.json", ".drafts/matches/x.parquet")]
    return [*dict.fromkeys(found)]


def hidden_answer(number: int) -> FoundPuzzle:
    """A puzzle whose best card is another one on each of the two ladders; what is told of it beforehand is the same."""
    found = made_up(source=str(number))
    if number == 1:
        return found
    swapped = {RIGHT: WRONG, WRONG: RIGHT}
    choices = tuple(
        each.model_copy(update={"choice": swapped.get(each.choice, each.choice)}) for each in found.why.choices
    )
    why = found.why.model_copy(update={"choices": choices, "chosen": RIGHT, "bot": "Nosy", "step": 8})
    return found.model_copy(update={"right": (WRONG,), "why": why})


def add_study(ladder: Ladder, world: int) -> None:
    """Add Ada's study: on both ladders its puzzle shows the same, and the hands and comments behind it differ."""
    hands = "AK", ("Nosy", "Secretive")[world]
    with ladder.database.write() as session:
        study = studies.add_study(session, find_account(session, "ada").owner_id, "Moons", True, NOW)
        study.name = STUDY
        for moves in ("", "2C"):
            position = StudiedPosition(hands="_".join(hands), moves=moves, deal=world, leader=None)
            row = studies.add_position(session, study, "hearts", position)
            row.title, row.comment = "What now?", f"Secretive {world}"
            if not moves:
                studies.mark_puzzle(session, row, hidden_answer(1 + world), NOW)
        hidden = studies.add_study(session, study.owner_id, f"Secretive {world}", False, NOW)
        hidden.name = f"Nosy-{world}"


def hide(ladder: Ladder, world: int) -> None:
    """Fill a ladder: what is public is the same for each *world*, what is hidden is not."""
    secret = ladder.settings.data_dir / daily_board.FOLDER / daily_board.FILE
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text(SECRET.hex())
    secret.chmod(0o600)
    for number in (1, 2):
        assert recorded_match(ladder, played("hearts", str(number)), str(number)) == number
    with ladder.database.write() as session:
        versions = [enter(session, f"{name}-2", "hearts") for name in NAMES[:4]]
        for number in range(WAITING, SEALED):
            assert queue(session, versions, "hearts", str(number)) == number
            session.get_one(models.StoredMatch, number).seed = bytes([world + 7] * 32).hex()
        lease(session, RUNNING)
    send_live(ladder, RUNNING)
    with ladder.database.write() as session:
        keep_puzzles(session, 1 + world, [hidden_answer(1 + world)], NOW)
    for name, role in (("ada", Role.CONTESTANT), ("eve", Role.CONTESTANT), ("olga", Role.ORGANISER)):
        add_person(ladder, name, role)
    add_study(ladder, world)
    opened = open_today(ladder, "hearts", TableVisitor("ada"))
    with ladder.database.write() as session:
        row = session.scalars(select(PeopleTable).where(PeopleTable.name == opened.name)).one()
        row.name = TABLE
    finished(ladder, opened.model_copy(update={"name": TABLE}), ("cautious", "random")[world])
    started_cup(ladder, file=FILE.format(show="manual"))
    if world:
        to_the_end(coordinator_of(ladder, Time()), ladder, own_ways)
        send_live(ladder, SEALED)
        with ladder.database.write() as session:
            keep_puzzles(session, SEALED, [made_up()], NOW)
    publish(ladder, world)


@cache
def sent_live() -> list[str]:
    """The events of a running match, as they are sent; with their times."""
    return watched(PRESETS["hearts"], "boards:1")[0]


def send_live(ladder: Ladder, match: int) -> None:
    """Write all events of a match, and that it was given up."""
    with closing(LiveWriter(LiveFolder(ladder.settings.data_dir))) as writer:
        writer.begin(match, 1)
        writer.append(match, 1, "\n".join(sent_live()))


def publish(ladder: Ladder, world: int) -> None:
    """Write the data set, and leave half of the next one."""
    folder = ladder.settings.data_dir / FOLDER
    export_dataset(ladder, folder)
    for path in ladder.settings.data_dir.rglob("*"):
        os.utime(path, (NOW, NOW))  # files of a record, or of the data set, have the times of this test
    if world:
        draft = folder / exporting.DRAFTS / "matches" / "000000001-000000020.parquet"
        draft.parent.mkdir(parents=True)
        draft.write_bytes(b"draft")
        (folder / "matches" / draft.name).write_bytes(b"not in the manifest yet")


class Site(NamedTuple):
    """A ladder that is served."""

    ladder: Ladder
    port: int
    cookies: dict[str, dict[str, str]]
    """Headers by visitor."""

    def answers(self, visitor: str, way: Way) -> Answers:
        """All that a visitor is answered who asks in that way."""
        return {address: ask(self.port, way, address, self.cookies[visitor]) for address in readable()}


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site]]:
    """The two ladders on the loopback; no test changes them."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr("ladder.app.health.shutil.disk_usage", room_beside)
        patch.setattr("ladder.site.pages.analysis.new_seed", lambda: bytes(32))  # cards for all who ask for some
        made = []
        for world in (0, 1):
            patch.setattr(holding, "new_seed", seeds_in_order())
            made.append(_site(world, tmp_path_factory.mktemp(f"world{world}"), stack))
        yield made[0], made[1]


def _site(world: int, folder: Path, stack: ExitStack) -> Site:
    ladder = new_ladder(load_settings(data_dir=folder, sandbox="process"))
    stack.callback(ladder.database.close)
    hide(ladder, world)
    cookies = {name: {"Cookie": f"pigpen_session={session_of(ladder, name)}"} if name else {} for name in VISITORS}
    return Site(ladder, stack.enter_context(served(ladder)), cookies)


def differing(one: Answers, other: Answers) -> list[str]:
    """The addresses that are answered in different ways."""
    return [address for address in one if one[address] != other[address]]


@pytest.mark.timeout(1200)  # each asks for some 350 addresses of two sites
@pytest.mark.parametrize(
    "name", [name if name in EACH_PUSH else pytest.param(name, marks=pytest.mark.long) for name in WAYS]
)
def test_in_no_way_does_a_site_tell_what_is_hidden(sites: tuple[Site, Site], name: str) -> None:
    one, other = (site.answers("", WAYS[name]) for site in sites)
    assert differing(one, other) == []


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("visitor", ["eve", "olga"])
def test_who_has_logged_in_is_told_what_is_its_own_and_no_one_gets_that_answer_after_it(
    sites: tuple[Site, Site], visitor: str
) -> None:
    before = [site.answers("", Way()) for site in sites]
    one, other = (site.answers(visitor, Way()) for site in sites)
    assert differing(one, other) == (ORGANISERS if visitor == "olga" else [])
    after = sites[1].answers("", Way())
    changing = {"/metrics", *(path for path, (status, _, _) in after.items() if status == 202)}  # a place in a queue
    assert {*differing(before[1], after)} <= changing


@pytest.mark.timeout(1200)
def test_what_is_hidden_is_answered_as_what_is_not_there(sites: tuple[Site, Site]) -> None:
    for way in (WAYS["plainly"], WAYS["for more"]):
        found = sites[1].answers("", way)
        hidden = [path for path in found if re.search(rf"/({SEALED}|{TABLE})(/|[?]|$)", path)]
        assert len(hidden) > 40
        for path in hidden:
            absent = re.sub(rf"/{SEALED}(?=/|[?]|$)", f"/{FREE}", path).replace(TABLE, NO_TABLE)
            assert found[path] == _as_if(found[absent]), path


def _as_if(answer: Answer) -> Answer:
    """An answer about what is not there, with the names of what is hidden."""
    status, headers, text = answer
    put = [(header, value.replace(f"/{FREE}", f"/{SEALED}").replace(NO_TABLE, TABLE)) for header, value in headers]
    return status, tuple(put), re.sub(rf"(?<!\d){FREE}(?!\d)", str(SEALED), text).replace(NO_TABLE, TABLE)


def test_no_answer_has_a_seed_or_a_board_of_a_day_or_an_answer_of_a_puzzle(sites: tuple[Site, Site]) -> None:
    today = todays_board(sites[0].ladder, "hearts").day
    seeds = [seed_of_day(SECRET, today + timedelta(days=days), "hearts").hex() for days in (0, 1, 2)]
    hidden = [*seeds, *(commitment(bytes.fromhex(seed)) for seed in seeds[1:]), SECRET.hex(), "Secretive", "Nosy"]
    for world, site in enumerate(sites):
        found = site.answers("", Way())
        assert {200, 202, 303, 401, 404} <= {status for status, _, _ in found.values()}
        for path, (_, headers, text) in found.items():
            assert [each for each in (*hidden, bytes([world + 7] * 32).hex()) if each in f"{headers} {text}"] == [], (
                path
            )


def ask(port: int, way: Way, address: str, more: dict[str, str]) -> Answer:
    """Ask for an address as it is written; what is left out of the answer is made anew for each request."""
    path, _, query = address.partition("?")
    head, _, last = path.rpartition("/")
    words = {
        "path": path, "query": f"?{query}" if query else "", "doubled": path.replace("/", "//"),
        "encoded": f"{head}/{''.join(f'%{ord(each):02x}' for each in last)}",
    }  # fmt: skip
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as site:
        site.request(way.method, way.spelled.format(**words), headers={**HOST, **way.headers, **more})
        response = site.getresponse()
        body = response.read()
    if response.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    text = CSRF.sub("", body.decode("latin-1"))
    if path == "/metrics":
        text = "\n".join(line for line in text.splitlines() if not OWN.match(line))
    changing = {"date", *({"content-length", "etag"} if path == "/metrics" else ())}
    headers = sorted(
        (key.lower(), re.sub(r"^(\w+)=[^;]*", r"\1", value) if key.lower() == "set-cookie" else value)
        for key, value in response.headers.items()
        if key.lower() not in changing
    )
    return response.status, tuple(headers), text
