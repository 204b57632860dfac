"""
Speed of the web site on a ladder of 1,000 bots and 1,000,000 matches, with 100 requests a second.

    python -m benchmarks.site
    python -m benchmarks.site --folder FOLDER --requests 100000

The ladder is generated (as for benchmarks/store.py) and kept in the folder, where it is found again. `pigpen serve`
runs as it does for users; requests come over loopback at a steady rate, whether answers come or not, and the time of
each counts from the moment at which it was due; CPU is the time that the web process works for one request. Pages are
those of bots, matches and places in lists drawn by chance, so nearly all of them are made for the request: with "the
same", one page is asked for again and again. An ETag hit sends what the reader has, and gets 304.

First nothing else runs. Then pages of bots are made by one, two and three processes of the site that share the
requests, as behind a proxy; *cores* is their CPU time in a second. Then a match of sample bots plays in processes
beside it, and each second a result is recorded, after which every page is made anew. Last, the memory of the web
process before and after many requests, and before and after many streams of live events, which are opened a hundred at
a time and dropped after their first event.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.generated_ladder import VARIANT, generate
from benchmarks.part_runner import HEADINGS, WORDS, machine, parser_of
from benchmarks.programs import Load, dying_with_us
from benchmarks.report import Part, Row, sections, show
from benchmarks.store import lease_matches, lines_of_a_match, record
from ladder.results.live_folder import LiveFolder
from ladder.results.summary import summarise
from ladder.runner.live_writer import LiveWriter
from ladder.settings.settings import load_settings
from ladder.store.commands import estimates
from ladder.store.commands.opening import open_ladder
from ladder.values.live_events import LiveGap, to_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from ladder.store.database import Database

RATE = 100.0
"""Requests a second."""
SECONDS = 3.0
"""Of each kind of request."""
REQUESTS = 5_000
"""Between the two looks at the memory."""
MAX_FIRST = 20_000
"""Requests before the first look; they fill what the site keeps of its answers."""
STREAMS_AT_ONCE = 100
PROCESSES = 3
"""Of the site at most, which share the requests."""
BOTS, MATCHES = 1000, 1_000_000
PAUSE = 1.0
"""Seconds between two results."""
AT_ONCE = 4
PLAYERS = ("cautious", "random", "counting", "random")
ENDLESS = 20_000
"""Boards of the match that plays beside it."""
SITE = [sys.executable, "-m", "ladder.cli.entry"]


def kinds(chance: random.Random, bots: int, matches: int) -> dict[str, Callable[[], str]]:
    """Give by what is asked for an address of it, drawn by chance."""

    def bot() -> str:
        return f"bot%20{chance.randint(1, bots)}"

    def match() -> int:
        return chance.randint(1, matches)

    pages = -(-bots // 100)
    return {
        "standings, the same": lambda: f"/v/{VARIANT}",
        "standings, any page": lambda: f"/v/{VARIANT}?page={chance.randint(1, pages)}",
        "a bot, the same": lambda: "/b/bot%207",
        "a bot, any": lambda: f"/b/{bot()}",
        "matches, from any on": lambda: f"/m?before={match()}",
        "matches of any bot": lambda: f"/m?bot={bot()}",
        "a match, any": lambda: f"/m/{match()}",
        "API, any match": lambda: f"/api/v1/matches/{match()}",
        "API, any bot": lambda: f"/api/v1/bots/{bot()}",
    }


async def answers(load: Load, process: int, when: str, seconds: float, bots: int, matches: int) -> list[Row]:
    """Measure each kind of request; give a row for each."""
    rows = []
    for what, draw in kinds(random.Random(5), bots, matches).items():
        before = worked(process)
        taken = await load.steadily([draw() for _ in range(int(RATE * seconds))], RATE)
        cpu = (worked(process) - before) / len(taken.milliseconds)
        assert taken.statuses == {200}, (what, taken.statuses)
        kib = taken.size / len(taken.milliseconds) / 1024
        figure = f"{in_words(taken.milliseconds)}, CPU {cpu:.1f} ms"
        rows.append(Row(f"{what} ({kib:.0f} KiB), {when}", figure, "p99 ≤ 50 ms"))
    page = f"/v/{VARIANT}"
    times: list[float] = []
    for _ in range(max(1, int(seconds))):
        _, headers, _ = await load.ask(page)
        taken = await load.steadily([page] * int(RATE), RATE, {"If-None-Match": headers["etag"]})
        assert taken.statuses <= {200, 304}
        times += taken.milliseconds
    rows.append(Row(f"ETag hits, {when}", in_words(times), "p99 ≤ 5 ms"))
    return rows


async def shared(first: tuple[Load, int], folder: Path, seconds: float, bots: int) -> list[Row]:
    """Measure pages of bots drawn by chance, by one and more processes of the site; give a row for each number."""
    rows, chance = [], random.Random(7)
    with ExitStack() as others:
        sites = [first]
        for count in range(1, PROCESSES + 1):
            if count > 1:
                sites.append(others.enter_context(serving(folder)))
                while (await sites[-1][0].ask("/healthz"))[0] != 200:
                    pass
            before = sum(worked(process) for _, process in sites)
            drawn = [[f"/b/bot%20{chance.randint(1, bots)}" for _ in range(int(RATE * seconds / count))] for _ in sites]
            parts = await asyncio.gather(
                *(load.steadily(paths, RATE / count) for (load, _), paths in zip(sites, drawn, strict=True))
            )
            cores = (sum(worked(process) for _, process in sites) - before) / 1000 / seconds
            times = [each for part in parts for each in part.milliseconds]
            assert all(part.statuses == {200} for part in parts)
            what = f"a bot, any, {count} process{'es' if count > 1 else ''} of the site"
            rows.append(Row(what, f"{in_words(times)}, {cores:.2f} cores", "p99 ≤ 250 ms"))
        for load, _ in sites[1:]:
            await load.close()
    return rows


def in_words(milliseconds: list[float]) -> str:
    """Write the median, and what 99 of 100 stay below."""
    times = sorted(milliseconds)
    middle, slow = (times[int(part * (len(times) - 1))] for part in (0.5, 0.99))
    return f"p50 {middle:.1f} ms, p99 {slow:.1f} ms"


async def memory(load: Load, process: int, requests: int, bots: int, matches: int) -> Row:
    """Measure the memory of the web process before and after *requests* requests of all kinds, after a first one."""
    chance = random.Random(6)
    drawn = list(kinds(chance, bots, matches).values())
    await load.as_fast_as_possible([chance.choice(drawn)() for _ in range(min(2 * requests, MAX_FIRST))], AT_ONCE)
    before = resident(process)
    seconds = await load.as_fast_as_possible([chance.choice(drawn)() for _ in range(requests)], AT_ONCE)
    after = resident(process)
    what = f"memory before and after {requests:,} requests, {requests / seconds:,.0f} a second"
    return Row(what, f"{before:.0f} MiB, {after:.0f} MiB", "", f"{after / before:.2f}×")


async def streams(load: Load, process: int, database: Database, folder: Path, count: int, bots: int) -> Row:
    """Measure the memory before and after *count* streams of a match that is being played, after a first one."""
    (match,) = lease_matches(database, range(1, bots + 1), 1)
    writer = LiveWriter(LiveFolder(folder))
    writer.begin(match, 1)
    writer.append(match, 1, to_line(LiveGap(missed=1)))
    path = f"/api/v1/live/{match}/stream"

    async def open_and_drop(number: int) -> None:
        for _ in range(number // STREAMS_AT_ONCE):
            await asyncio.gather(*(load.glance(path, b"data: ") for _ in range(STREAMS_AT_ONCE)))

    await open_and_drop(2 * STREAMS_AT_ONCE)
    before = resident(process)
    await open_and_drop(count)
    after = resident(process)
    writer.end(match, 1, "done")
    writer.close()
    what = f"memory before and after {count:,} streams opened and dropped"
    return Row(what, f"{before:.0f} MiB, {after:.0f} MiB", "", f"{after / before:.2f}×")


def worked(process: int) -> float:
    """Read the milliseconds for which the processor has worked for a process."""
    return 1000 * time.clock_gettime(~process << 3 | 2)  # the clock that clock_getcpuclockid(3) gives; /proc has 10 ms


def resident(process: int) -> float:
    """Read the MiB of memory that a process has."""
    text = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+) kB", text)[0]) / 1024


@contextmanager
def serving(folder: Path, checkout: Path | None = None) -> Iterator[tuple[Load, int]]:
    """Run `pigpen serve` for a ladder; yield its load and the number of its process; another checkout's, if named."""
    environment = os.environ | {"PIGPEN_DATA_DIR": str(folder)}
    if checkout is not None:
        environment["PYTHONPATH"] = str(checkout)
    command = dying_with_us(*SITE, "serve", "--port", "0")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=checkout) as site:
        try:
            assert site.stdout is not None
            address = re.fullmatch(r"The site is at http://([\d.]+):(\d+)/\n", site.stdout.readline())
            assert address
            yield Load(address[1], int(address[2])), site.pid
        finally:
            site.terminate()


@contextmanager
def playing(database: Database, bots: int) -> Iterator[None]:
    """Run a match that plays in processes, and results that are recorded."""
    done = threading.Event()
    thread = threading.Thread(target=_record, args=[database, bots, done])
    command = dying_with_us(*SITE, "play", *PLAYERS, "--boards", str(ENDLESS), "--sandbox", "process", "--json")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as match:
        thread.start()
        try:
            yield
            assert match.poll() is None
        finally:
            done.set()
            match.terminate()
            thread.join()


def _record(database: Database, bots: int, done: threading.Event) -> None:
    summary = summarise(lines_of_a_match())
    while not done.wait(PAUSE):
        record(database, lease_matches(database, range(1, bots + 1), 1), summary)


async def _measured(
    folder: Path, database: Database, seconds: float, requests: int, size: tuple[int, int]
) -> list[Row]:
    with serving(folder) as (load, process):
        while (await load.ask("/healthz"))[0] != 200:
            pass
        rows = await answers(load, process, "alone", seconds, *size)
        rows += await shared((load, process), folder, 2 * seconds, size[0])
        with playing(database, size[0]):
            rows += await answers(load, process, "beside a match", seconds, *size)
        rows.append(await memory(load, process, requests, *size))
        rows.append(await streams(load, process, database, folder, max(STREAMS_AT_ONCE, requests // 10), size[0]))
        await load.close()
    return rows


def measure(
    rounds: int,
    folder: Path | None = None,
    requests: int = REQUESTS,
    seconds: float = SECONDS,
    bots: int = BOTS,
    matches: int = MATCHES,
) -> list[Row]:
    """Measure for *seconds* times *rounds* what each kind of request takes."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = load_settings(data_dir=folder or Path(temporary))
        file = settings.data_dir / "ladder.db"
        if not file.exists():
            settings.data_dir.mkdir(parents=True, exist_ok=True)
            generate(file, bots, matches)
        database = open_ladder(settings)
        try:
            estimates.refresh(database, VARIANT)
            return asyncio.run(_measured(settings.data_dir, database, seconds * rounds, requests, (bots, matches)))
        finally:
            database.close()


def main(options: argparse.Namespace) -> None:
    """Measure and print."""
    rows = measure(options.rounds, options.folder, options.requests)
    show(machine(), HEADINGS, *sections({PART.name: rows}), words=WORDS)


PART = Part("site", __doc__, measure, rounds=1)
PARTS = (PART,)

if __name__ == "__main__":
    parser = parser_of(__doc__, PART.rounds)
    parser.add_argument("--folder", type=Path, help="where the generated ladder is kept, and found again")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="between the two looks at the memory")
    main(parser.parse_args())
