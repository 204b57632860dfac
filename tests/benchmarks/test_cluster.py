"""The cluster's benchmark plays: its workers are let in, and the coordinator takes their records."""

from __future__ import annotations

import pytest

from benchmarks.cluster import HEADINGS, ClusterSize, line, measured


@pytest.mark.long
def test_a_small_cluster_is_measured() -> None:
    size = ClusterSize(bots=8, workers=2, seconds=0.5, window=20.0)
    found = measured(size)
    assert found.rate > 1 / size.window, "records are taken"
    assert 0 <= found.empty < 1
    assert len(line(size, found)) == len(HEADINGS)
