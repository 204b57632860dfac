"""Claims of formats: with which numbers of entrants they hold, compared with the rounds that are drawn."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from ladder.events.claims import AGAIN, CAPPED, EQUALLY, FEWER, LEFT_OUT, OWNERS, PERHAPS, exceptions
from ladder.events.course import Course
from ladder.events.entrants import Entrant, Lots, PlayedRound, TableResult
from ladder.events.legs import sides_of
from pigpen.rules import PRESETS
from tests.ladder.events.files import EXAMPLES, event, example

if TYPE_CHECKING:
    from ladder.events.course import NextRound
    from ladder.values.events import Event

ROUNDS = {"name": "Rounds", "kind": "round-robin", "format": "boards:1"}
FINAL = {"name": "Final", "kind": "final", "deals": "half"}


def sizes(sentence: str) -> set[int]:
    """The numbers of entrants of a sentence."""
    words = re.sub(r" and |, ", ",", sentence.partition(": with ")[2].partition(" entrants ")[0])
    ends = [tuple(map(int, part.split(" to "))) for part in words.split(",")]
    return {size for each in ends for size in range(each[0], each[-1] + 1)}


def of(found: Event, why: str) -> set[int]:
    """The numbers of entrants with which something is so of the first stage."""
    sentences = [each for each in exceptions(found, PRESETS[found.variant]) if each.endswith(f" {why}.")]
    return {size for each in sentences for size in sizes(each)}


def meetings(of: Event, count: int) -> Counter[int]:
    """Meetings of two in the rounds of the first stage that are drawn: for each number of times, the pairs."""
    entrants = [Entrant(number, f"bot{number}", f"owner{number}") for number in range(1, count + 1)]
    course = Course(of, PRESETS[of.variant], entrants, Lots.of(bytes(32), entrants)).rounds()
    met, coming = Counter(dict.fromkeys(combinations(range(1, count + 1), 2), 0)), next(course)
    while coming.stage == 0 and coming.kind == "round":
        tables = coming.draw().tables
        met.update(pair for table in tables for pair in combinations(sorted(one for one in table if one > 0), 2))
        if (following := _after(course.send, coming, tables)) is None:
            break
        coming = following
    return Counter(met.values())


def _after(send: object, coming: NextRound, tables: tuple[tuple[int, ...], ...]) -> NextRound | None:
    boards = 1 if coming.boards is None else coming.boards
    results = tuple(TableResult(table, (tuple(range(len(table))),) * boards, boards) for table in tables)
    try:
        found: NextRound = send(PlayedRound(coming.stage, coming.number, results))  # type: ignore[operator]
    except StopIteration:
        return None
    return found


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.toml")))
def test_where_no_exception_is_named_the_rounds_of_the_examples_are_as_their_comments_say(name: str) -> None:
    found = example(name)
    first = found.stages[0]
    if first.kind != "round-robin":
        assert of(found, AGAIN) == set(range(8, 21)), "7 rounds of 3 others need 22 seats"
        return
    again = set() if first.rounds is None else of(found, AGAIN)
    perhaps = set() if first.rounds is None else of(found, PERHAPS)
    fewest, most = found.entrants
    held = set(range(fewest, most + 1)) - again - perhaps - of(found, EQUALLY)
    assert held, "with some number it is as the file says"
    for count in sorted(held):
        drawn = meetings(found, count)
        assert len(drawn) == 1 if first.rounds is None else max(drawn) == 1, count
    sides = sides_of(PRESETS[found.variant])
    for count in again:
        assert (first.rounds or 0) * (sides - 1) > -(-count // sides) * sides - 1, "there are fewer others"


def test_numbers_of_entrants_with_which_a_claim_does_not_hold_are_named() -> None:
    rounds = event(ROUNDS | {"rounds": 3}, FINAL, entrants=(4, 20))
    assert of(rounds, AGAIN) == set(range(4, 9)), "5 too: stand-ins fill tables of eight"
    assert of(rounds, PERHAPS) == set(range(9, 13))
    assert set(meetings(rounds, 12)) - {0, 1}, "with 12 there is no design, and some did meet twice"
    assert of(rounds.model_copy(update={"per_owner": 2}), OWNERS) == set(range(13, 21))
    assert of(event(ROUNDS, FINAL, variant="gongzhu-five", entrants=(5, 26)), EQUALLY) == set(range(6, 16)), (
        "tables for ten and fifteen"
    )
    assert of(event(ROUNDS, FINAL, entrants=(4, 64)), EQUALLY) == set()
    assert exceptions(event(ROUNDS | {"rounds": 1}, FINAL, entrants=(4, 20)), PRESETS["gongzhu"]) == ()


def test_stages_that_are_smaller_or_left_out_or_shorter_are_named() -> None:
    halving = {"name": "Halving", "kind": "halving", "until": 8, "format": "boards:4", "take": 16}
    found = event(ROUNDS, halving, FINAL, entrants=(4, 20))
    assert of(found, FEWER.format(take=16)) == set(range(9, 16))
    assert of(found, LEFT_OUT) == set(range(4, 9))
    long = event(ROUNDS | {"format": "boards:2000"}, FINAL, entrants=(4, 16))
    assert of(long, CAPPED) == {size for size in range(4, 17) if size > 4}
    assert exceptions(event(ROUNDS, FINAL, entrants=(4, 16)), PRESETS["gongzhu"]) == ()
