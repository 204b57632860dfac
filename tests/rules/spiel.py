"""OpenSpiel's `hearts` at the same table as the engine; the example that seats its bots knows how to deal there."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from examples.openspiel.bot import NUMBERS
from pigpen.rules import CARDS, Deal, MoonChoice, Phase
from pigpen.rules.scoring import shooter_of
from tests.rules.players import any_action, lumpy_hands
from tests.rules.table import NO_PASS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules import Card, Rules


def options(state: Any) -> list[Card]:
    """List the cards that the player to act may play or pass, in canonical order."""
    return sorted(CARDS[NUMBERS.index(number)] for number in state.legal_actions())


def random_deals(rules: Rules, count: int, numbers: tuple[int, ...] = (NO_PASS,)) -> Iterator[tuple[Deal, Random]]:
    """Deals with hands of every shape, and the chance to play them with; the same ones every time."""
    chance = Random(2027)
    for _ in range(count):
        yield Deal(rules, lumpy_hands(rules, chance), number=chance.choice(numbers)), chance


def play_both(deal: Deal, state: Any, chance: Random) -> None:
    """Play the deal out at both tables; who must play and what may be played are the same all along."""
    while deal.phase is Phase.PLAY:
        assert state.current_player() == deal.turn
        assert options(state) == list(deal.legal(deal.turn))
        card = any_action(deal, deal.turn, chance)
        assert isinstance(card, int)
        state.apply_action(NUMBERS[card])
        deal.apply(deal.turn, card)
    assert state.is_terminal()


def penalty_points(state: Any) -> list[int]:
    """OpenSpiel returns 26 less the points."""
    return [26 - int(value) for value in state.returns()]


def points_with(deal: Deal, choice: MoonChoice) -> list[int]:
    """The scores of a finished hearts deal when its shooter, if there is one, chooses so."""
    twin = deal.copy()
    shooter = shooter_of(deal.rules, deal.taken)
    if twin.phase is Phase.MOON and shooter is not None:
        twin.apply(shooter, choice)
    assert twin.is_over
    return list(twin.scores())
