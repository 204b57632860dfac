"""Checks that a ladder's database agrees with itself, and with the files beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import case, distinct, exists, func, literal, or_, select, text, union_all

from ladder.store.models import PairStats, Rating, Status, StoredBot, StoredMatch, StoredSeat, Variant, Version
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from ladder.results.files import MatchFiles
    from ladder.store.database import Database

BATCH = 1000
"""Matches asked for at once; a statement may have some ten thousand parameters, and a folder may be lost."""


def findings(database: Database, files: MatchFiles, batch: int = BATCH) -> Iterator[str]:
    """
    Look for what is wrong, a sentence for each; nothing is changed, and a ladder may run meanwhile.

    Args:
        database: The ladder.
        files: Its records on disk.
        batch: How many missing records are looked up at once.
    """
    with database.read() as session:
        if session.connection().dialect.name == "sqlite":
            yield from _of_sqlite(session)
        yield from _ordinals(session)
        yield from _ratings(session)
        for variant in session.scalars(select(Variant).order_by(Variant.name)).all():
            yield from _pairs(session, variant)
        missing = _without_record(session, files)
    with database.read() as session:  # those that were removed by the retention setting meanwhile are not missing
        for first in range(0, len(missing), batch):
            still = StoredMatch.id.in_(missing[first : first + batch]), StoredMatch.record_kept.is_(True)
            for match, attempt in session.execute(
                select(StoredMatch.id, StoredMatch.attempt).where(*still).order_by(StoredMatch.id)
            ):
                yield f"The record of match {match} is not there: {str(files.record(match, attempt))!r}."


def _of_sqlite(session: Session) -> Iterator[str]:
    for (message,) in session.execute(text("PRAGMA integrity_check")):
        if message != "ok":
            yield f"SQLite finds: {message}."
    for table, row, parent, _ in session.execute(text("PRAGMA foreign_key_check")):
        yield f"A row of {table} (number {row}) names a row of {parent} that is not there."


def _ordinals(session: Session) -> Iterator[str]:
    done = StoredMatch.status == Status.DONE
    rated = done & StoredMatch.event_id.is_(None)
    wanted = select(StoredMatch.id, StoredMatch.status, StoredMatch.ordinal).where(
        rated != StoredMatch.ordinal.is_not(None)
    )
    for match, status, ordinal in session.execute(wanted):
        yield f"Match {match} is {status}, and its number among the results is {ordinal}."
    results, last = session.execute(select(func.count(StoredMatch.ordinal), func.max(StoredMatch.ordinal))).one()
    if results != (last or 0):
        yield f"{counted(results, 'result is', 'results are')} there, and the last one has number {last}."
    without = select(StoredMatch.id).where(
        done, ~exists().where(StoredSeat.match_id == StoredMatch.id, StoredSeat.place.is_not(None))
    )
    for match in session.scalars(without):
        yield f"Match {match} is done, and no bot has a place in it."


def _ratings(session: Session) -> Iterator[str]:
    taken_over = case((StoredSeat.taken_over.is_(True), StoredSeat.match_id))
    played: Any = (
        select(
            StoredMatch.variant.label("variant"),
            StoredSeat.version_id.label("version_id"),
            func.count(distinct(StoredSeat.match_id)).label("matches"),
            func.count(distinct(taken_over)).label("takeovers"),
        )
        .join_from(StoredSeat, StoredMatch, StoredMatch.id == StoredSeat.match_id)
        .join(Variant, Variant.name == StoredMatch.variant)
        .where(StoredMatch.status == Status.DONE, StoredMatch.ordinal > Variant.season_start)
        .group_by(StoredMatch.variant, StoredSeat.version_id)
        .subquery()
    )
    counted = (func.coalesce(played.c.matches, 0), func.coalesce(played.c.takeovers, 0))
    wanted: Select[*tuple[Any, ...]] = (
        select(StoredBot.name, Version.number, Rating.variant, Rating.matches, counted[0], Rating.takeovers, counted[1])
        .join_from(Rating, Version, Version.id == Rating.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .outerjoin(played, (played.c.variant == Rating.variant) & (played.c.version_id == Rating.version_id))
        .where(or_(Rating.matches != counted[0], Rating.takeovers != counted[1]))
        .order_by(Rating.variant, StoredBot.name, Version.number)
    )
    for name, number, variant, matches, seats, takeovers, seen in session.execute(wanted):
        yield (
            f"{name}@{number} in {variant}: its rating counts {matches} matches and {takeovers} takeovers, "
            f"and it has had seats in {seats} and was taken over in {seen}."
        )


def _pairs(session: Session, variant: Variant) -> Iterator[str]:
    pair, opponents = PairStats.__table__, _opponents(variant).subquery()
    counted = select(pair.c.a, pair.c.b, pair.c.n.label("counted"), literal(0).label("seen"))
    seen = select(opponents.c.a, opponents.c.b, literal(0), opponents.c.n)
    both = union_all(counted.where(pair.c.variant == variant.name), seen).subquery()
    sums = func.sum(both.c.counted), func.sum(both.c.seen)
    wanted: Select[*tuple[Any, ...]] = (
        select(both.c.a, both.c.b, *sums).group_by(both.c.a, both.c.b).having(sums[0] != sums[1])
    )
    for a, b, counted, found in session.execute(wanted.order_by(both.c.a, both.c.b)).all():
        names = f"{_name(session, a)} and {_name(session, b)} in {variant.name}"
        yield f"{names}: {counted} pair results are counted, and they were opponents in {found} matches."


def _opponents(variant: Variant) -> Select[*tuple[Any, ...]]:
    """Select both versions, a having the lower id, and in how many matches they were on different sides."""
    one, other = StoredSeat.__table__.alias(), StoredSeat.__table__.alias()
    same_match = (one.c.match_id == other.c.match_id) & (one.c.version_id < other.c.version_id)
    opponents: Select[*tuple[Any, ...]] = (
        select(
            one.c.version_id.label("a"),
            other.c.version_id.label("b"),
            func.count(distinct(one.c.match_id)).label("n"),
        )
        .select_from(one.join(other, same_match).join(StoredMatch.__table__, StoredMatch.id == one.c.match_id))
        .where(StoredMatch.variant == variant.name, StoredMatch.status == Status.DONE)
        .where(StoredMatch.ordinal > variant.season_start)
        .group_by(one.c.version_id, other.c.version_id)
    )
    return opponents.where((one.c.seat + other.c.seat) % 2 == 1) if variant.rules.get("partners") else opponents


def _without_record(session: Session, files: MatchFiles) -> list[int]:
    kept = select(StoredMatch.id, StoredMatch.attempt).where(StoredMatch.record_kept.is_(True)).order_by(StoredMatch.id)
    return [match for match, attempt in session.execute(kept) if not files.record(match, attempt).is_file()]


def _name(session: Session, version: int) -> str:
    found = session.execute(
        select(StoredBot.name, Version.number)
        .join_from(Version, StoredBot, StoredBot.id == Version.bot_id)
        .where(Version.id == version)
    ).one_or_none()
    return f"{found[0]}@{found[1]}" if found else f"version {version}"
