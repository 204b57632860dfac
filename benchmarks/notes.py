"""
What two containers can tell one another through what they share, in bits, with the walls and without them.

Notes pass from a container that has ended to a fresh one of the same image, as from one rotation of a board to the
next; hands pass between two living ones on one core, as between two seats of a table. Both sides know what is told, so
the figures are what the best of the decoders tried here could get: thresholds calibrated on one half of the rounds, the
information measured on the other, less what the same decoder finds in other messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.report import show
from ladder.bots import BotSource
from ladder.content import archive
from ladder.engine import connect
from ladder.image_build import build_image
from ladder.images import LATEST, ensure_base_image
from ladder.sandbox.base import Place, Program, SandboxError
from ladder.sandbox.docker import DockerSandbox
from tests.bad_bots.channels import AREA, HANDS, NOTES

ROOT = Path(__file__).resolve().parents[1]
INSIDE = {"benchmarks/passing.py": "program.py", "tests/bad_bots/channels.py": "tests/bad_bots/channels.py"}
TAG = "pigpen/benchmark:notes"
BOARDS = 8
NOTE_BITS = 104
"""The owners of 52 cards."""
PAGES = AREA * BOARDS * len(NOTES)
DOCKERFILE = f"""
ARG BASE
FROM ${{BASE}}
USER root
RUN head -c {PAGES * 4096} /dev/zero > /pages && chmod 666 /pages
CMD ["python", "-u", "/run/pigpen/program.py"]
"""

SLOTS = {"pseudo terminals left": 3.0, "futex, woken by a thread's end": 1.0, "numbers of processes (pidfd)": 0.4}
"""Seconds of one round where it takes longer than usual."""
SLOT = 0.1
PATIENCE = 120.0
"""Seconds after which a measurement has failed."""
TAKE_BACK = {"pseudo terminals left", "Shmem in /proc/meminfo", "sysinfo(2)", "shares in /proc/self/smaps"}
"""What is measured against where it stood at the beginning of a round."""
WAITING = {"futex, woken by a thread's end": 0.1}
"""Where the reader begins before the writer: the part of the slot at which it looks."""


@dataclass(frozen=True)
class Found:
    """What one way carried."""

    bits: float = 0.0
    seconds: float = 0.0
    """What telling and looking take."""
    right: float = 0.5
    why: str = ""
    """Why nothing could be tried."""


async def run(program: Program, task: dict[str, Any], core: int | None = None) -> dict[str, Any]:
    """Do a task in a container of its own; what it found."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for source, path in INSIDE.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, folder / path)
        (folder / "task.json").write_text(json.dumps(task))
        instance = await program.start(Place(folder, "x", core=core))
        try:
            instance.keeper.seated()
            end = await asyncio.wait_for(instance.wait(), PATIENCE)
            log = await instance.log_tail()
        finally:
            await instance.stop()
    reports = re.findall(r"found (\{.*\})$", log, re.MULTILINE)
    if not reports:
        last = (log.strip().splitlines() or ["it wrote nothing"])[-1]
        return {"refused": f"{end}: {last}"[:60]}
    found: dict[str, Any] = json.loads(reports[-1])
    return found


async def notes(program: Program, way: str, rounds: int) -> Found:
    """Bits that a board's note tells a fresh container."""
    area = BOARDS * list(NOTES).index(way)
    task = {"way": way, "area": area, "bits": NOTE_BITS, "rounds": BOARDS}
    carried: list[dict[str, Any]] = []
    for number in range(rounds):
        task |= {"seed": number, "run": secrets.token_hex(4)}
        written = await run(program, {**task, "role": "tell notes"})
        read = await run(program, {**task, "role": "look at notes"})
        if "refused" in read:
            return Found(why=read["refused"])
        if "refused" in written:
            return Found(why=written["refused"])
        carried.append(read)
    return _mean(carried)


async def hands(program: Program, way: str, rounds: int) -> Found:
    """Bits that one look tells a neighbour."""
    slot = SLOTS.get(way, SLOT)
    task = {
        "way": way,
        "seed": 1,
        "run": secrets.token_hex(4),
        "rounds": 16 * rounds if slot == SLOT else 4 * rounds,
        "slot": slot,
        "start": time.monotonic() + 4.0,
        "look at": WAITING.get(way, 0.6),
        "takes back": way in TAKE_BACK,
    }
    told, read = await asyncio.gather(
        *(run(program, {**task, "role": role}, core=0) for role in ("tell hands", "look at hands"))
    )
    for one in (read, told):
        if "refused" in one:
            return Found(why=one["refused"])
    return _mean([read], told["took"] + read["took"])


def _mean(found: list[dict[str, Any]], seconds: float = 0.0) -> Found:
    bits, right = (sum(one[key] for one in found) / len(found) for key in ("bits", "right"))
    chance = sum(one["chance"] for one in found) / len(found)
    return Found(max(0.0, bits - chance), seconds, right)


Measure = Callable[[Program, str, int], Awaitable[Found]]
MEASURES: list[tuple[str, Measure, str]] = [
    *((f"note: {way}", notes, way) for way in NOTES),
    *((f"hand: {way}", hands, way) for way in HANDS),
]


async def regime(runtime: str, picked: str, rounds: int) -> list[Found]:
    """What each way carries under one runtime."""
    sandbox = DockerSandbox(runtime)
    found: list[Found] = []
    try:
        program = await sandbox.load(BotSource("notes", image=TAG))
        for name, measure, way in MEASURES:
            if picked in name:
                found.append(await measure(program, way, rounds))
                print(name, found[-1], flush=True)
    finally:
        await sandbox.close()
    return found


def build() -> None:
    """Make the image: Python, and a file of many pages."""
    client = connect()
    ensure_base_image(client, print)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Dockerfile").write_text(DOCKERFILE)
        build_image(client, archive(Path(name)), tag=TAG, labels={}, arguments={"BASE": LATEST})
    client.close()


@contextmanager
def without_walls() -> Iterator[None]:
    """As containers were started before there were walls."""
    yield


REGIMES: dict[str, tuple[str, Callable[[], AbstractContextManager[None]]]] = {
    "before": ("runc", without_walls),
    "walls": ("runc", nullcontext),
    "gvisor": ("runsc", nullcontext),
}


def figure(found: Found, is_note: bool) -> str:
    """Bits of a note or of a look, and how many a second."""
    if found.why:
        return f"0: {found.why}"
    text = f"{found.bits:.1f} ({100 * found.right:.0f} % right)"
    return text if is_note else f"{text}, {found.bits / found.seconds:,.0f}/s"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how long to measure (default: 5)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the ways with this in their names")
    known = ", ".join(REGIMES)
    parser.add_argument("--with", dest="regimes", nargs="+", choices=REGIMES, default=["before", "walls"], help=known)
    options = parser.parse_args()
    build()
    columns: list[list[Found]] = []
    for name in options.regimes:
        runtime, around = REGIMES[name]
        with around():
            try:
                columns.append(asyncio.run(regime(runtime, options.only, options.rounds)))
            except SandboxError as error:
                raise SystemExit(f"{name}: {error}") from None
    names = [name for name, _, _ in MEASURES if options.only in name]
    rows = [
        [name, *(figure(column[row], name.startswith("note")) for column in columns)] for row, name in enumerate(names)
    ]
    title = f"{machine()}\nBits a board for notes, of {NOTE_BITS}; bits a look, and a second, for hands"
    show(title, ["", *options.regimes], rows, words=range(1 + len(columns)))


if __name__ == "__main__":
    main()
