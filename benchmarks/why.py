"""
Time that `pigpen why` takes, by wall clock, for decisions of a match of sample bots.

A decision is estimated with everything that the command shows: the playouts, the house bots, hindsight. Then the
costliest decisions of one bot in a match of four boards.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.part_runner import run
from benchmarks.report import Part, Row, spread
from ladder.app.local.why import Source, costliest_in_record
from ladder.matches.inline import play_inline
from ladder.matches.why import why_of
from ladder.sandbox.bots.bot_source import find_bot, seat_names
from pigpen.rules import PRESETS, Phase, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.file import RecordWriter, read_record
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decisions

if TYPE_CHECKING:
    from collections.abc import Sequence

BOTS = ("random", "counting", "cautious", "random")
VARIANTS = ("hearts", "gongzhu")
BOARDS = 4
WORST = 5


def play(path: Path, variant: str, boards: int) -> None:
    """Play a match and record it."""
    spec = MatchSpec(PRESETS[variant], seat_names(BOTS), Format(boards=boards), seed=seed_from("why"))
    with RecordWriter.create(path) as writer:
        asyncio.run(play_inline(spec, [find_bot(name) for name in BOTS], writer.write))


def decision_times(path: Path, deals: int) -> dict[str, list[float]]:
    """Measure milliseconds for each decision of the first deals, by its kind; the bots are loaded before."""
    recorded = Recorded.of(read_record(path))
    times: dict[str, list[float]] = {}
    for place, decision in enumerate(each for line in recorded.deals[:deals] for each in decisions(recorded, line)):
        if not place:
            why_of(decision, "warm-up")
        started = time.perf_counter()
        why_of(decision, "benchmark")
        kind = "a card" if decision.before.phase is Phase.PLAY else f"what to {decision.at}"
        times.setdefault(kind, []).append(1000 * (time.perf_counter() - started))
    return times


def costliest_seconds(path: Path) -> float:
    """Measure how long it takes to find the costliest decisions of the first bot."""
    started = time.perf_counter()
    assert costliest_in_record(Source.of(path), BOTS[0], WORST).decisions
    return time.perf_counter() - started


def measure(rounds: int, boards: int = BOARDS, deals: int = 4, variants: Sequence[str] = VARIANTS) -> list[Row]:
    """Measure *deals* deals of each variant once, and the costliest decisions of matches of *boards* boards."""
    rows = []
    for variant in variants:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "match.jsonl"
            play(path, variant, boards)
            for kind, times in decision_times(path, deals).items():
                rows += rows_of(f"why, {kind}, {variant}", times)
            seconds = [costliest_seconds(path) for _ in range(rounds)]
            rows.append(Row(f"costliest {WORST} of a bot, {boards} boards, {variant}", spread(seconds, " s")))
    return rows


def rows_of(what: str, times: Sequence[float]) -> list[Row]:
    """Make rows of the median, and of what 99 of 100 stay below."""
    slow = sorted(times)[int(0.99 * len(times))]
    return [Row(what, spread(times, " ms")), Row(f"{what}, 99 of 100 within", spread([slow], " ms"))]


PART = Part("why", __doc__, measure, rounds=5)

if __name__ == "__main__":
    run(__doc__, PART)
