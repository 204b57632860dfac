"""Record files that the ladder counts on, and those that it gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from ladder.store.models import Status, StoredMatch

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.results.files import FoundFile, MatchFiles
    from ladder.store.database import Database


def remove_orphans(database: Database, files: MatchFiles) -> int:
    """
    Remove the files that belong to no match: what a killed runner had written and not yet recorded, for example.

    What may just be written by a runner that lives is left alone.

    Returns:
        How many there were.
    """
    removed = 0
    for numbers, found in files.folders():
        with database.read() as session:
            attempts = _attempts(session, numbers)
        for file in found:
            if not _belongs(file, attempts.get(file.match)):
                file.path.unlink(missing_ok=True)
                removed += 1
    return removed


def give_up_records(session: Session, keep: int, only: int | None = None) -> list[tuple[int, int]]:
    """
    Note that records are not kept any more, but the newest ones.

    Args:
        session: A transaction that writes; the files may go once it is committed.
        keep: How many records of matches are kept; 0: all.
        only: Number of results before these to look at; None: all.

    Returns:
        StoredMatch and attempt of each.
    """
    newest = session.execute(select(func.max(StoredMatch.ordinal))).scalar_one()
    if not keep or newest is None:
        return []
    last = newest - keep
    first = 0 if only is None else last - only
    old = (StoredMatch.ordinal > first, StoredMatch.ordinal <= last, StoredMatch.record_kept.is_(True))
    given_up = session.execute(select(StoredMatch.id, StoredMatch.attempt).where(*old)).all()
    if given_up:
        session.execute(update(StoredMatch).where(*old).values(record_kept=False))
    return [(match, attempt) for match, attempt in given_up]


def _attempts(session: Session, numbers: range) -> dict[int, tuple[str, int, bool]]:
    rows = session.execute(
        select(StoredMatch.id, StoredMatch.status, StoredMatch.attempt, StoredMatch.record_kept).where(
            StoredMatch.id >= numbers.start, StoredMatch.id < numbers.stop
        )
    )
    return {match: (status, attempt, kept) for match, status, attempt, kept in rows}


def _belongs(file: FoundFile, match: tuple[str, int, bool] | None) -> bool:
    if match is None or match[1] != file.attempt:
        return False
    status, _, kept = match
    return status == Status.LEASED or (status == Status.DONE and kept and not file.is_partial)
