"""Reading tables with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select, text
from sqlalchemy.orm import load_only

from ladder.store.models import Rating, State, StoredBot, Variant, Version
from ladder.store.table_models import OPEN, PeopleChair, PeopleTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session


def table_by_name(session: Session, name: str) -> PeopleTable | None:
    """Find a table by the name in its address; None if there is none."""
    return session.scalar(select(PeopleTable).where(PeopleTable.name == name))


def chairs_of(session: Session, table: int) -> list[PeopleChair]:
    """List the chairs of a table, by their numbers."""
    return list(session.scalars(select(PeopleChair).where(PeopleChair.table_id == table).order_by(PeopleChair.chair)))


def all_open(session: Session) -> list[PeopleTable]:
    """List all tables that have not ended, the oldest first: who opened them and how far they are, not their rules."""
    wanted = select(PeopleTable).where(text(OPEN)).order_by(PeopleTable.id)
    counted = PeopleTable.status, PeopleTable.owner, PeopleTable.guest, PeopleTable.network, PeopleTable.touched
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


def count_finished(session: Session, board: str, commitment: str) -> int:
    """Count the tables that have played a certain board to its end."""
    counted = select(func.count(PeopleTable.id)).where(*_of_board(board, commitment))
    return session.execute(counted).scalar_one()


def accounts_at(session: Session, board: str, commitment: str, max_accounts: int) -> list[str]:
    """
    Give the names, as shown, of those with an account who have played a certain board to its end, the latest first.

    Args:
        session: The database.
        board: As in `people_at`.
        commitment: Likewise.
        max_accounts: How many to give at most.
    """
    wanted = (
        select(func.max(PeopleChair.name))
        .join(PeopleTable, PeopleChair.table_id == PeopleTable.id)
        .where(*_of_board(board, commitment), PeopleChair.account.is_not(None), PeopleChair.points.is_not(None))
        .group_by(PeopleChair.account)
        .order_by(func.max(PeopleTable.finished).desc(), func.max(PeopleTable.id).desc())
        .limit(max_accounts)
    )
    return list(session.scalars(wanted))


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
        .where(*_of_board(board, commitment), PeopleChair.kind == "person", PeopleChair.points.is_not(None))
        .order_by(PeopleTable.finished, PeopleTable.id)
        .limit(max_people)
    )
    return [(table, chair) for table, chair in session.execute(wanted)]


def _of_board(board: str, commitment: str) -> tuple[ColumnElement[bool], ...]:
    is_it = PeopleTable.board.like(board) if "%" in board else PeopleTable.board == board
    return is_it, PeopleTable.commitment == commitment, PeopleTable.status == "over"
