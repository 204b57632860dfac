"""
The worth of each choice of a decision, by simulation from what the seat knew: a model's opinion.

Cards are searched as a tree where the engine in C runs and there is time for it; all else is tried by playouts.

Choices are compared in the same sampled deals, in several independent batches: the differences of a batch belong
together, and how they scatter from batch to batch gives the error.
"""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen import is_accelerated, margin
from pigpen.rules import MoonChoice, Phase
from pigpen.rules.errors import PigpenError
from pigpen.rules.objections import count_exposures, count_passes
from pigpen.search import CardTree, some_exposures, some_passes
from pigpen.sim.playout import Policy, counted_playout, playout, settle
from pigpen.sim.sampling import Evidence
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.tally import Tally
from referee.records.steps import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ladder.values.why import Search
    from pigpen.rules import Action, Deal
    from pigpen.values.view import View

POLICY = Policy.CAREFUL
"""The policy by which all seats play on."""
BATCHES = 20
T_95 = 2.093
"""The 97.5 % quantile of Student's t with `BATCHES` - 1 degrees of freedom."""
HINDSIGHT = 200
"""Times that the real deal is played to its end: the policy leaves one card in eight to chance."""
MAX_CHOICES = 5_000
"""A decision with more legal choices is not estimated. Presets have 286 at most; own rules, millions."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Numbers of deals that are played out, each for all choices of a decision together."""

    cards: int
    """In one batch, where a card is chosen by playouts: in C, about 1 µs each."""
    searched: int
    """The same, where it is chosen by a tree search, about 4 µs each; 0: cards are chosen by playouts."""
    sealed: int
    """In one batch, where something else is chosen: from Python, some 30 µs each."""
    first: int
    """In the first estimate, which leaves `KEPT` choices where there are more."""

    def search(self, view: View) -> Search:
        """Say how the choices of a decision are tried: by tree search where that is for cards, and quick."""
        return "tree" if self.searched and view.phase is Phase.PLAY and is_fast(view) else "playouts"

    def deals(self, view: View, choices: int) -> int:
        """Give the number of deals in one batch, a hundredth where the engine in C cannot sample them; 1 or more."""
        if view.phase is Phase.MOON:
            return 1  # nothing is left to sample
        if self.search(view) == "tree":
            return max(1, self.searched // choices)
        many = (self.cards if view.phase is Phase.PLAY else self.sealed) // choices
        return max(1, many if is_fast(view) else many // 100)


FULL = Effort(cards=4000, searched=1000, sealed=480, first=6000)
"""20,000 deals in all for a card by tree search, 80,000 by playouts: some 80 ms each. A pass takes some 350 ms."""
QUICK = Effort(cards=100, searched=0, sealed=48, first=1200)
"""To find the decisions that are worth a closer look: some 2 ms for a card."""
KEPT = 12
"""Choices that are compared where there are more, as in a pass: those that do best in a quick first estimate."""


class TooManyChoices(PigpenError):
    """A decision has more than `MAX_CHOICES` legal choices; the message says how many."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class ChoiceEstimate:
    """The worth of one choice."""

    action: Action
    points: float
    """Mean score of the seat in the deal, as the variant counts."""
    error: float
    """Standard error of the mean."""
    ahead: float
    """Points by which the seat does better than the mean of all seats; more is better in every variant."""
    behind: float
    """Points by which that is less than the best choice's, 0 or more."""
    behind_error: float
    """Half the 95 % interval of `behind`, from the paired differences of the batches."""
    tally: Tally
    """Counts over all deals in which it was tried."""

    @property
    def is_clear(self) -> bool:
        """True if it is behind the best choice by more than its ±, both rounded as they are given."""
        return rounded(self.behind) > rounded(self.behind_error)


def rounded(points: float) -> float:
    """Round points as an estimate gives them; below that, differences may come from the arithmetic alone."""
    return round(points, 3)


def is_fast(view: View) -> bool:
    """Tell whether the engine in C samples and plays; it cannot where own rules make a draw that does not fit."""
    return is_accelerated() and Evidence(view).is_complete


def count_choices(view: View) -> int:
    """Count the legal choices of a decision."""
    if view.phase is Phase.PASS:
        return count_passes(len(view.hand), view.pass_count)
    if view.phase is Phase.EXPOSE:
        return count_exposures(view.rules.exposing, len(view.legal)) if view.rules.exposing else 1
    return len(view.legal) if view.phase is Phase.PLAY else len(MoonChoice)


def check_choices(view: View) -> None:
    """
    Refuse a decision that has too many legal choices to be estimated; they are counted, and not listed.

    Raises:
        TooManyChoices: If there are more than `MAX_CHOICES`.
    """
    if (count := count_choices(view)) > MAX_CHOICES:
        raise TooManyChoices(f"it has {count:,} legal choices, and at most {MAX_CHOICES:,} are estimated")


def choices(view: View) -> Sequence[Action]:
    """
    List every legal choice of a decision.

    Raises:
        TooManyChoices: If there are more than `MAX_CHOICES`.
    """
    check_choices(view)
    if view.phase is Phase.PASS:
        return some_passes(view, MAX_CHOICES)
    if view.phase is Phase.EXPOSE:
        return some_exposures(view, MAX_CHOICES)
    return view.legal if view.phase is Phase.PLAY else tuple(MoonChoice)


def estimates(view: View, seed: int, effort: Effort = FULL, wanted: Collection[str] = ()) -> list[ChoiceEstimate]:
    """
    Estimate what each choice is worth, from *view* alone; the same arguments give the same numbers.

    Args:
        view: What the seat knew.
        seed: Of the random numbers.
        effort: How many deals to sample.
        wanted: Choices, as a record has them, that are compared even if the first estimate leaves them out.

    Returns:
        The choices that were compared, the best one first.

    Raises:
        TooManyChoices: If there are more than `MAX_CHOICES`.
    """
    return judged(view, *_batches(view, seed, effort, wanted))


def cost_of(view: View, chosen: str, seed: int, effort: Effort) -> float:
    """
    Estimate the points by which a choice is behind the best one, without the bias of the largest of several estimates.

    Half of the batches say which choice is the best, and the others by how much. A mean of many is at most what the
    choices cost.

    Args:
        view: What the seat knew.
        chosen: The choice, as a record has it.
        seed: Of the random numbers.
        effort: How many deals to sample.

    Raises:
        TooManyChoices: If there are more than `MAX_CHOICES`.
    """
    actions, batches, _ = _batches(view, seed, effort, [chosen])
    ahead = _ahead(view, len(actions), batches)
    best = max(ahead, key=lambda lead: statistics.fmean(lead[::2]))
    own = next(lead for action, lead in zip(actions, ahead, strict=True) if words_of(action)[1] == chosen)
    return statistics.fmean(best[1::2]) - statistics.fmean(own[1::2])


def judged(
    view: View, actions: Sequence[Action], batches: Sequence[Sequence[Sequence[float]]], tallies: Sequence[Tally]
) -> list[ChoiceEstimate]:
    """
    Compare choices by the mean scores of all seats after each of them, batch by batch; the best one comes first.

    Choices that are as good as each other stay in their order.
    """
    points = [[batch[place][view.seat] for batch in batches] for place in range(len(actions))]
    ahead = _ahead(view, len(actions), batches)
    best = max(ahead, key=statistics.fmean)
    found = []
    for action, own, lead, tally in zip(actions, points, ahead, tallies, strict=True):
        behind = [other - each for other, each in zip(best, lead, strict=True)]
        found.append(
            ChoiceEstimate(
                action,
                statistics.fmean(own),
                _error(own),
                statistics.fmean(lead),
                max(0.0, statistics.fmean(behind)),
                T_95 * _error(behind),
                tally,
            )
        )
    return sorted(found, key=lambda each: each.behind)


def played_out(after: Deal, seat: int, seed: int) -> float:
    """Play a deal with all hands open to its end many times by `POLICY`, and give the mean score of *seat*."""
    rng = random.Random(seed)
    times = 1 if after.is_over else HINDSIGHT if is_accelerated() else max(2, HINDSIGHT // 100)
    return statistics.fmean(playout(after, POLICY, rng)[seat] for _ in range(times))


def _batches(
    view: View, seed: int, effort: Effort, wanted: Collection[str]
) -> tuple[Sequence[Action], list[list[Sequence[float]]], Sequence[Tally]]:
    """Give the choices that are compared, the mean scores after each of them batch by batch, and its counts."""
    rng = random.Random(seed)
    close = _first_look(view, choices(view), effort, wanted, rng)
    deals, tallies = effort.deals(view, len(close)), [Tally() for _ in close]
    trial = _searched if effort.search(view) == "tree" else _played if view.phase is Phase.PLAY else _sealed
    return close, [trial(view, close, deals, rng, tallies) for _ in range(BATCHES)], tallies


def _ahead(view: View, actions: int, batches: Sequence[Sequence[Sequence[float]]]) -> list[list[float]]:
    """Give for each choice, batch by batch, the points by which the seat does better than the mean of all seats."""
    rules = view.rules
    return [[margin(rules, batch[each], view.seat) / rules.players for batch in batches] for each in range(actions)]


def _first_look(
    view: View, actions: Sequence[Action], effort: Effort, wanted: Collection[str], rng: random.Random
) -> Sequence[Action]:
    """Drop choices where there are many; those that are left are compared in fresh deals."""
    if view.phase is Phase.PLAY or len(actions) <= KEPT:
        return actions
    many = effort.first if is_fast(view) else effort.first // 10
    scores = _sealed(view, actions, max(1, many // len(actions)), rng, [None] * len(actions))
    leads = [margin(view.rules, each, view.seat) for each in scores]
    best = sorted(range(len(actions)), key=lambda place: -leads[place])[:KEPT]
    return [action for place, action in enumerate(actions) if place in best or words_of(action)[1] in wanted]


def _played(
    view: View, actions: Sequence[Action], deals: int, rng: random.Random, tallies: Sequence[Tally]
) -> list[Sequence[float]]:
    """Give the mean scores of all seats after each card, in the same sampled deals."""
    found: Mapping[Action, Sequence[float]] = view.playouts(  # type: ignore[assignment]
        deals, rng, POLICY, tallies=tallies
    )
    return [found[action] for action in actions]


def _sealed(
    view: View, actions: Sequence[Action], deals: int, rng: random.Random, tallies: Sequence[Tally | None]
) -> list[Sequence[float]]:
    """Give the mean scores of all seats after each choice other than a card, in the same sampled deals."""
    sums = [[0.0] * view.rules.players for _ in actions]
    for _ in range(deals):
        deal = view.sample(rng)
        settle(deal, POLICY, SimRandom.of(rng), but=view.seat)
        for action, row, tally in zip(actions, sums, tallies, strict=True):
            after = deal.copy()
            after.apply(view.seat, action)
            for seat, score in enumerate(counted_playout(after, POLICY, SimRandom.of(rng), view.seat, tally)):
                row[seat] += score
    return [[total / deals for total in row] for row in sums]


def _searched(
    view: View, actions: Sequence[Action], deals: int, rng: random.Random, tallies: Sequence[Tally]
) -> list[Sequence[float]]:
    """Give the mean scores of all seats after each card, by a tree of its own: batches are independent."""
    tree = CardTree(view, rng)
    found: Mapping[Action, Sequence[float]] = tree.scores(deals, tallies=tallies)  # type: ignore[assignment]
    return [found[action] for action in actions]


def _error(values: Sequence[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values))
