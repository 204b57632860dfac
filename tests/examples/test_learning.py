"""A net that learns by self-play, and becomes a bot."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pigpen_arena as arena
from examples.learning import train as example
from examples.learning.bot import bot as bots
from examples.learning.strength import better_by
from pigpen.learn import Encoding, Tables
from tests.e2e.command import pigpen

if TYPE_CHECKING:
    from pathlib import Path


def test_it_learns_and_writes_a_bot_that_passes_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(example, "GAMES", 64)
    monkeypatch.setattr(example, "LEAST", 2_000)
    for folder in ("mybot", "again"):
        example.train(tmp_path / folder, deals=200)
    one, two = (np.load(tmp_path / folder / "net.npz") for folder in ("mybot", "again"))
    assert all((one[name] == two[name]).all() for name in one.files)  # the same seed, the same bot
    assert {file.name for file in (tmp_path / "mybot").iterdir()} == {"bot.py", "net.npz", "requirements.txt"}
    assert "min of CPU time, mean error" in capsys.readouterr().out
    done = pigpen("check", str(tmp_path / "mybot"), "--sandbox", "inline", "--rules", "hearts-short", "--limit", "60")
    assert done.returncode == 0, done.stdout + done.stderr


def test_updates_bring_the_values_nearer_to_what_came() -> None:
    rng = np.random.default_rng(1)
    inputs, actions = rng.random((256, 20), dtype=np.float32), rng.integers(52, size=256)
    targets = (inputs[:, 0] * 3 - inputs[:, 1]).astype(np.float32)
    learner = example.Learner(20, rng)
    errors = [learner.update(inputs, actions, targets, 1e-3) for _ in range(300)]
    assert errors[-1] < errors[0] / 3


def test_the_bot_gets_the_mean_of_the_weights() -> None:
    rng = np.random.default_rng(1)
    inputs, actions = rng.random((64, 20), dtype=np.float32), rng.integers(52, size=64)
    learner, seen = example.Learner(20, rng), []
    for _ in range(50):
        learner.update(inputs, actions, np.ones(64, dtype=np.float32), 1e-3)
        seen.append(learner.net.weights[5].copy())
    assert learner.mean_net.weights[5] == pytest.approx(np.mean(seen, 0), abs=1e-6)
    assert not np.allclose(learner.mean_net.weights[5], seen[-1])


def test_lower_cards_of_the_suit_are_counted() -> None:
    cards = np.zeros((1, 52))
    cards[0, [0, 3, 13]] = 1
    assert bots._lower(cards)[0, [0, 1, 3, 4, 12, 13, 14, 26]].tolist() == [0, 1, 1, 2, 2, 0, 1, 0]


def test_what_is_learned_is_the_points_that_were_still_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """The points taken before and those still to come are the reward, also with a moon."""
    monkeypatch.setattr(example, "GAMES", 4)
    tables = Tables(example.RULES, 4, seed=2)
    inputs_of, memory = bots.Inputs(tables.encoding), None
    noted: list[tuple[int, float]] = []
    while not tables.over[0]:
        inputs, points = inputs_of(tables.unpack())
        memory = memory or example.Memory(inputs.shape[1])
        ahead, actions = points.mean(1) - points[:, 0], tables.random_actions()
        memory.note(inputs, actions, tables.seats, ahead)
        noted.append((int(tables.seats[0]), float(ahead[0])))
        tables.step(actions)
    assert memory
    memory.finish(0, tables.rewards[0])
    learned = memory._targets[: memory.filled] * example.SCALE + [ahead for _, ahead in noted]
    assert learned == pytest.approx(np.array([tables.rewards[0, seat] for seat, _ in noted]), abs=1e-4)


def test_the_bot_plays_the_legal_action_of_the_highest_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = example.Learner(bots.Inputs(Encoding(bots.TRAINED))(_nothing())[0].shape[1], np.random.default_rng(1))
    example.write(tmp_path / "mybot", learner.net)
    monkeypatch.setattr(bots, "WEIGHTS", tmp_path / "mybot" / "net.npz")
    assert bots.Learned().play is not None
    match = arena.play([bots.Learned, "random", "random", "random"], rules=bots.TRAINED, deals=2, seed="1")
    assert all(row["faults"] == 0 for row in match.rows())
    other = arena.play([bots.Learned, "random", "random", "random"], rules="hearts", deals=1, seed="1")
    assert all(row["faults"] == 0 for row in other.rows())


def _nothing() -> Any:
    return np.zeros((1, Encoding(bots.TRAINED).size), dtype=np.uint8)


@pytest.mark.parametrize("boards", [7, 8])  # after six boards the circular orders of the seats begin again
def test_the_strength_of_a_bot_is_what_it_loses_less_than_the_other(boards: int) -> None:
    mean, error = better_by("counting", "random", boards, seed="a")
    assert mean > 3 * error > 0
    turned, _ = better_by("random", "counting", boards, seed="a")
    assert turned < 0


def test_the_strength_of_one_bot_against_three_of_another() -> None:
    mean, error = better_by("counting", "random", boards=7, seed="a", alone=True)
    assert mean > 3 * error > 0
    same, _ = better_by("random", "random", boards=3, seed="a", alone=True)
    assert abs(same) < mean


def test_the_command_says_what_it_takes() -> None:
    command = [sys.executable, "-m", "examples.learning.train", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Learn hearts-short by self-play" in done.stdout
