"""The class of a machine: what bots can expect of its processor."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import pytest

from ladder.sandbox.host.cores import all_cores
from ladder.sandbox.host.machine import this_machine
from ladder.values.cluster import MachineClass

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("cpuinfo", "processor"),
    [
        ("processor\t: 0\nmodel name\t: Babbage 2\nflags\t\t: gears\n", "Babbage 2"),
        ("processor\t: 0\nModel\t\t: Raspberry Pi 9\n", "Raspberry Pi 9"),
        ("processor\t: 0\n", ""),
        ("model name\t: " + "x" * 1000 + "\n", "x" * 200),
    ],
)
def test_the_kernel_says_what_the_processor_is(tmp_path: Path, cpuinfo: str, processor: str) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(cpuinfo)
    assert this_machine(file).processor == processor


def test_a_kernel_that_says_nothing_is_no_failure(tmp_path: Path) -> None:
    machine = this_machine(tmp_path / "nothing")
    assert (machine.processor, machine.architecture, machine.cores) == ("", platform.machine(), len(all_cores()))
    assert str(machine).startswith(f"{platform.machine()}, ")


def test_a_class_is_said_in_words() -> None:
    one = MachineClass(architecture="aarch64", processor="", cores=1)
    assert [str(one), str(one.model_copy(update={"processor": "Babbage 2", "cores": 8}))] == [
        "aarch64, 1 core",
        "Babbage 2, aarch64, 8 cores",
    ]
