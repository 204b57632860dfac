"""
The kernel's files on a control group, and what it forgets between tables of what containers looked up.

The names of files are tested by their description; tests/machine has the real ones.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import docker
import pytest
import structlog

from ladder.sandbox.base import Exit, Instance
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.container_plan import EngineFacts
from ladder.sandbox.docker.control_group import (
    PARENTS,
    ControlGroup,
    GroupFiles,
    files_of,
    parent_group,
    reclaim_memory,
    thaw,
    wait_for_reclaim,
)
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from tests.ladder import containers
from tests.ladder.containers import has_written, new_mount

FIRST = """9:name=systemd:/docker/abc
8:pids:/docker/abc
4:memory:/docker/abc
3:cpuset:/docker/abc
2:cpu,cpuacct:/docker/abc
1:freezer:/docker/abc
"""
SECOND = "0::/system.slice/docker-abc.scope\n"


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    (tmp_path / "groups").mkdir()
    return tmp_path / "groups"


def described(tmp_path: Path, text: str, name: str = "abc") -> GroupFiles | None:
    """The files of a process whose groups the kernel describes with *text*."""
    (tmp_path / "7").mkdir(exist_ok=True)
    (tmp_path / "7/cgroup").write_text(text)
    return files_of(7, name, tmp_path / "groups", tmp_path)


def test_the_first_generation_has_a_folder_for_each_thing(tmp_path: Path, groups: Path) -> None:
    files = described(tmp_path, FIRST)
    assert files is not None
    assert files.cpu == groups / "cpu,cpuacct/docker/abc/cpuacct.usage"
    assert files.freezer == groups / "freezer/docker/abc/freezer.state"
    assert files.cores == groups / "cpuset/docker/abc/cpuset.cpus"
    assert files.peak == groups / "memory/docker/abc/memory.max_usage_in_bytes"


def test_the_second_generation_has_one_folder_for_all(tmp_path: Path, groups: Path) -> None:
    folder = groups / "system.slice/docker-abc.scope"
    folder.mkdir(parents=True)
    (folder / "cgroup.freeze").touch()
    files = described(tmp_path, SECOND)
    assert files is not None
    assert {files.cpu, files.freezer, files.cores, files.peak} == {
        folder / name for name in ("cpu.stat", "cgroup.freeze", "cpuset.cpus", "memory.peak")
    }


def test_from_a_container_with_a_namespace_of_its_own_the_path_from_the_root_is_found(
    tmp_path: Path, groups: Path
) -> None:
    """There the kernel names the groups of others by a path that leads upwards first; the host's files are mounted."""
    folder = groups / "pigpen.slice/docker-abc.scope"
    folder.mkdir(parents=True)
    (folder / "cgroup.freeze").touch()
    files = described(tmp_path, "0::/../../pigpen.slice/docker-abc.scope\n")
    assert files is not None
    assert files.freezer == folder / "cgroup.freeze"


def test_where_both_are_there_the_second_one_freezes_and_the_first_one_keeps_what_it_controls(
    tmp_path: Path, groups: Path
) -> None:
    folder = groups / "unified/docker/abc"
    folder.mkdir(parents=True)
    (folder / "cgroup.freeze").touch()
    files = described(tmp_path, FIRST + "0::/docker/abc\n")
    assert files is not None
    assert files.freezer == folder / "cgroup.freeze"
    assert (files.cpu, files.cpu_unit) == (groups / "cpu,cpuacct/docker/abc/cpuacct.usage", 1e-9)
    assert files.cores == groups / "cpuset/docker/abc/cpuset.cpus"
    assert files.peak == groups / "memory/docker/abc/memory.max_usage_in_bytes"


@pytest.mark.parametrize("text", ["", "0::/\n", FIRST.replace("abc", "another"), "4:memory:/docker/abc\n"])
def test_a_process_in_no_such_group_has_no_files(tmp_path: Path, groups: Path, text: str) -> None:
    assert described(tmp_path, text) is None


def test_a_process_that_is_gone_has_no_files() -> None:
    assert files_of(2**22 + 1, "") is None


def test_what_may_not_be_read_or_written_is_left_undone(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    group = ControlGroup(GroupFiles(nowhere, 1.0, nowhere, b"1", b"0", nowhere / "cores", nowhere, nowhere, nowhere))
    group.freeze()
    group.thaw()
    group.pin(0)
    assert (group.cpu_time(), group.peak_memory()) == (None, None)
    group.close()
    group.close()


def test_the_last_figure_stands_when_the_group_is_gone(tmp_path: Path) -> None:
    usage = tmp_path / "cpu.stat"
    usage.write_text("usage_usec 2500000\nuser_usec 1\n")
    group = ControlGroup(GroupFiles(usage, 1e-6, usage, b"", b"", usage, usage, usage, usage))
    assert group.cpu_time() == 2.5
    group.close()
    assert group.cpu_time() == 2.5


@pytest.mark.parametrize(
    ("file", "word"),
    [("freezer/pigpen/{}/freezer.state", "THAWED"), ("unified/pigpen.slice/docker-{}.scope/cgroup.freeze", "0")],
)
def test_a_container_is_thawed_by_its_id_and_no_other(tmp_path: Path, file: str, word: str) -> None:
    one, other = (tmp_path / file.format(letter * 64) for letter in "ab")
    for each in (one, other):
        each.parent.mkdir(parents=True)
        each.write_text("frozen")
    thaw("a" * 64, tmp_path)
    assert (one.read_text(), other.read_text()) == (word, "frozen")


NAMES = 100_000
"""Far more than all others on a busy machine look up in the same seconds."""
LOOK_UPS = f"""
import os
for number in range({NAMES}):
    os.path.exists(f"/usr/lib/card-{{number}}")
"""


def test_a_group_of_the_first_generation_is_emptied_and_nothing_swapped_out(tmp_path: Path) -> None:
    folder = tmp_path / "memory/pigpen"
    folder.mkdir(parents=True)
    for name in ("memory.force_empty", "memory.swappiness"):
        (folder / name).touch()
    assert reclaim_memory("cgroupfs", tmp_path)
    assert [(folder / name).read_text() for name in ("memory.force_empty", "memory.swappiness")] == ["0", "0"]


def test_a_group_of_the_second_generation_is_reclaimed(tmp_path: Path) -> None:
    (tmp_path / "pigpen.slice").mkdir()
    (tmp_path / "pigpen.slice/memory.reclaim").touch()
    assert reclaim_memory("systemd", tmp_path)
    assert (tmp_path / "pigpen.slice/memory.reclaim").read_text() == "1T swappiness=0"


@pytest.mark.parametrize("driver", ["cgroupfs", "systemd", "none"])
def test_where_there_is_no_such_group_nothing_can_be_done(tmp_path: Path, driver: str) -> None:
    assert not reclaim_memory(driver, tmp_path)


def test_an_engine_that_makes_groups_in_another_way_gets_no_group_above(tmp_path: Path) -> None:
    assert [parent_group(driver) for driver in ("cgroupfs", "systemd", "none")] == [*PARENTS.values(), None]


@pytest.fixture
def driver(client: docker.DockerClient) -> str:
    return EngineFacts.of(client).cgroup_driver


@pytest.mark.docker
@pytest.mark.root
def test_names_that_a_container_looked_up_leave_the_kernels_memory_when_it_is_gone(
    client: docker.DockerClient, driver: str, python_image: str
) -> None:
    command = ["python3", "-c", LOOK_UPS]
    begun = before = 0
    while before <= begun + NAMES / 2:  # another sandbox on this machine may have had them reclaimed already
        begun = names_not_there()
        client.containers.run(python_image, command, cgroup_parent=PARENTS[driver], network_mode="none", remove=True)
        before = names_not_there()
    assert reclaim_memory(driver)
    assert names_not_there() < before - NAMES / 2  # others look up names meanwhile


def names_not_there() -> int:
    """Count the missing names that the kernel remembers."""
    return int(Path("/proc/sys/fs/dentry-state").read_text().split()[4])


def test_nobody_waits_for_a_kernel_that_has_work_without_end() -> None:
    with structlog.testing.capture_logs() as logs:
        wait_for_reclaim(Future(), seconds=0.0)
    assert [each["event"] for each in logs] == ["names.remembered"]


@pytest.mark.docker
async def test_every_container_is_below_that_group_and_the_kernel_forgets_before_the_next_table(
    sandbox: DockerSandbox, program: BotSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str
) -> None:
    drivers: list[str] = []

    def reclaims(driver: str) -> bool:
        drivers.append(driver)
        return True

    monkeypatch.setattr("ladder.sandbox.docker.control_group.reclaim_memory", reclaims)
    source = "print(open('/proc/self/cgroup').read())\nimport time; time.sleep(1000)"
    loaded = await sandbox.load(program)
    first = await loaded.start(new_mount(tmp_path / "first", source))
    second = await loaded.start(new_mount(tmp_path / "second", source))
    await has_written(second, ":")
    assert f"{PARENTS[driver]}/" in await second.log_tail()
    assert drivers == []  # one table: they play together
    await asyncio.gather(first.stop(), second.stop())
    for name in ("third", "fourth"):
        await loaded.start(new_mount(tmp_path / name, source))
    assert drivers == [driver]


OWN_FILES = """
import os, sys, time
looks = 0
while not os.path.exists(f"{os.path.dirname(sys.argv[0])}/go"):
    looks += 1
    print(looks, flush=True)
    time.sleep(0.01)
for name in ("cgroup", "maps", "mounts", "stat", "status"):
    with open(f"/proc/self/{name}", "rb") as file:
        file.read(1)
print("read")
"""


async def looked_again(instance: Instance, looks: int) -> int:
    """Wait until the program has looked more than *looks* times; how often it has."""
    while True:
        *_, last, _ = ["0", *(await instance.log_tail()).split("\n")]  # the line after the last whole one is not whole
        if int(last) > looks:
            return int(last)
        await asyncio.sleep(0.01)


@pytest.mark.docker
@pytest.mark.root
@pytest.mark.parametrize(
    "is_warm",
    [pytest.param(False, id="fresh", marks=pytest.mark.long), pytest.param(True, id="warm")],
)
async def test_a_program_still_reads_its_own_files_in_proc_after_it(
    is_warm: bool, client: docker.DockerClient, python_image: str, program: BotSource, tmp_path: Path, driver: str
) -> None:
    """The kernel forgets those as well, if no process has them open, and a new inode is another file to Landlock."""
    sandbox = containers.warm_sandbox() if is_warm else DockerSandbox()
    mount = replace(new_mount(tmp_path / "seat", OWN_FILES), deals="some")
    try:
        loaded = await sandbox.load(containers.build(client, python_image) if is_warm else program)
        instance = await loaded.start(mount)
        looks = 0
        for _ in range(10):
            looks = await looked_again(instance, looks)  # the first look at a file counts as a use of it
            assert await asyncio.to_thread(reclaim_memory, driver)
        (mount.folder / "go").touch()
        end, log = await instance.wait(), await instance.log_tail()
        assert (end, log.splitlines()[-1]) == (Exit(0), "read"), log
    finally:
        await sandbox.close()
