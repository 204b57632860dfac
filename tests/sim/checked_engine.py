"""
Everything that the engine in C does, many times over, with a library that is given; prints how much was done.

In the library of `test_native.py` undefined behaviour, an index outside an array among it, ends the process.
"""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pigpen import Policy, TooLong, solve
from pigpen.learn import Encoding, Tables
from pigpen.learn.net_tree import NetTree
from pigpen.rules import PRESETS, Phase, Rules
from pigpen.search import CardTree, sealed_trial
from pigpen.sim import native
from pigpen.sim.native.binding import Engine
from tests.rules.players import any_action, lumpy_deal
from tests.rules.table import ODD
from tests.sim.test_card_tree import places
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBER = 12


def main(library: Path) -> int:
    """Use the library for deals of every variant; return the number of deals."""
    checked, done = Engine(library), 0
    native.engine = lambda: checked  # type: ignore[assignment]
    for rules in (*PRESETS.values(), *ODD):
        for deal in places(rules, NUMBER, seed=31):
            assert deal.phase is Phase.PLAY
            view = bot_view(deal, deal.turn)
            view.sample(view.rng)
            view.playouts(20, view.rng, Policy(done % 2))
            CardTree(view, random.Random(done), 64 if done % 2 else 4096).scores(150)
            checked.features(deal)
            tree = NetTree(view, random.Random(done), partial(flat, Encoding(rules)), 64 if done % 2 else 4096)
            for _ in range(20):
                tree.trial(view.legal)
            with suppress(TooLong):
                solve(deal, limit=300)
            done += 1
        step_through(rules)
        done += try_sealed(rules)
    return done


def try_sealed(rules: Rules) -> int:
    """Try passes and exposures; return the number of decisions."""
    rng, done = random.Random(NUMBER), 0
    for _ in range(NUMBER):
        deal = lumpy_deal(rules, rng)
        while deal.phase in (Phase.PASS, Phase.EXPOSE):
            seat = deal.to_act[0]
            actions = [any_action(deal, seat, rng) for _ in range(5)]
            for policy in Policy:
                sealed_trial(bot_view(deal, seat), policy, actions)
            deal.apply(seat, actions[0])
            done += 1
    return done


def flat(encoding: Encoding, observations: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Answer as a net that knows nothing."""
    count = len(observations)
    return np.zeros((count, encoding.actions)), np.zeros((count, encoding.players))


def step_through(rules: Rules) -> None:
    """Take random actions at many tables."""
    tables = Tables(rules, games=8, seed=NUMBER)
    for _ in range(200):
        tables.unpack()
        tables.mask()
        tables.step(tables.random_actions())
        tables.plays()
        tables.oracle()
        tables.restore(tables.save([7, 7, 0]), [1, 2, 3])
        for policy in Policy:
            tables.step(tables.actions_by(policy, tables.seats == 0), tables.seats == 0)


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
