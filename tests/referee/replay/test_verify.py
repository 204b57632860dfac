"""Records that hold, and records that were changed: nothing passes but times, reasons and names."""

from __future__ import annotations

import copy
import dataclasses
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pigpen.rules import PRESETS
from referee.records.framing import MAX_SECONDS, START, RecordError, chained
from referee.records.lines import DealLine, to_json
from referee.replay.verify import Verified, verify
from tests import for_two
from tests.referee.recorded import OF_VERSION_1, SEED, faulty_seats, match_lines, write_record
from tests.referee.scripted_seats import WorkingSeat, honest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pigpen.rules import Rules

ON_EVERY_PUSH = ("hearts", "gongzhu-five")
"""Presets whose records are of every form on each push; the others are played on one board."""
FREE = {"took_ms", "why", "exit_code", "oom"}
"""Fields that follow from nothing."""
Plain = dict[str, Any]
Change = "Callable[[list[Plain]], object]"


def plain_lines(rules: str | Rules = "hearts", form: str = "deals:2", *, faulty: bool = False) -> list[Plain]:
    lines = match_lines(rules, form, faulty_seats if faulty else None)
    return [json.loads(to_json(line)) for line in lines]


HONEST = plain_lines()
FAULTY = plain_lines("gongzhu", faulty=True)
WORKING = [
    json.loads(to_json(line))
    for line in match_lines("hearts", "deals:2", lambda players: [WorkingSeat(honest) for _ in range(players)])
]
BOARDS = plain_lines("gongzhu", "boards:2")
FOR_TWO = plain_lines(for_two.FOR_TWO, "boards:2")


VERSION_1 = [
    {key: value for key, value in json.loads(text).items() if key != "chain"}
    for text in OF_VERSION_1.read_text().splitlines()
]


def last_forced(lines: list[Plain]) -> int:
    """The place of the last forced step of the first deal: a card of the last trick."""
    return max(number for number, step in enumerate(lines[1]["steps"]) if step["by"] == "forced")


def last_choice(lines: list[Plain]) -> int:
    """The place of the last card of the first deal that its bot chose."""
    return max(number for number, step in enumerate(lines[1]["steps"]) if step["by"] == "bot")


FORCED = 4
"""The lead of 2C, the first card after four passes."""


def text_of(line: Plain) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()


def rechained(path: Path, texts: Iterable[bytes]) -> Path:
    """A record of these lines, chained anew as a forger would."""
    before = START
    with path.open("wb") as file:
        for text in texts:
            line, before = chained(text, before)
            file.write(line + b"\n")
    return path


def verified(folder: Path, lines: Iterable[Plain]) -> Verified:
    return verify(rechained(folder / "match.jsonl", map(text_of, lines)))


def finding(folder: Path, lines: Iterable[Plain]) -> str:
    """Give the message of the difference that is found."""
    found = verified(folder, lines)
    assert not found.holds
    assert not found.finished
    return f"line {found.line}: {found.difference}"


@pytest.mark.parametrize(
    ("rules", "form"),
    [
        pytest.param(rules, form, marks=[] if (rules in ON_EVERY_PUSH) == (form != "board:2:1") else pytest.mark.long)
        for rules in PRESETS
        for form in ("game", "deals:3", "boards:2", "board:2:1")
    ],
)
@pytest.mark.parametrize("faulty", [False, True], ids=["honest", "faulty"])
def test_what_the_referee_writes_holds(tmp_path: Path, rules: str, form: str, faulty: bool) -> None:
    lines = match_lines(rules, form, faulty_seats if faulty else None)
    deals = sum(isinstance(line, DealLine) for line in lines)
    for name in ("match.jsonl", "match.jsonl.gz"):
        assert verify(write_record(tmp_path / name, lines)) == Verified(deals, True, lines[0])  # type: ignore[arg-type]


def flips(content: bytes, masks: Iterable[int], step: int) -> Iterator[bytes]:
    for number, mask in enumerate(masks):
        for place in range(number, len(content), step):
            yield content[:place] + bytes([content[place] ^ mask]) + content[place + 1 :]


@pytest.mark.parametrize(
    ("name", "masks"),
    [("match.jsonl", (0x01, 0x20, 0xFF)), ("match.jsonl.gz", [1 << bit for bit in range(8)])],
    ids=["plain", "packed"],
)
@pytest.mark.parametrize("step", [31, pytest.param(1, marks=pytest.mark.long)])
def test_no_byte_of_a_record_can_be_changed(tmp_path: Path, name: str, masks: Iterable[int], step: int) -> None:
    path = write_record(tmp_path / name, match_lines("hearts", "deals:1"))
    content = path.read_bytes()
    assert verify(path).finished
    passed = []
    for changed in flips(content, masks, step):
        path.write_bytes(changed)
        found = verify(path)
        if found.holds or not found.difference:
            passed.append(changed)
    assert passed == []


@pytest.mark.parametrize("name", ["match.jsonl", "match.jsonl.gz"])
def test_nothing_can_be_added_or_cut_off(tmp_path: Path, name: str) -> None:
    path = write_record(tmp_path / name, match_lines("hearts", "deals:1"))
    content = path.read_bytes()
    for more in (b"\n", b" ", b"{}\n", content[:1], content):
        path.write_bytes(content + more)
        assert verify(path).line == 4
    for size in range(0, len(content), 31):
        path.write_bytes(content[:size])
        assert not verify(path).finished


def leaves(value: Any, *place: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of a line's strings and numbers."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in FREE:
                yield from leaves(item, *place, key)
    else:
        yield place


def changed_at(
    lines: list[Plain], number: int, place: tuple[str | int, ...], change: Callable[[Any], Any]
) -> list[Plain]:
    lines = copy.deepcopy(lines)
    holder: Any = lines[number]
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = change(holder[place[-1]])
    return lines


def other(value: Any) -> Any:
    """A value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return value.replace("2", "3") if value and "2" in value else f"{value or 'A'}H"


@pytest.mark.parametrize("lines", [HONEST, FAULTY, BOARDS], ids=["honest", "faulty", "boards"])
def test_whatever_is_changed_is_found_in_its_line_even_if_the_chain_is_made_anew(
    tmp_path: Path, lines: list[Plain]
) -> None:
    for number in (1, len(lines) - 1):
        for place in list(leaves(lines[number]))[::5]:
            found = verified(tmp_path, changed_at(lines, number, place, other))
            assert (found.holds, found.line) == (False, number + 1), place
            assert "cannot be understood" not in str(found.difference)


@pytest.mark.parametrize("value", [None, [], {}, "x", -1, 0.5, True, 10**30])
def test_values_of_another_kind_are_found_in_their_line(tmp_path: Path, value: Any) -> None:
    for number in range(len(BOARDS)):
        places = {place[:depth] for place in leaves(BOARDS[number]) for depth in range(1, len(place) + 1)}
        for place in sorted(places, key=str)[:: 67 if number else 7]:
            lines = changed_at(BOARDS, number, place, lambda _: value)
            found = verified(tmp_path, lines)
            assert found.line == number + 1 or (number == 0 and place[0] in {"bots", "clock", "commitment", "rules"}), (
                place
            )
            assert "cannot be understood" not in str(found.difference)


def replace(line: int, **fields: Any) -> Callable[[list[Plain]], object]:
    return lambda lines: lines[line].update(fields)


def step(line: int, number: int, **fields: Any) -> Callable[[list[Plain]], object]:
    return lambda lines: lines[line]["steps"][number].update(fields)


def scored(lines: list[Plain]) -> None:
    lines[1]["scores"][0] += 1


CHANGES = {
    "scores": (HONEST, scored, "line 2: deal 1: scores[0] is 1, but should be 0"),
    "a card that is not held": (HONEST, step(1, 4, play="AS"), "line 2: deal 1: steps[4]: AS is not in the hand"),
    "out of turn": (HONEST, step(1, 5, seat=0), "line 2: deal 1: steps[5].seat is 0, but should be 3"),
    "one step less": (
        HONEST,
        lambda lines: lines[1]["steps"].pop(),
        "line 2: deal 1: the deal is not over after 55 steps",
    ),
    "one step more": (
        HONEST,
        lambda lines: lines[1]["steps"].append(lines[1]["steps"][-1]),
        "line 2: deal 1: steps[56]: the deal is over",
    ),
    "one time less": (
        HONEST,
        lambda lines: lines[2]["took_ms"].pop(),
        "line 3: deal 2: took_ms has 55 times for 56 steps",
    ),
    "a time that is none": (
        HONEST,
        lambda lines: lines[2]["took_ms"].__setitem__(3, -0.5),
        "line 3: deal 2: took_ms holds something that is no time in milliseconds",
    ),
    "a time that is longer than any": (
        HONEST,
        lambda lines: lines[2]["took_ms"].__setitem__(3, 1000 * MAX_SECONDS + 0.5),
        "line 3: deal 2: took_ms holds something that is no time in milliseconds",
    ),
    "cpu times of nobody": (
        HONEST,
        replace(1, cpu_ms=[None] * 56),
        "line 2: deal 1: cpu_ms is [null, null, ",
    ),
    "a time unasked that is none": (
        WORKING,
        lambda lines: lines[2]["unasked_ms"].__setitem__(3, -0.5),
        "line 3: deal 2: unasked_ms holds something that is no time in milliseconds",
    ),
    "a time unasked that is longer than any": (
        WORKING,
        lambda lines: lines[2]["unasked_ms"].__setitem__(3, 1e300),
        "line 3: deal 2: unasked_ms holds something that is no time in milliseconds",
    ),
    "one time unasked less": (
        WORKING,
        lambda lines: lines[2]["unasked_ms"].pop(),
        "line 3: deal 2: unasked_ms has 55 times for 56 steps",
    ),
    "an unknown field": (HONEST, replace(1, luck=7), "line 2: deal 1: luck is 7, but should not be there"),
    "an unknown field of a step": (
        HONEST,
        step(1, 9, luck=7),
        "line 2: deal 1: steps[9].luck is 7, but should not be there",
    ),
    "two actions": (
        HONEST,
        step(1, 9, moon="add"),
        'line 2: deal 1: steps[9].moon is "add", but should not be there',
    ),
    "no deal 1": (HONEST, lambda lines: lines.pop(1), "line 2: deal 1: deal is 1, but should be 0"),
    "a deal twice": (
        HONEST,
        lambda lines: lines.insert(2, lines[1]),
        "line 3: deal 2: deal is 0, but should be 1",
    ),
    "no last deal": (HONEST, lambda lines: lines.pop(2), "line 3: the match was not over: deal 2 is missing"),
    "a deal too many": (
        HONEST,
        lambda lines: lines.insert(3, lines[2]),
        "line 4: there is no deal 3 in this match",
    ),
    "two results": (HONEST, lambda lines: lines.append(lines[-1]), "line 5: there are more lines after the result"),
    "two matches": (HONEST, lambda lines: lines.insert(1, lines[0]), 'line 2: type is "match", but should be "deal"'),
    "no match": (HONEST, lambda lines: lines.pop(0), "line 1: it is not the first line of a match"),
    "another seed": (
        HONEST,
        replace(-1, seed="00" * 32),
        "line 4: its seed is not the one that the first line commits to",
    ),
    "another seed and its commitment": (
        HONEST,
        lambda lines: (
            replace(-1, seed="00" * 32)(lines),
            replace(0, commitment="66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")(lines),
        ),
        "line 2: deal 1: hands[0] is ",
    ),
    "a version to come": (
        HONEST,
        replace(0, version=3),
        "line 1: version 3 of the format is not known here; 1 and 2 are",
    ),
    "a record of today as one of version 1": (
        HONEST,
        replace(0, version=1),
        f"line 2: deal 1: steps[{FORCED}]: it is by forced, but the seat had to be asked",
    ),
    "a record of version 1 as one of today": (
        VERSION_1,
        replace(0, version=2),
        "line 2: deal 1: steps[4]: it is by bot, but only one action was legal: it should be by forced",
    ),
    "a forced card by the bot": (
        HONEST,
        step(1, FORCED, by="bot"),
        f"line 2: deal 1: steps[{FORCED}]: it is by bot, but only one action was legal: it should be by forced",
    ),
    "a forced card by default": (
        HONEST,
        step(1, FORCED, by="default:timeout", why="late"),
        f"line 2: deal 1: steps[{FORCED}]: it is by default:timeout, but only one action was legal",
    ),
    "a forced card of a bot that was taken over, by the default policy": (
        FAULTY,
        step(1, last_forced(FAULTY), by="takeover"),
        f"line 2: deal 1: steps[{last_forced(FAULTY)}]: it is by takeover, but only one action was legal",
    ),
    "a forced card by a number": (
        HONEST,
        step(1, FORCED, by=7),
        f"line 2: deal 1: steps[{FORCED}]: it is by 7, but only one action was legal",
    ),
    "a forced card with a reason": (
        HONEST,
        step(1, FORCED, why="late"),
        f'line 2: deal 1: steps[{FORCED}].why is "late", but should not be there',
    ),
    "another card, forced": (
        HONEST,
        step(1, FORCED, play="AS"),
        f"line 2: deal 1: steps[{FORCED}]: AS ",
    ),
    "a choice, forced": (
        HONEST,
        step(1, last_choice(HONEST), by="forced"),
        f"line 2: deal 1: steps[{last_choice(HONEST)}]: it is by forced, but the seat had to be asked",
    ),
    "a pass, forced": (
        HONEST,
        step(1, 0, by="forced"),
        "line 2: deal 1: steps[0]: it is by forced, but the seat had to be asked",
    ),
    "another format": (HONEST, replace(0, format="deals:3"), "line 4: the match was not over: deal 3 is missing"),
    "no format": (HONEST, replace(0, format="deals:02"), "line 1: 'deals:02' is not a match format"),
    "a bot too many": (HONEST, replace(0, bots=["a"] * 5), "line 1: 5 bots are named for 4 seats"),
    "no time": (HONEST, replace(0, started="yesterday"), "line 1: started: it is no time such as"),
    "another time zone": (HONEST, replace(0, started="2026-01-31T12:00:00+01:00"), "line 1: started: it is no time"),
    "no commitment": (HONEST, replace(0, commitment="AB" * 32), "line 1: commitment: it is no SHA-256 in hex"),
    "other rules": (
        HONEST,
        lambda lines: lines[0]["rules"]["scoring"]["points"].update(QS=14),
        "line 2: deal 1: scores[",
    ),
    "rules that make no sense": (
        HONEST,
        lambda lines: lines[0]["rules"].update(players=1),
        "line 1: rules: players",
    ),
    "a default that is none": (
        FAULTY,
        step(1, 1, by="bot", why=None),
        "line 2: deal 1: steps[1].why is null, but should not be there",
    ),
    "an own choice by default": (
        HONEST,
        step(1, 0, **{"pass": "8C JC AC", "by": "default:timeout", "why": "late"}),
        "line 2: deal 1: steps[0]: it is by default:timeout, but not the default action",
    ),
    "a fault without a reason": (
        HONEST,
        step(1, 0, by="default:timeout"),
        "line 2: deal 1: steps[0]: it is by default:timeout, but does not say why",
    ),
    "a reason without a fault": (
        HONEST,
        step(1, 0, why=""),
        'line 2: deal 1: steps[0].why is "", but should not be there',
    ),
    "an unknown verdict": (
        HONEST,
        step(1, 0, by="default:ugly", why="late"),
        "line 2: deal 1: steps[0]: no one decides as 'default:ugly'",
    ),
    "an unknown author": (
        HONEST,
        step(1, 0, by="me"),
        "line 2: deal 1: steps[0]: no one decides as 'me'",
    ),
    "a takeover without faults": (
        HONEST,
        step(1, 0, by="takeover"),
        "line 2: deal 1: steps[0]: it is by takeover, but bot 0 has not been taken over by then",
    ),
    "an end without its cause": (
        FAULTY,
        lambda lines: next(step for step in lines[1]["steps"] if "oom" in step).pop("oom"),
        "line 2: deal 1: steps[",
    ),
    "an end of a program that continues": (
        FAULTY,
        lambda lines: lines[1]["steps"][0].update(exit_code=1, oom=False),
        "line 2: deal 1: steps[0]",
    ),
    "a fault too few in the result": (
        FAULTY,
        lambda lines: lines[-1]["results"][0].update(faults=2),
        "line 4: results[0].faults is 2, but should be 3",
    ),
    "another place": (
        FAULTY,
        lambda lines: lines[-1]["results"][1].update(place=1),
        "line 4: results[1].place is 1, but should be ",
    ),
    "no such rotation": (BOARDS, replace(1, rotation=4), "line 2: the match has no deal with the field rotation = 4"),
    "no rotation": (
        BOARDS,
        lambda lines: lines[1].pop("rotation"),
        "line 2: the match has no deal with the field rotation = (left out)",
    ),
    "another rotation": (BOARDS, replace(1, rotation=1), "line 2: board 1, rotation 2: seats["),
    "another seating": (BOARDS, replace(1, seats=[0, 1, 3, 2]), "line 2: board 1, rotation 1: seats["),
    "no seating": (
        BOARDS,
        lambda lines: lines[1].pop("seats"),
        "line 2: board 1, rotation 1: seats is missing; it should be [",
    ),
    "a seating without boards": (
        HONEST,
        replace(1, seats=[0, 1, 2, 3]),
        "line 2: deal 1: seats is [0, 1, 2, 3], but should not be there",
    ),
    "a board left out": (
        BOARDS,
        lambda lines: lines.pop(2),
        "line 9: the match was not over: board 2, rotation 1 is missing",
    ),
    "boards out of order": (
        BOARDS,
        lambda lines: lines.insert(1, lines.pop(2)),
        "line 2: board 1, rotation 1: deal is 1, but should be 0",
    ),
}


@pytest.mark.parametrize(("lines", "change", "words"), list(CHANGES.values()), ids=list(CHANGES))
def test_a_forgery_is_named_though_the_chain_was_made_anew(
    tmp_path: Path, lines: list[Plain], change: Callable[[list[Plain]], object], words: str
) -> None:
    lines = copy.deepcopy(lines)
    change(lines)
    assert finding(tmp_path, lines).startswith(words)


def test_a_bot_that_was_taken_over_does_not_come_back(tmp_path: Path) -> None:
    lines = copy.deepcopy(FAULTY)
    number = next(number for number, step in enumerate(lines[1]["steps"]) if step["by"] == "takeover")
    seat = lines[1]["steps"][number]["seat"]
    lines[1]["steps"][number]["by"] = "bot"
    words = f"line 2: deal 1: steps[{number}]: it is by bot, but bot {seat} has been taken over by then"
    assert finding(tmp_path, lines) == words


@pytest.mark.parametrize("by", ["takeover", "forced"])
def test_what_nobody_was_asked_for_takes_no_time(tmp_path: Path, by: str) -> None:
    lines = copy.deepcopy(FAULTY)
    number = next(number for number, step in enumerate(lines[1]["steps"]) if step["by"] == by)
    lines[1]["took_ms"][number] = 1.5
    words = f"line 2: deal 1: steps[{number}] is by {by}, but took time"
    assert finding(tmp_path, lines) == words
    lines[1]["took_ms"][number] = 0.0
    lines[1]["unasked_ms"] = [1.5 if other == number else None for other in range(len(lines[1]["steps"]))]
    assert finding(tmp_path, lines) == words


def test_a_record_of_version_1_holds(tmp_path: Path) -> None:
    found = verify(OF_VERSION_1)
    assert (found.holds, found.finished, found.deals) == (True, True, 4)
    assert verified(tmp_path, VERSION_1).finished
    assert {step["by"] for line in VERSION_1[1:-1] for step in line["steps"]} == {"bot", "default:illegal", "takeover"}


def test_a_forced_pass_is_part_of_a_record_that_holds(tmp_path: Path) -> None:
    """With 13 cards to pass there is one way to do it; nobody is asked before the cards are played."""
    hearts = PRESETS["hearts"]
    swap = dataclasses.replace(hearts, name="swap", passing=dataclasses.replace(hearts.passing, cards=13))  # type: ignore[type-var]
    lines = [json.loads(to_json(line)) for line in match_lines(swap, "deals:2")]
    assert [(step["by"], len(step["pass"].split())) for step in lines[1]["steps"][:4]] == [("forced", 13)] * 4
    assert verified(tmp_path, lines).finished
    lines[1]["steps"][2]["by"] = "bot"
    assert finding(tmp_path, lines).startswith("line 2: deal 1: steps[2]: ")


def test_what_was_used_unasked_is_part_of_a_record_that_holds(tmp_path: Path) -> None:
    assert verified(tmp_path, WORKING).finished


TEXTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "spaces": (lambda text: text.replace(b":", b": ", 1), "deal 1: it is not written as the referee writes it"),
    "a key twice": (
        lambda text: text.replace(b'"deal":0', b'"deal":9,"deal":0'),
        "deal 1: it is not written as the referee writes it",
    ),
    "another order": (
        lambda text: text.replace(b'"type":"deal","deal":0', b'"deal":0,"type":"deal"'),
        "deal 1: it is not written as the referee writes it",
    ),
    "an escape": (lambda text: text.replace(b'"QS"', b'"\\u0051S"', 1), "deal 1: it is not written as the referee"),
    "not a number": (lambda text: text[: text.index(b'"took_ms"')] + b'"took_ms":[NaN]}', "it is not JSON: "),
    "no object": (lambda text: b'["a"}', "it is not JSON: "),
    "no fields": (lambda text: b'{"type":"deal"}', "deal: Field required"),
    "no type": (lambda text: b'{"deal":0}', "Unable to extract tag"),
    "a number without end": (
        lambda text: text.replace(b'"deal":0', b'"deal":' + b"9" * 5000),
        "it is not JSON: number out of range",
    ),
    "no UTF-8": (lambda text: text.replace(b'"bot"', b'"\xff"', 1), "it is not JSON: "),
    "very deep": (lambda text: b'{"a":' + b"[" * 9999 + b"]" * 9999 + b"}", "it is not JSON: "),
}


@pytest.mark.parametrize(("change", "words"), list(TEXTS.values()), ids=list(TEXTS))
def test_a_line_is_written_as_the_referee_writes_it(
    tmp_path: Path, change: Callable[[bytes], bytes], words: str
) -> None:
    texts = list(map(text_of, HONEST))
    texts[1] = change(texts[1])
    found = verify(rechained(tmp_path / "match.jsonl", texts))
    assert found.line == 2
    assert str(found.difference).startswith(words)


def test_the_tables_of_boards_may_be_written_in_any_order(tmp_path: Path) -> None:
    first, *deals, last = BOARDS
    deals.sort(key=lambda line: (line["board"], -line["rotation"]))
    assert verified(tmp_path, [first, *deals, last]).finished


@pytest.mark.parametrize("lines", [HONEST, FAULTY, BOARDS, FOR_TWO], ids=["honest", "faulty", "boards", "for two"])
def test_an_unfinished_record_is_checked_as_far_as_it_goes(tmp_path: Path, lines: list[Plain]) -> None:
    for size in range(1, len(lines)):
        found = verified(tmp_path, lines[:size])
        assert (found.holds, found.finished, found.deals) == (True, False, size - 1)


UNFINISHED = {
    "scores": (HONEST[:2], scored, "line 2: deal 1: scores[0] is 1, but should be 0"),
    "no card": (
        HONEST[:2],
        lambda lines: lines[1]["hands"].__setitem__(0, "2X"),
        "line 2: deal 1: hands: '2X' is not a card",
    ),
    "too few cards": (
        HONEST[:2],
        lambda lines: lines[1]["hands"].__setitem__(0, "2C"),
        "line 2: deal 1: the hands are not the deck of hearts dealt evenly to 4 seats",
    ),
    "cards out of order": (
        HONEST[:2],
        lambda lines: lines[1]["hands"].__setitem__(0, " ".join(reversed(lines[1]["hands"][0].split()))),
        "line 2: deal 1: hands[0] is ",
    ),
    "no seating": (
        BOARDS[:2],
        replace(1, seats=[0, 1, 2, 2]),
        "line 2: board 1, rotation 1: seats [0, 1, 2, 2] are not the bots' seats in rotation 1",
    ),
    "another board in another rotation": (
        BOARDS[:4],
        lambda lines: lines[3].update(hands=lines[2]["hands"]),
        "line 4: board 1, rotation 2: hands or seats are not those of this board in another rotation",
    ),
}


@pytest.mark.parametrize(("lines", "change", "words"), list(UNFINISHED.values()), ids=list(UNFINISHED))
def test_without_the_seed_what_the_record_says_must_fit_together(
    tmp_path: Path, lines: list[Plain], change: Callable[[list[Plain]], object], words: str
) -> None:
    lines = copy.deepcopy(lines)
    change(lines)
    assert finding(tmp_path, lines).startswith(words)


@pytest.mark.parametrize("size", [0, 1, 31, 33])
def test_a_seed_that_is_not_256_bits_long_does_not_hold(tmp_path: Path, size: int) -> None:
    path = write_record(tmp_path / "match.jsonl", match_lines("hearts", "deals:2", seed=bytes(size)))
    found = verify(path)
    assert (found.line, f" {8 * size} bits, but should have 256" in str(found.difference)) == (4, True)


def test_the_seed_is_not_in_an_unfinished_record() -> None:
    assert SEED.hex() not in json.dumps(HONEST[:-1])


def test_a_record_that_somebody_packed_is_verified_too(tmp_path: Path) -> None:
    path = rechained(tmp_path / "match.jsonl", map(text_of, HONEST))
    packed = tmp_path / "match.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert verify(packed).finished
    packed.write_bytes(gzip.compress(path.read_bytes())[:-40])
    assert "cut off" in str(verify(packed).difference)
    packed.write_bytes(b"\x1f\x8b" + bytes(100))
    assert str(verify(packed).difference).startswith("it cannot be unpacked: ")


def test_an_empty_file_does_not_hold(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert verify(tmp_path / "empty") == Verified(0, False, None, 1, "the file is empty")


def test_a_file_that_is_not_there_cannot_be_verified(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="read: No such file"):
        verify(tmp_path / "nothing")


def test_a_file_that_is_something_else_does_not_hold() -> None:
    found = verify(Path(__file__))
    assert (found.line, "end in its chain" in str(found.difference)) == (1, True)
