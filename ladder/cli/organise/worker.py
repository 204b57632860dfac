"""`pigpen worker`: play matches of a ladder on another machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ladder.terminal.interrupts import stopped, stopped_by_signals
from ladder.terminal.sanitize import sanitize


def worker(
    address: Annotated[str, typer.Argument(help="The coordinator's address: tls://HOST:PORT.")],
    certificate: Annotated[
        Path, typer.Option(help="This worker's certificate: the file that `pigpen cluster certs NAME` has written.")
    ],
    name: Annotated[str, typer.Option(help="Its name, unique in the cluster. By default: the machine's.")] = "",
    slots: Annotated[
        int | None,
        typer.Option(min=1, help="Number of tasks to run at once. By default: the number of cores for bots, plus one."),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="A folder for temporary files and for bots. By default: the usual folders for such files."),
    ] = None,
    image_bytes: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum bytes of bots' images to keep on this machine. By default: 20 GiB."),
    ] = None,
    folder_bytes: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum bytes of bots' folders to keep on this machine. By default: 2 GiB."),
    ] = None,
) -> None:
    """
    Play matches of a ladder on this machine, for a coordinator on another one (pigpen ladder run --cluster).

    It needs no database and no settings. When the coordinator is gone, it waits until there is one again. The first
    Ctrl-C finishes the matches that are running. The second one stops them, and another worker plays them again.

    It pulls the bots' images from the ladder's registry, and is sent the folders of bots in the process sandbox. When
    there are too many, those played least recently are removed; other images are never removed.

    Examples:
        pigpen worker tls://10.0.0.1:8786 --certificate mars.pem

        pigpen worker tls://10.0.0.1:8786 --certificate mars.pem --name mars --slots 8
    """
    from ladder.app.cluster.worker_start import WorkerPlan, open_worker

    plan = WorkerPlan(address, certificate, name, slots, data_dir, image_bytes, folder_bytes)
    program = open_worker(plan, lambda sentence: typer.echo(sanitize(sentence)))
    with stopped_by_signals(program.stop) as signals:
        asyncio.run(program.run())
    if signals:
        raise stopped(signals[0])
