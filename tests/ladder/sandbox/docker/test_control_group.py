"""The kernel's files: their names by description; tests/machine has the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from ladder.sandbox.docker.control_group import ControlGroup, GroupFiles, files_of, thaw

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
