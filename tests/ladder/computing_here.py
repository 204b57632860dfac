"""Visitors' questions, computed in the test's own process."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from ladder.app.computing.asking import BeingComputed
from ladder.app.computing.computing_run import run_computing
from ladder.matches.answering import answer
from ladder.store.commands import computations
from ladder.values.questions import QUESTIONS, Lane

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from ladder.app.ladder import Ladder

T = TypeVar("T")


def compute_all(ladder: Ladder) -> int:
    """Answer all questions that wait; how many there were."""
    count = 0
    for lane in Lane:
        while True:
            with ladder.database.write() as session:
                lease = computations.claim(session, lane, "test", ladder.clock(), 60.0)
            if lease is None:
                break
            found = answer(QUESTIONS.validate_python(lease.question, strict=False), ladder.settings.data_dir)
            with ladder.database.write() as session:
                assert computations.finish(session, lease, found, ladder.clock())
            count += 1
    return count


def computed(ladder: Ladder, ask: Callable[[], T]) -> T:
    """Give the answer once all that it takes has been computed."""
    while True:
        try:
            return ask()
        except BeingComputed:
            assert compute_all(ladder)


class ComputerHere:
    """Computes in a thread of this process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def compute(self, question: str, advance: Callable[[int, int], None]) -> str:
        """See `Computer`."""
        return await asyncio.to_thread(answer, QUESTIONS.validate_json(question), self._folder)

    async def close(self) -> None:
        """There is nothing to end."""


@asynccontextmanager
async def computing_here(ladder: Ladder) -> AsyncIterator[None]:
    """Compute what visitors ask for, in this loop."""
    folder = ladder.settings.data_dir
    running = asyncio.ensure_future(run_computing(ladder, computers={lane: ComputerHere(folder) for lane in Lane}))
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
