"""Deals per second in containers: one table, and two at once in one referee process."""

from __future__ import annotations

import asyncio

from benchmarks.decision import DEALS, INSTANT, WARM_UP, Stopwatch, instant_spec
from benchmarks.report import in_turn, ratio, show, spread
from ladder.play import play_sandboxed
from ladder.sandbox.docker import DockerSandbox


def deals_per_second(tables: int) -> float:
    """Deals per second of so many tables together, once they are under way."""
    return asyncio.run(_play(tables))


async def _play(tables: int) -> float:
    sandbox = DockerSandbox()
    watches = [Stopwatch() for _ in range(tables)]
    try:
        program = await sandbox.load(INSTANT)
        await asyncio.gather(*(play_sandboxed(instant_spec(), [program] * 4, watch) for watch in watches))
    finally:
        await sandbox.close()
    return sum((DEALS - WARM_UP) / watch.seconds for watch in watches)


def main(rounds: int = 3) -> None:
    """Measure and print."""
    one, two = in_turn(rounds, lambda: deals_per_second(1), lambda: deals_per_second(2))
    rows = [("one table", spread(one), "1"), ("two tables at once", spread(two), ratio(two, one))]
    show("Deals of gongzhu with four instant bots in containers", ("", "deals/s", "against one"), rows)


if __name__ == "__main__":
    main()
