"""Reading events: all that is known of one, for the next draw, and what a viewer may know."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, String, cast, func, select

from ladder.errors import LadderError
from ladder.events.chain import Link
from ladder.events.entrants import Contributions, Dropped, Entrant
from ladder.events.event_file import parse_event
from ladder.events.held import Held, HeldRound, HeldTable, Ruling
from ladder.store.event_models import EventEntry, EventLink, EventRound, EventTable
from ladder.store.lookup import names_of, near
from ladder.store.models import Status, StoredBot, StoredEvent, StoredMatch, Version
from ladder.values.held_events import EventEntrant, EventRow, EventStamp, EventState, EventUnlisted
from ladder.values.names import label
from ladder.values.value import time_of
from ladder.values.webhooks import ENTRY_KINDS, MessageKind
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

    from ladder.values.events import Event


def find_event(session: Session, name: str) -> StoredEvent:
    """
    Find an event by its name.

    Raises:
        LadderError: If there is none; the message proposes others.
    """
    event = session.scalar(select(StoredEvent).where(StoredEvent.name == name))
    if event is None:
        others = near(name, session.scalars(select(StoredEvent.name))) or "To list all: pigpen event list"
        raise LadderError(f"There is no event {name!r} on this ladder. {others}")
    return event


def beacons_due(session: Session, now: float) -> list[tuple[str, str]]:
    """Read the events whose beacon has a value by now that is not there yet: their names, and its address."""
    waiting = StoredEvent.state == EventState.FROZEN, StoredEvent.beacon_value.is_(None)
    found = [(each.name, parse_event(each.file)) for each in session.scalars(select(StoredEvent).where(*waiting))]
    return [
        (name, file.beacon) for name, file in found
        if file.beacon and file.beacon_at and now >= file.beacon_at.timestamp()
    ]  # fmt: skip


def all_events(session: Session) -> list[StoredEvent]:
    """Read all events, the newest first."""
    return list(session.scalars(select(StoredEvent).order_by(StoredEvent.id.desc())))


def entries_of(session: Session, event: int) -> list[EventEntry]:
    """Read the entries of an event, in order."""
    wanted = select(EventEntry).where(EventEntry.event_id == event).order_by(EventEntry.number)
    return list(session.scalars(wanted))


def rounds_of(session: Session, event: int) -> list[EventRound]:
    """Read the rounds of an event that have been drawn, in order."""
    wanted = select(EventRound).where(EventRound.event_id == event).order_by(EventRound.number)
    return list(session.scalars(wanted))


def count_rounds(session: Session, event: int) -> int:
    """Count the rounds that have been drawn."""
    return session.execute(select(func.count()).where(EventRound.event_id == event)).scalar_one()


def turns_of(session: Session, event: int) -> list[tuple[EventTable, StoredMatch]]:
    """Read all matches at tables, in order; of several at one table the last one counts."""
    rows = select(EventTable, StoredMatch).join(StoredMatch, StoredMatch.id == EventTable.match_id)
    rows = rows.where(EventTable.event_id == event)
    found = session.execute(rows.order_by(EventTable.round, EventTable.number, EventTable.turn))
    return [(table, match) for table, match in found]


def turns_at(session: Session, event: int, number: int, table: int) -> list[tuple[EventTable, StoredMatch]]:
    """Read the matches at one table, in order."""
    rows = select(EventTable, StoredMatch).join(StoredMatch, StoredMatch.id == EventTable.match_id)
    rows = rows.where(EventTable.event_id == event, EventTable.round == number, EventTable.number == table)
    return [(row, match) for row, match in session.execute(rows.order_by(EventTable.turn))]


def turns_in(session: Session, event: int, number: int) -> list[tuple[EventTable, StoredMatch]]:
    """Read the matches of one round, in order."""
    rows = select(EventTable, StoredMatch).join(StoredMatch, StoredMatch.id == EventTable.match_id)
    rows = rows.where(EventTable.event_id == event, EventTable.round == number)
    return [(row, match) for row, match in session.execute(rows.order_by(EventTable.number, EventTable.turn))]


def last_link(session: Session, event: int) -> EventLink | None:
    """Read the end of an event's chain."""
    wanted = select(EventLink).where(EventLink.event_id == event).order_by(EventLink.number.desc()).limit(1)
    return session.scalar(wanted)


def links_of(session: Session, event: int) -> list[EventLink]:
    """Read an event's chain."""
    wanted = select(EventLink).where(EventLink.event_id == event).order_by(EventLink.number)
    return list(session.scalars(wanted))


def stamps_of(session: Session, event: StoredEvent) -> tuple[tuple[EventStamp, ...], str]:
    """Give the stamps of an event without those of entries and results, and the last one of all."""
    wanted = select(EventLink.number, EventLink.kind, EventLink.at, EventLink.hash).order_by(EventLink.number)
    found = [
        EventStamp.model_validate(
            {"number": number, "kind": kind, "at": at, "stamp": Link(number, kind, at, {}, hash_).stamp(event.name)}
        )
        for number, kind, at, hash_ in session.execute(wanted.where(EventLink.event_id == event.id))
    ]  # fmt: skip
    left_out = (*ENTRY_KINDS, MessageKind.RESULT_SHOWN)
    return tuple(one for one in found if one.kind not in left_out), found[-1].stamp if found else ""


def tables_of(session: Session, event: int) -> dict[int, list[tuple[EventTable, StoredMatch]]]:
    """Read by round the tables that count, with their matches."""
    last: dict[tuple[int, int], tuple[EventTable, StoredMatch]] = {}
    for table, match in turns_of(session, event):
        last[table.round, table.number] = table, match
    found: defaultdict[int, list[tuple[EventTable, StoredMatch]]] = defaultdict(list)
    for (number, _), each in last.items():
        found[number].append(each)
    return found


def unseal(session: Session, event: int, round_number: int, table: int | None = None) -> None:
    """Let the public know of a table of a round, or of all (None), and of what was played there before a redo."""
    for row, match in turns_of(session, event):
        if row.round == round_number and table in (None, row.number):
            match.sealed = False
    session.flush()


def visible_rounds(rounds: Sequence[EventRound], tables: Mapping[int, Sequence[tuple[EventTable, StoredMatch]]]) -> int:
    """Count the rounds whose draw the public may know: those up to the first one with a table that is sealed."""
    shown = takewhile(lambda each: not any(match.sealed for _, match in tables[each.number]), rounds)
    return min(sum(1 for _ in shown) + 1, len(rounds))


def visible_count(session: Session, event: int) -> int:
    """Count the rounds whose draw the public may know."""
    return visible_rounds(rounds_of(session, event), tables_of(session, event))


def public_state(session: Session, event: StoredEvent) -> EventState:
    """Give the state that the public may know: while results are sealed, an event that is over is still running."""
    sealed = select(StoredMatch.id).where(StoredMatch.event_id == event.id, StoredMatch.sealed).limit(1)
    is_hidden = event.state == EventState.OVER and session.scalar(sealed) is not None
    return EventState.RUNNING if is_hidden else EventState(event.state)


def held(session: Session, event: StoredEvent, only: int | None = None) -> Held:
    """
    Read all that has been drawn, played and ruled.

    Args:
        session: A transaction.
        event: Which event.
        only: Only the first rounds, that many; None: all.
    """
    rounds, tables = rounds_of(session, event.id)[:only], tables_of(session, event.id)
    entries = entries_of(session, event.id)
    return Held(
        event=parse_event(event.file),
        rules=rules_from(event.rules),
        entrants=tuple(map(entrant_of, entries)),
        seed=bytes.fromhex(event.seed),
        stand_in=stand_in_of(event),
        contributions=contributions_of(event, entries),
        left={one.number: one.left_after for one in entries if one.left_after is not None},
        rounds=tuple(
            HeldRound(
                each.stage, each.round, each.kind, each.boards, tuple(held_table(row) for row, _ in tables[each.number])
            )
            for each in rounds
        ),
    )


def entrant_of(entry: EventEntry) -> Entrant:
    """Give an entry as it is in the list."""
    return Entrant(entry.number, entry.name, entry.owner, entry.rating, entry.identity, entry.commitment)


def stand_in_of(event: StoredEvent) -> Entrant | None:
    """Give the stand-in as it is in the list; None: the list is not final."""
    return Entrant(0, event.stand_in, "", None, event.stand_in_identity) if event.stand_in else None


def contributions_of(event: StoredEvent, entries: Sequence[EventEntry]) -> Contributions:
    """Give what others than the organiser have contributed to the chance of an event so far."""
    beacon = parse_event(event.file).beacon or ""
    nonces = {one.number: one.nonce for one in entries if one.nonce is not None}
    return Contributions(nonces, beacon, event.beacon_value or "")


def held_table(row: EventTable) -> HeldTable:
    """Give a table as it counts."""
    boards = None if row.boards is None else tuple(tuple(points) for points in row.boards)
    rulings = tuple(Ruling(**{**each, "last": tuple(each["last"])}) for each in row.rulings)
    return HeldTable(tuple(row.entrants), row.turn, boards, row.deals or 0, rulings, tuple(row.taken_over))


def under_way(session: Session, event: int, number: int) -> list[tuple[EventTable, StoredMatch]]:
    """Read the tables of a round that have no result yet, with their matches."""
    return [each for each in tables_of(session, event).get(number, []) if each[0].boards is None]


def public_dropped(session: Session, event: StoredEvent, rounds: int) -> dict[int, Dropped]:
    """Give who has left by the rule about takeovers, as far as the public may know, who knows of these *rounds*."""
    is_over = public_state(session, event) == EventState.OVER
    return held(session, event, rounds).dropped(is_over=is_over)


def event_row(session: Session, event: StoredEvent, rounds: int, *, is_sealed: bool) -> EventRow:
    """
    Give an event for a list.

    Args:
        session: A transaction.
        event: Which event.
        rounds: What the viewer may know of.
        is_sealed: Whether there are results that the viewer may not know: neither then that it is over, which may come
            sooner or later by play-offs.
    """
    file: Event = parse_event(event.file)
    entrants = session.execute(select(func.count()).where(EventEntry.event_id == event.id)).scalar_one()
    return EventRow(
        name=event.name, title=file.name, variant=event.variant,
        state=public_state(session, event) if is_sealed else EventState(event.state), reason=event.reason,
        on_hold=event.on_hold,
        show=file.show, entrants=entrants, waiting=max(0, entrants - file.entrants[1]), fewest=file.entrants[0],
        most=file.entrants[1], rounds=rounds, opens=file.opens, check_in=file.check_in, freezes=file.freezes,
        starts=file.starts, ends=file.ends, opened=time_of(event.opened),
        frozen=moment(event.frozen), started=moment(event.started),
        finished=None if is_sealed else moment(event.finished), commitment=event.commitment,
    )  # fmt: skip


def entrant_list(
    session: Session, event: StoredEvent, rounds: int, dropped: Mapping[int, Dropped], accounts: Mapping[str, str]
) -> tuple[EventEntrant, ...]:
    """
    Read the entrants for a viewer.

    Args:
        session: A transaction.
        event: Which event.
        rounds: Of which the viewer may know.
        dropped: Who has left by the rule about takeovers, as far as the viewer may know.
        accounts: As `accounts_in` gives them.
    """
    wanted = select(EventEntry, Version.number).join(Version, Version.id == EventEntry.version_id)
    rows = session.execute(wanted.where(EventEntry.event_id == event.id).order_by(EventEntry.number))
    is_final, places = event.state != EventState.OPEN, parse_event(event.file).entrants[1]
    return tuple(
        EventEntrant(
            number=one.number, name=one.name, version=version, owner=accounts[one.owner], rating=one.rating,
            **_leaving(one, rounds, dropped.get(one.number)),
            commitment=one.commitment, has_own_nonce=one.has_own_nonce, nonce=one.nonce if is_final else None,
            waiting=place - places if place > places else None,
            checked_in=moment(one.checked_in),
            checked_in_by=None if one.checked_in_by is None else accounts[one.checked_in_by],
        )
        for place, (one, version) in enumerate(rows, 1)
    )  # fmt: skip


def accounts_in(session: Session, event: int) -> dict[str, str]:
    """Give by code the present names of all accounts that an event names: owners of bots, and organisers."""
    codes = {""}
    for one in entries_of(session, event):
        codes |= {one.owner, one.checked_in_by or ""}
    for out in session.scalars(select(StoredEvent.unlisted).where(StoredEvent.id == event)).one():
        codes |= {out["owner"], out["by"]}
    decided = select(EventTable.rulings, EventTable.redo).where(EventTable.event_id == event)
    for rulings, redo in session.execute(decided):
        codes |= {each["by"] for each in (*rulings, *([redo] if redo else ()))}
    return names_of(session, codes)


def _leaving(one: EventEntry, rounds: int, dropped: Dropped | None) -> dict[str, Any]:
    """Say after how many rounds a bot has left, and by what: whichever came first."""
    if dropped is not None and (one.left_after is None or dropped.after < one.left_after):
        return {"left_after": dropped.after, "left_by": "takeovers", "taken_over": dropped.tables}
    if one.left_after is None:
        return {"left_after": None, "left_by": None}
    is_silent = one.left_after == 0 and one.nonce is None
    return {"left_after": min(one.left_after, rounds), "left_by": "nonce" if is_silent else "withdrawal"}


def unlisted_of(event: StoredEvent) -> tuple[EventUnlisted, ...]:
    """Give who had entered and is not on the list."""
    return tuple(EventUnlisted.model_validate(one) for one in event.unlisted)


def version_name(session: Session, version: int | None) -> str | None:
    """Give the name of a version: ``Trotter@2``."""
    wanted = select(StoredBot.name, Version.number).join(Version, Version.bot_id == StoredBot.id)
    row = session.execute(wanted.where(Version.id == version)).one_or_none()
    return None if row is None else label(*row)


def revision(session: Session, event: int | None) -> list[Row[Any]]:
    """Read figures of which one changes whenever an event does, or any event (None)."""
    tables = select(
        func.count(EventTable.boards),
        func.sum(EventTable.match_id),
        func.sum(func.length(cast(EventTable.rulings, String))),
        func.sum(cast(StoredMatch.sealed, Integer)),
        func.sum(StoredMatch.attempt),
        func.sum(func.length(StoredMatch.status)),
    ).join(StoredMatch, StoredMatch.id == EventTable.match_id)
    entries = select(
        func.count(), func.sum(EventEntry.version_id), func.count(EventEntry.left_after), func.count(EventEntry.nonce),
        func.max(EventEntry.entered), func.count(EventEntry.checked_in),
    )  # fmt: skip
    states = select(
        StoredEvent.id,
        StoredEvent.state,
        StoredEvent.reason,
        StoredEvent.finished,
        StoredEvent.beacon_value,
        StoredEvent.on_hold,
        cast(StoredEvent.unlisted, String),
        StoredEvent.official,
        StoredEvent.results_at,
    )
    if event is None:
        questions: tuple[Any, ...] = (tables, entries.select_from(EventEntry), states)
    else:
        questions = (
            tables.where(EventTable.event_id == event),
            entries.where(EventEntry.event_id == event),
            states.where(StoredEvent.id == event),
        )
    return [row for each in questions for row in session.execute(each)]


def appeals_until(event: StoredEvent) -> float:
    """Give the Unix time until which the organiser may rule after the end; infinite: no such time is planned yet."""
    hours = parse_event(event.file).appeal_hours
    return math.inf if hours is None or event.results_at is None else event.results_at + hours * 3600


def moment(seconds: float | None) -> datetime | None:
    """Give a moment; None if there is none."""
    return None if seconds is None else time_of(seconds)


def is_quarantined(match: StoredMatch) -> bool:
    """Tell whether the platform gave a match up."""
    return match.status == Status.QUARANTINED
