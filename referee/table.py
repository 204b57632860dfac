"""A table: plays one deal after the other with the same players, and writes down what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pigpen.notices import DealResult
from pigpen.rules import Card, Face, MoonChoice, cards_in
from pigpen.rules.shuffle import derived_number
from referee.record import DealLine, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pigpen.rules import Action, Deal, Game
    from referee.player import Decision, Player


QUIET_SECONDS = 0.005
"""When a decision takes longer than this, the others are held still: holding costs more than a quick decision."""


class Table:
    """
    Players around one table.

    The match loop reads as the house rules: while the deal is not over, whoever must act decides, and the deal
    goes on. Sealed questions are put to all at once, and nobody's answer counts before all have answered.
    """

    def __init__(self, players: Sequence[Player], seed: bytes) -> None:
        self._players = players
        self._seed = seed

    async def play_deal(self, deal: Deal, game: Game) -> DealLine:
        """Play *deal* to its end, add it to *game*, tell the players, and return what goes into the record."""
        steps: list[tuple[int, Decision]] = []
        seeds = [derived_number("bot", self._seed, deal.number, seat) for seat in range(len(self._players))]
        for player in self._players:
            player.begin_deal()
        await asyncio.sleep(0)  # bots in this process never wait for anything: let Ctrl-C come through
        while not deal.is_over:
            seats = deal.to_act
            answers = await self._ask(seats, deal, game, seeds)
            for seat, decision in zip(seats, answers, strict=True):
                deal.apply(seat, decision.action)
                steps.append((seat, decision))
        game.add(deal)
        await self._announce(deal, game)
        return _line(deal, game, steps)

    async def _ask(self, seats: Sequence[int], deal: Deal, game: Game, seeds: Sequence[int]) -> list[Decision]:
        """Get the decisions of *seats*; when they take long, everybody else is held still meanwhile."""
        questions = [self._players[seat].decide(deal, seat, game.totals, seeds[seat], len(seats)) for seat in seats]
        idle = [player for seat, player in enumerate(self._players) if seat not in seats]
        alarm = asyncio.get_running_loop().call_later(QUIET_SECONDS, _rest, idle)
        try:
            return [await questions[0]] if len(questions) == 1 else await asyncio.gather(*questions)
        finally:
            alarm.cancel()

    async def _announce(self, deal: Deal, game: Game) -> None:
        scores = deal.scores()
        for seat, player in enumerate(self._players):
            await player.tell(DealResult(deal.number, seat, scores, game.totals))


def _rest(players: Sequence[Player]) -> None:
    for player in players:
        player.rest()


def _line(deal: Deal, game: Game, steps: Sequence[tuple[int, Decision]]) -> DealLine:
    return DealLine(
        deal=deal.number,
        hands=tuple(_names(cards_in(hand)) for hand in deal.dealt),
        steps=tuple(_step(seat, decision) for seat, decision in steps),
        scores=deal.scores(),
        totals=game.totals,
        took_ms=tuple(round(decision.took * 1000, 3) for _, decision in steps),
        cpu_ms=_cpu_ms(steps),
    )


def _cpu_ms(steps: Sequence[tuple[int, Decision]]) -> tuple[float | None, ...] | None:
    times = tuple(None if decision.cpu is None else round(decision.cpu * 1000, 3) for _, decision in steps)
    return None if times.count(None) == len(times) else times


def _step(seat: int, decision: Decision) -> Step:
    field, text = _words(decision.action)
    why = decision.fault.message if decision.fault else None
    return Step.model_validate({"seat": seat, field: text, "by": decision.by, "why": why})


def _words(action: Action) -> tuple[str, str]:
    """The field of a `Step` that holds *action*, and what stands in it."""
    if isinstance(action, Card):
        return "play", str(action)
    if isinstance(action, MoonChoice):
        return "moon", action.name.lower()
    if isinstance(action, Mapping):
        shown = sorted(action.items())
        return "expose", " ".join(f"{card}*" if face is Face.DOWN else str(card) for card, face in shown)
    return "pass", _names(sorted(action))


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(str, cards))
