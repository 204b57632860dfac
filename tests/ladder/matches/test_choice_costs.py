"""Costs of choices by phase, estimated."""

from __future__ import annotations

import random
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from ladder.matches.choice_costs import EFFORT, MAX_CARDS, MAX_OTHERS, ChoiceCosts
from ladder.matches.estimate import cost_of, estimates
from pigpen.rules import Phase
from referee.records.recorded import Recorded
from referee.records.steps import BY_TAKEOVER, words_of
from referee.replay.deal_replay import decisions
from tests.referee.recorded import match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.bot_comparison import PhaseCosts
    from pigpen import View
    from pigpen.rules import Action
    from referee.records.lines import DealLine
    from referee.seats.seat import Seat

BOTS = ("one", "two", "three", "four")


def highest(view: View) -> Action:
    """Play high always: costly in hearts."""
    return max(view.legal, key=lambda card: card.rank) if view.phase is Phase.PLAY else honest(view)


def match(variant: str = "hearts", form: str = "boards:5") -> Recorded:
    def seats(players: int) -> list[Seat]:
        return [ScriptedSeat(highest), *(ScriptedSeat(honest) for _ in range(players - 1))]

    return Recorded.of(match_lines(variant, form, seats))


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return match()


def costs_of(recorded: Recorded, lines: Iterable[DealLine], bot: str = "one") -> tuple[PhaseCosts, ...]:
    found = ChoiceCosts(bot)
    found.take_all(recorded, lines, "7", BOTS)
    return found.found()


def test_playing_high_gives_away_points_in_the_first_tricks_and_more_than_the_others_do(recorded: Recorded) -> None:
    found = costs_of(recorded, recorded.deals)
    assert [(each.phase, each.first, each.last) for each in found][-3:] == [
        ("play", 1, 4),
        ("play", 5, 9),
        ("play", 10, 13),
    ]
    early = found[-3]
    assert early.others is not None
    assert early.own.mean - early.own.error > early.others.mean + early.others.error > 0
    assert early.own.often <= 4, "a bot has four cards to choose in four tricks"


@pytest.mark.usefixtures("few_playouts")
def test_all_decisions_of_the_bot_count_in_how_often_and_a_part_of_them_is_estimated(recorded: Recorded) -> None:
    found = costs_of(recorded, recorded.deals)
    own = [
        each
        for line in recorded.deals
        for each in decisions(recorded, line, 0)
        if each.before.phase is Phase.PLAY and len(each.before.plays) < 4 * 4
    ]
    assert found[-3].own.often == pytest.approx(len(own) / len(recorded.deals), abs=1e-4)
    assert found[-3].own.estimated == len(own) < MAX_CARDS
    others = [each.others.estimated for each in found if each.others]
    assert max(others) == MAX_CARDS
    assert all(each.own.estimated <= MAX_OTHERS for each in found if each.phase != "play")


@pytest.mark.usefixtures("few_playouts")
def test_the_order_of_the_matches_changes_nothing(recorded: Recorded) -> None:
    assert costs_of(recorded, recorded.deals) == costs_of(recorded, list(recorded.deals)[::-1])


def test_decisions_that_the_bot_did_not_take_itself_are_left_out(recorded: Recorded) -> None:
    lines = [
        line.model_copy(update={"steps": tuple(step.model_copy(update={"by": BY_TAKEOVER}) for step in line.steps)})
        for line in recorded.deals
    ]
    assert costs_of(recorded, lines) == ()


@pytest.mark.usefixtures("few_playouts")
def test_progress_is_told_for_each_part(recorded: Recorded) -> None:
    found, reported = ChoiceCosts("one"), list[tuple[int, int]]()
    found.take_all(recorded, list(recorded.deals)[:1], "7", BOTS)
    found.found(lambda done, steps: reported.append((done, steps)))
    assert reported == [(done, len(reported)) for done in range(1, len(reported) + 1)]
    assert len(reported) >= 3


def test_the_cost_of_a_choice_has_no_bias_from_choosing_the_best_of_several_estimates(recorded: Recorded) -> None:
    decision = next(
        each
        for line in recorded.deals
        for each in decisions(recorded, line)
        if each.before.phase is Phase.PLAY and len(each.view().legal) > 4
    )
    view = decision.view()
    found = estimates(view, 1)
    words = [words_of(each.action)[1] for each in found]
    rng = random.Random(5)
    seeds = [rng.getrandbits(32) for _ in range(30)]
    best, worst = (fmean(cost_of(view, words[place], seed, EFFORT) for seed in seeds) for place in (0, -1))
    assert best == pytest.approx(0, abs=0.2)
    assert worst == pytest.approx(found[-1].behind, abs=found[-1].behind_error + 0.3)
    pooled = fmean(
        next(each.behind for each in estimates(view, seed, EFFORT) if words_of(each.action)[1] == words[0])
        for seed in seeds
    )
    assert pooled > best, "the best of several estimates is too good"
