"""
Decisions a second of CPU time in environments for learning, random legal actions: ours, and those of others.

Ours are 1,024 tables of hearts: packed observations, unpacked ones, and unpacked ones with a mask in a new step; and
the environment of PettingZoo. OpenSpiel has hearts too, from Python: bare, and with its tensor and mask. RLCard and pgx
have no Hearts: for each a card game of tricks or of many cards, and the small game that it plays fastest; pgx plays
1,024 games at once. Ours counts no forced card, OpenSpiel does.

RLCard and pgx are each installed into an environment of its own under .venv/peers, which stays for the next run; what
cannot be installed is named and left out.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pyspiel

from benchmarks.other_platforms import INSTALLED, installed
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn
from pigpen.learn import Tables, aec

GAMES, SECONDS = 1024, 1.0
OPENSPIEL = "OpenSpiel, hearts"
RLCARD, PGX = ["rlcard==1.2.0"], ["pgx==2.6.0"]
PEERS: Mapping[str, tuple[str, tuple[str, ...], list[list[str]]]] = {
    "RLCard, bridge": ("rlcard_steps.py", ("bridge",), [RLCARD]),
    "RLCard, leduc": ("rlcard_steps.py", ("leduc-holdem",), [RLCARD]),
    "pgx, sparrow mahjong": ("pgx_steps.py", ("sparrow_mahjong", "12"), [PGX]),
    "pgx, leduc": ("pgx_steps.py", ("leduc_holdem", "5"), [PGX]),
}
"""For each peer the script that measures it, its arguments, and what is installed for that, in order."""


def per_second(play: Callable[[], int], seconds: float = SECONDS) -> float:
    """Measure decisions a second of CPU time of *play*, which returns how many it made."""
    decisions, started = play(), time.process_time()
    decisions = 0
    while (took := time.process_time() - started) < seconds:
        decisions += play()
    return decisions / took


def tables_rate(unpacked: bool = False, masked: bool = False, seconds: float = SECONDS) -> float:
    """Measure many tables at once."""
    tables = Tables("hearts", GAMES, seed=1)
    out = np.empty((GAMES, tables.encoding.size), dtype=np.uint8)
    mask = np.empty((GAMES, tables.encoding.actions), dtype=np.int8)

    def play() -> int:
        for _ in range(20):
            tables.step(tables.random_actions())
            if unpacked:
                tables.unpack(out)
            if masked:
                tables.mask(mask)
        return 20 * GAMES

    return per_second(play, seconds)


def aec_rate(seconds: float = SECONDS) -> float:
    """Measure the environment of PettingZoo."""
    env, chance = aec("hearts"), random.Random(1)

    def play() -> int:
        decisions = 0
        env.reset(seed=chance.getrandbits(30))
        for _ in env.agent_iter():
            observation, _, over, _, _ = env.last()
            env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
            decisions += not over
        return decisions

    return per_second(play, seconds)


def openspiel_rate(with_tensor: bool = False, seconds: float = SECONDS) -> float:
    """Measure OpenSpiel from Python; what is dealt is no decision."""
    game, chance = pyspiel.load_game("hearts"), random.Random(1)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                decisions += 1
                if with_tensor:
                    state.information_state_tensor()
                    state.legal_actions_mask()
            state.apply_action(legal[int(chance.random() * len(legal))])
        return decisions

    return per_second(play, seconds)


OURS: Mapping[str, Callable[[float], float]] = {
    OPENSPIEL: lambda seconds: openspiel_rate(seconds=seconds),
    f"{OPENSPIEL}, with tensor and mask": lambda seconds: openspiel_rate(True, seconds),
    "Pigpen, hearts, packed": lambda seconds: tables_rate(seconds=seconds),
    "Pigpen, hearts, unpacked": lambda seconds: tables_rate(True, seconds=seconds),
    "Pigpen, hearts, unpacked, with mask": lambda seconds: tables_rate(True, True, seconds),
    "Pigpen, hearts, PettingZoo": aec_rate,
}
"""Rates that are measured in this process; all others are compared with the first."""


def measure(
    rounds: int,
    seconds: float = SECONDS,
    peers: Mapping[str, tuple[str, tuple[str, ...], list[list[str]]]] = PEERS,
    into: Path = INSTALLED,
) -> list[Row]:
    """Measure ours and those that are installed, in turn."""
    measures: dict[str, Callable[[], float]] = {name: partial(rate, seconds) for name, rate in OURS.items()}
    left_out = []
    for name, (script, words, packages) in peers.items():
        try:
            measures[name] = installed(script, packages, into, words)
        except (OSError, subprocess.SubprocessError):
            left_out.append(Row.left_out(name, "pip could not install it, or it does not run"))
    return [*compared(list(measures), in_turn(rounds, *measures.values()), "/s", OPENSPIEL), *left_out]


ALONE = Part("environments", __doc__, measure, rounds=3)

if __name__ == "__main__":
    run(__doc__, ALONE)
