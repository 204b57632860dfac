"""
The ± of Elo and of margins in fields that break the model: 95 of 100 true values lie within it.

The fields are those of benchmarks/simulated_ladder.py, the ladders those of benchmarks/calibration.py. Chance is
seeded, so the shares are the same each time. The standard errors are 0.4 to 1.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import simulated_ladder
from benchmarks.calibration import Coverage, coverage, within
from benchmarks.simulated_ladder import WORLDS, Results, World

if TYPE_CHECKING:
    import numpy.typing as npt


@pytest.fixture(autouse=True)
def truth_of_fewer_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The truth of a field is that of 4,000 matches of each bot: known eight times as well as in the ladders."""
    monkeypatch.setattr(simulated_ladder, "TRUE_MATCHES", 24_000)


def shares(world: str, tables: str, bots: int, matches: int, ladders: int, fields: int = 2) -> Coverage:
    """Means over ladders of some fields, in percent."""
    found = [one for seed in range(fields) for one in coverage(world, tables, bots, matches, ladders, seed)]
    return Coverage(*(100 * np.mean(found, axis=0)))


@pytest.mark.parametrize("world", WORLDS)
def test_95_of_100_lie_within_the_bars_at_tables_by_chance(world: str) -> None:
    found = shares(world, "by chance", 24, 600, 60)
    assert found.elo == pytest.approx(95, abs=2.5)
    assert found.margin == pytest.approx(95, abs=2.5)


@pytest.mark.parametrize("world", ["clones", "interactions"])
def test_95_of_100_lie_within_the_bars_at_the_tables_of_the_ladder(world: str) -> None:
    found = shares(world, "the ladder's", 16, 300, 1, fields=24)
    assert found.elo == pytest.approx(95, abs=2.5)
    assert found.margin == pytest.approx(95, abs=2.5)


def tables_with_many_of_copies(field: World, matches: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw tables: three of four have copies of one program alone."""
    programs = [bots for each in range(3) if len(bots := np.flatnonzero(field.programs == each)) >= field.sides]
    return np.array([
        rng.permutation(programs[rng.integers(len(programs))] if rng.random() < 0.75 else field.count)[: field.sides]
        for _ in range(matches)
    ])  # fmt: skip


def test_boards_on_which_copies_tie_do_not_hide_how_much_the_others_vary() -> None:
    """With one variance for all boards the bars are half as wide as they should be."""
    found = []
    for seed in range(2):
        field = World("clones", 24, seed)
        for number in range(40):
            rng, results = np.random.default_rng((seed, number)), Results(field.count, field.sides)
            tables = tables_with_many_of_copies(field, 1600, rng)
            results.add(tables, field.play(tables, rng))
            found.append([within(results.margins(alike), field.truth["points"]) for alike in (False, True)])
    differ, alike = 100 * np.mean(found, axis=0)
    assert differ == pytest.approx(95, abs=3)
    assert alike < 80
