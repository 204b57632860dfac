from __future__ import annotations

import os
import subprocess
import sys

from ladder.sandbox import owners


def changed(part: int, value: str) -> str:
    words = owners.this_process().split(" ")
    words[part] = value
    return " ".join(words)


def test_this_process_lives() -> None:
    assert not owners.is_dead(owners.this_process())


def test_a_reused_pid_is_another_process() -> None:
    assert owners.is_dead(changed(4, "1"))


def test_an_earlier_boot_is_dead() -> None:
    assert owners.is_dead(changed(1, "other-boot"))


def test_what_cannot_be_seen_from_here_counts_as_living() -> None:
    assert not owners.is_dead(changed(0, "other-machine"))
    assert not owners.is_dead(changed(2, "pid:[1]"))


def test_a_process_that_ended_is_dead_even_before_its_parent_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert owners.is_dead(changed(3, str(child.pid)))
    child.wait()
    assert owners.is_dead(changed(3, str(child.pid)))
