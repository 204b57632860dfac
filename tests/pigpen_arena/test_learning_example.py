"""A net that learns by self-play, and becomes a bot."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pigpen_arena as arena
from pigpen.learn import Encoding, Tables
from pigpen_arena.examples import train as example
from pigpen_arena.examples.bot import bot as bots
from tests.e2e.command import pigpen

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = 13 * 52 + 54
"""Inputs of the net."""


def test_it_learns_and_writes_a_bot_that_passes_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(example, "GAMES", 64)
    for folder in ("mybot", "again"):
        example.train(tmp_path / folder, steps=100)
    one, two = (np.load(tmp_path / folder / "net.npz") for folder in ("mybot", "again"))
    assert all((one[name] == two[name]).all() for name in one.files)  # the same seed, the same bot
    assert {file.name for file in (tmp_path / "mybot").iterdir()} == {"bot.py", "net.npz", "requirements.txt"}
    assert "6,400 decisions, " in capsys.readouterr().out
    done = pigpen("check", str(tmp_path / "mybot"), "--sandbox", "inline", "--rules", "hearts-short", "--limit", "60")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_bot_needs_numpy_and_the_sdk_alone(tmp_path: Path) -> None:
    example.write(tmp_path / "mybot", example.Learner(INPUTS, np.random.default_rng(1)).net)
    program = (
        "import sys\nsys.path.insert(0, '.')\nimport bot\nbot.Learned()\n"
        "found = {name.partition('.')[0] for name, module in sys.modules.items()\n"
        "         if 'site-packages' in (getattr(module, '__file__', None) or '')}\n"
        "print(*sorted(found - {'_distutils_hack'}))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path / "mybot", capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["numpy"]
    assert (tmp_path / "mybot" / "requirements.txt").read_text() == "numpy>=2\n"


def test_what_it_has_learned_does_better_than_other_actions_in_new_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example, "GAMES", 256)
    example.train(tmp_path / "mybot", steps=200)
    with np.load(tmp_path / "mybot" / "net.npz") as file:
        net = bots.Net([file[name] for name in file.files])
    tables, better = Tables(example.RULES, 256, seed=2), []
    inputs_of, games = bots.Inputs(tables.encoding), np.arange(256)
    for _ in range(60):
        inputs, places = inputs_of(tables.unpack())
        legal = np.take_along_axis(tables.mask(), places, 1)
        best = np.where(legal > 0, net.layers(inputs)[-1], -np.inf).argmax(1)
        values = np.take_along_axis(tables.playouts(2), places, 1)
        better.append(example.better_than_others(values, legal)[games, best])
        tables.step(places[games, best])
    blocks = np.mean(better, 0)  # of each table
    assert blocks.mean() > 5 * blocks.std() / 16 > 0


def test_what_is_learned_is_by_how_much_an_action_is_better_than_the_others() -> None:
    values = np.array([[3.0, 5.0, 10.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])
    legal = np.array([[1, 1, 1, 0], [1, 0, 0, 0]])
    assert example.better_than_others(values, legal).tolist() == [[-3.0, -1.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_updates_bring_the_values_of_legal_actions_nearer_to_what_came() -> None:
    rng = np.random.default_rng(1)
    inputs, legal = rng.random((256, 20), dtype=np.float32), rng.integers(2, size=(256, 52)).astype(np.float32)
    targets = np.outer(inputs[:, 0] * 3 - inputs[:, 1], np.arange(52) / 52).astype(np.float32)
    other = np.where(legal > 0, targets, 1e6)  # what an illegal action is worth does not count
    learner = example.Learner(20, rng)
    errors = [learner.update(inputs, learner.net.layers(inputs), other, legal, 1e-3) for _ in range(300)]
    assert errors[-1] < errors[0] / 10
    last = learner.net.layers(inputs)[-1]
    assert errors[-1] == pytest.approx(((last - targets) ** 2)[legal > 0].mean(), rel=0.1)


def test_the_bot_gets_the_mean_of_the_weights() -> None:
    rng = np.random.default_rng(1)
    inputs, ones = rng.random((64, 20), dtype=np.float32), np.ones((64, 52), dtype=np.float32)
    learner, seen = example.Learner(20, rng), []
    for _ in range(50):
        learner.update(inputs, learner.net.layers(inputs), ones, ones, 1e-3)
        seen.append(learner.net.weights[5].copy())
    assert learner.mean_net.weights[5] == pytest.approx(np.mean(seen, 0), abs=1e-6)
    assert not np.allclose(learner.mean_net.weights[5], seen[-1])


def test_places_count_the_cards_that_are_left_from_the_highest_one() -> None:
    left = np.ones((1, 52))
    left[0, [12, 10, 13]] = 0  # the ace and the queen of clubs are gone, and the two of diamonds
    places = bots._places(left)[0].tolist()
    assert places[:13] == [11, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 12, 10]
    assert places[13:26] == [*range(25, 12, -1)]
    assert sorted(places) == [*range(52)]


def test_the_net_sees_nothing_of_the_ranks_but_their_order_and_their_points() -> None:
    """The king without an ace is what the ace was, but for its rank itself, which is one of the planes."""
    ace, king = (_holding(card) for card in (12, 11))
    different = np.flatnonzero(ace != king)
    assert different.tolist() == [12 * 52]


def _holding(card: int) -> Any:
    """Give the inputs with one club in hand, and no other club left."""
    encoding, unpacked = Encoding(bots.TRAINED), np.zeros((1, Encoding(bots.TRAINED).size), dtype=np.uint8)
    start = {name: 52 * number for number, name in enumerate(encoding.planes)}
    unpacked[0, start["played_1"] : start["played_1"] + 13] = 1
    unpacked[0, start["played_1"] + card] = 0
    unpacked[0, start["hand"] + card] = 1
    return bots.Inputs(encoding)(unpacked)[0][0]


def test_lower_cards_of_the_suit_are_counted() -> None:
    cards = np.zeros((1, 52))
    cards[0, [0, 3, 13]] = 1
    assert bots._lower(cards)[0, [0, 1, 3, 4, 12, 13, 14, 26]].tolist() == [0, 1, 1, 2, 2, 0, 1, 0]


def test_the_bot_plays_the_legal_action_of_the_highest_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = example.Learner(INPUTS, np.random.default_rng(1))
    example.write(tmp_path / "mybot", learner.net)
    monkeypatch.setattr(bots, "WEIGHTS", tmp_path / "mybot" / "net.npz")
    assert bots.Learned().play is not None
    match = arena.play([bots.Learned, "random", "random", "random"], rules=bots.TRAINED, deals=2, seed="1")
    assert all(row["faults"] == 0 for row in match.rows())
    other = arena.play([bots.Learned, "random", "random", "random"], rules="hearts", deals=1, seed="1")
    assert all(row["faults"] == 0 for row in other.rows())


def test_a_folder_that_holds_something_is_refused_before_anything_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mybot").mkdir()
    (tmp_path / "mybot" / "bot.py").write_text("mine")
    monkeypatch.setattr(sys, "argv", ["train", str(tmp_path / "mybot"), "--steps", "20"])
    with pytest.raises(SystemExit) as ended:
        example.main()
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"{str(tmp_path / 'mybot')!r} is there already" in printed.err
    assert {file.name: file.read_text() for file in (tmp_path / "mybot").iterdir()} == {"bot.py": "mine"}


def test_the_command_says_what_it_takes() -> None:
    command = [sys.executable, "-m", "pigpen_arena.examples.train", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "hearts-short" in done.stdout
    assert "--steps" in done.stdout
