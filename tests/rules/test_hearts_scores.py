from __future__ import annotations

import pytest

from pigpen.rules import Deal, MoonChoice, Phase, Rules
from pigpen.rules.presets import HEARTS, HEARTS_JACK, HEARTS_SHORT
from pigpen.rules.scoring import card_points
from tests.rules.piles import own, points
from tests.rules.table import dealt, mask

ALL = "hearts QS"
PLAIN = [
    ("2H", 1),
    ("AH", 1),
    ("2H 7H KH", 3),
    ("QS", 13),
    ("QS 2H", 14),
    ("hearts", 13),
    ("QS AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H", 25),
    ("JD", 0),
    ("TC AS KS AC", 0),
    ("", 0),
]


@pytest.mark.parametrize(("captured", "score"), PLAIN)
def test_HA_5_each_heart_counts_one_and_the_queen_thirteen(captured: str, score: int) -> None:
    assert own(HEARTS_SHORT, captured) == score


@pytest.mark.parametrize(("captured", "score"), PLAIN)
def test_HB_7_each_heart_counts_one_and_the_queen_thirteen(captured: str, score: int) -> None:
    assert own(HEARTS, captured) == score


@pytest.mark.parametrize("extra", ["", " JD", " clubs diamonds"])
def test_HA_6_the_taker_of_all_fourteen_gets_nothing_and_the_others_26(extra: str) -> None:
    assert points(HEARTS_SHORT, ALL + extra) == (0, 26, 26, 26)


def test_HA_6_all_hearts_without_the_queen_are_no_moon() -> None:
    assert sorted(points(HEARTS_SHORT, "hearts")) == [0, 0, 13, 13]


@pytest.mark.parametrize(
    ("choice", "scores"), [(MoonChoice.SUBTRACT, (-26, 0, 0, 0)), (MoonChoice.ADD, (0, 26, 26, 26))]
)
def test_HB_7_the_shooter_takes_26_off_or_gives_26_to_each_other(choice: MoonChoice, scores: tuple[int, ...]) -> None:
    assert points(HEARTS, ALL, choice=choice) == scores


@pytest.mark.parametrize(
    ("captured", "score"),
    [
        ("JD", -10),
        ("JD QS", 3),
        ("JD 2H 3H", -8),
        ("JD hearts", 3),
        ("2H", 1),
        (ALL + " JD", -36),
        (ALL, -26),
    ],
)
def test_HB_8_the_jack_of_diamonds_takes_ten_off(captured: str, score: int) -> None:
    assert own(HEARTS_JACK, captured) == score


@pytest.mark.parametrize(
    ("choice", "jack_taker", "scores"),
    [
        (MoonChoice.SUBTRACT, 0, (-36, 0, 0, 0)),
        (MoonChoice.ADD, 0, (-10, 26, 26, 26)),
        (MoonChoice.SUBTRACT, 2, (-26, 0, -10, 0)),
        (MoonChoice.ADD, 2, (0, 26, 16, 26)),
    ],
)
def test_HB_8_the_jack_is_not_needed_for_the_moon_and_counts_beside_it(
    choice: MoonChoice, jack_taker: int, scores: tuple[int, ...]
) -> None:
    taken = [mask(ALL), 0, 0, 0]
    taken[jack_taker] |= mask("JD")
    assert card_points(HEARTS_JACK, taken, None, choice) == scores


def one_takes_all(rules: Rules) -> Deal:
    """Seat 2 holds every club and so takes every trick."""
    deal = dealt(rules, "diamonds", "hearts", "clubs", "spades")
    while deal.phase is Phase.PLAY:
        deal.apply(deal.turn, deal.default_action(deal.turn))
    return deal


def test_HB_7_the_shooter_alone_is_asked() -> None:
    deal = one_takes_all(HEARTS)
    assert deal.phase is Phase.MOON
    assert deal.to_act == (2,)
    deal.apply(2, MoonChoice.ADD)
    assert (deal.moon_choice, deal.is_over) == (MoonChoice.ADD, True)
    assert deal.scores() == (26, 26, 0, 26)


def test_HB_7_no_answer_means_minus_26() -> None:
    deal = one_takes_all(HEARTS_JACK)
    assert deal.default_action(2) is MoonChoice.SUBTRACT
    deal.apply(2, deal.default_action(2))
    assert deal.scores() == (0, 0, -36, 0)


def test_HA_6_nobody_is_asked_in_the_short_form() -> None:
    deal = one_takes_all(HEARTS_SHORT)
    assert deal.is_over
    assert deal.scores() == (26, 26, 0, 26)


def test_HB_7_nobody_is_asked_without_a_moon() -> None:
    deal = dealt(HEARTS, "2C 3C", "4C AH", "KC QS", "AC 2D")
    while deal.phase is Phase.PLAY:
        deal.apply(deal.turn, deal.default_action(deal.turn))
    assert deal.is_over
    assert sum(deal.scores()) == 26
    assert max(deal.scores()) < 26
