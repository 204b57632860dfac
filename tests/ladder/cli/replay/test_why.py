"""`pigpen why`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ladder.app.schema import api_schema
from ladder.cli.replay.why import reason_text
from ladder.terminal.card_text import spelled
from ladder.values.why import Reason
from tests.e2e.command import pigpen
from tests.referee.recorded import match_lines, write_record

pytestmark = pytest.mark.usefixtures("few_playouts")
SCHEMA = api_schema()
HERE = ("--board", "2", "--rotation", "3")


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


def output(command: str, *words: str) -> Any:
    """Run the command, and give its JSON, which fits the schema."""
    done = pigpen(*words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    Draft202012Validator({"$defs": SCHEMA["$defs"], **SCHEMA["properties"][command]}).validate(found)
    return found


def test_a_decision_is_a_table_of_its_choices(record: str) -> None:
    found = output("why --step", "why", record, *HERE, "--step", "1")
    assert (found["at"], found["legal"], found["source"]) == ("pass", 286, record)
    done = pigpen("why", record, *HERE, "--step", "1")
    assert done.returncode == 0
    assert f"board 2, rotation 3, step 1: {found['bot']}, pass\n" in done.stdout
    for heading in ("choice", "points", "behind", "as dealt", "house bots"):
        assert f" {heading} " in done.stdout
    assert done.stdout.count("\n →") == 1
    assert f"… and {286 - len(found['choices'])} more, " in done.stdout
    assert "low scores are better" in done.stdout
    assert "this is hindsight, " in done.stdout
    assert "A model's opinion: " in done.stdout


def test_a_costly_decision_has_reasons_that_account_for_most_of_its_cost(record: str) -> None:
    """The seat, its cost and the figures are those of the JSON; every sentence is written."""
    (one,) = output("why", "why", record, "random", "--worst", "1")["costliest"]
    place = ("--board", str(one["board"]), "--rotation", str(one["rotation"]), "--step", str(one["step"]))
    (made,) = [each for each in one["choices"] if each["chosen"]]
    assert made["reasons"]
    points = [each["points"] for each in made["reasons"] if each["points"] is not None]
    assert abs(sum(points) - one["cost"]) <= one["cost"] / 2
    shown = pigpen("why", record, *place).stdout
    assert f" is {one['cost']:.2f} ± {one['cost_error']:.2f} points better than {spelled(one['chosen'])}:\n" in shown
    for each in made["reasons"]:
        best = spelled(one["choices"][0]["choice"])
        sentence = reason_text(Reason.model_validate(each), "random", best, spelled(one["chosen"]))
        figure = "" if each["points"] is None else f"{each['points']:+.2f}"
        assert f"  {figure:>8}  {sentence}\n" in shown


def test_reasons_of_each_kind_are_sentences() -> None:
    found = [
        reason_text(Reason.model_validate({"after": after, "after_best": best, **given}), "Ada", "4♥", "J♥")
        for given, after, best in (
            ({"kind": "card", "cards": ["QS"]}, 0.618, 0.114),
            ({"kind": "doubler", "cards": ["TC"]}, 0.5, 0.25),
            ({"kind": "points", "cards": ["QH", "KH"], "suit": "hearts", "without": "AH"}, -42.04, -0.01),
            ({"kind": "points", "cards": ["QS"]}, -60, -30),
            ({"kind": "moon"}, 0.1, 0),
            ({"kind": "other_moon"}, 0, 0.1),
            ({"kind": "trick"}, 1, 0),
            ({"kind": "void", "suit": "clubs"}, 1, 0),
            ({"kind": "void", "suit": "clubs"}, 0, 1),
        )
    ]
    sentences = [
        "Q♠ goes to Ada in 62 % of the deals after J♥, in 11 % after 4♥",
        "T♣, which multiplies, goes to Ada in 50 % of the deals after J♥, in 25 % after 4♥",
        "points of hearts without A♥ for Ada: -42.0 after J♥, 0.0 after 4♥",
        "points of Q♠ for Ada: -60.0 after J♥, -30.0 after 4♥",
        "Ada shoots the moon in 10 % of the deals after J♥, in 0 % after 4♥, if no other seat prevents it",
        "another seat shoots the moon in 0 % of the deals after J♥, in 10 % after 4♥",
        "the trick goes to Ada in 100 % of the deals after J♥, in 0 % after 4♥",
        "J♥ leaves no clubs in the hand, 4♥ does not",
        "4♥ leaves no clubs in the hand, J♥ does not",
    ]
    assert found == sentences


def test_the_same_question_gives_the_same_answer(record: str) -> None:
    words = ("why", record, *HERE, "--step", "6")
    assert pigpen(*words).stdout == pigpen(*words).stdout


def test_the_costliest_decisions_of_a_bot_are_a_table(record: str) -> None:
    found = output("why", "why", record, "1", "--worst", "2", "--board", "1")
    assert (found["bot"], len(found["costliest"])) == ("random", 2)
    done = pigpen("why", record, "random", "--worst", "2", "--board", "1")
    assert done.returncode == 0
    assert "costliest decisions of random\n" in done.stdout
    assert f"{found['decisions']} decisions with a choice.\n" in done.stdout
    assert "A model's opinion: " in done.stdout
    for one in found["costliest"]:
        assert f"{one['place']}, step {one['step']}: {one['rerun']}\n" in done.stdout
        again = output(
            "why --step", "why", record, "random", "--board", str(one["board"]), "--rotation", str(one["rotation"]),
            "--step", str(one["step"]),
        )  # fmt: skip
        assert again == one


def test_the_line_that_it_prints_puts_the_questions_of_that_deal_again(record: str) -> None:
    (one,) = output("why", "why", record, "random", "--worst", "1", "--board", "2", "--rotation", "1")["costliest"]
    words = one["rerun"].split()[1:]
    words[3] = "counting"
    done = pigpen(*words, "--sandbox", "inline", "--json")
    assert done.returncode == 0, done.stderr
    assert {row["place"] for row in json.loads(done.stdout)["differences"]} == {one["place"]}


def test_a_match_that_is_still_played_has_estimates_too(tmp_path: Path) -> None:
    unfinished = str(write_record(tmp_path / "half.jsonl", match_lines("gongzhu", "deals:2")[:-1]))
    assert output("why --step", "why", unfinished, "--deal", "2", "--step", "1")["at"] == "expose"


def test_a_mistake_is_one_sentence(record: str, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in Path(record).read_text("utf-8").splitlines()]
    deal = next(line for line in lines if (line.get("board"), line.get("rotation")) == (1, 2))
    forced = next(number for number, step in enumerate(deal["steps"], 1) if step["by"] == "forced")
    other = deal["seats"][1]
    for words, message in (
        ((record,), "Name a bot to see its costliest decisions, or one decision with --step."),
        ((record, "nix"), "there is no bot 'nix' in it; there are 0 cautious, 1 random,"),
        ((record, "0", "--board", "3"), "has no deal for --board 3; it holds the boards 1 to 2, rotations 1 to 4."),
        ((record, "--step", "3"), "has 8 such deals. Name the one of the step with --board and --rotation."),
        ((record, *HERE, "--step", "999"), "board 2, rotation 3 has no step 999; its steps are 1 to 56."),
        ((record, *HERE, "--step", str(forced)), f"step {forced} of board 2, rotation 3 was forced: "),
        ((record, str((other + 1) % 4), *HERE, "--step", "2"), "step 2 of board 2, rotation 3 is a decision of "),
        ((str(tmp_path / "none"), "0"), "cannot be read: No such file or directory."),
    ):
        done = pigpen("why", *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
