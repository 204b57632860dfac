"""One, two, four and eight tables in one referee process, bots in containers, against as many bare ping-pongs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from benchmarks.decision import BARE, ENDLESS, INSTANT, instant_spec, request_size
from benchmarks.lanes import Cost, bare, costs, table, typical
from benchmarks.report import ratio, show, spread
from ladder.sandbox.docker import DockerSandbox

TABLES = (1, 2, 4, 8)


async def _measure(rounds: int) -> list[list[Cost]]:
    """Costs of so many tables at once, then of so many ping-pongs."""
    async with AsyncExitStack() as stack:
        sandbox = DockerSandbox()
        stack.push_async_callback(sandbox.close)
        instant, client = await sandbox.load(INSTANT), await sandbox.load(BARE)
        spec, size = instant_spec(ENDLESS), request_size()
        tables = [await stack.enter_async_context(table(spec, [instant] * 4)) for _ in range(max(TABLES))]
        bares = [await stack.enter_async_context(bare(client, size)) for _ in range(max(TABLES))]
        return await costs([lanes[:count] for lanes in (tables, bares) for count in TABLES], rounds, warm_up=4)


def main(rounds: int = 20) -> None:
    """Measure and print."""
    found = asyncio.run(_measure(rounds))
    ours, theirs = found[: len(TABLES)], found[len(TABLES) :]
    rows = []
    for count, mine, bares in zip(TABLES, ours, theirs, strict=True):
        walls = [typical([cost.wall for cost in each], 5) for each in (mine, bares, ours[0])]
        cpus = [typical([cost.cpu for cost in each], 5) for each in (mine, bares)]
        rates = [ratio(walls[2], walls[0]), ratio(walls[1], walls[0])]
        rows.append([str(count), spread(walls[0]), *rates, *map(spread, cpus)])
    headings = (
        "tables",
        "µs a decision",
        "decisions/s, against one table",
        "against bare",
        "referee's CPU, µs",
        "bare's",
    )
    show("Tables at once in one process, bots in containers on the cores that are theirs", headings, rows)


if __name__ == "__main__":
    main()
