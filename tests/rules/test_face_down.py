"""GS-1 to GS-3: cards put up face down."""

from __future__ import annotations

import pytest

from pigpen.rules import Card, Exposure, Face, IllegalAction
from pigpen.rules.presets import GONGZHU, GONGZHU_FIVE, GONGZHU_PARTNERS, GONGZHU_SALE
from pigpen.rules.scoring import card_points
from tests.rules.table import choices, dealt, expose, mask, named, play, small

TABLE = "2S 3S 2D 3D | QS 4S AH 6D | 5S 6S TC 7D | 7S 8S JD 8D"
DOWN = Exposure(1, Card.parse("QS"), Face.DOWN)
UP = Exposure(1, Card.parse("AH"), Face.UP)


@pytest.mark.parametrize("card", ["AH", "QS", "JD", "TC"])
@pytest.mark.parametrize("face", Face)
def test_GS_1_each_of_the_four_cards_may_be_put_up_either_way(card: str, face: Face) -> None:
    deal = dealt(GONGZHU_SALE, "AH QS JD TC")
    deal.apply(0, {Card.parse(card): face})
    assert deal.exposures == (Exposure(0, Card.parse(card), face),)


@pytest.mark.parametrize("rules", [GONGZHU, GONGZHU_PARTNERS, GONGZHU_FIVE], ids=named)
def test_GS_1_no_other_variant_allows_it(rules: object) -> None:
    assert isinstance(rules, type(GONGZHU))
    deal = dealt(rules, "AH QS")
    with pytest.raises(IllegalAction, match="may not be put face down"):
        deal.apply(0, {Card.parse("QS"): Face.DOWN})


def test_GS_2_only_the_number_of_face_down_cards_is_public() -> None:
    deal = expose(small(GONGZHU_SALE, TABLE), up="AH", down="QS")
    assert deal.view(1).exposures == (UP, DOWN)
    assert deal.view(1).hidden == (0, 0, 0, 0)
    for seat in (0, 2, 3):
        assert deal.view(seat).exposures == (UP,)
        assert deal.view(seat).hidden == (0, 1, 0, 0)
        assert deal.view(seat).held_by(1) == mask("AH")


def test_GS_2_a_face_down_card_is_known_once_it_is_played() -> None:
    deal = play(expose(small(GONGZHU_SALE, TABLE), up="AH", down="QS"), "2S")
    assert deal.view(3).exposures == (UP,)
    play(deal, "QS")
    for seat in range(4):
        assert deal.view(seat).exposures == (UP, DOWN)
        assert deal.view(seat).hidden == (0, 0, 0, 0)


def test_GS_2_other_face_down_cards_stay_hidden_then() -> None:
    deal = play(expose(small(GONGZHU_SALE, TABLE), down="AH QS JD"), "2S QS")
    assert deal.view(2).exposures == (DOWN,)
    assert deal.view(2).hidden == (0, 1, 0, 1)


def test_GS_3_only_face_up_cards_are_barred() -> None:
    assert choices(play(expose(small(GONGZHU_SALE, TABLE), up="QS"), "2S")) == "4S"
    assert choices(play(expose(small(GONGZHU_SALE, TABLE), down="QS"), "2S")) == "4S QS"


def test_GS_3_nor_does_a_face_down_card_bind_the_leader() -> None:
    table = "QS 2S AH 3H | JD 4D 5D 6D | TC 3C 4C 5C | 7D 8D 6C 7C"
    assert choices(expose(small(GONGZHU_SALE, table), up="QS AH")) == "3H 2S"
    assert choices(expose(small(GONGZHU_SALE, table), up="AH", down="QS")) == "3H 2S QS"


@pytest.mark.parametrize(
    ("captured", "faces", "points"),
    [
        ("QS", {"QS": Face.DOWN}, -200),
        ("QS", {"QS": Face.UP}, -400),
        ("JD", {"JD": Face.DOWN}, 200),
        ("JD", {"JD": Face.UP}, 400),
        ("KH 3H", {"AH": Face.DOWN}, -80),
        ("KH 5H", {"AH": Face.UP}, -200),
        ("TC", {"TC": Face.DOWN}, 100),
        ("TC", {"TC": Face.UP}, 200),
        ("TC QS", {"TC": Face.DOWN}, -400),
        ("TC QS", {"TC": Face.UP}, -800),
        ("TC QS", {"TC": Face.DOWN, "QS": Face.DOWN}, -800),
        ("TC QS", {"TC": Face.UP, "QS": Face.UP}, -3200),
        ("TC QS JD", {"QS": Face.UP, "JD": Face.DOWN}, -400),
        ("TC 3H", {"TC": Face.UP, "AH": Face.UP}, 0),
        ("hearts", {"AH": Face.DOWN}, 400),
        ("hearts", {"AH": Face.UP}, 800),
        ("hearts QS", {"QS": Face.UP}, 600),
        ("hearts QS JD TC", dict.fromkeys(["AH", "QS", "JD", "TC"], Face.DOWN), 3200),
        ("hearts QS JD TC", dict.fromkeys(["AH", "QS", "JD", "TC"], Face.UP), 12800),
    ],
)
def test_GS_1_face_down_counts_twice_and_face_up_four_times(captured: str, faces: dict[str, Face], points: int) -> None:
    exposed = {Card.parse(card): face for card, face in faces.items()}
    assert card_points(GONGZHU_SALE, (mask(captured), 0, 0, 0), exposed)[0] == points
