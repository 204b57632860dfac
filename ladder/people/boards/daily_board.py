"""Today's board of a variant: what may be known of it, and tables at which people play it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from ladder.app import overview
from ladder.people.boards.day_seed import FORMAT, OPPONENT, day_of, day_secret, is_revealed, seed_of_day
from ladder.people.tables.limits import guest_hash
from ladder.people.tables.opening import open_table
from ladder.store.queries.tables import accounts_at, count_people, first_of
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TablePurpose, TableStatus
from ladder.values.same_board import TodaysBoard
from pigpen.rules.shuffle import commitment

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.people import OpenedTable, TableVisitor

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
    rules, now = overview.rules_of(ladder, variant), now_of(ladder)
    day = day_of(now) - datetime.timedelta(days=days_ago)
    seed = seed_of_day(day_secret(ladder.settings.data_dir), day, rules.name)
    with ladder.database.read() as session:
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


def first_today(ladder: Ladder, variant: str, who: TableVisitor) -> tuple[str, TableStatus] | None:
    """Find the table at which a visitor began today's board first, the one that counts; None: it has not begun it."""
    found = todays_board(ladder, variant)
    with ladder.database.read() as session:
        table = first_of(session, found.day.isoformat(), found.commitment, who.account, guest_hash(who))
        return None if table is None else (table.name, TableStatus(table.status))


def open_today(ladder: Ladder, variant: str, who: TableVisitor, seconds: float = 30.0) -> OpenedTable:
    """
    Open a table at which a person plays today's board, against the same house bots as everybody.

    Args:
        ladder: The ladder.
        variant: A variant of the ladder's, or a preset.
        who: The visitor.
        seconds: What the person has for each decision.

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
