"""Runs where RLCard is: decisions a second of CPU time in one of its games, random legal actions."""

from __future__ import annotations

import random
import sys
import time

import rlcard

SECONDS = 2.0


def main(name: str) -> None:
    """Play by random legal actions, and print the figure."""
    env = rlcard.make(name, config={"seed": 1})
    chance, steps, started = random.Random(1), 0, time.process_time()
    while (took := time.process_time() - started) < SECONDS:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            steps += 1
    print(steps / took)


if __name__ == "__main__":
    main(sys.argv[1])
