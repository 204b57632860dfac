"""Matches of a ladder: those that wait, that are being played, that are done."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store.models import Owner, Rating, Status, StoredBot, StoredMatch, StoredSeat, Version
from ladder.values.matches import MatchRow, SeatRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session


def results(
    session: Session,
    limit: int,
    variant: str | None = None,
    versions: Iterable[int] | None = None,
    before: int | None = None,
) -> list[MatchRow]:
    """
    Read matches that are done, the newest result first.

    Args:
        session: A transaction.
        limit: Number of matches to give at most.
        variant: Only of this variant.
        versions: Only with one of these, by id.
        before: Only results older than the one with this ordinal.
    """
    wanted = select(StoredMatch).where(StoredMatch.ordinal.is_not(None)).order_by(StoredMatch.ordinal.desc())
    if before is not None:
        wanted = wanted.where(StoredMatch.ordinal < before)
    if versions is not None:
        theirs = _last_of_each(session, versions, limit, variant, before)
        wanted, versions = wanted.where(StoredMatch.id.in_(theirs)), None
    return _rows(session, _only(wanted, variant, versions).limit(limit))


def _last_of_each(
    session: Session, versions: Iterable[int], limit: int, variant: str | None, before: int | None
) -> set[int]:
    """
    Among others, the last *limit* results of each version in each variant, by index: a bot may have very many.

    Each range is asked for by itself: for several, SQLite would go through all seats.
    """
    entered = select(Rating.version_id, Rating.variant, Rating.matches).where(
        Rating.version_id.in_(versions), Rating.matches > 0
    )
    found: set[int] = set()
    for version, name, matches in session.execute(
        entered if variant is None else entered.where(Rating.variant == variant)
    ).all():
        place = StoredSeat.matches_before
        end = matches if before is None else _results_before(session, version, name, matches, before)
        last = select(StoredSeat.match_id).where(StoredSeat.version_id == version, place.between(end - limit, end - 1))
        found.update(session.scalars(last))
    return found


def _results_before(session: Session, version: int, variant: str, matches: int, before: int) -> int:
    """How many of a version's *matches* in a variant have a smaller ordinal than *before*; they are numbered so."""
    numbered = (
        select(StoredMatch.ordinal)
        .join(StoredSeat, StoredSeat.match_id == StoredMatch.id)
        .where(StoredSeat.version_id == version, StoredMatch.variant == variant)
    )

    def ordinal(place: int) -> int:
        ordinals = session.scalars(numbered.where(StoredSeat.matches_before == place))
        return ordinals.first() or 0  # a version may have two seats in a match

    return bisect_left(range(matches), before, key=ordinal)


def unfinished(
    session: Session,
    status: Status,
    limit: int,
    variant: str | None = None,
    versions: Iterable[int] | None = None,
    after: int | None = None,
) -> list[MatchRow]:
    """Read matches of a status other than done, the oldest first; the arguments are those of `results`, or an id."""
    wanted = (
        select(StoredMatch).where(StoredMatch.ordinal.is_(None), StoredMatch.status == status).order_by(StoredMatch.id)
    )
    if after is not None:
        wanted = wanted.where(StoredMatch.id > after)
    return _rows(session, _only(wanted, variant, versions).limit(limit))


def match_row(session: Session, match: StoredMatch) -> MatchRow:
    """Read one match."""
    (row,) = _rows(session, select(StoredMatch).where(StoredMatch.id == match.id))
    return row


def seat_owners(session: Session, match: int) -> dict[int, str]:
    """Whose bot has each seat of a match; nothing if there is no such match."""
    wanted = (
        select(StoredSeat.seat, Owner.name)
        .join(Version, Version.id == StoredSeat.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .join(Owner, Owner.id == StoredBot.owner_id)
        .where(StoredSeat.match_id == match)
        .order_by(StoredSeat.seat)
    )
    return {row.seat: row.name for row in session.execute(wanted)}


def _only(wanted: Select[Any], variant: str | None, versions: Iterable[int] | None) -> Select[Any]:
    if variant is not None:
        wanted = wanted.where(StoredMatch.variant == variant)
    if versions is not None:
        theirs = select(StoredSeat.match_id).where(StoredSeat.version_id.in_(versions))
        wanted = wanted.where(StoredMatch.id.in_(theirs))
    return wanted


def _rows(session: Session, wanted: Select[Any]) -> list[MatchRow]:
    found: Sequence[StoredMatch] = session.scalars(wanted).all()
    seats = _seats(session, [match.id for match in found])
    return [_row(match, tuple(seats[match.id])) for match in found]


def _row(match: StoredMatch, seats: tuple[SeatRow, ...]) -> MatchRow:
    return MatchRow(
        id=match.id,
        variant=match.variant,
        format=match.format,
        boards=match.boards,
        status=match.status,
        attempt=match.attempt,
        failures=match.failures,
        added=time_of(match.added),
        started=_time(match.started),
        finished=_time(match.finished),
        ordinal=match.ordinal,
        deals=match.deals,
        rated_by=match.rated_by,
        starting_seconds=match.starting_seconds,
        playing_seconds=match.playing_seconds,
        reason=match.reason,
        record_kept=match.record_kept,
        commitment=match.commitment,
        seed=match.seed if match.status == Status.DONE else None,
        seats=seats,
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else time_of(seconds)


def _seats(session: Session, matches: Sequence[int]) -> defaultdict[int, list[SeatRow]]:
    wanted: Select[*tuple[Any, ...]] = (
        select(
            StoredSeat.match_id,
            StoredSeat.seat,
            StoredSeat.version_id,
            StoredBot.name.label("bot"),
            Version.number.label("version"),
            StoredSeat.place,
            StoredSeat.points_per_deal,
            StoredSeat.board_points,
            StoredSeat.standard_error,
            StoredSeat.faults,
            StoredSeat.taken_over,
            StoredSeat.timed,
            StoredSeat.median_ms,
            StoredSeat.worst_ms,
            StoredSeat.matches_before,
            StoredSeat.boards_before,
            StoredSeat.rating_before,
            StoredSeat.rating_after,
        )
        .join_from(StoredSeat, Version, Version.id == StoredSeat.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .where(StoredSeat.match_id.in_(matches))
        .order_by(StoredSeat.match_id, StoredSeat.seat)
    )
    found: defaultdict[int, list[SeatRow]] = defaultdict(list)
    for row in session.execute(wanted):
        found[row.match_id].append(SeatRow.model_validate(row))
    return found
