"""
Random deals per second of the engine alone, against OpenSpiel's hearts driven from Python with the same policy.

Seconds are CPU time: both work in one thread, and on the wall a busy machine takes from either.

The pure engine plays card by card, dealing, passing and scoring included. The accelerated one samples the unseen cards
of a view at the first trick and plays each deal to its end: in one call of `view.playouts`, and in a loop of
`view.sample` and `deal.playout`. Then the time to solve five tricks.
"""

from __future__ import annotations

import gc
import random
import time
from functools import partial

import pyspiel

from benchmarks.command import run
from benchmarks.report import Part, Row, compared, in_turn, spread
from pigpen import is_accelerated, solve
from pigpen.rules import CARDS, PRESETS, Deal, MoonChoice, Phase, Policy, Rules, View, deal_hands, seed_from

DEALS = 1500
ENDINGS = 25


def pigpen_rate(rules: Rules) -> float:
    """Deals per second, dealing and scoring included."""
    rng = random.Random(1)
    started = time.process_time()
    for number in range(DEALS):
        random_deal(rules, number, rng).scores()
    return DEALS / (time.process_time() - started)


def random_deal(rules: Rules, number: int, rng: random.Random) -> Deal:
    """Deal, pass, expose and play at random."""
    chance = rng.random
    deck = sorted([1 << card for card in rules.deck], key=lambda _: chance())
    size = rules.hand_size
    hands = [deck[place : place + size] for place in range(0, len(deck), size)]
    deal = Deal(rules, list(map(sum, hands)), number=number)
    if deal.phase is Phase.PASS:
        for seat, hand in enumerate(hands):  # the first cards of a shuffled hand are any cards of it
            deal.apply(seat, tuple([CARDS[bit.bit_length() - 1] for bit in hand[: rules.plan.pass_count]]))
    while not deal.playable:
        for seat in deal.to_act:
            deal.apply(seat, {})
    play = deal.play
    while mask := deal.playable:
        if mask & mask - 1:
            skip = int(chance() * mask.bit_count())
            while skip:
                mask &= mask - 1
                skip -= 1
            mask &= -mask
        play(CARDS[mask.bit_length() - 1])
    if deal.phase is Phase.MOON:
        deal.apply(deal.turn, MoonChoice.SUBTRACT)
    return deal


def openspiel_rate() -> float:
    """The same of OpenSpiel: every deal dealt, passed and played action by action."""
    game = pyspiel.load_game("hearts")
    chance = random.Random(1).random
    started = time.process_time()
    for _ in range(DEALS):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(chance() * len(legal))] if len(legal) > 1 else legal[0])
        state.returns()
    return DEALS / (time.process_time() - started)


def opening_view(rules: Rules) -> View:
    """What the first leader sees, in a deal without a pass."""
    deal = Deal(rules, deal_hands(rules, seed_from("opening"), 3), number=3)
    while deal.phase is not Phase.PLAY:
        deal.apply(deal.to_act[0], {})
    return deal.view(deal.turn)


def batch_rate(view: View) -> float:
    """Deals played out per second by `view.playouts`; every legal card is a deal of its own."""
    rng, deals = random.Random(1), 20 * DEALS // view.legal_mask.bit_count()
    started = time.process_time()
    view.playouts(deals, rng, Policy.RANDOM)
    return deals * view.legal_mask.bit_count() / (time.process_time() - started)


def loop_rate(view: View) -> float:
    """Deals sampled and played out per second, one by one from Python."""
    rng = random.Random(1)
    started = time.process_time()
    for _ in range(DEALS):
        view.sample(rng).playout(Policy.RANDOM, rng)
    return DEALS / (time.process_time() - started)


def solving_times(rules: Rules) -> list[float]:
    """Milliseconds of CPU for each of some endings of five tricks, played at random so far."""
    rng, times = random.Random(2), []
    for number in range(ENDINGS):
        deal = Deal(rules, deal_hands(rules, seed_from("endings"), number), number=3)
        while deal.phase is not Phase.PLAY:
            deal.apply(deal.to_act[0], {})
        while len(deal.plays) < len(rules.deck) - 5 * rules.players:
            deal.play(rng.choice(deal.legal(deal.turn)))
        started = time.process_time()
        solve(deal)
        times.append(1000 * (time.process_time() - started))
    return times


def measure(rounds: int) -> list[Row]:
    """Random deals a second, and the endings."""
    western, chinese = PRESETS["hearts"], PRESETS["gongzhu"]
    views = opening_view(western), opening_view(chinese)
    gc.disable()  # as timeit does, for both sides
    rates = in_turn(
        rounds, openspiel_rate, lambda: pigpen_rate(western), lambda: pigpen_rate(chinese),
        *(partial(rate, view) for rate in (batch_rate, loop_rate) for view in views),
    )  # fmt: skip
    gc.enable()
    kind = "accelerated" if is_accelerated() else "not accelerated here"
    ways = ("random deals", f"view.playouts, {kind}", f"sample and playout, {kind}")
    names = [f"{way}, {name}" for way in ways for name in ("hearts", "gongzhu")]
    rows = compared(["random deals, OpenSpiel's hearts from Python", *names], rates, "/s", "OpenSpiel")
    return rows + endings() if is_accelerated() else rows


def endings() -> list[Row]:
    """How long it takes to solve the last five tricks."""
    return [
        Row(f"last five tricks solved, {name}", spread(solving_times(rules), " ms")) for name, rules in PRESETS.items()
    ]


PART = Part("engine", __doc__, measure, rounds=7)

if __name__ == "__main__":
    run(__doc__, PART)
