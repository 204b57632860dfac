"""
A process that computes: `python -P -m ladder.worker.computing_process SOCKET COORDINATOR FOLDER LIMITS`.

Args:
    SOCKET: Number of the open file that is connected with the process that asks (`ladder.worker.channel`).
    COORDINATOR: That process (`owners.this_process`).
    FOLDER: The ladder's.
    LIMITS: `ComputingLimits`, as JSON.

It computes one thing at a time. What takes more memory than the limit fails; the kernel ends a process that takes more
CPU time. The caller starts another one then.
"""

from __future__ import annotations

import asyncio
import math
import os
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pydantic

from ladder.errors import UserError
from ladder.matches.answering import answer
from ladder.values.questions import QUESTIONS
from ladder.worker.channel import Channel, Frame, MessageKind
from ladder.worker.process import serve_coordinator
from referee.records.framing import RecordError
from referee.seats.fair_wait import new_loop

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

REPORT_SECONDS = 0.5
"""Seconds between two reports of progress."""


class ComputingLimits(pydantic.BaseModel):
    """The limits of a computation."""

    cpu_seconds: int
    """Of one computation."""
    memory_bytes: int
    """Of address space, of the whole process."""
    niceness: int


class ComputingOutcome(pydantic.BaseModel):
    """The outcome of a computation; computed again, it would end in the same way."""

    answer: str | None = None
    refused: str = ""
    """The reason that there is no answer, in a sentence."""
    is_too_heavy: bool = False
    """It needed more memory than it may have."""


def main(words: list[str]) -> None:
    """Compute until the other end has closed."""
    limits = ComputingLimits.model_validate_json(words[3])
    connected = serve_coordinator(int(words[0]), words[1], end_seconds=0.0)
    os.nice(limits.niceness)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_serve(Computations(Path(words[2]), limits), connected))


async def _serve(computations: Computations, connected: socket.socket) -> None:
    channel = await Channel.over(connected)
    loop = asyncio.get_running_loop()

    def tell(done: int, steps: int) -> None:
        loop.call_soon_threadsafe(channel.send, Frame(MessageKind.PROGRESS, 0, f"{done} {steps}"))

    while (message := await channel.receive()) is not None:
        if message.kind is not MessageKind.PLAY:
            continue
        outcome = await asyncio.to_thread(computations.compute, message.body, tell)
        channel.send(Frame(MessageKind.ANSWER, message.call, outcome.model_dump_json()))
    await channel.close()


class Computations:
    """Computes, within limits."""

    def __init__(self, folder: Path, limits: ComputingLimits) -> None:
        """
        Prepare.

        Args:
            folder: The ladder's.
            limits: Of each computation.
        """
        self._folder = folder
        self._limits = limits
        self._reported = float("-inf")

    def compute(self, question: str, tell: Callable[[int, int], None]) -> ComputingOutcome:
        """Answer a question, which is JSON; *tell* takes the progress, at most every `REPORT_SECONDS` seconds."""

        def advance(done: int, steps: int) -> None:
            if time.monotonic() - self._reported > REPORT_SECONDS:
                self._reported = time.monotonic()
                tell(done, steps)

        self._limit_time()
        try:
            return ComputingOutcome(answer=answer(QUESTIONS.validate_json(question), self._folder, advance))
        except MemoryError:
            return ComputingOutcome(is_too_heavy=True)
        except UserError as error:
            return ComputingOutcome(refused=str(error))
        except RecordError as error:
            return ComputingOutcome(refused=str(error).replace(f"{self._folder}/", ""))

    def _limit_time(self) -> None:
        """Limit the CPU time; the kernel counts from the beginning of the process, in whole seconds."""
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + self._limits.cpu_seconds, most))


if __name__ == "__main__":
    main(sys.argv[1:])
