"""docs/learn.md says what the code does, and its code runs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pigpen.learn import VERSION, Encoding
from pigpen.rules import PRESETS, Rules
from tests.e2e.test_readme import blocks

PAGE = (Path(__file__).parents[2] / "docs" / "learn.md").read_text("utf-8")
SIZE = re.compile(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", flags=re.MULTILINE)


def for_players(players: int) -> Rules:
    removed = ("3C", "2D", "2H", "3D", "3H", "4C")[: 52 % players]
    return replace(PRESETS["hearts"], name="any", players=players, passing=None, removed=removed)


def test_the_version_is_that_of_the_code() -> None:
    assert f"this page describes version {VERSION}." in PAGE


def test_the_sizes_are_those_of_the_code() -> None:
    stated = [tuple(map(int, row)) for row in SIZE.findall(PAGE)]
    found = [(players, Encoding(for_players(players))) for players in range(2, 9)]
    assert stated == [(players, len(each.planes), each.words, 8 * each.words, each.size) for players, each in found]


@pytest.mark.parametrize("of", ["planes", "features"])
def test_planes_and_features_are_named_in_their_order(of: str) -> None:
    rows = re.findall(r"^\| ((?:`\w+`[,… ]*)+)\|", PAGE, flags=re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    firsts = [name for name in getattr(Encoding("hearts"), of) if not re.search(r"_[1-9]|_0_[dhs]", name)]
    assert [name for name in named if name in firsts] == firsts
    assert firsts


def test_the_code_runs_from_the_first_block_to_the_last_one(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    code = list(blocks("python", PAGE))
    for each in code:
        exec(each, names)
    printed = capsys.readouterr().out.splitlines()
    stated = re.findall(r"^print\(.*\)  # (.*?)(?: : .*)?$", "\n".join(code), flags=re.MULTILINE)
    assert stated
    assert [line for line in printed if line in stated] == stated
