"""
What a decision costs elsewhere: python-chess and kaggle-environments with players that do not think, beside ours.

Both are installed into a folder that is thrown away afterwards; what cannot be installed is named and left out.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.decision import ENDLESS, INSTANT, instant_spec
from benchmarks.lanes import costs, table
from benchmarks.report import in_turn, ratio, show, spread
from ladder.sandbox.process import ProcessSandbox

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = Path(__file__).resolve().parent / "peers"
INSTALL_SECONDS = 120
PACKAGES = {
    "python-chess drives two processes (no rules checked, no record)": ("chess_decisions.py", [["chess"]]),
    "kaggle-environments, OpenSpiel's hearts, in one process": (
        "kaggle_decisions.py",
        [
            ["open_spiel==2.0.1", "numpy", "jsonschema", "requests", "flask", "pyjson5", "termcolor", "pyyaml"],
            ["--no-deps", "kaggle-environments==1.33.2"],  # what else it asks for (jax, transformers) is not for hearts
        ],
    ),
}
"""For each peer the script that measures it, and what is installed for that, in order."""


def ours() -> float:
    """Microseconds per decision of a match between processes."""
    return asyncio.run(_ours())


async def _ours(rounds: int = 40) -> float:
    async with AsyncExitStack() as stack:
        sandbox = ProcessSandbox()
        stack.push_async_callback(sandbox.close)
        instant = await sandbox.load(INSTANT)
        lane = await stack.enter_async_context(table(instant_spec(ENDLESS), [instant] * 4))
        (found,) = await costs([[lane]], rounds)
    return statistics.median(cost.wall for cost in found)


def theirs(python: Path, script: str) -> float:
    """Microseconds per decision that a peer's script prints."""
    done = subprocess.run([python, PEERS / script], capture_output=True, text=True, check=True, timeout=300)
    return float(done.stdout.split()[-1])


def main(rounds: int = 3) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
        peers = _installed(Path(folder))
        found = in_turn(rounds, ours, *peers.values())
    rows = [
        (name, spread(values), ratio(values, found[0]))
        for name, values in zip(("Pigpen, four processes, one table", *peers), found, strict=True)
    ]
    show("A decision here and elsewhere, with players that do not think", ("", "µs", "against ours"), rows)


def _installed(folder: Path) -> dict[str, Callable[[], float]]:
    """A measure for each peer that could be installed and tried."""
    found: dict[str, Callable[[], float]] = {}
    for number, (name, (script, packages)) in enumerate(PACKAGES.items()):
        python = folder / str(number) / "bin" / "python"
        try:
            subprocess.run([sys.executable, "-m", "venv", folder / str(number)], check=True)
            for each in packages:
                command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *each]
                subprocess.run(command, capture_output=True, check=True, timeout=INSTALL_SECONDS)
            theirs(python, script)
        except (subprocess.SubprocessError, ValueError, IndexError) as error:
            print(f"Left out: {name}: {type(error).__name__}.")
        else:
            found[name] = partial(theirs, python, script)
    return found


if __name__ == "__main__":
    main()
