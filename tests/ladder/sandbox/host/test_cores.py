from __future__ import annotations

import os
from contextlib import ExitStack
from random import Random

import pytest

from ladder.sandbox.host.cores import Cores, bot_cores


@pytest.mark.parametrize(("all_cores", "for_bots"), [({0}, (0,)), ({0, 1}, (1,)), ({2, 5, 7}, (5, 7))])
def test_the_first_core_is_left_to_the_referee(
    all_cores: set[int], for_bots: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: all_cores)
    assert bot_cores() == for_bots


def test_tables_are_spread_over_the_cores() -> None:
    cores = Cores((1, 2, 3), Random(0))
    with ExitStack() as tables:
        taken = [tables.enter_context(cores.lease()) for _ in range(6)]
        assert sorted(taken) == [1, 1, 2, 2, 3, 3]
        assert sorted(taken[:3]) == [1, 2, 3]


def test_a_core_is_free_again_when_its_table_ends() -> None:
    cores = Cores((1, 2), Random(0))
    with cores.lease() as first, cores.lease() as second:
        assert first != second
    with cores.lease() as kept:
        with cores.lease() as other:
            pass
        with cores.lease() as again:
            assert again == other != kept


@pytest.mark.parametrize(
    ("cores", "count", "shares"),
    [((1, 2, 3, 4), 2, [{1, 3}, {2, 4}]), ((1, 2), 3, [{1}, {2}, {1}]), ((0,), 2, [{0}, {0}])],
)
def test_processes_divide_the_cores(cores: tuple[int, ...], count: int, shares: list[set[int]]) -> None:
    for number, share in enumerate(shares):
        mine = Cores(cores, Random(0))
        mine.share(number, count)
        with ExitStack() as tables:
            assert {tables.enter_context(mine.lease()) for _ in range(4)} == share
