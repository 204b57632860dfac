"""The order of a ladder's results: which came before a time, and which of a version's before another one; by index."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select

from ladder.store.core_tables import MATCH, SEAT, connection_of

if TYPE_CHECKING:
    from sqlalchemy import Row
    from sqlalchemy.orm import Session


def last_ordinal(session: Session) -> int:
    """Give the ordinal of the last result of the ladder; 0 without one."""
    return connection_of(session).scalar(select(func.max(MATCH.c.ordinal))) or 0


def results_until(session: Session, moment: float) -> int:
    """Give the ordinal of the last result that ended before a Unix time: a few looks into an index."""
    connection = connection_of(session)

    def finished(ordinal: int) -> float:
        return connection.scalar(select(MATCH.c.finished).where(MATCH.c.ordinal == ordinal)) or 0.0

    return bisect_left(range(1, last_ordinal(session) + 1), moment, key=finished)


def results_before(session: Session, version: int, variant: str, matches: int, before: int, after: int) -> int:
    """
    Count the results of a version in a season that are older than one: a few reads by index.

    Args:
        session: A transaction.
        version: The version's id.
        variant: The variant.
        matches: Its results in this season.
        before: The ordinal of that result; it need not be one of the version's.
        after: The ordinal of the last result before the season.
    """

    def ordinal(count: int) -> int:
        found = next_result(session, version, variant, count, after)
        return found.ordinal if found else 0

    return bisect_left(range(matches), before, key=ordinal)


def next_result(session: Session, version: int, variant: str, count: int, after: int) -> Row[Any, Any, Any] | None:
    """
    Find the result of a version in a season before which it had *count*: the `ordinal`, and the `rating_before` it.

    Args:
        session: A transaction.
        version: The version's id.
        variant: The variant.
        count: A number of results.
        after: The ordinal of the last result before the season.
    """
    found = connection_of(session).execute(_RESULTS_AFTER, {"version_": version, "count_": count}).all()
    return next((row for row in found if row.variant == variant and row.ordinal > after), None)


_RESULTS_AFTER = (
    select(MATCH.c.variant, MATCH.c.ordinal, SEAT.c.rating_before)
    .join_from(SEAT, MATCH, MATCH.c.id == SEAT.c.match_id)
    .where(SEAT.c.version_id == bindparam("version_"), SEAT.c.matches_before == bindparam("count_"))
)
"""
Of all variants and seasons, twice if a version has two seats.

If one variant is asked for, SQLite looks through all its matches.
"""
