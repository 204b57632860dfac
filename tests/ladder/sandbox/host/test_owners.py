from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.sandbox.host import scratch


def changed(part: int, value: str) -> str:
    words = scratch.this_process().split(" ")
    words[part] = value
    return " ".join(words)


def test_this_process_lives() -> None:
    assert not scratch.is_dead(scratch.this_process())


def test_a_reused_pid_is_another_process() -> None:
    assert scratch.is_dead(changed(4, "1"))


def test_an_earlier_boot_is_dead() -> None:
    assert scratch.is_dead(changed(1, "other-boot"))


def test_what_cannot_be_seen_from_here_counts_as_living() -> None:
    assert not scratch.is_dead(changed(0, "other-machine"))
    assert not scratch.is_dead(changed(2, "pid:[1]"))


def test_a_process_that_ended_is_dead_even_before_its_parent_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert scratch.is_dead(changed(3, str(child.pid)))
    child.wait()
    assert scratch.is_dead(changed(3, str(child.pid)))


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("value", ["x y", "9" * 5000, "٢", "\0", "é", "\n"])
def test_what_has_not_exactly_our_form_names_no_process(part: int, value: str) -> None:
    assert not scratch.is_owner(changed(part, value))
    with pytest.raises(ValueError, match="names no process"):
        scratch.is_dead(changed(part, value))


@pytest.mark.parametrize(
    "owner",
    [
        "",
        "x",
        " " * 4,
        changed(3, ""),
        changed(3, "-1"),
        changed(4, "0x1"),
        changed(2, "1"),
        "\n".join("abcde"),
        f"{scratch.this_process()}\n",
    ],
    ids=["empty", "a word", "blanks", "no pid", "negative pid", "hexadecimal", "a number", "lines", "a line"],
)
def test_other_words_name_no_process(owner: str) -> None:
    assert not scratch.is_owner(owner)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A /proc of this machine and boot, without processes."""
    boot_id = "sys/kernel/random/boot_id"
    (tmp_path / boot_id).parent.mkdir(parents=True)
    (tmp_path / boot_id).write_text((scratch.PROC / boot_id).read_text())
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to((scratch.PROC / "self/ns/pid").readlink())
    return tmp_path


def test_a_reused_pid_may_belong_to_a_program_with_any_name(proc: Path) -> None:
    (proc / "7").mkdir()
    (proc / "7" / "stat").write_bytes(b"7 (\xff) 1 (\x9b) S " + b" ".join(b"%d" % n for n in range(1, 40)))
    name = changed(3, "7").rsplit(" ", 1)[0]
    assert [scratch.is_dead(f"{name} {started}", proc) for started in ("19", "20")] == [False, True]


def test_a_process_that_proc_does_not_show_counts_as_living(proc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(pid: int, signal: int) -> None:
        raise PermissionError if pid == 7 else ProcessLookupError

    monkeypatch.setattr("os.kill", kill)
    assert [scratch.is_dead(changed(3, pid), proc) for pid in ("7", "8")] == [False, True]


def test_without_proc_a_process_is_known_by_its_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on macOS."""
    monkeypatch.setattr(scratch, "PROC", tmp_path / "proc")
    me = scratch.this_process()
    assert scratch.is_owner(me)
    assert not scratch.is_dead(me, scratch.PROC)
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    words = me.split(" ")
    assert scratch.is_dead(" ".join([*words[:3], str(child.pid), words[4]]), scratch.PROC)
