"""
Decisions per second of python-chess and kaggle-environments, with players that do not think, beside ours.

python-chess has two engines in processes; it checks no rules and writes no record. The Hearts of kaggle-environments is
OpenSpiel's, its agents are functions in its own process. Each is installed into an environment of its own under
.venv/peers, which stays for the next run; one that cannot be installed is named and left out.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from benchmarks.decision import ENDLESS, INSTANT, instant_spec
from benchmarks.lanes import costs, table
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn
from ladder.errors import SandboxError
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox

PEERS = Path(__file__).resolve().parent / "peers"
INSTALLED = Path(__file__).resolve().parents[1] / ".venv" / "peers"
INSTALL_SECONDS, RUN_SECONDS = 300, 300
PACKAGES = {
    "moves, python-chess with two engines": ("chess_decisions.py", [["chess==1.11.2"]]),
    "decisions, kaggle-environments' hearts": (
        "kaggle_decisions.py",
        [
            ["open_spiel==2.0.1", "numpy", "jsonschema", "requests", "flask", "pyjson5", "termcolor", "pyyaml"],
            ["--no-deps", "kaggle-environments==1.33.2"],  # what else it asks for (jax, transformers) is not for hearts
        ],
    ),
}
"""For each peer the script that measures it, and what is installed for that, in order."""


def ours(kind: type[ProcessSandbox | DockerSandbox]) -> float:
    """Measure decisions a second at one table."""
    return asyncio.run(_ours(kind))


OURS: dict[str, Callable[[], float]] = {
    "decisions, Pigpen, processes": partial(ours, ProcessSandbox),
    "decisions, Pigpen, containers": partial(ours, DockerSandbox),
}


async def _ours(kind: type[ProcessSandbox | DockerSandbox], deals: int = 40) -> float:
    async with AsyncExitStack() as stack:
        sandbox = kind()
        stack.push_async_callback(sandbox.close)
        instant = await sandbox.load(INSTANT)
        lane = await stack.enter_async_context(table(instant_spec(ENDLESS), [instant] * 4))
        (found,) = await costs([[lane]], deals)
    return 1e6 / statistics.median(cost.wall for cost in found)


def theirs(python: Path, script: Path, words: tuple[str, ...] = ()) -> float:
    """Measure decisions a second, as a peer's script prints them."""
    done = subprocess.run([python, script, *words], capture_output=True, text=True, check=True, timeout=RUN_SECONDS)
    return float(done.stdout.split()[-1])


def installed(script: str, packages: list[list[str]], into: Path, words: tuple[str, ...] = ()) -> Callable[[], float]:
    """Install a peer below *into*, try it, and give its measure; *words* are the arguments of its script."""
    folder = into / script.partition("_")[0]
    python = folder / "bin" / "python"
    if not (folder / "bin" / "pip").exists():  # what a venv gets last
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for each in packages:
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *each]
        subprocess.run(command, capture_output=True, check=True, timeout=INSTALL_SECONDS)
    measure = partial(theirs, python, PEERS / script, words)
    return _tried(measure)


def measure(
    rounds: int,
    ours: Mapping[str, Callable[[], float]] = OURS,
    packages: Mapping[str, tuple[str, list[list[str]]]] = PACKAGES,
    into: Path = INSTALLED,
) -> list[Row]:
    """Measure our tables and those who are installed, in turn."""
    makers: dict[str, Callable[[], Callable[[], float]]] = {
        **{name: partial(_tried, each) for name, each in ours.items()},
        **{name: partial(installed, *how, into) for name, how in packages.items()},
    }
    measures, left_out = {}, []
    for name, make in makers.items():
        try:
            measures[name] = make()
        except SandboxError as error:
            left_out.append(Row.left_out(name, error))
        except (OSError, subprocess.SubprocessError):
            left_out.append(Row.left_out(name, "pip could not install it, or it does not run"))
    if not measures:
        return left_out
    return [*compared(list(measures), in_turn(rounds, *measures.values()), "/s", next(iter(measures))), *left_out]


def _tried(measure: Callable[[], float]) -> Callable[[], float]:
    measure()
    return measure


PART = Part("other_platforms", __doc__, measure, rounds=5)

if __name__ == "__main__":
    run(__doc__, PART)
