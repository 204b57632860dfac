"""
States of many tables, and tree search with a net: rates a second of CPU time in one thread, in turn in one run.

Both parts are measured only where they are named.

*states*: tables of hearts, 1,024 at once or one. The first row is decisions a second with unpacked observations and
masks; the others are states that are saved, restored and cloned, and decisions of which each begins by restoring a
state that is chosen by number.

*net_tree*: deals that a search tries for the first card of a deal of hearts, each with all legal cards: by the tree
that plays deals to their end (`CardTree`), and by the one that asks a net (`NetTree`): a net that returns zeros, and
one of random weights with two hidden layers of 256, computed by numpy.
"""

from __future__ import annotations

import random
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.engine import opening_view
from benchmarks.other_platforms import GAMES, SECONDS, per_second, tables_rate
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn
from pigpen.learn import Encoding, Tables
from pigpen.learn.net_tree import NET_DEALS, NetTree
from pigpen.rules import PRESETS
from pigpen.sim.card_tree import TREE_DEALS, CardTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from pigpen.learn import Net

HIDDEN, TRIALS = 256, 20
"""Width of the layers; number of trials in one tree."""
DECISIONS = f"decisions, {GAMES:,} tables"


def saved(games: int, seconds: float) -> float:
    """Measure states saved, *games* in a call."""
    tables = Tables("hearts", games, seed=1)

    def play() -> int:
        tables.save()
        return games

    return per_second(play, seconds)


def restored(games: int, seconds: float) -> float:
    """Measure states restored, *games* in a call; observations are written anew."""
    tables = Tables("hearts", games, seed=1)
    start = tables.save()

    def play() -> int:
        tables.restore(start)
        return games

    return per_second(play, seconds)


def cloned(games: int, seconds: float) -> float:
    """Measure tables cloned, *games* in a call."""
    tables = Tables("hearts", games, seed=1)

    def play() -> int:
        tables.clone()
        return games

    return per_second(play, seconds)


def stepped_from_chosen(seconds: float) -> float:
    """Measure decisions of many tables, unpacked with masks, each in a state that is chosen by number."""
    tables = Tables("hearts", GAMES, seed=1)
    out, mask = tables.unpack(), tables.mask()
    rng = np.random.default_rng(1)
    start = tables.save()
    tables.step(tables.random_actions())

    def play() -> int:
        tables.restore(start[rng.integers(GAMES, size=GAMES)])
        tables.step(tables.random_actions())
        tables.unpack(out)
        tables.mask(mask)
        return GAMES

    return per_second(play, seconds)


def rates() -> Mapping[str, Callable[[float], float]]:
    """Name the measures of states."""
    calls: dict[str, Callable[[int, float], float]] = {"saved": saved, "restored": restored, "cloned": cloned}
    return {
        DECISIONS: partial(tables_rate, True, True),
        f"{DECISIONS}, each after restoring a state chosen by number": stepped_from_chosen,
        **{
            f"states {name}, {games:,} in a call": partial(call, games)
            for name, call in calls.items()
            for games in (GAMES, 1)
        },
    }


def measure(rounds: int, seconds: float = SECONDS) -> list[Row]:
    """Measure states, each *seconds* a round."""
    measures = rates()
    found = in_turn(rounds, *(partial(rate, seconds) for rate in measures.values()))
    return compared(list(measures), found, "/s", DECISIONS)


def zeros(observations: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Answer as a net that knows nothing."""
    return np.zeros((len(observations), 54)), np.zeros((len(observations), 4))


def random_net() -> Net:
    """Make a net of random weights."""
    rng = np.random.default_rng(1)
    sizes = (Encoding("hearts").size, HIDDEN, HIDDEN, 58)
    layers = [rng.standard_normal(shape, dtype=np.float32) / np.float32(shape[0] ** 0.5) for shape in pairwise(sizes)]

    def net(observations: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[Any]]:
        first = np.maximum(observations.astype(np.float32) @ layers[0], 0)
        answers = np.maximum(first @ layers[1], 0) @ layers[2]
        return answers[:, :54], answers[:, 54:]

    return net


def tree_rate(net: Net | None, seconds: float) -> float:
    """Measure deals that a search tries; None: by playouts."""
    view, rng = opening_view(PRESETS["hearts"]), random.Random(1)

    def play() -> int:
        tree = CardTree(view, rng) if net is None else NetTree(view, rng, net)
        for _ in range(TRIALS):
            tree.trial(view.legal)
        return TRIALS * (TREE_DEALS if net is None else NET_DEALS)

    return per_second(play, seconds)


TREES = "deals tried, CardTree"


def measure_trees(rounds: int, seconds: float = SECONDS) -> list[Row]:
    """Measure the trees, each *seconds* a round."""
    nets: dict[str, Net | None] = {
        TREES: None,
        "deals tried, NetTree, a net that returns zeros": zeros,
        f"deals tried, NetTree, two hidden layers of {HIDDEN}, numpy": random_net(),
    }
    found = in_turn(rounds, *(partial(tree_rate, net, seconds) for net in nets.values()))
    return compared(list(nets), found, "/s", TREES)


PARTS = (
    Part("states", __doc__, measure, rounds=5, in_table=False),
    Part("net_tree", __doc__, measure_trees, rounds=5, in_table=False),
)

if __name__ == "__main__":
    run(__doc__, *PARTS)
