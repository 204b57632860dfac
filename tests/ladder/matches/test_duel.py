"""Duels: the same cards for both bots, a board as one observation, more is better, and anchors on the same boards."""

from __future__ import annotations

import asyncio
import contextlib
import math
import statistics
from typing import TYPE_CHECKING

import pytest

from ladder.app.local.duel import DuelRequest, duel_row, plan_duels, play_duels
from ladder.errors import UserError
from ladder.matches.compare import BATCH
from ladder.matches.duel import Duel, DuelPlan, duel
from ladder.matches.inline_match import play_inline
from ladder.ratings.elo import expected
from ladder.sandbox.bots.bot_source import find_bot
from pigpen.rules import PRESETS
from referee.match.formats import by_bot
from referee.records.lines import DealLine, ResultLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.values.local_results import DuelResult
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine


def planned(one: str, other: str, **asked: object) -> DuelPlan:
    """Without a clock: a machine that is busy decides nothing."""
    words = {"one": one, "other": other, "seed": "duel", "no_clock": True}
    return plan_duels(DuelRequest.model_validate(words | asked))[0]


def fought(plan: DuelPlan, pair: tuple[int, int] = (0, 1), faults: int = 0) -> tuple[Duel, list[DealLine]]:
    """Play a duel; each seat of the first bot has *faults* in each match."""
    deals: list[DealLine] = []

    async def play(spec: MatchSpec, bots: Sequence[int], write: Callable[[AnyLine], None]) -> object:
        def take(line: AnyLine) -> None:
            if isinstance(line, DealLine):
                deals.append(line)
            elif isinstance(line, ResultLine):
                rows = [row.model_copy(update={"faults": faults * (bots[row.seat] == pair[0])}) for row in line.results]
                line = line.model_copy(update={"results": tuple(rows)})
            write(line)

        return await play_inline(spec, [find_bot(plan.names[bot]) for bot in bots], take)

    looks: list[int] = []
    found = asyncio.run(duel(plan, pair, play, lambda found: looks.append(found.boards)))
    assert looks == [*range(BATCH, found.boards, BATCH), found.boards]
    return found, deals


@pytest.mark.parametrize("rules", ["hearts-short", "gongzhu", "gongzhu-partners", "gongzhu-five"])
def test_the_better_bot_is_better_from_both_sides(rules: str) -> None:
    found, deals = fought(planned("counting", "random", rules=rules, boards=12))
    assert found.estimate.mean > 3 * found.estimate.error > 0
    assert statistics.fmean(found.shares) > 0.5
    assert len(deals) == found.deals == 12 * PRESETS[rules].players
    turned, _ = fought(planned("random", "counting", rules=rules, boards=12))
    assert turned.estimate.mean < -3 * turned.estimate.error


def test_a_board_is_one_observation_of_points_a_deal_turned_so_that_more_is_better() -> None:
    found, deals = fought(planned("cautious", "random", rules="hearts", boards=3))
    assert PRESETS["hearts"].low_is_better
    for board in range(3):
        points = [by_bot(line.scores, line.seats or ()) for line in deals if line.deal == board]
        one, other = (sum(each[bot] + each[bot + 2] for each in points) for bot in (0, 1))
        assert found.values[board] == pytest.approx((other - one) / (2 * 4))


@pytest.mark.parametrize("rules", ["hearts-short", "gongzhu-five"])
def test_one_seat_against_all_others(rules: str) -> None:
    plan = planned("counting", "random", rules=rules, boards=24, alone=True)
    assert plan.seating((0, 1)) == (0, *[1] * (PRESETS[rules].players - 1))
    found, _ = fought(plan)
    assert found.estimate.mean > 3 * found.estimate.error > 0


def test_two_bots_that_are_one_are_equal_in_the_mean_and_their_faults_are_told_apart() -> None:
    found, _ = fought(planned("random", "cautious", rules="hearts-short", boards=BATCH + 2), faults=3)
    assert found.faults == [2 * 2 * 3, 0]
    same, _ = fought(planned("cautious", "cautious", rules="hearts-short", boards=4))
    assert same.values == [0.0] * 4
    assert same.elo == (0.0, 0.0)
    assert not same.is_decided


def test_a_duel_ends_when_it_is_decided_only_if_that_is_asked_for() -> None:
    ended, _ = fought(planned("cautious", "random", rules="hearts-short", boards=80, until_decided=True))
    assert ended.is_decided
    assert 2 * BATCH <= ended.boards < 80
    whole, _ = fought(planned("cautious", "random", rules="hearts-short", boards=80))
    assert whole.boards == 80
    assert whole.values[: ended.boards] == ended.values


def test_elo_is_the_difference_for_which_a_ladder_expects_the_share() -> None:
    found = Duel((0, 1), values=[0.0] * 4, shares=[0.75, 0.5, 1.0, 0.75])
    assert found.elo
    assert expected(found.elo.difference, 0, boards=1) == pytest.approx(0.75)
    step = 1e-6
    slope = (expected(found.elo.difference + step, 0, 1) - expected(found.elo.difference, 0, 1)) / step
    assert found.elo.error * slope == pytest.approx(statistics.stdev(found.shares) / math.sqrt(4), rel=1e-3)
    assert Duel((0, 1), values=[1.0] * 2, shares=[1.0] * 2).elo is None


def test_both_play_each_anchor_and_no_duel_is_played_twice() -> None:
    plan = planned("cautious", "counting", anchors="random,counting,random")
    assert [(plan.names[one], plan.names[other]) for one, other in plan.pairs] == [
        ("cautious", "counting"), ("cautious", "random"), ("counting", "random"),
    ]  # fmt: skip


def test_all_duels_are_of_the_same_boards_and_make_one_result() -> None:
    plan, sources = plan_duels(
        DuelRequest(
            one="cautious",
            other="counting",
            anchors="random",
            rules="hearts-short",
            boards=2,
            seed="duel",
            no_clock=True,
        )
    )
    looks: list[DuelResult] = []
    found = asyncio.run(play_duels(plan, sources, contextlib.nullcontext(None), looks.append))
    assert [(row.one, row.other, row.boards, row.deals) for row in found.duels] == [
        ("cautious", "counting", 2, 8), ("cautious", "random", 2, 8), ("counting", "random", 2, 8),
    ]  # fmt: skip
    assert [len(look.duels) for look in looks] == [1, 2, 3]
    assert looks[-1] == found
    assert [plan.match(pair, 1, 2).seed for pair in plan.pairs] == [plan.match((0, 1), 1, 2).seed] * 3
    assert found.duels[1] == duel_row(plan, fought(plan, plan.pairs[1])[0])


def test_partners_are_not_parted() -> None:
    with pytest.raises(UserError, match="--alone"):
        planned("cautious", "random", rules="gongzhu-partners", alone=True)
