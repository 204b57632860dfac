"""
Calibration: each worker plays a match whose record is known, because it was played on the coordinator's machine, too.

It does so before any match that counts. A record that says something else shows that the machine plays by other rules,
or does not tell the truth; its times show how fast the machine is.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pydantic
import structlog

from ladder.errors import SandboxError
from ladder.runner.returned import check_first_line
from ladder.worker.calibration_match import SPEC, play_calibration_match
from ladder.worker.match_tasks import CalibrationTask, MatchOutcome
from pigpen.rules.errors import PigpenError
from referee.records.file import read_record
from referee.records.lines import DealLine, MatchLine, to_json, without_times

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Play = Callable[[str], Awaitable[str]]
    """Plays a task somewhere, and gives its outcome; both as JSON."""

TASK = CalibrationTask().model_dump_json()
MAX_SPEED = 1e9
"""Decisions in a second; no machine is faster."""
DIFFERS = "The record of its calibration match is not the one that this match has on the coordinator's machine."

log = structlog.get_logger()


class CalibrationDiffers(PigpenError):
    """A worker's record of the calibration match differs; the message says so in a sentence."""


class Calibration:
    """The calibration match of one coordinator. Only for the thread of one event loop."""

    def __init__(self, play_here: Callable[[], Awaitable[bytes]] = play_calibration_match) -> None:
        """
        Prepare; the match is played here when its record is needed first.

        Args:
            play_here: Plays it on this machine, and gives the record.
        """
        self._play_here = play_here
        self._known: asyncio.Future[str] | None = None

    async def speed(self, play: Play) -> float:
        """
        Let a worker play it.

        Args:
            play: Plays tasks there.

        Returns:
            Decisions in a second of CPU time of the bots.

        Raises:
            CalibrationDiffers: If what comes of it is not what is known.
            SandboxError: If it cannot be played there, or here.
        """
        known = await self._fingerprint()
        try:
            outcome = MatchOutcome.model_validate_json(await play(TASK))
            if (outcome.match, outcome.attempt) != (0, 0):
                raise CalibrationDiffers("It answered for another match than the calibration match.")
            if outcome.record is None:
                raise SandboxError(f"Its calibration match is void: {outcome.void}")
            found, speed = await asyncio.to_thread(_look, outcome.record)
        except (pydantic.ValidationError, _Unreadable) as error:
            raise CalibrationDiffers(f"The answer to its calibration match cannot be understood: {error}") from error
        if found != known:
            raise CalibrationDiffers(DIFFERS)
        return speed

    async def _fingerprint(self) -> str:
        """Play it here, once; other callers wait for the result."""
        if self._known is None or (self._known.done() and (self._known.cancelled() or self._known.exception())):
            self._known = asyncio.ensure_future(self._look_here())
        return await asyncio.shield(self._known)

    async def _look_here(self) -> str:
        try:
            found, speed = await asyncio.to_thread(_look, await self._play_here())
        except (_Unreadable, SandboxError) as error:
            raise SandboxError(f"The calibration match fails on the coordinator's machine: {error}") from None
        log.info("calibration.played", speed=round(speed))
        return found


class _Unreadable(Exception):
    """It is no record of a match in which something was decided."""


def _look(record: bytes) -> tuple[str, float]:
    """Compute a fingerprint of the record without its times, and the speed that they tell of."""
    found, decisions, seconds = hashlib.sha256(), 0, 0.0
    with tempfile.NamedTemporaryFile(suffix=".jsonl.gz") as file:
        file.write(record)
        file.flush()
        try:
            for line in read_record(Path(file.name)):
                if isinstance(line, MatchLine):
                    check_first_line(line, SPEC)
                found.update(without_times([to_json(line)])[0].encode())
                for step, took, _ in line.timed_steps() if isinstance(line, DealLine) else ():
                    if step.by == "bot":
                        decisions, seconds = decisions + 1, seconds + took
        except (PigpenError, ValueError) as error:
            raise _Unreadable(str(error).replace(file.name, "its record")) from None
    if not seconds:
        raise _Unreadable("nothing is decided in it")
    if decisions > seconds * MAX_SPEED:
        raise _Unreadable("its bots decide faster than any machine can")
    return found.hexdigest(), decisions / seconds
