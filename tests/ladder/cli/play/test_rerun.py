"""`pigpen rerun`, as a user types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import pigpen
from tests.referee.recorded import match_lines, write_record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A match of the sample bots, two boards of hearts."""
    path = tmp_path_factory.mktemp("records") / "match.jsonl"
    done = pigpen(
        "play", "cautious", "random", "random", "random", "--rules", "hearts", "--boards", "2", "--seed", "7",
        "--sandbox", "inline", "--record", str(path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return str(path)


def write_bot(folder: Path, line: str) -> str:
    """A bot whose `play` is one line."""
    folder.mkdir()
    (folder / "bot.py").write_text(
        f"import pigpen\n\nclass Other(pigpen.Bot):\n    def play(self, view):\n        {line}\n\n"
        "if __name__ == '__main__':\n    pigpen.run(Other())\n"
    )
    return str(folder)


@pytest.mark.parametrize("sandbox", ["process", "inline"])
def test_the_same_bot_differs_nowhere(record: str, sandbox: str) -> None:
    done = pigpen("rerun", record, "cautious", "cautious", "--sandbox", sandbox)
    assert (done.returncode, done.stdout) == (0, "84 decisions, 0 differ. 28 forced actions were not asked.\n")


@pytest.mark.docker
def test_the_default_is_a_container(record: str) -> None:
    done = pigpen("rerun", record, "random", "random", "--board", "2", "--rotation", "1")
    assert (done.returncode, done.stdout) == (0, "10 decisions, 0 differ. 4 forced actions were not asked.\n"), (
        done.stderr
    )


def test_another_bot_differs_and_the_table_says_where(record: str) -> None:
    words = ("rerun", record, "0", "random", "--board", "2", "--sandbox", "inline")
    done = pigpen(*words)
    assert done.returncode == 0
    assert "Decisions in which random differs from cautious" in done.stdout
    for heading in ("deal", "at", "on the table", "may choose", "then", "now", "points", "ms"):
        assert f" {heading} " in done.stdout
    found = json.loads(pigpen(*words, "--json").stdout)
    assert (found["decisions"], found["forced"], found["at_fault"], found["untried"]) == (43, 13, 0, 0)
    assert found["differ"] == len(found["differences"]) > 10
    assert f"43 decisions, {found['differ']} differ. 13 forced actions were not asked." in done.stdout
    for row in found["differences"]:
        assert row["board"] == 2
        assert row["then"] != row["now"]
        assert {*row["then"].split(), *row["now"].split()} <= {*row["may_choose"]} <= {*row["hand"]}


def test_the_list_can_be_cut_short_but_not_the_count(record: str) -> None:
    words = ("rerun", record, "0", "random", "--sandbox", "inline")
    whole = json.loads(pigpen(*words, "--json").stdout)
    short = json.loads(pigpen(*words, "--json", "--limit-list", "3").stdout)
    assert short["differences"] == [{**row, "now_ms": now["now_ms"]} for row, now in pairs(whole, short)]
    assert len(short["differences"]) == 3
    assert short["differ"] == whole["differ"]
    shown = pigpen(*words, "--limit-list", "3").stdout
    assert f"… and {whole['differ'] - 3} more" in shown
    assert "│" not in pigpen(*words, "--limit-list", "0").stdout


def pairs(
    whole: dict[str, list[dict[str, object]]], short: dict[str, list[dict[str, object]]]
) -> zip[tuple[dict[str, object], dict[str, object]]]:
    return zip(whole["differences"], short["differences"], strict=False)


def test_faults_are_listed_with_the_reason_and_the_bots_own_words(record: str, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "bad", "return view.unseen[0] if len(view.tricks) < 2 else {}['ouch']")
    done = pigpen("rerun", record, "cautious", bot, "--board", "1", "--rotation", "1", "--sandbox", "process")
    assert done.returncode == 0
    assert "✗ board 1, rotation 1, trick 1: illegal: " in done.stdout
    assert "✗ board 1, rotation 1, trick 4: gone: its program ended with exit code 1" in done.stdout
    assert "KeyError: 'ouch'" in done.stdout
    assert "were not asked: the bot had ended too often." in done.stdout


def test_a_late_answer_is_listed(record: str, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "slow", "import time; time.sleep(0.2 * (len(view.tricks) == 4)); return view.legal[0]")
    words = ("--board", "1", "--rotation", "2", "--sandbox", "inline", "--limit", "0.1", "--json")
    found = json.loads(pigpen("rerun", record, "cautious", bot, *words).stdout)
    late = [row for row in found["differences"] if row["verdict"] == "timeout"]
    assert "trick 5" in [row["at"] for row in late]
    assert {row["why"] for row in late} == {"no answer within 0.100 s"}


def test_a_mistake_is_one_sentence(record: str, tmp_path: Path) -> None:
    unfinished = str(write_record(tmp_path / "half.jsonl", match_lines("hearts", "deals:2")[:-1]))
    for words, message in (
        (
            (unfinished, "0", "random"),
            "cannot be replayed: the match is not finished, and its seed is published at the end",
        ),
        ((record, "nix", "random"), "there is no bot 'nix' in it; there are 0 cautious, 1 random,"),
        ((record, "0", "nix"), "There is no bot 'nix'"),
        (
            (record, "0", "random", "--board", "3"),
            "has no deal for --board 3; it holds the boards 1 to 2, rotations 1 to 4.",
        ),
        ((str(tmp_path / "none"), "0", "random"), "cannot be read: No such file or directory."),
    ):
        done = pigpen("rerun", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
