"""
All plays of a board from one chair, with their points: those of people, house bots, and bots of the ladder.

Plays of the same board from the same chair are compared: whose points are better, and which decisions differ.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ladder.app.computing.asking import BeingComputed, answer_to
from ladder.app.matches import read_recorded, understood
from ladder.errors import Conflict, Forbidden, LadderError, UserError
from ladder.people.boards.daily_board import FORMAT, HOUSE, OPPONENT, BoardChair, played_board
from ladder.people.tables.chairs import NO_SEAT, chair_for, found_table
from ladder.results.files import TableFiles
from ladder.store.queries.people_tables import chairs_of, opened_first, people_at
from ladder.values.people import BoardDifference, BoardPlay, ChairKind, TablePurpose, TableStatus
from ladder.values.questions import HouseQuestion
from ladder.values.text import sanitize
from ladder.values.value import Computing
from pigpen.rules.shuffle import commitment
from referee.match.formats import Format
from referee.records.lines import from_json
from referee.records.recorded import seats_of
from referee.records.rules_file import rules_from
from referee.records.steps import action_of, kind_and_words, words_of
from referee.replay.deal_replay import DealReplay, decisions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.app.ladder import Ladder
    from ladder.app.matches import RecordedMatch
    from ladder.store.table_models import PeopleChair, PeopleTable
    from pigpen.rules import Rules
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import RecordedDecision


class BoardScore(NamedTuple):
    """The points of one person or bot for the board."""

    key: str
    name: str
    kind: ChairKind
    points: int
    you: bool = False
    counts: bool = True


class BoardDeal(NamedTuple):
    """A board as it was played, and the chair that is looked at."""

    recorded: Recorded
    line: DealLine
    chair: int


def ranked(rules: Rules, all_of_them: Sequence[BoardScore]) -> tuple[BoardPlay, ...]:
    """Sort all who have played from that chair, the best one first; equal ones share a place, you first of them."""
    sign = 1 if rules.low_is_better else -1
    keys = [sign * each.points for each in all_of_them]
    order = sorted(range(len(keys)), key=lambda each: (keys[each], not all_of_them[each].you))
    return tuple(
        BoardPlay(**all_of_them[each]._asdict(), place=1 + sum(key < keys[each] for key in keys)) for each in order
    )


def percentile(rules: Rules, yours: int, others: Sequence[int]) -> int | None:
    """
    Give the per cent of *others*, by their points, that you have beaten; equal ones count by half.

    >>> from pigpen.rules import PRESETS
    >>> percentile(PRESETS["hearts"], 3, [0, 3, 10, 26])
    62
    """
    if not others:
        return None
    sign = 1 if rules.low_is_better else -1
    beaten = sum(2 * (sign * yours < sign * each) + (yours == each) for each in others)
    return 50 * beaten // len(others)


def marks(played: BoardDeal) -> tuple[int, ...]:
    """
    Say of each trick whether it was good for the chair that is looked at: 1, bad: −1, or changed nothing: 0.

    They tell nothing of the cards.

    Raises:
        BadRecord: If the deal breaks the rules.
    """
    rules = played.recorded.rules
    sign = -1 if rules.low_is_better else 1
    moments = DealReplay(rules, played.recorded.first, played.line).moments
    points = [0, *(each.deal.points()[played.chair] for each in moments if each.ends_trick)]
    return tuple((sign * (after - before) > 0) - (sign * (after - before) < 0) for before, after in pairwise(points))


def differences(yours: BoardDeal, other: BoardDeal) -> tuple[BoardDifference, ...]:
    """
    Find your decisions where the other one did something else at the same point of the deal, the first one first.

    What the rules forced upon you is no decision; what they forced upon the other one may differ from yours.

    Raises:
        BadRecord: If one of the deals breaks the rules.
    """
    theirs = dict(_by_place(other))
    return tuple(_compared(yours, other, theirs))


def _compared(yours: BoardDeal, other: BoardDeal, theirs: dict[str, int]) -> Iterator[BoardDifference]:
    known = {each.number: each for each in _decisions(other)}
    for mine in _decisions(yours):
        number = theirs.get(mine.at)
        if number is None:
            continue
        words = words_of(action_of(other.line.steps[number - 1]))[1]
        if words != mine.chosen:
            yield BoardDifference(
                at=mine.at,
                step=mine.number,
                other_step=number,
                yours=mine.chosen,
                other=words,
                same_position=_knew(mine) == _knew(known[number]) if number in known else False,
            )


def _decisions(played: BoardDeal) -> Iterator[RecordedDecision]:
    return (each for each in decisions(played.recorded, played.line) if each.seat == played.chair)


def _by_place(played: BoardDeal) -> Iterator[tuple[str, int]]:
    """Yield the number of each step of the chair, by when it was: as `RecordedDecision.at` says it."""
    tricks = 0
    for number, step in enumerate(played.line.steps, 1):
        if step.seat != played.chair:
            continue
        kind, _ = kind_and_words(step)
        tricks += kind == "play"
        yield f"trick {tricks}" if kind == "play" else kind, number


def _knew(decision: RecordedDecision) -> tuple[object, ...]:
    """Give all that the seat knew, without the rules, which are the same."""
    return decision.before.known_to(decision.seat)[1:]


MAX_PEOPLE = 10_000
"""People whose points of one board are read at most."""
SEALED = "The results of this board are sealed until you have played it to its end."
ITS_OWN = "No one else has played the cards of this table: there is nothing to compare."
YOU = "you"
"""Names your own play in addresses."""
_PERSON, _HOUSE, _BOT = "person-", "house-", "bot-"


@dataclass(frozen=True)
class Scores:
    """Everybody's points, as far as they are known."""

    found: tuple[BoardScore, ...]
    computing: Computing | None = None
    """Progress of the plays of house bots; None: all are done."""
    absent: tuple[str, ...] = ()
    """House bots whose play of this board could not be computed."""


@dataclass(frozen=True)
class PlayedBoard:
    """A board, and all plays of it."""

    ladder: Ladder
    table: int
    """The number of your table."""
    rules: Rules
    form: Format
    seed: bytes
    day: datetime.date | None
    chair: BoardChair | None
    """Of a board of a match: which it is."""
    people: tuple[BoardScore, ...]
    own: frozenset[str]
    """The keys of what you have played, this time and others."""
    asker: str
    """The asker in whose turn in the queue the plays of house bots are computed (`ladder.app.computing.asking`)."""

    def scores(self) -> Scores:
        """Give everybody's points, as far as they are known."""
        return self._beside_house() if self.chair is None else Scores((*self.people, *self._of_bots(self.chair)))

    def _beside_house(self) -> Scores:
        found, waiting, absent = list(self.people), list[Computing](), list[str]()
        for name in HOUSE:
            try:
                played = self.deal_of(_HOUSE + name)
            except BeingComputed as error:
                waiting.append(error.computing)
            except UserError:
                absent.append(name)
            else:
                found.append(BoardScore(_HOUSE + name, name, ChairKind.HOUSE, played.line.scores[played.chair]))
        return Scores(tuple(found), _all_of(waiting), tuple(absent))

    def _of_bots(self, chair: BoardChair) -> Iterator[BoardScore]:
        for rotation, recorded, line in played_board(self.ladder, chair):
            bot = recorded.recorded.first.bots[seats_of(line)[chair.seat]]
            yield BoardScore(f"{_BOT}{rotation}", sanitize(bot), ChairKind.BOT, line.scores[chair.seat])

    @property
    def mine(self) -> BoardDeal:
        """Your play."""
        return self.deal_of(YOU)

    def deal_of(self, key: str) -> BoardDeal:
        """Give one play of the board, and its chair."""
        recorded = self.record(key)
        seat = self.chair.seat if self.chair else 0
        rotation = int(key.removeprefix(_BOT)) if key.startswith(_BOT) else None
        (line, *_) = recorded.recorded.deals.where(
            rotation=rotation, board=self.form.board and self.form.board.board + 1
        )
        return BoardDeal(recorded.recorded, line, seat)

    def record(self, key: str) -> RecordedMatch:
        """
        Give the record of one play of the board.

        Raises:
            BeingComputed: If it is a house bot's, and is not done yet.
            LadderError: If there is no such play.
            UserError: If a record cannot be read, or a house bot's play cannot be computed.
        """
        if key == YOU:
            return self._of_table(self.table)
        if key.startswith(_HOUSE) and self.chair is None and key.removeprefix(_HOUSE) in HOUSE:
            return self._of_house(key.removeprefix(_HOUSE))
        if key.startswith(_PERSON) and key in {each.key for each in self.people}:
            return self._of_table(int(key.removeprefix(_PERSON)))
        if key.startswith(_BOT) and self.chair:
            for rotation, recorded, _ in played_board(self.ladder, self.chair):
                if key == f"{_BOT}{rotation}":
                    return recorded
        raise LadderError(f"No one called {sanitize(key)[:40]!r} has played this board; look at the comparison again.")

    def _of_house(self, name: str) -> RecordedMatch:
        bots = (name, *[OPPONENT] * (self.rules.players - 1))
        question = HouseQuestion(rules=self.rules.to_plain(), format=str(self.form), seed=self.seed.hex(), bots=bots)
        return _understood(answer_to(self.ladder, question, self.asker))

    def _of_table(self, table: int) -> RecordedMatch:
        return read_recorded(TableFiles(self.ladder.settings.data_dir).record(table))


def board_of(ladder: Ladder, name: str, secret: str, asker: str = "") -> PlayedBoard:
    """
    Find the board of a table, for a person who has played it.

    Raises:
        Conflict: If the table is not over: until then everything about the board is sealed.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table, or no other table has that board.
    """
    with ladder.database.read() as session:
        table = found_table(session, name)
        mine = chair_for(chairs_of(session, table.id), secret)
        if mine is None:
            raise Forbidden(NO_SEAT)
        if table.purpose == TablePurpose.FREE:
            raise LadderError(ITS_OWN)
        if table.status != TableStatus.OVER:
            raise Conflict(SEALED)
        chair = BoardChair.of(table.board) if table.purpose == TablePurpose.BOARD else None
        wanted = f"{chair.match}/{chair.board}/%/{chair.seat}" if chair else table.board
        played = people_at(session, wanted, table.commitment, MAX_PEOPLE)
        first = opened_first(session, wanted, table.commitment)
        if all(each.id != table.id for each, _ in played):
            played.append((table, mine))
        visitor = _visitor(table)
        return PlayedBoard(
            ladder=ladder,
            table=table.id,
            rules=rules_from(table.rules),
            form=Format.parse(table.format),
            seed=bytes.fromhex(table.seed),
            day=None if chair else datetime.date.fromisoformat(table.board),
            chair=chair,
            people=tuple(_people(played, first, table.id)),
            own=frozenset(f"{_PERSON}{each.id}" for each, _ in played if _visitor(each) == visitor),
            asker=asker,
        )


@lru_cache(maxsize=256)
def _understood(lines: str) -> RecordedMatch:
    """Read the lines of a record."""
    return understood(map(from_json, lines.splitlines()))


def _all_of(waiting: list[Computing]) -> Computing | None:
    """Say how far house bots have come, by those that are not done."""
    if not waiting:
        return None
    places = [each.place for each in waiting if each.place is not None]
    return Computing(
        place=min(places) if len(places) == len(waiting) else None,
        done=len(HOUSE) - len(waiting),
        steps=len(HOUSE),
        is_served=waiting[0].is_served,
    )


def board_of_day(ladder: Ladder, rules: Rules, day: datetime.date, seed: bytes, asker: str = "") -> PlayedBoard:
    """Find the board of a day, without a viewer: `PlayedBoard.mine` is unset."""
    with ladder.database.read() as session:
        played = people_at(session, day.isoformat(), commitment(seed), MAX_PEOPLE)
        first = opened_first(session, day.isoformat(), commitment(seed))
        return PlayedBoard(
            ladder=ladder,
            table=0,
            rules=rules,
            form=Format.parse(FORMAT),
            seed=seed,
            day=day,
            chair=None,
            people=tuple(_people(played, first, 0)),
            own=frozenset(),
            asker=asker,
        )


def _people(played: list[tuple[PeopleTable, PeopleChair]], first: set[int], mine: int) -> Iterator[BoardScore]:
    """
    Give people's points. Of a person's plays the one that was opened *first* counts: afterwards cards are known.

    If that one was not played to its end, none counts.
    """
    for table, chair in played:
        counts = not table.assisted and not chair.absent and table.id in first
        key, points = f"{_PERSON}{table.id}", chair.points or 0
        yield BoardScore(key, sanitize(chair.name), ChairKind.PERSON, points, table.id == mine, counts)


def _visitor(table: PeopleTable) -> tuple[str, str | int]:
    """Say who opened a table, as far as that can be known."""
    return ("account", table.owner) if table.owner else ("guest", table.guest or table.id)
