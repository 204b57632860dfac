"""
Cost of tables with people: scripted people in browsers, over HTTP and event streams, as pages do it.

    python -m benchmarks.people
    python -m benchmarks.people --tables 100 --think 3 --seconds 30

`pigpen serve` and `pigpen ladder tables` run as they do for users, with a ladder in a folder of its own. At each table
two people sit across, and house bots beside them. Time to the first card counts from before the table's row is written
until a person has the first state that shows cards, tables one after the other. Then all are played at once: each
person answers after about `--think` seconds. "Card to the other chair" is the time from before the POST until the
other person has the state that shows the card. CPU is that of both processes, with their threads, by `/proc`. Last,
tables at which people sit and do nothing: memory of both processes for each, their CPU, and what they do to a match of
bots in processes, played by turns beside them and without them. What the people themselves take, in this process, is on
the same cores.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.part_runner import HEADINGS, WORDS, machine, parser_of
from benchmarks.programs import Browser, PlayedTable, Seen, free_port, running
from benchmarks.report import Row, sections, show
from ladder.app.ladder import Ladder
from ladder.people.tables.chairs import end, join
from ladder.people.tables.table_opening import open_table
from ladder.settings.settings import load_settings
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableVisitor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from benchmarks.programs import Process
    from ladder.values.people import OpenedTable

FIRST = 20
"""Tables of which the first card is waited for."""
IDLE_SECONDS = 10.0
MANY = {"PIGPEN_PEOPLE_TABLES": "1000"}
ROUNDS = 3
"""Rounds in which a match is played beside idle tables and without them."""
MATCH = ("play", *["random"] * 4, "--sandbox", "process", "--deals", "300", "--seed", "1")
SETTLE_SECONDS = 5.0
HOUSE = ("counting", "cautious")
LOCAL = TableVisitor(shown="Ada")


def opened(ladder: Ladder, seconds: float) -> OpenedTable:
    """Open a table for two people, at which both sit."""
    house = [ChairOrder(kind=ChairKind.HOUSE, name=name) for name in HOUSE]
    chairs = (ChairOrder(), house[0], ChairOrder(), house[1])
    table = open_table(ladder, TableOrder(variant="hearts", chairs=chairs, seconds=seconds), LOCAL)
    join(ladder, table.name, table.secrets[2], LOCAL)
    return table


@asynccontextmanager
async def seated_tables(
    ladder: Ladder, port: int, count: int, seconds: float = 3600.0
) -> AsyncIterator[list[list[Browser]]]:
    """Open *count* tables whose people have come and see their cards; end them afterwards."""
    tables = [opened(ladder, seconds) for _ in range(count)]
    seated = [[Browser(port, table.name, secret) for secret in table.secrets.values()] for table in tables]
    watching = []
    try:
        for browsers in seated:
            for browser in browsers:
                await browser.come()
                watching.append(asyncio.ensure_future(browser.watch()))
        for browsers in seated:
            for browser in browsers:
                async with asyncio.timeout(60):
                    await browser.first.wait()
        yield seated
    finally:
        for table in tables:
            end(ladder, table.name, table.secrets[0])
        for each in watching:
            each.cancel()
        await asyncio.gather(*watching, return_exceptions=True)


async def first_card(ladder: Ladder, port: int) -> float:
    """Measure the milliseconds from before a table's row until a person sees cards."""
    began = time.perf_counter()
    async with seated_tables(ladder, port, 1):
        return (time.perf_counter() - began) * 1000


async def measure(ladder: Ladder, port: int, processes: Sequence[Process], options: Any) -> dict[str, list[Row]]:
    """Measure all of it."""
    rows: dict[str, list[Row]] = {}
    firsts = [await first_card(ladder, port) for _ in range(FIRST)]
    rows["the first card"] = [Row("from the row to the cards shown", f"{statistics.median(firsts):.0f} ms", "most"
                                  f" of {FIRST}: {max(firsts):.0f} ms")]  # fmt: skip
    seen = Seen()
    async with seated_tables(ladder, port, options.tables, 120.0) as seated:
        chance = random.Random(1)
        playing = [
            asyncio.ensure_future(PlayedTable(browsers, options.think, seen, chance).play()) for browsers in seated
        ]
        await asyncio.sleep(SETTLE_SECONDS)
        seen.answered.clear()
        seen.shown.clear()
        began, before, own = time.perf_counter(), [each.cpu for each in processes], time.process_time()
        await asyncio.sleep(options.seconds)
        took = time.perf_counter() - began
        used = [each.cpu - cpu for each, cpu in zip(processes, before, strict=True)]
        own = time.process_time() - own
        for each in playing:
            each.cancel()
        ends = await asyncio.gather(*playing, return_exceptions=True)
        if mistakes := [each for each in ends if isinstance(each, Exception)]:
            raise mistakes[0]
    rows[f"{options.tables} tables at once"] = [
        Row("answers of people", f"{len(seen.answered) / took:.0f}/s", f"refused: {seen.refused}"),
        Row("POST to its answer", *_spread(seen.answered)),
        Row("POST to the card on the other chair", *_spread(seen.shown)),
        *(
            Row(f"CPU of {each.name}", f"{100 * cpu / took:.0f} % of a core",
                f"{100 * cpu / took / options.tables:.2f} % a table")
            for each, cpu in zip(processes, used, strict=True)
        ),
        Row("CPU of the people, in this process", f"{100 * own / took:.0f} % of a core"),
    ]  # fmt: skip
    rows[f"{options.idle} idle tables"] = await _idle(ladder, port, processes, options.idle)
    return rows


async def _idle(ladder: Ladder, port: int, processes: Sequence[Process], count: int) -> list[Row]:
    before, alone, beside = [each.memory for each in processes], [], []
    for _ in range(ROUNDS):
        alone.append(await _match_seconds())
        async with seated_tables(ladder, port, count):
            await asyncio.sleep(SETTLE_SECONDS)
            beside.append(await _match_seconds())
    async with seated_tables(ladder, port, count):
        await asyncio.sleep(SETTLE_SECONDS)
        cpu = [each.cpu for each in processes]
        await asyncio.sleep(IDLE_SECONDS)
        used = [each.cpu - one for each, one in zip(processes, cpu, strict=True)]
        memory = [each.memory for each in processes]
    rows = []
    for each, first, now, busy in zip(processes, before, memory, used, strict=True):
        rows += [
            Row(f"memory of {each.name}", f"{now:.0f} MiB", f"before: {first:.0f} MiB",
                f"{1024 * (now - first) / count:.0f} KiB a table"),
            Row(f"CPU of {each.name}", f"{100 * busy / IDLE_SECONDS:.1f} % of a core"),
        ]  # fmt: skip
    ratio = statistics.median(one / other for one, other in zip(beside, alone, strict=True))
    took = f"{statistics.median(beside):.2f} s, without them {statistics.median(alone):.2f} s"
    return [*rows, Row("a match of bots beside them", took, f"ratio {ratio:.2f}")]


async def _match_seconds() -> float:
    """Measure the seconds that a match of bots takes."""
    began = time.perf_counter()
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ladder.cli.entry", *MATCH, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if await program.wait():
        raise SystemExit("The match beside idle tables has failed.")
    return time.perf_counter() - began


def _spread(values: list[float]) -> tuple[str, str]:
    if len(values) < 2:
        return "none", ""
    cuts = statistics.quantiles(values, n=100)
    return f"p99 {cuts[98]:.0f} ms", f"p50 {cuts[49]:.0f}, p90 {cuts[89]:.0f}, most {max(values):.0f} ms"


async def _up(port: int) -> None:
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.1)


def main() -> None:
    """Measure, and print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, default=100, help="that are played at once")
    parser.add_argument("--think", type=float, default=3.0, help="seconds that a person thinks, on average")
    parser.add_argument("--seconds", type=float, default=30.0, help="for which they are played")
    parser.add_argument("--idle", type=int, default=200, help="tables at which no person does anything")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = load_settings(data_dir=folder, people_tables=int(MANY["PIGPEN_PEOPLE_TABLES"]))
        ladder = stack.enter_context(Ladder.open(settings, create=True))
        port = free_port()
        site = stack.enter_context(running(["serve", "--port", str(port)], folder, "the site", MANY))
        tables = stack.enter_context(running(["ladder", "tables"], folder, "the tables", MANY))

        async def work() -> dict[str, list[Row]]:
            await _up(port)
            return await measure(ladder, port, [site, tables], options)

        rows = asyncio.run(work())
    show(machine(), HEADINGS, *sections(rows), words=WORDS)


if __name__ == "__main__":
    main()
