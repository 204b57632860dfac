"""
A cluster's scheduler: `python -P -m ladder.cluster.scheduler_program SOCKET LISTEN CERTIFICATE TTL COORDINATOR`.

It is a process between the coordinator and the workers, because Dask is large, and made for workers that are believed.
It has no password of a database, unpickles nothing that comes from another machine, and forwards only text.

Args:
    SOCKET: Number of the open file that is connected with the coordinator (`ladder.worker.channel`).
    LISTEN: Where it waits for workers: ``tls://HOST:PORT``.
    CERTIFICATE: The file with its certificate (`certificates.read_identity`).
    TTL: Seconds without a message after which a worker counts as lost.
    COORDINATOR: The process that started it (`owners.this_process`).

It follows the coordinator's orders and no signals, and ends when the coordinator closes the socket or has ended.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from ladder.cluster.certificates import read_identity
from ladder.cluster.dask_setup import StrictScheduler, security, set_up_scheduler
from ladder.cluster.dispatcher import Dispatcher
from ladder.cluster.terms import ANSWER
from ladder.errors import UserError
from ladder.worker.channel import Channel, Frame, MessageKind
from ladder.worker.process import log_to, serve_coordinator

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

log = structlog.get_logger()


def main(words: Sequence[str]) -> None:
    """Work until the coordinator has ended."""
    file, listen, certificate, ttl = int(words[0]), words[1], Path(words[2]), float(words[3])
    connected = serve_coordinator(file, words[4])
    set_up_scheduler(ttl)
    asyncio.run(_serve(connected, listen, certificate))


async def _serve(connected: socket.socket, listen: str, certificate: Path) -> None:
    channel = await Channel.over(connected)
    loop = asyncio.get_running_loop()
    log_to(lambda line: loop.call_soon_threadsafe(channel.send, Frame(MessageKind.LOG, 0, line)))
    try:
        async with _scheduler(listen, certificate) as scheduler:
            dispatcher = Dispatcher(scheduler, channel)
            scheduler.handlers[ANSWER] = dispatcher.answer
            scheduler.add_plugin(dispatcher, name="pigpen")
            await _follow(channel, dispatcher, scheduler.listener.contact_address)
    except (OSError, RuntimeError, UserError) as error:  # Dask raises the second one, from the first one
        channel.send(Frame(MessageKind.FAILURE, 1, f"No worker can connect to {listen}: {_why(error)}"))
    await channel.close()


def _why(error: BaseException) -> str:
    """Give the first cause, without full stop."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (getattr(error, "strerror", None) or str(error)).rstrip(".") + "."


def _scheduler(listen: str, certificate: Path) -> StrictScheduler:
    host, _, port = listen.removeprefix("tls://").rpartition(":")
    return StrictScheduler(
        protocol="tls",
        host=host.strip("[]"),
        port=int(port),
        security=security(read_identity(certificate)),
        dashboard=False,
        extensions={},
    )


async def _follow(channel: Channel, dispatcher: Dispatcher, address: str) -> None:
    while (message := await channel.receive()) is not None:
        if message.kind is MessageKind.READY:
            channel.send(Frame(MessageKind.ANSWER, message.call, address))
        else:
            dispatcher.take(message)


if __name__ == "__main__":
    main(sys.argv[1:])
