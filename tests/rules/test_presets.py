"""The eight presets against the table of docs/rules.md, the value that describes a variant, and partners (GP-1)."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from pigpen.rules import PRESETS, Better, Deal, Direction, Game, Rules
from pigpen.rules.presets import GONGZHU, GONGZHU_PARTNERS, GONGZHU_SALE, HEARTS
from pigpen.rules.scoring import card_points
from pigpen.rules.words import describe
from tests.rules.players import chances, lumpy_hands, some, walk
from tests.rules.table import mask, named

DESCRIBED = Path(__file__).parent / "described"
"""Each preset in words, as `pigpen rules` prints it."""


def scores(*captured: str) -> tuple[int, ...]:
    """The scores of a finished deal in which the seats took these cards."""
    deal = Deal(GONGZHU_PARTNERS, lumpy_hands(GONGZHU_PARTNERS, Random(7)))
    deal.taken = [mask(text) for text in captured]
    return deal.scores()


@pytest.mark.parametrize(
    ("captured", "teams"),
    [
        (("QS", "JD", "TC", ""), (-50, 100, -50, 100)),
        (("QS TC", "", "JD", "AH"), (-100, -50, -100, -50)),
        (("hearts", "QS", "JD", "TC"), (300, -50, 300, -50)),
        (("hearts", "JD TC", "QS", ""), (100, 200, 100, 200)),
        (("2H 3H 4H 5H 6H 7H", "QS", "8H 9H TH JH QH KH AH", "JD"), (-200, 0, -200, 0)),
        (("TC", "", "hearts", ""), (250, 0, 250, 0)),
    ],
    ids=[
        "a pig and a ten",
        "doubled alone",
        "a moon",
        "the partner's pig is not turned",
        "hearts are not pooled",
        "50",
    ],
)
def test_GP_1_partners_scores_are_added_and_their_captures_are_not_pooled(
    captured: tuple[str, ...], teams: tuple[int, ...]
) -> None:
    assert scores(*captured) == teams


@some
@given(chance=chances)
def test_GP_1_a_deal_scores_as_gongzhu_with_opposite_seats_added(chance: Random) -> None:
    deal = Deal(GONGZHU_PARTNERS, lumpy_hands(GONGZHU_PARTNERS, chance))
    *_, deal = walk(deal, chance)
    exposed = {shown.card: shown.face for shown in deal.exposures}
    alone = card_points(GONGZHU, deal.taken, exposed)
    assert deal.points() == alone
    assert deal.scores() == (alone[0] + alone[2], alone[1] + alone[3]) * 2


@pytest.mark.parametrize(("total", "over"), [(-990, False), (-1000, True), (-1010, True)])
def test_GP_1_a_team_at_minus_1000_ends_the_game_and_partners_share_a_place(total: int, over: bool) -> None:
    game = Game(GONGZHU_PARTNERS)
    game.totals = (50, total, 50, total)
    assert game.is_over is over
    assert game.places == (1, 3, 1, 3)


SHEET = Path(__file__).parents[2] / "docs" / "rules.md"
ALL = list(PRESETS.values())


def overview() -> dict[str, list[str]]:
    """The rows of the overview table by preset: source, players, passing, exposing, better score, end."""
    rows = [line.strip("| ").split(" | ") for line in SHEET.read_text("utf-8").splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): [cell.strip() for cell in row[1:]] for row in rows}


def passing_of(rules: Rules) -> str:
    if rules.passing is None:
        return "–"
    directions = [{"left": "L", "right": "R"}.get(way, str(way)) for way in rules.passing.directions]
    again = "" if rules.end.deals == len(directions) else ", repeating"
    return f"{rules.passing.cards} cards {','.join(directions)}{again}"


def exposing_of(rules: Rules) -> str:
    if rules.exposing is None:
        return "–"
    if rules.exposing.face_down:
        return f"face down ×{rules.exposing.face_down}, face up ×{rules.exposing.face_up}"
    return "face up"


def end_of(rules: Rules) -> str:
    who = "a team" if rules.partners else "someone"
    sign = ("≥" if rules.low_is_better else "≤") if rules.end.inclusive else ">"
    limit = str(rules.end.limit).replace("-", "−")
    return f"{who} {sign} {limit}" + (f", or after {rules.end.deals} deals" if rules.end.deals else "")


@pytest.mark.parametrize("rules", ALL, ids=named)
def test_a_preset_is_what_the_overview_table_says(rules: Rules) -> None:
    rows = overview()
    _, players, passing, exposing, better, end = rows[rules.name]
    if passing.startswith("as `"):
        passing = rows[passing.split("`")[1]][2]
    assert players.split(" = ")[0] == str(rules.players)
    assert ("2×2" in players) == rules.partners
    assert passing == passing_of(rules)
    assert exposing == exposing_of(rules)
    assert better == str(rules.scoring.better)
    assert end == end_of(rules)


def test_there_are_exactly_the_presets_of_the_table_in_its_order() -> None:
    assert list(overview()) == list(PRESETS) == [rules.name for rules in ALL]
    assert len(PRESETS) == 8


def test_GS_1_the_four_cards_multiply_twice_face_down_and_four_times_face_up() -> None:
    assert GONGZHU_SALE.exposing is not None
    assert (GONGZHU_SALE.exposing.face_down, GONGZHU_SALE.exposing.face_up) == (2, 4)
    assert set(GONGZHU_SALE.exposing.cards) == {"AH", "QS", "JD", "TC"}


@pytest.mark.parametrize("rules", ALL, ids=named)
def test_rules_are_frozen_equal_by_value_and_plain(rules: Rules) -> None:
    assert replace(rules) == rules
    assert replace(rules, title="Another") != rules
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.players = 3  # type: ignore[misc]
    plain = rules.to_plain()
    assert plain["name"] == rules.name
    assert set(map(type, _leaves(plain))) <= {str, int, bool}
    assert ("passing" in plain) == (rules.passing is not None)


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


@pytest.mark.parametrize(
    ("direction", "players", "offset"),
    [
        (Direction.LEFT, 4, 1),
        (Direction.RIGHT, 4, 3),
        (Direction.ACROSS, 4, 2),
        (Direction.NONE, 4, 0),
        (Direction.LEFT, 5, 1),
        (Direction.RIGHT, 5, 4),
        (Direction.ACROSS, 6, 3),
    ],
)
def test_C_2_directions_count_seats_clockwise(direction: Direction, players: int, offset: int) -> None:
    assert direction.offset(players) == offset


def test_directions_and_sides_are_looked_up_by_deal_and_seat() -> None:
    assert [HEARTS.direction(deal) for deal in range(5)] == ["left", "right", "across", "none", "left"]
    assert [HEARTS.pass_offset(deal) for deal in range(5)] == [1, 3, 2, 0, 1]
    assert GONGZHU_SALE.direction(2) is Direction.NONE
    assert [GONGZHU_PARTNERS.teammates(seat) for seat in range(4)] == [(0, 2), (1, 3), (0, 2), (1, 3)]
    assert HEARTS.teammates(3) == (3,)
    assert HEARTS.scoring.better is Better.LOW


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
def test_the_words_of_a_preset_are_those_in_described(rules: Rules) -> None:
    assert f"{describe(rules)}\n" == (DESCRIBED / f"{rules.name}.txt").read_text()


@pytest.mark.parametrize(
    ("rules", "part"),
    [
        (GONGZHU, {"exposing": None}),
        (GONGZHU, {"opening": replace(GONGZHU.opening, later="")}),
        (HEARTS, {"passing": None}),
        (HEARTS, {"leading": None}),
        (HEARTS, {"first_trick": None}),
    ],
    ids=lambda each: each.name if isinstance(each, Rules) else next(iter(each)),
)
def test_a_part_that_is_taken_out_takes_its_words_along_and_changes_no_others(
    rules: Rules, part: dict[str, object]
) -> None:
    whole, left = describe(rules).splitlines(), describe(replace(rules, **part)).splitlines()  # type: ignore[arg-type]
    assert len(left) < len(whole)
    assert left == [line for line in whole if line in left]
