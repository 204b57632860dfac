"""Reading what is new on a ladder."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.ratings.elo import is_provisional
from ladder.store.core_tables import BOT, CHANGE, MATCH, OWNER, RATING, SEAT, VARIANT, VERSION, connection_of
from ladder.store.result_order import last_ordinal, next_result, results_before
from ladder.values.value import time_of
from ladder.values.whats_new import BotNews, OwnBotNews, Upset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Row
    from sqlalchemy.orm import Session

MAX_RESULTS = 1000
"""Of the newest results, among which upsets are looked for."""
MIN_GAP = 50.0
"""Elo; less is no upset."""
_WHO = VERSION.join(BOT, BOT.c.id == VERSION.c.bot_id).join(OWNER, OWNER.c.id == BOT.c.owner_id)
_NAMES = BOT.c.name.label("bot"), VERSION.c.number.label("version"), OWNER.c.name.label("owner")


def bot_news(
    session: Session, limit: int, variant: str | None = None, bot: str | None = None, since: float = 0.0
) -> list[BotNews]:
    """
    Read which versions were entered, suspended, retired, or came back, the newest first.

    Args:
        session: A transaction.
        limit: Number of them to give at most.
        variant: Only in this one.
        bot: Only versions of this one.
        since: Only what happened after this Unix time.
    """
    entered = (
        select(VERSION.c.id, RATING.c.added.label("at"), RATING.c.variant, *_NAMES)
        .select_from(_WHO.join(RATING, RATING.c.version_id == VERSION.c.id))
        .where(*_only(RATING.c.variant, variant, bot), RATING.c.added > since)
        .order_by(RATING.c.added.desc(), VERSION.c.id.desc(), RATING.c.variant)
        .limit(limit)
    )
    changed = (
        select(CHANGE.c.id, CHANGE.c.at, CHANGE.c.variant, CHANGE.c.state, *_NAMES)
        .select_from(_WHO.join(CHANGE, CHANGE.c.version_id == VERSION.c.id))
        .where(*_only(CHANGE.c.variant, variant, bot), CHANGE.c.at > since)
        .order_by(CHANGE.c.id.desc())
        .limit(limit)
    )
    connection = connection_of(session)
    found = [
        *(_news(row, f"version-{row.id}-{row.variant}", "entered") for row in connection.execute(entered)),
        *(_news(row, f"state-{row.id}", row.state) for row in connection.execute(changed)),
    ]
    return sorted(found, key=lambda each: (each.at, each.key), reverse=True)[:limit]


def upsets(session: Session, since: float, limit: int, variant: str | None = None) -> list[Upset]:
    """
    Find the matches won against the greatest odds, among the newest `MAX_RESULTS` of the ladder.

    Ratings that are provisional do not count, neither the winner's nor the other's.

    Args:
        session: A transaction.
        since: Only matches that ended after this Unix time.
        limit: Number of them to give at most.
        variant: Only of this one.
    """
    last = last_ordinal(session)
    wanted = (
        select(
            MATCH.c.id, MATCH.c.variant, MATCH.c.finished, SEAT.c.place, SEAT.c.rating_before, SEAT.c.matches_before,
            SEAT.c.version_id,
        )
        .join_from(MATCH, SEAT, SEAT.c.match_id == MATCH.c.id)
        .where(MATCH.c.ordinal > last - MAX_RESULTS, MATCH.c.finished > since)
        .order_by(MATCH.c.ordinal)
    )  # fmt: skip
    if variant is not None:
        wanted = wanted.where(MATCH.c.variant == variant)
    rows = connection_of(session).execute(wanted)
    found = [each for _, seats in groupby(rows, lambda row: row.id) if (each := _gap(list(seats))) is not None]
    chosen = sorted(found, key=lambda each: -each[0])[:limit]
    versions = {row.version_id for _, *pair in chosen for row in pair}
    named = {
        row.id: row
        for row in connection_of(session).execute(
            select(VERSION.c.id, *_NAMES).select_from(_WHO).where(VERSION.c.id.in_(versions))
        )
    }
    return [
        Upset(
            match=winner.id, variant=winner.variant, at=time_of(winner.finished), gap=gap,
            winner=named[winner.version_id].bot, winner_version=named[winner.version_id].version,
            beaten=named[beaten.version_id].bot, beaten_version=named[beaten.version_id].version,
        )
        for gap, winner, beaten in chosen
    ]  # fmt: skip


def results_after(session: Session, ordinal: int) -> int:
    """Count the results of the ladder after one of them."""
    return last_ordinal(session) - ordinal


def own_news(session: Session, owner: str, ordinal: int) -> list[OwnBotNews]:
    """Read how the active versions of an owner have done after a result of the ladder, the greatest changes first."""
    wanted = (
        select(
            RATING.c.variant, RATING.c.version_id, RATING.c.rating, RATING.c.matches, VARIANT.c.shift,
            VARIANT.c.season_start, *_NAMES,
        )
        .select_from(
            _WHO.join(RATING, RATING.c.version_id == VERSION.c.id).join(VARIANT, VARIANT.c.name == RATING.c.variant)
        )
        .where(OWNER.c.name == owner, RATING.c.state == "active")
    )  # fmt: skip
    connection, found = connection_of(session), []
    for row in connection.execute(wanted).all():
        count = results_before(session, row.version_id, row.variant, row.matches, ordinal + 1, row.season_start)
        following = next_result(session, row.version_id, row.variant, count, row.season_start)
        if count and following is not None:  # of many matches, `rating_points` has only some
            found.append(
                OwnBotNews(
                    variant=row.variant, bot=row.bot, version=row.version, elo=row.rating + row.shift,
                    change=row.rating - following.rating_before, matches=row.matches - count,
                )
            )  # fmt: skip
    return sorted(found, key=lambda each: -abs(each.change))


def _only(column: ColumnElement[str], variant: str | None, bot: str | None) -> Iterator[ColumnElement[bool]]:
    if variant is not None:
        yield column == variant
    if bot is not None:
        yield BOT.c.name == bot


def _news(row: Row, key: str, state: str) -> BotNews:  # type: ignore[type-arg]
    return BotNews(
        key=key, at=time_of(row.at), variant=row.variant, bot=row.bot, version=row.version, owner=row.owner, state=state
    )


def _gap(seats: Sequence[Row]) -> tuple[float, Row, Row] | None:  # type: ignore[type-arg]
    """Compute by how much a winner was rated below the best of the others; None: that was no upset."""
    known = [row for row in seats if row.rating_before is not None and not is_provisional(row.matches_before or 0)]
    winners = [row for row in known if row.place == 1]
    others = [row for row in known if row.place != 1]
    if not winners or not others:
        return None
    winner = min(winners, key=lambda row: row.rating_before)
    beaten = max(others, key=lambda row: row.rating_before)
    gap = float(beaten.rating_before - winner.rating_before)
    return (gap, winner, beaten) if gap >= MIN_GAP else None
