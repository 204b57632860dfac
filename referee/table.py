"""A table: plays one deal after the other with the same players, and writes down what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pigpen.notices import DealResult, MatchResult, Welcome
from pigpen.rules import Card, Face, MoonChoice, cards_in, deal_hands
from pigpen.rules.shuffle import derived_number
from referee.player import Player
from referee.record import DealLine, Step
from referee.result import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pigpen.rules import Action, Deal
    from referee.match import MatchSpec
    from referee.player import Decision
    from referee.seat import Seat


class Table:
    """
    One instance of each bot around one table.

    The loop reads as the house rules: while the deal is not over, whoever must act decides, and the deal goes on.
    Sealed questions are put to all at once, and nobody's answer counts before all have answered.
    """

    def __init__(self, spec: MatchSpec, number: int, seats: Sequence[Seat]) -> None:
        """
        Lay the table.

        Args:
            spec: What is to be played.
            number: Which of the match's tables this is, from 0.
            seats: Where each bot answers, in the order of their numbers.
        """
        self._spec = spec
        self._number = number
        self._game = spec.format.start(spec.rules, spec.seed, number)
        self._players = [Player(seat, spec.clock) for seat in seats]

    async def play(self, write: Callable[[DealLine], None]) -> None:
        """Seat the players, play all deals, hand each to *write* as soon as it is over, and part."""
        await self._take_seats()
        while not self._game.is_over:
            write(await self._play_deal())
        await self._part()

    async def _take_seats(self) -> None:
        spec, seats = self._spec, self._seats()
        await asyncio.gather(
            *(
                player.take_seat(Welcome(spec.rules, seats.index(bot), str(spec.format), spec.clock))
                for bot, player in enumerate(self._players)
            )
        )

    def _seats(self) -> tuple[int, ...]:
        """Who sits in each seat of the deal that comes next."""
        return self._spec.format.seats(self._spec.rules, self._spec.seed, self._number, self._game.deals)

    async def _play_deal(self) -> DealLine:
        """Play the next deal to its end, tell the players, and return what goes into the record."""
        seats, number = self._seats(), self._game.deals
        deal = self._game.next_deal(deal_hands(self._spec.rules, self._spec.seed, number))
        players = [self._players[bot] for bot in seats]
        totals = self._totals(seats)
        seeds = [self._bot_seed(number, seat) for seat in range(len(seats))]
        steps: list[tuple[int, Decision]] = []
        for player in players:
            player.begin_deal()
        await asyncio.sleep(0)  # bots in this process never wait for anything: let Ctrl-C come through
        while not deal.is_over:
            asked = deal.to_act
            questions = [players[seat].decide(deal, seat, totals, seeds[seat]) for seat in asked]
            answers = [await questions[0]] if len(questions) == 1 else await asyncio.gather(*questions)
            for seat, decision in zip(asked, answers, strict=True):
                deal.apply(seat, decision.action)
                steps.append((seat, decision))
        self._game.add(deal)
        line = self._line(deal, seats, steps)
        for seat, player in enumerate(players):
            await player.tell(DealResult(number, seat, line.scores, line.totals))
        return line

    def _totals(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """The total of whoever sits in each seat."""
        return tuple(self._game.totals[bot] for bot in seats)

    def _bot_seed(self, deal: int, seat: int) -> int:
        """What a bot in that seat draws its random numbers from; the tables of a match have nothing in common."""
        rotation = () if self._spec.format.boards is None else (self._number,)
        return derived_number("bot", self._spec.seed, deal, seat, *rotation)

    def _line(self, deal: Deal, seats: tuple[int, ...], steps: Sequence[tuple[int, Decision]]) -> DealLine:
        on_board = self._spec.format.boards is not None
        return DealLine(
            deal=deal.number,
            board=deal.number if on_board else None,
            rotation=self._number if on_board else None,
            seats=seats if on_board else None,
            hands=tuple(_names(cards_in(hand)) for hand in deal.dealt),
            steps=tuple(_step(seat, decision) for seat, decision in steps),
            scores=deal.scores(),
            totals=self._totals(seats),
            took_ms=tuple(round(decision.took * 1000, 3) for _, decision in steps),
        )

    async def _part(self) -> None:
        """Tell each bot how it did at this table, and let it go."""
        totals, deals = self._game.totals, self._game.deals
        standing = places(self._spec.rules, totals, [player.taken_over for player in self._players])
        results = [MatchResult(place, total / deals) for place, total in zip(standing, totals, strict=True)]
        await asyncio.gather(*map(_farewell, self._players, results))


async def _farewell(player: Player, result: MatchResult) -> None:
    await player.tell(result)
    await player.close()


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
