"""Runs inside a container: sends or receives bits by a way of `tests.bad_bots.channels`; prints JSON."""

from __future__ import annotations

import errno
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

from tests.bad_bots.channels import HANDS, NOTES, Names

Round = tuple[Sequence[int], Sequence[float]]
"""The bits written, and the scores that were read."""


def message(seed: int, number: int, count: int) -> list[int]:
    """Give what is written in a round; both sides know it, since this is a measurement."""
    chance = random.Random(f"{seed} {number}")
    return [chance.randrange(2) for _ in range(count)]


def write_notes(task: dict[str, Any]) -> dict[str, Any]:
    """Write a note for each board."""
    for board in range(task["rounds"]):
        NOTES[task["way"]](task["area"] + board).send(message(task["seed"], board, task["bits"]))
    return {}


def read_notes(task: dict[str, Any]) -> dict[str, Any]:
    """Read them."""
    rounds = [
        (message(task["seed"], board, task["bits"]), NOTES[task["way"]](task["area"] + board).receive(task["bits"]))
        for board in range(task["rounds"])
    ]
    return decoded(rounds)


def write_hands(task: dict[str, Any]) -> dict[str, Any]:
    """Write a hand in each slot of time, and take it back before the next."""
    way = HANDS[task["way"]]
    channel, took = way.make(), []
    for number in range(task["rounds"]):
        wait_until(task, number, task["writes at"])
        began = time.perf_counter()
        channel.send(message(task["seed"], number, way.bits))
        took.append(time.perf_counter() - began)
        if task["takes back at"] is not None:
            wait_until(task, number, task["takes back at"])
            channel.send([0] * way.bits)
    return {"took": statistics.median(took)}


def read_hands(task: dict[str, Any]) -> dict[str, Any]:
    """Read in each slot of time what has been written."""
    way = HANDS[task["way"]]
    channel, rounds, took = way.make(), [], []
    for number in range(task["rounds"]):
        wait_until(task, number, 0.0)
        if hasattr(channel, "clear"):
            channel.clear(way.bits)
        wait_until(task, number, task["reads at"])
        began = time.perf_counter()
        scores = channel.receive(way.bits)
        took.append(time.perf_counter() - began)
        rounds.append((message(task["seed"], number, way.bits), scores))
    return {"took": statistics.median(took), **decoded(rounds)}


def wait_until(task: dict[str, Any], number: int, part: float) -> None:
    """Wait for a part of a slot."""
    time.sleep(max(0.0, task["start"] + (number + part) * task["slot"] - time.time()))


def decoded(rounds: Sequence[Round]) -> dict[str, Any]:
    """
    Estimate bits a round by the best of two decoders, calibrated on one half of the rounds and used on the other.

    `chance` is what the same decoder makes of other messages: the bias of the estimate, to be taken off.
    """
    learn, use = rounds[::2], rounds[1::2]
    view = max((_as_it_is, _against_its_middle), key=lambda view: best_threshold(pairs(learn, view))[0])
    threshold = best_threshold(pairs(learn, view))[1]
    written = [bits for bits, _ in use]
    others = [(other, scores) for other, (_, scores) in zip([*written[1:], written[0]], use, strict=True)]
    found, foreign = ([(bit, score >= threshold) for bit, score in pairs(each, view)] for each in (use, others))
    right = sum(bit == read for bit, read in found) / len(found)
    learned = agreement([(bit, score >= threshold) for bit, score in pairs(learn, view)])
    # What goes the other way round in the second half than in the first carries nothing: it counts against.
    count = len(written[0])
    bits, chance = (
        count * information(each) * (1 if agreement(each) * learned >= 0 else -1) for each in (found, foreign)
    )
    return {"bits": bits, "chance": chance, "right": right}


def agreement(found: Sequence[tuple[int, bool]]) -> float:
    """Compute a figure above zero where bits that are read as ones are more often ones than others are."""
    written, read = (sum(pair[side] for pair in found) / len(found) for side in (0, 1))
    return sum(bit * seen for bit, seen in found) / len(found) - written * read


def _as_it_is(scores: Sequence[float]) -> list[float]:
    return list(scores)


def _against_its_middle(scores: Sequence[float]) -> list[float]:
    ordered = sorted(scores)
    middle = (ordered[len(ordered) // 10] + ordered[-1 - len(ordered) // 10]) / 2
    return [score - middle for score in scores]


View = Callable[[Sequence[float]], list[float]]


def pairs(rounds: Sequence[Round], view: View) -> list[tuple[int, float]]:
    """Pair each bit written with its score."""
    return [pair for bits, scores in rounds for pair in zip(bits, view(scores), strict=True)]


def best_threshold(scored: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Give the bits that the best threshold gives, and that threshold: the middle of the gap in which it lies."""
    ordered = sorted((score, bit) for bit, score in scored)
    below, total = Counter[tuple[int, bool]](), Counter(bit for bit, _ in scored)
    best = (-1.0, 0.0, 0.0)  # bits, width of the gap, threshold
    for (score, bit), (following, _) in pairwise(ordered):
        below[bit, False] += 1
        if score < following:
            counts = {**below, **{(bit, True): total[bit] - below[bit, False] for bit in total}}
            best = max(best, (of_counts(counts), following - score, (score + following) / 2))
    return best[0], best[2]


def information(found: Sequence[tuple[int, bool]]) -> float:
    """Give the bits that a bit read carries of the bit written."""
    return of_counts(Counter(found))


def of_counts(counts: Mapping[tuple[int, bool], int]) -> float:
    """Give the same from how often which pair of written and read was found."""
    total, written, read = sum(counts.values()), Counter[int](), Counter[bool]()
    for (bit, seen), number in counts.items():
        written[bit] += number
        read[seen] += number
    return sum(
        number / total * log2(number * total / written[bit] / read[seen])
        for (bit, seen), number in counts.items()
        if number
    )


ROLES = {
    "write notes": write_notes,
    "read notes": read_notes,
    "write hands": write_hands,
    "read hands": read_hands,
}

if __name__ == "__main__":
    task = json.loads(Path("/run/pigpen/task.json").read_text())
    Names.PREFIX = task["run"]
    try:
        found = ROLES[task["role"]](task)
    except OSError as error:
        found = {"refused": errno.errorcode.get(error.errno or 0, str(error))}
    print("found", json.dumps(found), file=sys.stderr, flush=True)
    os._exit(0)  # threads may wait for ever
