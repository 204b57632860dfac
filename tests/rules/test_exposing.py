"""GZ-3 to GZ-5: which cards may be exposed, and what an exposed card may not do."""

from __future__ import annotations

import itertools

import pytest

from pigpen.rules import PRESETS, Card, Deal, Exposure, Face, IllegalAction, Phase, Rules
from pigpen.rules.presets import GONGZHU
from tests.rules.table import choices, dealt, expose, mask, named, names, play, small

EXPOSING = [rules for rules in PRESETS.values() if rules.exposing]
ALL_FOUR = ("TC", "JD", "AH", "QS")
SPADES_FIRST = "2S 3S 2D 3D | QS 4S AH 6D | 5S 6S TC 7D | 7S 8S JD 8D"


@pytest.mark.parametrize("rules", EXPOSING, ids=named)
def test_GZ_3_only_holders_of_the_four_cards_are_asked(rules: Rules) -> None:
    deal = dealt(rules, "AH QS", "2S", "JD", "TC")
    assert deal.phase is Phase.EXPOSE
    assert deal.to_act == (0, 2, 3)
    assert [names(deal.legal(seat)) for seat in range(4)] == ["AH QS", "", "JD", "TC"]


@pytest.mark.parametrize("rules", EXPOSING, ids=named)
@pytest.mark.parametrize("shown", [shown for size in range(5) for shown in itertools.combinations(ALL_FOUR, size)])
def test_GZ_3_any_subset_may_be_exposed_and_is_shown_to_all(rules: Rules, shown: tuple[str, ...]) -> None:
    deal = expose(dealt(rules, "AH QS JD TC"), " ".join(shown))
    assert deal.phase is Phase.PLAY
    for seat in range(rules.players):
        assert deal.view(seat).exposures == tuple(Exposure(0, Card.parse(card), Face.UP) for card in shown)


def test_GZ_3_C_6_exposing_is_sealed_until_the_last_seat_has_answered() -> None:
    deal = dealt(GONGZHU, "QS", "AH", "JD", "TC")
    before = [deal.view(seat) for seat in range(4)]
    for seat, card in ((2, "JD"), (0, "QS"), (3, "TC")):
        deal.apply(seat, {Card.parse(card): Face.UP})
        assert deal.view(1) == before[1]
        assert all(deal.view(other).exposures == () for other in range(4))
    deal.apply(1, {})
    assert [str(shown.card) for shown in deal.view(1).exposures] == ["QS", "JD", "TC"]


@pytest.mark.parametrize("card", ["KS", "QH", "2C"])
def test_GZ_3_no_other_card_may_be_exposed(card: str) -> None:
    deal = dealt(GONGZHU, f"AH QS {card}")
    with pytest.raises(IllegalAction, match="may not be exposed"):
        deal.apply(0, {Card.parse(card): Face.UP})


def test_GZ_3_only_held_cards_may_be_exposed() -> None:
    deal = dealt(GONGZHU, "AH", "QS")
    with pytest.raises(IllegalAction, match="not in the hand"):
        deal.apply(0, {Card.parse("QS"): Face.UP})


def test_GZ_4_an_exposed_card_stays_back_from_the_first_trick_of_its_suit() -> None:
    assert choices(play(expose(small(GONGZHU, SPADES_FIRST), "QS"), "2S")) == "4S"
    assert choices(play(expose(small(GONGZHU, SPADES_FIRST)), "2S")) == "4S QS"
    assert choices(play(expose(small(GONGZHU, SPADES_FIRST), "AH JD TC"), "2S")) == "4S QS"


@pytest.mark.parametrize(
    ("card", "table", "lead"),
    [
        ("AH", "2S 3H 2D | AH 4H 5H | QS 6D TC | JD 7D 8D", "3H"),
        ("JD", "2S 3H 2D | JD 4D 5D | QS AH TC | 6D 7D 8D", "2D"),
        ("TC", "2S 3C 2D | TC 4C 5C | QS AH JD | 6D 7D 8D", "3C"),
    ],
)
def test_GZ_4_holds_for_each_of_the_four_cards(card: str, table: str, lead: str) -> None:
    barred = choices(play(expose(small(GONGZHU, table), card), lead))
    assert barred.split() == [
        other for other in choices(play(expose(small(GONGZHU, table)), lead)).split() if other != card
    ]
    assert len(barred.split()) == 2


def test_GZ_4_C_5_unless_its_holder_has_no_other_card_of_the_suit() -> None:
    table = "2S 3S 2D 3D | QS 5C AH 6D | 5S 6S TC 7D | 7S 8S JD 8D"
    assert choices(play(expose(small(GONGZHU, table), "QS"), "2S")) == "QS"


def test_GZ_4_it_may_be_discarded_on_another_suit() -> None:
    table = "2S 3S 2C 3D | QS 4S AH 6D | 5S 6S TC 7D | 7S 8S JD 8D"
    assert choices(play(expose(small(GONGZHU, table), "QS AH"), "2C")) == "6D AH 4S QS"


def test_GZ_4_the_bar_is_gone_once_the_first_trick_of_the_suit_is_complete() -> None:
    deal = play(expose(small(GONGZHU, "2S 3S 2D | QS 4S 5S | AS 6S TC | JD AH 8D"), "QS"), "2S 4S 6S 8D")
    assert choices(play(deal, "AS AH 3S")) == "5S QS"


def test_GZ_4_a_trick_of_another_suit_does_not_lift_the_bar() -> None:
    table = "2S 3S 2D 9D | QS 4S 6D AH | 5S 6S TC 7D | 7S 8S JD 8D"
    deal = play(expose(small(GONGZHU, table), "QS"), "9D 6D 7D 8D")
    assert choices(play(deal, "2S")) == "4S"


def leads(table: str, shown: str, leader: int = 0) -> str:
    return choices(expose(small(GONGZHU, table, leader=leader), shown))


def test_GZ_5_the_bar_binds_the_leader_too() -> None:
    assert leads("QS 2S AH 3H | JD 4D 5D 6D | TC 3C 4C 5C | 7D 8D 6C 7C", "") == "3H AH 2S QS"
    assert leads("QS 2S AH 3H | JD 4D 5D 6D | TC 3C 4C 5C | 7D 8D 6C 7C", "QS") == "3H AH 2S"
    assert leads("QS 2S AH 3H | JD 4D 5D 6D | TC 3C 4C 5C | 7D 8D 6C 7C", "QS AH") == "3H 2S"


def test_GZ_5_C_5_unless_it_is_the_only_card_of_its_suit() -> None:
    assert leads("QS 2S AH | JD 4D 5D | TC 3C 4C | 7D 8D 6C", "AH QS") == "AH 2S"
    assert leads("QS AH JD | TC 4D 5D | 2S 3C 4C | 7D 8D 6C", "AH QS JD") == "JD AH QS"


def test_GZ_5_the_bar_is_gone_after_the_first_trick_of_the_suit() -> None:
    deal: Deal = expose(small(GONGZHU, "KS QS 2S | 3S JD 4D | 4S AH 5D | 5S TC 6D"), "QS")
    assert choices(deal) == "2S KS"
    assert choices(play(deal, "KS 3S 4S 5S")) == "2S QS"
    assert deal.hands[0] == mask("2S QS")
