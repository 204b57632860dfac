"""A bot that uses all that is public: type checkers must accept it, strictly, against the installed wheel."""

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pigpen
from pigpen import (
    CARDS,
    Bits,
    Bot,
    Card,
    Chooser,
    ClockSetting,
    DealResult,
    Face,
    FaultNotice,
    MatchResult,
    MoonChoice,
    Phase,
    Play,
    Policy,
    Rules,
    Solution,
    Suit,
    Tally,
    TooLong,
    View,
    Welcome,
    cards_in,
    learn,
    margin,
    mask_of,
    playout,
    solve,
)
from pigpen.check import Case, Outcome, cases_of, check
from pigpen.learn import VERSION, Encoding, Steps, actions_of
from pigpen.rules import (
    PRESETS,
    Action,
    Better,
    Deal,
    DealOver,
    Direction,
    Doubler,
    End,
    Exposing,
    Exposure,
    FirstTrick,
    Game,
    IllegalAction,
    KnownToSeat,
    Leading,
    Moon,
    Opening,
    Passing,
    PigWhenMoon,
    Plan,
    RulesError,
    Scoring,
    SeatView,
    ShooterCards,
    deal_hands,
    new_seed,
    seed_from,
)
from pigpen.search import (
    CardTree,
    Pace,
    SearchBot,
    TreeBot,
    card_trial,
    race,
    sealed_trial,
    some_exposures,
    some_passes,
    ways_to_expose,
)

DEALS = 50 if pigpen.is_accelerated() else 2
MINE = Rules(
    name="mine",
    title="A variant with every part",
    players=4,
    opening=Opening(card="2C", forced=True),
    scoring=Scoring(better=Better.LOW, points={"hearts": 1, "QS": 13}, doubler=Doubler(card="TC", factor=2)),
    end=End(limit=100),
    passing=Passing(cards=3, directions=(Direction.LEFT, Direction.NONE)),
    first_trick=FirstTrick(barred=("hearts", "QS")),
    leading=Leading(suit="hearts", broken_by=("hearts",), alone=("hearts",)),
    exposing=Exposing(cards={"QS": ("QS",)}, face_up=2),
    moon=Moon(cards=("hearts",), shooter=ShooterCards.VOID, others=26, pig_when_moon=PigWhenMoon.KEEP),
)


def count_points(rules: Rules, cards: Iterable[Card]) -> int:
    plan: Plan = rules.plan
    return sum(plan.points[card] for card in cards if card.suit is not Suit.CLUBS)


def lowest(deal: Deal, seat: int) -> Action:
    if deal.phase is Phase.PLAY:
        return min(deal.legal(seat), key=lambda card: card.rank)
    return deal.default_action(seat)


def coin(rng: Bits) -> bool:
    return bool(rng.getrandbits(1))


class Whole(Bot):
    """Answers every question, and hears every notice."""

    def __init__(self) -> None:
        self.pace: Pace | None = None
        self.faults = 0
        self.places: list[int] = []

    def match_started(self, welcome: Welcome) -> None:
        clock: ClockSetting = welcome.clock
        if clock.limit > 0.0 and welcome.rules.players > welcome.seat:
            self.pace = Pace(welcome)

    def deal_over(self, result: DealResult) -> None:
        self.places.append(sorted(result.scores).index(result.scores[result.seat]))

    def fault(self, notice: FaultNotice) -> None:
        self.faults = notice.faults

    def match_over(self, result: MatchResult) -> None:
        self.places.append(result.place)

    def play(self, view: View) -> Card:
        trick: tuple[Play, ...] = view.trick
        if view.is_last and view.winning is not None and count_points(view.rules, [play.card for play in trick]) == 0:
            return max(view.legal)
        if len(view.hand) <= 2:
            return self.solved(view)
        trial = partial(card_trial, view, Policy.CAREFUL)
        return race(view.legal, trial, self.pace.seconds(view) if self.pace else 0.1, trials=2)

    def solved(self, view: View) -> Card:
        deal: Deal = view.sample(view.rng)
        try:
            solution: Solution = solve(deal, limit=10_000)
        except TooLong:
            return view.legal[0]
        return solution.card if solution.card in view.legal else view.legal[0]

    def pass_cards(self, view: View) -> Iterable[Card]:
        passes: list[tuple[Card, ...]] = some_passes(view, 10)
        values: list[float] = sealed_trial(view, Policy.RANDOM, passes)
        return passes[values.index(max(values))]

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        ways: Sequence[dict[Card, Face]] = list(ways_to_expose(view))
        return ways[0] if coin(view.rng) else some_exposures(view, 2)[0]

    def choose_moon(self, view: View) -> MoonChoice:
        return MoonChoice.ADD if view.totals and view.totals[view.seat] < 50 else MoonChoice.SUBTRACT


class Searching(SearchBot):
    policy = Policy.RANDOM
    clock = staticmethod(time.monotonic)

    def expose(self, view: View) -> list[Card]:
        return [card for card in view.legal if view.rules.plan.harm[card] < 0]


class Growing(TreeBot):
    trials = 2

    def play(self, view: View) -> Card:
        tree = CardTree(view, view.rng)
        best: Card | None = tree.solved()
        tallies: list[Tally] = [Tally() for _ in view.legal]
        scores: Mapping[Card, tuple[float, ...]] = tree.scores(1, view.legal, tallies) if tree.is_tree else {}
        assert sum(tally.deals for tally in tallies) == len(tallies) * tree.is_tree
        return best or (view.legal[0] if len(scores) == 1 else super().play(view))


def known(view: SeatView) -> tuple[Exposure, ...]:
    out_of: frozenset[Suit] = view.voids((view.seat + 1) % view.rules.players)
    assert all(isinstance(suit, Suit) for suit in out_of)
    assert mask_of(view.hand) == view.hand_mask
    assert cards_in(view.unseen_mask) == view.unseen
    return view.exposures


def learned_from(deal: Deal) -> int:
    """A decision as numbers."""
    view = deal.view(deal.to_act[0])
    encoding, steps = Encoding(deal.rules), Steps(deal.rules, deal.phase, view.legal_mask)
    observation: tuple[int, ...] = encoding.observe(view, steps)
    assert len(observation) == encoding.words
    assert VERSION == 1
    # Without numpy and others these have no type.
    players = {"BatchBot", "BoardResult", "Net", "against", "against_many", "greedy", "play_boards"}
    assert players | {"SavedTables", "Tables", "aec"} < set(learn.__all__)
    return len(actions_of(deal.default_action(view.seat), view.legal_mask))


def play_game(rules: Rules, chooser: Chooser) -> tuple[int, ...]:
    game = Game(rules)
    seed: bytes = seed_from("7") if len(new_seed()) == 32 else bytes(32)
    while not game.is_over and game.deals < 2:
        deal = game.next_deal(deal_hands(rules, seed, game.deals))
        parts: KnownToSeat = deal.known_to(0)
        assert learned_from(deal) > 0
        known(View(*parts, totals=game.totals))
        scores: tuple[int, ...] = playout(deal, chooser, random.Random(1))
        assert margin(rules, scores, 0) <= rules.players * max(map(abs, scores))
        while not deal.is_over:
            for seat in deal.to_act:
                deal.apply(seat, chooser(deal, seat))
        game.add(deal)
        error: type[RulesError] = DealOver
        try:
            deal.apply(0, CARDS[0])
        except error:
            continue
    return game.totals


def refused(rules: Rules) -> str:
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    try:
        deal.check(deal.to_act[0], Card.parse("AS"))
    except IllegalAction as error:
        return str(error)
    return ""


if __name__ == "__main__":
    cases: list[Case] = cases_of(MINE)
    variants = [replace(MINE, name="renamed"), PRESETS["gongzhu-sale"]]
    outcomes: list[Outcome] = [
        each for bot in (Whole, Searching, Growing) for each in check(bot, variants, limit=600.0)
    ]
    print(*[outcome for outcome in outcomes if not outcome.passed], len(cases) > 0, pigpen.__version__)
    print(play_game(PRESETS["hearts"], lowest), refused(PRESETS["hearts"]))
