from __future__ import annotations

import pytest

from pigpen.rules.presets import GONGZHU, GONGZHU_FIVE
from tests.rules.piles import own, points
from tests.rules.table import dealt, expose


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("QS", -100),
        ("AH", -50),
        ("KH", -40),
        ("QH", -30),
        ("JH", -20),
        ("TH", -10),
        ("9H", -10),
        ("8H", -10),
        ("7H", -10),
        ("6H", -10),
        ("5H", -10),
        ("4H", 0),
        ("3H", 0),
        ("2H", 0),
        ("JD", 100),
        ("AS KS JS QD JC 9C", 0),
        ("", 0),
        ("QS JD", 0),
        ("QS JD AH 2H", -50),
        ("AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H", -200),
    ],
)
def test_GZ_6_the_values_of_the_cards(captured: str, score: int) -> None:
    assert own(GONGZHU, captured) == score


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("TC", 50),
        ("TC AS KD 2C", 50),
        ("TC QS", -200),
        ("TC JD", 200),
        ("TC 3H", 0),
        ("TC 2H 3H 4H", 0),
        ("TC QS JD", 0),
        ("TC 5H", -20),
        ("TC AH QS JD", -100),
        ("TC AH KH QS", -380),
    ],
)
def test_GZ_7_the_ten_of_clubs_doubles_or_counts_50_alone(captured: str, score: int) -> None:
    assert own(GONGZHU, captured) == score


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("hearts", 200),
        ("hearts QS", 300),
        ("hearts JD", 300),
        ("hearts QS JD", 400),
        ("hearts TC", 400),
        ("hearts QS TC", 600),
        ("hearts QS JD TC", 800),
    ],
)
def test_GZ_8_all_hearts_count_for_their_taker_and_turn_the_pig(captured: str, score: int) -> None:
    assert own(GONGZHU, captured) == score


def test_GZ_8_the_other_players_score_as_usual() -> None:
    assert sorted(points(GONGZHU, "hearts")[1:]) == [-100, 50, 100]


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("AH", -100),
        ("KH 5H", -100),
        ("4H", 0),
        ("3H TC", 0),
        ("5H TC", -40),
        ("KH QS JD", -80),
        ("hearts", 400),
        ("hearts QS", 500),
        ("hearts JD TC", 1000),
        ("QS", -100),
    ],
)
def test_GZ_9_an_exposed_ace_doubles_every_heart(captured: str, score: int) -> None:
    assert own(GONGZHU, captured, "AH") == score


def test_GZ_9_for_every_player() -> None:
    assert sum(points(GONGZHU, "AH TC JD QS", "AH")) == 2 * (100 - 100 - 2 * 50) - 2 * 150


@pytest.mark.parametrize(
    ("captured", "exposed", "score"),
    [
        ("QS", "QS", -200),
        ("QS AH", "QS", -250),
        ("hearts QS", "QS", 400),
        ("JD", "JD", 200),
        ("JD QS", "JD", 100),
        ("JD QS", "JD QS", 0),
        ("hearts JD", "JD", 400),
        ("TC QS", "QS", -400),
        ("TC JD", "JD", 400),
        ("JD", "QS", 100),
        ("QS", "JD", -100),
    ],
)
def test_GZ_10_an_exposed_pig_or_sheep_counts_double(captured: str, exposed: str, score: int) -> None:
    assert own(GONGZHU, captured, exposed) == score


@pytest.mark.parametrize(
    ("captured", "exposed", "score"),
    [
        ("TC", "TC", 100),
        ("TC QS", "TC", -400),
        ("TC QS", "QS TC", -800),
        ("TC JD", "TC", 400),
        ("TC 3H", "TC", 0),
        ("TC 5H", "TC", -40),
        ("hearts TC", "TC", 800),
        ("QS", "TC", -100),
    ],
)
def test_GZ_11_an_exposed_ten_of_clubs_multiplies_by_four_or_counts_100_alone(
    captured: str, exposed: str, score: int
) -> None:
    assert own(GONGZHU, captured, exposed) == score


@pytest.mark.parametrize(
    ("captured", "exposed", "score"),
    [
        ("hearts QS JD TC", "AH QS JD TC", 3200),
        ("hearts QS JD", "AH QS JD TC", 800),
        ("hearts TC", "AH QS JD TC", 1600),
        ("hearts QS TC", "AH QS TC", 2400),
        ("AH QS TC", "AH QS TC", -1200),
        ("AH JD TC", "AH JD TC", 400),
        ("AH", "AH QS JD TC", -100),
        ("4H TC", "AH QS JD TC", 0),
    ],
)
def test_GZ_12_all_effects_combine(captured: str, exposed: str, score: int) -> None:
    assert own(GONGZHU, captured, exposed) == score


@pytest.mark.parametrize(
    ("captured", "exposed", "score"),
    [("hearts QS JD TC", "AH QS JD TC", 3200), ("TC 3H", "", 0), ("TC", "", 50), ("QS TC", "QS TC", -800)],
)
def test_G5_1_five_players_score_by_the_same_sheet(captured: str, exposed: str, score: int) -> None:
    assert own(GONGZHU_FIVE, captured, exposed) == score


def test_G5_1_five_players_get_ten_cards_each_without_two_twos() -> None:
    deal = expose(dealt(GONGZHU_FIVE))
    assert [hand.bit_count() for hand in deal.dealt] == [10] * 5
    assert {str(card) for card in GONGZHU.deck} - {str(card) for card in GONGZHU_FIVE.deck} == {"2C", "2D"}
