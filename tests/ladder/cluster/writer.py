"""
A worker whose matches have records of any size: `python -m tests.ladder.cluster.writer ADDRESS CERTIFICATE FOLDER`.

A record has as many bytes as its match has in its number; they are those of `record_of`.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

from ladder.cluster.worker_program import WorkerProgram
from ladder.worker.bot_store import StorePlan
from ladder.worker.match_tasks import MatchOutcome, MatchTask

MIB = 1 << 20


def record_of(size: int) -> bytes:
    """Bytes that deflate cannot pack, the same each time: repetitions are farther apart than its window."""
    return (random.Random(size).randbytes(MIB) * (size // MIB + 1))[:size]


class Writer:
    """Plays nothing, and has a record of it."""

    async def play(self, task: str) -> str:
        """Give a record."""
        match = MatchTask.model_validate_json(task)
        return MatchOutcome(match=match.match, attempt=match.attempt, record=record_of(match.match)).model_dump_json()

    async def ready(self) -> None:
        """It always is."""

    async def close(self) -> None:
        """Nothing is open."""


if __name__ == "__main__":
    address, certificate, folder = sys.argv[1:]
    program = WorkerProgram(address, Path(certificate), "mars", 1, 1, StorePlan(data_dir=Path(folder)), print)
    program._worker = Writer()  # type: ignore[assignment]
    asyncio.run(program.run())
