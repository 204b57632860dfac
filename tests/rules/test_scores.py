"""Scores of captured cards, by the sheets of Gong Zhu, Hearts and Chinese Hearts."""

from __future__ import annotations

import pytest

from pigpen.rules import Deal, MoonChoice, Phase, Rules
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_FIVE, HEARTS, HEARTS_JACK, HEARTS_SHORT
from pigpen.rules.scoring import card_points
from tests.rules.piles import own, points
from tests.rules.table import dealt, expose, mask


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
