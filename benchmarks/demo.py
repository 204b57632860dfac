"""
Seconds of `make demo` by stage, in a fresh clone of this checkout's last commit.

Only where it is named, for it takes minutes, fetches packages, and may install an engine and gVisor on the machine, as
`make demo` does. What is on the machine already is not made again: only on a fresh one are the engine and the bot image
in the figures. *.venv* is all that `make` does before the demo itself. The match is played in runc, as matches of
one's own bots are, and the ladder's in gVisor where the engine has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.part_runner import run
from benchmarks.report import Part, Row, spread

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[1]
MARK = "stage: "
"""Begin of the line with which `scripts/demo` names its next stage."""
FIRST = ".venv"
"""The stage before the first of those lines."""


def stages(lines: Iterable[tuple[float, str]], end: float) -> dict[str, float]:
    """
    Give the seconds of each stage.

    Args:
        lines: What was printed, each line with the seconds since the start.
        end: When it was over.

    >>> stages([(1.0, "hello"), (4.0, "stage: match"), (9.0, "won"), (9.5, "stage: standings")], 10.0)
    {'.venv': 4.0, 'match': 5.5, 'standings': 0.5}
    """
    begins = [(0.0, FIRST), *((at, line.removeprefix(MARK)) for at, line in lines if line.startswith(MARK))]
    ends = [*(at for at, _ in begins[1:]), end]
    return {name: until - at for (at, name), until in zip(begins, ends, strict=True)}


def demo() -> dict[str, float]:
    """Run it once; what it prints goes to the standard error."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
        clone = Path(folder) / "pigpen"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = os.environ | {"PIGPEN_DEMO_STAGES": "1", "TMPDIR": folder}
        lines, began = [], time.perf_counter()
        with subprocess.Popen(["make", "demo"], cwd=clone, env=environment, stdout=subprocess.PIPE, text=True) as made:
            assert made.stdout is not None
            for line in made.stdout:
                lines.append((time.perf_counter() - began, line.rstrip("\n")))
                print(line, end="", file=sys.stderr, flush=True)
        end = time.perf_counter() - began
    if made.returncode:
        raise subprocess.CalledProcessError(made.returncode, "make demo")
    return stages(lines, end)


def measure(rounds: int) -> list[Row]:
    """Measure every stage, and all of it."""
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        taken = demo()
        for name, seconds in taken.items():
            found[name].append(seconds)
        found["all of it"].append(sum(taken.values()))
    return [Row(f"make demo: {name}", spread(values, " s")) for name, values in found.items()]


PARTS = (Part("demo", __doc__, measure, rounds=1, in_table=False),)

if __name__ == "__main__":
    run(__doc__, *PARTS)
