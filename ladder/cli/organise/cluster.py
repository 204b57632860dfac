"""
`pigpen worker` and `pigpen cluster`: workers on other machines, and their terminal output.

`pigpen worker` plays matches of a ladder on another machine. `pigpen cluster` is for the organiser: it shows the
workers, and decides which of them play.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.app.cluster.remarks import ago, remarks, slots_of, state_of
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import opened, the_settings
from ladder.terminal.ladder_words import NOTHING, Column, cell, fitting, say, when
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.cluster import WorkerState
from ladder.values.text import counted
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from ladder.values.cluster import CoordinatorRow, WorkerRow

STYLES = {
    WorkerState.ACTIVE: "",
    WorkerState.CALIBRATING: "cyan",
    WorkerState.FAILING: "yellow",
    WorkerState.TURNED_AWAY: "red",
}
"""By state; any other is dim."""
SPEED = "speed: decisions of the calibration match in a second of its bots' CPU time"
UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"))


def print_workers(rows: Sequence[WorkerRow], now: datetime, runtime: str | None, console: Console) -> None:
    """Print a row for each worker, as many columns as there is room for; below, what should be known of some."""
    if not rows:
        say(console, "No worker has ever connected to this ladder. To connect one: pigpen worker --help")
        return
    say(console, _summary(rows), "bold")
    table, columns = fitting(rows, _columns(rows, now), console, lambda row: STYLES.get(row.state, "dim"))
    console.print(table)
    if any(column.heading == "speed" for column in columns):
        console.print(cell(console, SPEED, "dim"))
    for row in rows:
        for sentence in remarks(row, now, runtime):
            say(console, f"{row.name}: {sentence}")


def print_coordinators(rows: Sequence[CoordinatorRow], console: Console) -> None:
    """Print in a line who works at the ladder."""
    named = ", ".join(f"{process(row.process)} (last seen {in_one_unit(row.silent_seconds)} ago)" for row in rows)
    say(console, f"Coordinators: {named or 'none runs; pigpen ladder run --cluster starts one'}")


def print_worker(row: WorkerRow, now: datetime, runtime: str | None, console: Console) -> None:
    """Print all that is known of one worker."""
    say(console, f"{row.name}: {state_of(row)}", "bold")
    for what, value in _facts(row, now):
        say(console, f"  {what:<13}{value}")
    for sentence in remarks(row, now, runtime):
        say(console, sentence)


def since(moment: datetime, now: datetime) -> str:
    """Give the time since a moment in one unit."""
    return in_one_unit((now - moment).total_seconds())


def in_one_unit(seconds: float) -> str:
    """Give a time in the largest unit that says something."""
    number, unit = ago(seconds)
    return f"{number} {unit}"


def machine(row: WorkerRow) -> str:
    """Give its machine class in a few words."""
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
        Column("state", state_of, "left"),
        Column("slots", lambda row: NOTHING if row.state is WorkerState.GONE else f"{row.busy}/{row.slots}"),
        Column("machine", machine, "left", 2, is_cut=True),
        Column("coordinator", lambda row: process(row.coordinator), "left", 1, is_cut=True),
        Column("version", lambda row: row.version, "left", 4, is_cut=True),
        Column("tasks", lambda row: f"{row.tasks}", "right", 7),
        Column("voids", lambda row: f"{row.voids}"),
        Column("lies", lambda row: f"{row.lies}"),
        Column("speed", lambda row: NOTHING if row.speed is None else f"{row.speed:.0f}", "right", 5),
        Column("match", lambda row: str(row.last_match or NOTHING), "right", 6),
        Column("images", lambda row: f"{row.images}", "right", 3),
        Column("seen", lambda row: since(row.seen, now)),
    )
    several = len({row.coordinator for row in rows}) > 1
    return [column for column in columns if several or column.heading != "coordinator"]


def _summary(rows: Sequence[WorkerRow]) -> str:
    states = Counter(state_of(row) for row in rows)
    parts = ", ".join(f"{number} {name}" for name, number in states.most_common())
    busy, slots = slots_of(rows)
    return f"{counted(len(rows), 'worker')}: {parts}; {busy} of {counted(slots, 'slot')} busy"


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
    yield "clock", f"{round(row.clock_skew, 1) + 0.0:+.1f} s"
    yield "certificate", f"until {when(row.certificate_ends)}" if row.certificate_ends else NOTHING
    yield "address", row.address
    yield "coordinator", process(row.coordinator)
    yield "joined", when(row.joined)
    yield "seen", f"{since(row.seen, now)} ago"


def _size(number: int) -> str:
    for size, unit in UNITS:
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"


cluster = typer.Typer(
    name="cluster",
    help="See the workers on other machines, and decide which of them play.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
NameArgument = Annotated[str, typer.Argument(help="A worker; pigpen cluster status lists the names.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the worker as JSON.")]


@cluster.callback()
def _cluster() -> None:
    """See the workers on other machines, and decide which of them play."""


@cluster.command()
def status(
    name: Annotated[str | None, typer.Argument(help="Only this worker, with all that is known about it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the workers as JSON.")] = False,
) -> None:
    """
    Show the workers, as last seen by their coordinators.

    This command, drain, resume and forget work from any machine that has the ladder's settings, even if no
    coordinator runs. A worker is shown as gone if it was not seen for a minute.

    Examples:
        pigpen cluster status

        pigpen cluster status barn

        pigpen cluster status --json
    """
    from ladder.app.cluster import certs, worker_states
    from ladder.app.cluster.worker_states import coordinators

    with opened() as ladder:
        rows = worker_states.workers(ladder, LOCAL) if name is None else [worker_states.worker(ladder, LOCAL, name)]
        now = time_of(ladder.clock())
        running = coordinators(ladder, LOCAL)
        remark = certs.scheduler_remark(ladder.settings)
        runtime = ladder.settings.container_runtime
    if as_json:
        print_json(rows)
    elif name is None:
        print_workers(rows, now, runtime, Console())
        print_coordinators(running, Console())
        if remark:
            typer.echo(sanitize(remark))
    else:
        print_worker(rows[0], now, runtime, Console())


@cluster.command()
def drain(
    name: NameArgument,
    reason: Annotated[str, typer.Option(help="The reason, for other organisers.")] = "",
    as_json: JsonOption = False,
) -> None:
    """
    Let a worker finish what it plays, and give it no more tasks until pigpen cluster resume.

    It may be switched off as soon as its state is drained. It stays drained when it is started again.

    Examples:
        pigpen cluster drain barn --reason "It gets a new disk."
    """
    from ladder.app.cluster import worker_states

    with opened() as ladder:
        row = worker_states.drain(ladder, LOCAL, name, reason)
    _say(row, f"{row.name} gets no more tasks; it has {row.busy} now.", as_json)


@cluster.command()
def resume(name: NameArgument, as_json: JsonOption = False) -> None:
    """
    Let a drained worker play again. It does not matter who drained it, an organiser or the coordinator.

    Examples:
        pigpen cluster resume barn
    """
    from ladder.app.cluster import worker_states

    with opened() as ladder:
        row = worker_states.resume(ladder, LOCAL, name)
    _say(row, f"{row.name} plays again.", as_json)


@cluster.command()
def forget(name: NameArgument) -> None:
    """
    Remove a worker that will not come back from the list. If it does, it counts as a new one.

    Examples:
        pigpen cluster forget barn
    """
    from ladder.app.cluster import worker_states

    with opened() as ladder:
        worker_states.forget(ladder, LOCAL, name)
    typer.echo(sanitize(f"{name} is forgotten."))


@cluster.command("certs")
def make_certificates(
    name: Annotated[str | None, typer.Argument(help="A worker's name; without one: the scheduler's.")] = None,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="The certificate's file. By default: NAME.pem, in this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the certificate as JSON.")] = False,
) -> None:
    """
    Make the certificates of workers and scheduler; run it on the coordinator's machine.

    The first time it also makes the cluster's own certificate authority and the scheduler's certificate, in the folder
    cluster of the data folder. Existing files stay. A worker's certificate is one file: copy it to its machine, and
    keep it secret.

    Examples:
        pigpen cluster certs

        pigpen cluster certs barn

        pigpen cluster certs barn --out /media/stick/barn.pem
    """
    from ladder.app.cluster import certs

    if name is None:
        made = certs.make_scheduler_certificate(the_settings())
    else:
        made = certs.make_worker_certificate(the_settings(), name, out or Path(f"{name}.pem"))
    if as_json:
        print_json(made)
    else:
        typer.echo(sanitize(f"{made.file}: the certificate of {made.name}, good until {made.expires:%Y-%m-%d}."))


def _say(row: WorkerRow, sentence: str, as_json: bool) -> None:
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(sentence))
