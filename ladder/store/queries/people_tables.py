"""
Tables with people, as they are read.

Among them are the tables that one person has played to their end. Checks find rows of tables that do not agree with
each other, or with the files beside the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import String, and_, bindparam, case, cast, exists, func, literal, not_, or_, select, text
from sqlalchemy.orm import aliased, load_only

from ladder.store.core_tables import connection_of
from ladder.store.models import Rating, State, StoredBot, Variant, Version
from ladder.store.table_models import OPEN, PeopleChair, PeopleTable
from ladder.values.people import TableStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from ladder.results.files import TableFiles
    from ladder.store.database import Database

_VISITOR = case(
    (PeopleTable.owner.is_not(None), literal("account ") + PeopleTable.owner),
    (PeopleTable.guest != "", literal("guest ") + PeopleTable.guest),
    else_=literal("table ") + cast(PeopleTable.id, String),
)
"""The visitor that opened a table; each table of a person on the ladder's machine is one of its own."""


def table_by_name(session: Session, name: str) -> PeopleTable | None:
    """Find a table by the name in its address; None if there is none."""
    return session.scalar(select(PeopleTable).where(PeopleTable.name == name))


def chairs_of(session: Session, table: int) -> list[PeopleChair]:
    """List the chairs of a table, by their numbers."""
    return list(session.scalars(select(PeopleChair).where(PeopleChair.table_id == table).order_by(PeopleChair.chair)))


def all_open(session: Session) -> list[PeopleTable]:
    """List all tables that have not ended, the oldest first: who opened them and how far they are, not their rules."""
    wanted = select(PeopleTable).where(text(OPEN)).order_by(PeopleTable.id)
    counted = (
        PeopleTable.status, PeopleTable.owner, PeopleTable.guest, PeopleTable.network, PeopleTable.touched,
        PeopleTable.begun,
    )  # fmt: skip
    return list(session.scalars(wanted.options(load_only(*counted))))


def open_of(session: Session, owner: str | None, guest: str) -> list[PeopleTable]:
    """List the tables of an account, or else of a guest, that have not ended, the oldest first."""
    mine = PeopleTable.guest == guest if owner is None else PeopleTable.owner == owner
    return list(session.scalars(select(PeopleTable).where(text(OPEN), mine).order_by(PeopleTable.id)))


def count_by_status(session: Session) -> dict[str, int]:
    """Count the tables in each status."""
    counted = select(PeopleTable.status, func.count(PeopleTable.id)).group_by(PeopleTable.status)
    return dict(session.execute(counted).all())


def offered_bots(session: Session, variant: str) -> list[str]:
    """List the names of the bots that may be played with in a variant, the best first."""
    offered = (
        select(StoredBot.name)
        .join(Version, Version.bot_id == StoredBot.id)
        .join(Rating, Rating.version_id == Version.id)
        .where(Rating.variant == variant, Rating.state == State.ACTIVE, StoredBot.tables)
        .group_by(StoredBot.name)
        .order_by(func.max(Rating.rating).desc(), StoredBot.name)
    )
    return list(session.scalars(offered))


def plays(session: Session, version: int, variant: str) -> bool:
    """Tell whether a version plays in a variant now."""
    entry = session.get(Rating, (variant, version))
    return entry is not None and entry.state == State.ACTIVE


def ladder_rules(session: Session, variant: str) -> dict[str, object] | None:
    """Give the rules of a variant as this ladder plays it; None if it does not."""
    found = session.get(Variant, variant)
    return None if found is None else found.rules


def finished_before(session: Session, before: float) -> Sequence[int]:
    """List the numbers of tables at which only guests played, and that have ended before a Unix time."""
    with_account = select(PeopleChair.table_id).where(PeopleChair.account.is_not(None))
    old = select(PeopleTable.id).where(
        PeopleTable.finished < before, PeopleTable.owner.is_(None), PeopleTable.id.not_in(with_account)
    )
    return session.scalars(old).all()


def count_people(session: Session, board: str, commitment: str) -> int:
    """Count the people who have played a certain board to its end, as far as visitors can be told apart."""
    played = connection_of(session).execute(_COUNTED, {"board_": board, "commitment_": commitment})
    return int(played.scalar_one())


def opened_first(session: Session, board: str, commitment: str) -> set[int]:
    """
    Find, of each visitor, the table that it opened first to play a certain board, whatever became of it.

    Tables at which the visitor has decided nothing are left out (`_IS_USED`).

    Args:
        session: The database.
        board: As in `people_at`.
        commitment: Likewise.
    """
    is_it, has_cards, _ = _of_board(_any_chair(board), commitment)
    first = select(func.min(PeopleTable.id)).where(is_it, has_cards, _IS_USED).group_by(_VISITOR)
    return set(session.scalars(first))


def first_of(session: Session, board: str, commitment: str, owner: str | None, guest: str) -> PeopleTable | None:
    """
    Find the table that an account, or else a guest, opened first to play a certain board, as `opened_first`.

    One that is open, and at which nothing has been decided yet, is such a table, too.
    """
    if owner is None and not guest:
        return None
    mine = PeopleTable.guest == guest if owner is None else PeopleTable.owner == owner
    is_it, has_cards, _ = _of_board(_any_chair(board), commitment)
    wanted = select(PeopleTable).where(is_it, has_cards, mine, or_(_IS_USED, text(OPEN)))
    return session.scalar(wanted.order_by(PeopleTable.id).limit(1))


def accounts_at(session: Session, board: str, commitment: str, max_accounts: int) -> list[str]:
    """
    Give the names, as shown, of those with an account who have played a certain board to its end, the latest first.

    Args:
        session: The database.
        board: One board, seen from one chair.
        commitment: As in `people_at`.
        max_accounts: How many to give at most.
    """
    wanted = {"board_": board, "commitment_": commitment, "max_": max_accounts}
    return list(connection_of(session).execute(_ACCOUNTS, wanted).scalars())


def people_at(session: Session, board: str, commitment: str, max_people: int) -> list[tuple[PeopleTable, PeopleChair]]:
    """
    List those who have played a certain board to its end, each with the table, in the order in which they finished.

    Args:
        session: The database.
        board: As `PeopleTable.board`; `17/3/%` has any table and seat of board 3 of match 17.
        commitment: That of its seed: what only claims to be this board is left out.
        max_people: How many to give at most.
    """
    wanted = (
        select(PeopleTable, PeopleChair)
        .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
        .where(*_of_board(board, commitment), PeopleChair.kind == "person", PeopleChair.points.is_not(None), _PRESENT)
        .order_by(PeopleTable.finished, PeopleTable.id)
        .limit(max_people)
    )
    return [(table, chair) for table, chair in session.execute(wanted)]


def open_at(session: Session, board: str, commitment: str, owner: str | None, guest: str) -> PeopleTable | None:
    """Find the table at which an account, or else a guest, plays a certain board, if one has not ended."""
    is_it, has_cards, _ = _of_board(_any_chair(board), commitment)
    mine = PeopleTable.guest == guest if owner is None else PeopleTable.owner == owner
    wanted = select(PeopleTable).where(text(OPEN), mine, is_it, has_cards).order_by(PeopleTable.id).limit(1)
    return session.scalar(wanted) if owner is not None or guest != "" else None


def _any_chair(board: str) -> str:
    """
    Give the board, from whichever chair it is played: who has sat in another one knows the cards, too.

    >>> _any_chair("17/3/1/2"), _any_chair("17/3/%/2"), _any_chair("2026-11-23")
    ('17/3/%', '17/3/%', '2026-11-23')
    """
    parts = board.split("/")
    return board if len(parts) == 1 else "/".join([*parts[:2], "%"])


def _of_board(board: str, commitment: str) -> tuple[ColumnElement[bool], ...]:
    is_it = PeopleTable.board.like(board) if "%" in board else PeopleTable.board == board
    return is_it, PeopleTable.commitment == commitment, PeopleTable.status == "over"


_IS_USED = or_(
    PeopleTable.begun,
    PeopleTable.status == "over",
    and_(PeopleTable.purpose == "board", PeopleTable.attempt > 0),
)
"""
A play of a board that counts as one: the visitor has decided something. A board of a match has several chairs, so there
it is enough that cards were seen.
"""
_PRESENT = not_(PeopleChair.absent)
_PLAYED = (
    PeopleTable.board == bindparam("board_"),
    PeopleTable.commitment == bindparam("commitment_"),
    PeopleTable.status == "over",
)
_COUNTED = (
    select(func.count(_VISITOR.distinct()))
    .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
    .where(*_PLAYED, PeopleChair.kind == "person", _PRESENT)
)
_ACCOUNTS = (
    select(func.max(PeopleChair.name))
    .join(PeopleTable, PeopleChair.table_id == PeopleTable.id)
    .where(*_PLAYED, PeopleChair.account.is_not(None), PeopleChair.points.is_not(None), _PRESENT)
    .group_by(PeopleChair.account)
    .order_by(func.max(PeopleTable.finished).desc(), func.max(PeopleTable.id).desc())
    .limit(bindparam("max_"))
)
"""Put together once: the front page asks both for each visitor, and to put them together takes longer than to ask."""


def played_by(
    session: Session, account: str | None, guest: str, max_tables: int, *, with_absent: bool = False
) -> list[tuple[PeopleTable, int, list[PeopleChair]]]:
    """
    Give tables that a person has played to their end, the newest first: each with the person's chair, and all chairs.

    Args:
        session: The database.
        account: The person's account; None: a guest.
        guest: The hash of what the guest is known by; guests are found at tables that they have opened.
        max_tables: Tables to give at most.
        with_absent: Give those, too, that the policy has played for the person.
    """
    wanted = (
        select(PeopleTable, PeopleChair.chair)
        .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
        .where(*_of(account, guest), *(() if with_absent else (_PRESENT,)))
        .order_by(PeopleTable.finished.desc(), PeopleTable.id.desc())
        .limit(max_tables)
    )
    rows = [(table, chair) for table, chair in session.execute(wanted)]
    chairs: dict[int, list[PeopleChair]] = {table.id: [] for table, _ in rows}
    there = select(PeopleChair).where(PeopleChair.table_id.in_(chairs)).order_by(PeopleChair.chair)
    for each in session.scalars(there):
        chairs[each.table_id].append(each)
    return [(table, chair, chairs[table.id]) for table, chair in rows]


def days_played_by(session: Session, account: str | None, guest: str, max_boards: int) -> list[tuple[str, str, str]]:
    """Give the plays of days' boards by a person, the one opened last first: day, variant and table of each."""
    wanted = (
        select(PeopleTable.board, PeopleTable.variant, PeopleTable.name)
        .join(PeopleChair, PeopleChair.table_id == PeopleTable.id)
        .where(*_of(account, guest), PeopleTable.purpose == "today", _PRESENT)
        .order_by(PeopleTable.id.desc())
        .limit(max_boards)
    )
    return [(day, variant, name) for day, variant, name in session.execute(wanted)]


def _of(account: str | None, guest: str) -> list[ColumnElement[bool]]:
    """Give the conditions for the chairs in which a person has played a table to its end."""
    done = [PeopleTable.status == "over", PeopleChair.points.is_not(None)]
    if account is not None:
        return [PeopleChair.account == account, PeopleChair.kind == "person", *done]
    other = aliased(PeopleChair)
    first = select(func.min(other.chair)).where(other.table_id == PeopleTable.id, other.kind == "person")
    is_opener = PeopleChair.chair == first.scalar_subquery()
    return [PeopleTable.guest == guest, PeopleTable.guest != "", is_opener, *done]


def table_findings(database: Database, files: TableFiles) -> Iterator[str]:
    """Look for what is wrong, a sentence for each; nothing is changed, and tables may be played meanwhile."""
    over = select(PeopleTable.id).where(PeopleTable.status == TableStatus.OVER).order_by(PeopleTable.id)
    without_place = exists().where(PeopleChair.table_id == PeopleTable.id, PeopleChair.place.is_(None))
    with database.read() as session:
        missing = [table for table in session.scalars(over) if not files.record(table).is_file()]
        for table in session.scalars(over.where(without_place)):
            yield f"Table {table} is over, and a chair of it has no place."
    with database.read() as session:  # those that were removed meanwhile are not missing
        for table in session.scalars(over.where(PeopleTable.id.in_(missing))):
            yield f"The record of table {table} is not there: {str(files.record(table))!r}."
