"""`pigpen cluster`: the workers on other machines, for the organiser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.organise.workers_table import print_coordinators, print_worker, print_workers
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import opened, the_settings
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.value import time_of

if TYPE_CHECKING:
    from ladder.values.cluster import WorkerRow

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
    from ladder.app.cluster.coordinators import coordinators

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
