"""
Queue of matches in the table of matches (`ladder.store.leases`): which are leased next, and on which machine.

Matches that are withdrawn without a result are removed, and their numbers are not used again. A match of the ladder has
a time limit after which it is void: as long as the bots' clocks allow, and no less.

Each function on the queue needs a transaction that writes, unless it says otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, exists, func, insert, select, text, tuple_, update

from ladder.pairing.match_length import LENGTHS
from ladder.store.leases import GRACE, Lease, LeaseQueue
from ladder.store.models import (
    LADDER_PRIORITY,
    Owner,
    Rating,
    State,
    Status,
    StoredBot,
    StoredEvent,
    StoredMatch,
    StoredSeat,
    Variant,
    Version,
    VoidAttempt,
)
from pigpen import ClockSetting
from pigpen.rules.shuffle import commitment
from referee.match.formats import Format, longest_match
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, TextClause
    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings


def remove_matches(session: Session, matches: Sequence[int]) -> None:
    """Remove matches that have no result, by number; what a runner still returns of them comes too late."""
    if not matches:
        return
    session.execute(delete(VoidAttempt).where(VoidAttempt.match_id.in_(matches)))
    session.execute(delete(StoredSeat).where(StoredSeat.match_id.in_(matches)))
    session.execute(delete(StoredMatch).where(StoredMatch.id.in_(matches)))


def seconds_of(session: Session, match: int, settings: Settings) -> float:
    """Say how many seconds match number *match* may take; clock and format are those it was scheduled with."""
    found = session.get_one(StoredMatch, match)
    rules = rules_from(session.get_one(Variant, found.variant).rules)
    longest = longest_match(rules, Format.parse(found.format), ClockSetting(**found.clock))
    return max(settings.match_seconds, longest)


def why_too_short(session: Session, settings: Settings, variants: Collection[str] | None = None) -> str | None:
    """
    Say why the setting `match_seconds` is too small: bots could use it up without a fault.

    Args:
        session: A transaction.
        settings: The ladder's settings.
        variants: The variants to look at; None: all.

    Returns:
        A sentence that ends with the way out; None if there is no reason.
    """
    most = LENGTHS[-1] if settings.boards == "auto" else settings.boards
    form, clock = Format(boards=most), settings.clock_setting
    for variant in session.scalars(select(Variant).order_by(Variant.name)):
        needed = longest_match(rules_from(variant.rules), form, clock)
        if (variants is None or variant.name in variants) and 0 < settings.match_seconds < needed:
            return (
                f"match_seconds is {settings.match_seconds:g}, but a match of {variant.name} ({form}, clock "
                f"{settings.clock}, limit {settings.limit:g}) can take {needed:.0f} s if every bot uses all its time. "
                "Set match_seconds to 0, which stands for that, or to more; or set fewer boards, less clock or limit."
            )
    return None


REFILL_FROM = 16
"""Number of waiting matches from which matches are scheduled many at a time."""

# Written out, not as parameters: SQLite uses an index with a condition only where it sees that condition.
_QUEUED = text(f"matches.status = '{Status.QUEUED}'")
_LEASED = text(f"matches.status = '{Status.LEASED}'")
_TURN = StoredMatch.priority, StoredMatch.id
"""The order in which matches are leased."""

MATCHES = LeaseQueue(
    StoredMatch,
    ready=Status.QUEUED,
    leased=Status.LEASED,
    given_up=Status.QUARANTINED,
    ready_rows=_QUEUED.text,
    leased_rows=_LEASED.text,
    turn=_TURN,
    lost_reason="The worker that played it did not come back.",
)


@dataclass(frozen=True)
class MachineLoad:
    """A machine that plays matches, where owners must be kept apart from one another."""

    name: str
    free: int
    """Matches that may begin there now."""
    matches: Collection[int] | None
    """Numbers of those that are played there; None: all that are leased, because another machine's are unknown."""


@dataclass(frozen=True)
class MatchLease(Lease):
    """One attempt at a match."""

    machine: str = ""
    """Machine on which it must be played; empty: anywhere."""


def add_match(
    session: Session,
    variant: str,
    versions: Sequence[int],
    form: Format,
    clock: dict[str, Any],
    seed: bytes,
    now: float,
    *,
    event: int | None = None,
    priority: int = LADDER_PRIORITY,
    sealed: bool = False,
    number: int | None = None,
) -> int:
    """
    Put a match into the queue.

    Args:
        session: A transaction that writes.
        variant: Its name.
        versions: Who plays, by number of the bot.
        form: The format.
        clock: `pigpen.ClockSetting`, field for field.
        seed: 32 bytes.
        now: Unix time.
        event: The event that it belongs to, if it does.
        priority: Matches of a lower number are leased first.
        sealed: Whether the public may not know of it.
        number: One that was reserved for it (`bulk.reserve_ids`); None: the next one.

    Returns:
        Its number.
    """
    match = StoredMatch(
        id=number, variant=variant, format=str(form), boards=form.boards or 1, clock=clock, seed=seed.hex(),
        commitment=commitment(seed), status=Status.QUEUED, added=now, event_id=event, priority=priority, sealed=sealed,
    )  # fmt: skip
    session.add(match)
    session.flush()
    rows = [{"match_id": match.id, "seat": seat, "version_id": version} for seat, version in enumerate(versions)]
    session.execute(insert(StoredSeat), rows)
    return match.id


def claim(
    session: Session,
    holder: str,
    now: float,
    seconds: Callable[[int], float],
    count: int,
    variants: Collection[str] | None = None,
    machines: Sequence[MachineLoad] | None = None,
    not_now: Collection[str] = (),
    event: int | None = None,
) -> list[MatchLease]:
    """
    Lease matches that wait: those of events first, then the oldest.

    Args:
        session: A transaction that writes.
        holder: Who takes them (`owners.this_process`).
        now: Unix time.
        seconds: Seconds that a match may take, by its number.
        count: How many matches at most.
        variants: Only of these; None: of any.
        machines: Lease a match only for one of these machines where no owner of a bot in it has a bot in a match, and
            that has room for it. Two containers of one owner that live at the same time on one kernel can tell each
            other what they see (docs/security.md). None: owners need not be apart.
        not_now: With that, also a match with a bot of one of these owners.
        event: Only matches of this event; None: all.
    """
    waiting = select(StoredMatch.id).where(_QUEUED, *_of(variants)).order_by(*_TURN)
    if event is not None:
        waiting = waiting.where(StoredMatch.event_id == event)
    found = session.scalars(waiting.limit(count) if machines is None else waiting).all()
    chosen = dict.fromkeys(found, "") if machines is None else _apart(session, found, machines, not_now, count)
    rows = session.scalars(select(StoredMatch).where(StoredMatch.id.in_(list(chosen))).order_by(*_TURN)).all()
    for row in rows:
        row.started = now
        MATCHES.take(session, row, holder, now + seconds(row.id) + GRACE)
    return [MatchLease(row.id, row.attempt, chosen[row.id]) for row in rows]


def playing_owners(session: Session) -> set[str]:
    """Name those whose bots play now; a transaction that reads will do."""
    playing = set().union(*_owners(session, _LEASED).values())
    return set(session.scalars(select(Owner.name).where(Owner.id.in_(playing)))) if playing else set()


def _apart(
    session: Session,
    waiting: Iterable[int],
    machines: Sequence[MachineLoad],
    not_now: Collection[str],
    count: int,
) -> dict[int, str]:
    """
    Choose of the *waiting* matches, the oldest first, and a machine for each.

    On each machine they share no owner with one another, or with a match that is played there; nor with *not_now*.
    """
    playing, owners = _owners(session, _LEASED), _owners(session, _QUEUED)
    barred = set(session.scalars(select(Owner.id).where(Owner.name.in_(list(not_now))))) if not_now else set()
    rooms = [_Room.of(machine, playing) for machine in machines if machine.free > 0]
    rooms.sort(key=lambda room: -room.free)
    chosen: dict[int, str] = {}
    for match in waiting:
        if len(chosen) >= count or not rooms:
            break
        theirs = owners[match]
        if barred.isdisjoint(theirs) and (room := next((each for each in rooms if each.busy.isdisjoint(theirs)), None)):
            chosen[match] = room.name
            room.busy |= theirs
            room.free -= 1
            rooms.remove(room)
            if room.free:
                rooms.append(room)  # the others come first: so all get about as much
    return chosen


@dataclass(eq=False)
class _Room:
    """Room for further matches on one machine."""

    name: str
    free: int
    busy: set[int]
    """The owners of bots that play there."""

    @classmethod
    def of(cls, machine: MachineLoad, playing: Mapping[int, set[int]]) -> _Room:
        matches = playing if machine.matches is None else machine.matches
        return cls(machine.name, machine.free, set().union(*(playing.get(match, set()) for match in matches)))


def pending_owners(session: Session) -> list[set[int]]:
    """Say whose bots sit in each match that plays now, or waits, the oldest first; a transaction that reads will do."""
    found = _owners(session, _LEASED) | _owners(session, _QUEUED)
    return [found[match] for match in sorted(found)]


def _owners(session: Session, status: TextClause) -> dict[int, set[int]]:
    """Give by match the owners of its bots, but for an event's stand-in, which may be at several tables at once."""
    stands_in = exists().where(
        and_(StoredEvent.id == StoredMatch.event_id, StoredEvent.stand_in_id == StoredSeat.version_id)
    )
    seated = select(StoredSeat.match_id, StoredBot.owner_id).join(Version, Version.id == StoredSeat.version_id)
    seated = seated.join(StoredBot, StoredBot.id == Version.bot_id)
    seated = seated.join(StoredMatch, StoredMatch.id == StoredSeat.match_id).where(status, ~stands_in)
    owners: dict[int, set[int]] = defaultdict(set)
    for match, owner in session.execute(seated):
        owners[match].add(owner)
    return owners


def count_waiting(session: Session, variants: Collection[str] | None = None) -> int:
    """Count the matches that wait to be leased; a transaction that reads is enough."""
    return session.execute(select(func.count(StoredMatch.id)).where(_QUEUED, *_of(variants))).scalar_one()


def requeue(session: Session, match: int) -> bool:
    """
    Put a match back that was set aside, as if no attempt at it had failed, or was lost.

    Returns:
        Whether it was set aside; else nothing has changed.
    """
    done = session.execute(
        update(StoredMatch)
        .where(StoredMatch.id == match, StoredMatch.status == Status.QUARANTINED)
        .values(status=Status.QUEUED, failures=0, losses=0)
        .returning(StoredMatch.id)
    )
    return done.scalar_one_or_none() is not None


def are_enough(session: Session, count: int, ahead: int, variants: Collection[str] | None = None) -> bool:
    """
    Tell whether *count* matches wait, so that none need to be scheduled, and the first of them can be played.

    Scheduling one match costs as much as scheduling many, so a long queue is refilled when half of it is left.

    Args:
        session: A transaction that writes.
        count: How many are to be leased now.
        ahead: How many more are to wait for their turn.
        variants: Only of these; None: of any.
    """
    if ahead < REFILL_FROM or count_waiting(session, variants) < count + ahead // 2:
        return False
    return not withdraw(session, count, variants)


def withdraw(session: Session, first: int | None = None, variants: Collection[str] | None = None) -> list[int]:
    """
    Remove matches that no attempt has begun and that have a version which does not play any more.

    Those of events stay: who has entered an event plays it to its end.

    Args:
        session: A transaction that writes.
        first: Number of matches to look at, those whose turn comes first; None: all.
        variants: With that, the first ones of these; None: of any.

    Returns:
        Their numbers.
    """
    # Looked up in a list that is made once, and not in the table, whose rows are long.
    resting = select(Rating.variant, Rating.version_id).where(Rating.state != State.ACTIVE)
    rests = tuple_(StoredMatch.variant, StoredSeat.version_id).in_(resting)
    idle = exists().where(StoredSeat.match_id == StoredMatch.id, rests)
    unplayed = select(StoredMatch.id).where(_QUEUED, StoredMatch.event_id.is_(None), StoredMatch.attempt == 0, idle)
    if first is not None:
        next_ones = select(StoredMatch.id).where(_QUEUED, *_of(variants)).order_by(*_TURN).limit(first)
        unplayed = unplayed.where(StoredMatch.id.in_(list(session.scalars(next_ones))))
    matches = list(session.scalars(unplayed))
    remove_matches(session, matches)
    return matches


def was_recorded(session: Session, match: int, attempt: int) -> bool:
    """Tell whether this attempt's result is the one that counts; a transaction that reads will do."""
    done = select(StoredMatch.id).where(
        StoredMatch.id == match, StoredMatch.attempt == attempt, StoredMatch.status == Status.DONE
    )
    return session.execute(done).scalar_one_or_none() is not None


def _of(variants: Collection[str] | None) -> tuple[ColumnElement[bool], ...]:
    return () if variants is None else (StoredMatch.variant.in_(variants),)
