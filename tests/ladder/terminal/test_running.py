"""Ctrl-C and SIGTERM end what a command runs, whenever they come."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest

from ladder.terminal.interrupts import Stopped
from ladder.terminal.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = 5.0
"""Seconds after which work ends that nothing has ended: long enough for a signal."""


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Handlers of signals are afterwards what they were."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("when", ["while it computes", "between two steps", "in another task"])
def test_a_signal_ends_work_that_blocks(number: signal.Signals, code: int, when: str) -> None:
    cleared: list[str] = []

    async def compute() -> None:
        signal.raise_signal(number)

    async def work() -> None:
        loop = asyncio.get_running_loop()
        try:
            if when == "between two steps":
                loop.call_soon(signal.raise_signal, number)
            elif when == "in another task":
                await loop.create_task(compute())
            else:
                signal.raise_signal(number)
            await asyncio.sleep(SHORT)
        finally:
            cleared.append(when)

    with pytest.raises(Stopped) as found:
        run(work(), blocks=True)
    assert (found.value.code, cleared) == (code, [when])
