"""Choosing by simulation: the race drops what is behind, the pace keeps the bank, the bot answers every question."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pigpen import ClockSetting, MoonChoice, Phase, Rules, View, Welcome
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, deal_hands, seed_from
from pigpen.search import FIRST, SEALED, Pace, SearchBot, race
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLOCK = ClockSetting(bank=60.0, increment=0.0, limit=1.0, start_up=10.0)


def noisy(means: Sequence[float], tried: list[list[int]], seed: int = 1) -> Callable[[Sequence[int]], list[float]]:
    """A trial in which every choice has bad luck together, and a little luck of its own; notes what was tried."""
    rng = random.Random(seed)

    def trial(choices: Sequence[int]) -> list[float]:
        tried.append(list(choices))
        luck = rng.gauss(0, 100)
        return [means[choice] + luck + rng.gauss(0, 1) for choice in choices]

    return trial


def test_a_race_finds_the_best_and_spends_its_trials_on_what_is_close_to_it() -> None:
    tried: list[list[int]] = []
    assert race(range(4), noisy((0.0, 10.0, 9.9, 9.4), tried), float("inf"), 200) == 1
    counts = [sum(choice in choices for choices in tried) for choice in range(4)]
    assert counts[0] == FIRST
    assert counts[0] < counts[3] < counts[2] == counts[1]


def test_a_race_hardly_ever_drops_the_best() -> None:
    found = [race(range(3), noisy((0.0, 2.0, 1.0), [], seed), float("inf"), 60) for seed in range(200)]
    assert found.count(1) >= 195


def test_choices_that_are_always_equal_stay_in_the_race_and_the_first_wins() -> None:
    tried: list[int] = []

    def trial(choices: Sequence[str]) -> list[float]:
        tried.append(len(choices))
        return [3.0] * len(choices)

    assert race("abc", trial, float("inf"), 12) == "a"
    assert tried == [3] * 12


def test_a_choice_that_is_worse_by_the_same_every_time_is_dropped() -> None:
    tried: list[int] = []

    def trial(choices: Sequence[int]) -> list[float]:
        tried.append(len(choices))
        return list(map(float, choices))

    assert race(range(2), trial, float("inf"), 50) == 1
    assert tried == [2] * FIRST


def test_one_choice_needs_no_trial() -> None:
    tried: list[list[int]] = []
    assert race([0], noisy((0.0,), tried), float("inf"), 10) == 0
    assert not tried


def test_a_race_without_time_is_decided_by_the_first_trial() -> None:
    tried: list[list[int]] = []
    assert race(range(3), noisy((0.0, 90.0, 5.0), tried), 0.0, 10) == 1
    assert len(tried) == 1


# Time


def view_with(rules: Rules, deal: int, bank: float, phase: Phase = Phase.PLAY, cards: int | None = None) -> View:
    """A view of which only what says how late it is matters."""
    start = Deal(rules, deal_hands(rules, seed_from("7"), 0))
    view = View(*start.known_to(0), limit=CLOCK.limit, bank=bank)
    view.deal, view.phase = deal, phase
    for card in view.hand[: rules.hand_size - cards] if cards else ():
        view.hand_mask ^= card.mask
    return view


def welcome(rules: Rules, form: str = "deals:16", bank: float = CLOCK.bank) -> Welcome:
    return Welcome(rules, 0, form, ClockSetting(bank, CLOCK.increment, CLOCK.limit, CLOCK.start_up))


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
@pytest.mark.parametrize("bank", [60.0, 2.0])
@pytest.mark.parametrize("deals", [1, 3, 16, 40])
def test_all_the_time_that_may_be_taken_is_in_the_bank(rules: Rules, bank: float, deals: int) -> None:
    """Every decision takes as long as it may, and the bank, which grows every 16 deals, is never empty."""
    pace, left = Pace(welcome(rules, f"boards:{deals}", bank)), 0.0
    for deal in range(deals):
        left += 0.0 if deal % 16 else bank
        for phase in (Phase.PASS, Phase.EXPOSE):
            left -= pace.seconds(view_with(rules, deal, left, phase))
            assert left > 0
        for cards in range(rules.hand_size, 1, -1):
            seconds = pace.seconds(view_with(rules, deal, left, cards=cards))
            assert 0 < seconds <= CLOCK.limit / 4
            left -= seconds
            assert left > 0


def test_a_short_match_may_use_its_bank_sooner() -> None:
    rules, bank = PRESETS["gongzhu"], 2.0
    short, long, game = (Pace(welcome(rules, form, bank)) for form in ("deals:2", "deals:16", "game"))
    view = view_with(rules, 0, bank)
    assert short.seconds(view) > 7 * long.seconds(view)
    assert long.seconds(view) == game.seconds(view)


def test_the_increment_is_there_to_be_used() -> None:
    rules = PRESETS["gongzhu"]
    clock = ClockSetting(bank=0.0, increment=0.02, limit=1.0, start_up=10.0)
    assert Pace(Welcome(rules, 0, "deals:16", clock)).seconds(view_with(rules, 0, 0.0)) == pytest.approx(0.02)


def test_a_sealed_answer_may_take_as_long_as_several_cards() -> None:
    rules = PRESETS["hearts"]
    pace = Pace(welcome(rules))
    card, sealed = (pace.seconds(view_with(rules, 0, 60.0, phase)) for phase in (Phase.PLAY, Phase.PASS))
    assert sealed == SEALED * card


def test_without_a_clock_it_thinks_to_the_end() -> None:
    assert SearchBot().seconds(view_with(PRESETS["gongzhu"], 0, 0.0)) == float("inf")


def test_with_an_empty_bank_and_no_increment_there_is_no_time_at_all() -> None:
    """The referee then gives a decision a limit of 0 seconds."""
    view = view_with(PRESETS["gongzhu"], 0, 0.0)
    view.limit = 0.0
    assert Pace(welcome(view.rules)).seconds(view) == 0.0


# The bot


def hurried() -> SearchBot:
    """A bot that has no time at all."""
    bot = SearchBot()
    bot.match_started(Welcome(PRESETS["hearts"], 0, "game", ClockSetting(0.0, 0.0, 1e-9, 10.0)))
    return bot


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
@pytest.mark.parametrize("number", [0, 1])
def test_a_bot_without_time_answers_every_question_legally(rules: Rules, number: int) -> None:
    deal = Deal(rules, deal_hands(rules, seed_from("hurry"), number), number=number)
    phases = set()
    while not deal.is_over:
        phases.add(deal.phase)
        for seat in deal.to_act:
            view = View(*deal.known_to(seat), totals=(0,) * rules.players, seed=seat, limit=1e-9)
            deal.apply(seat, decide(hurried(), view))
    assert phases >= {Phase.PLAY} | ({Phase.PASS} if rules.passing else set()) | (
        {Phase.EXPOSE} if rules.exposing else set()
    )


@pytest.mark.parametrize(("own", "choice"), [(40, MoonChoice.ADD), (80, MoonChoice.SUBTRACT)])
def test_the_leader_ends_the_game_with_its_moon_and_others_put_the_end_off(own: int, choice: MoonChoice) -> None:
    view = view_with(PRESETS["hearts"], 0, 60.0, Phase.MOON)
    view.totals = (own, 50, 60, 70)
    assert SearchBot().choose_moon(view) is choice
