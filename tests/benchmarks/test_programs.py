"""Programs beside a benchmark end with it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

BENCHMARK = """
import subprocess, sys, time
from benchmarks.programs import dying_with_us
program = "import time; print('up', flush=True); time.sleep(400)"
print(subprocess.Popen(dying_with_us(sys.executable, "-c", program)).pid, flush=True)
time.sleep(600)
"""


def test_a_program_ends_with_a_benchmark_that_is_killed() -> None:
    command = [sys.executable, "-c", BENCHMARK]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as benchmark:
        assert benchmark.stdout
        printed = {benchmark.stdout.readline().strip(), benchmark.stdout.readline().strip()}
        (program,) = printed - {"up"}
        benchmark.kill()
    while Path(f"/proc/{program}/cmdline").exists() and Path(f"/proc/{program}/cmdline").read_bytes():
        time.sleep(0.01)
