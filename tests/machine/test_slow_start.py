"""A machine that hardly lets programs run blames none that would come, and one that sleeps there all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerProgram, DockerSandbox
from ladder.sandbox.docker.limits import Limits
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec
from tests.for_two import FEW_TRICKS
from tests.waiting import PATIENT

pytestmark = [pytest.mark.docker, pytest.mark.root, pytest.mark.usefixtures("no_leftovers")]

SLOW = Limits(cpus=0.05)
"""Each container, the witness's too, gets a twentieth of a core: a start takes 5 s in place of 0.25 s."""
CLOCK = replace(PATIENT, start_up=2.0)
"""Eight times the CPU time of a start; less than half of the wall time that it takes here."""
COMES = """
import pigpen

class Comes(pigpen.Bot):
    def play(self, view):
        return view.legal[0]

pigpen.run(Comes())
"""
SLEEPS = "import time\nimport pigpen\ntime.sleep(10000)\n"


async def faults(programs: list[DockerProgram]) -> list[int]:
    spec = MatchSpec(FEW_TRICKS, ("first", "second"), Format(1), CLOCK, seed_from("slow"))
    played = await play_sandboxed(spec, programs, lambda line: None)
    return [row.faults for row in played.result.results]


async def test_a_slow_start_is_the_machines_and_a_sleep_the_bots(write: Callable[[str, dict[str, str]], Path]) -> None:
    sandbox = DockerSandbox("runc", SLOW)
    try:
        sources = {"comes": COMES, "sleeps": SLEEPS}
        bots = [BotSource(name, folder=write(name, {"bot.py": text})) for name, text in sources.items()]
        comes, sleeps = [await sandbox.load(bot) for bot in bots]
        assert await faults([comes, comes]) == [0, 0]
        assert await faults([sleeps, comes]) == [1, 0]
        comes.witness = None
        assert await faults([comes, comes]) == [1, 1], "by wall time alone both would be absent"
    finally:
        await sandbox.close()
