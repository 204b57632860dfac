"""Containers' view of the processors: the files that libraries look for, and none that another container changes."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ladder.sandbox.docker.limits import CPUINFO, LISTS, processor_files

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
