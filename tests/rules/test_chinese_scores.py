from __future__ import annotations

import pytest

from pigpen.rules.presets import CHINESE_HEARTS
from pigpen.rules.scoring import card_points
from tests.rules.piles import own
from tests.rules.table import mask


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("QS", 100),
        ("JD", -100),
        ("2H", 2),
        ("3H", 3),
        ("4H", 4),
        ("5H", 5),
        ("6H", 6),
        ("7H", 7),
        ("8H", 8),
        ("9H", 9),
        ("TH", 10),
        ("JH", 20),
        ("QH", 30),
        ("KH", 40),
        ("AH", 50),
        ("AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H", 192),
        ("AH KH QH JH TH 9H 8H 7H 6H 5H 4H 2H QS", 291),
        ("AS KD 9C", 0),
        ("", 0),
        ("TC", 0),
        ("TC 2H", 4),
        ("TC QS", 200),
        ("TC JD", -200),
        ("TC QS JD 2H", 4),
        ("TC AH KH QS", 380),
    ],
)
def test_CH_5_the_values_of_the_cards_and_the_doubling_ten_of_clubs(captured: str, score: int) -> None:
    assert own(CHINESE_HEARTS, captured) == score


def test_CH_5_all_hearts_are_194() -> None:
    apart = (mask("2H"), mask("hearts") & ~mask("2H"), 0, 0)
    assert sum(card_points(CHINESE_HEARTS, apart)) == 194


@pytest.mark.parametrize(
    ("taken", "scores"),
    [
        (("hearts", "", "", ""), (0, 200, 200, 200)),
        (("hearts TC", "", "", ""), (0, 400, 400, 400)),
        (("", "", "hearts", ""), (200, 200, 0, 200)),
        (("hearts AS KD", "2C", "", ""), (0, 200, 200, 200)),
    ],
)
def test_CH_6_all_hearts_count_nothing_and_the_others_get_a_flat_200_or_400(
    taken: tuple[str, ...], scores: tuple[int, ...]
) -> None:
    assert card_points(CHINESE_HEARTS, tuple(map(mask, taken))) == scores


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("hearts QS", -100),
        ("hearts JD", -100),
        ("hearts QS JD", -200),
        ("hearts TC QS", -200),
        ("hearts TC JD", -200),
        ("hearts TC QS JD", -400),
    ],
)
def test_CH_7_the_shooters_pig_is_turned_and_the_ten_doubles_pig_and_goat(captured: str, score: int) -> None:
    assert own(CHINESE_HEARTS, captured) == score


@pytest.mark.parametrize(
    ("taken", "scores"),
    [
        (("hearts", "QS", "JD", "TC"), (0, 300, 100, 200)),
        (("hearts", "QS TC", "JD", ""), (0, 400, 100, 200)),
        (("hearts", "JD TC", "QS", ""), (0, 0, 300, 200)),
        (("hearts TC", "QS", "JD", ""), (0, 500, 300, 400)),
        (("hearts QS TC", "JD", "", ""), (-200, 300, 400, 400)),
        (("hearts", "QS JD TC", "", ""), (0, 200, 200, 200)),
    ],
)
def test_CH_8_the_others_own_cards_count_first_and_the_flat_amount_is_not_doubled(
    taken: tuple[str, ...], scores: tuple[int, ...]
) -> None:
    assert card_points(CHINESE_HEARTS, tuple(map(mask, taken))) == scores
