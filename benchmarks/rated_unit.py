"""Best length of a ladder's match, and best number to play at once: deals a minute in containers, starts included."""

from __future__ import annotations

import asyncio
import time

from benchmarks.machine import machine
from benchmarks.part_runner import parser_of
from benchmarks.report import in_turn, show, spread
from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec

BOTS = ("cautious", "random", "counting", "random")
BOARDS = (1, 2, 4, 8)
AT_ONCE = (1, 2)
"""Matches at once; the tables of each play one after the other."""
MATCHES = 4


def deals_a_minute(boards: int, at_once: int) -> float:
    """Measure deals per minute in matches of *boards* boards, *at_once* of them at the same time."""
    return asyncio.run(_play(boards, at_once))


async def _play(boards: int, at_once: int) -> float:
    sandbox = DockerSandbox()
    free = asyncio.Semaphore(at_once)
    try:
        programs = [await sandbox.load(find_bot(name)) for name in BOTS]

        async def play() -> int:
            async with free:
                spec = MatchSpec(PRESETS["gongzhu"], BOTS, Format(boards=boards))
                played = await play_sandboxed(spec, programs, lambda line: None)
                return played.result.deals

        begun = time.perf_counter()
        deals = sum(await asyncio.gather(*(play() for _ in range(MATCHES))))
        return deals * 60 / (time.perf_counter() - begun)
    finally:
        await sandbox.close()


def main(rounds: int) -> None:
    """Measure and print."""
    print(machine())
    cells = [(boards, at_once) for boards in BOARDS for at_once in AT_ONCE]
    measures = [lambda boards=boards, at_once=at_once: deals_a_minute(boards, at_once) for boards, at_once in cells]
    found = dict(zip(cells, in_turn(rounds, *measures), strict=True))
    rows = [
        (str(boards), str(4 * boards), *(spread(found[boards, at_once]) for at_once in AT_ONCE)) for boards in BOARDS
    ]
    headings = ("boards", "deals a match", *(f"{at_once} at once" for at_once in AT_ONCE))
    show("Deals a minute of gongzhu in containers, by boards in a match and matches at once", headings, rows)


if __name__ == "__main__":
    main(parser_of(__doc__, 1).parse_args().rounds)
