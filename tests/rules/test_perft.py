"""
Golden counts of the move tree, as chess engines have them, and the engine against the naive referee.

Both referees must give each list: the engine, and the naive one that was written from the rule text. A list holds the
nodes after one choice, two choices, and so on; sealed choices are counted seat by seat.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from pigpen.rules import PRESETS, Deal, Face, Phase, deal_hands, seed_from
from tests.rules.naive import NaiveDeal
from tests.rules.perft import engine_counts, naive_counts
from tests.rules.piles import action, asked, naive_twin, options
from tests.rules.players import chances, lumpy_deal, lumpy_hands, some
from tests.rules.table import names, small

SEED = seed_from("7")
LATER = pytest.mark.long
"""Trees that another preset has, too, with the same rules as far as the tree reaches."""
TO_THE_END = 99
MAX_NODES = pytest.mark.parametrize("max_nodes", [2_000, pytest.param(10_000, marks=LATER)])
"""Width up to which a tree is counted from the start."""
WESTERN = "JD 2H 7H 3S | 4D 5D 9H AS | 2C TC 3H QS | 9C 6H AH 8S"
CHINESE = "8C JD 6S | 3C 4D AH | TC 5H AS | 7D 2S QS"
FIVE = "3C 5H | AH 6S | TC JD | 4D 2S | QS AS"
GONGZHU_TREE = [2, 4, 8, 16, 40, 40, 88, 120, 240, 432, 624] + [896] * 5
SALE_TREE = [3, 9, 27, 81, 216, 216, 486, 648, 1296, 2349, 3402] + [4968] * 5
"""Seven times as large as the next one: in each push its beginning is counted."""
HEARTS_TREE = [1, 1, 2, 6, 6, 12, 20, 20, 40, 72, 132] + [216] * 5 + [48]


@pytest.mark.parametrize(
    ("preset", "table", "counts"),
    [
        ("hearts-short", WESTERN, [1, 1, 4, 16, 36, 48, 84, 84, 160, 258, 452] + [684] * 5),
        ("hearts", WESTERN, HEARTS_TREE),
        pytest.param("hearts-jack", WESTERN, HEARTS_TREE, marks=LATER),
        ("chinese-hearts", WESTERN, [1, 1, 1, 3, 3, 9, 15, 15, 26, 48, 84] + [136] * 5),
        ("gongzhu", CHINESE, GONGZHU_TREE),
        pytest.param("gongzhu-partners", CHINESE, GONGZHU_TREE, marks=LATER),
        ("gongzhu-five", FIVE, [2, 8, 16, 32, 56, 112, 176] + [224] * 6),
        pytest.param("gongzhu-sale", CHINESE, SALE_TREE, marks=LATER),
    ],
)
def test_the_whole_tree_of_a_small_deal_has_the_golden_counts(preset: str, table: str, counts: list[int]) -> None:
    """Exposing, opening, first trick, broken hearts, bars, moon choice: everything down to the last card."""
    deal = small(PRESETS[preset], table)
    assert engine_counts(deal, TO_THE_END) == counts
    assert naive_counts(naive_twin(deal), TO_THE_END) == counts


def test_the_tree_of_a_small_deal_with_face_down_sales_begins_with_the_golden_counts() -> None:
    deal = small(PRESETS["gongzhu-sale"], CHINESE)
    assert engine_counts(deal, 8) == SALE_TREE[:8]
    assert naive_counts(naive_twin(deal), 8) == SALE_TREE[:8]


@pytest.mark.parametrize(
    ("preset", "number", "counts"),
    [
        ("hearts-short", 0, [78, 6084]),
        pytest.param("hearts-short", 3, [1, 4, 8, 24, 218, 762], marks=LATER),
        ("hearts", 0, [286]),
        ("hearts", 3, [1, 4, 8, 24, 218, 762]),
        pytest.param("hearts-jack", 3, [1, 4, 8, 24, 218, 762], marks=LATER),
        ("gongzhu", 0, [8, 16, 208, 648, 1944, 4728]),
        ("gongzhu", 3, [2, 4, 16, 200, 720]),
        pytest.param("gongzhu-partners", 0, [8, 16, 208, 648, 1944, 4728], marks=LATER),
        ("gongzhu-five", 0, [2, 8, 16, 144, 312, 752]),
        ("gongzhu-five", 3, [4, 16, 144, 336, 1776]),
        ("gongzhu-sale", 0, [27, 81, 1053, 3321, 9963]),
        ("gongzhu-sale", 3, [3, 9, 81, 1026, 3699]),
        ("chinese-hearts", 0, [286]),
        ("chinese-hearts", 3, [1, 4, 8, 24, 218, 762]),
    ],
)
@MAX_NODES
def test_the_tree_from_the_start_has_the_golden_counts(
    preset: str, number: int, counts: list[int], max_nodes: int
) -> None:
    """All the cards of a real deal (seed 7), to a fixed depth."""
    deal = Deal(PRESETS[preset], deal_hands(PRESETS[preset], SEED, number), number=number)
    counts = [width for width in counts if width <= max_nodes]
    assert engine_counts(deal, len(counts)) == counts
    assert naive_counts(naive_twin(deal), len(counts)) == counts


@pytest.mark.parametrize(
    ("preset", "counts"),
    [
        pytest.param("hearts-short", [4, 8, 20, 24, 72, 162, 306, 510, 1020, 1884, 2976] + [4192] * 5, marks=LATER),
        ("hearts", [4, 8, 20, 24, 72, 162, 306, 510, 1020, 1884, 2976] + [4192] * 5),
        pytest.param("hearts-jack", [4, 8, 20, 24, 72, 162, 306, 510, 1020, 1884, 2976] + [4192] * 5, marks=LATER),
        ("gongzhu", [4, 6, 12, 24, 72, 88, 152, 280, 560, 576, 640] + [768] * 5),
        pytest.param("gongzhu-partners", [4, 6, 12, 24, 72, 88, 152, 280, 560, 576, 640] + [768] * 5, marks=LATER),
        ("gongzhu-five", [3, 6, 12, 12, 12, 24, 34, 52, 76] + [112] * 6),
        pytest.param("gongzhu-sale", [4, 6, 12, 24, 72, 88, 152, 280, 560, 576, 640] + [768] * 5, marks=LATER),
        pytest.param("chinese-hearts", [4, 8, 20, 24, 72, 162, 306, 510, 1020, 1884, 2976] + [4192] * 5, marks=LATER),
    ],
)
@pytest.mark.parametrize("choices", [10, pytest.param(TO_THE_END, marks=LATER)])
def test_the_tree_of_the_last_tricks_has_the_golden_counts(preset: str, counts: list[int], choices: int) -> None:
    """
    Four tricks before the end (three at five seats) of a deal in which every card that may be is exposed.

    In the very last trick there is no choice, but counting it takes longest.
    """
    rules = PRESETS[preset]
    deal = Deal(rules, deal_hands(rules, SEED, 3), number=3)
    naive = naive_twin(deal)
    while len(deal.plays) < len(rules.deck) - len(counts):
        seat = deal.to_act[0]
        options = deal.legal(seat)
        if deal.phase is Phase.EXPOSE:
            deal.apply(seat, dict.fromkeys(options, Face.UP))
            naive.do(tuple(f"{card} up" for card in options))
        else:
            deal.apply(seat, options[len(options) // 2])
            naive.do((str(options[len(options) // 2]),))
    assert engine_counts(deal, choices) == counts[:choices]
    assert naive_counts(naive, choices) == counts[:choices]


@pytest.mark.parametrize("preset", PRESETS)
@some
@given(chance=chances)
def test_the_naive_referee_agrees_about_everything(preset: str, chance: Random) -> None:
    deal = lumpy_deal(PRESETS[preset], chance)
    assert_agreement(deal, naive_twin(deal), chance)


@pytest.mark.parametrize("preset", [name for name in PRESETS if name.startswith("gongzhu")])
@some
@given(chance=chances)
def test_the_naive_referee_agrees_when_another_seat_leads(preset: str, chance: Random) -> None:
    """GZ-2: the opening of later deals."""
    rules = PRESETS[preset]
    leader = chance.randrange(rules.players)
    deal = Deal(rules, lumpy_hands(rules, chance), leader=leader)
    assert_agreement(deal, naive_twin(deal, leader), chance)


def assert_agreement(deal: Deal, naive: NaiveDeal, chance: Random) -> None:
    while not deal.is_over:
        assert asked(deal) == naive.asked()
        moves = naive.options()
        assert options(deal) == moves
        move = chance.choice((moves[0], moves[-1], chance.choice(moves)))
        deal.apply(min(deal.to_act), action(deal, move))
        naive.do(move)
        assert [set(names(hand).split()) for hand in deal.hands] == naive.hands
        assert [set(names(taken).split()) for taken in deal.taken] == naive.captured
    assert naive.asked() is None
    assert list(deal.scores()) == naive.scores()
