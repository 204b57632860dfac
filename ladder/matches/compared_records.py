"""Findings about two bots in the records of matches: by how much one was better when, and whom they favoured."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from ladder.ratings.means import MIN_SIDES, Mean, favour
from ladder.values.bot_comparison import FoundFavour, FoundInRecords, MeanOfBoards, PhasePoints
from pigpen.rules.scoring import card_weights
from referee.records.recorded import seats_of
from referee.records.steps import BY_TAKEOVER
from referee.replay.deal_replay import DealReplay

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pigpen.rules import Deal, Rules
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded

PHASES = 3
"""Parts of a deal: opening, middle, end."""
MIN_BOARDS = 30
"""Boards that a favour takes: of fewer the mean is not near enough to a normal one."""
Board = tuple[str, int]
"""A match, and the number of the deal in it, from 0."""


class ComparedRecords:
    """The deals of some matches, as two of their bots see them; takes them one by one."""

    def __init__(self) -> None:
        self._sources: dict[str, None] = {}
        self._deals = 0
        self._ends: tuple[int, ...] = ()
        self._phases: defaultdict[Board, list[tuple[float, ...]]] = defaultdict(list)
        self._favours: dict[Literal["bot", "other"], defaultdict[Board, list[float]]] = {
            "bot": defaultdict(list),
            "other": defaultdict(list),
        }

    def take_all(self, recorded: Recorded, lines: Iterable[DealLine], source: str, bot: int, other: int) -> None:
        """Add deals of a match; see `take`."""
        self._sources[source] = None
        for line in lines:
            self.take(recorded, line, source, bot, other)

    def take(self, recorded: Recorded, line: DealLine, source: str, bot: int, other: int) -> None:
        """
        Add a deal, unless any bot was taken over in it: that is not how the bots play.

        Args:
            recorded: The match.
            line: One of its deals.
            source: The match, as people name it.
            bot: The number of the first bot in this match; of partners, of either.
            other: That of the second one.

        Raises:
            BadRecord: If what was played breaks the rules.
        """
        if any(step.by == BY_TAKEOVER for step in line.steps):
            return
        rules, seats = recorded.rules, seats_of(line)
        one, two = seats.index(bot), seats.index(other)
        replay = DealReplay(rules, recorded.first, line)
        board = source, line.deal
        self._deals += 1
        self._ends = phase_ends(rules.hand_size)
        self._phases[board].append(phase_differences(replay, one, two))
        if not rules.partners and rules.players >= MIN_SIDES:
            given = gifts(rules, replay.moments[-1].deal)
            self._favours["bot"][board].append(favour(given, one, two))
            self._favours["other"][board].append(favour(given, two, one))

    def found(self) -> FoundInRecords:
        """Say what all of them come to."""
        boards = [[fmean(part) for part in zip(*deals, strict=True)] for deals in self._phases.values()]
        phases = tuple(
            PhasePoints(first=first + 1, last=last, difference=mean_of_boards(Mean.of(differences)))
            for (first, last), *differences in zip(pairwise((0, *self._ends)), *boards, strict=True)
            if len(boards) > 1
        )
        favours = tuple(
            _favour(by, [fmean(deals) for deals in found.values()])
            for by, found in self._favours.items()
            if len(found) >= MIN_BOARDS
        )
        return FoundInRecords(sources=tuple(self._sources), deals=self._deals, phases=phases, favours=favours)


def phase_ends(tricks: int) -> tuple[int, ...]:
    """
    Divide the tricks of a deal: the number of the last trick of each part.

    >>> phase_ends(13), phase_ends(10)
    ((4, 9, 13), (3, 7, 10))
    """
    return tuple(round(tricks * part / PHASES) for part in range(1, PHASES + 1))


def phase_differences(replay: DealReplay, one: int, two: int) -> tuple[float, ...]:
    """
    Give the points by which one seat was better than another in each part of a deal; they add up to the whole.

    What a part brings is how much the score of the cards taken changes in it, as if the deal ended there: a doubler
    counts when it is taken for what is there, and afterwards with each card.
    """
    rules, players = replay.rules, replay.rules.players
    sign = -1 if rules.low_is_better else 1
    ends = {players * tricks for tricks in phase_ends(rules.hand_size)[:-1]}
    at_ends = [
        moment.deal.scores() for moment in replay.moments if moment.ends_trick and len(moment.deal.plays) in ends
    ]
    lead = [0, *(sign * (scores[one] - scores[two]) for scores in (*at_ends, replay.line.scores))]
    return tuple(float(after - before) for before, after in pairwise(lead))


def gifts(rules: Rules, deal: Deal) -> list[list[float]]:
    """
    Add up what each seat gave each other one in a finished deal.

    A card counts what it is worth to an average player who takes it (`Plan.harm`, turned so that more is better), with
    what exposing makes of it.
    """
    players = rules.players
    weights = card_weights(rules, {shown.card: shown.face for shown in deal.exposures})
    given = [[0.0] * players for _ in range(players)]
    view = deal.view(0)
    for number, trick in enumerate(view.tricks):
        winner = view.winner(number)
        for play in trick:
            if play.seat != winner:
                given[play.seat][winner] -= rules.plan.harm[play.card] * weights[play.card]
    return given


def mean_of_boards(found: Mean) -> MeanOfBoards:
    """Give a mean as a value."""
    return MeanOfBoards(mean=round(found.value, 4), error=round(found.error, 4), boards=found.n)


def _favour(by: Literal["bot", "other"], boards: Sequence[float]) -> FoundFavour:
    found = Mean.of(boards)
    return FoundFavour(by=by, points=mean_of_boards(found), p=found.p)
