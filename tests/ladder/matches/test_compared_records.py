"""Comparison of two bots by their records: by parts of deals, and favours."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import pytest

from ladder.matches import compared_records
from ladder.matches.compared_records import ComparedRecords, gifts, phase_differences, phase_ends
from pigpen.rules import PRESETS, Phase
from referee.match.formats import seats_of
from referee.records.recorded import Recorded
from referee.replay.deal_replay import DealReplay
from tests.ladder.ladders import played
from tests.referee.recorded import SEED, match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from pigpen import View
    from pigpen.rules import Action
    from referee.seats.seat import Seat

BOARDS = 40


@pytest.mark.parametrize("variant", PRESETS)
def test_the_parts_of_a_deal_add_up_to_the_difference_of_the_scores(variant: str) -> None:
    recorded = Recorded.of(played(variant))
    sign = -1 if recorded.rules.low_is_better else 1
    for line in recorded.deals:
        replay = DealReplay(recorded.rules, recorded.first, line)
        parts = phase_differences(replay, 0, 1)
        assert len(parts) == len(phase_ends(recorded.rules.hand_size)) == 3
        assert sum(parts) == sign * (line.scores[0] - line.scores[1])


@pytest.mark.parametrize("variant", ["hearts", "gongzhu"])
def test_what_a_seat_gets_is_what_others_give_it_and_what_it_plays_itself(variant: str) -> None:
    recorded = Recorded.of(played(variant))
    rules = recorded.rules
    for line in recorded.deals:
        deal = DealReplay(rules, recorded.first, line).moments[-1].deal
        if deal.exposures:
            continue
        given = gifts(rules, deal)
        own = {(play.seat, play.card) for trick in deal.view(0).tricks for play in trick}
        for seat in range(rules.players):
            foreign = [card for giver, card in own if giver != seat and deal.taken[seat] & card.mask]
            assert sum(row[seat] for row in given) == pytest.approx(-sum(rules.plan.harm[card] for card in foreign))


def test_deals_in_which_a_bot_was_taken_over_are_left_out() -> None:
    whole, broken = ComparedRecords(), ComparedRecords()
    for found, sinner in ((whole, None), (broken, 2)):
        recorded = Recorded.of(played("gongzhu", sinner=sinner))
        found.take_all(recorded, recorded.deals, "7", 0, 1)
    assert (whole.found().deals, whole.found().sources) == (4, ("7",))
    assert (broken.found().deals, broken.found().sources, broken.found().phases) == (0, ("7",), ())


def test_turned_around_all_differences_have_the_other_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared_records, "MIN_BOARDS", 2)
    one, two = ComparedRecords(), ComparedRecords()
    for seed in "123":
        recorded = Recorded.of(played("gongzhu", seed))
        one.take_all(recorded, recorded.deals, seed, 0, 1)
        two.take_all(recorded, recorded.deals, seed, 1, 0)
    first, second = one.found(), two.found()
    assert [each.difference.mean for each in first.phases] == [-each.difference.mean for each in second.phases]
    assert any(each.difference.mean for each in first.phases)
    assert [each.points for each in first.favours] == [each.points for each in reversed(second.favours)]
    assert [each.difference.boards for each in first.phases] == [3, 3, 3]


def test_a_bot_that_is_hostile_to_another_one_is_found_and_bots_that_play_alike_are_not() -> None:
    hostile = found_with(is_hostile=True)
    assert hostile["bot"][0] < 0
    assert hostile["bot"][1] < 0.01
    assert hostile["other"][1] > 0.05
    assert found_with(is_hostile=False) == {"bot": (0.0, 1.0), "other": (0.0, 1.0)}


def test_partners_and_few_boards_give_no_favour() -> None:
    for variant in ("gongzhu-partners", "gongzhu"):
        found, recorded = ComparedRecords(), Recorded.of(played(variant))
        found.take_all(recorded, recorded.deals, "7", 0, 1)
        assert found.found().favours == ()


def found_with(is_hostile: bool) -> dict[str, tuple[float, float]]:
    """By giver the mean and p for the bots 0 and 2, where bot 0 is hostile to bot 2 or not, and the others are not."""
    found, recorded = ComparedRecords(), _match(is_hostile)
    found.take_all(recorded, recorded.deals, "7", 0, 2)
    return {each.by: (each.points.mean, each.p) for each in found.found().favours}


@cache
def _match(is_hostile: bool) -> Recorded:
    tables = count()

    def seats(players: int) -> list[Seat]:
        table = next(tables)

        def first(view: View) -> Action:
            target = seats_of(view.rules, SEED, view.deal, table).index(2) if is_hostile else None
            return discarding(view, target)

        return [ScriptedSeat(first), *(ScriptedSeat(discarding) for _ in range(players - 1))]

    return Recorded.of(match_lines("hearts", f"boards:{BOARDS}", seats))


def discarding(view: View, target: int | None = None) -> Action:
    """Give the worst card where it cannot win, but only to the target if there is one; else play the lowest."""
    if view.phase is not Phase.PLAY:
        return honest(view)
    harm, led = view.rules.plan.harm, view.trick[0].card.suit if view.trick else None
    legal = sorted(view.legal, key=lambda card: (harm[card], card.rank, card.suit))
    is_discard = led is not None and legal[0].suit != led
    wins = None if view.winning is None else view.winning.seat
    gives = is_discard and (wins is not None if target is None else wins == target)
    return legal[-1 if gives else 0]
