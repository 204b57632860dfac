"""The benchmarks of tree search: deals are played twice with the same cards, and verdicts are compared."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from benchmarks import tree, verdicts
from benchmarks.tree import Match, rounds
from benchmarks.verdicts import Agreement, endings
from ladder.matches.estimate import FULL
from pigpen import Card, View
from pigpen.rules import PRESETS, seed_from


@pytest.mark.parametrize("name", ["hearts", "gongzhu-five", "gongzhu-partners"])
def test_two_bots_that_play_alike_are_as_good_as_each_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def lowest(view: View, seconds: float) -> Card:
        return view.legal[0]

    monkeypatch.setattr(tree, "PASS_TRIALS", 1)
    monkeypatch.setattr(tree, "by_tree", lowest)
    monkeypatch.setattr(tree, "by_playouts", lowest)
    match = Match(PRESETS[name], 0.001, seed_from("alike"))
    for number in range(2):
        match.play(number)
    if PRESETS[name].players == 4:
        assert match.better == [0, 0]
    assert match.used[0]
    assert match.used[1]
    assert len(match.row()) == 6


def test_both_bots_choose_a_legal_card_without_time() -> None:
    view, _ = next(endings(PRESETS["gongzhu"], seed_from("few")))
    assert {tree.by_tree(view, 0.0), tree.by_playouts(view, 0.0)} <= {*view.legal}


def test_two_deals_at_least_are_played() -> None:
    assert [*rounds(0)] == [0, 1]


def test_a_verdict_is_compared_with_the_solution() -> None:
    effort, found = replace(FULL, cards=40, searched=40), Agreement()
    for view, worth in islice(endings(PRESETS["hearts"], seed_from("few")), 4):
        assert len(view.hand) <= verdicts.TRICKS
        assert {*worth} == {*view.legal}
        found.note(view, effort, worth)
        assert found.lost[-1] in [max(worth.values()) - value for value in worth.values()]
        assert (found.lost[-1] == 0) == (found.best[-1] == 1)
    assert len(found.row()) == 4
