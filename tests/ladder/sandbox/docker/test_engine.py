from __future__ import annotations

import os
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.docker import engine
from ladder.sandbox.docker.engine import PatientApi, connect, engine_errors
from tests.ladder.containers import ROOT


def run_script(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "engine"], env=os.environ | environment, capture_output=True, text=True, check=False
    )


@pytest.mark.docker
def test_the_script_is_silent_when_an_engine_answers() -> None:
    done = run_script(PIGPEN_NO_INSTALL="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_script_changes_nothing_for_a_remote_engine() -> None:
    done = run_script(DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 3
    assert "unix:///nowhere/docker.sock" in done.stderr


@pytest.mark.parametrize("host", ["unix:///nowhere/docker.sock", "tcp://127.0.0.1:9"])
def test_no_engine_is_told_with_the_ways_out(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(SandboxError, match=r"scripts/engine.*--sandbox process"):
        connect()


class FakeEngine(socketserver.ThreadingUnixStreamServer):
    """Answers pings as long as it is there, and anything else when it is let."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        self.is_there = True
        self.pings = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.ends = threading.Event()
        super().__init__(str(path), FakeCalls)

    def handle_error(self, *call: object) -> None:
        """Say nothing of a caller that has gone."""


class FakeCalls(BaseHTTPRequestHandler):
    server: FakeEngine

    def do_GET(self) -> None:
        if not self.path.endswith("/_ping"):
            self.server.may_answer.wait()
        elif self.server.is_there:
            self.server.pings.release()
        else:
            self.server.ends.wait()
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def address_string(self) -> str:
        return "a file"

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeEngine]:
    with FakeEngine(tmp_path / "d.sock") as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server
        for event in (server.may_answer, server.ends):
            event.set()
        server.shutdown()
        serving.join()


@contextmanager
def api_of(fake: FakeEngine, busy_seconds: float = engine.BUSY_SECONDS) -> Iterator[PatientApi]:
    """The API of an engine that must answer within a second, or is asked whether it is there."""
    api = PatientApi(f"unix://{fake.server_address}", version="1.40", timeout=engine._UsualLimit(1))
    api.ping_seconds, api.busy_seconds = 1.0, busy_seconds
    try:
        yield api
    finally:
        api.close()


def test_an_engine_that_is_only_slow_is_waited_for(fake: FakeEngine) -> None:
    def answer_after_a_ping() -> None:
        fake.pings.acquire()
        fake.may_answer.set()

    helper = threading.Thread(target=answer_after_a_ping)
    helper.start()
    with api_of(fake) as api:
        assert api.info() == {}
    helper.join()


@pytest.mark.parametrize(
    ("is_there", "busy_seconds", "words"),
    [(False, engine.BUSY_SECONDS, "does not answer any more"), (True, 2.0, "is too busy")],
)
def test_one_that_is_gone_is_told_apart_from_one_that_is_too_busy(
    fake: FakeEngine, is_there: bool, busy_seconds: float, words: str
) -> None:
    fake.is_there = is_there
    with api_of(fake, busy_seconds) as api, pytest.raises(SandboxError, match=words), engine_errors("start a bot"):
        api.info()


def test_a_call_with_a_limit_of_its_own_keeps_it(fake: FakeEngine) -> None:
    with api_of(fake) as api, pytest.raises(SandboxError, match="does not answer"), engine_errors("wait"):
        api.get(f"{api.base_url}/info", timeout=0.1)
    assert not fake.pings.acquire(blocking=False)
