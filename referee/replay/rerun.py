"""
Answers of another bot: a recorded bot's questions, put again exactly as they were.

Each view shows the history as it really was, not what would have followed from the new answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pigpen.rules import IllegalAction
from pigpen.values.notices import ClockSetting, DealResult, MatchResult, Welcome
from referee.match.formats import format_for_bots
from referee.match.player import Player, ask_in_time
from referee.match.table import bot_seed
from referee.records.recorded import seats_of
from referee.records.steps import BY_FORCED, action_of, was_asked, words_of
from referee.replay.deal_replay import DealReplay
from referee.seats.clock import Stopwatch
from referee.seats.fair_wait import loop_time
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pigpen.rules import Deal
    from pigpen.values.view import View
    from referee.records.lines import DealLine, Step
    from referee.records.recorded import Deals, Recorded
    from referee.replay.deal_replay import Moment
    from referee.seats.seat import Seat


@dataclass(frozen=True, slots=True)
class RerunAnswer:
    """One recorded decision, and what the other bot says to the same question."""

    line: DealLine
    """The deal."""
    view: View
    """The question."""
    step: Step
    """The recorded step."""
    took: float
    """Seconds that it took then."""
    trick_points: int | None
    """Points that the trick brought the seat then; None where the question was not about a card."""
    now: str
    """Answer of the other bot, as a record would write it; empty where it gives no answer that can be read."""
    verdict: str = ""
    """Fault of the other bot, as a record would have it; empty: none."""
    why: str = ""
    """The same in words."""
    took_now: float = 0.0
    """Seconds that it takes, in CPU time where that can be read."""

    @property
    def then(self) -> str:
        """The recorded action, as the record writes it."""
        return words_of(action_of(self.step))[1]

    @property
    def differs(self) -> bool:
        """True if the other bot answers otherwise, or is at fault."""
        return bool(self.verdict) or self.now != self.then

    @property
    def is_last(self) -> bool:
        """True if the other bot is gone, and can be asked nothing more."""
        return bool(self.verdict) and Verdict(self.verdict).is_final


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """One recorded decision."""

    deal: Deal
    """The deal before it."""
    step: Step
    took: float
    cpu: float | None
    unasked: float | None
    """Seconds of CPU time that the bot's program had used before it."""
    trick_points: int | None
    """Points that the trick brought the seat; None where the question is not about a card."""


class TableRerun:
    """
    Puts the questions of one bot at one table of a match, in their order.

    Attributes:
        answers: What has been answered so far.
        questions: How many questions there are.
        forced: How many actions of the recorded bot in these deals were forced, and are no questions.
    """

    def __init__(self, recorded: Recorded, bot: int, lines: Collection[DealLine], limit: float) -> None:
        """
        Prepare to ask.

        Args:
            recorded: The match; it must be finished, because the bot's random numbers come from its seed.
            bot: The number of the bot whose questions are put.
            lines: The deals of which questions are put; all of the same table.
            limit: Seconds for each answer; the times in its views are those of the record.

        Raises:
            BadRecord: If a deal breaks the rules, or the seed is not the one that the record commits to.
        """
        self.answers: list[RerunAnswer] = []
        self._recorded = recorded
        self._bot = bot
        self._limit = limit
        self._seed = recorded.seed
        self._clock = ClockSetting(**recorded.first.clock_of(bot).model_dump())
        last = max(lines, key=lambda line: line.deal)
        self._history = recorded.deals.up_to(last)
        self._wanted = {line.deal for line in lines}
        self.questions = sum(len(asked(line, bot)) for line in lines)
        self.forced = sum(step.by == BY_FORCED for line in lines for step in _steps_of(line, bot))
        self._place = 0
        self._rated = 0.0
        self._thought: float | None = None

    @property
    def is_over(self) -> bool:
        """True if all questions have been put."""
        return len(self.answers) == self.questions

    async def put(self, seat: Seat, advance: Callable[[], None] = lambda: None) -> None:
        """
        Put what has not been put yet to the bot in *seat*, until all is answered or the bot is gone.

        Args:
            seat: A fresh instance of the bot.
            advance: Called after each answer.
        """
        player = Player(seat, self._clock)
        self._place, self._rated, self._thought = 0, 0.0, None
        absent = await self._welcome(seat)
        for line in self._history:
            if not await self._put_deal(line, player, seat, advance, absent):
                return
        for row in self._recorded.result.results if self._recorded.result else ():
            if row.seat == self._bot:
                await seat.notify(MatchResult(row.place, row.points_per_deal))
        await seat.close()

    async def _welcome(self, seat: Seat) -> SeatFailure | None:
        own_seat = seats_of(self._history[0]).index(self._bot)
        try:
            form = format_for_bots(self._recorded.first.format)
            await seat.welcome(Welcome(self._recorded.rules, own_seat, form, self._clock))
        except SeatFailure as failure:
            return failure
        return None

    async def _put_deal(
        self,
        line: DealLine,
        player: Player,
        seat: Seat,
        advance: Callable[[], None],
        absent: SeatFailure | None,
    ) -> bool:
        """Put the questions of one deal, and say whether the bot is still there."""
        replay = DealReplay(self._recorded.rules, self._recorded.first, line)
        own_seat = seats_of(line).index(self._bot)
        seed = bot_seed(self._seed, line.deal, own_seat, line.rotation)
        player.begin_deal()
        for question in _questions(replay, own_seat):
            player.charge_unasked(question.unasked)
            if line.deal in self._wanted:
                self._place += 1
                if self._place > len(self.answers):
                    view = player.view(question.deal, own_seat, replay.totals_before, seed)
                    self.answers.append(await self._ask(line, question, view, seat, absent))
                    advance()
                    if self.answers[-1].is_last:
                        return False
            player.count_recorded(question.step, question.took, question.cpu, self._recorded.rules.players)
        await seat.notify(DealResult(line.deal, own_seat, line.scores, line.totals))
        return True

    async def _ask(
        self, line: DealLine, question: RecordedQuestion, view: View, seat: Seat, absent: SeatFailure | None
    ) -> RerunAnswer:
        view.last_took, view.last_cpu = self._rated, self._thought  # of this run, as the program's own clock
        watch = Stopwatch(self._limit, seat.cpu_time, loop_time)
        now = verdict = why = ""
        try:
            if absent:
                raise absent
            action = await ask_in_time(seat, view, watch)
            now = words_of(action)[1]
            question.deal.check(view.seat, action)
        except SeatFailure as failure:
            verdict, why = failure.verdict, failure.message
        except IllegalAction as error:
            verdict, why = Verdict.ILLEGAL, str(error)
        self._rated, self._thought = watch.rated, watch.cpu
        return RerunAnswer(
            line, view, question.step, question.took, question.trick_points, now, verdict, why, watch.thought
        )


def table_reruns(recorded: Recorded, bot: int, lines: Deals, limit: float) -> list[TableRerun]:
    """Prepare to ask about deals of any tables; the arguments and errors are those of `TableRerun`."""
    return [TableRerun(recorded, bot, deals, limit) for deals in lines.tables()]


def asked(line: DealLine, bot: int) -> tuple[Step, ...]:
    """List the decisions that a bot was asked for in a deal: no forced actions, none of the default policy."""
    return tuple(step for step in _steps_of(line, bot) if was_asked(step.by))


def _steps_of(line: DealLine, bot: int) -> tuple[Step, ...]:
    """List everything that was done in a bot's seat."""
    seat = seats_of(line).index(bot)
    return tuple(step for step in line.steps if step.seat == seat)


def _questions(replay: DealReplay, seat: int) -> Iterator[RecordedQuestion]:
    """Yield what the bot in that seat was asked."""
    for place, (before, after) in enumerate(pairwise(replay.moments)):
        for (step, took, cpu), used in zip(after.done, after.unasked, strict=True):
            if step.seat == seat and was_asked(step.by):
                points = None if step.play is None else _trick_points(replay.moments[place:], seat)
                yield RecordedQuestion(before.deal, step, took, cpu, used, points)


def _trick_points(moments: Sequence[Moment], seat: int) -> int:
    """Count what the trick that is played next brought the seat."""
    end = next(moment for moment in moments[1:] if moment.ends_trick)
    return end.deal.points()[seat] - moments[0].deal.points()[seat]
