"""
Time until the first card: four bots against four bare containers that connect. The bots are in fresh and in
warm containers, in processes that are started anew, and in processes that are forked.

The CPU time of a seat is that of the whole machine, from its start until it is cleared away, in a ladder that has run
for a while: some starts in a row count together. Nothing else may run meanwhile. Once nothing is played: the bots take
their seats and receive the end of the match; once a match of one deal is.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.bots import BARE, INSTANT, instant_spec
from benchmarks.lanes import SEATS, BareServer
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared
from benchmarks.runtimes import containers, in_each
from ladder.matches.play import play_sandboxed, sandboxed_table
from ladder.sandbox.base import SOCKET_NAME, Program, Sandbox, SeatMount
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen import MatchResult, Welcome
from pigpen.rules import new_seed
from referee.records.lines import AnyLine, DealLine

KINDS: Mapping[str, Callable[[], Sandbox]] = {
    "fresh": lambda: containers(instances="fresh"),
    "warm": lambda: containers(instances="warm"),
    "processes": lambda: ProcessSandbox(instances="fresh"),
    "forked processes": lambda: ProcessSandbox(instances="warm"),
}
"""Ways to start bots: in containers, fresh and warm, and in processes."""
IN_CONTAINERS = ("fresh", "warm")
STARTS: Mapping[str, int] = {"fresh": 2, "warm": 10, "processes": 2, "forked processes": 10}
"""Starts of four bots that count together; `WARM_UP` more before them do not count."""
WARM_UP = 2


@dataclass(frozen=True)
class Start:
    """Costs of starts of four bots."""

    millis: float
    """From the call to the first card, the mean."""
    seat: float
    """Milliseconds of CPU time for each seat, of the whole machine, until all is removed; nothing is played."""
    deal: float
    """The same with a deal."""


def pigpen_start(kind: str, count: int, warm_up: int) -> Start:
    """Start the bots of *count* matches, one after the other."""
    return asyncio.run(start_of(KINDS[kind](), count, warm_up))


async def start_of(sandbox: Sandbox, count: int, warm_up: int) -> Start:
    """Measure the same in a sandbox, which is closed in the end."""
    try:
        program = await sandbox.load(INSTANT)
        for _ in range(warm_up):
            await _play(program)
        seat = await _busy(count, lambda: take_seats(program))
        millis: list[float] = []

        async def play() -> None:
            millis.append(await _play(program))

        deal = await _busy(count, play)
        return Start(statistics.mean(millis), seat, deal)
    finally:
        await sandbox.close()


async def _busy(count: int, start: Callable[[], Awaitable[None]]) -> float:
    """Measure milliseconds of CPU time for each of four seats, the mean of *count* starts."""
    before = busy_seconds()
    for _ in range(count):
        await start()
    return (busy_seconds() - before) * 1000 / SEATS / count


async def take_seats(program: Program) -> None:
    """Let four bots take their seats, and leave."""
    spec = instant_spec(deals=1)
    async with sandboxed_table([program] * SEATS, spec.bots, lambda logs: None, deals=secrets.token_hex(32)) as seats:
        welcomes = [Welcome(spec.rules, seat, str(spec.format), spec.clock) for seat in range(SEATS)]
        await asyncio.gather(*(seat.welcome(welcome) for seat, welcome in zip(seats, welcomes, strict=True)))
        for seat in seats:
            await seat.notify(MatchResult(1, 0.0))


async def _play(program: Program) -> float:
    """Play a match of one deal; milliseconds until the first card."""
    first_card = 0.0
    started = time.perf_counter()

    def note(line: AnyLine) -> None:
        nonlocal first_card
        if isinstance(line, DealLine):
            first_card = (time.perf_counter() - started) * 1000 - sum(line.took_ms)

    await play_sandboxed(replace(instant_spec(deals=1), seed=new_seed()), [program] * SEATS, note)
    return first_card


def busy_seconds() -> float:
    """Read the seconds of CPU time that everything on this machine has used: the engine is no child of ours."""
    user, nice, system, _, _, irq, soft_irq, *_ = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
    return (user + nice + system + irq + soft_irq) / os.sysconf("SC_CLK_TCK")


def bare_millis() -> float:
    """Measure the milliseconds until four bare hardened containers have connected."""
    return asyncio.run(_bare())


async def _bare() -> float:
    sandbox = containers()
    program = await sandbox.load(BARE)
    with tempfile.TemporaryDirectory() as root:
        folders = [Path(root) / str(seat) for seat in range(4)]
        for folder in folders:
            folder.mkdir(mode=0o755)
        started = time.perf_counter()
        servers = [BareServer(f"{folder / SOCKET_NAME}") for folder in folders]
        try:
            for server, folder in zip(servers, folders, strict=True):
                await server.start()
                (folder / SOCKET_NAME).chmod(0o666)
            await asyncio.gather(*(program.start(SeatMount(folder, "x")) for folder in folders))
            for server in servers:
                await server.connected(1)
            return (time.perf_counter() - started) * 1000
        finally:
            await sandbox.close()
            for server in servers:
                await server.stop()


def measure(rounds: int, counts: Mapping[str, int] = STARTS, warm_up: int = WARM_UP) -> list[Row]:
    """Measure starts in turn, in containers under each runtime, then in processes; with a first one to warm up."""
    in_processes = [kind for kind in KINDS if kind not in IN_CONTAINERS]
    return [
        *in_each(lambda: _measured(rounds, IN_CONTAINERS, counts, warm_up)),
        *_measured(rounds, in_processes, counts, warm_up),
    ]


def _measured(rounds: int, kinds: Sequence[str], counts: Mapping[str, int], warm_up: int) -> list[Row]:
    has_bare = kinds is IN_CONTAINERS
    if warm_up:
        pigpen_start(kinds[-1], 1, warm_up)
        if has_bare:
            bare_millis()
    bare: list[float] = []
    starts: dict[str, list[Start]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        if has_bare:
            bare.append(bare_millis())
        for kind, found in starts.items():
            found.append(pigpen_start(kind, counts[kind], warm_up))
    millis = [[start.millis for start in each] for each in starts.values()]
    names = [f"four bots, {kind}: first card" for kind in starts]
    if has_bare:
        rows = compared(["four bare hardened containers, connected", *names], [bare, *millis], "ms", "bare containers")
    else:
        rows = compared(names, millis, "ms", kinds[0])
    for what, cpu in {
        "CPU of a seat": [[start.seat for start in each] for each in starts.values()],
        "CPU of a seat with its deal": [[start.deal for start in each] for each in starts.values()],
    }.items():
        rows += compared([f"{what}, {kind}" for kind in starts], cpu, "ms", kinds[0])
    return rows


PARTS = (Part("start", __doc__, measure, rounds=7),)

if __name__ == "__main__":
    run(__doc__, *PARTS)
