"""Random deals per second of the engine alone, against OpenSpiel's hearts driven from Python with the same policy."""

from __future__ import annotations

import gc
import random
import time

import pyspiel

from benchmarks.report import in_turn, ratio, show, spread
from pigpen.rules import CARDS, PRESETS, Deal, MoonChoice, Phase, Rules, mask_of

DEALS = 1500


def pigpen_rate(rules: Rules) -> float:
    """Deals per second, dealing and scoring included."""
    rng = random.Random(1)
    started = time.perf_counter()
    for number in range(DEALS):
        random_deal(rules, number, rng).scores()
    return DEALS / (time.perf_counter() - started)


def random_deal(rules: Rules, number: int, rng: random.Random) -> Deal:
    """Deal, pass, expose and play at random."""
    chance = rng.random
    deck = sorted(rules.deck, key=lambda _: chance())
    size = rules.hand_size
    hands = [deck[place : place + size] for place in range(0, len(deck), size)]
    deal = Deal(rules, list(map(mask_of, hands)), number=number)
    if deal.phase is Phase.PASS:
        for seat, hand in enumerate(hands):  # the first cards of a shuffled hand are any cards of it
            deal.apply(seat, tuple(hand[: rules.plan.pass_count]))
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
    started = time.perf_counter()
    for _ in range(DEALS):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(chance() * len(legal))] if len(legal) > 1 else legal[0])
        state.returns()
    return DEALS / (time.perf_counter() - started)


def main(rounds: int = 7) -> None:
    """Measure and print."""
    western, chinese = PRESETS["hearts"], PRESETS["gongzhu"]
    gc.disable()  # as timeit does, for both sides
    hearts, gongzhu, theirs = in_turn(
        rounds, lambda: pigpen_rate(western), lambda: pigpen_rate(chinese), openspiel_rate
    )
    gc.enable()
    rows = [
        ("OpenSpiel hearts from Python", spread(theirs, 0), "1"),
        ("pigpen.rules, hearts", spread(hearts, 0), ratio(hearts, theirs)),
        ("pigpen.rules, gongzhu", spread(gongzhu, 0), ratio(gongzhu, theirs)),
    ]
    show("Random deals, one core, dealing and scoring included", ("", "deals/s", "against OpenSpiel"), rows)


if __name__ == "__main__":
    main()
