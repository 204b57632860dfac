"""
Train a small league of nets, and say how good each of them is against which other.

    pip install torch onnx onnxruntime gymnasium
    python examples/torch_bot/league.py trained/net.onnx league --rounds 2 --updates 40

The league begins with the given net, main-0. In each round an exploiter learns against the newest main net, and then
the next main net learns against all nets so far, of which three are drawn for each update. A last exploiter learns
against the last main net. Each begins with the weights of the newest main net, and is written as a bot's folder.

The matrix is of new boards, each played from every seat: a row's bot has one seat, copies of a column's bot the others.
For each main net the best row is then played on other new boards: the choice of a row on the same boards would be too
good. What it wins there is a lower bound of how far that net can be exploited.
"""

from __future__ import annotations

import argparse
import csv
from copy import deepcopy
from pathlib import Path

import numpy as np
from exploit import HELD_OUT, Learner, bot_of, number  # type: ignore[import-not-found]  # the file beside this one
from train import GAMES, RULES, Net, load, write  # type: ignore[import-not-found]

from pigpen import Policy
from pigpen.learn import BatchBot, BoardResult, against_many, play_boards

ANCHORS: dict[str, BatchBot] = {"careful": Policy.CAREFUL, "random": Policy.RANDOM}
"""Bots that do not learn, in the matrix beside the nets."""


def train_league(start: Net, rounds: int, updates: int, seed: int = 1) -> dict[str, Net]:
    """Train main nets and exploiters in turn; return all nets by name."""
    nets, rng = {"main-0": start}, np.random.default_rng(seed)
    for turn in range(rounds + 1):
        newest = nets[f"main-{turn}"]
        learn(f"exploiter-{turn}", nets, newest, [bot_of(newest)], updates, rng)
        if turn < rounds:
            learn(f"main-{turn + 1}", nets, newest, [bot_of(net) for net in nets.values()], updates, rng)
    return nets


def learn(
    name: str, nets: dict[str, Net], start: Net, opponents: list[BatchBot], updates: int, rng: np.random.Generator
) -> None:
    """Train a net against opponents, three of which are drawn for each update, and add it to the nets."""
    learner, won = Learner(deepcopy(start), int(rng.integers(HELD_OUT))), []
    for _ in range(updates):
        drawn = [opponents[place] for place in rng.integers(len(opponents), size=3)]
        won.append(learner.update(against_many(drawn, RULES, GAMES)))
    nets[name] = learner.net
    print(f"{name}: {learner.decisions:,} decisions, {np.mean(won[-5:]):+.2f} points a deal in the last", flush=True)


def matrix(bots: dict[str, BatchBot], boards: int, seed: int) -> dict[tuple[str, str], BoardResult]:
    """Play each bot, in one seat, against copies of each other one."""
    return {
        (one, other): play_boards(bots[one], bots[other], RULES, boards, HELD_OUT + seed)
        for one in bots
        for other in bots
        if one != other
    }


def table(bots: dict[str, BatchBot], found: dict[tuple[str, str], BoardResult]) -> str:
    """Write the matrix as a text."""
    wide = max(14, *(len(name) + 2 for name in bots))
    lines = ["".join(f"{cell:>{wide}}" for cell in ("one \\ others", *bots))]
    for one in bots:
        cells = [str(found[one, other]) if one != other else "–" for other in bots]
        lines.append("".join(f"{cell:>{wide}}" for cell in (one, *cells)))
    return "\n".join(lines)


def bounds(
    bots: dict[str, BatchBot], found: dict[tuple[str, str], BoardResult], boards: int, seed: int
) -> dict[str, tuple[str, BoardResult]]:
    """Play the best row of each main net's column again, on other boards: its name, and what it wins there."""
    again = {}
    for name in bots:
        if name.startswith("main"):
            best = max((one for one in bots if one != name), key=lambda one: found[one, name].mean)
            again[name] = best, play_boards(bots[best], bots[name], RULES, boards, 2 * HELD_OUT + seed)
    return again


def save(folder: Path, nets: dict[str, Net], found: dict[tuple[str, str], BoardResult]) -> None:
    """Write the nets as folders of bots, and the matrix as a file of CSV."""
    for name, net in nets.items():
        write(net, folder / name)
    with (folder / "matrix.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("one", "others", "points", "error", "boards"))
        rows.writerows((*pair, each.mean, each.error, len(each.values)) for pair, each in found.items())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", type=Path, help="a file of ONNX that train.py has written")
    parser.add_argument("folder", type=Path, help="where the nets and the matrix go, a new folder")
    parser.add_argument("--rounds", type=number(0), default=2)
    parser.add_argument("--updates", type=number(1), default=40, help="of each net, each from 48 steps of 256 tables")
    parser.add_argument("--boards", type=number(2), default=500, help="new deals of each pair, each from every seat")
    parser.add_argument("--seed", type=number(0), default=1)
    options = parser.parse_args()
    if options.folder.exists():
        parser.error(f"{options.folder} is there already: choose a new folder")
    start = load(options.net) if options.net.is_file() else None
    if start is None:
        parser.error(f"{options.net}: name a file of ONNX that train.py has written")
    nets = train_league(start, options.rounds, options.updates, options.seed)
    bots = {name: bot_of(net) for name, net in nets.items()} | ANCHORS
    found = matrix(bots, options.boards, options.seed)
    save(options.folder, nets, found)
    print("\npoints a deal better than the mean of the table, ± one standard error\n" + table(bots, found))
    for name, (best, result) in bounds(bots, found, options.boards, options.seed).items():
        text = "no exploit found" if result.gain is None else "exploitable"
        print(f"{name}: {text}: {best} wins {result} points a deal on other boards")
