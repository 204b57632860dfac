"""
The rounds of events: drawn outside of a transaction, and written once, by whichever coordinator is first.

A draw may take seconds, so nothing is locked meanwhile. The transaction that writes it looks whether the event is
still what the draw was made from. So two coordinators may draw the same round, and one of them writes it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.errors import LadderError
from ladder.events.course import NextRound, max_matches
from ladder.events.entrants import is_stand_in
from ladder.store.all_tables import METADATA
from ladder.store.bulk import reserve_ids
from ladder.store.commands.event_news import announce_event
from ladder.store.commands.held_events import act_on_times, check_rules, is_due, sides
from ladder.store.commands.queue import add_match
from ladder.store.event_models import EventRound, EventTable
from ladder.store.event_rows import (
    appeals_until,
    count_rounds,
    entries_of,
    held,
    is_quarantined,
    tables_of,
    under_way,
    unseal,
)
from ladder.store.models import EVENT_PRIORITY, StoredEvent, StoredMatch
from ladder.values.clocks import read_clock
from ladder.values.held_events import EventState
from ladder.values.text import counted
from referee.match.formats import Format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from ladder.events.course import Standings
    from ladder.events.draws import Draw
    from ladder.events.entrants import Table
    from ladder.events.held import Held, Redo
    from ladder.store.database import Database

QUARANTINED = (
    "The platform has given up match {match} at table {table} of round {round}. Play it again with: pigpen event redo "
    "{event} --round {round} --table {table} --reason TEXT, and resume with: pigpen event start {event}"
)
FAILED = (
    "The next round could not be drawn. That is a bug in Pigpen: please report what its log says (event.failed). "
    "To try again: pigpen event start {event}"
)
FAILURES = (ArithmeticError, AssertionError, LadderError, LookupError, ValueError)
"""Exceptions that a bug raises; platform errors are not among them."""
SEALED = "The platform has given up a match. To see which one, its organiser types: pigpen event show {event} --all"


@dataclass(frozen=True)
class Step:
    """The next step of an event, and the state from which it was found."""

    event: int
    held: Held
    following: NextRound | Standings
    draw: Draw | None
    """Of the next round; None: the event is over."""


@dataclass(frozen=True)
class Advance:
    """A step that an event has taken."""

    event: str
    """Its name."""
    round: int | None
    """The number of the round that was drawn, within the event."""
    failure: Exception | None = None
    """Error that kept the next round from being drawn; the event is paused."""
    state: EventState | None = None
    """Its new state, by a time of its file."""


def advance_events(database: Database, now: float) -> list[Advance]:
    """
    Do what is due in each event: freeze or start it at the times of its file, draw the next round, end or pause it.

    A bug that only one event meets keeps neither the others nor the ladder from playing.

    Args:
        database: The ladder.
        now: Unix time.

    Returns:
        Each event that was frozen or started by its times, each round that was drawn, and each event that was paused by
        a failure.
    """
    found = _acted_on_times(database, now)
    _make_official(database, now)
    with database.read() as session:
        waiting = [(event.id, event.name) for event in _running(session) if not _is_playing(session, event)]
    for event, name in waiting:
        try:
            drawn = _advance(database, event, now)
        except FAILURES as failure:
            _pause_failed(database, event, now)
            found.append(Advance(name, None, failure))
        else:
            found += [Advance(*drawn)] if drawn else []
    return found


def _acted_on_times(database: Database, now: float) -> list[Advance]:
    """Freeze and start the events whose times have come: each once, by whichever coordinator is first."""
    of, found = StoredEvent, list[Advance]()
    wanted = select(of).where(of.state.in_((EventState.OPEN, EventState.FROZEN)))
    with database.read() as session:
        due = [event.id for event in session.scalars(wanted).all() if is_due(session, event, now)]
    for each in due:
        with database.write() as session:
            event = session.get_one(StoredEvent, each)
            state = act_on_times(session, event, now)
            announce_event(session, event, now)
            if state is not None:
                found.append(Advance(event.name, None, state=state))
    return found


def _make_official(database: Database, now: float) -> None:
    """Make the results official of events whose time for appeals has ended."""
    with database.read() as session:
        ended = [event.id for event in _judged(session) if now >= appeals_until(event)]
    for each in ended:
        with database.write() as session:
            event = session.get_one(StoredEvent, each)
            if event in _judged(session) and now >= appeals_until(event):
                event.official = now
                announce_event(session, event, now)


def _judged(session: Session) -> list[StoredEvent]:
    """List the events that are over, with results that are all public and not official."""
    of = StoredEvent
    wanted = select(of).where(of.state == EventState.OVER, of.results_at.is_not(None), of.official.is_(None))
    return list(session.scalars(wanted))


def draw_next(database: Database, event: int, now: float) -> tuple[str, int] | None:
    """
    Draw the next round of one event, even if it is paused, or its time has not come.

    Raises:
        LadderError: If its last round is not over, or the event has not begun, or is over.
    """
    with database.read() as session:
        row = session.get_one(StoredEvent, event)
        if row.state not in (EventState.RUNNING, EventState.PAUSED):
            raise LadderError(f"The event {row.name!r} is {row.state}. Rounds are drawn while it runs.")
        if left := under_way(session, event, count_rounds(session, event)):
            raise LadderError(
                f"{counted(len(left), 'table of the last round has', 'tables of the last round have')} no result yet."
            )
    return _advance(database, event, now, is_forced=True)


def redo(session: Session, event: StoredEvent, number: int, table: int, why: Redo) -> int:
    """
    Let a table of the last round be played again, with other cards; its result does not count any more.

    Args:
        session: A transaction that writes.
        event: Which event; one that is over changes only by rulings.
        number: The round's, from 1 within the event.
        table: Its number.
        why: The reason, which is public, as is the result that is replaced.

    Returns:
        The number of the new match.

    Raises:
        LadderError: If the event is over, the round is not the last one, its match has not ended, or see `check_rules`.
    """
    check_rules(session, event)
    if event.state == EventState.OVER:
        raise LadderError(
            f"The event {event.name!r} is over: no table of it is played again. For a decision about a result, see: "
            "pigpen event rule --help"
        )
    if number != count_rounds(session, event.id):
        raise LadderError(
            f"Round {number} is not the last round that was drawn: others were drawn by its results. "
            "For a decision about a result, see: pigpen event rule --help"
        )
    found = [each for each in tables_of(session, event.id)[number] if each[0].number == table]
    if not found:
        raise LadderError(f"{event.name!r} has no table {table} in round {number}.")
    (row, match), before = found[0], held(session, event)
    if row.boards is None and not is_quarantined(match):
        raise LadderError(f"Table {table} of round {number} is not over yet.")
    drawn = before.rounds[-1]
    seats = _Seats.of(session, event)
    return _add_table(session, event, before, seats, drawn.stage, drawn.round, drawn.boards, number, row, why.at, why)


def _running(session: Session) -> list[StoredEvent]:
    return list(session.scalars(select(StoredEvent).where(StoredEvent.state == EventState.RUNNING)))


def _is_playing(session: Session, event: StoredEvent) -> bool:
    """Tell whether there is nothing to do until a match of the last round has ended."""
    left = under_way(session, event.id, count_rounds(session, event.id))
    return bool(left) and not any(is_quarantined(match) for _, match in left)


def _advance(database: Database, event: int, now: float, is_forced: bool = False) -> tuple[str, int] | None:
    with database.read() as session:
        row = session.get_one(StoredEvent, event)
        known = held(session, row)
        left = under_way(session, event, len(known.rounds))
        stuck = [each for each in left if is_quarantined(each[1])]
    if left and not stuck:  # since this was found to be due, the organiser has let a table be played again
        return None
    step = None if stuck else _step(event, known, now, is_forced)
    if step is None and not stuck:
        return None
    with database.write() as session:
        row = session.get_one(StoredEvent, event)
        if row.state == EventState.RUNNING or (is_forced and row.state == EventState.PAUSED):
            if held(session, row) != known:  # another coordinator was quicker, or the organiser has ruled
                return None
            drawn = _take(session, row, known, stuck, step, now)
            announce_event(session, row, now)
            return None if drawn is None else (row.name, drawn)
    return None


def _take(
    session: Session,
    row: StoredEvent,
    known: Held,
    stuck: Sequence[tuple[EventTable, StoredMatch]],
    step: Step | None,
    now: float,
) -> int | None:
    """Do what follows; give the number of the round that was drawn."""
    if step is None:
        _pause(row, *stuck[0])
        return None
    _show(session, row, len(known.rounds), known.event.show)
    if step.draw is None:
        row.state, row.finished = EventState.OVER, now
        return None
    return _write(session, row, step, now)


def _pause_failed(database: Database, event: int, now: float) -> None:
    with database.write() as session:
        row = session.get_one(StoredEvent, event)
        if row.state == EventState.RUNNING:
            row.state, row.reason = EventState.PAUSED, FAILED.format(event=row.name)
            announce_event(session, row, now)


def _step(event: int, known: Held, now: float, is_forced: bool) -> Step | None:
    """Find what follows; None: it is not time yet."""
    following = known.following()
    if not isinstance(following, NextRound):
        return Step(event, known, following, None)
    starts = known.event.stages[following.stage].round_starts
    turn = sum(each.stage == following.stage and each.kind == "round" for each in known.rounds)
    is_early = following.kind == "round" and turn < len(starts) and now < starts[turn].timestamp()
    return None if is_early and not is_forced else Step(event, known, following, following.draw())


def _pause(event: StoredEvent, table: EventTable, match: StoredMatch) -> None:
    if match.sealed:  # its number, and that of its round, are not public
        event.state, event.reason = EventState.PAUSED, SEALED.format(event=event.name)
        return
    where = {"event": event.name, "match": match.id, "table": table.number, "round": table.round}
    event.state, event.reason = EventState.PAUSED, QUARANTINED.format(**where)


def _show(session: Session, event: StoredEvent, number: int, show: str) -> None:
    """Let the public know of a round that is over, if the event shows its results round by round."""
    if show == "round":
        unseal(session, event.id, number)


@dataclass(frozen=True)
class _Seats:
    """Versions that play."""

    versions: Mapping[int, int]
    """By number of the entrant."""
    stand_in: int
    copies: int
    """Number of seats that each bot has at a table: partners are one bot."""

    @classmethod
    def of(cls, session: Session, event: StoredEvent) -> _Seats:
        players = int(event.rules["players"])
        versions = {one.number: one.version_id for one in entries_of(session, event.id)}
        assert event.stand_in_id is not None
        return cls(versions, event.stand_in_id, players // sides(event))

    def at(self, table: Table) -> list[int]:
        """Give the version in each seat."""
        return [self.stand_in if is_stand_in(one) else self.versions[one] for one in table] * self.copies


def _write(session: Session, event: StoredEvent, step: Step, now: float) -> int:
    assert isinstance(step.following, NextRound)
    assert step.draw is not None
    following, draw, number = step.following, step.draw, len(step.held.rounds) + 1
    session.add(
        EventRound(
            event_id=event.id, number=number, stage=following.stage, round=following.number, kind=following.kind,
            boards=following.boards, cost=list(draw.cost), bound=list(draw.bound), method=draw.method, drawn=now,
        )
    )  # fmt: skip
    session.flush()
    seats = _Seats.of(session, event)
    for place, table in enumerate(draw.tables, 1):
        first = EventTable(event_id=event.id, round=number, number=place, turn=-1, entrants=list(table), rulings=[])
        _add_table(
            session, event, step.held, seats, following.stage, following.number, following.boards, number, first, now
        )
    return number


def _add_table(
    session: Session,
    event: StoredEvent,
    known: Held,
    seats: _Seats,
    stage: int,
    in_stage: int,
    boards: int | None,
    number: int,
    before: EventTable,
    now: float,
    why: Redo | None = None,
) -> int:
    """Put the match of a table into the queue, as the turn after *before*; give its number."""
    turn, planned = before.turn + 1, known.event.stages[stage]
    match = add_match(
        session,
        event.variant,
        seats.at(tuple(before.entrants)),
        Format.parse("game") if boards is None else Format(boards=boards),
        asdict(read_clock(planned.clock, planned.limit)),
        known.match_seed(stage, in_stage, before.number, turn),
        now,
        event=event.id,
        priority=EVENT_PRIORITY,
        sealed=known.event.show != "live",
        number=None if known.event.show == "live" else _reserved_number(session, event, known),
    )
    row = EventTable(
        event_id=event.id, round=number, number=before.number, turn=turn, match_id=match,
        entrants=list(before.entrants), rulings=[], redo=None if why is None else asdict(why),
    )  # fmt: skip
    session.add(row)
    session.flush()
    return match


def _reserved_number(session: Session, event: StoredEvent, known: Held) -> int | None:
    """
    Give the next number of those that are reserved for the event, so that no other match shows how many it has.

    Returns:
        None: all have been used, by an organiser who let many tables be played again.
    """
    largest = session.scalar(select(func.max(StoredMatch.id)).where(StoredMatch.event_id == event.id))
    if largest is None:
        count = max_matches(known.event, len(known.entrants), known.rules)
        reserved = reserve_ids(session.connection(), METADATA.tables[StoredMatch.__tablename__], count)
        event.last_match = reserved[-1]
        return reserved[0]
    return largest + 1 if event.last_match is not None and largest < event.last_match else None
