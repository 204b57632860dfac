from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]

from benchmarks.lanes import AS_IT_COMES
from pigpen.wire.transport import LACKING, ONE_THREAD
from tests.sdk.wire import wake_ups

ROOT = Path(__file__).resolve().parents[3]
STATE = "from pigpen.wire.transport import WHY_NOT; print(WHY_NOT)"
SAME = "import os; before = dict(os.environ); import {}, grpc.aio; print(dict(os.environ) == before)"
SWITCHES = [switch.removeprefix("-").encode() for switch in ONE_THREAD.split(",")]


def printed(code: str, *folders: Path, **environment: str) -> str:
    """Run *code* with *folders* first on Python's path, and give its output; stderr must stay empty."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    clean["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    done = subprocess.run([sys.executable, "-c", code], env=clean | environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def how_it_runs(**environment: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(Path(wake_ups.__file__).read_text(encoding="utf-8"), **environment))
    return found


def test_grpc_runs_on_one_thread() -> None:
    """Threads of its pool do not take part in a call; as gRPC comes they wake several times for each."""
    tuned = how_it_runs()
    assert (tuned["why_not"], tuned["can_block"]) == (None, True)
    assert tuned["wake_ups"] < wake_ups.CALLS < how_it_runs(GRPC_EXPERIMENTS=AS_IT_COMES)["wake_ups"]


@pytest.mark.parametrize("module", ["pigpen.client", "referee.seats.seat_server", "pigpen_arena"])
def test_the_environment_stays_as_it_was(module: str) -> None:
    assert printed(SAME.format(module)) == "True"
    assert printed(SAME.format(module), GRPC_VERBOSITY="NONE", GRPC_EXPERIMENTS=ONE_THREAD) == "True"


@pytest.mark.parametrize("module", ["pigpen.client", "ladder.worker.process", "benchmarks.decision", "benchmarks.wire"])
def test_the_settings_are_made_before_grpc_reads_them(module: str) -> None:
    assert printed(f"import {module}; {STATE}") == "None"


def imports(file: Path) -> list[str]:
    """The modules that a file imports, in their order; those of a function or for types alone too."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or ""))
    return [name for _, name in sorted(found)]


def test_every_module_that_imports_grpc_imports_its_settings_before() -> None:
    users = []
    for folder in ("sdk/pigpen", "referee", "ladder", "pigpen_arena", "sample_bots"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            names = imports(file)
            used = [i for i, name in enumerate(names) if name.split(".")[0] == "grpc" or name.endswith("_pb2_grpc")]
            if used and file.parent.name != "v1" and file.name != "transport.py":
                users.append(file.name)
                assert {"pigpen.wire.transport", "pigpen.client"} & {*names[: used[0]]}, file
    assert users


def test_what_the_user_has_set_stands() -> None:
    assert "event_engine_client" in printed(STATE, GRPC_EXPERIMENTS="event_engine_client")
    assert printed(STATE, GRPC_EXPERIMENTS=f"{ONE_THREAD},event_engine_fork") == "None"


def test_grpc_that_was_imported_before_runs_as_it_comes() -> None:
    assert printed(f"import grpc; {STATE}") != "None"


def other_version(folder: Path, version: str, lacks: bytes | None = None) -> Path:
    """The grpcio that is installed, under another version, and without the switch *lacks*."""
    installed, package = Path(grpc.__file__).parent, folder / version / "grpc"
    (package / "_cython").mkdir(parents=True)
    for file in (*installed.iterdir(), *(installed / "_cython").iterdir()):
        link = package / file.relative_to(installed)
        if not link.exists():
            link.symlink_to(file)
    about, library = package / "_grpcio_metadata.py", package / "_cython" / Path(cygrpc.__file__).name
    about.unlink()
    about.write_text(f'__version__ = """{version}"""\n')
    if lacks is not None:
        library.unlink()
        shutil.copy(cygrpc.__file__, library)
        content = library.read_bytes()
        assert content.count(b"\0" + lacks + b"\0") == 1
        library.write_bytes(content.replace(b"\0" + lacks + b"\0", b"\0" + b"x" * len(lacks) + b"\0"))
    return package.parent


def test_a_later_version_that_has_the_switches_uses_them(tmp_path: Path) -> None:
    assert printed(STATE, other_version(tmp_path, "1.99.0")) == "None"


@pytest.mark.parametrize("switch", SWITCHES, ids=bytes.decode)
def test_a_later_version_without_a_switch_runs_as_it_comes_and_prints_nothing(tmp_path: Path, switch: bytes) -> None:
    folder = other_version(tmp_path, "1.99.0", switch)
    assert "1.99.0" in printed(STATE, folder)
    assert printed(SAME.format("pigpen.client"), folder) == "True"
    complains = [sys.executable, "-c", "import grpc"]
    done = subprocess.run(
        complains, env={"PYTHONPATH": str(folder), "GRPC_EXPERIMENTS": ONE_THREAD}, capture_output=True, check=True
    )
    assert LACKING in done.stderr  # so there was something to keep from the user


def test_what_else_is_printed_while_a_later_version_is_asked_is_kept(tmp_path: Path) -> None:
    folder = other_version(tmp_path, "1.99.0", SWITCHES[0])
    about = folder / "grpc" / "_grpcio_metadata.py"
    about.write_text(about.read_text() + 'import os; os.write(2, b"a warning\\n")\n')
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", STATE], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == "a warning\n"


def test_an_older_version_runs_as_it_comes(tmp_path: Path) -> None:
    assert "1.79.1" in printed(STATE, other_version(tmp_path, "1.79.1"))
