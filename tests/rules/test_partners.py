"""GP-1: partners sit opposite and add up what each of them scores alone."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from pigpen.rules import Deal, Game
from pigpen.rules.presets import GONGZHU, GONGZHU_PARTNERS
from pigpen.rules.scoring import card_points
from tests.rules.players import chances, lumpy_hands, some, walk
from tests.rules.table import mask


def scores(*captured: str) -> tuple[int, ...]:
    """The scores of a finished deal in which the seats took these cards."""
    deal = Deal(GONGZHU_PARTNERS, lumpy_hands(GONGZHU_PARTNERS, Random(7)))
    deal.taken = [mask(text) for text in captured]
    return deal.scores()


@pytest.mark.parametrize(
    ("captured", "teams"),
    [
        (("QS", "JD", "TC", ""), (-50, 100, -50, 100)),
        (("QS TC", "", "JD", "AH"), (-100, -50, -100, -50)),
        (("hearts", "QS", "JD", "TC"), (300, -50, 300, -50)),
        (("hearts", "JD TC", "QS", ""), (100, 200, 100, 200)),
        (("2H 3H 4H 5H 6H 7H", "QS", "8H 9H TH JH QH KH AH", "JD"), (-200, 0, -200, 0)),
        (("TC", "", "hearts", ""), (250, 0, 250, 0)),
    ],
    ids=[
        "a pig and a ten",
        "doubled alone",
        "a moon",
        "the partner's pig is not turned",
        "hearts are not pooled",
        "50",
    ],
)
def test_GP_1_partners_scores_are_added_and_their_captures_are_not_pooled(
    captured: tuple[str, ...], teams: tuple[int, ...]
) -> None:
    assert scores(*captured) == teams


@some
@given(chance=chances)
def test_GP_1_a_deal_scores_as_gongzhu_with_opposite_seats_added(chance: Random) -> None:
    deal = Deal(GONGZHU_PARTNERS, lumpy_hands(GONGZHU_PARTNERS, chance))
    *_, deal = walk(deal, chance)
    exposed = {shown.card: shown.face for shown in deal.exposures}
    alone = card_points(GONGZHU, deal.taken, exposed)
    assert deal.points() == alone
    assert deal.scores() == (alone[0] + alone[2], alone[1] + alone[3]) * 2


@pytest.mark.parametrize(("total", "over"), [(-990, False), (-1000, True), (-1010, True)])
def test_GP_1_a_team_at_minus_1000_ends_the_game_and_partners_share_a_place(total: int, over: bool) -> None:
    game = Game(GONGZHU_PARTNERS)
    game.totals = (50, total, 50, total)
    assert game.is_over is over
    assert game.places == (1, 3, 1, 3)
