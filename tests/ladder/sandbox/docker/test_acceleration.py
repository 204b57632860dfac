"""A bot in a container has the accelerated engine without doing anything for it."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from pigpen.rules import Deal, deal_hands
from pigpen.rules.presets import GONGZHU
from pigpen.sim import native
from pigpen.sim.playout import playout
from tests.ladder.containers import run

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("no_leftovers")]

DOCKERFILE = 'FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n'
BOT = """
import random
import pigpen
from pigpen.rules import Deal, deal_hands
from pigpen.rules.presets import GONGZHU
deal = Deal(GONGZHU, deal_hands(GONGZHU, bytes(32), 0))
print(pigpen.is_accelerated(), pigpen.playout(deal, rng=random.Random(1)))
"""


async def test_sampling_and_playouts_are_accelerated_in_the_sandbox_of_the_ladder(
    write: Callable[[str, dict[str, str]], Path], mount: Callable[[str], SeatMount], name: str
) -> None:
    folder = write(name, {"bot.py": BOT, "Dockerfile": DOCKERFILE})
    end, output = await run(BotSource(name, folder=folder), mount(""))
    assert end == Exit(0), output
    is_accelerated, _, scores = output.strip().partition(" ")
    assert is_accelerated == str(native.library(platform.machine()).is_file())
    assert scores == str(playout(Deal(GONGZHU, deal_hands(GONGZHU, bytes(32), 0)), rng=Random(1)))
