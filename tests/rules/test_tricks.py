"""
Leads and what may follow them: the first trick, the later ones, barred cards, C-4 and C-5 in every variant.

In the tables of later leads seat 1 takes the first trick with AC.
"""

from __future__ import annotations

import pytest

from pigpen.rules import PRESETS, Rules
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_FIVE, HEARTS, HEARTS_JACK, HEARTS_SHORT
from tests.rules.table import choices, dealt, expose, named, play, small

HEARTS_ONLY = "5H 6H 7H 8H"


def leads(rules: Rules, hand: str, third: str, discard: str) -> str:
    """List the cards that seat 1 may lead from *hand* after seat 2, with *third*, put *discard* on its ace of clubs."""
    rest = [card for card in ("TC", "QS", "JC", "QC", "KC") if card not in f"{hand} {third}".split()]
    table = f"2C 3C 4C 9C | AC {hand} | {third} | {' '.join(rest[:4])}"
    return choices(play(small(rules, table), f"2C AC {discard} {rest[0] if rest[0] != 'QS' else rest[1]}"))


@pytest.mark.parametrize(
    ("hand", "third", "discard", "playable"),
    [
        pytest.param("4D 2H 3H", "6C 7C 8C 5D", "6C", "4D", id="unbroken"),
        pytest.param("2H 3H 4H", "6C 7C 8C 5D", "6C", "2H 3H 4H", id="nothing but hearts"),
        pytest.param("2H 3H QS", "6C 7C 8C 5D", "6C", "QS", id="hearts and the queen"),
        pytest.param("4D 2H 3H", "5H 6D 7S 8S", "5H", "4D 2H 3H", id="broken by a discard"),
        pytest.param("4D 2H 3H", "QS 6D 7S 8S", "QS", "4D", id="the queen does not break"),
        pytest.param("4D 2H QS", "6C 7C 8C 5D", "6C", "4D QS", id="the queen may be led"),
    ],
)
def test_HA_4_hearts_are_led_once_a_heart_has_been_played(hand: str, third: str, discard: str, playable: str) -> None:
    assert leads(HEARTS_SHORT, hand, third, discard) == playable


@pytest.mark.parametrize(
    ("hand", "third", "discard", "playable"),
    [
        pytest.param("4D 2H 3H", "6C 7C 8C 5D", "6C", "4D", id="unbroken"),
        pytest.param("4D 2H 3H", HEARTS_ONLY, "5H", "4D 2H 3H", id="broken by a heart"),
        pytest.param("4D 2H 3H", "5H 6H 7H QS", "QS", "4D 2H 3H", id="broken by the queen"),
    ],
)
@pytest.mark.parametrize("rules", [HEARTS, HEARTS_JACK], ids=named)
def test_HB_4_hearts_are_led_once_a_heart_or_the_queen_has_been_played(
    rules: Rules, hand: str, third: str, discard: str, playable: str
) -> None:
    assert leads(rules, hand, third, discard) == playable


@pytest.mark.parametrize("hand", ["2H 3H 4H", "2H 3H QS"])
def test_HB_5_hearts_alone_or_with_the_queen_may_lead_a_heart_unbroken(hand: str) -> None:
    assert leads(HEARTS, hand, "6C 7C 8C 5D", "6C") == hand


def test_HB_5_the_jack_of_diamonds_beside_them_must_be_led() -> None:
    assert leads(HEARTS_JACK, "JD 2H 3H", "6C 7C 8C 5D", "6C") == "JD"


def test_HB_6_the_queen_of_spades_may_always_be_led() -> None:
    assert leads(HEARTS, "4D 2H QS", "6C 7C 8C 5D", "6C") == "4D QS"
    assert leads(HEARTS, "4D 2H QS", HEARTS_ONLY, "5H") == "4D 2H QS"


def test_HB_6_but_not_to_the_first_trick() -> None:
    assert choices(small(HEARTS, "2C QS 3D | 3C 4C 9C | 5C 6C TC | 7C 8C JC")) == "2C"


@pytest.mark.parametrize(
    ("hand", "third", "discard", "playable"),
    [
        pytest.param("4D 2H 3H", "6C 7C 8C 5D", "6C", "4D", id="unbroken"),
        pytest.param("JD 2H QS", "6C 7C 8C 5D", "6C", "JD QS", id="any other card may be led"),
        pytest.param("2H 3H 4H", "6C 7C 8C 5D", "6C", "2H 3H 4H", id="nothing but hearts"),
        pytest.param("2H 3H QS", "6C 7C 8C 5D", "6C", "QS", id="hearts and the queen"),
        pytest.param("4D 2H 3H", HEARTS_ONLY, "5H", "4D 2H 3H", id="broken by a heart"),
        pytest.param("4D 2H 3H", "5H 6H JD QS", "QS", "4D", id="the queen does not break"),
    ],
)
def test_CH_4_hearts_are_led_once_a_heart_has_been_played(hand: str, third: str, discard: str, playable: str) -> None:
    assert leads(CHINESE_HEARTS, hand, third, discard) == playable


@pytest.mark.parametrize("rules", [HEARTS_SHORT, HEARTS, CHINESE_HEARTS], ids=named)
def test_HA_4_HB_4_CH_4_a_heart_played_to_any_earlier_trick_breaks_hearts(rules: Rules) -> None:
    """A trick later than the first, taken by another seat."""
    deal = small(rules, "2C 3C 4C 2H | AC 4D 5D 3H | TC 8D 9D 4H | QC QS 7S 5H")
    assert choices(play(deal, "2C AC TC QC")) == "4D 5D"
    assert choices(play(deal, "4D 8D 5H 3C")) == "9D 4H"


@pytest.mark.parametrize("rules", [rules for rules in PRESETS.values() if rules.exposing], ids=named)
def test_GZ_1_any_card_may_be_led(rules: Rules) -> None:
    five = " | 9D TD 3C 4C" if rules.players == 5 else ""
    deal = expose(small(rules, "2S QS AH TC | AS 2H 3D 9C | 3S JD 7H 8C | 4S 5H 6D 7C" + five))
    assert choices(deal) == "TC AH 2S QS"
    play(deal, "2S AS 3S 4S" + (" 9D" if five else ""))
    assert choices(deal) == "9C 3D 2H"


CLUBS = "2C 3C 4C 5C | {} | 6C 7C 8C 9C | {}"


def second_seat(rules: Rules, hand: str) -> str:
    """List the cards that seat 1, with *hand*, may play on 2C; the last seat holds what the deck must have."""
    rest = [card for card in ("TC", "QS", "JC", "QC", "KC", "AC") if card not in hand.split()]
    return choices(play(small(rules, CLUBS.format(hand, " ".join(rest[:4]))), "2C"))


@pytest.mark.parametrize("rules", [HEARTS_SHORT, HEARTS, HEARTS_JACK, CHINESE_HEARTS], ids=named)
@pytest.mark.parametrize("seat", range(4))
def test_HA_2_HB_2_CH_2_the_holder_of_the_two_of_clubs_must_lead_it(rules: Rules, seat: int) -> None:
    deal = dealt(rules, *("2C AC" if place == seat else "" for place in range(4)))
    assert deal.turn == seat
    assert choices(deal) == "2C"


@pytest.mark.parametrize("hand", ["QS 3D 4H 5S", "2H 3H 4H 5H", "JD QS AH AS"])
def test_HA_3_nothing_is_barred_on_the_first_trick(hand: str) -> None:
    assert set(second_seat(HEARTS_SHORT, hand).split()) == set(hand.split())


@pytest.mark.parametrize(
    ("hand", "playable"),
    [
        ("3D 4H 5S QS", "3D 5S"),
        ("2H 3H 4H 5S", "5S"),
        ("JD AH KH QS", "JD"),
        ("AS 2H 3H QS", "AS"),
        ("TC AH QS 3D", "TC"),
    ],
)
@pytest.mark.parametrize("rules", [HEARTS, HEARTS_JACK], ids=named)
def test_HB_3_no_heart_and_no_queen_of_spades_on_the_first_trick(rules: Rules, hand: str, playable: str) -> None:
    assert second_seat(rules, hand) == playable


@pytest.mark.parametrize("hand", ["2H 3H 4H 5H", "2H 3H 4H QS"])
def test_HB_3_C_5_a_hand_of_nothing_else_may_play_them_on_the_first_trick(hand: str) -> None:
    assert second_seat(HEARTS, hand) == hand


@pytest.mark.parametrize(
    ("hand", "playable"),
    [
        ("3D 4H 5S QS", "3D 5S"),
        ("JD QS AH AS", "AS"),
        ("3D JD 4D 2H", "3D 4D"),
        ("TC QS JD AH", "TC"),
        ("3C TC JD AH", "3C TC"),
    ],
)
def test_CH_3_no_pointed_card_but_the_ten_of_clubs_on_the_first_trick(hand: str, playable: str) -> None:
    table = CLUBS.replace("3C", "AC") if "3C" in hand else CLUBS
    rest = [card for card in ("TC", "QS", "JC", "QC", "KC", "TS") if card not in hand.split()]
    deal = small(CHINESE_HEARTS, table.format(hand, " ".join(rest[:4])))
    assert choices(play(deal, "2C")) == playable


@pytest.mark.parametrize("hand", ["2H 3H 4H 5H", "JD 2H 3H QS", "JD 2H 3H 4H"])
def test_CH_3_C_5_a_hand_of_nothing_else_may_play_them_on_the_first_trick(hand: str) -> None:
    assert second_seat(CHINESE_HEARTS, hand) == hand


@pytest.mark.parametrize("rules", [HEARTS, CHINESE_HEARTS], ids=named)
def test_HB_3_CH_3_from_the_second_trick_on_they_may_be_discarded(rules: Rules) -> None:
    deal = small(rules, "2C 3C 4C | 5D 6H QS | 6C 7C 8C | TC JC QC")
    assert choices(play(deal, "2C 5D 6C QC JC 3C")) == "6H QS"


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
