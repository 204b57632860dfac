"""`pigpen play human …` in a real terminal: whole games by keys, leaving, and what is said without a terminal."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS
from referee.records.file import read_record
from referee.records.recorded import Recorded
from referee.replay.verify import verify
from tests.e2e.command import pigpen
from tests.e2e.terminal import Terminal, terminal
from tests.e2e.test_replay import RIGHT, is_as_before

if TYPE_CHECKING:
    from pathlib import Path

IN_EACH_PUSH = ("hearts-short", "gongzhu-sale")
"""They have every kind of question: passing, exposing face up and face down."""
QUICK = ("--sandbox", "inline", "--pace", "0")
PATIENT = (*QUICK, "--seed", "a person", "--human-limit", "600", "--limit", "600", "--clock", "100000")
"""A slow machine is nobody's fault."""
KEYS = {
    "Any key ends.": "\r",
    "Enter: go on": "\r",
    "Enter passes": "\r",
    "Choose": f" {RIGHT}",
    "Expose?": " \r",
    "You have shot the moon.": f"{RIGHT}\r",
    "You lead.": "\r",
    "Your turn.": "\r",
}
"""Keys to press, by the text on the screen."""


def bots_for(variant: str) -> tuple[str, ...]:
    return ("random", "cautious", "counting", "cautious")[: PRESETS[variant].players - 1]


def play_on(now: Terminal, until: str = "the program's end") -> list[str]:
    """Press keys until the screen says *until*, or the program ends, and give what was pressed for."""
    done: list[str] = []

    def wants() -> str | None:
        return next((text for text in KEYS if text in now.screen), None)

    while now.program.poll() is None and until not in now.screen:
        now.wait_for(lambda: wants() is not None or now.program.poll() is not None, "a question")
        if until not in now.screen and (text := wants()) is not None:
            before = now.screen
            done.append(text)
            now.press(KEYS[text])
            now.wait_for(lambda before=before: now.screen != before or now.program.poll() is not None, "an answer")  # type: ignore[misc]
    return done


@pytest.mark.parametrize(
    "variant", [pytest.param(name, marks=() if name in IN_EACH_PUSH else pytest.mark.long) for name in PRESETS]
)
def test_a_whole_game_is_played_by_keys(variant: str, tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    length = ("--game",) if variant == "hearts-short" else ("--deals", "1")
    words = ("play", "human", *bots_for(variant), "--rules", variant, *PATIENT, *length, "--record", str(path))
    with terminal(*words, columns=90, lines=26) as now:
        modes = now.modes
        done = play_on(now)
        assert now.end() == 0
        assert is_as_before(now, modes)
        assert "✗" not in now.output
        assert "place" in now.output.rpartition("\x1b[?1049l")[2], "the result is printed afterwards"
    found, match = verify(path), Recorded.of(read_record(path))
    assert found.holds, found.difference
    assert found.finished
    assert match.first.people_numbers == {0}
    assert done.count("Enter: go on") == len(match.deals)
    assert ("Enter passes" in done) == (PRESETS[variant].passing is not None)
    assert {step.by for line in match.deals for step in line.steps} == {"bot", "forced"}


def test_who_leaves_is_asked_once_and_may_go_on_later(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    words = ("human", "random", "cautious", "counting")
    with terminal("play", *words, "--rules", "hearts", *PATIENT, "--deals", "2", "--record", str(path)) as now:
        modes = now.modes
        now.see("Choose 3 cards")
        now.press("?")
        now.see("Any key goes back to the table.")
        now.press("q")
        now.see("Choose 3 cards")
        now.press("q")
        now.see("Leave the match?")
        now.press("n")
        now.see("Choose 3 cards")
        play_on(now, "Enter: go on")
        now.press("q")
        now.see("Leave the match?")
        now.press("y")
        assert now.end() == 0
        assert is_as_before(now, modes)
        assert "left the match." in now.output
        assert "--resume" in now.output
    with terminal("play", *words, *QUICK, "--resume", str(path)) as now:
        play_on(now)
        assert now.end() == 0
    assert verify(path).holds
    assert verify(path).finished


def test_the_default_is_played_when_the_time_is_up_and_the_person_is_told(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    words = ("play", "human", "random", "cautious", "counting", "--rules", "gongzhu", *PATIENT, "--deals", "1")
    with terminal(*words, "--human-limit", "1", "--record", str(path)) as now:
        now.see("Your time was up: the policy played")
        now.see("You are away")
        before = len(now.output)
        now.press("b")
        now.wait_for(lambda: "Your turn." in now.output[before:] or "You lead." in now.output[before:], "a question")
        now.press("\x03")
        assert now.end() == 128 + signal.SIGINT


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    words = ("play", "human", "random", "cautious", "counting", "--rules", "hearts", "--pace", "0")
    with terminal(*words, "--sandbox", "process", TMPDIR=str(tmp_path)) as now:
        modes = now.modes
        now.see("Choose 3 cards")
        assert [*tmp_path.glob("pigpen-match-*")]
        now.press("\x03")
        assert now.end() == 128 + signal.SIGINT
        assert is_as_before(now, modes)
    assert not [*tmp_path.glob("pigpen-match-*")]


def test_without_a_terminal_one_sentence_says_so() -> None:
    done = pigpen("play", "human", "random", "cautious", "counting")
    assert done.returncode == 2
    sentence = "A person (human) needs a terminal to play, and this is not one. Name a bot instead of human."
    assert done.stderr == f"pigpen: {sentence}\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("human", "human", "random", "random"), "One person can sit at a terminal: name human once."),
        (("human", "random", "--rules", "gongzhu-partners"), "takes 2 bots, one for each team, or 4; 2 named"),
    ],
    ids=["two people", "a team of one person"],
)
def test_a_table_that_makes_no_sense_is_refused(words: tuple[str, ...], sentence: str) -> None:
    done = pigpen("play", *words)
    assert done.returncode == 2
    assert sentence in done.stderr
