"""A matrix with changed rows is the matrix that one gets by writing into it."""

from __future__ import annotations

import numpy as np

from ladder.pairing.information import ChangedRows


def test_rows_and_columns_are_those_of_a_matrix_that_is_written_into_and_copies_change_apart() -> None:
    rng = np.random.default_rng(2)
    start = rng.normal(size=(20, 20))
    start += start.T
    plain, changed, every = start.copy(), ChangedRows(start), np.arange(20)
    for _ in range(30):
        before, twin = plain.copy(), changed.copy()
        places = rng.permutation(20)[:3]
        rows = rng.normal(size=(3, 20))
        rows[:, places] += rows[:, places].T
        plain[places], plain[:, places] = rows, rows.T
        changed.replace(places, rows)
        assert np.array_equal(changed.read(every), plain)
        assert np.array_equal(changed.read(places[:1]), plain[places[:1]])
        assert np.array_equal(twin.read(every), before)
