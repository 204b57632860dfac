"""Tree search: it sees only its view, answers the same again, stays within its memory, and plays endings well."""

from __future__ import annotations

import ctypes
import random
import sys
from typing import TYPE_CHECKING

import pytest

from pigpen import View, is_accelerated, margin, solve
from pigpen.rules import PRESETS, Phase
from pigpen.search import CardTree, race
from pigpen.sim import card_tree, native
from pigpen.sim.card_tree import MAX_BRANCHES_OF_ALL, MIN_BRANCHES, SOLVED_TRICKS
from pigpen.sim.playout import MAX_DEALS, check_deals
from pigpen.sim.possible_deals import PossibleDeals
from pigpen.sim.sampling import Unseen
from pigpen.sim.sim_random import SimRandom
from tests.rules.players import any_action, lumpy_deal, somewhere
from tests.rules.table import ODD, named
from tests.sim.views import bot_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules import Card, Deal, Rules

ALL = pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)
GUARD = b"\xa5" * 4096
accelerated = pytest.mark.skipif(not is_accelerated(), reason="the tree is in the accelerated engine")


def begun(rules: Rules, rng: random.Random) -> Deal:
    """A deal in which cards are being played; everything that may be exposed often is."""
    deal = lumpy_deal(rules, rng)
    while deal.phase in (Phase.PASS, Phase.EXPOSE):
        deal.apply(deal.to_act[0], any_action(deal, deal.to_act[0], rng))
    return deal


def places(rules: Rules, number: int, seed: int = 21) -> Iterator[Deal]:
    """Places of deals where a seat has a choice of cards."""
    rng = random.Random(seed)
    while number:
        deal = somewhere(begun(rules, rng), rng)
        if deal.phase is Phase.PLAY and len(deal.legal(deal.turn)) > 1:
            number -= 1
            yield deal


def endings(rules: Rules, cards: int, number: int) -> Iterator[Deal]:
    """Deals played at random until each seat has *cards* cards, and the first has a choice."""
    rng = random.Random(26)
    for _ in range(number):
        deal = begun(rules, rng)
        while deal.playable and deal.hands[deal.turn].bit_count() > cards:
            deal.apply(deal.turn, any_action(deal, deal.turn, rng))
        if len(deal.legal(deal.turn)) > 1 and not len(deal.plays) % rules.players:
            yield deal


def search(view: View, deals: int = 60, seed: int = 5) -> dict[Card, tuple[float, ...]]:
    return CardTree(view, random.Random(seed)).scores(deals)


@ALL
def test_only_what_the_seat_knows_counts(rules: Rules) -> None:
    """The hidden cards are dealt again, and nothing changes; a tree is asked twice."""
    for deal in places(rules, 6):
        view = bot_view(deal, deal.turn)
        other = bot_view(view.sample(random.Random(3)), deal.turn)
        assert other == view
        one, two = (CardTree(each, random.Random(7)) for each in (view, other))
        assert [one.scores(30), one.scores(30)] == [two.scores(30), two.scores(30)]


@ALL
def test_the_same_seed_gives_the_same_figures_and_another_seed_others(rules: Rules) -> None:
    found = []
    for deal in places(rules, 4, seed=22):
        view = bot_view(deal, deal.turn)
        assert search(view) == search(view)
        found.append(search(view) == search(view, seed=6))
    assert not all(found)


@ALL
def test_every_legal_card_is_tried_and_no_other(rules: Rules) -> None:
    rng = random.Random(9)
    for deal in places(rules, 6, seed=23):
        view = bot_view(deal, deal.turn)
        tree, some = CardTree(view, rng), rng.sample(view.legal, rng.randint(1, len(view.legal)))
        assert [*tree.scores(3)] == [*view.legal]
        assert [*tree.scores(3, some)] == sorted(some)
        assert len(tree.trial(some)) == len(some)
        assert race(view.legal, tree.trial, 0.0, 1) in view.legal


def test_what_cannot_be_searched_is_refused() -> None:
    deal = next(places(PRESETS["gongzhu"], 1))
    view = bot_view(deal, deal.turn)
    with pytest.raises(ValueError, match="that is to play"):
        CardTree(bot_view(deal, (deal.turn + 1) % 4), random.Random(1))
    for cards in ((), [card for card in view.hand if card not in view.legal][:1] or view.unseen):
        with pytest.raises(ValueError, match="more legal cards"):
            CardTree(view, random.Random(1)).scores(1, cards)


@pytest.mark.parametrize("branches", [MIN_BRANCHES - 1, MAX_BRANCHES_OF_ALL + 1, 1 << 62, sys.maxsize, 1 << 80])
def test_a_tree_that_is_too_small_or_too_large_is_refused(branches: int) -> None:
    """The bytes of a tree of 2**62 branches are no number of 64 bits: the engine would write behind its memory."""
    deal = next(places(PRESETS["gongzhu"], 1))
    with pytest.raises(ValueError, match=r"64 to 4,294,967,295 branches, not "):
        CardTree(bot_view(deal, deal.turn), random.Random(1), branches)


@pytest.mark.parametrize("deals", [-1, 0, (1 << 32) + 1, 1 << 63, (1 << 64) + 3])
def test_deals_that_cannot_be_counted_are_refused(deals: int) -> None:
    deal = next(places(PRESETS["gongzhu"], 1))
    view = bot_view(deal, deal.turn)
    with pytest.raises(ValueError, match="1 to 4,294,967,296 deals "):
        CardTree(view, random.Random(1)).scores(deals)
    with pytest.raises(ValueError, match="1 to 4,294,967,296 deals "):
        view.playouts(deals, random.Random(1))


def test_as_many_deals_as_can_be_counted_are_taken() -> None:
    check_deals(1)
    check_deals(MAX_DEALS)


@accelerated
@pytest.mark.parametrize("branches", [MIN_BRANCHES, 500])
@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_a_tree_keeps_within_its_memory(rules: Rules, branches: int) -> None:
    """The search continues when all branches are in use, and what lies behind the last one stays as it is."""
    engine = native.engine()
    assert engine
    deal = next(places(rules, 1, seed=24))
    view = bot_view(deal, deal.turn)
    possible, tree = PossibleDeals(view), engine.new_tree(branches, SimRandom(7).state)
    size = engine.tree_size(branches)
    memory = bytearray(ctypes.string_at(tree.address, size) + GUARD)
    tree.address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for _ in range(2):
        engine.search(possible.known_position(), possible.unseen.tables, view, tree, view.legal_mask, 600)
    used = int.from_bytes(memory[24:32], "little")
    assert len(view.legal) < used <= branches
    assert memory[size:] == GUARD


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_a_small_tree_is_a_search_too(rules: Rules) -> None:
    for deal in places(rules, 2, seed=25):
        view = bot_view(deal, deal.turn)
        assert [*CardTree(view, random.Random(1), MIN_BRANCHES).scores(400)] == [*view.legal]


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_where_one_deal_fits_the_card_of_the_solution_is_played(rules: Rules) -> None:
    tried = 0
    for deal in endings(rules, 2, 60):
        view = bot_view(deal, deal.turn)
        if Unseen(view).ways() == 1:
            tried += 1
            assert CardTree(view, random.Random(1)).solved() == solve(deal).card
    assert tried


@accelerated
@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_the_search_itself_finds_the_best_card_of_a_solved_ending(rules: Rules) -> None:
    tried = 0
    for deal in endings(rules, 3, 150):
        view = bot_view(deal, deal.turn)
        if Unseen(view).ways() == 1:
            tried += 1
            tree = CardTree(view, random.Random(1))
            tree.scores(3000)
            late = tree.scores(1000)
            best = max(view.legal, key=lambda card: margin(rules, late[card], view.seat))
            worth = {card: margin(rules, scores, view.seat) for card, scores in solve(deal).choices.items()}
            assert worth[best] == max(worth.values())
    assert tried


def test_nothing_is_solved_early_or_while_several_deals_fit_or_for_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = PRESETS["gongzhu"]
    early = next(endings(rules, SOLVED_TRICKS + 1, 50))
    late = next(deal for deal in endings(rules, SOLVED_TRICKS, 50) if Unseen(bot_view(deal, deal.turn)).ways() > 1)
    assert CardTree(bot_view(late, late.turn), random.Random(1)).solved() is None
    monkeypatch.setattr(Unseen, "ways", lambda self: 1)
    assert CardTree(bot_view(early, early.turn), random.Random(1)).solved() is None
    assert CardTree(bot_view(late, late.turn), random.Random(1)).solved() in late.legal(late.turn)
    monkeypatch.setattr(card_tree, "SOLVE_LIMIT", 0)
    assert CardTree(bot_view(late, late.turn), random.Random(1)).solved() is None


def test_without_the_engine_it_tries_cards_by_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = next(endings(PRESETS["gongzhu"], 8, 20))
    view = bot_view(deal, deal.turn)
    assert CardTree(view, random.Random(1)).is_tree == is_accelerated()
    monkeypatch.setattr(native, "engine", lambda: None)
    tree, again = (CardTree(view, random.Random(1)) for _ in range(2))
    assert not tree.is_tree
    values = tree.trial(view.legal)
    assert values == again.trial(view.legal)
    assert tree.trial(view.legal) != values, "each trial samples other deals"
