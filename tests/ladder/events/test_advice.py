from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ladder.events.advice import Pace, checked
from pigpen.rules import PRESETS
from tests.ladder.events.files import EXAMPLES, event, example

if TYPE_CHECKING:
    from ladder.values.events import Event, EventCheck

ROUNDS = {"name": "Rounds", "kind": "round-robin", "format": "boards:4"}
SWISS = {"name": "Swiss", "kind": "swiss", "rounds": 5, "format": "boards:4", "standings": "performance"}
PODS = {"name": "Pods", "kind": "pods", "advance": 2, "until": 4, "format": "boards:4"}
HALVING = {"name": "Halving", "kind": "halving", "until": 8, "format": "boards:4"}
FINAL = {"name": "Final", "kind": "final", "deals": "half"}


def check(of: Event, pace: Pace | None = None) -> EventCheck:
    return checked(of, PRESETS[of.variant], ["counting"], pace or Pace())


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.toml")))
def test_nothing_is_wrong_with_the_examples(name: str) -> None:
    assert check(example(name)).wrong == ()


def test_nothing_is_unwise_about_the_recommended_format() -> None:
    found = check(event(ROUNDS, FINAL, entrants=(4, 16)))
    assert (found.wrong, found.unwise) == ((), ())


WRONG: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "points": ([SWISS | {"standings": "points"}, FINAL], {}, "a Swiss cannot be ranked by points"),
    "stand-in": ([ROUNDS, FINAL], {"stand_in": "stockfish"}, "no house bot 'stockfish'"),
    "final first": ([FINAL | {"name": "A", "deals": None, "format": "boards:4"}, ROUNDS], {}, "must be the last stage"),
    "half of nothing": ([FINAL], {}, "cannot have half of the deals"),
    "a wide final": ([ROUNDS, FINAL | {"take": 8}], {}, "takes 8, and a table of gongzhu has 4 bots"),
    "all advance": ([PODS | {"advance": 4}, FINAL], {}, "of 4 at a table 4 cannot advance"),
    "no stage": (
        [ROUNDS | {"when": "entrants >= 24"}],
        {"entrants": (4, 30)},
        "With 4 to 23 entrants no stage is played",
    ),
    "no stage between": (
        [PODS | {"advance": 3, "until": 2}],
        {"entrants": (4, 16)},
        "With 5 to 6 and 9 entrants no stage is played",
    ),
    "a final that is the first stage": (
        [HALVING, FINAL],
        {"entrants": (4, 16)},
        "With 4 to 8 entrants 'Final' is the first stage that is played, but deals = 'half' needs one before it.",
    ),
    "a first stage for some": (
        [SWISS | {"take": 8}, FINAL],
        {"entrants": (4, 16)},
        "With 9 to 16 entrants 'Swiss' is the first stage that is played, and takes 8: chance decides who plays.",
    ),
    "late": ([ROUNDS, FINAL], {"late_entry": "round 2"}, "only in a Swiss"),
    "very late": ([SWISS, FINAL], {"late_entry": "round 4"}, "until half of its rounds"),
    "before the start": (
        [SWISS | {"round_starts": ["2026-12-05T08:00:00Z"]}, FINAL],
        {"starts": "2026-12-05T09:00:00Z"},
        "a round starts 2026-12-05 08:00 UTC, before the event does (2026-12-05 09:00 UTC)",
    ),
    "before the start in another zone": (
        [SWISS | {"round_starts": ["2026-12-05T09:30:00+01:00"]}, FINAL],
        {"starts": "2026-12-05T01:00:00-08:00"},
        "a round starts 2026-12-05 08:30 UTC, before the event does (2026-12-05 09:00 UTC)",
    ),
    "after the end": (
        [SWISS | {"round_starts": ["2026-12-05T09:00:00Z"]}, FINAL],
        {"ends": "2026-12-05T10:00:00+01:00"},
        "a round starts 2026-12-05 09:00 UTC, and the event ends 2026-12-05 09:00 UTC",
    ),
    "no length": (
        [ROUNDS, FINAL],
        {"starts": "2027-03-28T02:30:00+01:00", "ends": "2027-03-28T03:30:00+02:00"},
        "ends and starts are the same moment, 2027-03-28 01:30 UTC",
    ),
    "no time to enter": (
        [ROUNDS, FINAL],
        {"opens": "2027-03-28T02:30:00+01:00", "freezes": "2027-03-28T01:30:00Z"},
        "freezes and opens are the same moment",
    ),
}


ODD = [
    "\x01",
    "\n",
    "\r",
    "\t",
    "\x1b[2J",
    "\x7f",
    "\x85",
    "\u2028",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\u00ad",
    "\ue000",
]
"""Letters that cannot be printed: control letters, line ends, changes of direction, and what has no shape."""


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: f"U+{ord(odd[0]):04X}")
def test_texts_that_are_shown_can_be_printed(odd: str) -> None:
    text = f"Cup {odd} two"
    for what, stages, fields in (
        ("name", [ROUNDS, FINAL], {"name": text}),
        ("prize 2", [ROUNDS, FINAL], {"prizes": ("fine", text)}),
        ("the name of stage 2", [ROUNDS, FINAL | {"name": text}], {}),
        ("seeding 1", [ROUNDS, FINAL], {"seeding": (text, "bot")}),
        ("stand_in", [ROUNDS, FINAL], {"stand_in": text}),
        ("variant", [ROUNDS, FINAL], {"variant": text}),
    ):
        wrong = checked(event(*stages, **fields), PRESETS["gongzhu"], ["counting"], Pace()).wrong
        assert f"{what}: it has the character U+{ord(odd[0]):04X}, " in " ".join(wrong)
        assert odd not in " ".join(each for each in wrong if each.startswith(f"{what}: "))


def test_a_title_may_be_in_any_script_and_not_empty() -> None:
    assert check(event(ROUNDS, FINAL, name="拱猪 Cup – café, 1 000 €")).wrong == ()
    assert "name: it is empty" in " ".join(check(event(ROUNDS, FINAL, name="  ")).wrong)


def test_a_first_stage_may_take_the_best_by_rating() -> None:
    assert check(event(SWISS | {"take": 8}, FINAL, entrants=(4, 16), seeding="rating")).wrong == ()


@pytest.mark.parametrize(("stages", "fields", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(stages: list[dict[str, Any]], fields: dict[str, Any], sentence: str) -> None:
    assert sentence in " ".join(check(event(*stages, **fields)).wrong)


UNWISE: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "a Swiss by places": ([SWISS | {"standings": "board places"}, FINAL], {}, "a Swiss ranked by board places"),
    "points": ([ROUNDS | {"standings": "points"}, FINAL], {}, "ranked by points"),
    "a short final": ([ROUNDS, FINAL | {"deals": None, "format": "boards:1"}], {}, "of the deals"),
    "no final": ([ROUNDS], {"entrants": (4, 16)}, "more than one table"),
    "owners": ([SWISS, FINAL], {"per_owner": 3, "entrants": (8, 16)}, "bots of one owner will meet"),
    "two of an owner": ([ROUNDS, FINAL], {"per_owner": 2, "entrants": (8, 16)}, "could help each other"),
    "stand-ins": ([ROUNDS, FINAL], {"entrants": (3, 16)}, "a table of 4 has 1 stand-in."),
    "one game": ([ROUNDS, FINAL | {"deals": None, "format": "game"}], {}, "is one game, in one seating"),
    "no play-off": ([ROUNDS | {"play_off": None}, FINAL], {}, "has no play-off"),
    "times": ([SWISS | {"round_starts": ["2026-12-05T08:00:00Z"]}, FINAL], {}, "has the times of 1"),
    "rated": ([ROUNDS, FINAL], {"rated": True}, "rated = true changes nothing"),
    "late entry": ([SWISS | {"rounds": 7}, FINAL], {"late_entry": "round 3"}, "late_entry = 'round 3' changes nothing"),
    "no lot": ([ROUNDS, FINAL], {"tie_breaks": ["board points"]}, "last tie-break is not lot"),
    "a slow clock": (
        [ROUNDS | {"format": "game", "clock": "3600+0"}, FINAL],
        {},
        "use their clock of 3600+0 takes 4.0",
    ),
}


@pytest.mark.parametrize(("stages", "fields", "sentence"), UNWISE.values(), ids=UNWISE)
def test_what_is_unwise_is_said(stages: list[dict[str, Any]], fields: dict[str, Any], sentence: str) -> None:
    found = check(event(*stages, **fields))
    assert found.wrong == ()
    assert sentence in " ".join(found.unwise)


def test_a_long_evening_is_said() -> None:
    evening = {"starts": "2026-12-05T19:00:00Z", "ends": "2026-12-05T20:00:00Z", "entrants": (16, 16)}
    of = event(ROUNDS | {"format": "boards:100"}, FINAL, **evening)
    assert check(of, Pace(4, 0.1)).unwise == ()
    (sentence,) = check(of, Pace(4, 5.0)).unwise
    assert "5.6 hours, more than the 1.0" in sentence  # 5 rounds of 4 tables and a final, 100 and 500 boards


def test_a_round_that_lasts_into_the_next_is_said() -> None:
    starts = ["2026-12-05T09:00:00Z", "2026-12-05T09:00:01Z"]
    found = check(event(SWISS | {"rounds": 2, "round_starts": starts}, FINAL))
    assert "the next starts after 0.0" in " ".join(found.unwise)


def test_plans_show_where_a_condition_begins_to_hold() -> None:
    found = check(example("chematoodlon"))
    assert [plan.entrants for plan in found.plans] == [4, 12, 24, 64]
    assert [len(plan.stages) for plan in found.plans] == [2, 3, 4, 4]
    last = found.plans[-1]
    assert [(stage.entrants, stage.rounds) for stage in last.stages] == [(64, 3), (64, 2), (8, 7), (4, 1)]
    assert last.stages[-1].share == pytest.approx(0.5, abs=0.001)
    assert last.stages[2].meetings == (3, 3)
