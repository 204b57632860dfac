"""The process that computes, from the side of its caller: started when it is needed, replaced when it has ended."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import structlog

from ladder.errors import SandboxError, UserError
from ladder.sandbox.host import scratch
from ladder.worker.channel import ChildProcess, MessageKind, start_program
from ladder.worker.computing_process import ComputingOutcome

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from ladder.worker.channel import Channel, Frame
    from ladder.worker.computing_process import ComputingLimits

    Advance = Callable[[int, int], None]

PROGRAM = "ladder.worker.computing_process"
PATIENCE = 10
"""Limit of wall time, as a multiple of the limit of CPU time: it gets only the cores that others do not need."""
TOO_LONG = "This takes more time than a computation may take. It may succeed with simpler rules."
TOO_LARGE = "This takes more memory than a computation may take. It may succeed with simpler rules."

log = structlog.get_logger()


class TooHeavy(UserError):
    """A computation took more time or memory than it may take; it would do so again."""


class Computer:
    """Computes one thing at a time, in a process of its own. Only for the thread of one event loop."""

    def __init__(self, folder: Path, limits: ComputingLimits) -> None:
        """
        Prepare; no process is started yet.

        Args:
            folder: The ladder's.
            limits: Of each computation.
        """
        self._folder = folder
        self._limits = limits
        self._process: ComputingProcess | None = None

    @property
    def pid(self) -> int | None:
        """The process that computes; None: there is none."""
        return self._process.pid if self._process and not self._process.has_ended else None

    async def compute(self, question: str, advance: Advance) -> str:
        """
        Answer a question.

        Args:
            question: As JSON.
            advance: Takes how many steps are done, and how many there are.

        Raises:
            SandboxError: If the process was ended from outside; the same question may have an answer.
            UserError: If there is no answer.
        """
        process = await self._running()
        process.advance = advance
        try:
            async with asyncio.timeout(self._limits.cpu_seconds * PATIENCE):
                outcome = ComputingOutcome.model_validate_json(await process.call(MessageKind.PLAY, question))
        except TimeoutError:
            raise SandboxError("A computation was not done in time; the machine is too busy.") from None
        except SandboxError:
            if process.ended_by == signal.SIGXCPU:
                raise TooHeavy(TOO_LONG) from None
            raise
        if outcome.is_too_heavy:
            await self.close()  # what is left of its memory may be in pieces
            raise TooHeavy(TOO_LARGE)
        if outcome.answer is None:
            raise UserError(outcome.refused)
        return outcome.answer

    async def close(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            await self._process.close()
            self._process = None

    async def _running(self) -> ComputingProcess:
        if self._process is None or self._process.has_ended:
            words = [PROGRAM, scratch.this_process(), self._folder, self._limits.model_dump_json()]
            self._process = ComputingProcess(*await start_program(words, "process that computes"))
        return self._process


class ComputingProcess(ChildProcess):
    """One such process."""

    def __init__(self, process: subprocess.Popen[bytes], channel: Channel) -> None:
        super().__init__(process, channel, obey_seconds=0.0)  # it follows no orders while it computes
        self.advance: Advance = lambda done, steps: None

    @property
    def ended_by(self) -> int | None:
        """The signal that has ended it; None: it lives, or has ended by itself."""
        code = self._process.returncode
        return -code if code is not None and code < 0 else None

    def _receive(self, message: Frame) -> None:
        if message.kind is MessageKind.PROGRESS:
            done, steps = map(int, message.body.split(" "))
            self.advance(done, steps)

    def _missed(self, playing: int) -> None:
        log.warning("computer.lost", pid=self.pid, reason=self._sentence(), computing=playing)

    def _hangs(self) -> None:
        log.info("computer.given_up", pid=self.pid)

    def _sentence(self) -> str:
        return f"The process that computes ({self.pid}) {self._how()}."
