"""Policies on boards: what a best response gains is known where all hands are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pigpen import Policy
from pigpen.learn import BoardResult, Tables, against_many, greedy, play_boards
from pigpen.rules import PRESETS
from tests.for_two import FOR_THREE, FOR_TWO
from tests.rules.table import named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pigpen.learn import BatchBot
    from pigpen.rules import Rules

TINY = replace(
    FOR_TWO, name="tiny", removed=tuple(f"{rank}{suit}" for suit in "CDSH" for rank in "3456789TJK")
)  # fmt: skip
"""Two seats with six cards each: a seat knows the other's hand, so a best response can be searched for."""


def first_legal(_observations: NDArray[np.uint8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    """Take the lowest card by number: a fixed policy that is easy to exploit."""
    actions: NDArray[np.int64] = mask.argmax(1)
    return actions


def last_legal(_observations: NDArray[np.uint8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    actions: NDArray[np.int64] = mask.shape[1] - 1 - mask[:, ::-1].argmax(1)
    return actions


def best_reward(tables: Tables, seat: int, other: BatchBot) -> float:
    """Try every line of play of a seat at the only table against a fixed policy."""
    if tables.over[0]:
        return float(tables.rewards[0, seat])
    here, mask = tables.save(), tables.mask()
    is_own = tables.seats[0] == seat
    assert not isinstance(other, Policy)
    actions = np.flatnonzero(mask[0]).tolist() if is_own else [int(other(tables.unpack(), mask)[0])]
    found = []
    for action in actions:
        tables.restore(here)
        tables.step(np.array([action]))
        found.append(best_reward(tables, seat, other))
    return max(found)


every_variant = pytest.mark.parametrize("rules", [*PRESETS.values(), FOR_TWO, FOR_THREE], ids=named)


@every_variant
def test_each_seat_plays_the_deals_that_an_environment_begins_with(rules: Rules) -> None:
    boards, found = 12, []
    for seat in range(rules.players):
        env = against_many(first_legal, rules, boards, seat)
        seen, infos = env.reset(seed=5)
        first = np.full(boards, np.nan)
        while np.isnan(first).any():
            seen, rewards, over, _, infos = env.step(last_legal(seen, infos["action_mask"]))
            first = np.where(np.isnan(first) & over, rewards, first)
        found.append(first)
    values = play_boards(last_legal, first_legal, rules, boards, seed=5).values
    assert values.tolist() == pytest.approx(np.mean(found, 0).tolist(), abs=1e-5)


@every_variant
def test_a_policy_gains_nothing_against_itself(rules: Rules) -> None:
    result = play_boards(first_legal, first_legal, rules, 20)
    assert not result.values.any()
    assert result.gain is None


def test_no_policy_gains_more_than_the_best_response() -> None:
    boards = 12
    start = Tables(TINY, boards, seed=3)
    best = np.array([
        np.mean([best_reward(start.clone(board), seat, first_legal) for seat in range(2)]) for board in range(boards)
    ])  # fmt: skip
    results = [play_boards(bot, first_legal, TINY, boards, seed=3) for bot in (Policy.CAREFUL, last_legal)]
    assert BoardResult(best).gain
    assert all((result.values <= best).all() for result in results)
    assert all(result.values.any() for result in results)


def test_each_of_several_others_has_its_seat() -> None:
    """The sum over all seatings of two policies, with their rewards, is 0 board by board."""
    others = [first_legal, last_legal, first_legal]
    one = play_boards(last_legal, others, "hearts", 15)
    other = play_boards(first_legal, [last_legal, first_legal, last_legal], "hearts", 15)
    assert one.values.any()
    assert (one.values + other.values == 0).all()


@pytest.mark.parametrize(("mean", "gain"), [(1.9, None), (2.0, None), (2.1, 2.1), (-2.1, None)])
def test_a_gain_is_shown_from_two_standard_errors(mean: float, gain: float | None) -> None:
    result = BoardResult(np.array([-1.0, 1.0]) + mean)
    assert result.error == pytest.approx(1.0)
    assert result.gain == gain
    assert str(result) == f"{mean:+.2f} ± 1.00"


def test_a_net_plays_the_legal_action_that_it_likes_best() -> None:
    def net(observations: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.arange(54.0) * np.ones((len(observations), 1)), np.zeros((len(observations), 4))

    assert not play_boards(greedy(net), last_legal, "hearts", 10).values.any()
    assert play_boards(greedy(net), first_legal, "hearts", 10).values.any()


@pytest.mark.parametrize(
    ("others", "boards", "message"),
    [
        ([Policy.CAREFUL], 10, "hearts takes 3 bots beside yours; 1 are given"),
        (Policy.CAREFUL, 1, "boards=1. Choose 2 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(others: BatchBot | list[BatchBot], boards: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_boards(Policy.CAREFUL, others, "hearts", boards)
