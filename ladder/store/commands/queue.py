"""
The table of matches as a queue: who plays which attempt at what, and what becomes of attempts that fail.

A match is leased to one holder for one attempt. The number of the attempt is the fence: whatever is said of another
attempt comes too late and changes nothing. Each function wants a transaction that writes, unless it says otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select, text, tuple_, update

from ladder.store.models import Owner, Rating, State, Status, StoredBot, StoredMatch, StoredSeat, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Row, Select, TextClause
    from sqlalchemy.orm import Session

GRACE = 60.0
"""Seconds between the end of a match's time and that of its lease: to clear away, and to come back."""
MOST_FAILURES = 3
"""A match in which the platform has failed so often is not tried again."""
MOST_ATTEMPTS = 10
"""Nor is one that was leased so often and never came back: it may be what ends its workers."""

MANY = 16
"""Where so many matches are to wait for their turn, they are scheduled many at a time."""

# Written out, not as parameters: SQLite uses an index with a condition only where it sees that condition.
_QUEUED = text(f"matches.status = '{Status.QUEUED}'")
_LEASED = text(f"matches.status = '{Status.LEASED}'")


@dataclass(frozen=True)
class MachineLoad:
    """A machine that plays matches, where owners must be kept apart from one another."""

    name: str
    free: int
    """Matches that may begin there now."""
    matches: Collection[int] | None
    """Numbers of those that are played there; None: all that are leased, for nobody knows of another machine."""


@dataclass(frozen=True)
class Lease:
    """One attempt at a match, until a certain time."""

    match: int
    attempt: int
    until: float
    """Unix time."""
    machine: str = ""
    """Where it must be played; empty: anywhere."""


def claim(
    session: Session,
    holder: str,
    now: float,
    seconds: Callable[[int], float],
    count: int,
    variants: Collection[str] | None = None,
    machines: Sequence[MachineLoad] | None = None,
    not_now: Collection[str] = (),
) -> list[Lease]:
    """
    Lease the oldest matches that wait.

    Args:
        session: A transaction that writes.
        holder: Who takes them (`owners.this_process`).
        now: Unix time.
        seconds: How long a match may take, by its number.
        count: How many matches at most.
        variants: Only of these; None: of any.
        machines: Lease a match only for one of these machines where no owner of a bot in it has a bot in a match, and
            that has room for it. Two containers of one owner that live at the same time on one kernel can tell each
            other what they see (docs/security.md). None: owners need not be apart.
        not_now: With that, also a match with a bot of one of these owners.
    """
    waiting = select(StoredMatch.id, StoredMatch.attempt).where(_QUEUED, *_of(variants)).order_by(StoredMatch.id)
    found = session.execute(waiting.limit(count) if machines is None else waiting)
    rows = [(match, attempt) for match, attempt in found]
    chosen = [(*row, "") for row in rows] if machines is None else _apart(session, rows, machines, not_now, count)
    leases = [Lease(match, attempt + 1, now + seconds(match) + GRACE, machine) for match, attempt, machine in chosen]
    for lease in leases:
        session.execute(
            update(StoredMatch)
            .where(StoredMatch.id == lease.match)
            .values(status=Status.LEASED, attempt=lease.attempt, lease_until=lease.until, holder=holder, started=now)
        )
    return leases


def playing_owners(session: Session) -> set[str]:
    """The names of those whose bots play now; a transaction that reads will do."""
    playing = set().union(*_owners(session, _LEASED).values())
    return set(session.scalars(select(Owner.name).where(Owner.id.in_(playing)))) if playing else set()


def _apart(
    session: Session,
    waiting: Iterable[tuple[int, int]],
    machines: Sequence[MachineLoad],
    not_now: Collection[str],
    count: int,
) -> list[tuple[int, int, str]]:
    """
    Choose of the *waiting* matches, the oldest first, and a machine for each.

    On each machine they share no owner with one another, or with a match that is played there; nor with *not_now*.
    """
    playing, owners = _owners(session, _LEASED), _owners(session, _QUEUED)
    barred = set(session.scalars(select(Owner.id).where(Owner.name.in_(list(not_now))))) if not_now else set()
    rooms = [_Room.of(machine, playing) for machine in machines if machine.free > 0]
    rooms.sort(key=lambda room: -room.free)
    chosen: list[tuple[int, int, str]] = []
    for match, attempt in waiting:
        if len(chosen) >= count or not rooms:
            break
        theirs = owners[match]
        if barred.isdisjoint(theirs) and (room := next((each for each in rooms if each.busy.isdisjoint(theirs)), None)):
            chosen.append((match, attempt, room.name))
            room.busy |= theirs
            room.free -= 1
            rooms.remove(room)
            if room.free:
                rooms.append(room)  # the others come first: so all get about as much
    return chosen


@dataclass(eq=False)
class _Room:
    """What may begin on one machine."""

    name: str
    free: int
    busy: set[int]
    """The owners of bots that play there."""

    @classmethod
    def of(cls, machine: MachineLoad, playing: Mapping[int, set[int]]) -> _Room:
        matches = playing if machine.matches is None else machine.matches
        return cls(machine.name, machine.free, set().union(*(playing.get(match, set()) for match in matches)))


def pending_owners(session: Session) -> list[set[int]]:
    """Whose bots sit in each match that is played now, or waits, the oldest first; a transaction that reads will do."""
    found = _owners(session, _LEASED) | _owners(session, _QUEUED)
    return [found[match] for match in sorted(found)]


def _owners(session: Session, status: TextClause) -> dict[int, set[int]]:
    """By match: the owners of the bots in it."""
    seated = select(StoredSeat.match_id, StoredBot.owner_id).join(Version, Version.id == StoredSeat.version_id)
    seated = seated.join(StoredBot, StoredBot.id == Version.bot_id)
    seated = seated.join(StoredMatch, StoredMatch.id == StoredSeat.match_id).where(status)
    owners: dict[int, set[int]] = defaultdict(set)
    for match, owner in session.execute(seated):
        owners[match].add(owner)
    return owners


def count_waiting(session: Session, variants: Collection[str] | None = None) -> int:
    """How many matches nobody has leased yet; a transaction that reads will do."""
    return session.execute(select(func.count(StoredMatch.id)).where(_QUEUED, *_of(variants))).scalar_one()


def fail(session: Session, match: int, attempt: int, reason: str, for_good: bool = False) -> Status | None:
    """
    Put a match back in which the platform failed, or set it aside if that has happened too often.

    Args:
        session: A transaction that writes.
        match: Its number.
        attempt: The attempt that failed.
        reason: What went wrong, in a sentence.
        for_good: It would go wrong again.

    Returns:
        What became of it; None if the lease had passed to somebody else already.
    """
    found = session.execute(select(StoredMatch.failures).where(*_held(match, attempt))).scalar_one_or_none()
    if found is None:
        return None
    status = Status.QUARANTINED if for_good or found + 1 >= MOST_FAILURES else _next(attempt)
    _release(session, match, status, reason=reason, failures=found + 1)
    return status


def give_back(session: Session, match: int, attempt: int, reason: str = "") -> None:
    """
    Put a match back that has not failed.

    Args:
        session: A transaction that writes.
        match: Its number.
        attempt: The attempt that ends.
        reason: Why it ends, in a sentence; a match that has ended so very often is set aside. Empty: its run ends.
    """
    if session.execute(select(StoredMatch.id).where(*_held(match, attempt))).scalar_one_or_none() is None:
        return
    if reason:
        _release(session, match, _next(attempt), reason=reason)
    else:
        _release(session, match, Status.QUEUED)


def requeue_expired(
    session: Session,
    now: float,
    kept: Collection[tuple[int, int]] = frozenset(),
    living: Collection[str] = frozenset(),
) -> dict[int, Status]:
    """
    Put back, or set aside, every match whose lease has run out: by its number, what became of it.

    Args:
        session: A transaction that writes.
        now: Unix time.
        kept: Matches and attempts that stay leased: their holder says that they go on, whatever a clock says that
            somebody has set.
        living: Holders that see to their leases themselves: coordinators whose clocks may be others.
    """
    expired = session.execute(_leases().where(StoredMatch.lease_until < now)).all()
    return _requeue(session, [each for each in expired if (each[0], each[1]) not in kept and each[2] not in living])


def requeue_unknown(session: Session, holder: str, known: Collection[tuple[int, int]]) -> dict[int, Status]:
    """Put back what *holder* has leased and knows nothing of: the answer to its transaction was lost."""
    leases = session.execute(_leases().where(StoredMatch.holder == holder)).all()
    return _requeue(session, [each for each in leases if (each[0], each[1]) not in known])


def is_holding(session: Session, holder: str) -> bool:
    """Whether *holder* has leased any match; a transaction that reads will do."""
    return session.execute(_leases().where(StoredMatch.holder == holder).limit(1)).first() is not None


def requeue_dead(session: Session, is_dead: Callable[[str], bool]) -> dict[int, Status]:
    """Do the same for every match that was leased to somebody who has ended, as *is_dead* says of a holder."""
    leases = session.execute(_leases()).all()
    dead = {holder for holder in {holder for *_, holder in leases} if holder is None or is_dead(holder)}
    return _requeue(session, [lease for lease in leases if lease[2] in dead])


def requeue(session: Session, match: int) -> bool:
    """
    Put a match back that was set aside, as if the platform had never failed in it.

    One that had been leased very often gets one attempt more: the number of the attempt is the fence, and stays.

    Returns:
        Whether it was set aside; else nothing has changed.
    """
    done = session.execute(
        update(StoredMatch)
        .where(StoredMatch.id == match, StoredMatch.status == Status.QUARANTINED)
        .values(status=Status.QUEUED, failures=0, lease_until=None, holder=None)
        .returning(StoredMatch.id)
    )
    return done.scalar_one_or_none() is not None


def are_enough(session: Session, count: int, ahead: int, variants: Collection[str] | None = None) -> bool:
    """
    Whether so many matches wait that none need to be scheduled, and the first of them can be played.

    To schedule one costs as much as to schedule many, so where many are to wait, that is done when half are gone.

    Args:
        session: A transaction that writes.
        count: How many are to be leased now.
        ahead: How many more are to wait for their turn.
        variants: Only of these; None: of any.
    """
    if ahead < MANY or count_waiting(session, variants) < count + ahead // 2:
        return False
    return not withdraw(session, count, variants)


def withdraw(session: Session, first: int | None = None, variants: Collection[str] | None = None) -> list[int]:
    """
    Take matches out that nobody has begun, with a version that does not play any more.

    Args:
        session: A transaction that writes.
        first: Look only at so many, those whose turn comes first; None: at all.
        variants: With that, the first ones of these; None: of any.

    Returns:
        Their numbers.
    """
    # Looked up in a list that is made once, and not in the table, whose rows are long.
    resting = select(Rating.variant, Rating.version_id).where(Rating.state != State.ACTIVE)
    rests = tuple_(StoredMatch.variant, StoredSeat.version_id).in_(resting)
    idle = exists().where(StoredSeat.match_id == StoredMatch.id, rests)
    unplayed = select(StoredMatch.id).where(_QUEUED, StoredMatch.attempt == 0, idle)
    if first is not None:
        next_ones = select(StoredMatch.id).where(_QUEUED, *_of(variants)).order_by(StoredMatch.id).limit(first)
        unplayed = unplayed.where(StoredMatch.id.in_(list(session.scalars(next_ones))))
    matches = list(session.scalars(unplayed))
    if matches:
        session.execute(delete(StoredSeat).where(StoredSeat.match_id.in_(matches)))
        session.execute(delete(StoredMatch).where(StoredMatch.id.in_(matches)))
    return matches


def was_recorded(session: Session, match: int, attempt: int) -> bool:
    """Whether this attempt's result is the one that counts; a transaction that reads will do."""
    done = select(StoredMatch.id).where(
        StoredMatch.id == match, StoredMatch.attempt == attempt, StoredMatch.status == Status.DONE
    )
    return session.execute(done).scalar_one_or_none() is not None


def _requeue(session: Session, leases: Sequence[Row[int, int, str | None]]) -> dict[int, Status]:
    became = {match: _next(attempt) for match, attempt, _ in leases}
    for match, status in became.items():
        _release(session, match, status, reason="The worker that played it did not come back.")
    return became


def _next(attempt: int) -> Status:
    return Status.QUARANTINED if attempt >= MOST_ATTEMPTS else Status.QUEUED


def _release(session: Session, match: int, status: Status, **more: str | int) -> None:
    session.execute(
        update(StoredMatch).where(StoredMatch.id == match).values(status=status, lease_until=None, holder=None, **more)
    )


def _leases() -> Select[int, int, str | None]:
    return select(StoredMatch.id, StoredMatch.attempt, StoredMatch.holder).where(_LEASED).order_by(StoredMatch.id)


def _held(match: int, attempt: int) -> tuple[ColumnElement[bool], ...]:
    return StoredMatch.id == match, StoredMatch.attempt == attempt, StoredMatch.status == Status.LEASED


def _of(variants: Collection[str] | None) -> tuple[ColumnElement[bool], ...]:
    return () if variants is None else (StoredMatch.variant.in_(variants),)
