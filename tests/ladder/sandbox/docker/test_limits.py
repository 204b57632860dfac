"""A container's view of the host's files and processors: what libraries look for, nothing that another can change."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.limits import CPUINFO, KEPT, LISTS, USUAL, masked_paths, processor_files
from tests.ladder.containers import new_mount, run

LOOK = """
import json, os
CPUS = "sys/devices/system/cpu"
def readable(folder, depth):
    found = []
    for name in sorted(os.listdir(folder)):
        path = f"{folder}/{name}"
        try:
            if os.path.isdir(path):
                found += readable(path, depth - 1) if depth else []
            elif open(path, "rb").read(1):
                found.append(path)
        except OSError:
            pass
    return found
def is_terminal(path):
    try:
        return os.major(os.fstat(os.open(path, os.O_RDWR | os.O_NOCTTY)).st_rdev) != 1  # 1: /dev/null in its place
    except OSError:
        return False
host = [name for name in os.listdir("/proc") if not name.isdecimal() and not os.path.islink(f"/proc/{name}")]
others = sorted(name for name in os.listdir("/proc") if name.isdecimal() and name != str(os.getpid()))
print(json.dumps({
    "host": [path for name in host for path in
             (readable(f"/proc/{name}", 2) if os.path.isdir(f"/proc/{name}") else
              [name] if open(f"/proc/{name}", "rb").read(1) else [])],
    "sys": os.listdir("/sys"),
    "processors": {name: open(f"/{name}").read() for name in
                   ["proc/cpuinfo", *(f"{CPUS}/{name}" for name in os.listdir(f"/{CPUS}"))]},
    "own": [path.replace(str(os.getpid()), "self") for path in readable(f"/proc/{os.getpid()}", 0)],
    "others": [path for name in others for path in readable(f"/proc/{name}", 1)],
    "terminals": [path for path in ("/dev/ptmx", "/dev/pts/ptmx", "/dev/tty") if is_terminal(path)],
}))
"""


def test_all_that_a_kernel_has_in_proc_is_masked_but_a_processs_own(tmp_path: Path) -> None:
    for name in ("self", "17", "meminfo", "something_new"):
        (tmp_path / name).touch()
    paths = set(masked_paths(tmp_path))
    assert {"/proc/meminfo", "/proc/something_new", "/proc/locks"} <= paths
    assert paths & {f"/proc/{name}" for name in (*KEPT, "17")} == set()


def test_without_a_proc_the_usual_names_are_masked(tmp_path: Path) -> None:
    assert {f"/proc/{name}" for name in USUAL} <= set(masked_paths(tmp_path / "none"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seen(program: BotSource, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give all that one container can read."""
    end, output = await run(program, new_mount(tmp_path_factory.mktemp("masks") / "seat", LOOK))
    assert end == Exit(0), output
    facts: dict[str, Any] = json.loads(output)
    return facts


@pytest.mark.docker
class TestAContainer:
    def test_reads_nothing_of_the_host_but_copies_of_what_tells_of_processors(self, seen: dict[str, Any]) -> None:
        assert [seen["host"], seen["sys"]] == [["cpuinfo"], ["devices"]]
        assert seen["processors"] == dict(processor_files())

    def test_reads_of_its_own_process_only_what_depends_on_no_other_container(self, seen: dict[str, Any]) -> None:
        names = {path.rpartition("/")[2] for path in seen["own"]}
        assert {"maps", "status"} <= names
        assert names & {"smaps", "smaps_rollup", "pagemap", "numa_maps", "sched", "schedstat", "io"} == set()

    def test_reads_nothing_of_other_processes(self, seen: dict[str, Any]) -> None:
        assert seen["others"] == []

    def test_has_no_terminal_of_which_the_host_has_a_limited_number(self, seen: dict[str, Any]) -> None:
        assert seen["terminals"] == []


@pytest.mark.docker
async def test_folders_and_names_are_changed_as_ever(program: BotSource, mount: Callable[[str], SeatMount]) -> None:
    """Landlock by itself would not let a file go from one folder to another."""
    source = """
import os
os.makedirs("/tmp/a/b")
open("/tmp/x", "w").write("card")
os.rename("/tmp/x", "/tmp/a/b/y")
os.link("/tmp/a/b/y", "/tmp/z")
os.truncate("/tmp/z", 2)
print(open("/tmp/a/b/y").read(), end="")
"""
    assert await run(program, mount(source)) == (Exit(0), "ca")


HOST = """processor\t: 0
model name\t: A Processor
cpu MHz\t\t: 2445.404
flags\t\t: fpu avx2

processor\t: 1
model name\t: A Processor
cpu MHz\t\t: 1200.001
flags\t\t: fpu avx2
"""


def a_machine(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / (CPUINFO if name == "cpuinfo" else f"sys/devices/system/cpu/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_rates_that_change_with_the_work_of_others_are_left_out(tmp_path: Path) -> None:
    files = processor_files(a_machine(tmp_path, cpuinfo=HOST, online="0-1\n", possible="0-3\n", present="0-1\n"))
    assert files[CPUINFO] == re.sub("cpu MHz.*\n", "", HOST)
    assert [files[name] for name in LISTS] == ["0-1\n", "0-3\n", "0-1\n"]


def test_a_list_that_a_machine_does_not_have_names_all_processors(tmp_path: Path) -> None:
    """A library that finds none fails: cpuinfo, in onnxruntime and PyTorch, read memory that was not its own."""
    files = processor_files(a_machine(tmp_path, cpuinfo=HOST))
    assert {files[name] for name in LISTS} == {f"0-{(os.cpu_count() or 1) - 1}\n"}


def test_every_process_of_a_machine_tells_its_containers_the_same() -> None:
    here = processor_files()
    assert here[CPUINFO].count("processor\t:") == os.cpu_count()
    assert "MHz" not in here[CPUINFO]
