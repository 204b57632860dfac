"""One, two, four and eight tables in one referee process, bots in containers, against as many bare ping-pongs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

from benchmarks.decision import BARE, ENDLESS, INSTANT, instant_spec, request_size
from benchmarks.lanes import Cost, bare, costs, table, typical
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, counted, ratio, spread
from benchmarks.runtimes import containers, in_each

TABLES = (1, 2, 4, 8)
THINKING = 10_000
"""Microseconds that a bot takes for a decision, for the figure of what the referee could serve."""


async def _costs(rounds: int, counts: Sequence[int]) -> list[list[Cost]]:
    """Measure each number of *counts* first as tables at once, then as ping-pongs."""
    async with AsyncExitStack() as stack:
        sandbox = containers()
        stack.push_async_callback(sandbox.close)
        instant, client = await sandbox.load(INSTANT), await sandbox.load(BARE)
        spec, size = instant_spec(ENDLESS), request_size()
        tables = [await stack.enter_async_context(table(spec, [instant] * 4)) for _ in range(max(counts))]
        bares = [await stack.enter_async_context(bare(client, size)) for _ in range(max(counts))]
        return await costs([lanes[:count] for lanes in (tables, bares) for count in counts], rounds, warm_up=4)


def measure(rounds: int, counts: Sequence[int] = TABLES) -> list[Row]:
    """Measure decisions a second, and the referee's CPU time for each, with more and more tables, in each runtime."""
    return in_each(lambda: _measured(rounds, counts))


def _measured(rounds: int, counts: Sequence[int]) -> list[Row]:
    found = asyncio.run(_costs(rounds, counts))
    ours, theirs = found[: len(counts)], found[len(counts) :]
    rows: list[Row] = []
    cpus: list[Row] = []
    for count, mine, bares in zip(counts, ours, theirs, strict=True):
        name, others = counted(count, "table"), "as many ping-pongs"
        rate, bare_rate, single = (typical([1e6 / cost.wall for cost in each], 5) for each in (mine, bares, ours[0]))
        cpu, bare_cpu = (typical([cost.cpu for cost in each], 5) for each in (mine, bares))
        rows.append(Row(f"decisions, {name}", spread(rate, " /s"), others, ratio(rate, bare_rate)))
        if count > 1:
            rows.append(Row(f"decisions, {name}", spread(rate, " /s"), "one table", ratio(rate, single)))
        cpus.append(Row(f"referee's CPU a decision, {name}", spread(cpu, " µs"), others, ratio(cpu, bare_cpu)))
    served = spread([THINKING / cost.cpu for cost in ours[-1]])
    return [*rows, *cpus, Row(f"tables a core serves, bots think {THINKING // 1000} ms", served)]


PART = Part("tables", __doc__, measure, rounds=20)

if __name__ == "__main__":
    run(__doc__, PART)
