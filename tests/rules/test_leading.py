"""Leads to the second and later tricks. In every table seat 1 takes the first trick with AC."""

from __future__ import annotations

import pytest

from pigpen.rules import PRESETS, Rules
from pigpen.rules.presets import CHINESE_HEARTS, HEARTS, HEARTS_JACK, HEARTS_SHORT
from tests.rules.table import choices, expose, named, play, small

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
