"""
Result of a match, written in one transaction together with all that follows from it.

The statements for it are made once. They are Core statements, which take parameters by the dozen: the ORM would spend
longer than the database. Parameters that name a row end in an underscore.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, and_, bindparam, case, delete, func, insert, select, update

from ladder.events.entrants import is_stand_in
from ladder.results.match_decisions import added
from ladder.results.standing import RATED_BY, RatingChange, VersionStanding, outcome, step_of
from ladder.store.commands.estimates import follow_states
from ladder.store.commands.event_news import announce_event
from ladder.store.commands.outbox import announce_suspended
from ladder.store.commands.suspending import judged
from ladder.store.core_tables import BOT, FAULT, MATCH, PAIR, POINT, RATING, SEAT, THINKING, VERSION
from ladder.store.database import insert_of
from ladder.store.event_models import EventTable
from ladder.store.models import NEWEST_LETTERS, State, Status, StoredEvent, StoredSeat
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row, Select, Update
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.dml import Insert, ReturningUpdate

    from ladder.pairing.suspension import Reporter
    from ladder.results.summary import BotSummary, MatchSummary

PAIR_SUMS = ("score", "n", "a_then_b", "b_then_a", "boards_played", "board_score", "ties", "points", "squares")


def _end_match() -> ReturningUpdate[Any]:
    earlier = MATCH.alias()
    ordinal = select(func.coalesce(func.max(earlier.c.ordinal), 0) + 1).scalar_subquery()
    is_ours = (
        MATCH.c.id == bindparam("match_"),
        MATCH.c.attempt == bindparam("attempt_"),
        MATCH.c.status == Status.LEASED,
    )
    of_ladder = MATCH.c.event_id.is_(None)
    ended: dict[str, Any] = {"finished": bindparam("now_"), "deals": bindparam("deals_"), "record_kept": True}
    ended |= {
        "ordinal": case((of_ladder, ordinal)),
        "rated_by": case((of_ladder, bindparam("rated_by_", type_=String))),
    }
    took: dict[str, Any] = {"starting_seconds": bindparam("starting_"), "playing_seconds": bindparam("playing_")}
    took |= {"worker": bindparam("worker_", type_=String)}
    free = {"status": Status.DONE, "holder": None, "lease_until": None}
    return (
        update(MATCH)
        .where(*is_ours)
        .values(**ended, **took, **free)
        .returning(
            MATCH.c.variant, MATCH.c.commitment, MATCH.c.ordinal, MATCH.c.started, MATCH.c.boards, MATCH.c.event_id
        )
    )


def _players() -> Select[Any]:
    entered = and_(RATING.c.version_id == SEAT.c.version_id, RATING.c.variant == bindparam("variant_"))
    thought = and_(THINKING.c.version_id == SEAT.c.version_id, THINKING.c.variant == bindparam("variant_"))
    return (
        select(RATING, THINKING.c.histogram, BOT.c.name.label("bot"))
        .select_from(
            SEAT.join(RATING, entered)
            .join(VERSION, VERSION.c.id == SEAT.c.version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .outerjoin(THINKING, thought)
        )
        .where(SEAT.c.match_id == bindparam("match_"))
        .order_by(SEAT.c.seat)
    )


END_MATCH = _end_match()
"""The fence: ends the match, if it is leased to this attempt, and gives what is known of it; else nothing."""
PLAYERS = _players()
"""For each seat of a match its row of ratings, with its think times and the name of its bot."""
SET_SEAT: Update = update(SEAT).where(SEAT.c.match_id == bindparam("match_"), SEAT.c.seat == bindparam("seat_"))
"""Sets the columns of a seat that it is given."""
SET_RATING: Update = update(RATING).where(
    RATING.c.variant == bindparam("variant_"), RATING.c.version_id == bindparam("version_")
)
"""Sets the columns of a rating that it is given."""
ADD_FAULT = insert(FAULT)
ADD_POINT = insert(POINT)
THIN_POINTS = delete(POINT).where(
    POINT.c.variant == bindparam("variant_"),
    POINT.c.version_id == bindparam("version_"),
    (POINT.c.matches - 1) % bindparam("step_") != 0,
)
"""Leaves of the points of a rating those that are shown with a larger step."""


@cache
def add_pair_result(dialect: str) -> Insert:
    """Make the statement that adds to what two versions have scored against each other, from their first match on."""
    new = insert_of(dialect, PAIR)
    changed: dict[str, Any] = {name: PAIR.c[name] + new.excluded[name] for name in PAIR_SUMS}
    changed["newest"] = func.substr(new.excluded.newest + PAIR.c.newest, 1, NEWEST_LETTERS)
    statement: Insert = new.on_conflict_do_update(index_elements=["variant", "a", "b", "boards"], set_=changed)
    return statement


@cache
def put_think_times(dialect: str) -> Insert:
    """Make the statement that puts a histogram in the place of the one before, if there is one."""
    new = insert_of(dialect, THINKING)
    key = ["variant", "version_id"]
    statement: Insert = new.on_conflict_do_update(index_elements=key, set_={"histogram": new.excluded.histogram})
    return statement


class WrongRecord(PigpenError):
    """The record is not that of the match; nothing has been written. The platform's failure, never a bot's."""


@dataclass(frozen=True)
class BotMove:
    """Place of one bot in a match, and its rating before and after."""

    name: str
    place: int
    before: float
    """Its rating, as it is stored."""
    after: float


@dataclass(frozen=True)
class Result:
    """A match that has been recorded."""

    match: int
    variant: str
    ordinal: int | None
    """None: it is of an event, and changes no rating."""
    deals: int
    seconds: float
    """From its lease to its record."""
    moves: tuple[BotMove, ...]
    """By the numbers of the bots; of an event none."""
    suspended: tuple[tuple[str, str], ...]
    """Bots that were suspended after it, each with the reason."""


def record_summary(
    session: Session,
    match_id: int,
    attempt: int,
    summary: MatchSummary,
    now: float,
    starting_seconds: float | None = None,
    playing_seconds: float | None = None,
    reporter: Reporter | None = None,
    record_hash: str | None = None,
) -> Result | None:
    """
    Write the result of a match, as its record tells it, and all that follows from it.

    Args:
        session: A transaction that writes; all or nothing of it is to be committed.
        match_id: Which match.
        attempt: Which attempt at it.
        summary: What its record tells, worked out before the transaction.
        now: Unix time.
        starting_seconds: How long its bots took to start and to be cleared away, as its worker has measured it.
        playing_seconds: How long its deals took, as its worker has measured it.
        reporter: The worker on another machine that has played it; None: this machine.
        record_hash: SHA-256 of the record's file, in hex, which the chain of an event binds.

    Returns:
        What was written; None if it came too late, because the match is not leased to this attempt any more.

    Raises:
        WrongRecord: If the summary is that of another match.
    """
    session.flush()
    connection = session.connection()
    match = connection.execute(
        END_MATCH,
        {
            "match_": match_id, "attempt_": attempt, "now_": now, "deals_": summary.deals,
            "rated_by_": RATED_BY, "starting_": starting_seconds, "playing_": playing_seconds,
            "worker_": reporter and reporter.name,
        },
    ).one_or_none()  # fmt: skip
    if match is None:
        return None
    if match.event_id is not None:
        return _record_of_event(session, match_id, match, summary, now, record_hash)
    rows = connection.execute(PLAYERS, {"match_": match_id, "variant_": match.variant}).all()
    if (match.commitment, len(rows)) != (summary.commitment, len(summary.bots)):
        raise WrongRecord(f"The record of match {match_id}, attempt {attempt}, is that of another match.")
    versions = [row.version_id for row in rows]
    before = {row.version_id: standing_of(row) for row in rows}
    new = outcome(summary, versions, before, match.boards, RATED_BY)
    _write_seats(connection, match_id, summary, versions, before, new)
    _write_faults(connection, match_id, summary, versions)
    _write_pair_results(connection, match, new)
    _write_think_times(connection, match.variant, summary, rows)
    _write_rating_points(connection, match_id, match, new, now)
    suspended = _write_ratings(connection, match.variant, summary, rows, new, now, reporter)
    if suspended:
        follow_states(session, match.variant)
    for bot, reason in suspended:
        announce_suspended(session, bot, match.variant, reason, now)
    session.expire_all()
    return Result(
        match=match_id,
        variant=match.variant,
        ordinal=match.ordinal,
        deals=summary.deals,
        seconds=now - match.started,
        moves=tuple(
            BotMove(row.bot, bot.place, before[row.version_id].rating, new.standings[row.version_id].rating)
            for row, bot in zip(rows, summary.bots, strict=True)
        ),
        suspended=suspended,
    )


def _record_of_event(
    session: Session, match_id: int, match: Row[Any], summary: MatchSummary, now: float, record_hash: str | None
) -> Result:
    """Write the result of a match that moves no rating: into its seats, and to its table."""
    seats = session.scalar(select(func.count()).where(StoredSeat.match_id == match_id))
    if (match.commitment, seats) != (summary.commitment, len(summary.bots)):
        raise WrongRecord(f"The record of match {match_id} is that of another match.")
    rows = [{"match_": match_id, "seat_": seat, **_own(bot)} for seat, bot in enumerate(summary.bots)]
    session.connection().execute(SET_SEAT, rows)
    table = session.scalars(select(EventTable).where(EventTable.match_id == match_id)).one()
    table.boards = [list(points) for points in summary.totals]
    table.deals, table.record = summary.deals, record_hash
    table.taken_over = [one for one in summary.taken_over(table.entrants) if not is_stand_in(one)]
    session.flush()
    session.expire_all()
    announce_event(session, session.get_one(StoredEvent, match.event_id), now)
    return Result(match_id, match.variant, None, summary.deals, now - match.started, (), ())


def _own(bot: BotSummary) -> dict[str, Any]:
    """Give what a seat has whether or not its match is rated."""
    return {
        "place": bot.place, "points_per_deal": bot.points_per_deal, "board_points": list(bot.board_points),
        "standard_error": bot.standard_error, "faults": bot.faults, "taken_over": bot.taken_over,
        "timed": bot.timed, "median_ms": bot.median_ms, "worst_ms": bot.worst_ms,
    }  # fmt: skip


def standing_of(row: Any) -> VersionStanding:
    """Give the part of a row of ratings that matches change."""
    return VersionStanding(
        row.rating, row.matches, row.boards, row.deals, row.points, tuple(row.places), tuple(row.seats), row.decisions,
        row.faults, row.takeovers, tuple(row.history),
    )  # fmt: skip


def _write_seats(
    connection: Connection,
    match_id: int,
    summary: MatchSummary,
    versions: Sequence[int],
    before: Mapping[int, VersionStanding],
    new: RatingChange,
) -> None:
    rows = [
        {
            "match_": match_id, "seat_": seat, **_own(bot),
            "matches_before": before[version].matches, "boards_before": before[version].boards,
            "rating_before": before[version].rating, "rating_after": new.standings[version].rating,
        }
        for seat, (bot, version) in enumerate(zip(summary.bots, versions, strict=True))
    ]  # fmt: skip
    connection.execute(SET_SEAT, rows)


def _write_faults(connection: Connection, match_id: int, summary: MatchSummary, versions: Sequence[int]) -> None:
    rows = [
        {
            "match_id": match_id, "seat": report.seat, "version_id": versions[report.seat], "rotation": report.rotation,
            "place": report.place, "decision": report.decision, "verdict": report.verdict, "why": report.why,
            "exit_code": report.exit_code, "oom": report.oom,
        }
        for report in summary.faults
    ]  # fmt: skip
    if rows:
        connection.execute(ADD_FAULT, rows)


def _write_pair_results(connection: Connection, match: Row[Any], new: RatingChange) -> None:
    of_match = {"variant": match.variant, "boards": match.boards, "n": 1, "newest": f"{match.ordinal},"}
    rows = [{**of_match, **vars(result)} for result in new.pair_results]
    connection.execute(add_pair_result(connection.dialect.name), rows)


def _write_think_times(connection: Connection, variant: str, summary: MatchSummary, rows: Sequence[Row[Any]]) -> None:
    histograms = {row.version_id: row.histogram or {} for row in rows}
    for row, bot in zip(rows, summary.bots, strict=True):
        histograms[row.version_id] = added(histograms[row.version_id], bot.thinking)
    written = [
        {"variant": variant, "version_id": each, "histogram": histogram} for each, histogram in histograms.items()
    ]
    connection.execute(put_think_times(connection.dialect.name), written)


def _write_rating_points(connection: Connection, match_id: int, match: Row[Any], new: RatingChange, now: float) -> None:
    """Write the points that a chart of the ratings shows; those that are too many by now are removed."""
    points = []
    for version, standing in new.standings.items():
        step = step_of([standing.matches])
        if (standing.matches - 1) % step == 0:
            points.append({
                "variant": match.variant, "version_id": version, "matches": standing.matches, "match_id": match_id,
                "ordinal": match.ordinal, "finished": now, "rating": standing.rating,
            })  # fmt: skip
        if step > step_of([standing.matches - 1]):
            thinned = {"variant_": match.variant, "version_": version, "step_": step}
            connection.execute(THIN_POINTS, thinned)
    if points:
        connection.execute(ADD_POINT, points)


def _write_ratings(
    connection: Connection,
    variant: str,
    summary: MatchSummary,
    rows: Sequence[Row[Any]],
    new: RatingChange,
    now: float,
    reporter: Reporter | None,
) -> tuple[tuple[str, str], ...]:
    """Write the ratings, and which bots are suspended by the rule; give those, with the reasons."""
    failed = {row.version_id for row, bot in zip(rows, summary.bots, strict=True) if bot.taken_over}
    absent = {row.version_id for row, bot in zip(rows, summary.bots, strict=True) if bot.never_came}
    entries = {row.version_id: row for row in rows}
    judgements = {
        version: judged(connection, variant, row, version in failed, version in absent, now, reporter)
        for version, row in entries.items()
    }
    connection.execute(
        SET_RATING,
        [
            {"variant_": variant, "version_": version, **vars(new.standings[version]), **judgement}
            for version, judgement in judgements.items()
        ],
    )
    return tuple(
        (entries[version].bot, judgement["reason"])
        for version, judgement in judgements.items()
        if judgement["state"] == State.SUSPENDED != entries[version].state
    )
