"""The recipe from a seed to the cards and seats, as docs/deals.mjs has it in another language."""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pigpen.rules import PRESETS, deal_hands, seed_from
from pigpen.rules.presets import GONGZHU
from pigpen.rules.shuffle import derived_number
from referee.match.formats import seats_of
from referee.records.framing import START, chained
from referee.records.steps import names_of
from tests.referee.recorded import faulty_seats, match_lines, write_record
from tests.referee.worlds import ALTERED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules import Rules

pytestmark = pytest.mark.node

ROOT = Path(__file__).resolve().parents[2]
DEALS = 125
"""Of each of the eight presets."""
SEVEN = dataclasses.replace(GONGZHU, name="seven", players=7, removed=("2C", "2D", "2H"))
"""Its seats have more orders than are listed."""


def ask(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put all questions to the other implementation."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    program = ["node", str(ROOT / "tests" / "rules" / "ask_deals.mjs")]
    done = subprocess.run(program, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def question(rules: Rules, number: int, chance: random.Random) -> dict[str, Any]:
    """Of some seed, a text or 64 digits."""
    seed = chance.choice([chance.randbytes(32).hex(), f"猪 {chance.random()}", "7", "", "ab " * 20 + "abcd"])
    return {"rules": rules.to_plain(), "seed": seed, "number": number, "rotation": chance.randrange(rules.players)}


def answer(rules: Rules, asked: dict[str, Any]) -> dict[str, Any]:
    """Our own."""
    seed, number, rotation = seed_from(asked["seed"]), asked["number"], asked["rotation"]
    seats = range(rules.players)
    return {
        "hands": list(map(names_of, deal_hands(rules, seed, number))),
        "seats": list(seats_of(rules, seed, number, rotation)),
        "bots": [str(derived_number("bot", seed, number, seat)) for seat in seats],
        "onBoards": [str(derived_number("bot", seed, number, seat, rotation)) for seat in seats],
    }


def test_both_agree_on_a_thousand_deals() -> None:
    chance = random.Random(1)
    numbers = [*range(DEALS - 4), 255, 256, 70_000, 2**40]
    asked = [(rules, question(rules, number, chance)) for rules in (*PRESETS.values(), SEVEN) for number in numbers]
    assert len(asked) >= 1000
    answers = ask([each for _, each in asked])
    assert answers == [answer(rules, each) for rules, each in asked]


@pytest.mark.parametrize(
    ("rules", "form"),
    [("gongzhu-five", "boards:3"), ("gongzhu-partners", "boards:3"), ("hearts", "game"), ("gongzhu", "board:7:3")],
)
@pytest.mark.parametrize("name", ["match.jsonl", "match.jsonl.gz"])
def test_it_checks_chain_commitment_cards_and_seats_of_a_record(
    tmp_path: Path, rules: str, form: str, name: str
) -> None:
    lines = match_lines(rules, form, faulty_seats)
    path = write_record(tmp_path / name, lines)
    done = subprocess.run(["node", "docs/deals.mjs", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{path}: {len(lines) - 2} deals ")


def test_it_names_what_was_changed(tmp_path: Path) -> None:
    lines = match_lines()
    path = write_record(tmp_path / "match.jsonl", [lines[0], lines[1].model_copy(update={"deal": 1}), *lines[2:]])
    text = path.read_text()
    for content, words in (
        (text, "deal 2: hands is ["),
        (text.replace('"by":"bot"', '"by":"me"', 1), "the chain of line 2 is "),
    ):
        path.write_text(content)
        done = subprocess.run(
            ["node", "docs/deals.mjs", str(path)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"{path}: {words}")


@pytest.mark.parametrize(("change", "line", "words"), ALTERED.values(), ids=ALTERED)
def test_what_an_editor_has_changed_is_named(
    tmp_path: Path, change: Callable[[bytes], bytes], line: int, words: str
) -> None:
    path = write_record(tmp_path / "match.jsonl", match_lines())
    path.write_bytes(change(path.read_bytes()))
    done = subprocess.run(["node", "docs/deals.mjs", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"{path}: line {line}: {words}")


@pytest.mark.parametrize("place", ["0:2", "1:1"])
def test_a_board_that_is_not_the_one_in_the_first_line_is_named(tmp_path: Path, place: str) -> None:
    first, *rest = match_lines("hearts", "board:1:2")
    other = first.model_copy(update={"format": f"board:{place}"})
    path = write_record(tmp_path / "match.jsonl", [other, *rest])
    done = subprocess.run(["node", "docs/deals.mjs", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "rotation is [1,2], " in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"x\n" * 200_000), "line 100001: a record has at most 100000 lines"),
        (gzip.compress((b"x" * 2**19 + b"\n") * 33) * 32, "a record has at most 536870912 bytes, unpacked"),
        (b"[" * 2**20, "line 1: it is longer than 1048576 bytes"),
        (chained(b'{"a":' + b"[" * 9**6 + b"]}", START)[0] + b"\n", "Expected"),
        (chained(b'{"type":"\xc2\x9b\xe2\x80\xae"}', START)[0] + b"\n", 'the last line is "��"'),
        (b"", "the last line is undefined"),
    ],
    ids=["lines", "bytes", "line", "depth", "controls", "nothing"],
)
def test_it_refuses_what_no_match_gives(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(content)
    done = subprocess.run(["node", "docs/deals.mjs", str(path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done
    assert done.stderr.startswith(f"{path}: {words}")
