"""
Cost of a kernel for each container: gVisor, in which a ladder plays by default, and runc, in turn in one run.

CPU time is that of the containers' control groups, in which gVisor's own kernel is, and of this process with the
referee: other work of the machine is not in it. Four warm containers of each bot wait before a figure is taken.

*start*: four bots take their seats and receive the end of the match; nothing is played. *first deal* is what a match of
one deal takes beyond that, *further deal* what each deal after it takes. A match of n deals has boards, as on a ladder:
four rotations, so 16 starts. *thinking* is the share of the CPU time that the bots were set to think, *on their clocks*
the share that was charged to them. With --fork-server another file takes the place of fork_server.py, in turn with it,
so that a change can be compared with what was there before:

    python -m benchmarks.kernel --rounds 5 --fork-server OLD.py
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.bots import INSTANT, bot_of, instant_spec
from benchmarks.growth import Watched
from benchmarks.lanes import SEATS
from benchmarks.part_runner import HEADINGS, WORDS, machine, parser_of
from benchmarks.report import Part, Row, ratio, sections, show, spread
from benchmarks.runtimes import runtimes
from benchmarks.start import take_seats
from ladder.matches.play import play_sandboxed
from ladder.sandbox.docker import container_plan
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.programs import FORK_SERVER
from ladder.sandbox.docker.starter import WarmInstance
from ladder.sandbox.host.machine import MIB
from pigpen.rules import new_seed
from referee.match.formats import Format
from referee.records.lines import DealLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ladder.sandbox.docker.warm_container import WarmContainer
    from referee.records.lines import AnyLine

THINKS_MS = (0, 1, 10)
STARTS = 4
"""Starts of four bots that count together."""
FURTHER = 16
"""Deals after the first one, at one table."""
BOARDS = (4, 16)
"""Boards of the matches of 16 and 64 deals."""
START, FIRST, FURTHER_DEAL = "CPU of a warm start, a seat", "CPU of a first deal", "CPU of a further deal"

Figures = dict[str, list[float]]
"""By what was measured, a figure for each round."""
UNITS: Mapping[str, str] = {"CPU": " ms", "memory": " MiB", "deals": "", "share": " %"}
"""Units by the first word of what is measured."""


@dataclass(frozen=True)
class Side:
    """One of those that are compared: a runtime, and the fork server in its containers."""

    runtime: str
    server: Path | None = None
    """None: the one of this checkout."""

    @property
    def name(self) -> str:
        """The name in a row."""
        return self.runtime if self.server is None else f"{self.runtime}, {self.server.name}"


class Table:
    """Four seats of one bot under one runtime, in containers that stay warm."""

    def __init__(self, sandbox: DockerSandbox, program: Watched) -> None:
        self._sandbox = sandbox
        self._program = program

    async def cpu_of(self, action: Callable[[], Awaitable[object]]) -> float:
        """Measure milliseconds of CPU time of an action; it is repeated if it needed a new container."""
        while True:
            known = self._containers()
            before = self._seconds(known)
            await action()
            if self._containers() == known:
                return 1000 * (self._seconds(known) - before)

    async def start(self) -> None:
        """Let four bots take their seats, and leave."""
        await take_seats(self._program)

    async def play(self, form: Format) -> list[DealLine]:
        """Play a match."""
        lines: list[DealLine] = []

        def keep(line: AnyLine) -> None:
            if isinstance(line, DealLine):
                lines.append(line)

        spec = replace(instant_spec(), format=form, seed=new_seed())
        await play_sandboxed(spec, [self._program] * SEATS, keep)
        return lines

    def memory(self) -> float:
        """Give the MiB of a container, the median; one that has been removed has none."""
        return statistics.median(size for each in self._containers() if (size := each.group.memory())) / MIB

    def _containers(self) -> set[WarmContainer]:
        return {each.container for each in self._program.instances if isinstance(each, WarmInstance)}

    def _seconds(self, containers: set[WarmContainer]) -> float:
        return time.process_time() + sum(each.group.cpu_time() or 0.0 for each in containers)


async def costs(table: Table, millis: float, boards: Sequence[int]) -> dict[str, float]:
    """Measure one bot under one runtime once."""
    found: dict[str, float] = {}
    who = f"bots of {millis:g} ms"
    if not millis:
        empty = await table.cpu_of(lambda: _repeated(STARTS, table.start)) / STARTS
        first = await table.cpu_of(lambda: _repeated(STARTS, lambda: table.play(Format(1)))) / STARTS
        more = await table.cpu_of(lambda: table.play(Format(1 + FURTHER)))
        found |= {START: empty / SEATS, FIRST: first - empty, FURTHER_DEAL: (more - first) / FURTHER}
        found["memory of a seat"] = table.memory()
    for count in boards if not millis else boards[:1]:
        lines: list[DealLine] = []

        async def match(count: int = count, lines: list[DealLine] = lines) -> None:
            lines[:] = await table.play(Format(boards=count))

        began = time.perf_counter()
        cpu = await table.cpu_of(match)
        found[f"CPU of a match of {len(lines)} deals, {who}"] = cpu
        if count == boards[0]:
            found[f"deals a minute in such a match, {who}"] = 60 * len(lines) / (time.perf_counter() - began)
            asked = sum(step.by == "bot" for line in lines for step in line.steps)
            charged = sum(each or 0.0 for line in lines for each in line.cpu_ms or ())
            if millis:
                found[f"share of it that is thinking, {who}"] = 100 * asked * millis / cpu
            found[f"share of it on their clocks, {who}"] = 100 * charged / cpu
    return found


async def _repeated(count: int, action: Callable[[], Awaitable[object]]) -> None:
    for _ in range(count):
        await action()


async def all_costs(
    sides: Sequence[Side], rounds: int, thinks: Sequence[float], boards: Sequence[int]
) -> dict[str, Figures]:
    """Measure each side once a round, in turn, after a match of each bot that does not count."""
    found: dict[str, Figures] = {side.name: defaultdict(list) for side in sides}
    async with AsyncExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pigpen-")))
        bots = {
            millis: bot_of(root / f"bot{number}", millis) if millis else INSTANT for number, millis in enumerate(thinks)
        }
        tables: dict[tuple[Side, float], Table] = {}
        for side in sides:
            sandbox = DockerSandbox(side.runtime, instances="warm")
            stack.push_async_callback(sandbox.close)
            server = root / f"server{len(tables)}" / FORK_SERVER.name
            server.parent.mkdir()
            server.write_bytes((side.server or FORK_SERVER).read_bytes())
            with patch.object(container_plan, "FORK_SERVER", server):
                for millis, bot in bots.items():
                    table = tables[side, millis] = Table(sandbox, Watched(await sandbox.load(bot), []))
                    await table.play(Format(boards=1))
        for _ in range(rounds):
            for millis in thinks:
                for side in sides:
                    print(f"{side.name}, bots of {millis:g} ms …", file=sys.stderr, flush=True)
                    for what, value in (await costs(tables[side, millis], millis, boards)).items():
                        found[side.name][what].append(value)
    return found


def rows(found: dict[str, Figures]) -> list[Row]:
    """Make a row for each figure and side; all are held against the last side, which is runc."""
    *others, last = found
    made = []
    for what, base in found[last].items():
        unit = next((text for word, text in UNITS.items() if what.startswith(word)), "")
        for side in others:
            values = found[side][what]
            made.append(Row(f"{what} ({side})", spread(values, unit), last, ratio(values, base)))
        made.append(Row(f"{what} ({last})", spread(base, unit)))
    return made


def measure(
    rounds: int, thinks: Sequence[float] = THINKS_MS, boards: Sequence[int] = BOARDS, servers: Sequence[Path] = ()
) -> list[Row]:
    """Measure each runtime of this engine, with each fork server, in turn."""
    sides = [Side(runtime, server) for runtime in runtimes() for server in (*servers, None)]
    return rows(asyncio.run(all_costs(sides, rounds, thinks, boards)))


PARTS = (Part("kernel", __doc__, measure, rounds=3),)


def main() -> None:
    """Measure and print."""
    parser = parser_of(__doc__, PARTS[0].rounds)
    parser.add_argument("--ms", type=float, nargs="+", default=THINKS_MS, help="that the bots think over each card")
    parser.add_argument("--boards", type=int, nargs="+", default=BOARDS, help="of the matches of bots that do not")
    parser.add_argument("--fork-server", type=Path, action="append", default=[], metavar="FILE", help="see above")
    options = parser.parse_args()
    print(machine())
    found = measure(options.rounds, options.ms, options.boards, options.fork_server)
    show("", HEADINGS, *sections({"kernel": found}), words=WORDS)


if __name__ == "__main__":
    main()
