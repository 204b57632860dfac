"""
Suspension of bots.

A bot is suspended by the rule of `ladder.pairing.suspension` after each result, or by the organiser. The bot that is
behind matches that were void though the platform worked is suspended too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, or_, select

from ladder.errors import LadderError
from ladder.pairing import suspension
from ladder.store import models
from ladder.store.commands.estimates import follow_states
from ladder.store.commands.outbox import announce_suspended, bot_of
from ladder.store.models import Rating, State, StoredBot, StoredMatch, StoredSeat, Variant, Version, VoidAttempt
from ladder.store.result_order import results_before, results_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Row
    from sqlalchemy.orm import Session

LADDER, ORGANISER, PLATFORM = "ladder", "organiser", "platform"


def judged(
    connection: Connection,
    variant: str,
    entry: Row[Any],
    failed: bool,
    never_came: bool,
    now: float,
    reporter: suspension.Reporter | None = None,
) -> dict[str, Any]:
    """
    Tell whether one more result suspends an entry; its seat and faults are written already.

    A result that comes when the entry does not play any more is rated, but not held against it.

    Args:
        connection: The transaction of the result.
        variant: Where the match was played.
        entry: Its row of ratings before the result.
        failed: Whether it was taken over in the match.
        never_came: Whether it took its seat at none of its tables.
        now: Unix time.
        reporter: The worker that has played the match; None: this machine.

    Returns:
        The columns of its row of ratings that have to do with suspension.
    """
    if entry.state != State.ACTIVE:
        return _columns(entry.state, entry.since, entry.reason, entry.suspensions, entry.recent)
    recent = suspension.after(entry.recent, failed, never_came)
    suspensions = 0 if suspension.has_mended(recent) else entry.suspensions
    count = suspension.too_many(recent)
    failures = _failed_matches(connection, variant, entry.version_id, recent) if count else []
    if count and reporter is not None and not reporter.is_alone:
        count = suspension.confirmed(recent, [worker for _, worker in failures])
    if not count:
        return _columns(entry.state, entry.since, entry.reason, suspensions, recent)
    suspensions += 1
    matches = [match for match, _ in failures[:count]][::-1]
    verdict = _commonest_verdict(connection, entry.version_id, matches)
    reason = suspension.why(recent, matches, verdict, suspension.cool_down(suspensions))
    change = {"variant": variant, "version_id": entry.version_id, "at": now, "state": State.SUSPENDED}
    connection.execute(insert(models.StateChange), [{**change, "by": LADDER, "reason": reason}])
    return _columns(State.SUSPENDED, now, reason, suspensions, "")


def _columns(state: str, since: float, reason: str, suspensions: int, recent: str) -> dict[str, Any]:
    return {"state": state, "since": since, "reason": reason, "suspensions": suspensions, "recent": recent}


def lone_reporters(session: Session, match: int) -> tuple[str, ...]:
    """
    Name the workers that report more failures of a bot in a match than all others: their word alone does not count.

    Matches of such a bot go to other workers first, which see for themselves.

    Args:
        session: A transaction.
        match: Its number; it is leased.
    """
    entry = models.Rating
    seated = (
        select(entry.variant, entry.version_id, entry.recent)
        .join(models.StoredSeat, models.StoredSeat.version_id == entry.version_id)
        .join(models.StoredMatch, models.StoredMatch.id == models.StoredSeat.match_id)
        .where(models.StoredMatch.id == match, entry.variant == models.StoredMatch.variant)
        .where(or_(entry.recent.contains(suspension.FAILED), entry.recent.contains(suspension.NEVER_CAME)))
        .distinct()
    )
    found: set[str] = set()
    for variant, version, recent in session.execute(seated).all():
        failures = _failed_matches(session.connection(), variant, version, recent)
        found |= suspension.unconfirmed([worker for _, worker in failures])
    return tuple(sorted(found))


def _failed_matches(connection: Connection, variant: str, version: int, recent: str) -> list[tuple[int, str | None]]:
    """
    List the rated matches that a version failed within its window, newest first, and the worker that has played each.

    They are in the order of the results: clocks may be set.
    """
    seat, match = models.StoredSeat, models.StoredMatch
    found = connection.execute(
        select(seat.match_id, match.worker)
        .join(match, match.id == seat.match_id)
        .where(seat.version_id == version, seat.taken_over.is_(True), match.variant == variant)
        .where(match.ordinal.is_not(None))  # those of events may be sealed, and their faults are not stored
        .group_by(seat.match_id, match.ordinal, match.worker)
        .order_by(match.ordinal.desc())
        .limit(suspension.failures(recent))
    )
    return [(number, worker) for number, worker in found]


def _commonest_verdict(connection: Connection, version: int, matches: Sequence[int]) -> str:
    fault = models.StoredFault
    found = connection.scalar(
        select(fault.verdict)
        .where(fault.version_id == version, fault.match_id.in_(matches))
        .group_by(fault.verdict)
        .order_by(func.count().desc(), fault.verdict)
        .limit(1)
    )
    return str(found)


def resume_due(session: Session, now: float) -> list[models.Rating]:
    """Let those play again whose suspension is over; whom the organiser suspended stays there."""
    due = [
        entry
        for entry in session.scalars(select(models.Rating).where(models.Rating.state == State.SUSPENDED))
        if (seconds := _cool_down(session, entry)) is not None and entry.since + seconds <= now
    ]
    for entry in due:
        set_state(session, entry, State.ACTIVE, LADDER, "Its suspension is over.", now)
    return due


def suspend_lost(session: Session, identity: str, reason: str, now: float) -> list[models.Rating]:
    """
    Suspend every active entry whose program is missing; it is tried again after a while.

    That is no fault of the bot's, and counts for nothing.
    """
    lost = session.scalars(
        select(models.Rating)
        .join(models.Version, models.Version.id == models.Rating.version_id)
        .where(models.Version.identity == identity, models.Rating.state == State.ACTIVE)
        .order_by(models.Rating.variant, models.Rating.version_id)
    ).all()
    for entry in lost:
        set_state(session, entry, State.SUSPENDED, PLATFORM, reason, now)
    return list(lost)


def suspend_entries(
    session: Session, version: models.Version, variant: str | None, reason: str, now: float
) -> list[str]:
    """
    Take a version out of the matches to come, until `resume_entries`.

    Args:
        session: A transaction that writes.
        version: Which one.
        variant: Where; None: wherever it plays.
        reason: For its owner.
        now: Unix time.

    Returns:
        The variants where it is suspended now.

    Raises:
        LadderError: If it does not play there.
    """
    entries = _entries(session, version, variant, (State.ACTIVE, State.SUSPENDED))
    for entry in entries:
        set_state(session, entry, State.SUSPENDED, ORGANISER, reason, now)
    return [entry.variant for entry in entries]


def resume_entries(session: Session, version: models.Version, variant: str | None, now: float) -> list[str]:
    """
    Let a suspended version play again, no matter who suspended it. The number of suspensions by the ladder is kept.

    Raises:
        LadderError: If it is not suspended there.
    """
    entries = _entries(session, version, variant, (State.SUSPENDED,))
    for entry in entries:
        set_state(session, entry, State.ACTIVE, ORGANISER, "The organiser lets it play again.", now)
    return [entry.variant for entry in entries]


def set_state(session: Session, entry: models.Rating, state: State, by: str, reason: str, now: float) -> None:
    """
    Change whether an entry plays, and note when, by whom and why; its window of failed matches starts empty.

    The rank intervals of the variant follow at once.

    Args:
        session: A transaction that writes.
        entry: The version in a variant.
        state: What it becomes.
        by: ``ladder``, ``owner``, ``organiser`` or ``platform``.
        reason: For its owner; of an active entry it is kept in the list of changes only.
        now: Unix time.
    """
    if state is State.SUSPENDED != entry.state:
        announce_suspended(session, bot_of(session, entry.version_id), entry.variant, reason, now)
    entry.state, entry.since, entry.recent = state, now, ""
    entry.reason = "" if state is State.ACTIVE else reason
    session.add(
        models.StateChange(
            variant=entry.variant, version_id=entry.version_id, at=now, state=state, by=by, reason=reason
        )
    )
    follow_states(session, entry.variant)


def _cool_down(session: Session, entry: models.Rating) -> float | None:
    """Give the seconds that the suspension of an entry lasts; None: until the organiser ends it."""
    change = models.StateChange
    by = session.scalar(
        select(change.by)
        .where(change.variant == entry.variant, change.version_id == entry.version_id)
        .order_by(change.id.desc())
        .limit(1)
    )
    if by == PLATFORM:
        return suspension.COOL_DOWN
    return suspension.cool_down(max(1, entry.suspensions)) if by == LADDER else None


def _entries(
    session: Session, version: models.Version, variant: str | None, states: Sequence[State]
) -> list[models.Rating]:
    """Give the entries of a version that are in one of the *states*."""
    found = [
        entry
        for entry in session.scalars(
            select(models.Rating).where(models.Rating.version_id == version.id).order_by(models.Rating.variant)
        )
        if variant in (None, entry.variant)
    ]
    fitting = [entry for entry in found if entry.state in states]
    if not fitting:
        name = f"{session.get_one(models.StoredBot, version.bot_id).name}@{version.number}"
        there = "; ".join(f"in {entry.variant} it is {entry.state}" for entry in found) or "it is not entered there"
        raise LadderError(f"{name} is not {' or '.join(states)}{f' in {variant}' if variant else ''}: {there}.")
    return fitting


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
