"""A table: plays one deal after the other with the same players, and hands out the lines of the record."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from pigpen.rules import deal_hands
from pigpen.rules.shuffle import derived_number
from pigpen.values.notices import DealResult, MatchResult, Welcome
from referee.match.formats import format_for_bots
from referee.match.journal import in_ms, restore, step_fields
from referee.match.person import PersonPlayer
from referee.match.player import IdleBots, Player
from referee.match.result import places
from referee.records.lines import DealLine
from referee.records.steps import action_of, names_of
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pigpen.rules import Deal
    from referee.match.formats import MatchSpec
    from referee.match.journal import Journal
    from referee.match.observer import Announcer
    from referee.match.player import Decision
    from referee.seats.seat import Seat

    Question = Callable[[], Coroutine[None, None, Decision]]

FROM_SEED_AND_STEPS = ("board", "rotation", "seats", "hands", "scores", "totals")
"""The fields of a deal's line that follow from the rest."""


class Table:
    """
    One table of a match: one instance of each bot, playing deal after deal.

    While the deal is not over, the seats that must act are asked. A sealed question is put to all seats at once, and
    its answers take effect when all have answered.
    """

    def __init__(
        self,
        spec: MatchSpec,
        number: int,
        now: Callable[[], float] = loop_time,
        announcer: Announcer | None = None,
    ) -> None:
        """
        Prepare a table of a match.

        Args:
            spec: The match.
            number: Of the table, from 0.
            now: The referee's clock, in seconds.
            announcer: Gets what happens here.
        """
        self._spec = spec
        self._number = number
        self._now = now
        self._announcer = announcer
        self._game = spec.format.start(spec.rules, spec.seed, number)
        self._first = self._game.deals
        self._players: list[Player] = []
        self._recorded: list[DealLine] = []
        self._journal: Journal | None = None
        self.playing_seconds = 0.0
        """Wall time of the deals that were played here, once they are."""

    @property
    def is_over(self) -> bool:
        """True if all its deals have been played."""
        return self._game.is_over

    def restore(self, line: DealLine) -> None:
        """
        Take over a deal that was played before the match was interrupted.

        Raises:
            ValueError: If it is not this table's next deal, or breaks the rules; the message says what is wrong.
        """
        seats = self._seats()
        if self.is_over or line.deal != self._game.deals:
            raise ValueError(f"{line.name} is not the one that comes next")
        deal = self._next_deal()
        for step in line.steps:
            deal.apply(step.seat, action_of(step))
        self._game.add(deal)
        expected = self._line(deal, seats, [])
        for field in FROM_SEED_AND_STEPS:
            if getattr(line, field) != getattr(expected, field):
                raise ValueError(f"the {field} of {line.name} do not follow from the match seed and what was played")
        self._recorded.append(line)

    def keep_journal(self, journal: Journal) -> None:
        """
        Begin the next deal with what is in a journal, and keep there what is decided from now on.

        Raises:
            ValueError: If that breaks the rules; the message says how.
        """
        deal = self._next_deal()
        for line in journal.lines(deal.number):
            for step in line.steps:
                deal.apply(step.seat, action_of(step))
        self._journal = journal

    async def play(self, seats: Sequence[Seat], write: Callable[[DealLine], None]) -> None:
        """
        Seat the players, play what is left of the deals, and tell each bot its result.

        Args:
            seats: Where each bot answers, in the order of their numbers.
            write: Takes each deal as soon as it is over.
        """
        self._players = [self._player(bot, seat) for bot, seat in enumerate(seats)]
        for line in self._recorded:
            self._count_recorded(line)
        await self._take_seats()
        began = self._now()
        idle_bots = IdleBots()
        while not self.is_over:
            write(await self._play_deal(idle_bots))
        idle_bots.close()
        self.playing_seconds = self._now() - began
        await self._finish()

    def _player(self, bot: int, seat: Seat) -> Player:
        kind = PersonPlayer if bot in self._spec.people else Player
        return kind(seat, self._spec.clock_of(bot), self._now)

    def _count_recorded(self, line: DealLine) -> None:
        """Bring the players' clocks and faults to where they were after *line*."""
        seats = line.seats or range(len(self._players))
        for player in self._players:
            player.begin_deal()
        for (step, took, cpu), unasked in zip(line.timed_steps(), line.unasked(), strict=True):
            player = self._players[seats[step.seat]]
            player.charge_unasked(unasked)
            player.count_recorded(step, took, cpu, len(self._players))

    async def _take_seats(self) -> None:
        spec = self._spec
        seats = spec.format.seats(spec.rules, spec.seed, self._number, self._first)
        await asyncio.gather(
            *(
                player.take_seat(
                    Welcome(spec.rules, seats.index(bot), format_for_bots(str(spec.format)), spec.clock_of(bot))
                )
                for bot, player in enumerate(self._players)
            )
        )

    def _seats(self) -> tuple[int, ...]:
        """Say who sits in each seat of the deal that comes next."""
        return self._spec.format.seats(self._spec.rules, self._spec.seed, self._number, self._game.deals)

    async def _play_deal(self, idle_bots: IdleBots) -> DealLine:
        """Play the next deal to its end, tell the players, and return what goes into the record."""
        seats, number = self._seats(), self._game.deals
        deal = self._next_deal()
        players = [self._players[bot] for bot in seats]
        for player in players:
            player.begin_deal()
        await asyncio.sleep(0)  # bots in this process never wait for anything: let Ctrl-C come through
        steps = await self._play_out(deal, seats, players, idle_bots)
        self._game.add(deal)
        line = self._line(deal, seats, steps)
        if self._announcer:
            self._announcer.deal_over(self._number, line)
        for seat, player in enumerate(players):
            await player.notify(DealResult(number, seat, line.scores, line.totals))
        return line

    async def _play_out(
        self, deal: Deal, seats: tuple[int, ...], players: Sequence[Player], idle_bots: IdleBots
    ) -> list[tuple[int, Decision]]:
        """Ask until the deal is over; gives each step, its seat first."""
        totals, announcer = self._totals(seats), self._announcer
        bot_seeds = [self._bot_seed(deal.number, seat) for seat in range(len(seats))]
        steps = self._resume(deal, players)
        if announcer:
            announcer.deal_begins(self._number, deal, seats, totals)
        while not deal.is_over:
            asked = deal.to_act
            questions = [partial(players[seat].act, deal, seat, totals, bot_seeds[seat]) for seat in asked]
            idle_bots.question(players, asked)
            try:
                answers = await _answers(asked, questions, idle_bots)
            finally:
                idle_bots.stop()
            new = list(zip(asked, answers, strict=True))
            steps += new
            if self._journal:
                self._journal.take(deal.number, new)
            if announcer:
                announcer.decided(self._number, deal, new)
        return steps

    def _resume(self, deal: Deal, players: Sequence[Player]) -> list[tuple[int, Decision]]:
        """Do in *deal* what was decided before the match was interrupted."""
        steps: list[tuple[int, Decision]] = []
        for line in self._journal.lines(deal.number) if self._journal else ():
            for seat, decision in restore(line, players):
                deal.apply(seat, decision.action)
                steps.append((seat, decision))
        return steps

    def _next_deal(self) -> Deal:
        return self._game.next_deal(deal_hands(self._spec.rules, self._spec.seed, self._game.deals))

    def _totals(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """Give the total of the bot in each seat."""
        return tuple(self._game.totals[bot] for bot in seats)

    def _bot_seed(self, deal: int, seat: int) -> int:
        return bot_seed(self._spec.seed, deal, seat, self._number if self._spec.format.has_boards else None)

    def _line(self, deal: Deal, seats: tuple[int, ...], steps: Sequence[tuple[int, Decision]]) -> DealLine:
        on_board = self._spec.format.has_boards
        fields = {
            "deal": deal.number,
            "board": deal.number if on_board else None,
            "rotation": self._number if on_board else None,
            "seats": seats if on_board else None,
            "hands": tuple(map(names_of, deal.dealt)),
            "steps": tuple(step_fields(seat, decision) for seat, decision in steps),
            "scores": deal.scores(),
            "totals": self._totals(seats),
            "took_ms": tuple(round(decision.took * 1000, 3) for _, decision in steps),
            "cpu_ms": in_ms(decision.cpu for _, decision in steps),
            "unasked_ms": in_ms(decision.unasked for _, decision in steps),
        }
        return DealLine.model_validate(fields)

    async def _finish(self) -> None:
        """Tell each bot its result at this table, and close its seat."""
        totals, deals = self._game.totals, self._game.deals - self._first
        standing = places(self._spec.rules, totals, [player.taken_over for player in self._players])
        results = [MatchResult(place, total / deals) for place, total in zip(standing, totals, strict=True)]
        await asyncio.gather(*map(_send_result, self._players, results))


def bot_seed(seed: bytes, deal: int, seat: int, rotation: int | None) -> int:
    """
    Derive what the bot in a seat draws its random numbers from; the tables of a match have nothing in common.

    Args:
        seed: The match seed.
        deal: Number of the deal at its table.
        seat: The seat.
        rotation: Number of the table where there are boards, else None.
    """
    return derived_number("bot", seed, deal, seat, *(() if rotation is None else (rotation,)))


async def _answers(asked: tuple[int, ...], questions: Sequence[Question], idle_bots: IdleBots) -> Sequence[Decision]:
    """Ask the bots in the seats *asked*; one that has answered a sealed question is idle until the others have."""
    if len(asked) == 1:
        return [await questions[0]()]

    async def one(seat: int, question: Question) -> Decision:
        decision = await question()  # asked here: a task that is cancelled before it starts leaves no coroutine behind
        idle_bots.answered(seat)
        return decision

    return await asyncio.gather(*map(one, asked, questions))


async def _send_result(player: Player, result: MatchResult) -> None:
    await player.notify(result)
    await player.close()
