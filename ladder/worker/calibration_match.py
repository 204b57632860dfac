"""
The calibration match: sample bots that leave nothing to chance play a fixed seed, inline, in a process of its own.

`python -P -m ladder.worker.calibration_match` plays it and writes its record to stdout. The referee's clock is the CPU
time of that process, so the times in the record tell how fast the machine is, whatever else it does.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import time
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.matches.inline_match import inline_table
from ladder.sandbox.base import SAME_HASHES
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.host.machine import CORES
from ladder.worker.channel import SECRETS
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match
from referee.records.file import PackedRecord

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from referee.seats.seat import InlineSeat

PROGRAM = "ladder.worker.calibration_match"
BOTS = ("counting", "cautious", "counting", "cautious")
SPEC = MatchSpec(
    PRESETS["gongzhu"],
    tuple(f"{name} {number}" for number, name in enumerate(BOTS)),
    Format.parse("deals:16"),
    seed=hashlib.sha256(b"calibration").digest(),
)
SECONDS = 120.0
"""On a machine that needs longer something is wrong."""


async def play_calibration_match() -> bytes:
    """
    Play it on this machine.

    Returns:
        The record, packed as in a file that ends in ``.jsonl.gz``.

    Raises:
        SandboxError: If it could not be played to its end.
    """
    with CORES.lease() as core:
        words = [sys.executable, "-P", "-m", PROGRAM, *([] if core is None else [str(core)])]
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE, env=_environment(),
            )  # fmt: skip
        except OSError as error:
            raise SandboxError(f"The calibration match cannot be started: {error}") from error
        try:
            async with asyncio.timeout(SECONDS):
                record, errors = await process.communicate()
        except TimeoutError:
            raise SandboxError(f"The calibration match was not over after {SECONDS:g} seconds.") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    if process.returncode:
        words = errors.decode(errors="replace").strip().splitlines()
        raise SandboxError(f"The calibration match has failed: {words[-1][:200] if words else process.returncode}")
    return record


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.upper() not in SECRETS} | SAME_HASHES


def main(words: list[str]) -> None:
    """Play it here, on one core if one is given."""
    if words:
        os.sched_setaffinity(0, {int(words[0])})
    record = PackedRecord()
    asyncio.run(Match(SPEC, _open_table, record.write, now=time.process_time).play())
    sys.stdout.buffer.write(bytes(record))


def _open_table(table: int) -> AbstractAsyncContextManager[list[InlineSeat]]:
    return inline_table([find_bot(name) for name in BOTS], lambda logs: None)


if __name__ == "__main__":
    main(sys.argv[1:])
