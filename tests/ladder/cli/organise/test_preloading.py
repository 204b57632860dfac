"""Imports of `pigpen up` before it forks its processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ladder.cli.organise.preloading import MODULES

PRELOADING = """
import sys, threading
from ladder.cli.organise.preloading import preload
preload()
assert threading.active_count() == 1, threading.enumerate()
print(*sys.modules)
"""


def test_all_that_the_processes_import_is_there_and_no_thread_runs() -> None:
    there = subprocess.check_output(
        [sys.executable, "-c", PRELOADING], cwd=Path(__file__).parents[4], text=True
    ).split()
    assert set(MODULES) <= set(there)
    assert {"sqlalchemy.orm", "fastapi", "grpc", "pydantic"} <= set(there)
