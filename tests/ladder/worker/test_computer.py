"""The process that computes: limited in time and memory, and replaced when it has ended."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from ladder.errors import SandboxError, UserError
from ladder.values.questions import HouseQuestion
from ladder.worker import computer as module
from ladder.worker.computer import TOO_LARGE, TOO_LONG, Computer, TooHeavy
from ladder.worker.computing_process import ComputingLimits
from tests.waiting import PATIENCE

LIMITS = ComputingLimits(cpu_seconds=1, memory_bytes=1 << 30, niceness=3)
NICENESS = min(os.nice(0) + 3, 19)
"""The tests themselves may run under `nice`, and 19 is the most."""
ROOT = Path(__file__).parents[3]


def asked(what: str) -> str:
    return HouseQuestion(rules={}, format="board:0:0", seed="", bots=(what,)).model_dump_json()


def ignore(done: int, steps: int) -> None:
    """Ignore the progress."""


async def test_a_computation_takes_no_more_than_its_limits_and_the_next_one_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROGRAM", "tests.ladder.worker.odd_computations")
    monkeypatch.setattr(module, "PATIENCE", PATIENCE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    computer = Computer(tmp_path, LIMITS)
    try:
        first = await computer.compute(asked("one"), ignore)
        assert first == f"one by {computer.pid}, nice {NICENESS}, in {tmp_path}"
        with pytest.raises(UserError, match=r"no such board\."):
            await computer.compute(asked("refuse"), ignore)
        again = await computer.compute(asked("two"), ignore)
        assert again.partition(" by ")[2] == first.partition(" by ")[2], "the same process"
        with pytest.raises(TooHeavy, match=re.escape(TOO_LONG)):
            await computer.compute(asked("spin"), ignore)
        assert computer.pid is None
        with pytest.raises(TooHeavy, match=re.escape(TOO_LARGE)):
            await computer.compute(asked("eat"), ignore)
        with pytest.raises(SandboxError, match="was ended by signal 9"):
            await computer.compute(asked("die"), ignore)
        reported = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(
            computer.compute(asked("wait"), lambda *progress: reported.set_result(progress))
        )
        assert await reported == (3, 20)
        pid = computer.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(SandboxError) as lost:
            await waiting
        assert not isinstance(lost.value, UserError), "asked again, it may be computed"
    finally:
        await computer.close()
    assert computer.pid is None


async def test_one_that_is_given_up_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROGRAM", "tests.ladder.worker.odd_computations")
    monkeypatch.setattr(module, "PATIENCE", PATIENCE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    computer = Computer(tmp_path, LIMITS)
    reported = asyncio.Event()
    waiting = asyncio.ensure_future(computer.compute(asked("wait"), lambda *progress: reported.set()))
    await reported.wait()
    pid = computer.pid
    assert pid is not None
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await computer.close()
    assert not Path(f"/proc/{pid}").exists()
