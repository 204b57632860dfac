from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from pigpen.wire import transport
from pigpen.wire.transport import KNOWN, ONE_THREAD

if TYPE_CHECKING:
    from pathlib import Path

WHAT_GRPC_SEES = (
    "import os, {module}, grpc.aio; print(os.environ.get('GRPC_EXPERIMENTS'), os.environ['GRPC_VERBOSITY'])"
)


def settings(module: str, **environment: str) -> str:
    """The settings that gRPC finds once *module* has been imported; importing it must print nothing."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    command = [sys.executable, "-c", WHAT_GRPC_SEES.format(module=module)]
    done = subprocess.run(command, env=clean | environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["pigpen.client", "referee.seats.seat_server"])
def test_both_ends_run_grpc_on_one_thread_where_it_can_do_that(module: str) -> None:
    expected = ONE_THREAD if metadata.version("grpcio") == KNOWN else None
    assert settings(module) == f"{expected} ERROR"


@pytest.mark.parametrize("module", ["pigpen.client", "ladder.worker.process", "benchmarks.decision", "benchmarks.wire"])
def test_the_settings_are_made_before_grpc_reads_them(module: str) -> None:
    script = (
        f"import sys, {module}; print(*(name for name in sys.modules if name in ('grpc', 'pigpen.wire.transport')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "pigpen.wire.transport grpc\n"


def test_what_the_user_has_set_stands() -> None:
    mine = {"GRPC_EXPERIMENTS": "event_engine_client", "GRPC_VERBOSITY": "NONE"}
    assert settings("pigpen.client", **mine) == "event_engine_client NONE"


def test_another_version_of_grpc_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It would complain of switches that it does not have."""
    (tmp_path / "grpcio-1.99.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)
    importlib.reload(transport)
    assert "GRPC_EXPERIMENTS" not in os.environ
