"""Invariants of every deal of every variant, and the way from a seed to the cards (docs/deals.md)."""

from __future__ import annotations

import hashlib
import importlib.util
import secrets
from collections import Counter
from dataclasses import replace
from itertools import accumulate
from math import comb
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from pigpen.rules import (
    CARDS,
    PRESETS,
    Card,
    Deal,
    Face,
    IllegalAction,
    MoonChoice,
    Phase,
    Rules,
    cards_in,
    deal_hands,
    mask_of,
    new_seed,
    seed_from,
)
from pigpen.rules.presets import GONGZHU_FIVE, HEARTS
from pigpen.rules.shuffle import commitment, derived_number, shuffle, shuffled
from tests.rules.naive import RANKS
from tests.rules.players import chances, lumpy_deal, lumpy_hands, many, presets, some, somewhere, walk
from tests.rules.table import mask, named, names, state
from tests.seeds import SeedsOfTests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pigpen.rules import Action

HEARTS_SUMS = {"hearts-short": {26, 78}, "hearts": {26, -26, 78}, "hearts-jack": {16, -36, 68}}


@some
@given(rules=presets, chance=chances)
def test_C_3_cards_are_never_lost(rules: Rules, chance: Random) -> None:
    """Hands, trick and piles always add up to the deck, disjoint."""
    for deal in walk(lumpy_deal(rules, chance), chance):
        table = deal.plays[len(deal.plays) // rules.players * rules.players :]
        parts = [*deal.hands, *deal.taken, mask_of(table)]
        assert sum(part.bit_count() for part in parts) == len(rules.deck)
        assert list(accumulate(parts, int.__or__))[-1] == rules.plan.deck_mask


@some
@given(rules=presets, chance=chances)
def test_C_5_there_is_a_legal_choice_until_the_deal_is_over(rules: Rules, chance: Random) -> None:
    for deal in walk(lumpy_deal(rules, chance), chance):
        assert deal.is_over == (not deal.to_act)
        for seat in deal.to_act:
            assert deal.phase is Phase.MOON or deal.legal_mask(seat)
            assert deal.legal_mask(seat) & ~deal.hands[seat] == 0


@some
@given(rules=presets, chance=chances)
def test_a_seat_is_forced_where_exactly_one_action_is_legal(rules: Rules, chance: Random) -> None:
    for deal in walk(lumpy_deal(rules, chance), chance):
        for seat in range(rules.players):
            assert deal.is_forced(seat) == (seat in deal.to_act and count_of_legal_actions(deal, seat) == 1)


def count_of_legal_actions(deal: Deal, seat: int) -> int:
    """As `Deal.check` sees it; two stands for two or more ways to expose."""
    if deal.phase is Phase.PASS:
        return comb(deal.hands[seat].bit_count(), deal.rules.plan.pass_count)
    tried: dict[Phase, Iterable[Action]] = {
        Phase.EXPOSE: [{}, {deal.legal(seat)[0]: Face.UP}] if deal.phase is Phase.EXPOSE else [],
        Phase.PLAY: CARDS,
        Phase.MOON: MoonChoice,
    }
    return sum(is_legal(deal, seat, action) for action in tried[deal.phase])


def is_legal(deal: Deal, seat: int, action: Action) -> bool:
    try:
        deal.check(seat, action)
    except IllegalAction:
        return False
    return True


def test_a_pass_of_the_whole_hand_is_forced() -> None:
    hearts = PRESETS["hearts"]
    assert hearts.passing
    for cards in (12, 13):
        rules = replace(hearts, name="swap", passing=replace(hearts.passing, cards=cards))
        deal = Deal(rules, deal_hands(rules, bytes(32), 0))
        assert [deal.is_forced(seat) for seat in deal.to_act] == [cards == 13] * 4
    deal.apply(1, deal.default_action(1))
    assert not deal.is_forced(1), "it has answered"


@some
@given(rules=presets, chance=chances)
def test_the_default_action_is_legal_and_first_in_canonical_order(rules: Rules, chance: Random) -> None:
    for deal in walk(lumpy_deal(rules, chance), chance):
        for seat in deal.to_act:
            default = deal.default_action(seat)
            deal.check(seat, default)
            assert (
                default
                == {
                    Phase.PASS: deal.legal(seat)[: deal.view(seat).pass_count],
                    Phase.EXPOSE: {},
                    Phase.PLAY: min(deal.legal(seat), default=None),
                    Phase.MOON: MoonChoice.SUBTRACT,
                }[deal.phase]
            )


@some
@given(rules=presets, chance=chances)
def test_a_deal_of_defaults_comes_to_an_end(rules: Rules, chance: Random) -> None:
    deal = lumpy_deal(rules, chance)
    while not deal.is_over:
        deal.apply(deal.to_act[0], deal.default_action(deal.to_act[0]))
    assert len(deal.plays) == len(rules.deck)


@many
@given(rules=presets, chance=chances)
def test_C_4_the_winner_of_every_trick_played_the_highest_card_of_the_suit_led(rules: Rules, chance: Random) -> None:
    *_, deal = walk(lumpy_deal(rules, chance), chance)
    for trick in deal.view(0).tricks:
        followers = [play for play in trick if str(play.card)[1] == str(trick[0].card)[1]]
        best = max(followers, key=lambda play: RANKS.index(str(play.card)[0]))
        assert all(deal.taken[best.seat] & play.card.mask for play in trick)


@many
@given(rules=presets, chance=chances)
def test_a_copy_is_independent(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    twin, before = deal.copy(), state(deal)
    assert state(twin) == before
    for _ in walk(twin, chance):
        pass
    assert state(deal) == before
    twin = deal.copy()
    for _ in walk(deal, chance):
        pass
    assert state(twin) == before


@pytest.mark.parametrize("preset", HEARTS_SUMS)
@some
@given(chance=chances)
def test_HA_5_HB_7_HB_8_hearts_scores_add_up_to_the_points_in_the_deck(preset: str, chance: Random) -> None:
    *_, deal = walk(lumpy_deal(PRESETS[preset], chance), chance)
    assert sum(deal.scores()) in HEARTS_SUMS[preset]


@pytest.mark.parametrize("preset", ["gongzhu", "gongzhu-five"])
@many
@given(chance=chances)
def test_GZ_6_GZ_7_unexposed_scores_add_up_once_the_ten_of_clubs_is_taken_out(preset: str, chance: Random) -> None:
    deal = Deal(PRESETS[preset], lumpy_hands(PRESETS[preset], chance))
    for seat in deal.to_act:
        deal.apply(seat, {})
    *_, deal = walk(deal, chance)
    doubled = next(seat for seat, taken in enumerate(deal.taken) if taken & mask("TC"))
    scores = list(deal.scores())
    scores[doubled] = scores[doubled] // 2 if deal.taken[doubled] & mask("hearts QS JD") else 0
    moon = next((taken for taken in deal.taken if taken & mask("hearts") == mask("hearts")), None)
    pig = -100 if moon is None or not moon & mask("QS") else 100
    assert sum(scores) == 100 + pig + (-200 if moon is None else 200)


@many
@given(chance=chances)
def test_CH_5_CH_6_chinese_scores_add_up_once_the_ten_of_clubs_is_taken_out(chance: Random) -> None:
    *_, deal = walk(lumpy_deal(PRESETS["chinese-hearts"], chance), chance)
    scores = list(deal.scores())
    doubled = next(seat for seat, taken in enumerate(deal.taken) if taken & mask("TC"))
    shooter = next((seat for seat, taken in enumerate(deal.taken) if taken & mask("hearts") == mask("hearts")), None)
    if shooter is not None:
        flat = 400 if doubled == shooter else 200
        scores = [score - (seat != shooter) * flat for seat, score in enumerate(scores)]
    scores[doubled] //= 2
    pig = 100 if shooter is None or not deal.taken[shooter] & mask("QS") else -100
    assert sum(scores) == pig - 100 + (194 if shooter is None else 0)


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
def test_C_3_hands_that_are_not_the_deck_dealt_evenly_are_refused(rules: Rules) -> None:
    hands = lumpy_hands(rules, Random(1))
    card = cards_in(hands[0])[0].mask
    for wrong in (
        hands[:-1],
        [*hands, 0],
        [hands[0] ^ card, hands[1] | card, *hands[2:]],
        [hands[1], hands[1], *hands[2:]],
    ):
        with pytest.raises(ValueError, match=f"the deck of {rules.name} "):
            Deal(rules, wrong)


ZERO = bytes(32)


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
@pytest.mark.parametrize("number", range(6))
def test_C_3_cards_go_round_one_at_a_time_from_the_dealers_left(rules: Rules, number: int) -> None:
    hands = deal_hands(rules, ZERO, number)
    deck = shuffled(rules, ZERO, number)
    dealer = (number - 1) % rules.players
    order = [(dealer + 1 + turn) % rules.players for turn in range(len(deck))]
    for seat, hand in enumerate(hands):
        assert hand == sum(card.mask for card, to in zip(deck, order, strict=True) if to == seat)
        assert hand.bit_count() == len(rules.deck) // rules.players
    assert sum(hands) == rules.plan.deck_mask


@pytest.mark.parametrize("rules", [HEARTS, GONGZHU_FIVE], ids=["four", "five"])
def test_C_3_the_dealers_place_passes_to_the_left(rules: Rules) -> None:
    """The first card of the deck goes one seat further round with every deal."""
    firsts = []
    for number in range(2 * rules.players):
        first = shuffled(rules, ZERO, number)[0]
        firsts.append(next(seat for seat, hand in enumerate(deal_hands(rules, ZERO, number)) if hand & first.mask))
    assert firsts == list(range(rules.players)) * 2


def test_a_seed_is_its_64_digits_or_the_hash_of_any_other_text() -> None:
    digits = "0123456789abcdef" * 4
    assert seed_from(digits) == bytes.fromhex(digits)
    assert seed_from("0" * 64) == ZERO
    assert seed_from("7").hex() == "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451"
    assert seed_from(digits.upper()) == bytes.fromhex(digits)
    assert seed_from("g" * 64) == hashlib.sha256(b"g" * 64).digest()
    assert seed_from("ab" * 31 + "  ") == hashlib.sha256(b"ab" * 31 + b"  ").digest()
    assert seed_from("٣" * 64) == hashlib.sha256("٣".encode() * 64).digest()
    assert seed_from("\udcff") == hashlib.sha256(b"\xff").digest()
    assert seed_from("猪") == hashlib.sha256("猪".encode()).digest()


def test_new_seeds_are_the_operating_systems_have_256_bits_and_differ() -> None:
    spec = importlib.util.find_spec("pigpen.rules.shuffle")
    assert spec
    assert spec.loader
    as_installed = importlib.util.module_from_spec(spec)  # in the suite, new seeds follow from the names of tests
    spec.loader.exec_module(as_installed)
    assert as_installed.token_bytes is secrets.token_bytes
    seeds = {as_installed.new_seed() for _ in range(20)}
    assert len(seeds) == 20
    assert {len(seed) for seed in seeds} == {32}


def test_a_test_draws_the_same_seeds_in_each_run_and_no_other_draws_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, again, other = SeedsOfTests(), SeedsOfTests(), SeedsOfTests()
    seeds.begin("one")
    again.begin("one")
    other.begin("another")
    drawn = [seeds(32), seeds(32)]
    assert drawn == [again(32), again(32)]
    assert len({*drawn, other(32)}) == 3
    seeds.begin("one")
    assert seeds(32) == drawn[0]
    assert new_seed() != new_seed()
    monkeypatch.setattr("tests.seeds.OTHERS", "2")
    seeds.begin("one")
    assert seeds(32) != drawn[0]


def test_the_commitment_is_the_seeds_sha256() -> None:
    assert commitment(ZERO) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"


VECTORS = [
    (
        "7",
        "hearts",
        0,
        [
            "7C TC QC 3D JD 4H 7H 8H TH AH 3S 8S JS",
            "8C JC AC 8D 9D TD KD 2H 9H JH 2S 5S AS",
            "2C 5C 6C 9C KC 6D 7D QD 5H 6S 7S QS KS",
            "3C 4C 2D 4D 5D AD 3H 6H QH KH 4S 9S TS",
        ],
    ),
    (
        "7",
        "hearts",
        1,
        [
            "3C 6C TC 3D 7D 3H 5H JH 3S 5S 7S QS AS",
            "2C 5C 7C 4D 8D TD AD 4H 6H 8H KH TS JS",
            "8C JC QC KC AC 5D 6D 9D 2H 9H AH 4S 9S",
            "4C 9C 2D JD QD KD 7H TH QH 2S 6S 8S KS",
        ],
    ),
    (
        "0" * 64,
        "gongzhu",
        0,
        [
            "2C 8C 5D 6D 7D 7H 8H JH KH 2S 4S 5S 6S",
            "5C 6C 7C JC JD QD KD 2H 6H QH TS QS KS",
            "3C 4C TC QC 8D 9D TD AD 4H 5H 7S 8S JS",
            "9C KC AC 2D 3D 4D 3H 9H TH AH 3S 9S AS",
        ],
    ),
    (
        "0" * 64,
        "gongzhu-five",
        3,
        [
            "3C 7C 6D 9D KD AD QH AH 9S AS",
            "5C 9C TC KC 7D 4H 7H 9H 3S JS",
            "4C 6C QC 3D 5D 6H JH 5S 7S TS",
            "8C 8D TD 8H KH 2S 4S 6S QS KS",
            "JC AC 4D JD QD 2H 3H 5H TH 8S",
        ],
    ),
]


@pytest.mark.parametrize(("seed", "preset", "number", "hands"), VECTORS)
def test_the_published_vectors_hold(seed: str, preset: str, number: int, hands: list[str]) -> None:
    assert [names(hand) for hand in deal_hands(PRESETS[preset], seed_from(seed), number)] == hands


@pytest.mark.parametrize("number", [0, 1, 255, 256, 70_000])
def test_the_recipe_in_plain_words_gives_the_same_deck(number: int) -> None:
    """SHA-256 in counter mode, a byte for each number, rejected above the largest multiple; Fisher-Yates downward."""
    seed = seed_from("7")
    stream: list[int] = []
    for block in range(40):
        parts = [b"pigpen/1/deal", seed, number.to_bytes(8, "big"), block.to_bytes(8, "big")]
        stream += hashlib.sha256(b"".join(parts)).digest()
    deck = list(CARDS)
    for size in range(52, 1, -1):
        while stream[0] >= 256 // size * size:
            stream.pop(0)
        other = stream.pop(0) % size
        deck[size - 1], deck[other] = deck[other], deck[size - 1]
    assert shuffled(HEARTS, seed, number) == deck


def test_derived_numbers_depend_on_every_argument() -> None:
    numbers = [
        derived_number("bot", ZERO, 1, 2),
        derived_number("bot", ZERO, 2, 1),
        derived_number("bot", ZERO, 1),
        derived_number("seat", ZERO, 1, 2),
        derived_number("bot", seed_from("7"), 1, 2),
    ]
    assert len(set(numbers)) == 5
    assert all(0 <= number < 2**64 for number in numbers)


def test_every_card_is_equally_likely_in_every_place() -> None:
    """Chi-square over 52 cards × 52 places: 2601 degrees of freedom, standard deviation 72; the seed is fixed."""
    deals = 2080
    seen: Counter[tuple[int, Card]] = Counter()
    for number in range(deals):
        seen.update(enumerate(shuffled(HEARTS, ZERO, number)))
    expected = deals / 52
    chi_square = sum((seen[place, card] - expected) ** 2 / expected for place in range(52) for card in CARDS)
    assert abs(chi_square - 51 * 51) < 4 * 72


def test_no_two_bots_of_a_match_draw_from_the_same_number() -> None:
    """In 250 deals at five seats, without boards and on boards in five rotations."""
    tables = [(), *((rotation,) for rotation in range(5))]
    places = [(deal, seat, *table) for deal in range(250) for seat in range(5) for table in tables]
    assert len({derived_number("bot", ZERO, *place) for place in places}) == len(places)


def bits_changed(one: int, other: int) -> int:
    return (one ^ other).bit_count()


def test_a_bots_number_tells_nothing_of_the_seed_or_of_its_neighbours_numbers() -> None:
    """One bit of the seed, or the next seat, deal or rotation, changes half of its 64 bits, like a coin for each."""
    seed = seed_from("7")
    own = derived_number("bot", seed, 3, 1, 2)
    flipped = [bytearray(seed) for _ in range(256)]
    for bit, other in enumerate(flipped):
        other[bit // 8] ^= 1 << bit % 8
    changes = [bits_changed(own, derived_number("bot", bytes(other), 3, 1, 2)) for other in flipped]
    neighbours = [(deal, seat, table) for deal in range(8) for seat in range(5) for table in range(5)]
    changes += [bits_changed(own, derived_number("bot", seed, *place)) for place in neighbours if place != (3, 1, 2)]
    assert len(changes) == 256 + 199
    assert abs(sum(changes) / len(changes) - 32) < 1  # its standard deviation is 0.19
    assert min(changes) > 12
    assert max(changes) < 52


def test_no_two_uses_of_the_seed_hash_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes from which a bot's seed comes are none of those that deal the cards or seat the bots."""
    hashed: list[bytes] = []
    digest = hashlib.sha256

    def listen(content: bytes) -> object:
        hashed.append(content)
        return digest(content)

    monkeypatch.setattr(hashlib, "sha256", listen)
    for number in range(20):
        shuffled(HEARTS, ZERO, number)
        shuffle("seating", ZERO, number, range(24))
        for seat in range(5):
            derived_number("bot", ZERO, number, seat)
            for rotation in range(5):
                derived_number("bot", ZERO, number, seat, rotation)
    assert len(hashed) >= 20 * (2 + 1 + 5 + 25)
    assert len(set(hashed)) == len(hashed)
