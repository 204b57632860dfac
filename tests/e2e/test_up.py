"""`pigpen up` and `pigpen serve`, really run: whatever dies is started again, and all of it ends in order."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import httpx
import pytest

from ladder.app import wheels
from ladder.app.ladder import Ladder
from ladder.app.speed import ladder_speed
from ladder.app.supervisor import STOPPING, SupervisedProcess, Supervisor
from ladder.cli.organise.serve import NO_WHEELS
from ladder.people.tables.chairs import seat_of, table_page
from ladder.people.tables.table_opening import open_table
from ladder.values.people import OpenedTable, SeatPlace, TableOrder, TableStatus, TableVisitor
from pigpen.version import __version__
from tests.e2e.accounts import FIRST, assert_no_log_has, browser, handlers_as_before, use_every_secret
from tests.e2e.command import PIGPEN, ROOT, environment, pigpen, pigpen_process
from tests.e2e.small_ladder import PATIENT, SmallLadder, awaited, events, small_ladder, waiting_for
from tests.ladder import registries
from tests.ladder.site.certificates import make_pair
from tests.ports import free_port
from tests.processes import children, has_ended
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")
TWO = (signal.SIGINT, signal.SIGTERM)
SIGNALS = pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
"""Two of the same number might come as one."""
PARTS = {
    "--fd": "The site",
    "compute": "The runner of estimates",
    "tables": "The runner of tables",
    "run": "The runner of matches",
}
"""Names of the processes of `pigpen up`, by the words by which they are known."""
REGISTRY = {"docker-registry": "The registry"}
SUPERVISOR = """
import pathlib, sys
from ladder.app.supervisor import SupervisedProcess, Supervisor
parts = [SupervisedProcess(name, ["1000"], pathlib.Path(sys.argv[1], name), program=sys.argv[2]) for name in "ab"]
Supervisor(parts, print).run()
"""
"""Runs two programs that do nothing."""


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def ladder(tmp_path: Path, gate: Path) -> Iterator[SmallLadder]:
    """A ladder whose bots answer no question before there is a file *gate*."""
    with small_ladder(tmp_path, program=waiting_for(gate)) as ladder:
        yield ladder


class Running:
    """`pigpen up` or `pigpen serve` while it runs."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        assert program.stdout is not None
        self.program = program
        self.first = program.stdout.readline()
        self.address = self.first.removeprefix("The site is at ").strip()

    def until(self, line: re.Pattern[str]) -> list[str]:
        """Read its further output up to such a line."""
        assert self.program.stdout is not None
        lines = [self.program.stdout.readline()]
        while lines[-1] and not line.fullmatch(lines[-1]):
            lines.append(self.program.stdout.readline())
        return lines

    def part(self, word: str) -> int:
        """The process of `pigpen WORD`, or of the program WORD, when there is one."""
        return until(lambda: next((pid for pid in children(self.program.pid) if is_of(word, arguments(pid))), 0))

    def page(self, path: str = "") -> str:
        """A page of the site, when it answers."""

        def ask() -> str:
            try:
                response = httpx.get(self.address + path, timeout=PATIENCE)
            except httpx.TransportError:  # the one that would have answered was killed
                return ""
            assert response.status_code == 200
            return response.text

        return until(ask)

    def after_killing(self, word: str) -> str:
        """Kill the process of `pigpen WORD`, and wait for its end; what the supervisor says of it."""
        assert self.program.stderr is not None
        killed = self.part(word)
        os.kill(killed, signal.SIGKILL)
        until(lambda: has_ended(killed))
        return self.program.stderr.readline()

    def end(self, *signals: int) -> tuple[int, str, str]:
        """Send signals and wait; its exit code, and what else it printed."""
        for number in signals:
            self.program.send_signal(number)
        out, err = self.program.communicate(timeout=PATIENCE)
        return self.program.returncode, out, err


@contextmanager
def running(ladder: SmallLadder, *words: str, **extra: str) -> Iterator[Running]:
    """``pigpen WORDS`` at a free port; killed at the end if it still runs."""
    with subprocess.Popen(
        [PIGPEN, *words], cwd=ladder.settings.data_dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(**ladder.variables(PIGPEN_SITE_PORT=str(free_port()), **extra)),
    ) as program:  # fmt: skip
        try:
            yield Running(program)
        finally:
            program.kill()


def arguments(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:  # it has just ended
        return []


def is_of(word: str, command: list[str]) -> bool:
    return word in command or any(Path(first).name == word for first in command[:1])  # nothing: it has just ended


def done(ladder: SmallLadder, count: int) -> bool:
    return ladder.statuses()["done"] >= count


def assert_ended(*parts: int) -> None:
    until(lambda: all(map(has_ended, parts)))


def assert_nothing_is_left(ladder: SmallLadder, *parts: int) -> None:
    assert_ended(*parts)
    until(lambda: ladder.processes() == [])


@SIGNALS
def test_whatever_is_killed_comes_back_and_one_signal_finishes_the_matches_and_then_ends_the_site(
    ladder: SmallLadder, gate: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Its registry, too, on a machine that has one.

    The first organiser comes by a link that is printed, and neither that nor another secret is in any log.
    """
    port = free_port()
    parts, words = (PARTS | REGISTRY, ("--registry", str(port))) if registries.program() else (PARTS, ())
    with running(ladder, "up", *words, **PATIENT) as up, Ladder.open(ladder.settings) as its:
        before = {word: up.part(word) for word in parts}
        opened = open_table(its, TableOrder(variant="hearts"), TableVisitor())
        lines = up.until(FIRST)
        link = FIRST.fullmatch(lines[-1])
        assert link is not None
        assert link[1].startswith(f"{up.address}register?invitation=pgi_")
        assert up.page("healthz")
        with browser(up.address) as client:
            secrets = use_every_secret(client, link[1])
        place = until(lambda: listening(its, opened))
        assert place
        assert "Hearts for two" in up.page("v/for-two")
        until(ladder.processes)
        challenge = f'Bearer realm="{up.address}api/v1/registry/token",service="pigpen"' if words else ""
        if words:
            assert until(lambda: asked(f"http://127.0.0.1:{port}/v2/")) == challenge
            assert httpx.get(f"{up.address}api/v1/registry/token?service=pigpen", timeout=PATIENCE).status_code == 401
        for word, what in parts.items():
            assert re.match(rf"{what} .*\(exit code -9\).* again in 1 s\.", up.after_killing(word))
        assert "Hearts for two" in up.page("v/for-two"), "at the same address"
        again = until(lambda: listening(its, opened, place.attempt))
        assert again
        assert again.token != place.token
        if words:
            assert until(lambda: asked(f"http://127.0.0.1:{port}/v2/")) == challenge
        gate.touch()
        until(lambda: done(ladder, 2))
        until(lambda: up.page("m").count('href="/m/') >= 2)
        after = {word: up.part(word) for word in parts}
        assert not set(before.values()) & set(after.values())
        gate.unlink()
        awaited(gate).unlink()
        until(awaited(gate).exists)
        up.program.send_signal(number)
        under_way, ended = ladder.statuses()["leased"], ladder.statuses()["done"]
        assert under_way
        assert up.page("m"), "the site stays until the matches are over"
        gate.touch()
        code, out, err = up.end()
    assert (code, err) == (0, f"{STOPPING[0]}\n")
    assert any(line.endswith(f" 127.0.0.1:{port}\n") for line in lines) == bool(words)
    assert "no organiser" not in out
    assert set(ladder.statuses()) <= {"done", "queued"}
    assert ladder.statuses()["done"] > ended
    assert_nothing_is_left(ladder, *before.values(), *after.values())
    with Ladder.open(ladder.settings) as its:
        assert table_page(its, opened.name).status == TableStatus.READY, "the next run continues it"
    assert_no_log_has(secrets, ladder)
    logs = ladder.settings.data_dir / "logs"
    assert "match.finished" in (logs / "ladder.jsonl").read_text()
    assert {path.name: events(path.read_text()) for path in logs.glob("*.err")} == {
        f"{name}.err": [] for name in ("site", "ladder", "tables", "computing", *["registry"] * bool(words))
    }
    with handlers_as_before():
        monkeypatch.setattr(Supervisor, "run", lambda its: None)
        second_output = ladder.pigpen("up", "--port", "0", **PATIENT).stdout.splitlines()
    site, *more, folder = second_output
    assert (site.startswith("The site is at "), folder.startswith("The ladder is in ")) == (True, True)
    with Ladder.open(ladder.settings) as its:
        speed = ladder_speed(its)
    assert [line for line in more if "no wheels" not in line] == [speed], "and nothing of a first organiser"


def test_the_parts_can_also_be_started_as_programs(ladder: SmallLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []
    monkeypatch.setattr(SupervisedProcess, "start", lambda its: commands.append(its.arguments))
    monkeypatch.setattr(Supervisor, "run", lambda its: [part.start() for part in its._parts])
    with handlers_as_before():
        assert ladder.pigpen("up", "--port", "0").returncode == 0
    assert len(commands) == len(PARTS)
    for words in commands:
        assert pigpen(*words, "--help").returncode == 0, words


@pytest.mark.parametrize("has_wheels", [True, False])
def test_up_says_if_the_site_has_no_wheels_to_hand_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_wheels: bool
) -> None:
    folder = tmp_path / "data" / "wheels"
    monkeypatch.setattr(wheels.find_wheels, "__defaults__", (tmp_path,))  # no checkout
    monkeypatch.setattr(Supervisor, "run", lambda its: None)
    if has_wheels:
        folder.mkdir(parents=True)
        for name in ("pigpen_sdk", "pigpen_arena"):
            (folder / f"{name}-{__version__}-py3-none-any.whl").write_bytes(b"")
    variables = {"PIGPEN_DATA_DIR": str(folder.parent), "PIGPEN_SANDBOX": "process"}
    with handlers_as_before():
        done = pigpen("up", "--port", "0", folder=tmp_path, **variables)
    assert (done.returncode, NO_WHEELS.format(folder) in done.stdout) == (0, not has_wheels)


def test_a_killed_supervisor_leaves_no_process(tmp_path: Path) -> None:
    sleep = shutil.which("sleep")
    assert sleep is not None
    with subprocess.Popen([sys.executable, "-c", SUPERVISOR, tmp_path, sleep], cwd=ROOT) as program:

        def sleeping() -> list[int]:
            return [pid for pid in children(program.pid) if arguments(pid)[:1] == [sleep]]

        try:
            until(lambda: len(sleeping()) == 2)
            both = sleeping()
        finally:
            program.kill()
    assert_ended(*both)


@pytest.mark.long
def test_a_killed_pigpen_up_leaves_no_process(ladder: SmallLadder) -> None:
    with running(ladder, "up", **PATIENT) as up:
        parts = up.part("serve"), up.part("run")
        until(ladder.processes)
        up.end(signal.SIGKILL)
    assert_nothing_is_left(ladder, *parts)


def listening(ladder: Ladder, opened: OpenedTable, after: int = 0) -> SeatPlace | None:
    place = seat_of(ladder, opened.name, opened.secrets[0])
    return place if place.address and place.attempt > after else None


@pytest.mark.long
def test_a_second_signal_gives_the_matches_back(ladder: SmallLadder) -> None:
    with running(ladder, "up", **PATIENT) as up:
        up.page()
        parts = up.part("serve"), up.part("run")
        until(ladder.processes)
        code, _, err = up.end(*TWO)
    assert (code, err.splitlines()) == (0, list(STOPPING))
    assert set(ladder.statuses()) == {"queued"}
    assert_nothing_is_left(ladder, *parts)


def test_a_port_that_is_taken_is_said_in_a_sentence(ladder: SmallLadder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for command in ("up", "serve"):
            refused = ladder.pigpen(command, "--port", str(port))
            assert (refused.returncode, refused.stdout) == (2, "")
            in_use = os.strerror(errno.EADDRINUSE)
            assert refused.stderr.startswith("pigpen: The site ")
            assert f" '127.0.0.1', port {port}: {in_use}. " in refused.stderr
            assert refused.stderr.endswith(" --host and --port.\n")
            assert refused.stderr.count("\n") == 1
        refused = ladder.pigpen("serve", "--host", "192.0.2.1")
        assert refused.returncode == 2
        assert " listen at '192.0.2.1', port any: " in refused.stderr


@pytest.mark.parametrize("command", ["up", "serve"])
def test_plain_http_for_other_machines_is_refused_in_a_sentence(ladder: SmallLadder, command: str) -> None:
    refused = ladder.pigpen(command, "--host", "0.0.0.0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert " serve plain HTTP at '0.0.0.0': " in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [("up",), ("ladder", "run")], ids=" ".join)
def test_a_folder_for_temporary_files_with_a_long_path_is_refused(
    ladder: SmallLadder, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Bots could not be reached there, however often it was tried again."""
    folder = tmp_path / ("x" * 62)
    folder.mkdir()
    refused = ladder.pigpen_process(*command, TMPDIR=str(folder))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f": {folder}. Set TMPDIR " in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.long
def test_the_site_and_its_processes_speak_https(ladder: SmallLadder, tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    files = str(pair.certificate), str(pair.key)
    trusting = ssl.create_default_context(cafile=str(pair.certificate))
    with running(ladder, "up", "--host", "0.0.0.0", "--tls", *files) as up:
        assert up.address.startswith("https://127.0.0.1:")
        assert httpx.get(f"{up.address}healthz", verify=trusting, timeout=PATIENCE).text == "ok\n"
        assert up.end(*TWO)[0] == 0
    refused = ladder.pigpen_process("up", "--tls", files[1], files[0])
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"pigpen: {files[1]!r} holds no certificate ")


@SIGNALS
def test_the_site_alone_makes_its_ladder_takes_a_port_and_serves_until_a_signal(
    tmp_path: Path, number: signal.Signals
) -> None:
    data_dir = tmp_path / "new"
    variables = environment(PIGPEN_DATA_DIR=str(data_dir), PIGPEN_SITE_PORT=str(free_port()))
    with serving(tmp_path, variables) as one, serving(tmp_path, variables, "--port", "0") as other:
        assert f":{variables['PIGPEN_SITE_PORT']}/" in one.address
        assert one.address != other.address, "another port is taken"
        for each in (one, other):
            assert each.address.startswith("http://127.0.0.1:")
            assert "No bot has entered yet." in each.page()
            assert each.page("healthz") == "ok\n"
            assert children(each.program.pid) == [], "a site alone plays no matches"
        done = pigpen_process("table", "hearts", "--json", folder=tmp_path, PIGPEN_DATA_DIR=str(data_dir))
        assert done.returncode == 0, done.stderr
        link = json.loads(done.stdout)["links"]["0"]
        assert link.startswith((f"{one.address}play/", f"{other.address}play/")), "links lead to where the site listens"
        assert one.end(number) == (0, "", "")
    assert '"path": "/healthz"' in (data_dir / "logs" / "site.jsonl").read_text()


@contextmanager
def serving(folder: Path, variables: Mapping[str, str], *words: str) -> Iterator[Running]:
    """``pigpen serve WORDS``; killed at the end if it still runs."""
    with subprocess.Popen(
        [PIGPEN, "serve", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables
    ) as program:
        try:
            yield Running(program)
        finally:
            program.kill()


def asked(address: str) -> str:
    """Give a registry's answer to a client without a token; nothing if it does not answer."""
    try:
        return str(httpx.get(address, timeout=PATIENCE).headers.get("www-authenticate", ""))
    except httpx.TransportError:
        return ""


@pytest.mark.registry
def test_a_registry_whose_port_is_taken_is_refused_in_a_sentence(ladder: SmallLadder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ladder.pigpen("up", "--registry", str(port), PIGPEN_SITE_PORT=str(free_port()))
    assert (done.returncode, f" registry cannot listen at 127.0.0.1:{port}" in done.stderr) == (2, True)
