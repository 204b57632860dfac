"""Runs where kaggle-environments is: decisions a second in its OpenSpiel hearts, agents in its own process."""

from __future__ import annotations

import time
from typing import Any

from kaggle_environments import make

EPISODES = 2


def first(observation: Any, configuration: Any) -> dict[str, int]:
    """Play the first legal action; do nothing while others decide."""
    legal = observation.get("legalActions")
    return {"submission": legal[0] if legal else -1}


def main() -> None:
    """Play, and print the figure."""
    environment = make("open_spiel_hearts", configuration={"includeLegalActions": True})
    seconds, decisions = 0.0, 0
    for episode in range(EPISODES + 1):
        started = time.perf_counter()
        played = environment.run([first] * 4)
        if episode:
            seconds += time.perf_counter() - started
            assert all(agent.status == "DONE" for agent in played[-1]), "the episode was not played to its end"
            decisions += sum(agent.action["submission"] >= 0 for step in played for agent in step)
    print(decisions / seconds)


if __name__ == "__main__":
    main()
