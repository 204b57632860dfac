"""The examples of docs/ratings.md are what the code computes, and its constants are those of the code."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import numpy as np

from ladder.pairing import scheduler
from ladder.ratings.batch import UNIT, fit, pair_weight
from ladder.ratings.elo import MAX_K, PROVISIONAL, START, Side, SideMember, k_factor, moves
from ladder.settings.settings import Settings

PAGE = (Path(__file__).parents[3] / "docs" / "ratings.md").read_text(encoding="utf-8")
NEWCOMER_CI = Settings.model_fields["newcomer_ci"]
BOTS = ("Trotter", "Snout", "Truffle")


def rows_below(heading: str) -> list[list[str]]:
    """The cells of the table whose first line is *heading*, without that line."""
    lines = PAGE.partition(heading)[2].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in takewhile(lambda one: one != "", lines)]


def test_the_match_of_the_example_moves_the_ratings_as_told() -> None:
    rows = rows_below("| bot | Elo | matches |")
    sides = [
        Side((SideMember(version, float(row[1]), 4 * int(row[2])),), 1, tuple(map(int, row[4].split())))
        for version, row in enumerate(rows)
    ]
    assert len(rows) == 4
    for row, move in zip(rows, moves(sides), strict=True):
        scores, hopes = (sum(part.score for part in move.against), sum(part.expected for part in move.against))
        cells = [f"{move.k:g}", row[4], f"{scores:g}", f"{hopes:.3f}", f"{move.after - move.before:+.2f}"]
        assert row[3:] == [*cells, f"{move.after:.2f}"]


def test_the_estimate_of_the_example_is_as_told() -> None:
    pairs = (np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([30.0, 36.0, 28.0]), np.full(3, 50.0))
    estimate = fit(range(3), *pairs, pair_weight(4))
    expected = [
        [bot, f"{estimate.ratings[place]:.0f}", f"{estimate.error(place):.0f}", "{}–{}".format(*estimate.ranks(place))]
        for place, bot in enumerate(BOTS)
    ]
    assert rows_below("| bot | estimate |") == expected
    assert f"over Snout is {100 * estimate.los(0, 1):.1f} %, " in PAGE
    assert f" over Truffle {100 * estimate.los(0, 2):.1f} %" in PAGE


def test_the_constants_of_the_page_are_those_of_the_code() -> None:
    assert f"K = min({2 * MAX_K:g}, 1400 / (matches + 5))" in PAGE
    assert f"K = min({MAX_K:g}, 700 · g / ((boards before + b) / 4 + 4))" in PAGE
    assert k_factor(4 * 1000) == 700 / 1005
    assert f"fewer than {PROVISIONAL} matches" in PAGE
    assert f"more than {2 * k_factor(4 * PROVISIONAL):g}" in PAGE
    assert f"Every bot begins with {START:g}." in PAGE
    aims = scheduler.PairingAims()
    assert (aims.boundary, aims.newcomer_error) == (Settings.model_fields["boundary"].default, NEWCOMER_CI.default)
    assert f"`newcomer_ci`, {aims.newcomer_error:g} Elo by default" in PAGE
    assert f"or has had {scheduler.MAX_NEW} matches" in PAGE
    assert f"{100 * scheduler.CATCHING_UP:g} of 100 other matches" in PAGE
    assert f"In {100 * scheduler.SHARE:g} of 100" in " ".join(PAGE.split())
    assert f"{100 * scheduler.BY_CHANCE:g} of 100 others are by" in PAGE
    assert f"below rank {aims.boundary}" in PAGE


def test_the_standard_error_of_a_settled_bot_follows_from_the_weight() -> None:
    """Three pairs of ¼ each, weighted, are the information of a match of four equals on one of them."""
    assert round(UNIT / (3 * pair_weight(4) / 4) ** 0.5, -1) == 260
    assert "260 / √m Elo" in PAGE
