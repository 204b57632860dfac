"""The result of a match, written in one transaction together with all that follows from it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, and_, bindparam, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ladder.standing import Outcome, Standing, outcome
from ladder.store import models
from ladder.store.benching import judged
from ladder.store.models import Status
from ladder.summary import MatchSummary, summarise
from ladder.think_times import added

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.dml import Insert, Update

    from referee.record import AnyLine


class WrongRecord(Exception):
    """The record is not that of the match; nothing has been written. The platform's failure, never a bot's."""


def record_result(session: Session, match_id: int, attempt: int, lines: Sequence[AnyLine], now: float) -> bool:
    """
    Write the result of a match, as its record tells it, and all that follows from it.

    Args:
        session: A transaction that writes; all or nothing of it is to be committed.
        match_id: Which match.
        attempt: Which attempt at it.
        lines: The lines of its record.
        now: Unix time.

    Returns:
        Whether it was written; a result comes too late if the match is not leased to this attempt any more.

    Raises:
        BadRecord: If the lines are not those of a finished match.
        WrongRecord: If they are those of another match.
    """
    return record_summary(session, match_id, attempt, summarise(lines), now)


def record_summary(session: Session, match_id: int, attempt: int, summary: MatchSummary, now: float) -> bool:
    """Do what `record_result` does with a record that has been worked through already, before the transaction."""
    session.flush()
    connection = session.connection()
    ours = {"match_": match_id, "attempt_": attempt, "now_": now, "deals_": summary.deals}
    match = connection.execute(_DONE, ours).one_or_none()
    if match is None:
        return False
    rows = connection.execute(_PLAYERS, {"match_": match_id, "variant_": match.variant}).all()
    if (match.commitment, len(rows)) != (summary.commitment, len(summary.bots)):
        raise WrongRecord(f"The record of match {match_id}, attempt {attempt}, is that of another match.")
    versions = [row.version_id for row in rows]
    before = {row.version_id: standing_of(row) for row in rows}
    new = outcome(summary, versions, before)
    _write_seats(connection, match_id, summary, versions, before, new)
    _write_faults(connection, match_id, summary, versions)
    _write_meetings(connection, match.variant, new)
    _write_think_times(connection, match.variant, summary, rows)
    _write_ratings(connection, match.variant, summary, rows, new, now)
    session.expire_all()
    return True


def standing_of(row: Any) -> Standing:
    """The part of a row of ratings that matches change."""
    return Standing(
        row.rating, row.matches, row.deals, row.points, tuple(row.places), tuple(row.seats), row.decisions, row.faults,
        row.takeovers, tuple(row.history),
    )  # fmt: skip


def _write_seats(
    connection: Connection,
    match_id: int,
    summary: MatchSummary,
    versions: Sequence[int],
    before: Mapping[int, Standing],
    new: Outcome,
) -> None:
    rows = [
        {
            "match_": match_id, "seat_": seat, "place": bot.place, "points_per_deal": bot.points_per_deal,
            "standard_error": bot.standard_error, "faults": bot.faults, "taken_over": bot.taken_over,
            "timed": bot.timed, "median_ms": bot.median_ms, "worst_ms": bot.worst_ms,
            "matches_before": before[version].matches, "rating_before": before[version].rating,
            "rating_after": new.standings[version].rating,
        }
        for seat, (bot, version) in enumerate(zip(summary.bots, versions, strict=True))
    ]  # fmt: skip
    connection.execute(_SEAT, rows)


def _write_faults(connection: Connection, match_id: int, summary: MatchSummary, versions: Sequence[int]) -> None:
    rows = [
        {
            "match_id": match_id, "seat": held.bot, "version_id": versions[held.bot], "rotation": held.table,
            "place": held.place, "decision": held.decision, "verdict": held.verdict, "why": held.why,
            "exit_code": held.exit_code, "oom": held.oom,
        }
        for held in summary.faults
    ]  # fmt: skip
    if rows:
        connection.execute(insert(_table(models.Fault)), rows)


def _write_meetings(connection: Connection, variant: str, new: Outcome) -> None:
    rows = [{"variant": variant, "n": 1, **vars(meeting)} for meeting in new.meetings]
    connection.execute(_add_meeting(connection.dialect.name), rows)


def _write_think_times(connection: Connection, variant: str, summary: MatchSummary, rows: Sequence[Row[Any]]) -> None:
    histograms = {row.version_id: row.histogram or {} for row in rows}
    for row, bot in zip(rows, summary.bots, strict=True):
        histograms[row.version_id] = added(histograms[row.version_id], bot.thinking)
    written = [{"variant": variant, "version_id": each, "histogram": told} for each, told in histograms.items()]
    connection.execute(_put_think_times(connection.dialect.name), written)


def _write_ratings(
    connection: Connection,
    variant: str,
    summary: MatchSummary,
    rows: Sequence[Row[Any]],
    new: Outcome,
    now: float,
) -> None:
    failed = {row.version_id for row, bot in zip(rows, summary.bots, strict=True) if bot.taken_over}
    entries = {row.version_id: row for row in rows}
    connection.execute(
        _RATING,
        [
            {
                "variant_": variant, "version_": version, **vars(new.standings[version]),
                **judged(connection, variant, row, version in failed, now),
            }
            for version, row in entries.items()
        ],
    )  # fmt: skip


def _table(model: type[models.Base]) -> Table:
    table = model.__table__
    assert isinstance(table, Table)
    return table


def _update(model: type[models.Base], *keys: str) -> Update:
    """Statement that sets what it is given; the row is named by the parameters of these *keys* and an underscore."""
    table = _table(model)
    names = {"match_": "match_id", "seat_": "seat", "variant_": "variant", "version_": "version_id"}
    return update(table).where(*(table.c[names[key]] == bindparam(key) for key in keys))


def _done() -> Any:
    match = _table(models.Match)
    earlier = match.alias()
    return (
        update(match)
        .where(
            match.c.id == bindparam("match_"),
            match.c.attempt == bindparam("attempt_"),
            match.c.status == Status.LEASED,
        )
        .values(
            status=Status.DONE,
            finished=bindparam("now_"),
            deals=bindparam("deals_"),
            ordinal=select(func.coalesce(func.max(earlier.c.ordinal), 0) + 1).scalar_subquery(),
            holder=None,
            lease_until=None,
            record_kept=True,
        )
        .returning(match.c.variant, match.c.commitment)
    )


def _players() -> Any:
    seat, rating, thinking = _table(models.Seat), _table(models.Rating), _table(models.ThinkTimes)
    entered = and_(rating.c.version_id == seat.c.version_id, rating.c.variant == bindparam("variant_"))
    thought = and_(thinking.c.version_id == seat.c.version_id, thinking.c.variant == bindparam("variant_"))
    return (
        select(rating, thinking.c.histogram)
        .select_from(seat.join(rating, entered).outerjoin(thinking, thought))
        .where(seat.c.match_id == bindparam("match_"))
        .order_by(seat.c.seat)
    )


def _upsert(dialect: str, model: type[models.Base]) -> Any:
    """The insert of a dialect that can say what to do where the row is there already."""
    return (postgresql if dialect == "postgresql" else sqlite).insert(_table(model))


@cache
def _add_meeting(dialect: str) -> Insert:
    table, new = _table(models.PairStats), _upsert(dialect, models.PairStats)
    sums = {name: table.c[name] + new.excluded[name] for name in ("score", "n", "a_then_b", "b_then_a")}
    statement: Insert = new.on_conflict_do_update(index_elements=["variant", "a", "b"], set_=sums)
    return statement


@cache
def _put_think_times(dialect: str) -> Insert:
    new = _upsert(dialect, models.ThinkTimes)
    statement: Insert = new.on_conflict_do_update(
        index_elements=["variant", "version_id"], set_={"histogram": new.excluded.histogram}
    )
    return statement


_DONE = _done()
_PLAYERS = _players()
_SEAT = _update(models.Seat, "match_", "seat_")
_RATING = _update(models.Rating, "variant_", "version_")
