"""
Ladders of matches in containers: the deals a minute that they rate, and where the CPU time of a match goes.

*rated*: deals a minute of bots that play at once and bots that think, in fresh and in warm containers. A ladder of
eight bots from folders, matches of four boards, as many at once as a ladder plays by itself. Two shares of all CPU time
that the machine spends meanwhile (nothing else may run): what the bots were set to think, and what their programs used
for their decisions by their clocks, which counts reading the view and sending the card.

*match_parts*: CPU time of a match by its parts: the coordinator by step, the worker, the fork servers, bots, the
engine. A ladder of four bots that play at once, in warm containers (runc), one match of four boards after the other;
per match. The worker is a thread of this process here, and has the referee; what the coordinator does is in the main
thread. The bots' time is that of their decisions, by their clocks. A fork server's is that of its process; one whose
container is removed meanwhile, as happens on a busy machine, is not counted. Under gVisor, what runs in a container is
no process of the host and cannot be told from its kernel, so these are containers of runc. The engine (dockerd,
containerd and the shims) serves the whole machine: its figure is right only where nothing else uses containers.

*lengths*, only where it is named: deals a minute by the boards of a match and by the matches at once.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.bots import bot_of
from benchmarks.ladder_overhead import patient
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, counted, in_turn, ratio, spread
from benchmarks.runtimes import containers, in_each
from benchmarks.start import busy_seconds
from ladder.matches.play import play_sandboxed
from ladder.results.files import RECORD_END, MatchFiles
from ladder.runner import coordinator as steps
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import LocalExecutor
from ladder.runner.run_log import log_to
from ladder.runner.runner import Runner, StopCondition
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.host.machine import bot_cores
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.values.sandbox_kind import SHARED
from ladder.worker.match_tasks import load_version
from ladder.worker.worker import Worker
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.file import read_record
from referee.records.lines import DealLine
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from referee.records.lines import Instances


BOTS = 8

BOARDS = 4

RULES = PRESETS["hearts"]

THINKS_MS = (0, 1, 10)


@dataclass(frozen=True)
class Rated:
    """Work of a ladder in a period."""

    deals_a_minute: float
    thinking: float
    """The share of the machine's CPU time in which bots thought, by the time that they were set to think; 0 to 1."""
    own: float
    """The share of it that the bots' clocks have counted; 0 to 1."""


def rated(millis: int, instances: Instances, matches: int) -> Rated:
    """Rate *matches* matches of bots that think *millis* milliseconds over each card, after a first one."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        settings = load_settings(data_dir=root / "ladder", instances=instances, boards=BOARDS, **patient())
        database = open_ladder(settings, create=True)
        asyncio.run(enter_bots(database, [bot_of(root / f"bot{n}", millis, n) for n in range(BOTS)]))
        stop = log_to(settings.data_dir / "logs" / "ladder.jsonl", to_stderr=False)
        executor = LocalExecutor(Worker(load_version), slots=len(bot_cores()) + 1)
        try:
            _run(
                database, settings, executor, BOTS if instances == "warm" and millis <= 1 else 2
            )  # programs are loaded
            before = clocked(settings)
            began, busy = time.perf_counter(), busy_seconds()
            _run(database, settings, executor, matches)
            wall, busy = time.perf_counter() - began, busy_seconds() - busy
            own = clocked(settings) - before
        finally:
            executor.close()
            database.close()
            stop()
    deals = matches * BOARDS * RULES.players
    asked = deals * RULES.players * RULES.hand_size * NOT_FORCED
    return Rated(deals * 60 / wall, asked * millis / 1000 / busy, own / busy)


NOT_FORCED = 0.77
"""The share of the cards that a bot is asked for, about (`python -m benchmarks.boards forced`)."""


def clocked(settings: Settings) -> float:
    """Sum the seconds of CPU time that all decisions of all matches took by the clocks of the bots."""
    records = MatchFiles(settings.data_dir).root.rglob(f"*{RECORD_END}")
    lines = (line for record in records for line in read_record(record))
    return sum(cpu or 0.0 for line in lines if isinstance(line, DealLine) for cpu in line.cpu_ms or ()) / 1000


async def enter_bots(database: Database, bots: Sequence[BotSource]) -> None:
    """Enter bots of as many owners, untried."""
    sandbox = containers()
    try:
        for bot in bots:
            program = await sandbox.load(bot)
            entry = Fit(bot.name, f"of-{bot.name}", program.identity, "docker", bot.name, 1000)
            with database.write() as session:
                entry.enter(session, [RULES], time.time())
    finally:
        await sandbox.close()


def _run(database: Database, settings: Settings, executor: LocalExecutor, matches: int) -> None:
    coordinator = Coordinator(database, settings, random.Random(7), time.time)
    asyncio.run(Runner(coordinator, executor, StopCondition(matches=matches)).run())


def measure(rounds: int, thinks: Sequence[int] = THINKS_MS, matches: int = 4) -> list[Row]:
    """Measure ladders in turn: fresh and warm, in each runtime."""
    return in_each(lambda: _measured(rounds, thinks, matches))


def _measured(rounds: int, thinks: Sequence[int], matches: int) -> list[Row]:
    rows = []
    for millis in thinks:
        found: dict[Instances, list[Rated]] = {"fresh": [], "warm": []}
        for _ in range(rounds):
            for instances, results in found.items():
                results.append(rated(millis, instances, matches if instances == "fresh" or millis > 1 else 4 * matches))
        fresh, warm = ([each.deals_a_minute for each in results] for results in found.values())
        thinking = [100 * each.thinking for each in found["warm"]]
        own = [100 * each.own for each in found["warm"]]
        who = f"bots that think {millis} ms" if millis else "bots that play at once"
        rows += [
            Row(f"rated deals a minute, {who}, fresh", spread(fresh)),
            Row(f"rated deals a minute, {who}, warm", spread(warm), "fresh", ratio(warm, fresh)),
        ]
        if millis:
            rows.append(Row(f"CPU time that is thinking, {millis} ms, warm", spread(thinking, " %"), "the machine's"))
            rows.append(Row(f"CPU time on the bots' clocks, {millis} ms, warm", spread(own, " %"), "the machine's"))
    return rows


OF_PARTS = 4

WARM_UP = 3
"""Matches."""

TICKS = os.sysconf("SC_CLK_TCK")

ENGINE = {"dockerd", "containerd", "containerd-shim"}

STEPS: dict[str, tuple[Any, str]] = {
    "coordinator: match scheduled and leased": (steps.Coordinator, "take"),
    "coordinator: record and logs written": (MatchFiles, "keep"),
    "coordinator: record read, verified, summarised": (steps, "summary_of"),
    "coordinator: result stored": (steps.Coordinator, "_record"),
    "coordinator: estimates": (steps.Coordinator, "refresh_estimates"),
}
"""Steps of the coordinator, each with the object and the name of its function."""

REST = "coordinator: the rest (events, log, live)"

WORKER = "worker: referee, starts and ends of bots"

SERVERS, PROGRAMS, CONTAINERS = "fork servers", "bots, by their clocks", "dockerd, containerd, shims"


@contextmanager
def timed_steps() -> Iterator[dict[str, float]]:
    """Add up the CPU time of this thread in each of `STEPS`, in seconds."""
    found: dict[str, float] = defaultdict(float)
    originals = {name: getattr(place, method) for name, (place, method) in STEPS.items()}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                found[name] += time.thread_time() - began

        return call

    for name, (place, method) in STEPS.items():
        setattr(place, method, timed(name, originals[name]))
    try:
        yield found
    finally:
        for name, (place, method) in STEPS.items():
            setattr(place, method, originals[name])


def others(scratch: Path) -> dict[str, float]:
    """Read the seconds of CPU time of the containers whose folders are below *scratch*, and of the engine."""
    found = dict.fromkeys((SERVERS, CONTAINERS), 0.0)
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal():
            continue
        with suppress(OSError):
            head, _, tail = (process / "stat").read_text().rpartition(")")
            used = sum(map(int, tail.split()[11:13])) / TICKS
            if head.partition("(")[2] in ENGINE:
                found[CONTAINERS] += used
            elif _parent(tail) == "containerd-shim" and str(scratch) in (process / "mountinfo").read_text():
                found[SERVERS] += used
    return found


def _parent(fields: str) -> str:
    return Path(f"/proc/{fields.split()[1]}/comm").read_text().strip()


def parts(rounds: int, matches: int, boards: int = BOARDS) -> list[dict[str, float]]:
    """Measure milliseconds of CPU time of a match, by part, of *rounds* times *matches* matches."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        root, before = Path(name), tempfile.tempdir
        tempfile.tempdir = name  # so that folders of containers can be told from those of others
        settings = load_settings(
            data_dir=root / "ladder", instances="warm", boards=boards, **patient() | {"runtime": SHARED}
        )
        database = open_ladder(settings, create=True)
        asyncio.run(enter_bots(database, [bot_of(root / f"bot{n}", 0, n) for n in range(OF_PARTS)]))
        stop = log_to(settings.data_dir / "logs" / "ladder.jsonl", to_stderr=False)
        executor = LocalExecutor(Worker(load_version), slots=1)

        def play(count: int) -> None:
            coordinator = steps.Coordinator(database, settings, random.Random(7), time.time)
            asyncio.run(Runner(coordinator, executor, StopCondition(matches=count)).run())

        def all_others() -> dict[str, float]:
            return others(root) | {PROGRAMS: clocked(settings)}

        try:
            play(WARM_UP)
            return [_round(play, all_others, matches) for _ in range(rounds)]
        finally:
            executor.close()
            database.close()
            stop()
            tempfile.tempdir = before


def _round(play: Callable[[int], None], measured: Callable[[], dict[str, float]], matches: int) -> dict[str, float]:
    with timed_steps() as found:
        outside, main, all_threads = measured(), time.thread_time(), time.process_time()
        play(matches)
        main, all_threads = time.thread_time() - main, time.process_time() - all_threads
        after = measured()
    by_part = {name: found[name] for name in STEPS}
    by_part[REST] = main - sum(by_part.values())
    by_part[WORKER] = all_threads - main
    by_part |= {name: after[name] - outside[name] for name in outside}
    return {name: seconds * 1000 / matches for name, seconds in by_part.items()}


def measure_parts(rounds: int, matches: int = 10, boards: int = BOARDS) -> list[Row]:
    """Measure the CPU time of each part of a match, and its share of all of it."""
    found = parts(rounds, matches, boards)
    totals = [sum(each.values()) for each in found]
    rows = []
    for name in found[0]:
        values = [each[name] for each in found]
        shares = [100 * value / total for value, total in zip(values, totals, strict=True)]
        rows.append(Row(f"{name} ({SHARED})", spread(values, " ms"), "the match", spread(shares, " %")))
    return [*rows, Row(f"a match, all of it ({SHARED})", spread(totals, " ms"))]


UNIT_BOTS = ("cautious", "random", "counting", "random")

LENGTHS = (1, 2, 4, 8)

AT_ONCE = (1, 2)
"""Matches at once; the tables of each play one after the other."""

UNIT_MATCHES = 4


def deals_a_minute(boards: int, at_once: int) -> float:
    """Measure deals per minute in matches of *boards* boards, *at_once* of them at the same time."""
    return asyncio.run(_play_lengths(boards, at_once))


async def _play_lengths(boards: int, at_once: int) -> float:
    sandbox = containers()
    free = asyncio.Semaphore(at_once)
    try:
        programs = [await sandbox.load(find_bot(name)) for name in UNIT_BOTS]

        async def play() -> int:
            async with free:
                spec = MatchSpec(PRESETS["gongzhu"], UNIT_BOTS, Format(boards=boards))
                played = await play_sandboxed(spec, programs, lambda line: None)
                return played.result.deals

        begun = time.perf_counter()
        deals = sum(await asyncio.gather(*(play() for _ in range(UNIT_MATCHES))))
        return deals * 60 / (time.perf_counter() - begun)
    finally:
        await sandbox.close()


def measure_lengths(rounds: int, lengths: Sequence[int] = LENGTHS, at_once: Sequence[int] = AT_ONCE) -> list[Row]:
    """Measure each length of a match and each number at once, in turn, in each runtime."""
    return in_each(lambda: _measured_lengths(rounds, lengths, at_once))


def _measured_lengths(rounds: int, lengths: Sequence[int], at_once: Sequence[int]) -> list[Row]:
    cells = [(boards, count) for boards in lengths for count in at_once]
    found = in_turn(rounds, *(partial(deals_a_minute, *cell) for cell in cells))
    names = [f"deals a minute, {counted(boards, 'board')}, {count} at once" for boards, count in cells]
    return compared(names, found, "", f"{counted(lengths[0], 'board')}, {at_once[0]} at once")


PARTS = (
    Part("rated", __doc__, measure, rounds=1),
    Part("match_parts", __doc__, measure_parts, rounds=5),
    Part("lengths", __doc__, measure_lengths, rounds=1, in_table=False),
)

if __name__ == "__main__":
    run(__doc__, *PARTS)
