"""Every public name of the SDK has an example in its docstring; `tests/test_doctests.py` runs them."""

from __future__ import annotations

import inspect
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import pigpen
import pigpen.check
import pigpen.learn
import pigpen.rules
import pigpen.search
from pigpen import Card, Phase
from pigpen.check import Case, Outcome, cases_of, check
from pigpen.check.cases import EDGES, NO_PASS
from pigpen.rules import PRESETS, Deal, Direction, Exposing, Passing, Rules, cards_in
from pigpen.rules.cards import parse_cards
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.check.cases import Edge

HEARTS = PRESETS["hearts"]
GONGZHU = PRESETS["gongzhu"]
RED = tuple(str(card) for card in HEARTS.deck if card.suit is pigpen.Suit.HEARTS)
LAST_BUT_ONE, MOON = "play to the last trick but one", "choose what the moon is worth"
"""Names of cases."""
FOUR_CLUBS = ("3C", "4C", "5C", "6C")
DIRECTIONS = (Direction.LEFT, Direction.RIGHT, Direction.ACROSS)


def exposing(*cards: str) -> Exposing:
    return Exposing(cards={card: (card,) for card in cards}, face_up=2)


def always_passing(rules: Rules, cards: int, direction: Direction) -> Rules:
    """*rules* with a pass in every deal."""
    passing = Passing(cards=cards, directions=(direction,))
    return replace(rules, name=f"{rules.name}-{cards}-{direction}", passing=passing)


MANY_PLAYERS = (
    replace(GONGZHU, name="six", players=6, removed=FOUR_CLUBS),
    replace(GONGZHU, name="eight", players=8, removed=FOUR_CLUBS),
)
SHOP = replace(GONGZHU, name="shop", exposing=exposing(*RED, "QS"))
EIGHT = tuple(
    replace(MANY_PLAYERS[1], name=f"eight-{count}", exposing=exposing(*map(str, MANY_PLAYERS[1].deck[-count:])))
    for count in (6, 7, 8, 42, 43, 44, 48)
)
"""Hands of 6 cards, of which these may be exposed. With more than 43, no seat can hold exactly one."""
TWO = replace(GONGZHU, name="two", players=2, exposing=exposing("QS"))
ALWAYS_PASSING = (
    *(always_passing(rules, 3, way) for rules in (GONGZHU, SHOP, HEARTS, EIGHT[3]) for way in DIRECTIONS),
    always_passing(TWO, 2, Direction.LEFT),
    always_passing(GONGZHU, 13, Direction.LEFT),
    always_passing(replace(HEARTS, name="sale", exposing=exposing("QS", "2C")), 3, Direction.RIGHT),
)
OWN_RULES = (*MANY_PLAYERS, SHOP, *EIGHT, TWO, *ALWAYS_PASSING)
every_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
all_rules = pytest.mark.parametrize("rules", [*PRESETS.values(), *OWN_RULES], ids=named)


class First(pigpen.Bot):
    """Plays the first legal card."""

    def play(self, view: pigpen.View) -> Card:
        return view.legal[0]


def failed(outcomes: list[Outcome]) -> list[tuple[str, str, str]]:
    return [(outcome.name, outcome.verdict, outcome.reason) for outcome in outcomes if not outcome.passed]


def asked_by_default(case: Case) -> Iterator[Deal]:
    """Every decision of *case* when the default policy answers."""
    questions = case.questions()
    try:
        deal = next(questions)
        while True:
            yield deal
            deal = questions.send(deal.default_action(case.seat))
    except StopIteration:
        return


def case(rules: Rules, name: str) -> Case:
    return next(case for case in cases_of(rules) if case.name == name)


@every_preset
def test_names_differ_and_the_numbers_of_the_deals_rise(rules: Rules) -> None:
    cases = cases_of(rules)
    assert len({case.name for case in cases}) == len(cases)
    numbers = [case.deal.number for case in cases]
    assert numbers == sorted(set(numbers))


@every_preset
def test_every_phase_of_a_variant_is_asked_for(rules: Rules) -> None:
    wanted = {Phase.PLAY}
    wanted |= {Phase.PASS} if rules.passing else set()
    wanted |= {Phase.EXPOSE} if rules.exposing else set()
    wanted |= {Phase.MOON} if rules.moon and rules.moon.instead is not None else set()
    assert {case.deal.phase for case in cases_of(rules)} == wanted


@every_preset
def test_every_kind_of_play_is_asked_for(rules: Rules) -> None:
    views = {each.name: each.deal.view(each.seat) for each in cases_of(rules)}
    assert ("open the first trick" in views) == (not rules.opening.forced)
    assert not any(view.plays for name, view in views.items() if name == "open the first trick")
    assert views["lead"].led is None
    assert {card.suit for card in views["follow suit"].legal} == {views["follow suit"].led}
    assert views["discard"].led not in {card.suit for card in views["discard"].legal}
    assert views["play last to a trick"].is_last
    assert len(views[LAST_BUT_ONE].hand) == 2


@all_rules
def test_exposing_is_asked_with_one_card_and_with_as_many_as_a_hand_can_hold(rules: Rules) -> None:
    exposable = rules.plan.exposable.bit_count()
    one_is_possible = exposable - 1 <= (rules.players - 1) * rules.hand_size
    expected = [1] * one_is_possible + [min(exposable, rules.hand_size)] if exposable else []
    asked = [each for each in cases_of(rules) if each.name.startswith("expose ")]
    assert [len(each.deal.view(each.seat).legal) for each in asked] == expected
    assert all(each.deal.phase is Phase.EXPOSE for each in asked)


@all_rules
def test_the_choice_of_the_moon_is_asked_after_a_pass_too(rules: Rules) -> None:
    phases = [each.deal.phase for each in cases_of(rules) if each.name == MOON]
    assert phases == ([Phase.MOON] if rules.moon and rules.moon.instead is not None else [])


@all_rules
def test_the_default_policy_passes_every_case(rules: Rules) -> None:
    assert failed(check(First, [rules])) == []


@every_preset
def test_no_case_asks_for_a_forced_card_and_whole_deals_have_some(rules: Rules) -> None:
    for each in cases_of(rules):
        asked = [(deal.phase, deal.is_forced(each.seat)) for deal in asked_by_default(each)]
        assert asked
        assert not any(forced for _, forced in asked)
        cards = sum(phase is Phase.PLAY for phase, _ in asked)
        assert not each.to_the_end or cards < rules.hand_size


def test_a_pass_of_the_whole_hand_is_no_case() -> None:
    passing = replace(HEARTS.passing, cards=13)  # type: ignore[type-var]
    cases = cases_of(replace(HEARTS, name="swap", passing=passing))
    assert {each.deal.phase for each in cases if not each.to_the_end} == {Phase.PLAY, Phase.MOON}
    assert failed(check(First, [replace(HEARTS, name="swap", passing=passing)])) == []


def test_a_case_that_is_not_there_is_a_mistake() -> None:
    name = cases_of(HEARTS)[0].name
    assert [outcome.name for outcome in check(First, only=[name], variants=iter([HEARTS]))] == [name]
    with pytest.raises(ValueError, match="no case 'folow suit'"):
        check(First, [HEARTS], only=[name, "folow suit"])


def test_a_bot_that_is_never_asked_passes() -> None:
    """With one card each, every card is forced."""
    kept = {"2C", "2H", "3H", "QS"}
    removed = tuple(str(card) for card in HEARTS.deck if str(card) not in kept)
    one = replace(HEARTS, name="one", passing=None, moon=None, removed=removed)
    assert one.hand_size == 1
    assert [(outcome.verdict, outcome.times) for outcome in check(First, [one])] == [("", ())] * 2


@pytest.mark.parametrize(
    ("edge", "rules"), [pytest.param(edge, name, id=f"{name}: {edge.name}") for edge in EDGES for name in edge.rules]
)
def test_an_edge_is_what_it_says(edge: Edge, rules: str) -> None:
    found = edge.case(PRESETS[rules], NO_PASS)
    assert found.deal.phase is Phase.PLAY
    assert found.deal.legal(found.seat) == cards_in(parse_cards(edge.legal.split()))


def test_a_case_is_the_same_after_it_was_tried() -> None:
    whole = case(HEARTS, "a whole deal in seat 0")
    before = whole.deal.view(0)
    asked = list(asked_by_default(whole))
    assert len(asked) == 12
    assert whole.deal.view(0) == before


def test_a_whole_deal_ends_with_its_scores_and_a_question_without() -> None:
    received: list[pigpen.DealResult] = []

    class Listener(First):
        def deal_over(self, result: pigpen.DealResult) -> None:
            received.append(result)

    assert failed(check(Listener, [HEARTS])) == []
    assert len(received) == len(cases_of(HEARTS))
    assert received[0].scores == (0, 0, 0, 0)
    assert sum(received[-1].scores) in (26, 78, -26)
    assert received[-1].totals == tuple(
        total + score for total, score in zip((40, -15, 40, -15), received[-1].scores, strict=True)
    )


def test_a_bot_with_the_defaults_passes_everything() -> None:
    outcomes = check(First)
    assert failed(outcomes) == []
    assert {outcome.group for outcome in outcomes} == set(PRESETS)
    assert all(outcome.times for outcome in outcomes)


def test_a_variant_of_ones_own_is_checked_too() -> None:
    three = replace(PRESETS["gongzhu"], name="three", players=3, removed=("2D",))
    assert failed(check(First, [three])) == []


def test_a_broken_rule_fails_one_case() -> None:
    class Greedy(First):
        def pass_cards(self, view: pigpen.View) -> list[Card]:
            return list(view.hand[: 4 if view.pass_to == (view.seat + 2) % 4 else 3])

    expected = [("pass 3 cards across", "illegal", "4 different cards passed, 3 wanted")]
    assert failed(check(Greedy, [HEARTS])) == expected


def test_an_exception_fails_one_case() -> None:
    class Broken(First):
        def choose_moon(self, view: pigpen.View) -> pigpen.MoonChoice:
            raise KeyError("ouch")

    expected = [(MOON, "gone", "the bot raised KeyError: 'ouch'")]
    assert failed(check(Broken, [HEARTS])) == expected


def test_an_answer_of_the_wrong_kind_fails_one_case() -> None:
    class Shy(First):
        def choose_moon(self, view: pigpen.View) -> pigpen.MoonChoice:
            return None  # type: ignore[return-value]

    ((name, verdict, reason),) = failed(check(Shy, [HEARTS]))
    assert (name, verdict) == (MOON, "malformed")
    assert reason.startswith("choose_moon returned None")


def test_a_bot_that_cannot_begin_a_match_fails_its_variant() -> None:
    class Picky(First):
        def match_started(self, welcome: pigpen.Welcome) -> None:
            if welcome.rules.players == 5:
                raise ValueError("four only")

    ((name, verdict, reason),) = failed(check(Picky))
    assert (name, verdict) == ("begin a match", "gone")
    assert reason.endswith("ValueError: four only")


def test_a_late_answer_fails_its_case() -> None:
    ticks = itertools.chain([0.0, 2.5], itertools.repeat(3.0))
    outcomes = check(First, [HEARTS], limit=2.0, now=lambda: next(ticks))
    late = ("pass 3 cards left", "timeout", "an answer took 2.500 s, and the limit is 2 s")
    assert failed(outcomes) == [late]


WITHOUT_EXAMPLE = {"run"}
"""`pigpen.run` needs a referee; the docstring of the package shows its use."""


def public() -> list[tuple[str, object]]:
    """Every public class and function of the SDK, by the names that bots import."""
    names = [(module, name) for module in (pigpen, pigpen.rules, pigpen.check, pigpen.learn) for name in module.__all__]
    names += [(pigpen.search, name) for name, value in vars(pigpen.search).items() if is_own(name, value)]
    found = {
        f"{module.__name__}.{name}": getattr(module, name) for module, name in names if name not in WITHOUT_EXAMPLE
    }
    return [(name, value) for name, value in found.items() if inspect.isclass(value) or inspect.isfunction(value)]


def is_own(name: str, value: object) -> bool:
    """True if a name of `pigpen.search` is public and made there."""
    return not name.startswith("_") and getattr(value, "__module__", "") == "pigpen.search" and callable(value)


@pytest.mark.parametrize(("name", "value"), public(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_public_name_has_an_example(name: str, value: object) -> None:
    assert ">>> " in (value.__doc__ or "")


def test_the_public_names_are_found() -> None:
    names = {name for name, _ in public()}
    assert names >= {"pigpen.View", "pigpen.rules.Deal", "pigpen.check.check", "pigpen.search.SearchBot"}
