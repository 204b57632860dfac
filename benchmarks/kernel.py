"""
Cost of a kernel for each container: starts and matches under runc and under gVisor, in turn in one run.

Four bots at a table, in warm containers unless it says fresh; nothing else may run meanwhile. What the clock charges is
the CPU time of the containers' control groups, in which gVisor's own kernel is, too.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bots import HERE, RULES, instant_spec
from benchmarks.growth import Watched
from benchmarks.part_runner import machine, parser_of
from benchmarks.report import ratio, show, spread
from benchmarks.start import Start, start_of
from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.starter import WarmInstance
from ladder.sandbox.host.memory import MIB
from ladder.values.sandbox_kind import GVISOR, SHARED
from pigpen.rules import new_seed
from referee.match.formats import Format
from referee.records.lines import DealLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.records.lines import AnyLine

RUNTIMES = (SHARED, GVISOR)
BLOCKS: Mapping[int, int] = {0: 0, 1: 24, 10: 240}
"""By milliseconds that a bot thinks: blocks of 64 KiB that it hashes, which take about that time under any kernel."""
DEALS: Mapping[int, int] = {0: 12, 1: 8, 10: 4}
"""Deals of a match of such bots, at one table; a fourth of them are boards of a rated match."""


@dataclass(frozen=True)
class Cost:
    """Costs of bots of one kind under one runtime."""

    deal: float
    """Milliseconds of a deal at one table, the median."""
    decisions: float
    """Decisions in a second of it."""
    charged: float
    """Milliseconds that the clock charges for a decision, the mean."""
    memory: float
    """MiB that a seat's container has."""
    minute: float
    """Deals in a minute of a rated match, starts included."""


def bot_of(millis: int, folder: Path) -> BotSource:
    """Write a bot that thinks for about that time."""
    shutil.copytree(HERE / "working", folder / f"working{millis}")
    file = folder / f"working{millis}" / "bot.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("LITTLE, MUCH = 60, 1200", f"LITTLE, MUCH = {BLOCKS[millis]}, {BLOCKS[millis]}"))
    return BotSource(f"working{millis}", folder=file.parent)


async def cost_of(runtime: str, bot: BotSource, deals: int) -> Cost:
    """Play one match that warms up, one at one table, and a rated one."""
    sandbox = DockerSandbox(runtime, instances="warm")
    try:
        watched = Watched(await sandbox.load(bot), [])
        lines: list[DealLine] = []
        memory: list[int] = []

        def keep(line: AnyLine) -> None:
            if isinstance(line, DealLine):
                lines.append(line)
                running = [each for each in watched.instances if isinstance(each, WarmInstance)]
                memory.extend(each.container.group.memory() or 0 for each in running[-4:])

        async def play(form: Format) -> float:
            lines.clear()
            begun = time.perf_counter()
            spec = replace(instant_spec(), format=form, seed=new_seed())
            await play_sandboxed(spec, [watched] * 4, keep)
            return time.perf_counter() - begun

        await play(Format(1))
        await play(Format(deals))
        took = [sum(line.took_ms) for line in lines]
        asked = [sum(step.by == "bot" for step in line.steps) for line in lines]
        charged = sum(sum(each or 0 for each in line.cpu_ms or ()) for line in lines) / sum(asked)
        whole = await play(Format(boards=max(1, deals // 4)))
        return Cost(
            statistics.median(took),
            sum(asked) * 1000 / sum(took),
            charged,
            statistics.median(memory) / MIB,
            len(lines) * 60 / whole,
        )
    finally:
        await sandbox.close()


async def start_under(runtime: str, instances: str) -> Start:
    """Measure what starts of four bots take."""
    warm = instances == "warm"
    return await start_of(DockerSandbox(runtime, instances="warm" if warm else "fresh"), 6 if warm else 2, 1)


def main(rounds: int) -> None:
    """Measure and print."""
    print(machine())
    starts: dict[tuple[str, str], list[Start]] = {}
    costs: dict[tuple[str, int], list[Cost]] = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            bots = {millis: bot_of(millis, Path(folder)) for millis in BLOCKS}
            for instances in ("fresh", "warm"):
                for runtime in RUNTIMES:
                    starts.setdefault((runtime, instances), []).append(asyncio.run(start_under(runtime, instances)))
            for millis, bot in bots.items():
                for runtime in RUNTIMES:
                    print(f"bots of {millis} ms under {runtime} …", file=sys.stderr, flush=True)
                    cost = asyncio.run(cost_of(runtime, bot, DEALS[millis]))
                    costs.setdefault((runtime, millis), []).append(cost)

    def row(what: str, unit: str, *values: list[float]) -> tuple[str, ...]:
        return what, spread(values[0], unit), spread(values[1], unit), ratio(values[1], values[0])

    rows = []
    for instances in ("fresh", "warm"):
        for what, field in (("first card", "millis"), ("CPU of a seat", "seat")):
            values = [[getattr(each, field) for each in starts[runtime, instances]] for runtime in RUNTIMES]
            rows.append(row(f"{instances}: {what}", " ms", *values))
    for millis in BLOCKS:
        for what, field, unit in (
            ("a deal", "deal", " ms"), ("decisions a second", "decisions", ""),
            ("charged for a decision", "charged", " ms"), ("memory of a seat", "memory", " MiB"),
            ("rated deals a minute", "minute", ""),
        ):  # fmt: skip
            values = [[getattr(each, field) for each in costs[runtime, millis]] for runtime in RUNTIMES]
            rows.append(row(f"bots of {millis} ms: {what}", unit, *values))
    show(f"runc and gVisor, four bots, {RULES.name}", ("", *RUNTIMES, "gVisor / runc"), rows)


if __name__ == "__main__":
    main(parser_of(__doc__, 5).parse_args().rounds)
