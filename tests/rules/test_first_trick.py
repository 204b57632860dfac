"""Leads to the first trick, and the cards that are barred from it."""

from __future__ import annotations

import pytest

from pigpen.rules import Rules
from pigpen.rules.presets import CHINESE_HEARTS, HEARTS, HEARTS_JACK, HEARTS_SHORT
from tests.rules.table import choices, dealt, named, play, small

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
