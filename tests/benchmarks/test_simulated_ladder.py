"""Ladders whose chance is drawn from recorded matches: what they take from those matches, and how they rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.recorded_games import Games, entries, load, numbered, save
from benchmarks.simulated_ladder import Chance, Field, OnlineElo, kendall, reached
from ladder.ratings.elo import START, Side, SideMember, moves
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(1)
STRENGTHS = RNG.normal(0, 2, 20)


def games(sides: int = 4) -> Games:
    """Matches of twenty bots."""
    tables = np.argsort(RNG.random((600, 20)), axis=1)[:, :sides]
    points = STRENGTHS[tables][:, None] + RNG.normal(0, 3, (600, 4, sides))
    return Games(tables, points - points.mean(axis=2, keepdims=True))


@pytest.mark.parametrize("variant", ["hearts", "gongzhu-partners", "gongzhu-five"])
def test_a_recorded_match_is_the_same_each_time_and_its_points_add_up_to_nothing(variant: str) -> None:
    rules = PRESETS[variant]
    table, points = numbered(variant, "a seed", 3)
    again, same = numbered(variant, "a seed", 3)
    assert len(set(table)) == (2 if rules.partners else rules.players)
    assert (table, points.tolist()) == (again, same.tolist())
    assert points.sum(axis=1) == pytest.approx([0.0] * 4, abs=1e-9)
    assert points.any()


def test_all_bots_of_the_recorded_matches_differ() -> None:
    assert len(set(entries())) == len(entries()) >= 50


def test_what_was_written_is_read(tmp_path: Path) -> None:
    one = games()
    save(str(tmp_path / "games.npz"), {"hearts": one})
    read = load(str(tmp_path / "games.npz"))["hearts"]
    assert np.array_equal(read.tables, one.tables)
    assert np.array_equal(read.points, one.points)


@pytest.mark.parametrize("sides", [2, 4])
def test_strengths_are_those_of_the_matches_and_chance_adds_nothing_to_them(sides: int) -> None:
    chance = Chance(games(sides))
    assert np.corrcoef(chance.strengths, STRENGTHS)[0, 1] > 0.97
    tables = np.array([list(range(sides))] * 4000)
    found = chance.residuals(chance.strengths[tables], np.random.default_rng(2))
    assert found.shape == (4000, 4, sides)
    assert found.mean(axis=(0, 1)) == pytest.approx([0.0] * sides, abs=0.2)
    assert found.std() == pytest.approx(3 * np.sqrt(1 - 1 / sides), rel=0.1)


def test_the_true_order_is_that_of_the_strengths_but_for_those_that_fail() -> None:
    field = Field(Chance(games()), 20, seed=1)
    sound = field.failing == 0
    for measure in ("match", "board", "points"):
        assert kendall(field.strengths[sound], field.truth[measure][sound]) > 0.7
    ranks = {name: np.argsort(np.argsort(field.truth[name])) for name in ("match", "points")}
    assert (ranks["match"] - ranks["points"])[~sound].mean() < 0


def test_elo_is_the_ladders() -> None:
    mine, rng = OnlineElo(6, by_boards=False), np.random.default_rng(0)
    ratings, boards = [START] * 6, [0] * 6
    for _ in range(50):
        table, scores = rng.permutation(6)[:4].tolist(), rng.integers(0, 3, size=(5, 4)).astype(float)
        mine.add(table, scores)
        sides = [
            Side((SideMember(bot, ratings[bot], boards[bot]),), 1 + int((scores[-1] > own).sum()))
            for bot, own in zip(table, scores[-1], strict=True)
        ]
        for move in moves(sides):
            ratings[move.version] = move.after
        for bot in table:
            boards[bot] += 4
    assert mine.ratings == pytest.approx(ratings)


def test_a_bar_is_reached_at_the_first_look_that_is_at_it() -> None:
    assert reached(np.array([0.5, 0.9, 0.95, 0.94]), 0.95, 100) == 300
    assert reached(np.array([0.5, 0.9]), 0.95, 100) == float("inf")
