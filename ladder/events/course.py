"""
The course of an event: which round comes next, from its file, its entrants, its lots, and the results so far.

`rounds` is a generator: it yields a round, is sent the results, and at the end returns the places. It decides nothing
by itself: the same arguments and results always lead to the same rounds. Tables are drawn only if they are asked for,
so that rounds of which the results are known cost nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count, islice, pairwise
from typing import TYPE_CHECKING, Literal

from ladder.errors import UserError
from ladder.events.draws import Draw, draw_design, draw_order, draw_swiss
from ladder.events.entrants import Contest, Cost, Groups, PlayedRound, Table, TableResult, Takeovers, filled
from ladder.events.legs import Leg, legs_of, sides_of
from ladder.events.margins import with_margins
from ladder.events.scoring import (
    AFTER_PLAY_OFF,
    Ranked,
    Sums,
    before_play_off,
    board_points,
    competing,
    criteria_of,
    ranked,
    tied_groups,
)
from ladder.values.events import MAX_BOARDS, boards_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from ladder.events.entrants import Entrant, Lots
    from ladder.values.events import Event, Stage
    from pigpen.rules import Rules

PLAY_OFFS = 3
"""The most play-offs about one place; after them, the other tie-breaks decide."""
Reasons = dict[tuple[int, int], str]
"""Reasons that the first of a pair is before the second, where the criteria of the stage do not say it."""
WENT_OUT = "went out in "
"""Beginning of the reason that one is before another who was in no later leg; the stage follows."""
Words = tuple[str | int, ...]
"""The purpose of a lot, from which its seed follows."""


@dataclass(frozen=True)
class Standings:
    """The order of those in a stage."""

    criteria: tuple[str, ...]
    rows: tuple[Ranked, ...]


@dataclass(frozen=True)
class NextRound:
    """A round that is to be played."""

    stage: int
    """Its place in the file, from 0."""
    number: int
    """From 1, within the stage; play-offs count."""
    kind: Literal["round", "play-off"]
    boards: int | None
    """Of each match; None: a game."""
    entrants: frozenset[int]
    """The numbers of those who play it."""
    draw: Callable[[], Draw]
    """Draws its tables."""
    standings: Callable[[], Standings]
    """The order of the stage before it."""

    def is_of(self, played: PlayedRound) -> bool:
        """True if these are results of this round."""
        return (played.stage, played.round) == (self.stage, self.number)


@dataclass(frozen=True)
class _Ended:
    """The end of a leg."""

    order: list[int]
    on: int
    """Number of those that advance: the first ones of the order; 0 in the last leg."""
    reasons: Reasons
    words: Words
    """Of its lots."""
    among: tuple[tuple[int, ...], ...] = ()
    """Those who were compared among themselves alone; all others with all."""


@dataclass(frozen=True)
class _Last:
    """The standing of one in the leg that it played last."""

    leg: Leg
    rounds: int
    """The number within the stage of the leg's last round, play-offs after it aside."""
    row: Ranked
    criteria: tuple[str, ...]
    """Of its figures."""


@dataclass
class Course:
    """One event, as far as it has been played."""

    event: Event
    rules: Rules
    entrants: Sequence[Entrant]
    lots: Lots
    left: Mapping[int, int] = field(default_factory=dict)
    """
    By number of those who have left: the rounds of the event that had been played then.

    Those who leave by the rule about takeovers are found from the results.
    """

    def __post_init__(self) -> None:
        """Begin before the first round."""
        self._begin()

    def _begin(self) -> None:
        self._owner = {one.number: one.owner for one in self.entrants}
        self._sides = sides_of(self.rules)
        self.last = Standings((), ())
        """The order at the end of the last leg that is over."""
        self._played = 0
        self._takeovers = Takeovers(self.event.takeovers)
        self._number = 0
        self._tables: list[tuple[Table, ...]] = []
        self._results: list[TableResult] = []
        self._before: list[TableResult] = []

    def next_round(
        self,
        played: Iterable[PlayedRound],
        check: Callable[[NextRound, PlayedRound], PlayedRound] | None = None,
    ) -> NextRound | Standings:
        """
        Give the next round, or at the end all places.

        Args:
            played: The rounds so far.
            check: Compares results with the round that is to be played, and gives those that count.

        Raises:
            UserError: If a result is not of the round whose turn it is, or the event is over before it.
        """
        rounds, results = self.rounds(), iter(played)
        try:
            following = next(rounds)
            for each in results:
                following = rounds.send(check(following, each) if check and following.is_of(each) else each)
        except StopIteration as over:
            if (more := next(results, None)) is not None:
                raise UserError(
                    f"The results have round {more.round} of stage {more.stage + 1}, and the event is over before it; "
                    "leave it out."
                ) from None
            found: Standings = over.value
            return found
        return following

    def rounds(self) -> Generator[NextRound, PlayedRound, Standings]:
        """Yield each round, take its results, and return all places; each call begins anew."""
        self._begin()
        alive, out = seeded(self.event, self.entrants, self.lots), list[list[int]]()
        legs = legs_of(self.event, len(self.entrants), self.rules)
        self._first = legs[0] if legs else None
        criteria, last = tuple[str, ...](), dict[int, _Last]()
        for leg in legs:
            if not alive:
                break
            stage = self.event.stages[leg.stage]
            if leg.first:
                self._number, self._tables = 0, []
                self._before, self._results = (self._before + self._results if stage.carry else []), []
            alive, behind = alive[: leg.entrants], alive[leg.entrants :]  # before the first leg: by the seeding
            out.insert(0, behind)
            here = list[TableResult]()
            for turn in range(leg.rounds):
                if self._present(alive):
                    here += yield from self._round(leg, stage, alive, turn)
            rounds = self._number
            ended = yield from self._ended(leg, stage, alive, here)
            if (standings := self._standings(stage, alive, ended)).rows:
                criteria = (*standings.criteria, *(each for each in criteria if each not in standings.criteria))
                last |= {row.number: _Last(leg, rounds, row, standings.criteria) for row in standings.rows}
            alive, behind = (ended.order, []) if not leg.keeps else (ended.order[: ended.on], ended.order[ended.on :])
            out.insert(0, behind)
            self.last = self._places(alive, list(chain(*out)), last, criteria)
        return self._places(alive, list(chain(*out)), last, criteria)

    def _places(
        self, alive: Sequence[int], out: Sequence[int], last: Mapping[int, _Last], criteria: tuple[str, ...]
    ) -> Standings:
        """
        Give a place to each, with the figures of the leg that it played last, and why it is before the next one.

        Args:
            alive: Those who are still in, or have played the last leg.
            out: Those behind them, who have gone out.
            last: The standing of each in its last leg.
            criteria: Of all legs.
        """
        rows, order = list[Ranked](), [*alive, *out]
        for place, one in enumerate(order, 1):
            own, why = last.get(one), ""
            if place < len(order):
                following = last.get(after := order[place])
                if own is None or following is None:
                    why = self._by_seeding(one, after)
                elif own.leg != following.leg:
                    why = self._went_out(following, own)
                else:
                    why = own.row.why
            figures = dict(zip(own.criteria, own.row.values, strict=True)) if own else {}
            values = tuple(figures.get(each) for each in criteria)
            margin = own.row.margin if own and why == own.row.why else None
            out_after = own.rounds if own and place > len(alive) else None
            rows.append(Ranked(one, place, values, why, own.leg.stage if own else None, out_after, margin))
        return Standings(criteria, tuple(rows))

    def _by_seeding(self, one: int, after: int) -> str:
        """Say why one is before another where only the order before the first round decides: see `seeded`."""
        if self.event.seeding == "lot":
            return "lot"
        entrants = {each.number: each for each in self.entrants if each.number in (one, after)}
        if self.event.seeding == "rating":
            return "seeding" if entrants[one].rating != entrants[after].rating else "lot"
        return "seeding" if entrants[one].name in self.event.seeding else "lot"

    def _went_out(self, one: _Last, before: _Last) -> str:
        """Say where one went out whom another outlasted."""
        in_stage = f"{WENT_OUT}{self.event.stages[one.leg.stage].name}"
        return in_stage if one.leg.stage != before.leg.stage else f"{in_stage}, round {one.rounds}"

    def _round(
        self, leg: Leg, stage: Stage, alive: Sequence[int], turn: int
    ) -> Generator[NextRound, PlayedRound, list[TableResult]]:
        present = self._present(alive)
        tables, number, sums = list(self._tables), self._number + 1, self._sums(stage, alive)

        def draw() -> Draw:
            return self._draw(leg, stage, alive, present, turn, tables, sums, number)

        standings = partial(self._standings, stage, alive, None)
        return (yield from self._asked(leg, "round", leg.boards, present, draw, standings))

    def _asked(
        self,
        leg: Leg,
        kind: Literal["round", "play-off"],
        boards: int | None,
        entrants: Iterable[int],
        draw: Callable[[], Draw],
        standings: Callable[[], Standings],
    ) -> Generator[NextRound, PlayedRound, list[TableResult]]:
        """Yield one round, and take its results."""
        self._number += 1
        asked = NextRound(leg.stage, self._number, kind, boards, frozenset(entrants), draw, standings)
        played = yield asked
        if not asked.is_of(played):
            name = self.event.stages[leg.stage].name
            raise UserError(
                f"The results have round {played.round} of stage {played.stage + 1} where round {self._number} of "
                f"{name!r} (stage {leg.stage + 1}) comes next; give the rounds in order, each once."
            )
        self._played += 1
        self._takeovers.take(table.taken_over for table in played.tables)
        if kind == "round":
            self._tables.append(tuple(result.table for result in played.tables))
            self._results += played.tables
        return list(played.tables)

    def _draw(
        self,
        leg: Leg,
        stage: Stage,
        alive: Sequence[int],
        present: list[int],
        turn: int,
        tables: list[tuple[Table, ...]],
        sums: Sums,
        number: int,
    ) -> Draw:
        words = ("stage", leg.stage, "round", number)
        if leg.kind == "round-robin":
            found = draw_design(
                alive, self._sides, leg.rounds, turn, self._owner, self.lots, "stage", leg.stage
            )  # fmt: skip
            if found:
                return _replaced(found, set(present))
            present = self.lots.order(present, lambda one: one, *words)
        if leg.kind == "swiss" and tables:
            score = half_places(sums, stage.pair_by)
            order = sorted(present, key=lambda one: (-score[one], self.lots.seed(*words, "order", one)))
            return draw_swiss(order, self._sides, self._owner, tables, score.__getitem__, self.lots, *words)
        return draw_order(present, self._sides, self._owner, tables, self.lots, *words)

    def _ended(
        self, leg: Leg, stage: Stage, alive: Sequence[int], here: list[TableResult]
    ) -> Generator[NextRound, PlayedRound, _Ended]:
        """
        Order those of a leg that is over; ties at a cut are played off.

        Those who have left play nothing off and do not advance: each is behind all who are level with it.
        """
        words = ("stage", leg.stage, "after", self._number)
        groups = tied_groups(self._sums(stage, alive), self._before_play_off(stage), self.lots)
        among: tuple[tuple[int, ...], ...] = ()
        if leg.kind == "pods" and leg.keeps:
            order, reasons, among = yield from self._of_pods(leg, stage, here, words)
        else:
            can_win = bool(groups) and bool(self._present(groups[0]))
            contest = Contest(self._still_here(groups), leg.keeps or int(can_win))
            parted = yield from self._played_off(leg, stage, alive, [contest], words)
            order, reasons = self._by_last(stage, contest, words), dict.fromkeys(parted, "play-off")
        on = len(order[: leg.keeps])
        place = {one: number for number, group in enumerate(groups) for one in group}
        gone = [one for group in groups for one in group if not self._is_present(one)]
        for one in gone:
            later = (index for index in range(on, len(order)) if place[order[index]] > place[one])
            order.insert(next(later, len(order)), one)
        for one, after in pairwise(order):
            if after in gone and one not in gone and place[after] <= place[one]:
                reasons[one, after] = "left the event"
            elif after in gone and one in gone and place[after] == place[one]:
                reasons[one, after] = self._by_seeding(one, after) if leg == self._first else "earlier place"
        return _Ended(order, on, reasons, words, among)

    def _of_pods(
        self, leg: Leg, stage: Stage, here: list[TableResult], words: Words
    ) -> Generator[NextRound, PlayedRound, tuple[list[int], Reasons, tuple[tuple[int, ...], ...]]]:
        """
        Order those of pods: first those who advance from theirs; if fewer are to advance, the best of all.

        Those above the cuts of their pods are compared among themselves, and so are those below.
        """
        criteria, contests = self._before_play_off(stage), list[Contest]()
        for result in here:
            pod = tied_groups(Sums(tuple(competing(result.table)), (result,), leg.boards is None), criteria, self.lots)
            contests.append(Contest(self._still_here(pod), stage.advance or 1))
        everyone = [one for contest in contests for group in contest.groups for one in group]
        parted = yield from self._played_off(leg, stage, everyone, contests, words)
        orders = [(self._by_last(stage, contest, words), contest.cut) for contest in contests]
        above = [one for order, cut in orders for one in order[:cut]]
        below = [one for order, cut in orders for one in order[cut:]]
        groups = tied_groups(self._sums(stage, above), criteria, self.lots)
        best = Contest(groups, leg.keeps)
        parted_above = yield from self._played_off(leg, stage, above, [best], words)
        below = self._present(below)  # one may have left during these play-offs
        above, below = self._by_last(stage, best, words), self._among(stage, below, words)
        reasons = dict.fromkeys(parted_above, "play-off")
        if above and below:
            ends = above[-1], below[0]
            reasons[ends] = "play-off" if ends in parted else "place at the table"
        return above + below, reasons, (tuple(above), tuple(below))

    def _played_off(
        self, leg: Leg, stage: Stage, alive: Sequence[int], contests: list[Contest], words: Words
    ) -> Generator[NextRound, PlayedRound, set[tuple[int, int]]]:
        """Play off ties at the cuts; give the pairs that this has separated."""
        boards, parted = boards_of(stage.play_off) if stage.play_off else None, set[tuple[int, int]]()
        for attempt in range(PLAY_OFFS if boards else 0):
            level = [group for each in contests if (group := each.level)]
            if not level:
                break
            tables = _numbered(table for group in level for table in self._play_off_tables(group, words, attempt))
            drawn = Draw(tables, Cost(0, 0, 0), Cost(0, 0, 0), "order")
            played = yield from self._asked(
                leg,
                "play-off",
                min(MAX_BOARDS, (boards or 1) * 2**attempt),
                [one for group in level for one in group],
                lambda drawn=drawn: drawn,  # type: ignore[misc]
                partial(self._standings, stage, alive, None),
            )
            scores = _shares(played)
            for contest in contests:
                contest.play_off(scores)
                contest.groups = self._still_here(contest.groups)
            parted |= {
                (one, other) for group in level for one in group for other in group if scores[one] > scores[other]
            }
        return parted

    def _by_last(self, stage: Stage, contest: Contest, words: Words) -> list[int]:
        """Order those of a contest; those who are level are separated by what counts after play-offs."""
        criteria = [*(each for each in self.event.tie_breaks if each in AFTER_PLAY_OFF), "lot"]
        return [
            one
            for group in contest.groups
            for part in tied_groups(self._sums(stage, group), criteria, self.lots, *words)
            for one in part
        ]

    def _among(self, stage: Stage, numbers: list[int], words: Words) -> list[int]:
        """Order those of several pods, by the stage's own standings."""
        groups = tied_groups(self._sums(stage, numbers), self._before_play_off(stage), self.lots)
        return self._by_last(stage, Contest(groups, 0), words)

    def _before_play_off(self, stage: Stage) -> tuple[str, ...]:
        return before_play_off(criteria_of(stage.standings, self.event.tie_breaks))

    def _play_off_tables(self, group: list[int], words: tuple[str | int, ...], attempt: int) -> list[Table]:
        order = filled(self.lots.order(group, lambda one: one, *words, "play-off", attempt), self._sides)
        tables = len(order) // self._sides
        return [tuple(order[table::tables]) for table in range(tables)]

    def _standings(self, stage: Stage, alive: Sequence[int], ended: _Ended | None) -> Standings:
        """Compute the standings of a stage; *ended*: of a leg that is over."""
        criteria = criteria_of(stage.standings, self.event.tie_breaks)
        sums = self._sums(stage, alive)
        if not sums.results:
            return Standings(criteria, ())
        if ended is None:
            words: Words = ("stage", self.event.stages.index(stage), "after", self._number)
            ended = _Ended([], 0, {}, words)
            groups = tied_groups(sums, criteria, self.lots, *words)
        else:
            groups = [[one] for one in ended.order]
        rows = ranked(sums, criteria, groups, ended.reasons, self.lots, *ended.words, among=ended.among)
        rows = with_margins(rows, sums, criteria)
        return Standings(criteria, tuple(replace(row, stage=self.event.stages.index(stage)) for row in rows))

    def _sums(self, stage: Stage, numbers: Sequence[int]) -> Sums:
        return Sums(tuple(numbers), (*self._before, *self._results), stage.format == "game")

    def _is_present(self, number: int) -> bool:
        return number not in self._takeovers.dropped and self.left.get(number, self._played + 1) > self._played

    def _present(self, numbers: Iterable[int]) -> list[int]:
        return [one for one in numbers if self._is_present(one)]

    def _still_here(self, groups: Groups) -> Groups:
        return [here for group in groups if (here := self._present(group))]


def max_matches(event: Event, entrants: int, rules: Rules) -> int:
    """
    Count the matches that an event may have: with each play-off that may become due, and each table played twice.

    A play-off has no more tables than a round of the leg that it follows. After pods there may be two series of them:
    in the pods, and among those who are best there.
    """
    sides = sides_of(rules)
    play_offs = {
        number: PLAY_OFFS * (2 if stage.kind == "pods" else 1) if stage.play_off else 0
        for number, stage in enumerate(event.stages)
    }
    legs = legs_of(event, entrants, rules)
    return 2 * sum((leg.rounds + play_offs[leg.stage]) * leg.tables(sides) for leg in legs)


def seeded(event: Event, entrants: Sequence[Entrant], lots: Lots) -> list[int]:
    """
    Give the numbers of the entrants in the order before the first round.

    By rating, those without one last; by name, those that are not named last; all else by lot.
    """
    drawn = lots.order(entrants, lambda one: one.number, "seeding")
    if event.seeding == "rating":
        drawn.sort(key=lambda one: -(one.rating if one.rating is not None else float("-inf")))
    elif event.seeding != "lot":
        place = {name: index for index, name in enumerate(event.seeding)}
        drawn.sort(key=lambda one: place.get(one.name, len(place)))
    return [one.number for one in drawn]


def half_places(sums: Sums, pair_by: str) -> dict[int, int]:
    """Give what a Swiss pairs by, in half place points: of boards the mean of a match, of performances 50 Elo each."""
    if pair_by == "performance":
        return {number: round(elo / 50) for number, elo in sums.performance().items()}
    if pair_by == "match places":
        return {number: round(2 * each) for number, each in sums.match_places().items()}
    means = defaultdict[int, float](float)
    for result in sums.results:
        for number, each in board_points(result).items():
            means[number] += each / len(result.boards)
    return {number: round(means[number]) for number in sums.numbers}


def _shares(played: Iterable[TableResult]) -> dict[int, float]:
    """Give the board points of a play-off, by number."""
    return {number: float(points) for result in played for number, points in board_points(result).items()}


def _numbered(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Number the stand-ins of the tables, so that each has a number of its own."""
    free = count(-1, -1)
    return tuple(tuple(one if one > 0 else next(free) for one in table) for table in tables)


def _replaced(draw: Draw, present: set[int]) -> Draw:
    """Copy the tables of a design, with stand-ins in place of those who have left."""
    taken = {one for table in draw.tables for one in table if one < 0}
    free = (number for number in count(-1, -1) if number not in taken)
    gone = [one for table in draw.tables for one in table if one > 0 and one not in present]
    instead = dict(zip(gone, islice(free, len(gone)), strict=True))
    tables = tuple(tuple(instead.get(one, one) for one in table) for table in draw.tables)
    return Draw(tables, draw.cost, draw.bound, draw.method)
