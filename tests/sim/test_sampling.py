"""`view.sample`: every deal that fits, each as often as the others, and never one that does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Deal, Face, Phase, cards_in, mask_of
from pigpen.rules.actions import MoonChoice
from pigpen.rules.cards import FULL_DECK
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_SALE, HEARTS, HEARTS_SHORT
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.splits import Unfit
from tests.rules.piles import key_of, possible
from tests.rules.players import any_action, lumpy_deal, walk
from tests.rules.table import MIXED, NO_PASS, dealt, expose, mask, named, play, small
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from pigpen import View
    from pigpen.rules import Rules

ONE_PASSED = replace(HEARTS, passing=replace(HEARTS.passing, cards=1)) if HEARTS.passing else HEARTS
WESTERN = "2C TC 3D | 5C 4H QS | 3C 9D AH | 7D 2H JS"
SALE = "2S JD 3D | 3S AH 4D | TC 5H AS | 7D QS 8D"
FOUR_EACH = "2S 3S 4S 9D | 3C AH 5S 6D | TC JD AS 2H | 6S 7S QS 3H"
CHINESE = "2S JD 6S | 3S 4S AH | TC 5H AS | 7D QS 8C"
LATER = pytest.mark.long
SEEDS = [0, *(pytest.param(seed, marks=LATER) for seed in (1, 2))]
"""For deals much like another one."""
EACH = 4
"""Times that each possible deal is to be drawn, where that is counted."""


TELLING = ("hearts", "chinese-hearts", "gongzhu", "gongzhu-five", "gongzhu-sale")
"""Presets that have, together, all that a sampler has to know."""


def states_of(deal: Deal, rng: Random) -> list[View]:
    """A view from each place of the deal, of a seat that is asked and of one that is not."""
    views = []
    for now in walk(deal, rng):
        if now.phase is Phase.PLAY:
            views.append(bot_view(now, (now.turn + 2) % now.rules.players))
        if now.phase not in (Phase.OVER, Phase.MOON):
            views.append(bot_view(now, now.to_act[0]))
    return views


def ways(view: View) -> int:
    """Count the deals as the sampler does, apart from passes that no seat saw."""
    view.sample(Random(1))
    assert view._possible is not None
    return view._possible.unseen.ways()


@pytest.mark.parametrize(
    ("rules", "table"),
    [
        pytest.param(HEARTS_SHORT, WESTERN, marks=LATER), (HEARTS, WESTERN), (CHINESE_HEARTS, WESTERN),
        (HEARTS, "2C QS 3H | 4H 5H 6H | 7H JS 9H | TH JH AH"), (GONGZHU, CHINESE),
        pytest.param(GONGZHU, "2S JD QS | AH 4S 5S | TC 2C AS | 6S 7S 8S", marks=LATER),
        (GONGZHU_SALE, "2S JD | 3S AH | TC 5H | 7D QS"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)  # fmt: skip
@pytest.mark.parametrize("seed", SEEDS)
def test_as_many_deals_are_counted_as_there_are(rules: Rules, table: str, seed: int) -> None:
    """Every place of a small deal."""
    rng, number = Random(seed), 0 if rules.exposing else NO_PASS
    for view in states_of(small(rules, table, number=number), rng):
        worlds = possible(view)
        assert ways(view) == len(worlds)
        assert {key_of(view.sample(rng)) for _ in range(20)} <= worlds


@pytest.mark.parametrize("number", SEEDS)
def test_what_others_passed_unseen_is_drawn_too(number: int) -> None:
    """Left, and in `make test-long` right and across; one card each, so that all ways can be tried."""
    rng = Random(number)
    deal = small(ONE_PASSED, WESTERN, number=number)
    views = [view for view in states_of(deal, rng) if view.phase is Phase.PLAY][5:9:2]
    for view in views[-1:]:
        worlds = possible(view)
        assert len(worlds) == ways(view) * 3**2
        assert_uniform(Counter(key_of(view.sample(rng)) for _ in range(EACH * len(worlds))), worlds)


@pytest.mark.parametrize(
    ("deal", "seat", "cards"),
    [
        (small(HEARTS, WESTERN), 3, "2C 5C 3C"),
        (small(HEARTS, "2C 3D 4H | 5D QS 3C | 3H 9D AH | 7D 2H JS"), 0, "2C 3C"),
        (expose(small(GONGZHU, CHINESE, number=0), up="QS"), 0, "6S 4S AS QS"),
        (expose(small(GONGZHU, CHINESE, number=0)), 1, "2S"),
        (expose(small(GONGZHU_SALE, SALE, number=0), down="AH QS TC"), 0, "2S 3S AS"),
        (expose(small(GONGZHU_SALE, "2S JD 3D | 3S AH TC | 7C 5H AS | 7D QS 8D", number=0), down="AH QS TC"), 2, "2S"),
        (expose(small(GONGZHU, FOUR_EACH, number=0)), 3, "9D 6D JD 3H AS"),
    ],
)  # fmt: skip
def test_each_deal_that_fits_is_as_likely_as_any_other(deal: Deal, seat: int, cards: str) -> None:
    view = bot_view(play(deal.copy(), cards), seat)
    worlds = possible(view)
    rng = Random(2)
    assert len(worlds) > 5
    assert_uniform(Counter(key_of(view.sample(rng)) for _ in range(2 * EACH * len(worlds))), worlds)


def assert_uniform(seen: Counter[tuple[object, ...]], worlds: set[tuple[object, ...]]) -> None:
    """Chi-square, within four standard deviations; the seeds are fixed, so it holds always or never."""
    assert seen.keys() <= worlds
    expected = seen.total() / len(worlds)
    distance = sum((seen[world] - expected) ** 2 for world in worlds) / expected
    freedom = len(worlds) - 1
    assert distance <= freedom + 4 * (2 * freedom) ** 0.5 + 4


@pytest.mark.parametrize(
    "rules",
    [pytest.param(rules, marks=() if name in TELLING else pytest.mark.long) for name, rules in PRESETS.items()],
    ids=named,
)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_true_deal_is_never_ruled_out_and_what_is_drawn_looks_alike(rules: Rules, seed: int) -> None:
    """Views of real deals of every seat in every phase."""
    rng = Random(3 + seed)
    for deal in walk(lumpy_deal(rules, rng), rng):
        for seat in range(rules.players) if not deal.is_over else ():
            view = bot_view(deal, seat)
            for sample in (view.sample(rng), view.sample(rng)):
                assert bot_view(sample, seat) == view or seat not in deal.to_act
                assert sample.phase is deal.phase
                assert sum(sample.hands) == sum(deal.hands)
                assert sample.plays == deal.plays
            assert_possible(view, deal)


def assert_possible(view: View, deal: Deal) -> None:
    """Every card lies in a place that the sampler allows for it."""
    assert view._possible is not None
    unseen = view._possible.unseen
    places = []
    for place in unseen.places:
        down = mask_of(
            shown.card for shown in deal.exposures if shown.face is Face.DOWN and shown.seat == place.seat
        ) & deal.hands[place.seat]  # fmt: skip
        down = down if view.hidden[place.seat] else 0
        places.append(down if place.face_down else deal.hands[place.seat] & ~down)
    for cards, groups in zip(unseen.splits.cards, unseen.splits.groups, strict=True):
        allowed = [place for group in groups for place in unseen.groups[group]]
        assert all(any(places[place] >> card & 1 for place in allowed) for card in cards)
    assert [mine.bit_count() for mine in places] == [place.size for place in unseen.places]


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_a_sample_can_be_played_to_its_end_and_passed_and_exposed_in_by_everybody(rules: Rules) -> None:
    rng = Random(4)
    for number in range(4):
        deal = lumpy_deal(rules, rng)
        for _ in range(10 * number):
            deal.apply(deal.to_act[0], any_action(deal, deal.to_act[0], rng))
        sample = bot_view(deal, deal.to_act[0]).sample(rng)
        for _ in walk(sample, rng):
            pass
        assert sample.is_over
        assert sum(sample.taken) == rules.plan.deck_mask


def test_one_sample_does_not_change_with_another() -> None:
    view = bot_view(dealt(GONGZHU, "2S"), 0)
    first, second = view.sample(Random(1)), view.sample(Random(2))
    before = list(second.hands)
    for _ in walk(first, Random(5)):
        pass
    assert second.hands == before
    assert view.sample(Random(1)).hands == view.sample(Random(1)).hands != before


def test_the_shooter_who_is_asked_may_sample_too() -> None:
    deal = dealt(HEARTS, "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD")
    while deal.phase is Phase.PLAY:
        deal.apply(deal.turn, deal.default_action(deal.turn))
    assert deal.phase is Phase.MOON
    sample = bot_view(deal, deal.turn).sample(Random(1))
    sample.apply(sample.turn, MoonChoice.ADD)
    assert sample.scores() == tuple(26 * (seat != deal.turn) for seat in range(4))
    deal.apply(deal.turn, MoonChoice.ADD)
    with pytest.raises(ValueError, match="the deal is over"):
        bot_view(deal, 0).sample(Random(1))


def test_a_view_that_no_deal_fits_is_refused() -> None:
    view = bot_view(play(expose(small(GONGZHU, CHINESE, number=0)), "2S"), 1)
    view.plays = bytes([*view.plays, *cards_in(mask("3S 8C TC"))])
    view.hand_mask = mask("AH")
    with pytest.raises(Unfit, match="no deal fits"):
        view.sample(Random(1))


@pytest.mark.parametrize(
    "table",
    [
        "2S 2H QS | 3S 4S AH | TC 5H AS | 7D 3H 8C",
        pytest.param("2S AH KH | 2H 3H QS | TC 5S 6S | 7H 8C 8D", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_rules_of_ones_own_are_sampled_exactly_too(table: str, seed: int) -> None:
    rng = Random(seed)
    for view in states_of(small(MIXED, table, number=0), rng)[::2]:
        worlds = possible(view)
        assert_uniform(Counter(key_of(view.sample(rng)) for _ in range(EACH * len(worlds))), worlds)


def test_chance_is_the_same_for_the_same_seed_and_keeps_within_its_bounds() -> None:
    first, second = SimRandom(7), SimRandom(7)
    assert [first.below(52) for _ in range(99)] == [second.below(52) for _ in range(99)]
    counts = Counter(SimRandom(seed * 0x9E3779B97F4A7C15).below(13) for seed in range(1, 13_001))
    assert set(counts) == set(range(13))
    assert max(counts.values()) < 1200 < FULL_DECK
    assert SimRandom.of(Random(3)).word() == SimRandom.of(Random(3)).word() < 1 << 64


@pytest.mark.parametrize("leader", [None, 0, 3])
def test_GZ_2_in_any_deal_the_first_leader_holds_the_opening_card_unless_it_leads_for_the_pig(
    leader: int | None,
) -> None:
    """Seat 0 holds 2S. Asked about exposures and after the first card, by a seat that did not lead."""
    rng = Random(7)
    deal = small(GONGZHU, CHINESE, number=4, leader=leader)
    asked = bot_view(deal, 2)
    deal = expose(deal, "")
    deal.play(deal.legal(deal.turn)[-1])
    led = bot_view(deal, 2)
    for view in (asked, led):
        worlds = possible(view)
        assert view.first_leader == leader
        assert ways(view) == len(worlds)
        assert_uniform(Counter(key_of(view.sample(rng)) for _ in range(EACH * len(worlds))), worlds)
    holds_it = {bool(led.sample(rng).dealt[0] & mask("2S")) for _ in range(60)}
    assert holds_it == ({True} if leader is None else {True, False})
    assert {expose(asked.sample(rng), "").turn for _ in range(60)} == ({0, 1, 3} if leader is None else {leader})
