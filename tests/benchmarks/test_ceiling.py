"""The benchmark of known cards: who knows them, in which phase, and that a bot's view stays as it is."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from benchmarks import ceiling
from benchmarks.ceiling import ALL, ANCHOR, COLUMNS, PHASES, Ceiling, Player, gone, phase_of
from pigpen import Phase, View
from pigpen.rules import PRESETS, Action, Deal, Face, Rules, deal_hands, seed_from
from pigpen.search import CardTree
from tests.rules.players import any_action
from tests.rules.table import named

SEED = seed_from("ceiling")


def first(view: View, deal: Deal) -> Action:
    """The first legal action."""
    return deal.default_action(view.seat)


def noting(noted: list[tuple[Deal, int]]) -> Player:
    """A player that notes when it was asked."""

    def player(view: View, deal: Deal) -> Action:
        noted.append((deal.copy(), view.seat))
        return first(view, deal)

    return player


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_the_phases_of_a_deal_follow_each_other(rules: Rules) -> None:
    deal = Deal(rules, deal_hands(rules, SEED, 0))
    phases = [phase_of(deal)]
    while not deal.is_over:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
        if phase_of(deal) != phases[-1]:
            phases.append(phase_of(deal))
    places = [PHASES.index(phase) for phase in phases if phase]
    assert all(one < other for one, other in pairwise(places))
    assert places[-3:] == [1, 2, 3]
    assert (places[0] == 0) == bool(rules.passing or rules.exposing)


@pytest.mark.parametrize("name", ["hearts", "gongzhu", "gongzhu-five"])
def test_each_column_has_the_other_player_in_its_phase_alone(name: str) -> None:
    """Every other seat is such a player: at the one table from the first seat on, at the other from the second."""
    for column in COLUMNS:
        noted: list[tuple[Deal, int]] = []
        own: list[tuple[Deal, int]] = []
        anchor = noting(noted) if column == ANCHOR else first
        table = Ceiling(PRESETS[name], SEED, noting(own), noting(noted), anchor, columns=[column])
        table.play(0)
        phases = {phase_of(deal) for deal, _ in noted}
        assert phases == ({column} if column in PHASES else set(PHASES))
        assert {seat % 2 for _, seat in noted} == {0, 1}
        assert [*table.better] == [column]
        assert own


def test_players_that_play_alike_are_as_good_as_each_other() -> None:
    table = Ceiling(PRESETS["hearts"], SEED, first, first, first)
    for number in range(2):
        table.play(number)
    assert dict(table.better) == {column: [0.0, 0.0] for column in COLUMNS}
    assert table.row() == ("hearts", "2", *["–"] * 7)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_who_knows_the_cards_samples_the_deal_as_it_is(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards face down included; afterwards the same view samples other deals again."""
    rng = random.Random(5)
    deal, sampled = Deal(rules, deal_hands(rules, SEED, 1), number=1), []

    def look(view: View) -> Action:
        again = view.sample(view.rng)
        sampled.append((again.hands, again.exposures) == (deal.hands, deal.exposures))
        if view.phase is Phase.PLAY and len(view.hand) <= 5:
            assert CardTree(view, view.rng).solved() is not None
        return deal.default_action(view.seat)

    monkeypatch.setattr(ceiling, "ordinary", lambda given, view, deal: look(view))
    hidden = False
    while not deal.is_over:
        for seat in deal.to_act:
            if deal.phase is not Phase.MOON:
                ceiling.knowing(0.0, View(*deal.known_to(seat)), deal)
            put_down = deal.phase is Phase.EXPOSE and rules.exposing and rules.exposing.face_down
            action = dict.fromkeys(deal.legal(seat), Face.DOWN) if put_down else any_action(deal, seat, rng)
            deal.apply(seat, action)
        hidden |= any(shown.face is Face.DOWN for shown in deal.exposures)
    assert all(sampled)
    assert hidden == bool(rules.exposing and rules.exposing.face_down)
    start = Deal(rules, deal_hands(rules, SEED, 1), number=1)
    seat = start.to_act[0]
    view = View(*start.known_to(seat), seed=1)
    assert view.sample(view.rng).hands != start.hands


def test_the_part_of_the_way_has_an_error_where_both_ends_are_measured() -> None:
    assert gone((3.0, 0.0), (1.0, 0.5)) == "–"
    assert gone((3.0, 0.4), (1.0, 0.4)) == "75 ± 8 %"
    assert gone((-3.0, 0.4), (1.0, 0.4)) == "–"
    assert ALL in COLUMNS
