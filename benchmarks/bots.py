"""Bots and matches that the benchmarks play: bots that answer at once, and bots that work for a given CPU time."""

from __future__ import annotations

import shutil
import time
from functools import cache
from pathlib import Path

from ladder.sandbox.bots.bot_source import BotSource
from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.values.view import View
from pigpen.wire.messages import request_message
from referee.match.formats import Format, MatchSpec

HERE = Path(__file__).resolve().parent
BARE = BotSource("bare", folder=HERE / "bare")
INSTANT = BotSource("instant", folder=HERE / "instant")
RULES = PRESETS["gongzhu"]
DEALS = 60
ENDLESS = 100_000
"""Deals of a match that is given up when enough has been measured."""
THINKING = """
import pigpen


class Thinking(pigpen.Bot):
    def play(self, view):
        {work}
        return view.legal[0]


pigpen.run(Thinking())
"""
ROUNDS, LOOPS = 5, 1_000_000


def instant_spec(deals: int = DEALS) -> MatchSpec:
    """Describe a match of four instant bots."""
    return MatchSpec(RULES, tuple(f"instant{seat}" for seat in range(4)), Format(deals), seed=bytes(32))


def request_size() -> int:
    """Compute the mean bytes of a request for a card over a deal; forced cards are not asked."""
    deal = Deal(RULES, deal_hands(RULES, bytes(32), 0))
    sizes = []
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat), totals=(0, 0, 0, 0), decision=1, seed=2**63, limit=1.0, bank=60.0)
            view.last_took, view.last_cpu = 0.001, 0.001
            if deal.phase is Phase.PLAY and not deal.is_forced(seat):
                sizes.append(len(request_message(view).SerializeToString()))
            deal.apply(seat, deal.default_action(seat))
    return round(sum(sizes) / len(sizes))


@cache
def loops_per_ms() -> float:
    """Measure the turns of an empty loop that this Python does in a millisecond of CPU time, at its best."""
    return max(_measured() for _ in range(ROUNDS))


def thinking(millis: float, rate: float | None = None) -> str:
    """
    Write the program of a bot that works for *millis* milliseconds of CPU time over each card, on this Python.

    With *rate*, turns of its loop in a millisecond, programs that several processes write do the same work. It counts
    turns of a loop: no clock inside a container of gVisor shows CPU time.
    """
    return THINKING.format(work=f"for _ in range({round(millis * (rate or loops_per_ms()))}): pass")


def bot_of(folder: Path, millis: float, remark: object = "") -> BotSource:
    """Write a bot that thinks *millis* milliseconds over each card; *remark* makes its image another."""
    shutil.copytree(INSTANT.folder or HERE, folder)
    text = thinking(millis) if millis else (folder / "bot.py").read_text(encoding="utf-8")
    (folder / "bot.py").write_text(f"{text}\n# {remark}\n", encoding="utf-8")
    return BotSource(folder.name, folder=folder)


def _measured() -> float:
    began = time.process_time()
    for _ in range(LOOPS):
        pass
    return LOOPS / (1000 * (time.process_time() - began))
