"""Matches that were void though the platform worked: the bot that is behind them is suspended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.pairing import suspension
from ladder.store.commands.suspending import LADDER, set_state
from ladder.store.models import Rating, State, StoredBot, StoredMatch, StoredSeat, Variant, Version, VoidAttempt
from ladder.store.result_order import results_before, results_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class _Void:
    """An attempt that was void."""

    match: int
    at: float
    loser: int | None
    """Version whose container was lost; None: it was void for another reason."""
    table: set[int]
    """The versions that played."""


@dataclass(frozen=True)
class _Part:
    """The part of a bot in the void attempts of this season since it last resumed play."""

    matches: list[int]
    """The matches of those that it is in, one for each attempt."""
    of: int
    """Number of all void attempts in that time, those without it included."""
    share: float
    """Its part of what was played meanwhile."""


def suspend_for_voids(session: Session, match: int, broke: int | None, now: float) -> list[tuple[str, str, str]]:
    """
    Note that a match was void though the platform worked, and suspend the bot that is behind such matches, if one is.

    Where it is known whose container was lost, only that bot may be. Else it is the one that was at more of the tables
    than every other, if matches without it are played.

    Args:
        session: A transaction that writes.
        match: The match's number.
        broke: The number of the bot whose container was lost; None: it was void for another reason.
        now: Unix time.

    Returns:
        The name of the bot that is suspended, where, and why; else nothing. Matches of events suspend none.
    """
    found = session.get(StoredMatch, match)
    if found is None or found.event_id is not None:  # its season is over, or it plays its event to the end
        return []
    seats = select(StoredSeat.version_id).where(StoredSeat.match_id == match).order_by(StoredSeat.seat)
    versions = list(session.scalars(seats))
    variant = found.variant
    loser = None if broke is None else versions[broke]
    session.add(VoidAttempt(match_id=match, variant=variant, at=now, version_id=loser))
    session.flush()
    entries = [session.get_one(Rating, (variant, each)) for each in ({*versions} if loser is None else [loser])]
    voids = _last_voids(session, variant, loser is not None)
    season = session.get_one(Variant, variant)
    parts = {
        entry.version_id: (entry, _part(session, entry, season, voids, loser, len({*versions})))
        for entry in entries
        if entry.state == State.ACTIVE
    }
    if not parts:
        return []
    most = max(len(part.matches) for _, part in parts.values())
    leading = [each for each in parts.values() if len(each[1].matches) == most]
    entry, part = leading[0]
    if len(leading) > 1 or not suspension.is_behind(most, part.of, part.share):
        return []
    entry.suspensions += 1
    seconds = suspension.cool_down(entry.suspensions)
    reason = suspension.why_voids(part.matches, part.of, seconds, lost=loser is not None)
    set_state(session, entry, State.SUSPENDED, LADDER, reason, now)
    bot = session.get_one(StoredBot, session.get_one(Version, entry.version_id).bot_id)
    return [(bot.name, variant, reason)]


def _last_voids(session: Session, variant: str, lost: bool) -> list[_Void]:
    """List the last void attempts, oldest first: those where a container was *lost*, or the others."""
    kind = VoidAttempt.version_id.is_not(None) if lost else VoidAttempt.version_id.is_(None)
    last = select(VoidAttempt.id).where(VoidAttempt.variant == variant, kind)
    last = last.order_by(VoidAttempt.at.desc(), VoidAttempt.id.desc()).limit(suspension.VOIDS)
    seated = select(VoidAttempt, StoredSeat.version_id).join(StoredSeat, StoredSeat.match_id == VoidAttempt.match_id)
    found: dict[int, _Void] = {}
    for each, version in session.execute(seated.where(VoidAttempt.id.in_(last)).order_by(VoidAttempt.id)):
        found.setdefault(each.id, _Void(each.match_id, each.at, each.version_id, set())).table.add(version)
    return list(found.values())


def _part(
    session: Session, entry: Rating, season: Variant, voids: Sequence[_Void], loser: int | None, bots: int
) -> _Part:
    """
    Count its containers that were lost, if *loser* is one; else the tables at which it was.

    At each table are *bots* bots. Chance takes one of them if a container was lost, else the whole table.
    """
    voids = [each for each in voids if each.at > max(entry.since, season.season_began or 0.0)]
    if loser is None:
        own = [each.match for each in voids if entry.version_id in each.table]
    else:
        own = [each.match for each in voids if each.loser == loser]
    mine, tables = _played(session, entry, season.season_start, min((each.at for each in voids), default=0.0))
    mine += sum(entry.version_id in each.table for each in voids)
    everything = (tables + len(voids)) * (1 if loser is None else bots)
    return _Part(own, len(voids), mine / max(1, everything))


def _played(session: Session, entry: Rating, season_start: int, since: float) -> tuple[int, int]:
    """Count the season's results since a Unix time, of a bot and of all: by index, for other writers wait."""
    last = max(season_start, results_until(session, since))
    before = results_before(session, entry.version_id, entry.variant, entry.matches, last + 1, season_start)
    later = StoredMatch.variant == entry.variant, StoredMatch.ordinal > last
    return entry.matches - before, session.execute(select(func.count()).where(*later)).scalar_one()
