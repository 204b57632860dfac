"""
A worker process: `python -P -m ladder.worker.process SOCKET NUMBER COUNT COORDINATOR [STORE]`.

Args:
    SOCKET: Number of the open file that is connected with the coordinator (`ladder.worker.channel`).
    NUMBER: Of this worker, from 0.
    COUNT: Number of workers on this machine; cores and memory are divided among them.
    COORDINATOR: The process that started it (`owners.this_process`).
    STORE: A `StorePlan`, as JSON, if the ladder is on another machine.

It follows the coordinator's orders and no signals, and ends when the coordinator closes the socket or has ended.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import structlog

from ladder.garbage import look_for_garbage_rarely
from ladder.matches.kinds import open_sandbox
from ladder.sandbox.host import scratch
from ladder.sandbox.host.machine import CORES
from ladder.values.sandbox_kind import SandboxSetup
from ladder.worker.bot_store import BotStore, StorePlan
from ladder.worker.channel import Channel, Frame, MessageKind, live_body
from ladder.worker.match_tasks import load_version
from ladder.worker.service import Service, shut_down
from ladder.worker.worker import Worker
from referee.seats.fair_wait import new_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.base import Sandbox

END_SECONDS = 60.0
"""Seconds that clean-up may take after the coordinator has ended; then the process ends anyway."""


def main(words: Sequence[str]) -> None:
    """Work until the coordinator has ended."""
    file, number, count = map(int, words[:3])
    connected = serve_coordinator(file, words[3])
    CORES.share(number, count)
    loop = new_loop()
    # Not asyncio.run: it would wait for every task of gRPC's, and not all of them end.
    store = BotStore(StorePlan.model_validate_json(words[4])) if words[4:] else None
    loop.run_until_complete(_serve(connected, count, store))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def serve_coordinator(file: int, coordinator: str, end_seconds: float = END_SECONDS) -> socket.socket:
    """
    Make this process one that works for a coordinator, follows its orders and no signals, and ends with it.

    Args:
        file: Number of the open file that is connected with the coordinator.
        coordinator: Who that is (`owners.this_process`).
        end_seconds: Seconds that clean-up may take after the coordinator has ended.
    """
    look_for_garbage_rarely()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _go_on)
    connected = socket.socket(fileno=file)
    connected.set_inheritable(False)  # a bot that had it open would hide our end from the coordinator
    threading.Thread(target=_end_without, args=(file, end_seconds), name="coordinator", daemon=True).start()
    scratch.work_for(coordinator)
    return connected


async def _serve(connected: socket.socket, count: int, store: BotStore | None) -> None:
    channel = await Channel.over(connected)
    loop = asyncio.get_running_loop()
    log_to(lambda line: loop.call_soon_threadsafe(channel.send, Frame(MessageKind.LOG, 0, line)))
    share, offer, tell = partial(_open_share, count), partial(_offer, channel), partial(_tell, channel)
    worker = Worker(load_version, share, offer, tell, store)
    service = Service(worker, channel.send)
    while (message := await channel.receive()) is not None:
        service.take(message)
    await shut_down(worker, service.working)
    await channel.close()


def _open_share(count: int, setup: SandboxSetup) -> Sandbox:
    return open_sandbox(replace(setup, processes=count))


def _offer(channel: Channel, match: int, attempt: int, batch: str) -> bool:
    """Send events of a match, unless much is waiting to be sent."""
    if channel.is_behind:
        return False
    channel.send(Frame(MessageKind.LIVE, 0, live_body(match, attempt, batch)))
    return True


def _tell(channel: Channel, progress: str) -> None:
    channel.send(Frame(MessageKind.TRIAL, 0, progress))


def _go_on(*_: object) -> None:
    """Ignore Ctrl-C, which is for the coordinator. A function, since bots would inherit that a signal is ignored."""


def _end_without(file: int, seconds: float) -> None:
    """End this process some time after the coordinator has ended, even if something hangs."""
    hang_up = select.poll()
    hang_up.register(file, getattr(select, "POLLRDHUP", 0))
    hang_up.poll()
    time.sleep(seconds)
    os._exit(1)


class _Lines:
    """A logger whose lines go to the coordinator."""

    def __init__(self, send: Callable[[str], object]) -> None:
        self.debug = self.info = self.warning = self.error = self.critical = self.exception = send


def log_to(send: Callable[[str], object]) -> None:
    """Give every event of this process, as a line of JSON, to *send*; from any thread."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
        logger_factory=lambda *_: _Lines(send),
        cache_logger_on_first_use=False,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
