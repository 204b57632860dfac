"""Choosing by simulation: the race drops what is behind, the pace keeps the bank, the bot answers every question."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from pigpen import (
    CARDS,
    ClockSetting,
    Face,
    MoonChoice,
    Phase,
    Policy,
    Rules,
    View,
    Welcome,
    mask_of,
    search,
)
from pigpen.bot import decide
from pigpen.rules import PRESETS, Card, Deal, Direction, IllegalAction, Suit, cards_in, deal_hands, seed_from
from pigpen.rules.cards import SUIT_MASKS
from pigpen.rules.parts import Exposing, Passing
from pigpen.search import (
    BEHIND,
    MAX_RACED_PASSES,
    MAX_TRIED,
    MIN_TRIALS,
    SEALED,
    CardTree,
    Pace,
    SearchBot,
    TreeBot,
    race,
    some_exposures,
    some_passes,
    ways_to_expose,
)
from pigpen.sim.possible_deals import PossibleDeals
from pigpen.sim.sealed import SealedTrials
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pigpen import Bits
    from pigpen.rules import Action
    from pigpen.sim.sealed import SealedChoice

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
    assert counts[0] == MIN_TRIALS
    assert counts[0] < counts[3] < counts[2] == counts[1]


def test_a_race_hardly_ever_drops_the_best() -> None:
    found = [race(range(3), noisy((0.0, 2.0, 1.0), [], seed), float("inf"), 60) for seed in range(200)]
    assert found.count(1) >= 195


def is_behind(values: Sequence[float], best: Sequence[float]) -> bool:
    """The rule of a race after each trial, from all differences anew."""
    differences = [other - value for value, other in zip(values, best, strict=True)]
    count, total = len(differences), sum(differences)
    spread = sum(each * each for each in differences) * count - total * total
    return total * total * (count - 1) > BEHIND**2 * spread


@pytest.mark.parametrize("seed", range(20))
def test_a_race_drops_whatever_is_behind_the_best_so_far_by_all_its_trials(seed: int) -> None:
    """The best changes in the course of the race."""
    rng, found, stayed, leaders = random.Random(seed), [list[float]() for _ in range(9)], [list(range(9))], set[int]()

    def trial(choices: Sequence[int]) -> list[float]:
        assert list(choices) == stayed[-1]
        for choice in choices:
            found[choice].append(float(rng.randrange(30) + choice // 2))
        best = found[max(choices, key=lambda choice: sum(found[choice]))]
        leaders.add(found.index(best))
        is_early = len(best) < MIN_TRIALS
        stayed.append([choice for choice in choices if is_early or not is_behind(found[choice], best)])
        return [found[choice][-1] for choice in choices]

    race(range(9), trial, float("inf"), 300)
    assert len(leaders) > 1
    assert len(stayed[-1]) < 9


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
    assert tried == [2] * MIN_TRIALS


def test_one_choice_needs_no_trial() -> None:
    tried: list[list[int]] = []
    assert race([0], noisy((0.0,), tried), float("inf"), 10) == 0
    assert not tried


def test_a_race_without_time_is_decided_by_the_first_trial() -> None:
    tried: list[list[int]] = []
    assert race(range(3), noisy((0.0, 90.0, 5.0), tried), 0.0, 10) == 1
    assert len(tried) == 1


# Choices


PASS_FIVE = replace(
    PRESETS["hearts"], name="pass-five", players=2, passing=Passing(cards=5, directions=(Direction.LEFT,))
)
EXPOSE_ALL = replace(
    PRESETS["gongzhu"],
    name="expose-all",
    players=2,
    exposing=Exposing(cards={str(card): (str(card),) for card in CARDS[-16:]}, face_up=2),
)


def first_view(rules: Rules, seed: int = 7) -> View:
    """Give the view of the first seat that is asked; of `EXPOSE_ALL` it holds every card that may be exposed."""
    deal = Deal(rules, [mask_of(CARDS[26:]), mask_of(CARDS[:26])] if rules is EXPOSE_ALL else dealt(rules))
    return View(*deal.known_to(deal.to_act[0]), seed=seed)


def dealt(rules: Rules) -> tuple[int, ...]:
    return deal_hands(rules, seed_from("7"), 0)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_in_a_preset_every_choice_is_tried_in_order_and_no_random_number_is_drawn(rules: Rules) -> None:
    view = first_view(rules)
    state = view.rng.getstate()
    assert some_passes(view) == [*combinations(view.hand, view.pass_count)]
    assert some_exposures(view) == [*ways_to_expose(view)]
    assert view.rng.getstate() == state


def test_of_many_passes_some_are_tried_and_never_all_are_listed() -> None:
    found = some_passes(first_view(PASS_FIVE), 50)
    every = combinations(first_view(PASS_FIVE).hand, 5)
    assert len({*found}) == 50
    assert found[0] == next(every)
    assert found == [way for way in [found[0], *every] if way in {*found}]  # in their order
    assert found == some_passes(first_view(PASS_FIVE), 50)
    assert found != some_passes(first_view(PASS_FIVE, seed=8), 50)


def test_of_many_exposures_some_are_tried_and_nothing_is_one_of_them() -> None:
    view = first_view(EXPOSE_ALL)
    assert len(view.legal) == 16
    found = some_exposures(view, 50)
    assert len(found) == len({frozenset(each) for each in found}) == 50
    assert found[0] == {}
    assert {*found[-1]} == {*view.legal}


def test_ways_to_expose_are_made_one_at_a_time() -> None:
    ways = ways_to_expose(first_view(EXPOSE_ALL))
    assert [next(ways), next(ways)] == [{}, {CARDS[-1]: Face.UP}]


@pytest.mark.parametrize(
    ("rules", "most"), [(PASS_FIVE, MAX_RACED_PASSES), (EXPOSE_ALL, MAX_TRIED)], ids=["five", "all"]
)
def test_a_searching_bot_tries_a_bounded_number_of_choices(
    rules: Rules, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def trial(_trials: SealedTrials, choices: Sequence[SealedChoice], rng: Bits, deals: int = 1) -> list[float]:
        tried.append(len(choices))
        return [float(index == 0) for index in range(len(choices))]

    monkeypatch.setattr(SealedTrials, "margins", trial)
    view = first_view(rules)
    decide(SearchBot(), view)
    assert max(tried) == most


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


@pytest.mark.parametrize(("cpu_rate", "charge_rate"), [(1.0, 1.0), (0.5, 0.5), (0.12, 1 / 3)])
@pytest.mark.parametrize("phase", [Phase.PLAY, Phase.PASS])
def test_on_a_busy_machine_a_decision_has_the_same_work_or_all_that_its_part_of_the_bank_pays(
    phase: Phase, cpu_rate: float, charge_rate: float
) -> None:
    rules = PRESETS["hearts"]
    quiet, busy = view_with(rules, 0, 60.0, phase), view_with(rules, 0, 60.0, phase)
    busy.cpu_rate, busy.charge_rate = cpu_rate, charge_rate
    for bank in (60.0, 6.0, 0.6):
        quiet.bank = busy.bank = bank
        pace = Pace(welcome(rules, bank=bank))
        alone, beside = pace.seconds(quiet), pace.seconds(busy)
        part = (1 if phase is Phase.PLAY else SEALED) * bank / (16 * (13 + 2 * SEALED))
        assert beside <= 0.8 * CLOCK.limit
        assert beside * charge_rate <= part * 1.000001
        if beside < 0.8 * CLOCK.limit and beside * charge_rate < part * 0.999:
            assert beside * cpu_rate == pytest.approx(alone)


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


# Sealed choices


@pytest.mark.parametrize("name", ["hearts", "gongzhu"])
def test_a_choice_that_is_tried_twice_in_a_trial_has_the_same_value_twice(name: str) -> None:
    """So only what differs between two choices makes a difference."""
    deal = Deal(PRESETS[name], deal_hands(PRESETS[name], seed_from("twice"), 0))
    view = View(*deal.known_to(deal.to_act[0]), seed=7)
    choice: Action = tuple(view.hand[:3]) if name == "hearts" else {}
    for _ in range(10):
        first, second = search.sealed_trial(view, Policy.CAREFUL, [choice, choice])
        assert first == second


@pytest.mark.parametrize("name", ["hearts", "gongzhu"])
def test_a_choice_that_is_not_legal_is_not_tried(name: str) -> None:
    deal = Deal(PRESETS[name], deal_hands(PRESETS[name], seed_from("twice"), 0))
    view = View(*deal.known_to(deal.to_act[0]), seed=7)
    missing = next(card for card in CARDS if card not in view.hand)
    for choice in ((missing, *view.hand[:2]), {missing: Face.UP}, view.hand[:1] * 3):
        with pytest.raises(IllegalAction):
            search.sealed_trial(view, Policy.CAREFUL, [choice])


def test_few_choices_are_tried_in_several_deals_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = PRESETS["gongzhu"]
    deal = Deal(rules, deal_hands(rules, seed_from("twice"), 0))
    view, tried = View(*deal.known_to(deal.to_act[0]), seed=7), list[int]()
    margins = SealedTrials.margins

    def trial(trials: SealedTrials, choices: Sequence[SealedChoice], rng: Bits, deals: int = 1) -> list[float]:
        tried.append(deals * len(choices))
        return margins(trials, choices, rng, deals)

    monkeypatch.setattr(SealedTrials, "margins", trial)
    deal.check(view.seat, decide(SearchBot(), view))
    assert max(tried) == search.TRIAL_PLAYOUTS


@pytest.mark.parametrize("kind", [SearchBot, TreeBot])
def test_a_bot_with_a_clock_of_its_own_stops_by_it(kind: type[SearchBot]) -> None:
    class Counting(kind):  # type: ignore[valid-type, misc]
        readings = 0

        def clock(self) -> float:
            self.readings += 1
            return float(self.readings)

        def seconds(self, view: View) -> float:
            return 3.0

    rules = PRESETS["hearts"]
    for number in (0, 3):
        deal = Deal(rules, deal_hands(rules, seed_from("clock"), number), number=number)
        while deal.phase is Phase.PLAY and len(deal.legal(deal.turn)) == 1:
            deal.play(deal.legal(deal.turn)[0])
        bot = Counting()
        decide(bot, View(*deal.known_to(deal.to_act[0]), seed=7))
        assert 2 <= bot.readings <= 12


def test_the_cards_that_make_a_pass_good_are_found_from_passes_that_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], seed_from("cards"), 0))
    view, rng = View(*deal.known_to(0), seed=7), random.Random(3)
    worth = {card: float(number) for number, card in enumerate(rng.sample(view.hand, len(view.hand)))}

    def trial(_trials: SealedTrials, passes: Sequence[SealedChoice], _rng: Bits) -> list[float]:
        luck = rng.gauss(0, 50)
        return [luck + sum(worth[card] for card in cards_in(each.cards)) + rng.gauss(0, 8) for each in passes]

    monkeypatch.setattr(SealedTrials, "margins", trial)
    trials = SealedTrials(PossibleDeals(view), Policy.CAREFUL)
    values = search._card_values(view, trials, 60.0, time.thread_time)
    found = sorted(view.hand, key=values.__getitem__)
    assert set(found[-3:]) <= set(sorted(view.hand, key=worth.__getitem__)[-5:])
    assert set(found[:3]) <= set(sorted(view.hand, key=worth.__getitem__)[:5])


def test_of_many_passes_those_of_the_best_cards_are_raced(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], seed_from("cards"), 0))
    view, tried = View(*deal.known_to(0), seed=7), set[int]()

    def trial(_trials: SealedTrials, passes: Sequence[SealedChoice], rng: Bits, deals: int = 1) -> list[float]:
        tried.add(len(passes))
        return [float((each.cards & SUIT_MASKS[Suit.SPADES]).bit_count()) for each in passes]

    monkeypatch.setattr(SealedTrials, "margins", trial)
    chosen = list(SearchBot().pass_cards(view))
    spades = [card for card in view.hand if card.suit is Suit.SPADES]
    assert sum(card in spades for card in chosen) == min(3, len(spades))
    assert max(tried) == MAX_RACED_PASSES


# The bots


def hurried(kind: type[SearchBot] = SearchBot) -> SearchBot:
    """A bot that has no time at all."""
    bot = kind()
    bot.match_started(Welcome(PRESETS["hearts"], 0, "game", ClockSetting(0.0, 0.0, 1e-9, 10.0)))
    return bot


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
@pytest.mark.parametrize(("kind", "number"), [(SearchBot, 0), (SearchBot, 1), (TreeBot, 0), (TreeBot, 1)])
def test_a_bot_without_time_answers_every_question_legally(rules: Rules, kind: type[SearchBot], number: int) -> None:
    deal = Deal(rules, deal_hands(rules, seed_from("hurry"), number), number=number)
    phases = set()
    while not deal.is_over:
        phases.add(deal.phase)
        for seat in deal.to_act:
            view = View(*deal.known_to(seat), totals=(0,) * rules.players, seed=seat, limit=1e-9)
            deal.apply(seat, decide(hurried(kind), view))
    assert phases >= {Phase.PLAY} | ({Phase.PASS} if rules.passing else set()) | (
        {Phase.EXPOSE} if rules.exposing else set()
    )


@pytest.mark.parametrize(("own", "choice"), [(40, MoonChoice.ADD), (80, MoonChoice.SUBTRACT)])
def test_the_leader_ends_the_game_with_its_moon_and_others_put_the_end_off(own: int, choice: MoonChoice) -> None:
    view = view_with(PRESETS["hearts"], 0, 60.0, Phase.MOON)
    view.totals = (own, 50, 60, 70)
    assert SearchBot().choose_moon(view) is choice


def test_a_tree_bot_makes_no_more_trials_than_it_may_and_takes_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def trial(tree: CardTree, cards: Sequence[Card]) -> list[float]:
        tried.append(len(cards))
        return [float(card == cards[-1]) for card in cards]

    monkeypatch.setattr(CardTree, "trial", trial)
    monkeypatch.setattr(search, "MIN_TRIALS", 100)
    bot, view = TreeBot(), next(views_to_play())
    bot.trials = 7
    assert bot.play(view) == view.legal[-1]
    assert tried == [len(view.legal)] * 7


def test_a_tree_bot_plays_the_same_again_and_a_solved_ending_without_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    view, other = next(views_to_play()), next(views_to_play())
    assert TreeBot().play(view) == TreeBot().play(other)
    monkeypatch.setattr(CardTree, "trial", None)
    for best in (view.legal[-1], Card(0)):  # 2C is the number 0
        monkeypatch.setattr(CardTree, "solved", lambda tree, best=best: best)
        assert TreeBot().play(view) == best


def views_to_play() -> Iterator[View]:
    """Yield views of seats that have a choice of cards."""
    rules = PRESETS["gongzhu"]
    deal = Deal(rules, deal_hands(rules, seed_from("7"), 0))
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat), seed=7)
            if deal.phase is Phase.PLAY and len(view.legal) > 1:
                yield view
            deal.apply(seat, deal.default_action(seat))


def test_a_race_reads_the_clock_that_it_is_given() -> None:
    tried: list[list[int]] = []
    ticks = iter(range(100))
    race(range(3), noisy((0.0, 1.0, 0.5), tried), 2.5, 50, lambda: float(next(ticks)))
    assert len(tried) == 3
