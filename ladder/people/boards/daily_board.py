"""
Boards that people play with the cards of others: today's board of a variant, and boards of matches.

The seed of a day's board gives the same cards to all people, is secret until the day is over, and is then checked by
anyone. `todays_board` gives what may be known of today's board, and `open_today` opens tables at which people play it.
A board that bots of the ladder have played is played once more from one of the chairs (`open_match_board`).
"""

from __future__ import annotations

import datetime
import hmac
import re
from typing import TYPE_CHECKING, NamedTuple

from ladder.app import matches, overview
from ladder.app.kept_secret import kept_secret
from ladder.app.matches import read_recorded
from ladder.errors import UserError
from ladder.people.tables.chairs import bots_to_play_with, players_of
from ladder.people.tables.table_opening import guest_hash, open_table
from ladder.sandbox.bots.bot_source import seat_names
from ladder.store.queries.people_tables import accounts_at, chairs_of, count_people, first_of, table_by_name
from ladder.values.matches import DealPlace
from ladder.values.opponents import Player, shown_players
from ladder.values.people import (
    ChairKind,
    ChairOrder,
    MatchBoard,
    MatchBoardChair,
    TableOrder,
    TablePurpose,
    TableStatus,
    TodaysBoard,
)
from ladder.values.text import sanitize
from pigpen.rules.shuffle import commitment
from referee.match.formats import BoardPlace, Format
from referee.records.recorded import BadRecord, seats_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from ladder.app.ladder import Ladder
    from ladder.app.matches import RecordedMatch
    from ladder.values.people import OpenedTable, TableVisitor
    from referee.records.lines import DealLine

FORMAT = "board:0:0"
"""One board; entry 0 sits in seat 0."""
OPPONENT = "counting"
"""The house bot in all other chairs."""
HOUSE = ("cautious", "counting", "exact", "random", "sampling", "tree")
"""The house bots that play it from the person's chair, too."""
FOLDER, FILE = "tables", "today.secret"
"""Folder and file, in the folder of a ladder, of the secret of the days; only its user may read it."""


def day_of(now: datetime.datetime) -> datetime.date:
    """Give the day that it is, UTC."""
    return now.astimezone(datetime.UTC).date()


def day_secret(data_dir: Path) -> bytes:
    """
    Read the secret; the first time it is made. All processes of a ladder have the same.

    Raises:
        LadderError: If the file cannot be read, or holds something else.
        UserError: If it cannot be made.
    """
    return kept_secret(data_dir / FOLDER / FILE, "The secret of the days' boards")


def seed_of_day(secret: bytes, day: datetime.date, variant: str) -> bytes:
    """
    Derive the seed of a day's board.

    >>> seed_of_day(bytes(32), datetime.date(2026, 11, 23), "hearts").hex()[:16]
    '45a0a694a3628548'

    Args:
        secret: Of the ladder; it determines the cards of all days.
        day: The day.
        variant: The name of the variant.
    """
    return hmac.digest(secret, f"pigpen/1/today/{day.isoformat()}/{variant}".encode(), "sha256")


def is_revealed(day: datetime.date, now: datetime.datetime) -> bool:
    """Tell whether a day's board may be shown to those, too, who have not played it: when the day is over."""
    return day_of(now) > day


MAX_NAMES = 5
"""People who are named on the page of a day's board before it is played."""


def now_of(ladder: Ladder) -> datetime.datetime:
    """Give the ladder's time."""
    return datetime.datetime.fromtimestamp(ladder.clock(), datetime.UTC)


def todays_board(ladder: Ladder, variant: str, days_ago: int = 0) -> TodaysBoard:
    """
    Read what may be known of a day's board.

    Args:
        ladder: The ladder.
        variant: A variant of the ladder's, or a preset.
        days_ago: 1: yesterday's.

    Raises:
        LadderError: If there is no such variant.
    """
    now = now_of(ladder)
    day = day_of(now) - datetime.timedelta(days=days_ago)
    with ladder.database.read() as session:
        rules = overview.rules_in(session, variant)
        seed = seed_of_day(day_secret(ladder.settings.data_dir), day, rules.name)
        played = count_people(session, day.isoformat(), commitment(seed))
        names = accounts_at(session, day.isoformat(), commitment(seed), MAX_NAMES)
    return TodaysBoard(
        variant=rules.name,
        title=rules.title,
        players=rules.players,
        day=day,
        commitment=commitment(seed),
        seed=seed.hex() if is_revealed(day, now) else None,
        played=played,
        names=tuple(names),
    )


class TodaysRow(NamedTuple):
    """A player at a visitor's table with today's board."""

    player: Player
    """Name empty: the visitor, before the board is played."""
    is_you: bool
    points: int | None = None
    """None: the board has not been played."""
    place: int | None = None
    """1 is best."""


def rows_of_today(ladder: Ladder, today: TodaysBoard, table: str = "") -> tuple[TodaysRow, ...]:
    """
    Give the players of today's board: the visitor and those that it plays against, the best first.

    Args:
        ladder: The ladder.
        today: The board.
        table: Name of the table at which the visitor has played it to its end; empty: the visitor has not.
    """
    if table:
        with ladder.database.read() as session:
            found = table_by_name(session, table)
            chairs = [] if found is None else chairs_of(session, found.id)
            rows = [
                TodaysRow(player, each.kind == ChairKind.PERSON, each.points, each.place)
                for player, each in zip(players_of(chairs), chairs, strict=True)
            ]
        return tuple(sorted(rows, key=lambda row: (row.place or 0, not row.is_you)))
    names = seat_names([OPPONENT] * (today.players - 1))
    others = shown_players(names, [ChairKind.HOUSE] * len(names))
    return (TodaysRow(Player(""), True), *(TodaysRow(player, False) for player in others))


class BegunToday(NamedTuple):
    """The table at which a visitor plays today's board, or has played it."""

    table: str
    status: TableStatus
    has_begun: bool
    """True if the visitor has decided something there, so that no other table counts."""


def first_today(ladder: Ladder, variant: str, who: TableVisitor) -> BegunToday | None:
    """Find the table at which a visitor began today's board first, or has opened it; None: there is none."""
    found = todays_board(ladder, variant)
    with ladder.database.read() as session:
        table = first_of(session, found.day.isoformat(), found.commitment, who.account, guest_hash(who))
        return None if table is None else BegunToday(table.name, TableStatus(table.status), table.begun)


def open_today(ladder: Ladder, variant: str, who: TableVisitor, seconds: float | None = None) -> OpenedTable:
    """
    Open a table at which a person plays today's board, against the same house bots as everybody.

    Args:
        ladder: The ladder.
        variant: A variant of the ladder's, or a preset.
        who: The visitor.
        seconds: Seconds that the person has for each decision; None: there is no clock.

    Raises:
        Forbidden: If this ladder has no tables.
        LadderError: If there is no such variant.
        TooOften: If there are too many tables, or this visitor has too many of them open.
        UserError: If the person cannot be shown by that name.
    """
    rules, day = overview.rules_of(ladder, variant), day_of(now_of(ladder))
    opponent = ChairOrder(kind=ChairKind.HOUSE, name=OPPONENT)
    order = TableOrder(
        variant=rules.name,
        chairs=(ChairOrder(), *[opponent] * (rules.players - 1)),
        format=FORMAT,
        seconds=seconds,
        purpose=TablePurpose.TODAY,
        board=day.isoformat(),
    )
    return open_table(ladder, order, who, seed_of_day(day_secret(ladder.settings.data_dir), day, rules.name))


class BoardChair(NamedTuple):
    """One chair of one board; a table's `board` names it."""

    match: int
    board: int
    """From 1, as the rotation."""
    rotation: int
    seat: int
    """From 0."""

    @classmethod
    def of(cls, text: str) -> Self:
        """
        Read it.

        Raises:
            ValueError: If it is none.

        >>> BoardChair.of("17/3/1/2")
        BoardChair(match=17, board=3, rotation=1, seat=2)
        """
        if not re.fullmatch(r"\d{1,9}(/[1-9]\d{0,8}){2}/\d{1,9}", text, flags=re.ASCII):
            raise ValueError(text)
        return cls(*map(int, text.split("/")))

    def __str__(self) -> str:
        return "/".join(map(str, self))


def match_board(ladder: Ladder, match: int, board: int, rotation: int) -> MatchBoard:
    """
    Read who sat where on a board of a match that is done.

    Raises:
        LadderError: If there is no such match.
        UserError: If it has no record, or no such board.
    """
    recorded, line = _played(ladder, match, board, rotation)
    first = recorded.recorded.first
    return MatchBoard(
        match=match,
        board=board,
        rotation=rotation,
        variant=recorded.recorded.rules.name,
        title=recorded.recorded.rules.title,
        chairs=tuple(
            MatchBoardChair(seat=seat, bot=sanitize(first.bots[bot])) for seat, bot in enumerate(seats_of(line))
        ),
        commitment=first.commitment,
    )


def open_match_board(ladder: Ladder, chair: BoardChair, who: TableVisitor, seconds: float | None = None) -> OpenedTable:
    """
    Open a table at which a person plays a board of a match, in the place of one of its bots.

    The others are the bots that sat there, as far as their owners and this visitor's kind allow, else house bots.

    Args:
        ladder: The ladder.
        chair: The board, and the person's chair there.
        who: The visitor.
        seconds: Seconds that the person has for each decision; None: there is no clock.

    Raises:
        Forbidden: If this ladder has no tables.
        LadderError: If there is no such match.
        TooOften: If there are too many tables, or this visitor has too many of them open.
        UserError: If the match has no record, or no such board or chair.
    """
    recorded, line = _played(ladder, chair.match, chair.board, chair.rotation)
    rules, seats = recorded.recorded.rules, seats_of(line)
    if chair.seat >= len(seats):
        raise UserError(f"Match {chair.match} has no seat {chair.seat}; its seats are 0 to {len(seats) - 1}.")
    allowed = frozenset(bots_to_play_with(ladder, rules.name)) if who.account is not None or not who.guest else ()
    names = [seat.bot for seat in matches.public_match(ladder, chair.match).seats]
    chairs = tuple(
        ChairOrder() if number == seats[chair.seat] else _chair(name, name in allowed)
        for number, name in enumerate(names)
    )
    try:
        seed = recorded.recorded.seed
    except BadRecord as error:
        raise UserError(f"Match {chair.match} cannot be played once more: {error}.") from None
    order = TableOrder(
        variant=rules.name,
        chairs=chairs,
        format=str(Format(board=BoardPlace(chair.board - 1, chair.rotation - 1))),
        seconds=seconds,
        purpose=TablePurpose.BOARD,
        board=str(chair),
    )
    return open_table(ladder, order, who, seed)


def played_board(ladder: Ladder, chair: BoardChair) -> list[tuple[int, RecordedMatch, DealLine]]:
    """
    Give a board in all rotations of its match: the number of the rotation, the record, the deal.

    Raises:
        LadderError: If there is no such match.
        UserError: If it has no record.
    """
    recorded = read_recorded(matches.record_of(ladder, chair.match))
    deals = recorded.recorded.deals
    return [
        (place.rotation, recorded, deals[index])
        for place, index in recorded.where.items()
        if place.board == chair.board
    ]


def _played(ladder: Ladder, match: int, board: int, rotation: int) -> tuple[RecordedMatch, DealLine]:
    recorded = read_recorded(matches.record_of(ladder, match))
    index = recorded.where.get(DealPlace(board=board, rotation=rotation))
    if index is None or not recorded.has_boards:
        raise UserError(f"Match {match} has no board {board}, rotation {rotation} that could be played once more.")
    return recorded, recorded.recorded.deals[index]


def _chair(name: str, is_allowed: bool) -> ChairOrder:
    if is_allowed:
        return ChairOrder(kind=ChairKind.BOT, name=name)
    return ChairOrder(kind=ChairKind.HOUSE, name=OPPONENT)
