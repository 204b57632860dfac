"""The benchmarks of tree search: deals are played twice with the same cards, and verdicts are compared."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from unittest.mock import Mock

import pytest

from benchmarks import choices, tree
from benchmarks.choices import Agreement, Comparison, endings
from benchmarks.tree import Match, Player, rounds
from ladder.matches.estimate import FULL
from pigpen import Card, Phase, View, is_accelerated
from pigpen.rules import PRESETS, Action, Deal, deal_hands, seed_from
from pigpen.sim import native


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("name", ["hearts", "gongzhu-five", "gongzhu-partners"])
def test_two_bots_that_play_alike_are_as_good_as_each_other(
    name: str, sealed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lowest(view: View, seconds: float) -> Card:
        return view.legal[0]

    def first(view: View, seconds: float) -> Action:
        return view.hand[: view.pass_count] if view.phase is Phase.PASS else {}

    monkeypatch.setattr(tree, "PASS_TRIALS", 1)
    match = Match(PRESETS[name], (0.001, 0.002), seed_from("alike"), (Player(lowest, first),) * 2, sealed)
    for number in range(2):
        match.play(number)
    if PRESETS[name].players == 4:
        assert match.better == [0, 0]
    assert match.used[0]
    assert match.used[1]
    assert len(match.row()) == 6


def test_all_bots_choose_a_legal_card_without_time() -> None:
    view, _ = next(endings(PRESETS["gongzhu"], seed_from("few")))
    assert {each.card(view, 0.0) for each in tree.BOTS.values()} <= {*view.legal}


@pytest.mark.parametrize("name", ["hearts", "gongzhu-sale"])
def test_all_bots_pass_or_expose_without_time(name: str) -> None:
    deal = Deal(PRESETS[name], deal_hands(PRESETS[name], seed_from("few"), 0))
    seat = deal.to_act[0]
    for player in tree.BOTS.values():
        deal.check(seat, player.sealed(View(*deal.known_to(seat)), 0.0))


def test_with_sealed_each_bot_passes_for_itself_in_its_own_time() -> None:
    """Two seats each, in turn: seat 0 is the one bot's at the first table, the other one's at the second."""
    passed: list[tuple[int, str]] = []

    def player(name: str, given: float) -> Player:
        def note(view: View, seconds: float) -> Action:
            assert seconds == pytest.approx(tree.SEALED * given)
            passed.append((view.seat, name))
            return view.hand[: view.pass_count]

        def lowest(view: View, seconds: float) -> Card:
            assert seconds == given
            return view.legal[0]

        return Player(lowest, note)

    bots = player("tree", 0.001), player("other", 0.004)
    Match(PRESETS["hearts"], (0.001, 0.004), seed_from("alike"), bots, sealed=True).play(0)
    assert passed == [(seat, ("tree", "other")[(seat + table) % 2]) for table in (0, 1) for seat in range(4)]


def test_the_tree_of_another_library_plays_with_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    other, own = Mock(), native.engine()
    monkeypatch.setattr(tree, "by_tree", lambda view, seconds: native.engine())
    assert tree.tree_of(other).card(Mock(), 0.0) is other
    assert native.engine() is own


def test_two_deals_at_least_are_played() -> None:
    assert [*rounds(0)] == [0, 1]


def test_a_verdict_is_compared_with_the_solution() -> None:
    effort, found = replace(FULL, cards=40, searched=40), Agreement()
    for view, worth in islice(endings(PRESETS["hearts"], seed_from("few")), 4):
        assert len(view.hand) <= choices.TRICKS
        assert {*worth} == {*view.legal}
        found.note(view, effort, worth)
        assert found.lost[-1] in [max(worth.values()) - value for value in worth.values()]
        assert (found.lost[-1] == 0) == (found.best[-1] == 1)
    assert len(found.row()) == 4


@pytest.mark.skipif(not is_accelerated(), reason="the deals are played on by the engine in C")
@pytest.mark.parametrize("name", ["hearts", "gongzhu-partners"])
def test_the_better_card_is_the_one_that_the_deal_goes_better_with(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the bots one always plays the worst card, by the policy that plays on, and the other one the best."""
    found = Comparison(PRESETS[name], 0.001, seed_from("few"))
    values: dict[Card, float] = {}

    def after(deal: Deal, card: Card, seed: int) -> tuple[float, float]:
        return values[card], 2 * values[card]

    def note(view: View, seconds: float) -> Card:
        values.update(zip(view.legal, range(len(view.legal)), strict=True))
        return view.legal[-1]

    monkeypatch.setattr(choices, "ASKED", 1)
    monkeypatch.setattr(choices, "after", after)
    monkeypatch.setattr(choices, "by_tree", note)
    monkeypatch.setattr(choices, "by_playouts", lambda view, seconds: view.legal[0])
    for number in range(2):
        found.play(number)
    assert (found.decisions, min(found.gains[0]) > 0) == (found.differ, True)
    assert found.gains[1] == [2 * gain for gain in found.gains[0]]
    assert len(found.row()) == 7


@pytest.mark.skipif(not is_accelerated(), reason="the deals are played on by the engine in C")
def test_after_the_last_choice_both_policies_bring_the_same() -> None:
    view, _ = next(each for each in endings(PRESETS["gongzhu"], seed_from("few")) if len(each[0].hand) == 2)
    deal = view.sample(view.rng)
    one, other = choices.after(deal, view.legal[0], 1)
    assert one == pytest.approx(other, abs=60)
    assert choices.after(deal, view.legal[0], 1) == (one, other)
