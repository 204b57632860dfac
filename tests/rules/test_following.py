"""C-4 and C-5 in every variant; the restrictions themselves have tests of their own."""

from __future__ import annotations

import pytest

from pigpen.rules import PRESETS, Rules
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_FIVE, HEARTS, HEARTS_SHORT
from tests.rules.table import choices, expose, named, play, small

FOUR = [rules for rules in PRESETS.values() if rules.players == 4]
TABLE = "2C 2S 3C QS | 4C 5C AH TC | 6C 7C KH JD | 8D 9D KS AS"


@pytest.mark.parametrize("rules", FOUR, ids=named)
def test_C_4_who_can_follow_suit_must(rules: Rules) -> None:
    deal = expose(small(rules, TABLE, leader=0))
    assert choices(play(deal, "2C")) == "4C 5C TC"
    assert choices(play(deal, "4C")) == "6C 7C"


@pytest.mark.parametrize("rules", FOUR, ids=named)
def test_C_4_who_cannot_follow_may_play_any_card(rules: Rules) -> None:
    deal = expose(small(rules, TABLE, leader=0))
    assert choices(play(deal, "2C 4C 6C")) == "8D 9D KS AS"


@pytest.mark.parametrize("rules", FOUR, ids=named)
@pytest.mark.parametrize(
    ("trick", "winner"),
    [("2C 4C 6C AS", 2), ("2C TC 7C KS", 1), ("2C 4C 7C 9D", 2), ("2C 5C 6C 8D", 2)],
)
def test_C_4_the_highest_card_of_the_suit_led_wins_and_leads(rules: Rules, trick: str, winner: int) -> None:
    deal = play(expose(small(rules, TABLE, leader=0)), trick)
    assert deal.turn == winner
    assert deal.taken[winner].bit_count() == 4
    assert list(deal.leaders) == [0, winner]


@pytest.mark.parametrize(
    ("table", "trick", "winner"),
    [
        ("2S TC | 3S 2D | 4S AH | 5S 6H | QS JD", "2S 3S 4S 5S QS", 4),
        ("2S TC | AS 2D | 4S AH | 5S 6H | QS JD", "2S AS 4S 5S QS", 1),
        ("2S TC | 3S 2D | 4S AH | 5S QS | 6H JD", "2S 3S 4S 5S JD", 3),
        ("2S TC | 3S QS | KH AH | 4D 5D | AC JD", "2S 3S AH 4D JD", 1),
    ],
)
def test_C_4_G5_1_among_five_the_highest_card_of_the_suit_led_wins(table: str, trick: str, winner: int) -> None:
    deal = play(expose(small(GONGZHU_FIVE, table)), trick)
    assert deal.turn == winner
    assert deal.taken[winner].bit_count() == 5


def test_C_5_with_only_barred_cards_left_any_of_them_may_be_played() -> None:
    """Each line would leave no legal card if its restriction were not lifted."""
    table = "2C 3C TC 4C | AH KH QS JD | 5C 6C 7C 8C | 9C JC QC 2S"
    assert choices(play(small(HEARTS, table.replace("JD", "2H")), "2C")) == "2H KH AH QS"
    assert choices(play(small(CHINESE_HEARTS, table), "2C")) == "JD KH AH QS"
    only_hearts = "2C 3C | AC AH | 5C 6C | TC QS"
    assert choices(play(small(HEARTS_SHORT, only_hearts), "2C AC 5C TC")) == "AH"
    only_exposed = "2S TC JD | QS KH 4D | 3S AH 5D | 4S 6D 7D"
    assert choices(play(expose(small(GONGZHU, only_exposed), "QS"), "2S")) == "QS"
