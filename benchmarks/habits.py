"""
Opponents' habits as a prior of the cards that a seat does not see: bits, and points of cards chosen by it.

    python -m benchmarks.habits
    python -m benchmarks.habits --rules hearts --bot counting --deals 400 --looked 100

All seats of a table are one bot. Four deals are learned from, the next four are held out, and so on: each half has all
directions of the pass. Two things are learned:

- **plays**: how the bot chooses a card when it leads, follows or discards. The tables of the policy that tree search
  has (sdk/pigpen/sim/native/learned.h) are trained on, from the weights in use, with the bot's choices;
- **hands**: which hands it has after it has passed and exposed, which no one sees: a weight for each suit of another
  seat's hand, by its length, by which of the three most telling cards of the suit are in it, and by who passed to whom.

In held-out deals the seat that leads looks at the table, before some of the tricks. The cards that it does not see are
dealt --drawn times so that they fit. A prior gives each of these deals a weight.

**Bits**: the true deal is put among them; its share of all weights over its share by chance, as a logarithm to base 2.
0 bits are what random sampling knows; with one bit the true deal counts twice. **Points lost**: in the last five tricks
the card that is best in the mean of the weighted deals, each solved with open hands, against the best card by the true
hands. All priors have the same deals. One deal of the game is one observation; ± is one standard error.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.choices import solved
from benchmarks.duels import BOTS, load_bot, mean_and_error
from benchmarks.learning import IN_USE, Decision, Examples, learn, read
from benchmarks.part_runner import machine
from benchmarks.report import show
from benchmarks.tree import TREE
from pigpen import View
from pigpen.bot import decide
from pigpen.rules import CARDS, PRESETS, Deal, Phase, Rules, Suit, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.sim import native
from pigpen.sim.sampling import Unseen
from pigpen.sim.sim_random import SimRandom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[Any]

DOUBT = 0.05
"""Part of a player's cards that counts as chosen by chance, as in tree.h."""
TRICKS = (0, 2, 5, 8)
"""Tricks before which bits are measured, counted from 0."""
LATE = (8, 9)
"""Tricks before which a card is chosen, where few enough are left to solve."""
SOLVED = 30
"""Number of drawn deals that are solved for a choice."""
LENGTHS, TELLING, ROLES = 8, 3, 4
STEPS, RATE, SHRINKING = 300, 0.03, 20.0
"""Of the weights of hands: steps of Adam, their size, and how strongly the weights are held at 1."""
FACE_UP = [name for name, rules in PRESETS.items() if not (rules.exposing and rules.exposing.face_down)]


@dataclass
class Played:
    """A deal to its end."""

    deal: Deal
    first: Deal
    """The same before the first card."""
    decisions: list[Decision] = field(default_factory=list)


@dataclass
class Look:
    """Deals that fit what a seat knows at some moment, the true one first."""

    trick: int
    hands: Numbers
    """Numbers of the weights of hands, (deals, others' suits)."""
    choices: list[list[Decision]]
    """Choices of the other seats up to now, in each deal."""
    worth: Numbers | None = None
    """Margin after each legal card by the solution, (deals, cards); None: not solved, or all cards are equally good."""

    def by_hands(self, logs: Numbers) -> Numbers:
        """Give the logarithm of each deal's weight by the hands of the others."""
        weights: Numbers = logs[self.hands].sum(-1)
        return weights

    def by_plays(self, logs: Numbers) -> Numbers:
        """Give the logarithm of each deal's weight by the others' choices of cards."""
        found = np.zeros(len(self.choices))
        for row, choices in enumerate(self.choices):
            if choices:
                examples = Examples.of(choices)
                likelier = examples.legal.sum(1) * np.exp(-examples.surprise(logs))
                found[row] = np.log(DOUBT + (1 - DOUBT) * likelier).sum()
        return found


def play(rules: Rules, bot: str, seed: bytes, number: int, seconds: float) -> Played:
    """Play a deal with one bot in all seats; `tree` has *seconds* of CPU time for a card."""
    engine = native.engine()
    assert engine
    deal = Deal(rules, deal_hands(rules, seed, number), number=number)
    found, player = Played(deal, deal.copy()), load_bot(bot)()
    while not deal.is_over:
        for seat in deal.to_act:
            if deal.is_forced(seat):
                deal.apply(seat, deal.default_action(seat))
                continue
            view = View(*deal.known_to(seat))
            view.totals, view.seed = (0,) * rules.players, derived_number("bot", seed, number, seat)
            is_card = deal.phase is Phase.PLAY
            action = TREE.card(view, seconds) if bot == "tree" and is_card else decide(player, view)
            if is_card:
                found.decisions.append((engine.features(deal), view.legal.index(action)))
            deal.apply(seat, action)
        if not deal.plays:
            found.first = deal.copy()
    return found


def telling_cards(rules: Rules) -> list[tuple[int, ...]]:
    """Give the three most telling cards of each suit: those that may be exposed, count most, or are highest."""
    plan = rules.plan

    def order(card: int) -> tuple[int, int, int]:
        return plan.exposable >> card & 1, abs(plan.points[card]), card

    return [tuple(sorted(range(13 * suit, 13 * suit + 13), key=order)[-TELLING:]) for suit in range(len(Suit))]


def hand_places(view: View, hands: Sequence[int], telling: Sequence[tuple[int, ...]]) -> list[int]:
    """Give the numbers of the weights of the other seats' hands, as they were before the first card."""
    players, offset = len(hands), view.rules.pass_offset(view.deal)
    found = []
    for place in range(1, players):
        hand = hands[(view.seat + place) % players]
        role = 0 if not offset else 1 if place == offset else 2 if place == players - offset else 3
        for suit in range(len(Suit)):
            length = min((hand >> 13 * suit & 0x1FFF).bit_count(), LENGTHS - 1)
            mask = sum((hand >> card & 1) << bit for bit, card in enumerate(telling[suit]))
            found.append(((role * len(Suit) + suit) * LENGTHS + length << TELLING) + mask)
    return found


def looks(played: Played, tricks: Sequence[int], drawn: int, *, late: Sequence[int] = ()) -> Iterator[Look]:
    """Look at a deal before some tricks, from the seat that leads; before those of *late*, all deals are solved."""
    now, telling = played.first.copy(), telling_cards(played.deal.rules)
    for trick in range(max(*tricks, *late, 0) + 1):
        if now.phase is not Phase.PLAY:
            return
        if trick in tricks or trick in late:
            view = View(*now.known_to(now.turn))
            hands = [now.hands, *some_hands(view, now, drawn)]
            before = [[hand | gone for hand, gone in zip(each, _played(now), strict=True)] for each in hands]
            places = np.array([hand_places(view, each, telling) for each in before])
            choices = [choices_of(played.first, each, now) for each in before]
            yield Look(trick, places, choices, _worth(now, hands[: SOLVED + 1]) if trick in late else None)
        for _ in range(len(now.hands)):
            now.play(CARDS[played.deal.plays[len(now.plays)]])


def first_looks(played: Played, drawn: int) -> Iterator[Look]:
    """Look at the hands from each of the seats, before the first card."""
    deal, telling = played.first, telling_cards(played.deal.rules)
    for seat in range(len(deal.hands)):
        view = View(*deal.known_to(seat))
        hands = [deal.hands, *some_hands(view, deal, drawn)]
        yield Look(0, np.array([hand_places(view, each, telling) for each in hands]), [])


def some_hands(view: View, deal: Deal, count: int) -> list[list[int]]:
    """Draw hands of all seats that fit what one knows."""
    seed = derived_number("habits", bytes(32), deal.number, len(deal.plays), view.seat)
    unseen, rng = Unseen(view), SimRandom(seed)
    drawn = [unseen.draw(rng)[0] for _ in range(count)]
    return [[view.hand_mask if seat == view.seat else hand for seat, hand in enumerate(hands)] for hands in drawn]


def _plays(deal: Deal) -> Iterator[tuple[int, int]]:
    """Give who played each card so far, and the card."""
    players = len(deal.hands)
    for number, card in enumerate(deal.plays):
        yield (deal.leaders[number // players] + number % players) % players, card


def _played(deal: Deal) -> list[int]:
    """Give the cards that each seat has played so far, as masks."""
    found = [0] * len(deal.hands)
    for seat, card in _plays(deal):
        found[seat] |= 1 << card
    return found


@cache
def _unpassed(rules: Rules) -> Rules:
    """Give the variant without a pass: its deals begin with the hands that the seats have after it."""
    return replace(rules, passing=None)


def choices_of(first: Deal, hands: Sequence[int], now: Deal) -> list[Decision]:
    """Give the choices up to *now* of the seats but the one to play, if *hands* were theirs before the first card."""
    engine = native.engine()
    assert engine
    deal, found = Deal(_unpassed(first.rules), hands, leader=first.first_leader), []
    for seat in deal.to_act if deal.phase is Phase.EXPOSE else ():
        deal.apply(seat, {shown.card: shown.face for shown in first.exposures if shown.seat == seat})
    for seat, card in _plays(now):
        if seat != now.turn and not deal.is_forced(seat):
            found.append((engine.features(deal), (deal.playable & ((1 << card) - 1)).bit_count()))
        deal.play(CARDS[card])
    return found


def _worth(now: Deal, hands: Sequence[Sequence[int]]) -> Numbers | None:
    """Solve the deal with each of these hands; None where the true hands, the first ones, make no difference."""
    rows: list[list[float]] = []
    for each in hands:
        deal = now.copy()
        deal.hands = list(each)
        found = solved(deal, deal.turn)
        if not rows and not found:
            return None
        rows.append([found.get(card, 0.0) for card in now.legal(now.turn)])
    return np.array(rows)


def learn_hands(found: Sequence[Look]) -> Numbers:
    """Find the logarithms of the weights of hands: the true deal among others, by conditional logistic regression."""
    places = np.array([look.hands for look in found])
    logs, moment, square = np.zeros((3, ROLES * len(Suit) * LENGTHS << TELLING))
    for step in range(1, STEPS + 1):
        sums = logs[places].sum(-1)
        errors = np.exp(sums - sums.max(1, keepdims=True))
        errors /= errors.sum(1, keepdims=True)
        errors[:, 0] -= 1
        slope = np.bincount(places.ravel(), np.repeat(errors.ravel(), places.shape[2]), len(logs)) + SHRINKING * logs
        moment = 0.9 * moment + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        logs = logs - RATE * moment / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-6)
    return logs


def bits(weights: Numbers) -> float:
    """
    Give the bits of the first of some deals, by the logarithms of their weights.

    >>> bits(np.log([2.0, 1.0, 1.0, 0.0001])).__round__(2)
    1.0
    """
    shares = np.exp(weights - weights.max())
    return float(np.log2(len(shares) * shares[0] / shares.sum()))


def lost(worth: Numbers, weights: Numbers) -> float:
    """
    Give the points that a choice loses in the first deal, if it is the best one in the others, each with its weight.

    >>> lost(np.array([[0.0, 5.0], [2.0, 0.0], [0.0, 1.0]]), np.log([1.0, 1.0, 1.0]))
    5.0
    >>> lost(np.array([[0.0, 5.0], [2.0, 0.0], [0.0, 1.0]]), np.log([1.0, 1.0, 3.0]))
    0.0
    """
    shares = np.exp(weights[1:] - weights[1:].max())
    return float(worth[0].max() - worth[0][(shares @ worth[1:]).argmax()])


def priors_of(learned: Sequence[Played], drawn: int) -> dict[str, Callable[[Look], Numbers]]:
    """Learn the habits of the bot that played some deals; give the priors, which weigh the deals of a look."""
    in_use = read(IN_USE)
    plays = learn(Examples.of([each for deal in learned for each in deal.decisions]), in_use)
    hands = learn_hands([look for deal in learned for look in first_looks(deal, drawn)])
    return {
        "none": lambda look: np.zeros(len(look.choices)),
        "in use": lambda look: look.by_plays(in_use),
        "plays": lambda look: look.by_plays(plays),
        "hands": lambda look: look.by_hands(hands),
        "plays and hands": lambda look: look.by_plays(plays) + look.by_hands(hands),
    }


def measure(
    priors: dict[str, Callable[[Look], Numbers]], held_out: Sequence[Played], drawn: int
) -> tuple[dict[tuple[int, str], list[float]], dict[str, list[float]]]:
    """Give the bits by trick and prior, and the points lost by prior, deal by deal."""
    found: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    losses: defaultdict[str, list[float]] = defaultdict(list)
    for played in held_out:
        by_prior: defaultdict[str, list[float]] = defaultdict(list)
        for look in looks(played, TRICKS, drawn, late=LATE):
            for name, prior in priors.items():
                weights = prior(look)
                if look.trick in TRICKS:
                    found[look.trick, name].append(bits(weights))
                if look.worth is not None:
                    by_prior[name].append(lost(look.worth, weights[: len(look.worth)]))
        for name, each in by_prior.items():
            losses[name].append(statistics.fmean(each))
    return found, losses


def figure(values: Sequence[float]) -> str:
    """Write a mean and its standard error."""
    mean, error = mean_and_error(values)
    return f"{mean:+.2f} ± {error:.2f}"


def main() -> None:
    """Play, learn, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--rules", nargs="+", choices=FACE_UP, default=["hearts", "gongzhu"])
    parser.add_argument("--bot", nargs="+", choices=BOTS, default=["counting", "tree"])
    parser.add_argument("--deals", type=int, default=304, help="number of deals; half of them are learned from")
    parser.add_argument("--looked", type=int, default=60, help="number of held-out deals that are looked at, at most")
    parser.add_argument("--drawn", type=int, default=60, help="number of deals that are drawn for each look")
    parser.add_argument("--ms", type=float, default=4.0, help="CPU time of `tree` for a card; default 4")
    parser.add_argument("--seed", default="habits", help="any text; the same text gives the same hands")
    options = parser.parse_args()
    if native.engine() is None:
        parser.error("this needs the accelerated engine: run scripts/venv")
    if options.deals < 8 or options.looked < 2 or options.drawn < SOLVED:
        parser.error(f"--deals must be 8 or more, --looked 2 or more, and --drawn {SOLVED} or more")
    rows, late = list[tuple[str, ...]](), list[tuple[str, ...]]()
    for name in options.rules:
        for bot in options.bot:
            seed, seconds = seed_from(options.seed), options.ms / 1000
            played = [play(PRESETS[name], bot, seed, number, seconds) for number in range(options.deals)]
            learned, held_out = ([each for each in played if each.deal.number // 4 % 2 == half] for half in (0, 1))
            priors = priors_of(learned, options.drawn)
            found, losses = measure(priors, held_out[: options.looked], options.drawn)
            others = [each for each in priors if each != "none"]
            rows += [(name, bot, str(trick), *(figure(found[trick, each]) for each in others)) for trick in TRICKS]
            gains = [[a - b for a, b in zip(losses["in use"], losses[each], strict=True)] for each in others[1:]]
            late.append((name, bot, *(figure(losses[each]) for each in priors), *map(figure, gains)))
    print(machine())
    show("Bits", ("", "bot", "tricks played", *others), rows, words=(0, 1))
    heads = ("", "bot", *priors, *(f"{each}: fewer than in use" for each in others[1:]))
    show("Points lost a decision in the last five tricks", heads, late, words=(0, 1))


if __name__ == "__main__":
    main()
