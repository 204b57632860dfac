"""
Choosing by simulation: every choice is tried in the same sampled deals, until one is clearly the best.

`SearchBot` plays by it, and `TreeBot` chooses cards by a tree search. Derive your bot from one of them, and override
the questions that your bot answers better. For a search of your own there are the parts: `race` drops choices that fall
behind, `CardTree` is the tree, `Pace` gives the time for a decision.
"""

from __future__ import annotations

import time
from functools import partial
from heapq import nlargest
from itertools import combinations, compress, product
from operator import mul, sub, truediv
from typing import TYPE_CHECKING, TypeVar

from pigpen.bot import Bot
from pigpen.rules import Face, MoonChoice, Phase
from pigpen.rules.objections import count_exposures, count_passes
from pigpen.sim.card_tree import CardTree
from pigpen.sim.playout import Policy
from pigpen.sim.sealed import SealedTrials, exposed, passed
from pigpen.sim.solving import margin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pigpen.rules import Action, Card
    from pigpen.sim.sealed import SealedChoice
    from pigpen.values.notices import Welcome
    from pigpen.values.view import View

__all__ = [
    "CardTree",
    "Pace",
    "SearchBot",
    "TreeBot",
    "card_trial",
    "race",
    "sealed_trial",
    "some_exposures",
    "some_passes",
    "ways_to_expose",
]

Choice = TypeVar("Choice")

MIN_TRIALS = 8
"""Number of trials before any choice is dropped."""
BEHIND = 2.5
"""A choice is dropped if it is behind the best by this number of standard errors of the difference."""
CARD_DEALS = 50
"""Number of sampled deals in one trial of cards."""
MAX_CARD_TRIALS = 40
"""Largest number of trials for a card."""
MAX_TREE_TRIALS = 200
"""Largest number of trials for a card in a tree; each takes 10 sampled deals."""
MAX_SEALED_DEALS = 2_000
"""Largest number of sampled deals in which a pass or an exposure is tried."""
TRIAL_PLAYOUTS = 64
"""Number of playouts in one trial of passes or exposures at first, if they are no more."""
MAX_RACED_PASSES = 40
"""Largest number of passes that are tried as a whole; of more, the cards are tried first."""
SCREENING_PART = 0.3
"""Part of the time for a pass in which its cards are tried."""
MAX_SCREENING_DEALS = 80
"""Largest number of sampled deals for that."""
SCREENING_HANDS = 8
"""Number of times that the hand is cut into passes in each of them."""
DOUBT = 8
"""A card's value is taken as if it had been in this number of further passes of mean value."""
DECK = 52
MAX_TRIED = 1_000
"""Largest number of passes or exposures that are tried; presets have at most 286."""
WALL_PART = 0.8
"""Part of the limit of a decision after which the bot answers, in wall time."""
SEALED = 5
"""Time for a pass or an exposure, as a multiple of the time for a card: there is one for a whole deal of cards."""


def race(
    choices: Sequence[Choice],
    trial: Callable[[Sequence[Choice]], Sequence[float]],
    seconds: float,
    trials: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Choice:
    """
    Find the choice that does best on average, and drop choices that are clearly worse.

    >>> import random
    >>> from pigpen.search import race
    >>> rng = random.Random(1)
    >>> race([1, 5, 3], lambda left: [number + rng.random() for number in left], seconds=60.0, trials=20)
    5

    Each trial tries all choices that are left. From the eighth trial on, choices are dropped that are behind the best
    by 2.5 standard errors of the difference over the trials so far (a race, as in Maron and Moore, 1994).

    Args:
        choices: One or more choices.
        trial: A function that tries the choices that it is given, all in the same sampled deal or deals, which differ
            from call to call. It returns a value for each; more is better.
        seconds: Time after which no further trial is made; the first one is always made.
        trials: Largest number of trials.
        clock: Gives the time in seconds; wall-clock time by default.
    """
    end = clock() + seconds
    left = list(range(len(choices)))
    found: list[list[float]] = [[] for _ in choices]
    sums, behind, best = [0.0] * len(choices), dict[int, _Behind](), -1
    for number in range(1, trials + 1):
        if len(left) == 1:
            break
        for index, value in zip(left, trial([choices[index] for index in left]), strict=True):
            found[index].append(value)
            sums[index] += value
        if number >= MIN_TRIALS:
            leader = max(left, key=sums.__getitem__)
            if leader != best:
                best = leader
                behind = {index: _Behind(found[best], found[index]) for index in left}
            else:
                for index in left:
                    behind[index].add(found[best][-1] - found[index][-1])
            left = [index for index in left if not behind[index].is_clear(number)]
        if clock() > end:
            break
    return choices[max(left, key=sums.__getitem__)]


class _Behind:
    """The differences between two choices over the trials so far, summed up."""

    __slots__ = ("_squares", "_total")

    def __init__(self, best: Sequence[float], values: Sequence[float]) -> None:
        differences = list(map(sub, best, values))
        self._total: float = sum(differences)
        self._squares: float = sum(map(mul, differences, differences))

    def add(self, difference: float) -> None:
        self._total += difference
        self._squares += difference * difference

    def is_clear(self, count: int) -> bool:
        """Tell whether the mean difference of *count* trials is more than `BEHIND` of its standard errors."""
        squared = self._total * self._total
        return squared * (count - 1) > BEHIND**2 * (self._squares * count - squared)


class Pace:
    """
    The time for each decision, so that the bank lasts for the match.

    >>> from pigpen import ClockSetting, View, Welcome
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import Pace
    >>> rules = PRESETS["hearts"]
    >>> pace = Pace(Welcome(rules, 0, "boards:16", ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)))
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> round(pace.seconds(View(*deal.known_to(deal.turn), limit=1.0, bank=60.0)), 3)
    0.05
    """

    def __init__(self, welcome: Welcome) -> None:
        """Read the clock and the format of the match."""
        self._clock = welcome.clock
        deals = welcome.format.partition(":")[2]
        self._deals = min(int(deals) if deals else self._clock.deals_per_bank, self._clock.deals_per_bank)

    def seconds(self, view: View) -> float:
        """
        Return the seconds of wall time for the decision of *view*, from the bank, the increment and the limit.

        A card gets an equal part of the bank for all cards to come, and the increment; at most a twentieth of the
        limit in CPU time. A pass or an exposure gets the time of five cards. On a busy machine a second of wall time
        has less CPU time, and less is charged for it: there the bot thinks for longer, until it has had the same CPU
        time or is charged its part of the bank, and no longer than four fifths of the limit.
        """
        deals = self._deals - 1 - view.deal % self._deals
        cards = deals * (view.rules.hand_size + 2 * SEALED) + len(view.hand) + 2 * SEALED
        times = 1 if view.phase is Phase.PLAY else SEALED
        part = times * (view.bank / cards + self._clock.increment)
        work = min(part, times * view.limit / (4 * SEALED))
        return min(work / view.cpu_rate, part / view.charge_rate, WALL_PART * view.limit)


class SearchBot(Bot):
    """
    A bot that takes the choice that does best on average in deals that fit its view.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import SearchBot
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> view = View(*deal.known_to(deal.turn), seed=7)
    >>> SearchBot().play(view)
    Card('2C')

    It plays every variant, and remembers nothing between decisions.
    """

    policy: Policy = Policy.CAREFUL
    """The policy by which all seats play on in the sampled deals."""
    pace: Pace | None = None
    """The time for each decision; None until the match has started."""
    clock: Callable[[], float] = staticmethod(time.perf_counter)
    """Function that gives the time in seconds, by which a decision is limited."""

    def match_started(self, welcome: Welcome) -> None:
        """Read the clock of the match."""
        self.pace = Pace(welcome)

    def play(self, view: View) -> Card:
        """Try each legal card, and return the best."""
        trial = partial(card_trial, view, self.policy)
        return race(view.legal, trial, self.seconds(view), MAX_CARD_TRIALS, self.clock)

    def pass_cards(self, view: View) -> Iterable[Card]:
        """Try every card in passes that are drawn, then the 40 passes of the best cards, and return the best one."""
        end = self.clock() + self.seconds(view)
        passes, trials = some_passes(view), self._trials(view)
        if len(passes) > MAX_RACED_PASSES:
            values = _card_values(view, trials, SCREENING_PART * self.seconds(view), self.clock)
            passes = nlargest(MAX_RACED_PASSES, passes, key=lambda cards: sum(map(values.__getitem__, cards)))
        return self._best(view, trials, {passed(cards): cards for cards in passes}, end - self.clock())

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        """Try every way to expose some of the cards, or 1,000 of them, and return the best."""
        end = self.clock() + self.seconds(view)
        choices = {exposed(faces): faces for faces in some_exposures(view)}
        return self._best(view, self._trials(view), choices, end - self.clock())

    def _trials(self, view: View) -> SealedTrials:
        return SealedTrials(view._possible_deals(), self.policy)

    def _best(self, view: View, trials: SealedTrials, choices: Mapping[SealedChoice, Choice], seconds: float) -> Choice:
        """Find the best of the answers *choices*; of few ones, each trial has more than one deal."""
        deals = max(1, TRIAL_PLAYOUTS // len(choices))
        trial = partial(trials.margins, rng=view.rng, deals=deals)
        return choices[race(list(choices), trial, seconds, max(1, MAX_SEALED_DEALS // deals), self.clock)]

    def choose_moon(self, view: View) -> MoonChoice:
        """Return ADD for the leader, to end the game sooner, else SUBTRACT; both gain the same on the other seats."""
        sign = 1 if view.rules.low_is_better else -1
        ahead = not view.totals or sign * view.totals[view.seat] <= min(sign * total for total in view.totals)
        return MoonChoice.ADD if ahead else MoonChoice.SUBTRACT

    def seconds(self, view: View) -> float:
        """Return the seconds for the decision of *view*: by the pace, and at most what the decision has left."""
        return min(self.pace.seconds(view), view.time_left()) if self.pace else float("inf")


class TreeBot(SearchBot):
    """
    A bot that takes the card that does best in a tree search; it passes and exposes as `SearchBot` does.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import TreeBot
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> view = View(*deal.known_to(deal.turn), seed=7)
    >>> TreeBot().play(view)
    Card('2C')

    It plays every variant, and remembers nothing between decisions. See `CardTree` for what it does where the
    accelerated engine does not run.
    """

    trials: int = MAX_TREE_TRIALS
    """Largest number of trials for a card; with more, the bot uses more of a long clock."""

    def play(self, view: View) -> Card:
        """Try each legal card in a tree, and return the best; solve the ending where all hands are known."""
        tree = CardTree(view, view.rng)
        best = tree.solved()  # it may be 2C, the card number 0
        return race(view.legal, tree.trial, self.seconds(view), self.trials, self.clock) if best is None else best


def _card_values(view: View, trials: SealedTrials, seconds: float, clock: Callable[[], float]) -> list[float]:
    """
    Estimate for each card of the hand what it adds to a pass, from passes that are drawn; by its number.

    The hand is shuffled and cut into passes, so that a deal tries nearly every card equally often. A card's value is
    the mean of its passes, relative to all of the deal; the fewer they are, the nearer it is to zero.
    """
    end = clock() + seconds
    hand, count = list(view.hand), view.pass_count
    sums, counts = [0.0] * DECK, [DOUBT] * DECK
    for _ in range(MAX_SCREENING_DEALS):
        orders = [view.rng.sample(hand, len(hand)) for _ in range(SCREENING_HANDS)]
        passes = [cards[at : at + count] for cards in orders for at in range(0, len(hand) - count + 1, count)]
        values = trials.margins(list(map(passed, passes)), view.rng)
        mean = sum(values) / len(values)
        for cards, value in zip(passes, values, strict=True):
            for card in cards:
                sums[card] += value - mean
                counts[card] += 1
        if clock() > end:
            break
    return list(map(truediv, sums, counts))


def ways_to_expose(view: View) -> Iterator[dict[Card, Face]]:
    """
    Yield every way to expose some or none of the cards. Each card doubles or triples their number.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import ways_to_expose
    >>> rules = PRESETS["gongzhu"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    >>> [len(way) for way in ways_to_expose(View(*deal.known_to(deal.to_act[0])))]
    [0, 1, 1, 2]
    """
    return (_exposed(view, faces) for faces in _face_choices(view))


def some_passes(view: View, most: int = MAX_TRIED) -> list[tuple[Card, ...]]:
    """
    List all passes if there are at most *most*; else *most* of them, chosen by the random numbers of *view*.

    They are in order, and the first and the last pass are always among them.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import some_passes
    >>> deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 0))
    >>> view = View(*deal.known_to(0), seed=7)
    >>> len(some_passes(view)), len(some_passes(view, 100))
    (286, 100)

    Args:
        view: The view of the seat that passes.
        most: Largest number of passes, 2 or more.
    """
    count = count_passes(len(view.hand), view.pass_count)
    return list(_some(combinations(view.hand, view.pass_count), count, view, most))


def some_exposures(view: View, most: int = MAX_TRIED) -> list[dict[Card, Face]]:
    """
    List all ways to expose some or none of the cards if there are at most *most*; else *most* of them.

    To expose nothing is always among them.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import some_exposures
    >>> deal = Deal(PRESETS["gongzhu"], deal_hands(PRESETS["gongzhu"], bytes(32), 0))
    >>> view = View(*deal.known_to(deal.to_act[0]), seed=7)
    >>> [len(way) for way in some_exposures(view, 2)]
    [0, 2]
    """
    count = count_exposures(view.rules.exposing, len(view.legal)) if view.rules.exposing else 1
    return [_exposed(view, faces) for faces in _some(_face_choices(view), count, view, most)]


def _some(ways: Iterable[Choice], count: int, view: View, most: int) -> Iterable[Choice]:
    """Choose *most* of *count* ways, which are never all in memory."""
    if count <= most:
        return ways
    taken = {0, count - 1, *(1 + number for number in view.rng.sample(range(count - 2), most - 2))}
    return compress(ways, (number in taken for number in range(count)))


def _face_choices(view: View) -> Iterator[tuple[Face | None, ...]]:
    exposing = view.rules.exposing
    faces = (None, Face.UP, Face.DOWN) if exposing and exposing.face_down else (None, Face.UP)
    return product(faces, repeat=len(view.legal))


def _exposed(view: View, faces: Iterable[Face | None]) -> dict[Card, Face]:
    return {card: face for card, face in zip(view.legal, faces, strict=True) if face}


def card_trial(view: View, policy: Policy, cards: Sequence[Card]) -> list[float]:
    """
    Return the mean margin of this seat after each of *cards*, in 50 sampled deals; see `pigpen.margin`.

    >>> from pigpen import Policy, View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import card_trial
    >>> rules = PRESETS["gongzhu"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    >>> for seat in deal.to_act:
    ...     deal.apply(seat, {})
    ...
    >>> view = View(*deal.known_to(deal.turn), seed=7)
    >>> len(card_trial(view, Policy.CAREFUL, view.legal)) == len(view.legal)
    True
    """
    scores = view.playouts(CARD_DEALS, view.rng, policy, cards)
    return [margin(view.rules, scores[card], view.seat) for card in cards]


def sealed_trial(view: View, policy: Policy, actions: Sequence[Action]) -> list[float]:
    """
    Return the margin of this seat after each pass or exposure, in one sampled deal; see `pigpen.margin`.

    All are played on with the same random numbers, so that what differs follows from the choice.

    >>> from pigpen import Policy, View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import sealed_trial
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    >>> view = View(*deal.known_to(0), seed=7)
    >>> len(sealed_trial(view, Policy.CAREFUL, [view.hand[:3], view.hand[-3:]]))
    2
    """
    trials = SealedTrials(view._possible_deals(), policy)
    return trials.margins([trials.choice(action) for action in actions], view.rng)
