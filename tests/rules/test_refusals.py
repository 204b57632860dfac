"""Rules that do not make a game, and illegal actions: refused with a reason, and then nothing has changed."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given

from pigpen.rules import (
    CARDS,
    PRESETS,
    Action,
    Card,
    Deal,
    DealOver,
    Direction,
    Face,
    IllegalAction,
    MoonChoice,
    Phase,
    Rules,
    Suit,
)
from pigpen.rules.objections import MAX_CHOICES, MAX_MULTIPLIER, MAX_SCORE, count_exposures, count_passes, objections
from pigpen.rules.parts import Exposing, Passing
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_FIVE, HEARTS, HEARTS_SHORT
from pigpen.rules.scoring import card_points
from pigpen.values.notices import DealResult
from pigpen.wire.messages import notice_message
from tests.rules.players import any_action, chances, lumpy_deal, many, presets, somewhere, walk
from tests.rules.table import dealt, expose, mask, named, small, state

if TYPE_CHECKING:
    from collections.abc import Iterator


def changed(rules: Rules, path: str, value: object) -> Rules:
    """The rules with one field, named by its dotted path, set to *value*."""
    first, _, rest = path.partition(".")
    inner: Any = getattr(rules, first)
    if rest and "." in rest:
        second, third = rest.split(".")
        inner = replace(inner, **{second: replace(getattr(inner, second), **{third: value})})
        return replace(rules, **{first: inner})
    parts: dict[str, Any] = {first: replace(inner, **{rest: value}) if rest else value}
    return replace(rules, **parts)


NAMES: list[tuple[Rules, str, object]] = [
    (HEARTS, "removed", ("1C",)),
    (HEARTS, "opening.card", "C2"),
    (HEARTS, "opening.card", "clubs"),
    (HEARTS, "opening.card", ""),
    (GONGZHU, "opening.later", "pig"),
    (HEARTS, "first_trick.barred", ("heart",)),
    (HEARTS, "leading.suit", "heart"),
    (HEARTS, "leading.suit", "AH"),
    (HEARTS, "leading.broken_by", ("hearts", "Q")),
    (HEARTS, "leading.alone", ("hearts", "10H")),
    (HEARTS, "scoring.points", {"hearts": 1, "pig": 13}),
    (GONGZHU, "scoring.doubler.card", "clubs"),
    (HEARTS, "moon.cards", ("hears",)),
    (HEARTS, "moon.pig", "spades"),
    (GONGZHU, "exposing.cards", {"hearts": ("hearts",)}),
    (GONGZHU, "exposing.cards", {"AH": ("harts",)}),
]
NUMBERS: list[tuple[Rules, str, object]] = [
    (HEARTS_SHORT, "players", 0),
    (HEARTS_SHORT, "players", 1),
    (HEARTS_SHORT, "players", -4),
    (HEARTS_SHORT, "players", 9),
    (HEARTS, "passing.cards", 0),
    (HEARTS, "passing.cards", 14),
    (HEARTS, "passing.directions", ()),
    (CHINESE_HEARTS, "end.cap", 0),
    (HEARTS_SHORT, "end.deals", 0),
    (HEARTS, "end.limit", 0),
    (HEARTS, "end.limit", -100),
    (GONGZHU, "end.limit", 0),
    (GONGZHU, "end.limit", 1000),
    (GONGZHU, "exposing.face_up", 0),
    (GONGZHU, "exposing.face_down", -1),
    (HEARTS, "leading.broken_by", ()),
    (HEARTS, "leading.alone", ()),
    (HEARTS, "first_trick.barred", ()),
    (HEARTS, "scoring.points", {}),
    (HEARTS, "moon.cards", ()),
    (GONGZHU, "exposing.cards", {}),
    (GONGZHU, "exposing.cards", {"QS": ()}),
    (GONGZHU, "exposing.face_up", MAX_MULTIPLIER + 1),
    (GONGZHU, "scoring.doubler.factor", MAX_MULTIPLIER + 1),
    (GONGZHU, "scoring.doubler.alone", 1_000_001),
    (HEARTS, "scoring.points", {"QS": -1_000_001}),
    (HEARTS, "moon.others", 10**12),
    (HEARTS, "end.limit", 10**12),
    (HEARTS, "end.cap", 10**12),
]


@pytest.mark.parametrize(("rules", "field", "value"), NAMES + NUMBERS)
def test_a_wrong_value_names_its_field(rules: Rules, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"(^|, ){field}"):
        changed(rules, field, value)


@pytest.mark.parametrize(
    ("rules", "changes", "message"),
    [
        (HEARTS, {"players": 5}, "removed: 52 cards cannot be dealt evenly to 5 players"),
        (HEARTS, {"removed": ("3C",)}, "removed: 51 cards cannot be dealt evenly"),
        (GONGZHU, {"removed": ("clubs", "diamonds", "hearts", "spades")}, "removed: 0 cards"),
        (GONGZHU_FIVE, {"partners": True}, "partners: partners sit opposite, which takes 4 players"),
        (HEARTS, {"removed": ("2C", "3C", "4C", "5C")}, "opening.card: 2C is not in the deck"),
        (GONGZHU, {"removed": ("QS", "3C", "4C", "5C")}, "opening.later: QS is not in the deck"),
        (GONGZHU, {"removed": ("TC", "3C", "4C", "5C")}, "scoring.doubler.card: TC is not in the deck"),
        (GONGZHU, {"removed": ("JD", "3C", "4C", "5C")}, "exposing.cards: JD is not in the deck"),
        (CHINESE_HEARTS, {"removed": ("QS", "3C", "4C", "5C")}, "moon.pig: QS is not in the deck"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(rules: Rules, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        replace(rules, **changes)


def passing(players: int, cards: int) -> dict[str, Any]:
    return {"players": players, "passing": Passing(cards=cards, directions=(Direction.LEFT,))}


def exposing(players: int, cards: int, face_down: int = 0) -> dict[str, Any]:
    """That number of exposable cards, the highest of the deck."""
    named = {str(card): (str(card),) for card in HEARTS.deck[-cards:]}
    return {"players": players, "passing": None, "exposing": Exposing(cards=named, face_up=2, face_down=face_down)}


@pytest.mark.parametrize(
    ("changes", "ways", "message"),
    [
        (passing(2, 13), 10_400_600, "passing.cards: there are 10,400,600 ways to pass 13 of 26 cards"),
        (passing(2, 6), 230_230, "passing.cards: there are 230,230 ways to pass 6 of 26 cards"),
        (passing(2, 20), 230_230, "passing.cards: there are 230,230 ways to pass 20 of 26 cards"),
        (exposing(2, 52), 2**26, "exposing.cards: a hand can hold 26 of these 52 cards and expose them in 67,108,864"),
        (exposing(2, 26), 2**26, "exposing.cards: a hand can hold 26 of these 26 cards"),
        (exposing(2, 17), 2**17, "exposing.cards: a hand can hold 17 of these 17 cards and expose them in 131,072"),
        (exposing(4, 52, 3), 3**13, "exposing.cards: a hand can hold 13 of these 52 cards and expose them in 1,594"),
        (exposing(4, 11, 3), 3**11, "exposing.cards: a hand can hold 11 of these 11 cards"),
    ],
)  # fmt: skip
def test_C_10_a_variant_with_too_many_choices_is_refused_with_its_number_and_the_bound(
    changes: dict[str, Any], ways: int, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}") as refused:
        replace(HEARTS, **changes)
    assert f"{ways:,} ways" in str(refused.value)
    assert "at most 100,000 choices" in str(refused.value)


@pytest.mark.parametrize(
    "changes",
    [
        passing(2, 5),
        passing(2, 21),
        passing(2, 26),
        passing(4, 6),
        exposing(2, 16),
        exposing(4, 52),
        exposing(4, 10, 3),
    ],
)
def test_C_10_a_variant_within_the_bound_is_welcome(changes: dict[str, Any]) -> None:
    assert objections(replace(HEARTS, **changes)) == []


def test_C_10_the_presets_are_far_below_the_bound() -> None:
    for rules in PRESETS.values():
        passes = count_passes(rules.hand_size, rules.passing.cards) if rules.passing else 1
        exposures = count_exposures(rules.exposing, len(rules.exposing.cards)) if rules.exposing else 1
        assert max(passes, exposures) <= 286 < MAX_CHOICES


def stacked(cards: int, face_up: int = 100, face_down: int = 0) -> Exposing:
    """That number of hearts, each of which multiplies the points of all hearts."""
    hearts = [str(card) for card in GONGZHU.deck if card.suit is Suit.HEARTS]
    return Exposing(cards=dict.fromkeys(hearts[:cards], ("hearts",)), face_up=face_up, face_down=face_down)


def doubled(cards: int) -> Exposing:
    """That number of cards, each of which multiplies the doubler."""
    return Exposing(cards=dict.fromkeys(["QS", "JD", "AH", "KH", "QH", "JH"][:cards], ("TC",)), face_up=100)


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        (GONGZHU, {"exposing": stacked(13)}),
        (GONGZHU, {"exposing": stacked(5)}),
        (GONGZHU, {"exposing": stacked(5, face_up=1, face_down=100)}),
        (GONGZHU, {"scoring": replace(GONGZHU.scoring, points={"hearts": 10**6}), "exposing": stacked(3)}),
        (GONGZHU, {"exposing": doubled(6)}),
        (CHINESE_HEARTS, {"exposing": doubled(5)}),
    ],
)
def test_exposed_cards_whose_multipliers_make_scores_of_any_length_are_refused(
    rules: Rules, changes: dict[str, Any]
) -> None:
    fields = "exposing.cards, exposing.face_up, exposing.face_down"
    with pytest.raises(ValueError, match=rf"^{fields}: .* a score .* above 1,000,000,000,000"):
        replace(rules, **changes)


def test_the_highest_score_of_rules_that_are_accepted_fits_into_a_message_and_a_total_of_all_deals() -> None:
    rules = replace(GONGZHU, exposing=stacked(4))
    exposed = {Card.parse(name): Face.UP for name in rules.exposing.cards} if rules.exposing else {}
    scores = card_points(rules, (rules.plan.deck_mask, 0, 0, 0), exposed)
    assert 10**10 < max(map(abs, scores)) <= MAX_SCORE
    message = notice_message(DealResult(0, 0, scores, (2 * MAX_SCORE * rules.end.cap * 1000,) * 4))
    assert tuple(message.deal_over.scores) == scores


def test_an_odd_number_of_players_cannot_pass_across() -> None:
    passing = replace(HEARTS.passing, directions=(Direction.ACROSS,)) if HEARTS.passing else None
    with pytest.raises(ValueError, match=r"^passing.directions: across .* even"):
        replace(GONGZHU_FIVE, passing=passing)


@pytest.mark.parametrize("players", [2, 4])
def test_other_tables_that_divide_the_deck_are_welcome(players: int) -> None:
    assert objections(replace(HEARTS, players=players)) == []
    assert replace(HEARTS, players=players).hand_size == 52 // players


@pytest.mark.parametrize(
    ("points", "card_points"),
    [
        ({"hearts": 1, "AH": 5}, {"AH": 5, "KH": 1, "2C": 0}),
        ({"AH": 5, "hearts": 1}, {"AH": 5, "KH": 1}),
        ({"spades": 2, "qs": 13}, {"QS": 13, "AS": 2}),
    ],
)
def test_a_cards_own_points_go_before_its_suits(points: dict[str, int], card_points: dict[str, int]) -> None:
    rules = replace(HEARTS, scoring=replace(HEARTS.scoring, points=points))
    by_name = {str(card): rules.plan.points[card] for card in rules.deck}
    assert {name: by_name[name] for name in card_points} == card_points


def test_a_pig_that_nothing_depends_on_may_be_missing() -> None:
    without = replace(HEARTS, removed=("QS", "3C", "4C", "5C"))
    assert without.hand_size == 12


JUNK: list[Any] = [
    None,
    "QS",
    3,
    -1,
    2.5,
    [],
    [CARDS[0]],
    {CARDS[0]},
    (None, "QS", 2.5),
    ("2C", "3C", "4C"),
    {"QS": Face.UP},
    {None: None},
    True,
    Face.UP,
    b"\x00",
]


def refused(deal: Deal, seat: int) -> Iterator[Any]:
    """Many actions that are none of the legal ones."""
    options = set(deal.legal(seat))
    yield from JUNK
    if deal.phase is not Phase.MOON or seat not in deal.to_act:
        yield MoonChoice.SUBTRACT
    if deal.phase is not Phase.PASS or seat not in deal.to_act:
        yield tuple(sorted(options))[:3]
    else:
        count, hand = deal.view(seat).pass_count, sorted(options)
        strange = next(card for card in CARDS if card not in options)
        yield from ((), tuple(hand[: count - 1]), tuple(hand[: count + 1]), (hand[0],) * count)
        yield (strange, *hand[: count - 1])
    if deal.phase is not Phase.EXPOSE or seat not in deal.to_act:
        yield from ({}, dict.fromkeys(options, Face.UP))
    else:
        held = min(options)
        yield from ({held: 1}, {held: 2}, {held: 7}, {held: None}, {held: "up"}, {held: True})
        yield from ({card: Face.UP} for card in CARDS if card not in options)
        if deal.rules.exposing and not deal.rules.exposing.face_down:
            yield {held: Face.DOWN}
    if deal.phase is not Phase.PLAY:
        yield CARDS[0]
    else:
        yield from (card for card in CARDS if card not in options)


@many
@given(rules=presets, chance=chances)
def test_illegal_actions_are_refused_with_nothing_changed(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    before = state(deal)
    for seat in range(-1, rules.players + 1):
        for action in refused(deal, seat):
            with pytest.raises((IllegalAction, DealOver)):
                deal.apply(seat, action)
            with pytest.raises((IllegalAction, DealOver)):
                deal.check(seat, action)
    assert state(deal) == before


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
def test_after_the_deal_nothing_is_accepted(rules: Rules) -> None:
    *_, deal = walk(lumpy_deal(rules, Random(2)), Random(2))
    before = state(deal)
    answers: tuple[Action, ...] = (CARDS[0], {}, (), MoonChoice.ADD)
    for action in answers:
        with pytest.raises(DealOver):
            deal.apply(0, action)
    with pytest.raises(DealOver):
        deal.play(CARDS[0])
    assert deal.to_act == ()
    assert state(deal) == before


@many
@given(rules=presets, chance=chances)
def test_checking_changes_nothing(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    before = state(deal)
    for seat in deal.to_act:
        deal.check(seat, any_action(deal, seat, chance))
    assert state(deal) == before


def test_C_6_a_sealed_answer_cannot_be_changed_afterwards() -> None:
    deal = dealt(GONGZHU, "QS AH", "JD")
    shown = {Card.parse("QS"): Face.UP}
    deal.apply(0, shown)
    shown[Card.parse("AH")] = Face.DOWN
    deal.apply(1, {})
    expose(deal)
    assert [str(exposure.card) for exposure in deal.exposures] == ["QS"]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Card.parse("AS"), "AS is not in the hand"),
        (Card.parse("4D"), "4D may not be played now; legal: 2C"),
        ("2C", "a play is one card"),
        ((), "a play is one card"),
    ],
)
def test_the_reason_says_what_is_wrong_with_a_play(action: Any, reason: str) -> None:
    deal = small(HEARTS, "2C 3C 4D | AC 4C 5C | 6C 7C QS | 8C 9C AS")
    with pytest.raises(IllegalAction, match=reason):
        deal.apply(0, action)
    with pytest.raises(IllegalAction, match="seat 1 is not asked"):
        deal.apply(1, Card.parse("AC"))
    assert deal.hands[0] == mask("2C 3C 4D")


@many
@given(rules=presets, chance=chances)
def test_play_itself_refuses_every_card_that_may_not_be_played(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    assume(deal.phase is Phase.PLAY and not deal.is_over)
    before, options = state(deal), set(deal.legal(deal.turn))
    for card in CARDS:
        if card not in options:
            with pytest.raises(IllegalAction):
                deal.play(card)
    assert state(deal) == before


@pytest.mark.parametrize("action", [None, "2C", 60, (), []])
def test_play_itself_refuses_what_is_no_card(action: Any) -> None:
    deal = small(HEARTS, "2C 3C 4D | AC 4C 5C | 6C 7C QS | 8C 9C AS")
    with pytest.raises(IllegalAction, match="a play is one card"):
        deal.play(action)
    assert deal.hands[0] == mask("2C 3C 4D")
