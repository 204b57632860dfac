"""How workers on other machines look in a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.app.cluster.remarks import remarks
from ladder.cli.fitting_table import Column, fitting
from ladder.cli.ladder_words import NOTHING, cell, say, when
from ladder.values.cluster import Wanted, WorkerState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from rich.console import Console

    from ladder.values.cluster import WorkerRow

STYLES = {
    WorkerState.ACTIVE: "",
    WorkerState.CALIBRATING: "cyan",
    WorkerState.FAILING: "yellow",
    WorkerState.TURNED_AWAY: "red",
}
"""By state; any other is dim."""
PLAYING = (WorkerState.ACTIVE, WorkerState.CALIBRATING, WorkerState.FAILING)
SPEED = "speed: decisions of the calibration match in a second of its bots' CPU time"
UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"))


def print_workers(rows: Sequence[WorkerRow], now: datetime, console: Console) -> None:
    """Print a row for each worker, as many columns as there is room for; below, what should be known of some."""
    if not rows:
        say(console, "No worker has ever come to this ladder. How one does: pigpen worker --help")
        return
    say(console, _summary(rows), "bold")
    table, columns = fitting(rows, _columns(rows, now), console, lambda row: STYLES.get(row.state, "dim"))
    console.print(table)
    if any(column.heading == "speed" for column in columns):
        console.print(cell(console, SPEED, "dim"))
    for row in rows:
        for sentence in remarks(row, now):
            say(console, f"{row.name}: {sentence}")


def print_worker(row: WorkerRow, now: datetime, console: Console) -> None:
    """Print all that is known of one worker."""
    say(console, f"{row.name}: {state(row)}", "bold")
    for what, value in _facts(row, now):
        say(console, f"  {what:<13}{value}")
    for sentence in remarks(row, now):
        say(console, sentence)


def state(row: WorkerRow) -> str:
    """What it is used for; or what it is to be, if its coordinator has not seen to that yet."""
    if row.wanted is Wanted.DRAINED and row.state in PLAYING:
        return "to drain"
    if row.wanted is Wanted.ACTIVE and row.state in (WorkerState.DRAINING, WorkerState.DRAINED):
        return "to resume"
    return row.state.value


def ago(moment: datetime, now: datetime) -> str:
    """Give the time since a moment, in the largest unit that says something."""
    seconds = max(0.0, (now - moment).total_seconds())
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"


def machine(row: WorkerRow) -> str:
    """Its machine class in a few words."""
    return f"{row.machine.cores}× {row.machine.processor or row.machine.architecture}"


def process(owner: str) -> str:
    """
    Give machine and number of a process that `owners.this_process` has named.

    >>> process("sty 1e4b pid:[4026531836] 4711 99")
    'sty 4711'
    """
    words = owner.split(" ")
    return f"{words[0]} {words[3]}" if len(words) == 5 else owner


def _columns(rows: Sequence[WorkerRow], now: datetime) -> Sequence[Column[WorkerRow]]:
    columns: tuple[Column[WorkerRow], ...] = (
        Column("worker", lambda row: row.name, "left", is_cut=True),
        Column("state", state, "left"),
        Column("slots", lambda row: f"{row.busy}/{row.slots}"),
        Column("machine", machine, "left", 2, is_cut=True),
        Column("coordinator", lambda row: process(row.coordinator), "left", 1, is_cut=True),
        Column("version", lambda row: row.version, "left", 4, is_cut=True),
        Column("tasks", lambda row: f"{row.tasks}", "right", 7),
        Column("voids", lambda row: f"{row.voids}"),
        Column("lies", lambda row: f"{row.lies}"),
        Column("speed", lambda row: NOTHING if row.speed is None else f"{row.speed:.0f}", "right", 5),
        Column("match", lambda row: str(row.last_match or NOTHING), "right", 6),
        Column("images", lambda row: f"{row.images}", "right", 3),
        Column("seen", lambda row: ago(row.seen, now)),
    )
    several = len({row.coordinator for row in rows}) > 1
    return [column for column in columns if several or column.heading != "coordinator"]


def _summary(rows: Sequence[WorkerRow]) -> str:
    there = [row for row in rows if row.state is not WorkerState.GONE]
    states = Counter(state(row) for row in rows)
    parts = ", ".join(f"{number} {name}" for name, number in states.most_common())
    busy, slots = sum(row.busy for row in there), sum(row.slots for row in there)
    return f"{len(rows)} worker{'s' * (len(rows) != 1)}: {parts}; {busy} of {slots} slots busy"


def _facts(row: WorkerRow, now: datetime) -> Iterable[tuple[str, str]]:
    memory = _size(row.memory)
    yield "machine", f"{machine(row)}, {row.machine.architecture}, {memory} of memory"
    yield "engine", f"Docker {row.engine}, {', '.join(row.runtimes)}" if row.engine else "none"
    yield "version", row.version
    yield "slots", f"{row.busy} of {row.slots} busy"
    yield "tasks", f"{row.tasks}, {row.voids} void, {row.lies} untrue"
    yield "speed", NOTHING if row.speed is None else f"{row.speed:.0f} decisions a second"
    yield "last match", str(row.last_match or NOTHING)
    yield "images", f"{row.images}, {_size(row.image_bytes)}"
    yield "clock", f"{row.clock_skew:+.1f} s"
    yield "certificate", f"until {when(row.certificate_ends)}" if row.certificate_ends else NOTHING
    yield "address", row.address
    yield "coordinator", process(row.coordinator)
    yield "joined", when(row.joined)
    yield "seen", f"{ago(row.seen, now)} ago"


def _size(number: int) -> str:
    for size, unit in UNITS:
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"
