"""Explanations at the table: why a card may not be played, and the parts that a seat's points add up from."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from ladder.people.seat.illegal_cards import NO_REASON, why_not
from ladder.people.seat.points_explained import Reason, points_explained
from ladder.values.person_state import PersonPoints
from pigpen import View
from pigpen.rules import PRESETS, Card, Deal, Face, Phase, Rules
from pigpen.rules.actions import Exposure
from pigpen.rules.presets import GONGZHU, HEARTS
from tests.referee.worlds import any_answer
from tests.rules.players import lumpy_hands
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTH = replace(HEARTS, name="both", exposing=GONGZHU.exposing)
"""Hearts in which cards are exposed."""
DEALS = 60


def questions(rules: Rules, rng: Random) -> Iterator[View]:
    """Every view of a deal in which a card is to be played."""
    deal = Deal(rules, lumpy_hands(rules, rng), number=rng.randrange(4))
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat))
            if deal.phase is Phase.PLAY:
                yield view
            deal.apply(seat, any_answer(view, rng))


@pytest.mark.parametrize("rules", [*PRESETS.values(), BOTH], ids=named)
def test_every_card_has_a_reason_if_and_only_if_it_may_not_be_played(rules: Rules) -> None:
    rng, given = Random(f"reasons of {rules.name}"), set[str]()
    for _ in range(DEALS):
        for view in questions(rules, rng):
            for card in view.hand:
                reason = why_not(view, card)
                assert bool(reason) == (card not in view.legal)
                assert reason != NO_REASON, f"{card} of {view.hand} after {view.plays!r}"
                given.add(reason)
    assert len(given) > 4


def view_of(rules: Rules, hand: str, plays: str = "", exposed: str = "", leader: int = 0) -> View:
    """Give the view of seat 0 with this hand after these cards, of which the first was led by *leader*."""
    hand_mask = sum(Card.parse(name).mask for name in hand.split())
    played = [Card.parse(name) for name in plays.split()]
    view = View(*Deal(rules, _hands(rules, hand_mask), number=3).known_to(0))
    view.phase, view.hand_mask, view.plays, view.leaders = Phase.PLAY, hand_mask, bytes(played), bytes([leader])
    view.exposures = tuple(Exposure(0, Card.parse(name), Face.UP) for name in exposed.split())
    view.legal_mask = 0
    return view


def _hands(rules: Rules, hand: int) -> list[int]:
    rest = [card for card in rules.deck if not card.mask & hand]
    own = [card for card in rules.deck if card.mask & hand]
    own += rest[: rules.hand_size - len(own)]
    others = [card for card in rules.deck if card not in own]
    hands = [own, *(others[place :: rules.players - 1] for place in range(rules.players - 1))]
    return [sum(card.mask for card in cards) for cards in hands]


def test_C_4_suit_must_be_followed() -> None:
    view = view_of(HEARTS, "3C AH", "2C", leader=3)
    assert "clubs were led" in why_not(view, Card.parse("AH"))


def test_HB_2_the_opening_card_must_be_led() -> None:
    assert why_not(view_of(HEARTS, "2C AS"), Card.parse("AS")).startswith("2C must be led")


def test_HB_3_no_points_on_the_first_trick() -> None:
    view = view_of(HEARTS, "3D AH QS", "2C", leader=3)
    assert why_not(view, Card.parse("QS")).startswith("Hearts and QS may")


def test_HB_4_hearts_must_be_broken() -> None:
    view = view_of(HEARTS, "3D AH", "2C 3C 4C 5C")
    view.leaders = bytes([1, 0])
    given = "Hearts may not be led before a heart or QS has been played to an earlier trick."
    assert why_not(view, Card.parse("AH")) == given


def test_GZ_4_an_exposed_card_is_barred_from_the_first_trick_of_its_suit() -> None:
    view = view_of(GONGZHU, "3S QS", "2S", exposed="QS", leader=3)
    given = (
        "QS is exposed: it may not be played to the first trick of its suit while you hold another card of the suit."
    )
    assert why_not(view, Card.parse("QS")) == given


DEALS_TO_EXPLAIN = 40


def finished(rules: Rules, rng: Random, hands: list[int]) -> Deal:
    """A deal played to its end at random; everything that can be exposed often is."""
    deal = Deal(rules, hands, number=3)
    while not deal.is_over:
        for seat in deal.to_act:
            deal.apply(seat, any_answer(View(*deal.known_to(seat)), rng))
    return deal


def everything_to(rules: Rules, shooter: int) -> list[int]:
    """Hands in which one seat has the highest cards, and so takes nearly everything."""
    deck = sorted(rules.deck, key=lambda card: (card.rank, card.suit), reverse=True)
    size = rules.hand_size
    hands = [sum(card.mask for card in deck[place * size : (place + 1) * size]) for place in range(rules.players)]
    return hands[-shooter:] + hands[:-shooter]


@pytest.mark.parametrize("rules", PRESETS.values(), ids=named)
def test_the_parts_add_up_to_the_score(rules: Rules) -> None:
    rng = Random(f"points of {rules.name}")
    reasons: set[Reason] = set()
    for number in range(DEALS_TO_EXPLAIN):
        hands = lumpy_hands(rules, rng) if number % 2 else everything_to(rules, number % rules.players)
        deal = finished(rules, rng, [*hands])
        scores = deal.scores()
        for seat in range(rules.players):
            parts = points_explained(View(*deal.known_to(seat)), scores)
            assert tuple(sum(part.points for part in each) for each in parts) == scores
            reasons |= {Reason(part.reason) for each in parts for part in each}
    wanted = {Reason.CARD} | ({Reason.PARTNER} if rules.partners else set())
    assert wanted | ({Reason.DOUBLER} if rules.scoring.doubler else set()) <= reasons


def captured(rules: Rules, taken: dict[int, str], exposed: dict[str, Face] | None = None) -> View:
    """The end of a deal in which each seat has taken these cards; played in whatever order gives that."""
    masks = {seat: sum(Card.parse(name).mask for name in names.split()) for seat, names in taken.items()}
    shown = tuple(Exposure(0, Card.parse(name), face) for name, face in (exposed or {}).items())
    seen = {"rules": rules, "phase": Phase.OVER, "exposures": shown, "taken_mask": lambda seat: masks.get(seat, 0)}
    return SimpleNamespace(**seen)  # type: ignore[return-value]


ALL_HEARTS = " ".join(f"{rank}H" for rank in "23456789TJQKA")


def as_pairs(parts: tuple[PersonPoints, ...]) -> list[tuple[str, int]]:
    return [(f"{part.reason} {part.card or ''}".strip(), part.points) for part in parts if part.points]


def test_GZ_7_the_ten_of_clubs_alone_and_as_a_doubler() -> None:
    view = captured(PRESETS["gongzhu"], {0: "TC", 1: "QS", 2: "JD"})
    assert as_pairs(points_explained(view, (50, -100, 100, 0))[0]) == [("alone TC", 50)]
    view = captured(PRESETS["gongzhu"], {0: "TC QS"})
    assert as_pairs(points_explained(view, (-200, 0, 0, 0))[0]) == [("card QS", -100), ("doubler TC", -100)]


def test_GZ_12_everything_exposed_and_taken() -> None:
    exposed = dict.fromkeys(("AH", "QS", "JD", "TC"), Face.UP)
    view = captured(PRESETS["gongzhu"], {0: f"{ALL_HEARTS} QS JD TC"}, exposed)
    parts = points_explained(view, (3200, 0, 0, 0))[0]
    assert as_pairs(parts) == [("moon cards", 400), ("moon pig QS", 200), ("card JD", 200), ("doubler TC", 2400)]


def test_HB_7_the_shooter_subtracts_or_the_others_add() -> None:
    view = captured(PRESETS["hearts"], {1: f"{ALL_HEARTS} QS"})
    assert [as_pairs(each) for each in points_explained(view, (0, -26, 0, 0))] == [[], [("moon instead", -26)], [], []]
    assert as_pairs(points_explained(view, (26, 0, 26, 26))[0]) == [("moon others", 26)]


def test_CH_6_the_flat_amount_doubled_by_the_shooters_ten_of_clubs() -> None:
    view = captured(PRESETS["chinese-hearts"], {0: f"{ALL_HEARTS} TC", 1: "QS"})
    parts = points_explained(view, (0, 500, 400, 400))
    assert as_pairs(parts[1]) == [("card QS", 100), ("moon others", 400)]
    assert as_pairs(parts[2]) == [("moon others", 400)]


def test_GS_1_a_card_put_face_down_counts_twice_and_face_up_four_times() -> None:
    view = captured(PRESETS["gongzhu-sale"], {0: "QS", 1: "JD"}, {"QS": Face.DOWN, "JD": Face.UP})
    parts = points_explained(view, (-200, 400, 0, 0))
    assert [part.factor for part in parts[0] + parts[1]] == [2, 4]


def test_GP_1_a_partners_points_are_a_part() -> None:
    view = captured(PRESETS["gongzhu-partners"], {0: "QS", 2: "JD"})
    parts = points_explained(view, (0, 0, 0, 0))
    assert as_pairs(parts[0]) == [("card QS", -100), ("partner", 100)]
