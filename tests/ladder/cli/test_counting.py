"""Deals, boards and rotations are counted from 1 by every command; the record counts them from 0."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.referee.recorded import match_lines, write_record
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = {
    "replay": ("replay", "{}"),
    "rerun": ("rerun", "{}", "bot1", "random", "--sandbox", "inline"),
    "why": ("why", "{}", "--step", "2"),
    "worst": ("why", "{}", "bot1", "--worst", "1"),
}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards, and two deals without boards."""
    folder = tmp_path_factory.mktemp("records")
    write_record(folder / "boards.jsonl", match_lines("hearts", "boards:2"))
    write_record(folder / "deals.jsonl", match_lines("hearts", "deals:2"))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--deal", "--board", "--rotation"])
def test_there_is_no_number_0(records: Path, command: str, option: str) -> None:
    words = (word.format("boards.jsonl") for word in COMMANDS[command])
    done = typed(*words, option, "0", folder=records)
    assert done.is_one_sentence
    assert done.is_one_sentence
    assert f" no {option[2:]} 0: " in done.err


def test_there_are_no_logs_of_rotation_0(tmp_path: Path) -> None:
    done = typed("logs", "1", "0", "--rotation", "0", folder=tmp_path)
    assert done.is_one_sentence
    assert "no rotation 0: " in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_last_number_is_how_many_there_are(records: Path, command: str) -> None:
    for name, options, extent in (
        ("boards", ("--board", "3"), "the boards 1 to 2, rotations 1 to 4"),
        ("boards", ("--rotation", "5"), "the boards 1 to 2, rotations 1 to 4"),
        ("deals", ("--deal", "3"), "the deals 1 to 2"),
    ):
        done = typed(*(word.format(f"{name}.jsonl") for word in COMMANDS[command]), *options, folder=records)
        assert done.is_one_sentence
        assert f" {' '.join(options)}; it holds {extent}." in done.err


def test_all_commands_mean_the_same_deal(records: Path) -> None:
    here = ("--board", "2", "--rotation", "3")
    shown = typed("replay", "boards.jsonl", *here, folder=records).out
    assert shown.count("Board ") == shown.count("Board 2, rotation 3") == 1
    found = json.loads(typed("why", "boards.jsonl", *here, "--step", "2", "--json", folder=records).out)
    assert [found[name] for name in ("place", "deal", "board", "rotation")] == ["board 2, rotation 3", 2, 2, 3]
    assert found["rerun"].endswith(" ".join(here))
    rerun = typed("rerun", "boards.jsonl", "bot1", "counting", *here, "--sandbox", "inline", "--json", folder=records)
    differences = json.loads(rerun.out)["differences"]
    assert differences
    for each in differences:
        assert [each[name] for name in ("place", "deal", "board", "rotation")] == ["board 2, rotation 3", 2, 2, 3]
    line = next(line for line in map(json.loads, (records / "boards.jsonl").read_text().splitlines())
                if (line.get("board"), line.get("rotation")) == (1, 2))  # fmt: skip
    assert found["scored"] == line["scores"][found["seat"]]
    assert found["chosen"] == (line["steps"][1].get("pass") or line["steps"][1].get("play"))
