"""A bot whose native code cannot be forked still plays, and prints that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.matches.check import ConformanceCheck
from ladder.sandbox.base import Sandbox
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.forked import CAN_FORK
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS
from tests.waiting import PATIENCE, PATIENT

CRASHING = """
import os, signal, sys
if {when}:
    os.kill(os.getpid(), signal.SIG{signal})
import pigpen
class B(pigpen.Bot):
    def play(self, view):
        return view.legal[0]
if __name__ == "__main__":
    pigpen.run(B())
"""
FORKED = '"pigpen.client" in sys.modules'
"""Test for a forked bot: it has imported that before its main file runs."""
Crashing = Callable[..., BotSource]


@pytest.fixture
def crashing(tmp_path: Path) -> Crashing:
    def make(when: str, signal: str = "SEGV") -> BotSource:
        (tmp_path / "bot.py").write_text(CRASHING.format(when=when, signal=signal))
        return BotSource("fragile", folder=tmp_path)

    return make


async def passes(sandbox: Sandbox, bot: BotSource) -> tuple[bool, bool, str]:
    """Tell if it passes the check, if it could be forked afterwards, and the first fault of it."""
    try:
        program = await sandbox.load(bot)
        report = await ConformanceCheck(program, PATIENT, PATIENCE).run([PRESETS["hearts"]])
        return report.passed, program.can_fork, report.outcomes[0].reason
    finally:
        await sandbox.close()


@pytest.mark.docker
async def test_in_containers_it_is_forked_no_more(crashing: Crashing) -> None:
    reports: list[str] = []
    sandbox = DockerSandbox(instances="warm", report=reports.append)
    assert await passes(sandbox, crashing(FORKED)) == (True, False, "")
    [sentence] = [line for line in reports if "fragile" in line]
    assert "crashed when it was forked, before it took its seat (its program ended with exit code 139)" in sentence


@pytest.mark.skipif(not CAN_FORK, reason="processes are forked on Linux alone")
@pytest.mark.parametrize("signal", ["SEGV", "ABRT", "ILL"])
async def test_in_processes_it_is_forked_no_more(crashing: Crashing, signal: str) -> None:
    passed, _, reason = await passes(ProcessSandbox(), crashing(FORKED, signal))
    assert (passed, reason) == (True, "")


async def test_one_that_crashes_anyway_is_at_fault(crashing: Crashing) -> None:
    passed, _, reason = await passes(ProcessSandbox(), crashing("True"))
    assert (passed, reason) == (False, "its program ended with exit code 139")
