"""
Many matches with one bad bot of a random kind at each table: `python -m tests.bad_bots.soak --deals 2000`.

Prints what there was before and what there is afterwards. The exit code is 1 if anything is left behind, or an honest
bot was at fault.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import os
import random
import socket
import stat
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker import containers
from ladder.sandbox.docker.base_image import ensure_base_image
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.host import scratch
from ladder.sandbox.host.scratch import OWNER, PREFIX
from pigpen import ClockSetting
from tests.bad_bots.matches import TAG, build, play
from tests.bad_bots.table import BAD_BOTS
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from docker import DockerClient

    from ladder.sandbox.base import Program
    from tests.bad_bots.matches import Outcome

DEALS_PER_MATCH = 10
TABLES = 2
"""Matches at one time."""
CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=0.5, start_up=5.0)
WARM_UP = 40
"""Deals before anything is counted: imports, pools and caches that stay."""
ONE_ARENA = -8
"""The number of M_ARENA_MAX in the C library."""
MEMORY = "memory, MiB"
MEMORY_SLACK = 32.0
"""MiB by which this process may grow: the allocator gives little back."""


def census(client: DockerClient) -> dict[str, float]:
    """Count what matches of this process might leave behind."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what the C library keeps for later is not left behind
    folders = [path for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if _is_mine(path)]
    mine = {"label": [f"{containers.OWNER}={scratch.this_process()}", "seat"]}  # one more keeps the image in memory
    return {
        "containers": len(client.api.containers(all=True, filters=mine)),
        "child processes": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
        # A pool keeps the threads that it has once needed.
        "threads": sum(not thread.name.startswith(("docker_", "asyncio_")) for thread in threading.enumerate()),
        # Of connections to the engine, too, a pool keeps as many as were once needed.
        "open files": sum(not _leads_to_engine(int(number)) for number in os.listdir("/proc/self/fd")),
        "sockets": sum(Path("/proc/net/unix").read_text().count(f" {folder}/") for folder in folders),
        "folders": len(folders),
        MEMORY: int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20,
    }


def _leads_to_engine(number: int) -> bool:
    try:
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            return False
        with socket.socket(fileno=os.dup(number)) as connection:
            return connection.family is socket.AF_UNIX and str(connection.getpeername()).endswith("docker.sock")
    except OSError:  # it is not connected, or was closed meanwhile
        return False


def _is_mine(folder: Path) -> bool:
    try:
        return (folder / OWNER).read_text() == scratch.this_process()
    except OSError:  # another process is just removing it
        return False


def left_behind(before: Mapping[str, float], after: Mapping[str, float]) -> list[str]:
    """List the things of which there are more."""
    return [name for name in after if after[name] > before[name] + (MEMORY_SLACK if name == MEMORY else 0)]


def found_here(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    """Name what there is now, for who looks for what was left behind."""
    threads = sorted(thread.name for thread in threading.enumerate())
    files = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            files.append(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return "\n".join([f"before {dict(before)}", f"after {dict(after)}", *threads, *files])


async def settled(client: DockerClient, before: Mapping[str, float]) -> dict[str, float]:
    """Count once there is no more than *before*: what threads close on their own may be there for a moment."""
    end = time.monotonic() + PATIENCE
    while {*left_behind(before, after := census(client))} - {MEMORY} and time.monotonic() < end:
        await asyncio.sleep(0.1)
    return after


@dataclass
class Tally:
    """Numbers of what has been played."""

    kinds: Counter[str] = field(default_factory=Counter)
    deals: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    honest_faults: list[str] = field(default_factory=list)

    def add(self, name: str, outcome: Outcome) -> None:
        """Take a finished match."""
        self.kinds[name] += 1
        self.deals += len(outcome.deals)
        self.verdicts.update(verdict for seat in outcome.bad for verdict in seat.faults)
        self.honest_faults += [f"beside {name}: {seat.why}\n{seat.log}" for seat in outcome.honest if seat.faults]


async def soak(image: Program, deals: int, rng: random.Random) -> Tally:
    """Play *deals* deals, a few tables at a time."""
    tally = Tally()
    left = deals

    async def play_one_table() -> None:
        nonlocal left
        while left > 0:
            now = min(left, DEALS_PER_MATCH)
            left -= now
            name = rng.choice(sorted(BAD_BOTS))
            tally.add(name, await play(name, replace(BAD_BOTS[name], deals=now, clock=CLOCK, beside="honest"), image))

    async with asyncio.TaskGroup() as tables:
        for _ in range(TABLES):
            tables.create_task(play_one_table())
    return tally


async def run(deals: int, seed: str, warm_up: int = WARM_UP) -> tuple[Tally, dict[str, float], dict[str, float]]:
    """Warm up, count, play, count again."""
    ctypes.CDLL(None).mallopt(ONE_ARENA, 1)  # with many, some 100 MiB of free memory lie about after a flood
    client = connect()
    ensure_base_image(client, print)
    with tempfile.TemporaryDirectory() as folder:
        build(client, Path(folder))
    rng = random.Random(seed)
    sandbox = DockerSandbox()
    try:
        image = await sandbox.load(BotSource("bad", image=TAG))
        await soak(image, warm_up, rng)
        before = census(client)
        tally = await soak(image, deals, rng)
        after = await settled(client, before)
    finally:
        await sandbox.close()
        client.close()
    return tally, before, after


def main() -> None:
    """Soak and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", default="soak")
    arguments = parser.parse_args()
    started = time.monotonic()
    tally, before, after = asyncio.run(run(arguments.deals, arguments.seed))
    minutes = (time.monotonic() - started) / 60
    print(
        f"{tally.kinds.total()} matches, {tally.deals} deals, {len(tally.kinds)} kinds of bad bots, {minutes:.1f} min"
    )
    print("verdicts of bad bots:", ", ".join(f"{code} {count}" for code, count in tally.verdicts.most_common()))
    print(f"{'':16}{'before':>10}{'after':>10}")
    for name in before:
        print(f"{name:16}{before[name]:>10.4g}{after[name]:>10.4g}")
    for fault in tally.honest_faults:
        print("An honest bot was at fault", fault)
    left = left_behind(before, after)
    print("Left behind:", ", ".join(left) or "nothing")
    sys.exit(bool(left or tally.honest_faults))


if __name__ == "__main__":
    main()
