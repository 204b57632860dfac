"""
One table of the limits of what users, bots and visitors give: the limit and one less are taken, one more is refused.

Each constant that is a limit by its name stands in a table here: it is tried by `DOORS`, or by the tests of its room
(`IN_THEIR_ROOMS`), or it limits nothing that is given (`INSIDE`).
"""

from __future__ import annotations

import ast
import asyncio
import base64
import hashlib
import importlib
import io
import json
import re
import socket
import tarfile
import zipfile
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any
from unittest import mock

import pydantic
import pytest
import requests
from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from ladder.app.accounts import oidc
from ladder.app.accounts.guests import read_guests
from ladder.app.accounts.mail import check_address
from ladder.app.accounts.passwords import check_password
from ladder.app.accounts.registering import check_days
from ladder.app.announcements import checked_text, checked_title
from ladder.app.cluster import worker_states
from ladder.app.event import verifying
from ladder.app.event.event_files import read_beacon
from ladder.app.event.export_file import read_export
from ladder.app.hosting.compose_files import ComposeOrder, write_compose
from ladder.app.local import compare
from ladder.app.remote import remote_submission
from ladder.app.remote.connection import Connection, HttpAnswer
from ladder.errors import (
    BotRejected,
    Forbidden,
    LadderError,
    RemoteError,
    SandboxError,
    TooOften,
    UnfitFolder,
    UserError,
)
from ladder.people.pages.request_parts import EmptyMessage, message_of
from ladder.people.review import studies
from ladder.people.tables import table_opening
from ladder.registry.image_names import ImageName, is_repository, namespace_of
from ladder.registry.manifests import CONFIGS, DOCKER, PACKED, ImageTotal, PlainStream, read_layer, read_manifest
from ladder.registry.registry_client import RegistryClient
from ladder.registry.tokens import allowed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import Content, pack, unpack
from ladder.sandbox.bots.dockerfile_lines import NotUnderstood
from ladder.sandbox.bots.dockerignore import without_ignored
from ladder.sandbox.bots.members import FolderMember, Kind, read_members
from ladder.sandbox.bots.recipes import read_recipe, recipe_of
from ladder.sandbox.docker import source_build
from ladder.sandbox.docker.image_inspection import (
    ImageTree,
    TreeEntry,
    UnfitImage,
    _check_tree,
    _check_users,
    check_config,
    working_folder,
)
from ladder.sandbox.host.scratch import check_socket_paths
from ladder.sandbox.wheels.installed import _check_file, _record, check_sizes
from ladder.sandbox.wheels.requirements import read_requirements
from ladder.settings.settings import Settings
from ladder.site.accounts import own
from ladder.site.api import registry as registry_pages
from ladder.site.pages import analysis
from ladder.site.server.viewer import form_of
from ladder.values import clocks, cluster, events
from ladder.values.held_events import EventAct
from ladder.values.value import storable
from ladder.webhooks.public_addresses import AddressPolicy, check_webhook
from pigpen.rules import PRESETS
from pigpen.rules.objections import objections
from referee.records import lines
from referee.records.rules_file import RulesFileError, parse_rules, to_toml
from referee.seats import listener
from referee.seats.person_seat import PersonSeat

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
HEARTS = PRESETS["hearts"]
DIGEST = f"sha256:{'1' * 64}"


class Refused(Exception):
    """Refusal of a door that returns its answer, or refuses for several reasons."""


@dataclass(frozen=True)
class Door:
    """The function of the product that enforces a limit."""

    tries: Callable[..., object]
    """Gets the number of what is limited; `folder`, an empty one, and `limit`, if it names them."""
    refused: type[Exception] = Refused
    set_to: int | None = None
    """Value that the constant is set to, where what it allows takes long to make."""
    size: int | None = None
    """Number that is always tried; the constant is set to it, one more and one less."""


def taken(answer: object) -> None:
    if not answer:
        raise Refused


def no_objection(found: object) -> None:
    if found:
        raise Refused(found)


def rules_with(old: str, new: str, variant: str = "hearts") -> None:
    """Read the rules of a preset with one field changed."""
    text = to_toml(PRESETS[variant])
    assert text.count(old) == 1
    parse_rules(text.replace(old, new))


def built(begins: str) -> Callable[[int], None]:
    """Let a build print that, or make it, and be *n* bytes long."""

    def tries(n: int) -> None:
        log = source_build._Log(b"\nmark\n", io.BytesIO())
        log.write(begins.encode() if begins != "x" else b"")
        if why := log.write(b"x" * n):
            raise BotRejected(why)

    return tries


def as_deep(levels: int) -> None:
    """Read rules that hold lists within each other; a list in them is wrong however deep it is."""
    with pytest.raises(RulesFileError) as found:
        parse_rules(f"title = {'[' * levels}{']' * levels}")
    if "levels deep" in str(found.value):
        raise Refused


def as_long(digits: int) -> None:
    """Read rules with a number of a number of digits; it is too large however long it is."""
    with pytest.raises(RulesFileError) as found:
        rules_with("cap = 200", f"cap = {'9' * digits}")
    if "digits" in str(found.value):
        raise Refused


def request(body: bytes, kind: str) -> Request:
    """Make what a page of the site sends to it."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = {"host": "arena.example", "sec-fetch-site": "same-origin", "content-type": kind}
    plain = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "scheme": "http", "query_string": b"", "headers": plain}
    return Request(scope | {"server": ("arena.example", 80)}, receive)


def message(size: int) -> None:
    asyncio.run(message_of(request(b"{}".ljust(size), "application/json"), EmptyMessage))


def form(body: bytes) -> None:
    asyncio.run(form_of(request(body, "application/x-www-form-urlencoded")))


def basic(characters: int) -> None:
    """Log in at the registry with a header of a number of characters."""
    name = base64.b64encode(b"ada:secret").decode().rjust(characters)
    taken(registry_pages._basic(SimpleNamespace(headers={"authorization": f"Basic {name}"}))[0])  # type: ignore[arg-type]


def manifest(config: int = 100, layers: int = 1) -> None:
    part = {"size": 0, "digest": DIGEST}
    plain = {
        "schemaVersion": 2,
        "mediaType": DOCKER,
        "config": part | {"mediaType": CONFIGS[0], "size": config},
        "layers": [part | {"mediaType": PACKED[0]}] * layers,
    }
    read_manifest("ada/trotter:1", json.dumps(plain).encode(), DOCKER, 1000)


def recipe(text: str) -> None:
    read_recipe(f"FROM pigpen/bot\n{text}\n".encode())


def ignored(patterns: str) -> None:
    without_ignored(Content((FolderMember(".dockerignore", Kind.FILE, patterns.encode()),)), "bot")


def nested(levels: int, folder: Path) -> None:
    (folder / "/".join("a" * (levels - 1))).mkdir(parents=True, exist_ok=True)
    (folder / "/".join("a" * (levels - 1)) / "bot.py").touch()
    read_members(folder, 100)


def named(size: int, folder: Path) -> None:
    above = folder / "/".join(["b" * 199] * 4)
    above.mkdir(parents=True)
    (above / ("b" * (size - 800))).touch()
    read_members(folder, 100)


def linked(links: int, folder: Path) -> None:
    """Lead to a file by links, one after the other."""
    (folder / "file").touch()
    for number in range(links):
        (folder / f"link{number}").symlink_to(f"link{number + 1}" if number < links - 1 else "file")
    read_members(folder, 100)


def files(number: int, limit: int, folder: Path) -> None:
    for each in range(number):
        (folder / str(each)).touch()
    read_members(folder, 100, limit)


def large(size: int, limit: int, folder: Path) -> None:
    (folder / "bot.py").write_bytes(bytes(size))
    read_members(folder, limit)


def guests_in(folder: Path, text: str) -> None:
    (folder / "course.csv").write_text(text)
    read_guests(folder / "course.csv")


FOLDER = Content((FolderMember("bot.py", Kind.FILE, b"pass\n"),))


def export(size: int, folder: Path) -> None:
    """Read an export of nothing, which is wrong whatever its size."""
    with zipfile.ZipFile(folder / "event.zip", "w") as file:
        file.writestr("event.json", b"{}".ljust(size))
    with pytest.raises(UserError) as found:
        read_export(folder / "event.zip")
    if "longer than" in str(found.value):
        raise Refused


class Pieces:
    """An answer that comes at once."""

    status_code, reason, headers, url = 200, "OK", dict[str, str](), "http://arena.example"

    def __init__(self, size: int) -> None:
        self.raw = SimpleNamespace(read1=lambda _, left=[b"x" * size]: left.pop() if left else b"")
        self.size = size

    def iter_content(self, piece: int) -> list[bytes]:
        return [bytes(self.size)]


def image(**settings: object) -> None:
    check_config({"Env": [], "Cmd": ["python"], "Labels": {}, "WorkingDir": "/bot"} | settings)


def hypotheses(elo: float) -> None:
    compare._hypotheses(SimpleNamespace(elo0=0.0, elo1=elo, alpha=0.05, beta=0.05))  # type: ignore[arg-type]


DEAL, NUMBER, SECONDS = (pydantic.TypeAdapter[Any](kind) for kind in (lines.DealNumber, lines.Number, lines.Seconds))
STEPS, SEATS = (pydantic.TypeAdapter[Any](Annotated[tuple[int, ...], each]) for each in (lines.AtSteps, lines.AtSeats))


def checked(model: type[pydantic.BaseModel], name: str, value: object) -> None:
    """Check one field of a value as all of it is checked."""
    field = model.model_fields[name]
    kind: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    pydantic.TypeAdapter[Any](kind).validate_python(value)


def reason(characters: int) -> None:
    """Give a reason for draining; the ladder, which is not there, is looked at after the reason."""
    with suppress(AttributeError):
        worker_states.drain(None, None, "worker", "x" * characters)  # type: ignore[arg-type]


def exported_record(size: int, folder: Path) -> None:
    with zipfile.ZipFile(folder / "event.zip", "w") as file:
        file.writestr("record", bytes(size))
    with zipfile.ZipFile(folder / "event.zip") as file:
        verifying._Verifier._unpack(SimpleNamespace(_file=file), "record", folder / "record")  # type: ignore[arg-type]


def opened(number: int, guest: str = "", account: str | None = None) -> None:
    """Open the last one of a number of tables."""
    who = SimpleNamespace(account=account, guest=guest, network="")
    kept = table_opening.guest_hash(who)  # type: ignore[arg-type]
    table = SimpleNamespace(owner=account, guest=kept, network="", status="playing", begun=True)
    with mock.patch.object(table_opening, "all_open", return_value=[table] * (number - 1)):
        table_opening.check_limits(None, SimpleNamespace(people_tables=100, guest_tables=100), who, 0.0)  # type: ignore[arg-type]


DOCKERFILE = b"FROM pigpen/bot\nCOPY . .\nCOPY . /there/\nWORKDIR /there\n"
COPIED = Content(tuple(FolderMember(name, Kind.FILE, DOCKERFILE) for name in ("Dockerfile", "bot.py")))


def tree(size: int) -> Any:
    """Give an image with a file of users."""
    return SimpleNamespace(entry=lambda path: TreeEntry("file", size, ""))


def package(folder: Path, name: str) -> None:
    """Check a file of a package."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    digest = base64.urlsafe_b64encode(hashlib.sha256().digest()).decode().rstrip("=")
    _check_file(folder, name, "numpy 2", f"sha256={digest}")


def subject(characters: int) -> None:
    """Come back from an identity provider that signs for a person with a number of characters."""
    claims = {"sub": "x" * characters}
    with mock.patch.multiple(oidc, jwt=mock.DEFAULT, KeySet=mock.DEFAULT, CodeIDToken=mock.DEFAULT) as signed:
        signed["CodeIDToken"].return_value = mock.MagicMock(__getitem__=lambda _, name: claims[name], get=claims.get)
        provider = SimpleNamespace(_json=lambda _: {}, _client="site", _clock=lambda: 0.0)
        described = {"jwks_uri": "", "issuer": "https://id.example"}
        oidc.Provider._known(provider, described, mock.Mock(nonce=""), {"id_token": "x"})  # type: ignore[arg-type]


def provided(size: int) -> None:
    """Read what an identity provider says of itself, of a number of bytes."""
    answer = mock.MagicMock(status_code=200)
    answer.raw.read = lambda most, decode_content: b"{}".ljust(size)[:most]
    answer.__enter__.return_value = answer
    with mock.patch.object(requests, "get", return_value=answer):
        oidc.Provider._json(mock.Mock(), "https://id.example")


def redirected(times: int) -> None:
    """Ask a ladder that leads on a number of times before it answers."""
    ahead = [SimpleNamespace(is_redirect=True, headers={"Location": f"/{each}"}, close=int) for each in range(times)]
    answers = [*ahead, SimpleNamespace(is_redirect=False)]
    asking = Connection("http://arena.example")
    with mock.patch.object(asking._session, "request", side_effect=answers):
        asking._follow("GET", "http://arena.example/", {})


def extension(size: int) -> None:
    """Read a layer with one long header, of a number of bytes."""
    header = tarfile.TarInfo()
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, size
    member = tarfile.TarInfo("bot.py").tobuf()
    layer = header.tobuf() + bytes(size) + bytes(-size % tarfile.BLOCKSIZE) + member + bytes(2 * tarfile.BLOCKSIZE)
    read_layer(PlainStream(io.BytesIO(layer), ImageTotal("ada/trotter", 10_000_000)))


def whole_manifest(size: int) -> None:
    """Fetch a manifest of a number of bytes from a registry."""
    found = mock.MagicMock(status_code=200, headers={})
    found.iter_content.return_value = [b"{}".ljust(size)]
    found.__enter__.return_value = found
    registry = mock.Mock(_asked=lambda *_, **__: found)
    RegistryClient.manifest(registry, ImageName("ada/trotter", "1"))


class Users(ImageTree):
    """An image whose file of users has one line."""

    def __init__(self, size: int = 0, links: int = 0) -> None:
        self._size, self._links = size, links

    def entry(self, path: str) -> TreeEntry | None:
        if path.startswith("/link"):
            return TreeEntry("link" if int(path.removeprefix("/link")) < self._links else "file", 0, "")
        if path == "/etc/passwd":
            return TreeEntry("file", self._size, "")
        return TreeEntry("folder", 0, "") if path in ("/etc", "/bot") else None

    def content(self, path: str) -> bytes:
        return b"x" * self._size

    def _target(self, path: str) -> str:
        return f"/link{int(path.removeprefix('/link')) + 1}"


def recorded(size: int, folder: Path) -> None:
    """Read the RECORD of a package with a number of bytes."""
    rows = b"a.py,sha256=x,1\n" * (size // 16)
    (folder / "RECORD").write_bytes(rows[:-1].ljust(size, b"1"))
    _record(folder, "numpy 2")


def own_form(fields: int = 1, size: int = 1) -> None:
    """Send the form with which a bot is entered on the site."""
    field = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    parts = "".join(f"--x\r\n{field.format(each, 'x' * size)}" for each in range(fields))

    async def read() -> None:
        sent = request(f"{parts}--x--\r\n".encode(), "multipart/form-data; boundary=x")
        with mock.patch.object(own, "has_csrf", return_value=True):
            async with own.form_of(sent):
                pass

    asyncio.run(read())


def waiting(number: int, folder: Path) -> None:
    """Let a number of connections, and the one more that Linux lets, wait at a seat's socket."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind(str(folder / "seat"))
        listening.listen(1)
        listener.Listener(folder / "seat")
        for _ in range(number + 1):
            bot = stack.enter_context(socket.socket(socket.AF_UNIX))
            bot.setblocking(False)
            bot.connect(str(folder / "seat"))


def streams(number: int) -> None:
    """Open a number of streams to a person's seat."""

    async def opened() -> str:
        traffic = PersonSeat(Path("seat"), "token")._traffic
        for _ in range(number):
            traffic.stream()
        return traffic.excess

    no_objection(asyncio.run(opened()))


def published_copy(count: int, folder: Path) -> None:
    (folder / "copy").write_bytes(b"x" * count)
    verifying.published_text(str(folder / "copy"))


def beacon_value(count: int, folder: Path) -> None:
    (folder / "value").write_bytes(b"x" * count)
    read_beacon(folder / "value")


def site_of_a_name(length: int, folder: Path) -> None:
    name = ("a" * 49 + ".") * (length // 50 + 1)
    write_compose(folder / "arena", ComposeOrder(f"{name[: length - 1]}a", Path("/srv/ladder")))


DOORS = {
    "pigpen.rules.objections:MAX_CHOICES": Door(lambda n: no_objection(objections(HEARTS)), size=286),
    "pigpen.rules.objections:MAX_NUMBER": Door(lambda n: rules_with("cap = 200", f"cap = {n}"), RulesFileError),
    "pigpen.rules.objections:MAX_MULTIPLIER": Door(
        lambda n: rules_with("face_up = 2", f"face_up = {n}", "gongzhu"), RulesFileError
    ),
    "ladder.app.hosting.compose_files:MAX_NAME": Door(site_of_a_name, UserError),
    "referee.records.rules_file:MAX_LEVELS": Door(as_deep),
    "referee.records.rules_file:MAX_DIGITS": Door(as_long),
    "referee.records.framing:MAX_LINES": Door(lambda n: DEAL.validate_python(n - 1), pydantic.ValidationError),
    "referee.records.framing:MAX_STEPS": Door(lambda n: STEPS.validate_python([0] * n), pydantic.ValidationError),
    "referee.records.framing:MAX_SEATS": Door(lambda n: SEATS.validate_python([0] * n), pydantic.ValidationError),
    "referee.records.framing:MAX_DIGITS": Door(lambda n: NUMBER.validate_python(10**n - 1), pydantic.ValidationError),
    "referee.records.framing:MAX_SECONDS": Door(SECONDS.validate_python, pydantic.ValidationError),
    "ladder.app.cluster.worker_states:MAX_REASON": Door(reason, LadderError),
    "ladder.app.accounts.guests:MAX_GUESTS": Door(lambda n, folder: guests_in(folder, "note\n" + "a\n" * n), UserError),
    "ladder.app.accounts.guests:MAX_LIST_BYTES": Door(
        lambda n, folder: guests_in(folder, "note\na\n".ljust(n, "\n")), UserError
    ),
    "ladder.values.announcements:MAX_TITLE": Door(lambda n: checked_title("x" * n), UserError),
    "ladder.values.announcements:MAX_TEXT": Door(lambda n: checked_text("x" * n), UserError),
    "ladder.app.event.verifying:MAX_RECORD_BYTES": Door(exported_record, Exception, set_to=100),
    "ladder.people.tables.table_opening:MAX_GUEST_TABLES": Door(lambda n: opened(n, guest="g"), TooOften),
    "ladder.people.tables.table_opening:MAX_ACCOUNT_TABLES": Door(lambda n: opened(n, account="ada"), TooOften),
    "ladder.sandbox.docker.source_build:MAX_LOG": Door(built("x"), BotRejected, set_to=1000),
    "ladder.sandbox.docker.source_build:MAX_RESULT": Door(built("\nmark\n"), BotRejected, set_to=1000),
    "ladder.sandbox.bots.recipes:MAX_COPIED": Door(
        lambda n: recipe_of(BotSource("bot", folder=Path("bot"), builds="base"), COPIED),
        BotRejected,
        size=2 * COPIED.size,
    ),
    "ladder.sandbox.docker.image_inspection:MAX_USERS": Door(
        lambda n: _check_users(tree(n), "/etc/passwd"), UnfitImage
    ),
    "ladder.sandbox.wheels.installed:MAX_DEPTH": Door(
        lambda n, folder: package(folder, "/".join("a" * n)), BotRejected
    ),
    "ladder.sandbox.wheels.installed:MAX_NAME_BYTES": Door(lambda n, folder: package(folder, "b" * n), BotRejected),
    "ladder.values.mail:MAX_ADDRESS": Door(
        lambda n: check_address(("a@" + ".".join("b" * 60 for _ in range(5)))[: n - 1] + "c"), UserError
    ),
    "ladder.values.mail:MAX_LOCAL": Door(lambda n: check_address(f"{'a' * n}@mail.example"), UserError),
    "ladder.values.webhooks:MAX_URL": Door(
        lambda n: check_webhook("https://93.184.216.34/".ljust(n, "x"), AddressPolicy()), UserError
    ),
    "ladder.values.cluster:MAX_COUNT": Door(
        pydantic.TypeAdapter(cluster.Count).validate_python, pydantic.ValidationError
    ),
    "ladder.values.events:MAX_ENTRANTS": Door(lambda n: checked(events.Stage, "take", n), pydantic.ValidationError),
    "ladder.values.events:MAX_BEACON": Door(
        lambda n: checked(events.Event, "beacon", "x" * n), pydantic.ValidationError
    ),
    "ladder.values.events:MAX_BEACON_VALUE": Door(beacon_value, UserError),
    "ladder.values.events:MAX_ROUNDS": Door(lambda n: checked(events.Stage, "rounds", n), pydantic.ValidationError),
    "ladder.values.held_events:MAX_WORD": Door(lambda n: checked(EventAct, "bot", "x" * n), pydantic.ValidationError),
    "ladder.site.pages.analysis:MAX_TEXT": Door(
        lambda n: pydantic.TypeAdapter[Any](analysis.Hands).validate_python("A" * n), pydantic.ValidationError
    ),
    "ladder.site.pages.analysis:MAX_DEAL_NUMBER": Door(
        lambda n: pydantic.TypeAdapter[Any](analysis.DealNumber).validate_python(n), pydantic.ValidationError
    ),
    "ladder.values.held_events:MAX_NUMBER": Door(lambda n: checked(EventAct, "table", n), pydantic.ValidationError),
    "ladder.settings.settings:MAX_COUNT": Door(lambda n: checked(Settings, "boundary", n), pydantic.ValidationError),
    "ladder.settings.settings:MAX_DELAY": Door(lambda n: checked(Settings, "live_delay", n), pydantic.ValidationError),
    "ladder.values.clocks:MAX_LIMIT": Door(lambda n: checked(Settings, "limit", n), pydantic.ValidationError),
    "ladder.app.accounts.passwords:MAX_CHARACTERS": Door(lambda n: check_password("x" * n, "ada"), UserError),
    "ladder.app.accounts.registering:MAX_DAYS": Door(check_days, UserError),
    "ladder.app.local.compare:MAX_ELO": Door(hypotheses, UserError),
    "ladder.app.remote.connection:MAX_BYTES": Door(
        lambda n, limit: HttpAnswer.of(Pieces(n), limit),  # type: ignore[arg-type]
        RemoteError,
        set_to=100,
    ),
    "ladder.app.remote.remote_submission:MAX_EVENT": Door(
        lambda n: list(remote_submission._lines(Pieces(n))),  # type: ignore[arg-type]
        Exception,
        set_to=100,
    ),
    "ladder.app.event.export_file:MAX_JSON_BYTES": Door(export, set_to=100),
    "ladder.app.event.verifying:MAX_COPY_BYTES": Door(published_copy, UserError, set_to=100),
    "ladder.people.pages.request_parts:MAX_BYTES": Door(message, HTTPException),
    "ladder.site.server.viewer:MAX_BYTES": Door(lambda n: form(b"a=".ljust(n, b"x")), HTTPException),
    "ladder.site.server.viewer:MAX_FIELDS": Door(
        lambda n: form(b"&".join(b"a%d=" % each for each in range(n))), HTTPException
    ),
    "ladder.site.api.registry:MAX_HEADER": Door(basic),
    "ladder.registry.manifests:MAX_CONFIG": Door(lambda n: manifest(config=n), BotRejected),
    "ladder.registry.manifests:MAX_LAYERS": Door(lambda n: manifest(layers=n), BotRejected),
    "ladder.registry.image_names:MAX_NAMESPACE": Door(lambda n: namespace_of("A" + "a" * 77), LadderError, size=159),
    "ladder.registry.image_names:MAX_REPOSITORY": Door(lambda n: taken(is_repository("ada/".ljust(n, "x")))),
    "ladder.registry.tokens:MAX_SCOPES": Door(
        lambda n: taken(allowed(["registry:catalog:*"] * (n - 1) + ["repository:ada/trotter:pull"], "ada"))
    ),
    "ladder.sandbox.bots.content:MAX_PACKED": Door(
        lambda n, limit: pack(FOLDER, limit), SandboxError, size=len(pack(FOLDER))
    ),
    "ladder.sandbox.bots.content:MAX_UNPACKED": Door(
        lambda n, limit: unpack(pack(FOLDER), f"sha256:{FOLDER.hash}", limit), SandboxError, size=10_240
    ),
    "ladder.sandbox.bots.dockerfile_lines:MAX_BYTES": Door(lambda n: recipe("\n" * (n - 17)), NotUnderstood),
    "ladder.sandbox.bots.dockerignore:MAX_BYTES": Door(lambda n: ignored("#" * n), BotRejected),
    "ladder.sandbox.bots.dockerignore:MAX_CLASSES": Door(lambda n: ignored("[a]\n" * n), BotRejected),
    "ladder.sandbox.bots.dockerignore:MAX_RANGES": Door(lambda n: ignored(f"[{'a' * n}]"), BotRejected),
    "ladder.sandbox.bots.members:MAX_BYTES": Door(large, BotRejected, set_to=100),
    "ladder.sandbox.bots.members:MAX_MEMBERS": Door(files, BotRejected, set_to=10),
    "ladder.sandbox.bots.members:MAX_LEVELS": Door(nested, BotRejected),
    "ladder.sandbox.bots.members:MAX_NAME": Door(named, BotRejected),
    "ladder.sandbox.bots.members:MAX_LINKS": Door(linked, BotRejected),
    "ladder.sandbox.bots.recipes:MAX_COPIES": Door(lambda n: recipe("COPY a b\n" * n), NotUnderstood),
    "ladder.sandbox.bots.recipes:MAX_SOURCES": Door(lambda n: recipe(f"COPY {'a ' * (n - 1)}./"), NotUnderstood),
    "ladder.sandbox.docker.image_inspection:MAX_SETTINGS": Door(
        lambda n: image(Cmd=[], Env=["A=".ljust(n, "x")]), UnfitImage
    ),
    "ladder.sandbox.docker.image_inspection:MAX_WORDS": Door(
        lambda n: image(Env=[f"A{each}=" for each in range(n)]), UnfitImage
    ),
    "ladder.sandbox.docker.image_inspection:MAX_PATH": Door(
        lambda n: working_folder({"WorkingDir": ("/" + "x" * 99) * 10 + "/" + "x" * (n - 1001)}), UnfitImage
    ),
    "ladder.sandbox.docker.image_inspection:MAX_NAME": Door(
        lambda n: working_folder({"WorkingDir": "/" + "x" * n}), UnfitImage
    ),
    "ladder.sandbox.host.scratch:MAX_FOLDER_BYTES": Door(lambda n: check_socket_paths("/".ljust(n, "x")), UnfitFolder),
    "ladder.sandbox.wheels.installed:MAX_BYTES": Door(lambda n: check_sizes({"numpy": n}), BotRejected),
    "ladder.sandbox.wheels.installed:MAX_FILES": Door(lambda n: check_sizes({"numpy": 1}, n), BotRejected),
    "ladder.sandbox.wheels.requirements:MAX_BYTES": Door(lambda n: read_requirements(b"#" * n), BotRejected),
    "ladder.sandbox.wheels.requirements:MAX_PACKAGES": Door(
        lambda n: read_requirements(b"".join(b"a%d\n" % each for each in range(n))), BotRejected
    ),
    "ladder.sandbox.wheels.requirements:MAX_CHARACTERS": Door(lambda n: read_requirements(b"a" * n), BotRejected),
    "ladder.values.clocks:MAX_SECONDS": Door(lambda n: clocks.read_clock(str(n), 1.0), ValueError),
    "ladder.values.events:MAX_BOARDS": Door(lambda n: events._format(f"boards:{n}"), ValueError),
    "ladder.values.value:MAX_SENTENCE": Door(lambda n: taken(len(storable("x" * n)) == n)),
    "ladder.app.accounts.oidc:MAX_BYTES": Door(provided, LadderError),
    "ladder.app.accounts.oidc:MAX_SUBJECT": Door(subject, Forbidden),
    "ladder.app.remote.connection:MAX_REDIRECTS": Door(redirected, RemoteError),
    "ladder.registry.manifests:MAX_EXTENSION": Door(extension, tarfile.TarError),
    "ladder.registry.manifests:MAX_MANIFEST": Door(whole_manifest, BotRejected),
    "ladder.sandbox.docker.image_inspection:MAX_LINE": Door(lambda n: _check_tree(Users(n), "/bot"), UnfitImage),
    "ladder.sandbox.docker.image_inspection:MAX_LINKS": Door(
        lambda n: taken(Users(links=n).follow("/link0", ())[1]), UnfitImage
    ),
    "ladder.sandbox.wheels.installed:MAX_RECORD_BYTES": Door(recorded, BotRejected),
    "ladder.site.accounts.own:MAX_FIELDS": Door(lambda n: own_form(fields=n), MultiPartException),
    "ladder.site.accounts.own:MAX_FIELD_BYTES": Door(lambda n: own_form(size=n), MultiPartException),
    "ladder.values.studies:MAX_TITLE": Door(lambda n: studies._title("x" * n), UserError),
    "ladder.values.studies:MAX_COMMENT": Door(lambda n: studies._comment("x" * n), UserError),
    "referee.seats.listener:MAX_WAITING": Door(waiting, BlockingIOError),
    "referee.seats.person_seat:MAX_STREAMS": Door(streams),
}
"""Limits, and where they are enforced."""


@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize("name", DOORS)
def test_a_limit_is_taken_and_one_more_is_refused(
    name: str, more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door, (where, constant) = DOORS[name], name.split(":")
    module = importlib.import_module(where)
    if door.size is not None or door.set_to is not None:
        monkeypatch.setattr(module, constant, door.set_to if door.size is None else door.size - more)
    limit = int(getattr(module, constant))
    (folder := tmp_path / "empty").mkdir()
    given = {"limit": limit, "folder": folder}
    wanted = door.tries.__code__.co_varnames[: door.tries.__code__.co_argcount]
    arguments = {key: value for key, value in given.items() if key in wanted}
    if more > 0:
        with pytest.raises(door.refused):
            door.tries(limit + more, **arguments)
    else:
        door.tries(limit + more, **arguments)


IN_THEIR_ROOMS = {
    "pigpen.rules.objections:MAX_SCORE",
    "pigpen.search:MAX_TRIED",
    "pigpen.sim.card_tree:MAX_BRANCHES_OF_ALL",
    "pigpen.sim.playout:MAX_DEALS",
    "pigpen.wire.messages:MAX_BYTES",
    "referee.records.framing:MAX_BYTES",
    "referee.seats.clock:MAX_UNASKED_CPU",
    "referee.seats.fair_wait:MAX_TIMES",
    "referee.seats.person_seat:MAX_MESSAGES",
    "referee.seats.seat_server:MAX_UNREAD",
    "referee.seats.stream_seat:MAX_STREAMS",
    "referee.seats.stream_seat:MAX_UNASKED",
    "ladder.app.accounts.device:MAX_WAITING",
    "ladder.app.accounts.passwords:MAX_WAITING",
    "ladder.app.accounts.sessions:MAX_TOKENS",
    "ladder.app.live_matches:MAX_EVENTS",
    "ladder.app.accounts.mail:MAX_ASKED",
    "ladder.app.accounts.mail:MAX_PASSWORDS",
    "ladder.mail.letter_work:MAX_AT_ONCE",
    "ladder.store.commands.letters:MAX_REFUSALS",
    "ladder.store.commands.event_entries:MAX_ENTRIES",
    "ladder.app.live_matches:MAX_KEPT",
    "ladder.app.uploads:MAX_OPEN",
    "ladder.app.supervisor:MAX_ERRORS",
    "ladder.cluster.connections:MAX_CHARACTERS",
    "ladder.matches.estimate:MAX_CHOICES",
    "ladder.people.review.studies:MAX_POSITIONS",
    "ladder.people.review.studies:MAX_STUDIES",
    "ladder.people.sessions.seat_session:MAX_MESSAGES",
    "ladder.people.sessions.seat_session:MAX_PHRASES",
    "ladder.people.sessions.seat_session:MAX_TABS",
    "ladder.people.sessions.spectators:MAX_TABS",
    "ladder.people.sessions.table_info:MAX_BYTES",
    "ladder.matches.source_prints:MAX_PRINTS",
    "ladder.matches.source_prints:MAX_SHARING",
    "ladder.registry.manifests:MAX_EXTENSIONS",
    "ladder.results.kept_sources:MAX_BYTES",
    "ladder.results.kept_sources:MAX_SOURCES",
    "ladder.runner.fleet:MAX_REASON",
    "ladder.runner.fleet_roster:MAX_LIES",
    "ladder.sandbox.bots.bot_archive:MAX_RATIO",
    "ladder.site.api.submissions:MAX_STREAMS",
    "ladder.site.server.attempts:LIMITS",
    "ladder.site.server.visitor_connection:MAX_CONNECTIONS",
    "ladder.site.server.event_streams:MAX_STREAMS",
    "ladder.site.server.routing:MAX_WAITING",
    "ladder.store.commands.organiser_rows:MAX_ANNOUNCEMENTS",
    "ladder.store.commands.computations:MAX_OF_VISITOR",
    "ladder.store.commands.computations:MAX_WAITING",
    "ladder.store.commands.coordinators:MAX_WORKERS",
    "ladder.store.commands.outbox:MAX_GIVEN_UP",
    "ladder.store.commands.webhooks:MAX_WEBHOOKS",
    "ladder.store.leases:MAX_FAILURES",
    "ladder.store.leases:MAX_LOSSES",
    "ladder.values.names:MAX_FILES",
    "ladder.values.names:MAX_LAYER_FILES",
    "ladder.webhooks.message_work:MAX_AT_ONCE",
    "ladder.webhooks.sending:MAX_ADDRESSES",
    "ladder.webhooks.sending:MAX_HEAD_BYTES",
    "ladder.worker.worker:MAX_RECORD",
}
"""Limits that need a ladder, a server or a connection; a module of tests that imports them tries them."""
INSIDE = {
    "how hard a program searches, computes or tries": (
        "pigpen.learn.single_table:MAX_DEALS", "pigpen.search:MAX_CARD_TRIALS", "pigpen.search:MAX_TREE_TRIALS",
        "pigpen.search:MAX_SEALED_DEALS", "pigpen.search:MAX_RACED_PASSES", "pigpen.search:MAX_SCREENING_DEALS",
        "pigpen.sim.card_tree:MAX_BRANCHES",
        "pigpen.sim.card_tree:SOLVE_LIMIT", "pigpen.sim.native.binding:NO_LIMIT",
        "referee.match.formats:MAX_LISTED", "ladder.events.table_costs:MAX_GAP", "ladder.events.partition:MAX_TABLES",
        "ladder.events.partition:MAX_NODES", "ladder.events.partition:MAX_COLUMNS",
        "ladder.matches.check:MAX_STARTS", "ladder.matches.choice_costs:MAX_CARDS",
        "ladder.matches.puzzles:MAX_DEALS", "ladder.matches.choice_costs:MAX_OTHERS",
        "ladder.pairing.machine_costs:MAX_TIMES", "ladder.pairing.match_length:MAX_STARTING",
        "ladder.pairing.scheduler:MAX_NEW", "ladder.pairing.suspension:MAX_CHANCE",
        "ladder.pairing.suspension:MAX_FAILED", "ladder.ratings.elo:MAX_K",
        "ladder.ratings.batch:MAX_DENSE", "ladder.ratings.pairs:MAX_FREE", "ladder.ratings.sparse:MAX_POWER",
        "ladder.ratings.circles:MAX_AGAINST", "ladder.ratings.circles:MAX_CIRCLES",
        "ladder.app.computing.alike:MAX_DEALS", "ladder.app.computing.alike:MAX_MATCHES",
        "ladder.app.computing.alike:MAX_STEP", "ladder.matches.source_prints:MAX_LINE",
        "ladder.matches.source_prints:MAX_PAIRS", "ladder.matches.source_prints:MAX_TOGETHER",
        "ladder.store.queries.alike:MAX_VERSIONS",
        "ladder.app.computing.computing_run:LIMITS", "ladder.app.computing.computing_run:MAX_PUZZLES",
        "ladder.runner.cluster_executor:MAX_ROUNDS", "ladder.runner.calibration:MAX_SPEED",
        "ladder.runner.runner:MAX_CONCURRENT", "ladder.site.pages.lesson:MAX_DEALS",
        "ladder.store.commands.estimates:MAX_VERSIONS", "ladder.store.commands.knowledge:MAX_SINCE",
        "ladder.worker.kept_folders:MAX_TRIES", "pigpen.check.run:LIMIT",
        "ladder.people.playing.table_programs:HOUSE_LIMITS", "ladder.sandbox.fork_server:LIMITS",
        "ladder.sandbox.fork_server:MAX_STEPS", "ladder.runner.fleet_admission:MAX_SLOTS",
    ),
    "how much is shown, listed or asked for at once": (
        "ladder.mail.composing:MAX_SUBJECT", "ladder.mail.composing:MAX_VALUE", "ladder.mail.smtp:MAX_ANSWER",
        "ladder.store.commands.mail_addresses:MAX_ACCOUNTS",
        "referee.records.framing:MAX_SHOWN", "referee.records.rules_file:MAX_MISTAKES",
        "referee.records.rules_file:MAX_SHOWN", "ladder.app.cluster.worker_states:MAX_NAMES",
        "ladder.app.cluster.worker_states:MAX_WORKERS", "ladder.app.computing.why:MAX_CHOICES",
        "ladder.app.computing.why:MAX_MISTAKES", "ladder.app.live_matches:MAX_RUNNING", "ladder.app.whats_new:MAX_NEWS",
        "ladder.app.remote.remote_ladder:MAX_BOTS", "ladder.app.remote.remote_ladder:MAX_MATCHES",
        "ladder.app.whats_new:MAX_UPSETS", "ladder.cli.play.play:MAX_FAULTS",
        "ladder.cluster.connections:MAX_FIELDS", "ladder.cluster.worker_facts:MAX_RUNTIMES",
        "ladder.matches.equal_answers:MAX_LISTED", "ladder.matches.reasons:MAX_REASONS",
        "ladder.matches.source_prints:MAX_LISTED",
        "ladder.events.event_file:MAX_MISTAKES", "ladder.site.pages.feeds:MAX_UNLISTED",
        "ladder.people.boards.daily_board:MAX_NAMES",
        "ladder.people.boards.played_boards:MAX_PEOPLE", "ladder.people.pages.table_pages:MAX_OPPONENTS",
        "ladder.people.review.own_games:MAX_DAYS", "ladder.people.review.own_games:MAX_GAMES",
        "ladder.people.sessions.person_state_tracker:MAX_NOTICES", "ladder.results.standing:MAX_POINTS",
        "ladder.runner.fleet_roster:MAX_NAMED", "ladder.sandbox.excerpt:MAX_LINES",
        "ladder.sandbox.wheels.uv:MAX_CHARACTERS", "ladder.site.api.routes:MAX_ROWS",
        "ladder.site.pages.events:MAX_SEATS", "ladder.site.pages.feeds:MAX_ENTRIES",
        "ladder.site.pages.feeds:MAX_UPSETS", "ladder.site.pages.replays:MAX_INBOX_MATCHES",
        "ladder.store.queries.overview:MAX_REASONS", "ladder.store.queries.puzzles:MAX_STREAK",
        "ladder.store.queries.whats_new:MAX_RESULTS", "ladder.values.matches:MAX_FAULTS",
    ),
    "how much is kept in memory or on a disk, the oldest left out": (
        "pigpen.rules.model:MAX_UNPICKLED", "pigpen.sim.native.binding:MAX_PACKED",
        "ladder.app.live_hub:MAX_SHARED", "ladder.app.accounts.passwords:MAX_ACCOUNTS",
        "ladder.people.sessions.table_info:MAX_BEHIND", "ladder.runner.cluster_dispatch:MAX_REMEMBERED",
        "ladder.runner.coordinator:MAX_REMEMBERED", "ladder.runner.fleet_roster:MAX_KNOWN",
        "ladder.sandbox.docker.image_inspection:MAX_IMAGES", "ladder.sandbox.docker.image_lock:MAX_IMAGES",
        "ladder.sandbox.docker.warm_container:MAX_USES", "ladder.sandbox.wheels.packages:MAX_ANSWERS",
        "ladder.sandbox.wheels.packages:MAX_BYTES", "ladder.site.rendering.cache:MAX_BYTES",
        "ladder.site.server.attempts:MAX_KEYS", "ladder.site.server.flows:MAX_FLOWS",
        "ladder.site.server.headers:MAX_REFUSED", "ladder.store.account_models:MAX_NOTE",
        "ladder.store.commands.puzzles:MAX_GUEST_ANSWERS", "ladder.store.last_estimate:MAX_KEPT",
        "ladder.store.lookup:MAX_ID", "ladder.worker.worker_pool:MAX_KNOWN",
    ),
    "how long something waits, or how fast something is read": (
        "ladder.app.remote.connection:MAX_PAUSE", "ladder.app.remote.logging_in:MAX_PAUSE",
        "ladder.app.remote.remote_submission:MAX_PAUSE", "ladder.cluster.connections:MAX_BURST_LINES",
        "ladder.cluster.connections:MAX_LINES_A_SECOND",
        "ladder.sandbox.docker.control_group:MAX_SECONDS", "ladder.sandbox.docker.image_build:MAX_SECONDS",
        "ladder.store.commands.coordinators:MAX_UNWRITTEN", "ladder.values.clocks:MAX_START_UP",
        "ladder.sandbox.docker.engine:MAX_CONNECTIONS", "ladder.cluster.connections:MAX_READ",
        "ladder.app.remote.remote_submission:MAX_RATIO",
    ),
    "the same limit once more, or a part of it": (
        "referee.records.framing:MAX_DEALS", "referee.records.framing:MAX_LEVELS",
        "referee.replay.retrace:MAX_MS", "referee.replay.retrace:MAX_SEATS",
        "ladder.app.remote.datasets:MAX_BYTES", "ladder.app.remote.remote_ladder:MAX_BYTES",
        "ladder.sandbox.wheels.installed:MAX_PACKED_BYTES", "ladder.values.clocks:MAX_PERSON_SECONDS",
        "ladder.site.server.context:MAX_NUMBER",
    ),
}  # fmt: skip
"""Constants that limit nothing that a user, a bot or a visitor gives, or what stands above already; and why."""


LIMIT = re.compile(r"_?MAX_\w+|(?!MIN_)(\w+_)?LIMITS?")


def constants() -> set[str]:
    """Find what is a limit by its name in the product."""
    found = set()
    for room in ("sdk/pigpen", "referee", "ladder", "pigpen_arena"):
        for path in (ROOT / room).rglob("*.py"):
            module = path.relative_to(ROOT).as_posix().removeprefix("sdk/").removesuffix(".py").replace("/", ".")
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and LIMIT.fullmatch(node.id):
                    found.add(f"{module}:{node.id}")
    return found


def test_each_limit_stands_in_one_of_the_tables() -> None:
    tables = [set(DOORS), set(IN_THEIR_ROOMS), *map(set, INSIDE.values())]
    assert sum(map(len, tables)) == len(set().union(*tables)), "a limit stands in two tables"
    assert set().union(*tables) == constants()


def test_a_limit_that_is_tried_elsewhere_is_named_there() -> None:
    texts = [path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    for where, name in (each.split(":") for each in IN_THEIR_ROOMS):
        module = where.rpartition(".")[2]
        assert any(module in text and re.search(rf"\b{name}\b", text) for text in texts), (where, name)
