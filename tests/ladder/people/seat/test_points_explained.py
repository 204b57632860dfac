"""The parts of a seat's points add up to its score, whatever was taken, exposed and chosen."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import pytest

from ladder.people.seat.points_explained import Reason, points_explained
from ladder.values.person_state import PersonPoints
from pigpen import View
from pigpen.rules import PRESETS, Card, Deal, Face, Phase, Rules
from pigpen.rules.actions import Exposure
from tests.referee.worlds import any_answer
from tests.rules.players import lumpy_hands
from tests.rules.table import named

DEALS = 40


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
    for number in range(DEALS):
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


HEARTS = " ".join(f"{rank}H" for rank in "23456789TJQKA")


def as_pairs(parts: tuple[PersonPoints, ...]) -> list[tuple[str, int]]:
    return [(f"{part.reason} {part.card or ''}".strip(), part.points) for part in parts if part.points]


def test_GZ_7_the_ten_of_clubs_alone_and_as_a_doubler() -> None:
    view = captured(PRESETS["gongzhu"], {0: "TC", 1: "QS", 2: "JD"})
    assert as_pairs(points_explained(view, (50, -100, 100, 0))[0]) == [("alone TC", 50)]
    view = captured(PRESETS["gongzhu"], {0: "TC QS"})
    assert as_pairs(points_explained(view, (-200, 0, 0, 0))[0]) == [("card QS", -100), ("doubler TC", -100)]


def test_GZ_12_everything_exposed_and_taken() -> None:
    exposed = dict.fromkeys(("AH", "QS", "JD", "TC"), Face.UP)
    view = captured(PRESETS["gongzhu"], {0: f"{HEARTS} QS JD TC"}, exposed)
    parts = points_explained(view, (3200, 0, 0, 0))[0]
    assert as_pairs(parts) == [("moon cards", 400), ("moon pig QS", 200), ("card JD", 200), ("doubler TC", 2400)]


def test_HB_7_the_shooter_subtracts_or_the_others_add() -> None:
    view = captured(PRESETS["hearts"], {1: f"{HEARTS} QS"})
    assert [as_pairs(each) for each in points_explained(view, (0, -26, 0, 0))] == [[], [("moon instead", -26)], [], []]
    assert as_pairs(points_explained(view, (26, 0, 26, 26))[0]) == [("moon others", 26)]


def test_CH_6_the_flat_amount_doubled_by_the_shooters_ten_of_clubs() -> None:
    view = captured(PRESETS["chinese-hearts"], {0: f"{HEARTS} TC", 1: "QS"})
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
