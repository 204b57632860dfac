"""Choices before the first trick: passing, exposing (GZ-3 to GZ-5), cards put up face down (GS-1 to GS-3)."""

from __future__ import annotations

import itertools

import pytest

from pigpen.rules import (
    PRESETS,
    Card,
    Deal,
    Exposure,
    Face,
    IllegalAction,
    Phase,
    Rules,
    cards_in,
    deal_hands,
    seed_from,
)
from pigpen.rules.presets import (
    CHINESE_HEARTS,
    GONGZHU,
    GONGZHU_FIVE,
    GONGZHU_PARTNERS,
    GONGZHU_SALE,
    HEARTS,
    HEARTS_JACK,
    HEARTS_SHORT,
)
from pigpen.rules.scoring import card_points
from tests.rules.table import choices, dealt, expose, mask, named, names, play, small

SEED = seed_from("7")
TO = {"left": 1, "right": -1, "across": 2}


def passing_deal(rules: Rules, number: int) -> Deal:
    return Deal(rules, deal_hands(rules, SEED, number), number=number)


def assert_passes(rules: Rules, deal: int, cards: int, direction: str) -> None:
    """Number *deal*, counted from 1 as the sheets do, passes that many cards that way."""
    state = passing_deal(rules, deal - 1)
    if direction == "none":
        assert state.phase is Phase.PLAY
        assert state.passed == (0, 0, 0, 0)
        return
    assert state.phase is Phase.PASS
    before = list(state.hands)
    for seat in range(4):
        state.apply(seat, state.legal(seat)[-cards:])
    assert [passed.bit_count() for passed in state.passed] == [cards] * 4
    for seat in range(4):
        receiver = (seat + TO[direction]) % 4
        assert state.received[receiver] == state.passed[seat]
        assert state.hands[seat] == before[seat] & ~state.passed[seat] | state.received[seat]
        assert state.view(seat).received_mask == state.received[seat]


@pytest.mark.parametrize(("deal", "direction"), [(1, "left"), (2, "right"), (3, "across"), (4, "none")])
def test_HA_1_two_cards_go_left_right_across_and_none(deal: int, direction: str) -> None:
    assert_passes(HEARTS_SHORT, deal, 2, direction)


CYCLE = ["left", "right", "across", "none", "left", "right", "across", "none", "left"]


@pytest.mark.parametrize(("deal", "direction"), list(enumerate(CYCLE, start=1)))
@pytest.mark.parametrize("rules", [HEARTS, HEARTS_JACK], ids=named)
def test_HB_1_three_cards_go_left_right_across_none_and_left_again(rules: Rules, deal: int, direction: str) -> None:
    assert_passes(rules, deal, 3, direction)


@pytest.mark.parametrize(("deal", "direction"), list(enumerate(CYCLE, start=1)))
def test_CH_1_three_cards_go_left_right_across_none_and_left_again(deal: int, direction: str) -> None:
    assert_passes(CHINESE_HEARTS, deal, 3, direction)


@pytest.mark.parametrize("rules", [rules for rules in PRESETS.values() if rules.exposing], ids=named)
@pytest.mark.parametrize("number", range(4))
def test_GZ_1_no_cards_are_passed(rules: Rules, number: int) -> None:
    assert passing_deal(rules, number).phase is Phase.EXPOSE


def test_C_2_the_left_neighbour_sits_one_seat_higher() -> None:
    deal = passing_deal(HEARTS, 0)
    chosen = [deal.legal(seat)[:3] for seat in range(4)]
    for seat in range(4):
        deal.apply(seat, chosen[seat])
    assert [deal.view(seat).pass_to for seat in range(4)] == [1, 2, 3, 0]
    assert [deal.view(seat).received for seat in (1, 2, 3, 0)] == chosen


@pytest.mark.parametrize("rules", [HEARTS, GONGZHU_FIVE], ids=["four", "five"])
def test_C_2_play_goes_clockwise(rules: Rules) -> None:
    deal = Deal(rules, deal_hands(rules, SEED, 3), number=3)
    for seat in deal.to_act if deal.phase is Phase.EXPOSE else ():
        deal.apply(seat, {})
    first = deal.turn
    for place in range(rules.players):
        assert deal.to_act == ((first + place) % rules.players,)
        deal.apply(deal.turn, deal.default_action(deal.turn))


def test_C_6_every_seat_passes_at_once_and_sees_nothing_of_it_before_all_have() -> None:
    deal = passing_deal(HEARTS, 0)
    before = [deal.view(seat) for seat in range(4)]
    for answered, seat in enumerate((2, 0, 3)):
        deal.apply(seat, deal.legal(seat)[:3])
        assert seat not in deal.to_act
        assert len(deal.to_act) == 3 - answered
        assert deal.view(1) == before[1]
        assert deal.view(seat).hand == before[seat].hand
        assert deal.view(seat).received == ()
    with pytest.raises(IllegalAction, match="not asked"):
        deal.apply(2, deal.view(2).hand[:3])
    deal.apply(1, deal.legal(1)[:3])
    assert deal.view(2).received == before[1].hand[:3]


def test_C_6_received_cards_cannot_be_passed_on() -> None:
    deal = passing_deal(HEARTS, 0)
    deal.apply(0, deal.legal(0)[:3])
    with pytest.raises(IllegalAction, match="not in the hand"):
        deal.apply(1, cards_in(deal.dealt[0])[:3])


def test_HB_2_after_passing_the_new_holder_of_the_two_of_clubs_leads() -> None:
    deal = small(HEARTS, "2C 3C 4C 2D 3D | 5C 6C 7C 4D 5D | 8C 9C TC 6D QS | JC QC KC AC 2H", number=0)
    for seat in range(4):
        deal.apply(seat, deal.legal(seat)[:3])
    assert deal.hands[1] & mask("2C")
    assert deal.turn == 1


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
    with pytest.raises(IllegalAction, match="be put face down"):
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
