"""
Random deals per second of the engine alone, against OpenSpiel's hearts driven from Python with the same policy.

OpenSpiel is driven in two ways: as its interface suggests, and by every short cut there is. The pure engine plays card
by card, dealing, passing and scoring included. The accelerated one samples the unseen cards of a view at the first
trick and plays each deal to its end: by `view.playouts` in one call, and in a loop of `sample` and `playout`.
Then the time to solve five tricks. All times are CPU time.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import floor

import pyspiel

from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn, spread
from pigpen import View, is_accelerated, solve
from pigpen.rules import CARDS, PRESETS, Deal, MoonChoice, Phase, Rules, deal_hands, seed_from
from pigpen.sim.playout import Policy, playout
from tests.sim.views import bot_view

DEALS = 500
ENDINGS = 25
CARD_OF = {card.mask: card for card in CARDS}
PASS, EXPOSE, MOON = Phase.PASS, Phase.EXPOSE, Phase.MOON


def per_second(play: Callable[[int], object], deals: int) -> float:
    """Measure deals per second of *play*, which gets the number of the deal, with *deals* deals."""
    started = time.process_time()
    for number in range(deals):
        play(number)
    return deals / (time.process_time() - started)


def pigpen_rate(rules: Rules, deals: int) -> float:
    """Measure deals per second."""
    deck, chance = [card.mask for card in rules.deck], random.Random(1).random
    return per_second(lambda number: random_deal(rules, deck, number, chance).scores(), deals)


def random_deal(rules: Rules, deck: Sequence[int], number: int, chance: Callable[[], float]) -> Deal:
    """Deal, pass, expose and play at random; *deck* holds a mask for each card."""
    cards = sorted(deck, key=lambda _: chance())
    size = rules.hand_size
    hands = [cards[place : place + size] for place in range(0, len(cards), size)]
    deal = Deal(rules, list(map(sum, hands)), number=number)
    if deal.phase is PASS:
        count = rules.plan.pass_count
        for seat, hand in enumerate(hands):  # the first cards of a shuffled hand are any cards of it
            deal.apply(seat, tuple([CARD_OF[mask] for mask in hand[:count]]))
    if deal.phase is EXPOSE:
        for seat in deal.to_act:
            deal.apply(seat, {})
    play = deal.play
    while options := deal.playable:
        skip = chance() * options.bit_count()
        while skip >= 1.0:
            options &= options - 1
            skip -= 1.0
        play(CARD_OF[options & -options])
    if deal.phase is MOON:
        deal.apply(deal.turn, MoonChoice.SUBTRACT)
    return deal


def openspiel_rate(deals: int) -> float:
    """Measure the same of OpenSpiel, as its interface suggests: asked before every action what is legal."""
    game, chance = pyspiel.load_game("hearts"), random.Random(1).random

    def play(_: int) -> None:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[floor(chance() * len(legal))])
        state.returns()

    return per_second(play, deals)


def openspiel_short_rate(deals: int) -> float:
    """
    Measure the same of OpenSpiel by every short cut.

    As with our engine, the deck is shuffled at once, cards are passed without asking, and methods are looked up once.
    Unlike our engine, `apply_action` does not check the card.
    """
    game, deck, chance = pyspiel.load_game("hearts"), range(52), random.Random(1).random

    def play(_: int) -> None:
        state = game.new_initial_state()
        apply, legal_actions = state.apply_action, state.legal_actions
        direction = floor(chance() * 4)
        apply(direction)
        cards = sorted(deck, key=lambda _: chance())
        for card in cards:
            apply(card)
        if direction:
            for seat in range(4):
                for card in cards[seat:12:4]:
                    apply(card)
        while legal := legal_actions():
            apply(legal[floor(chance() * len(legal))])
        state.returns()

    return per_second(play, deals)


def opening_view(rules: Rules) -> View:
    """Make what the first leader sees, in a deal without a pass."""
    deal = Deal(rules, deal_hands(rules, seed_from("opening"), 3), number=3)
    while deal.phase is not Phase.PLAY:
        deal.apply(deal.to_act[0], {})
    return bot_view(deal, deal.turn)


def batch_rate(view: View, deals: int) -> float:
    """Measure deals sampled and played out per second by `view.playouts`, after the first of the legal cards."""
    rng, many = random.Random(1), 20 * deals
    started = time.process_time()
    view.playouts(many, rng, Policy.RANDOM, view.legal[:1])
    return many / (time.process_time() - started)


def loop_rate(view: View, deals: int) -> float:
    """Measure deals sampled and played out per second, one by one from Python."""
    rng = random.Random(1)
    return per_second(lambda _: playout(view.sample(rng), Policy.RANDOM, rng), deals)


def solving_times(rules: Rules, endings: int) -> list[float]:
    """Measure milliseconds of CPU for each of some endings of five tricks, played at random so far."""
    rng, times = random.Random(2), []
    for number in range(endings):
        deal = Deal(rules, deal_hands(rules, seed_from("endings"), number), number=3)
        while deal.phase is not Phase.PLAY:
            deal.apply(deal.to_act[0], {})
        while len(deal.plays) < len(rules.deck) - 5 * rules.players:
            deal.play(rng.choice(deal.legal(deal.turn)))
        started = time.process_time()
        solve(deal)
        times.append(1000 * (time.process_time() - started))
    return times


def measure(rounds: int, deals: int = DEALS, endings: int = ENDINGS) -> list[Row]:
    """Measure random deals per second with *deals* a round, and *endings* endings of each variant."""
    western, chinese = PRESETS["hearts"], PRESETS["gongzhu"]
    views = opening_view(western), opening_view(chinese)
    gc.disable()  # as timeit does, for both sides
    try:
        rates = in_turn(
            rounds, partial(openspiel_rate, deals), partial(openspiel_short_rate, deals),
            *(partial(pigpen_rate, rules, deals) for rules in (western, chinese)),
            *(partial(rate, view, deals) for rate in (batch_rate, loop_rate) for view in views),
        )  # fmt: skip
    finally:
        gc.enable()
    kind = "accelerated" if is_accelerated() else "not accelerated here"
    ways = ("random deals", f"view.playouts, {kind}", f"sample and playout, {kind}")
    names = [f"{way}, {name}" for way in ways for name in ("hearts", "gongzhu")]
    theirs = "random deals, OpenSpiel's hearts from Python"
    rows = compared([theirs, f"{theirs}, every short cut", *names], rates, "/s", "OpenSpiel")
    return rows + solved(endings) if is_accelerated() else rows


def solved(endings: int) -> list[Row]:
    """Measure how long it takes to solve the last five tricks."""
    return [
        Row(f"last five tricks solved, {name}", spread(solving_times(rules, endings), " ms"))
        for name, rules in PRESETS.items()
    ]


PARTS = (Part("engine", __doc__, measure, rounds=21),)

if __name__ == "__main__":
    run(__doc__, *PARTS)
