"""The class of a machine, which is what bots can expect of its processor, and its cores."""

from __future__ import annotations

import os
import platform
from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING

import pytest

from ladder.sandbox.host import machine as cores_module
from ladder.sandbox.host.machine import Cores, all_cores, bot_cores, default_slots, overrides_modes, this_machine
from ladder.values.cluster import MachineClass

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1024**3


@pytest.mark.parametrize(("all_cores", "for_bots"), [({0}, (0,)), ({0, 1}, (1,)), ({2, 5, 7}, (5, 7))])
def test_the_first_core_is_left_to_the_referee(
    all_cores: set[int], for_bots: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: all_cores)
    assert bot_cores() == for_bots


@pytest.mark.parametrize(
    ("memory", "slots"),
    [(0, 3), (10 * GIB, 1), (4 * GIB + 1, 1), (4 * GIB, 2), (8 * GIB // 3, 3), (GIB, 3)],
)
def test_a_machine_plays_as_many_matches_as_its_cores_and_its_memory_hold(
    memory: int, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2})
    monkeypatch.setattr(cores_module, "machine_memory", lambda: 8 * GIB)
    assert default_slots(memory) == slots


def test_tables_are_spread_over_the_cores() -> None:
    cores = Cores((1, 2, 3), Random(0))
    with ExitStack() as tables:
        taken = [tables.enter_context(cores.lease()) for _ in range(6)]
        assert sorted(taken) == [1, 1, 2, 2, 3, 3]
        assert sorted(taken[:3]) == [1, 2, 3]


def test_a_core_is_free_again_when_its_table_ends() -> None:
    cores = Cores((1, 2), Random(0))
    with cores.lease() as first, cores.lease() as second:
        assert first != second
    with cores.lease() as kept:
        with cores.lease() as other:
            pass
        with cores.lease() as again:
            assert again == other != kept


@pytest.mark.parametrize(
    ("cores", "count", "shares"),
    [((1, 2, 3, 4), 2, [{1, 3}, {2, 4}]), ((1, 2), 3, [{1}, {2}, {1}]), ((0,), 2, [{0}, {0}])],
)
def test_processes_divide_the_cores(cores: tuple[int, ...], count: int, shares: list[set[int]]) -> None:
    for number, share in enumerate(shares):
        mine = Cores(cores, Random(0))
        mine.share(number, count)
        with ExitStack() as tables:
            assert {tables.enter_context(mine.lease()) for _ in range(4)} == share


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


@pytest.mark.parametrize(
    ("line", "overrides"),
    [
        ("CapEff:\t0000000000000002", True),
        ("CapEff:\t000001ffffffffff", True),
        ("CapEff:\t0000000000000400", False),
        ("CapEff:\t0000000000000000", False),
    ],
)
def test_who_may_write_what_modes_forbid_is_told_by_capability(line: str, overrides: bool, tmp_path: Path) -> None:
    status = tmp_path / "status"
    status.write_text(f"Name:\tpigpen\nCapInh:\t0000000000000002\n{line}\nCapBnd:\t0000000000000002\n")
    assert overrides_modes(status) is overrides
