"""
Events on a ladder, from their opening to their start, and what the organiser decides afterwards.

Each function needs a transaction that writes. Rounds are drawn by `ladder.store.commands.event_rounds`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.entry.house_bots import HOUSE
from ladder.errors import LadderError, UserError
from ladder.events.admission import admitted
from ladder.events.beacons import why_no_value
from ladder.events.entrants import entrants_hash
from ladder.events.event_file import parse_event
from ladder.events.held import Ruling
from ladder.events.legs import sides_of
from ladder.store.commands.event_entries import entry_of, in_state, unlisted
from ladder.store.event_models import EventEntry
from ladder.store.event_rows import (
    contributions_of,
    count_rounds,
    entrant_of,
    entries_of,
    held,
    rounds_of,
    stand_in_of,
    tables_of,
    unseal,
    version_name,
)
from ladder.store.lookup import bot_like, find_variant, find_version
from ladder.store.models import Rating, StoredEvent, StoredMatch, Variant, Version
from ladder.values.held_events import NOT_FINAL, EventState
from ladder.values.text import counted
from ladder.values.value import in_utc, time_of
from pigpen.rules.shuffle import commitment
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.store.event_models import EventTable
    from pigpen.rules import Rules


def open_event(session: Session, name: str, file: str, rules: Rules, seed: bytes, now: float) -> StoredEvent:
    """
    Open the registration of an event.

    Args:
        session: A transaction that writes.
        name: In its address.
        file: Its TOML file.
        rules: Of its variant, as its organiser has them.
        seed: 32 bytes.
        now: Unix time.

    Raises:
        LadderError: If there is one of that name, a time of its file is past, or the ladder does not play the variant
            by these rules.
    """
    if session.scalar(select(StoredEvent.id).where(StoredEvent.name == name)) is not None:
        raise LadderError(f"There is an event {name!r} already. Choose another name with --name.")
    planned = parse_event(file)
    for name_of_time in ("freezes", "beacon_at", "starts", "ends"):
        if (at := getattr(planned, name_of_time)) is not None and now >= at.timestamp():
            raise LadderError(f"{name_of_time} is {in_utc(at)}, which is past. Change the event's file.")
    variant = find_variant(session, rules.name)
    if rules_from(variant.rules) != rules:
        raise LadderError(f"This ladder plays {rules.name!r} by other rules. Give the event's variant another name.")
    event = StoredEvent(
        name=name, file=file, variant=variant.name, rules=variant.rules, seed=seed.hex(), commitment=commitment(seed),
        state=EventState.OPEN, opened=now,
    )  # fmt: skip
    session.add(event)
    session.flush()
    return event


def freeze_event(session: Session, event: StoredEvent, now: float) -> None:
    """
    Make the list of entrants final: number them anew, note their ratings, and choose the stand-in.

    Those who have not checked in, if there is a check-in, or have no place are not on it, with the reason.

    Raises:
        LadderError: If there are too few, a name of the seeding is missing, the stand-in is not on the ladder, or bots
            still check in.
    """
    in_state(event, EventState.OPEN, way_out="Its list of entrants is final.")
    file = parse_event(event.file)
    if file.check_in and file.freezes and now < file.freezes.timestamp():
        raise LadderError(
            f"Bots check in to {event.name!r} until {in_utc(file.freezes)}; its list of entrants is not final before."
        )
    entries, others = admitted(entries_of(session, event.id), file)
    if len(entries) < file.entrants[0]:
        done = "checked in to" if file.check_in else "entered"
        raise LadderError(
            f"{counted(len(entries), 'bot has', 'bots have')} {done} {event.name!r}; it needs {file.entrants[0]}."
        )
    if file.beacon_at and now >= file.beacon_at.timestamp():
        raise LadderError(
            f"The beacon of {event.name!r} has its value since {in_utc(file.beacon_at)}: a list that is made final now "
            "could be chosen by it. Open another event, with a later one."
        )
    names = {one.name for one in entries}
    seeded = file.seeding if isinstance(file.seeding, tuple) else ()
    if missing := [name for name in seeded if name not in names]:
        raise LadderError(f"The event's seeding names {missing[0]!r}, which has not entered.")
    variant = session.get_one(Variant, event.variant)
    stand_in = _stand_in(session, file.stand_in, variant)
    event.unlisted = [*event.unlisted, *(unlisted(session, one, reason) for one, reason in others)]
    for one, _ in others:
        session.delete(one)
    session.flush()
    for number, one in enumerate(entries, 1):
        rating = session.get_one(Rating, (event.variant, one.version_id)).rating + variant.shift
        one.number, one.rating = number, round(rating, 2)
        one.identity = session.get_one(Version, one.version_id).identity
        session.flush()
    event.stand_in_id, event.stand_in_identity = stand_in.id, stand_in.identity
    event.stand_in = str(version_name(session, stand_in.id))
    listed = [*map(entrant_of, entries), stand_in_of(event)]
    event.entrants_hash = entrants_hash(one for one in listed if one is not None)
    event.state, event.frozen, event.on_hold, event.reason = EventState.FROZEN, now, False, ""


def reveal(session: Session, event: StoredEvent, nonce: str, now: float) -> EventEntry:
    """
    Take the nonce of an entrant; it names its entry, since its SHA-256 is the entry's commitment.

    Raises:
        LadderError: If it is no one's, or the list of entrants is not final, or it is too late.
    """
    found = next(
        (one for one in entries_of(session, event.id) if one.commitment == commitment(bytes.fromhex(nonce))), None
    )
    if found is None:
        raise LadderError(
            f"No entrant of {event.name!r} has committed to this nonce. It may be that of an entry before."
        )
    if event.state == EventState.OPEN or event.frozen is None:
        raise LadderError(NOT_FINAL.format(event.name))
    if found.nonce is None:
        until = parse_event(event.file).reveals_until(event.frozen)
        if event.state != EventState.FROZEN or now >= until:
            raise LadderError(f"Nonces of {event.name!r} could be revealed until {in_utc(time_of(until))}.")
        found.nonce = nonce
        session.flush()
    return found


def take_beacon(session: Session, event: StoredEvent, value: str, now: float) -> bool:
    """
    Take the value of the public beacon that the event's file names.

    Returns:
        Whether this is the first one; a later one changes nothing.

    Raises:
        LadderError: If there is no beacon, the list of entrants is not final, or it is too early.
        UserError: If it cannot be the value of that beacon.
    """
    file = parse_event(event.file)
    if file.beacon is None or file.beacon_at is None:
        raise LadderError(f"The file of {event.name!r} names no beacon.")
    if event.state == EventState.OPEN or now < file.beacon_at.timestamp():
        raise LadderError(f"The beacon of {event.name!r} is read from {in_utc(file.beacon_at)} on, after the freeze.")
    if event.beacon_value is not None:
        return False
    if why := why_no_value(file.beacon, value):
        raise UserError(f"The value of the beacon {file.beacon} cannot be used: {why}.")
    event.beacon_value = value
    session.flush()
    return True


def _stand_in(session: Session, name: str, variant: Variant) -> Version:
    found = bot_like(session, HOUSE + name) or bot_like(session, name)
    if found is None:
        raise LadderError(
            f"The event's stand-in {name!r} is not on this ladder. On the ladder's machine: pigpen submit {name} "
            f"--name {HOUSE}{name} --owner {HOUSE}{name} --variant {variant.name}"
        )
    return find_version(session, found, variant.name)


def start_event(session: Session, event: StoredEvent, now: float) -> None:
    """
    Let the coordinator draw rounds; after a pause again.

    Raises:
        LadderError: If the entrants are not final, or it runs, or is over.
    """
    way_out = ""
    if event.state == EventState.OPEN:
        way_out = f"First make its list of entrants final: pigpen event freeze {event.name}"
    in_state(event, EventState.FROZEN, EventState.PAUSED, way_out=way_out)
    if event.state == EventState.FROZEN:
        _close_contributions(session, event, now)
    event.state, event.reason, event.started = EventState.RUNNING, "", event.started or now
    event.on_hold = False


def hold_event(session: Session, event: StoredEvent, reason: str) -> None:
    """
    Let the times of an event's file do nothing, until its organiser freezes or starts it; bots enter meanwhile.

    Raises:
        LadderError: If it has started.
    """
    in_state(event, EventState.OPEN, EventState.FROZEN, way_out="It has started; to draw no round: pigpen event pause")
    event.on_hold, event.reason = True, reason
    session.flush()


def act_on_times(session: Session, event: StoredEvent, now: float) -> EventState | None:
    """
    Freeze or start an event if the time of its file has come, and it is not on hold.

    One that cannot be frozen, because too few have entered, is put on hold with that reason.

    Returns:
        Its new state; None: it is as it was.
    """
    if not is_due(session, event, now):
        return None
    if event.state == EventState.FROZEN:
        start_event(session, event, now)
        return EventState.RUNNING
    try:
        freeze_event(session, event, now)  # it changes nothing before it refuses
    except LadderError as error:
        hold_event(session, event, str(error))
        return None
    return EventState.FROZEN


def is_due(session: Session, event: StoredEvent, now: float) -> bool:
    """Tell whether the times of an event's file want it to be frozen or started, and it can be."""
    file = parse_event(event.file)
    if event.on_hold:
        return False
    if event.state == EventState.OPEN:
        return file.freezes is not None and now >= file.freezes.timestamp()
    is_time = event.state == EventState.FROZEN and file.starts is not None and now >= file.starts.timestamp()
    return is_time and not why_waiting(event, entries_of(session, event.id), now)


def _without_nonce(entries: Sequence[EventEntry]) -> list[EventEntry]:
    return [one for one in entries if one.nonce is None and one.left_after is None]


def why_waiting(event: StoredEvent, entries: Sequence[EventEntry], now: float) -> str:
    """Say why an event whose list is final cannot start yet; empty: it can."""
    assert event.frozen is not None
    file, missing = parse_event(event.file), _without_nonce(entries)
    until = file.reveals_until(event.frozen)
    if missing and now < until:
        return (
            f"{counted(len(missing), 'entrant')} of {event.name!r} may still reveal a nonce, until "
            f"{in_utc(time_of(until))}: {', '.join(one.name for one in missing[:5])}. It can start then."
        )
    if file.beacon and event.beacon_value is None:
        return (
            f"The value of the beacon of {event.name!r} is not known yet. A runner fetches it; or, from a file: "
            f"pigpen event beacon {event.name} FILE"
        )
    return ""


def _close_contributions(session: Session, event: StoredEvent, now: float) -> None:
    """
    Fix what enters the lots, before the first round.

    Without a beacon an entrant that has not revealed its nonce is taken off the field: to withhold costs the entry.
    With one, a nonce that is missing is left out, since no one could know what follows from it.

    Raises:
        LadderError: If nonces may still be revealed, or the beacon's value is not known.
    """
    file, entries = parse_event(event.file), entries_of(session, event.id)
    if why := why_waiting(event, entries, now):
        raise LadderError(why)
    for one in _without_nonce(entries):
        one.left_after = None if file.beacon else 0
    session.flush()
    event.contributions = contributions_of(event, entries).hash()


def pause_event(session: Session, event: StoredEvent, reason: str) -> None:
    """
    Let no round be drawn until `start_event`.

    Raises:
        LadderError: If it does not run.
    """
    in_state(event, EventState.RUNNING, way_out="Only an event that is running can be paused.")
    event.state, event.reason = EventState.PAUSED, reason
    session.flush()


def last_table(session: Session, event: StoredEvent, number: int, table: int) -> tuple[EventTable, StoredMatch]:
    """
    Find the match at a table that counts.

    Raises:
        LadderError: If there is no such table.
    """
    found = [each for each in tables_of(session, event.id).get(number, []) if each[0].number == table]
    if not found:
        raise LadderError(f"{event.name!r} has no table {table} in round {number}.")
    return found[0]


def rule(
    session: Session,
    event: StoredEvent,
    number: int,
    table: int,
    bots: Sequence[str],
    reason: str,
    by: str,
    now: float,
) -> EventTable:
    """
    Decide that some bots are last at a table; the standings follow, tables that have been drawn stay.

    Args:
        session: A transaction that writes.
        event: Which event.
        number: The round's, from 1 within the event.
        table: Its number.
        bots: Who is last, by name.
        reason: Why; it is public.
        by: The organiser's account.
        now: Unix time.

    Raises:
        LadderError: If there is no such table, it has no result yet, a bot does not sit there, or see `check_rules`.
        UserError: If others would have advanced to a round that has been drawn.
    """
    check_rules(session, event)
    if event.official is not None:
        raise LadderError(
            f"The results of {event.name!r} are official since {in_utc(time_of(event.official))}, and stay as they are."
        )
    row, _ = last_table(session, event, number, table)
    if row.boards is None:
        raise LadderError(f"Table {table} of round {number} has no result yet; a ruling is about a result.")
    numbers = tuple(entry_of(session, event, bot).number for bot in bots)
    if away := [bot for bot, one in zip(bots, numbers, strict=True) if one not in row.entrants]:
        raise LadderError(f"{away[0]} does not sit at table {table} of round {number}.")
    if not numbers or len(set(numbers)) != len(numbers):
        raise UserError("Name each bot that is to be last once: --last BOT")
    ruling = Ruling(numbers, count_rounds(session, event.id), reason, by, now)
    row.rulings = [*row.rulings, asdict(ruling)]
    session.flush()
    held(session, event).check_course()
    if event.state == EventState.OVER:
        # the places are found again; a play-off may be due
        event.state, event.finished, event.results_at = EventState.RUNNING, None, None
    return row


def release(session: Session, event: StoredEvent, only: tuple[int, int] | None = None) -> tuple[int, int] | None:
    """
    Show the next table that is sealed and has a result.

    Args:
        session: Of the database.
        event: The event.
        only: Round and number that it must have, or nothing is shown.

    Returns:
        Its round and number; None: nothing was shown.
    """
    for each in rounds_of(session, event.id):
        tables = tables_of(session, event.id)[each.number]
        sealed = [(row, match) for row, match in tables if match.sealed]
        if done := [(row, match) for row, match in sealed if row.boards is not None]:
            row, _ = done[0]
            if only not in {None, (row.round, row.number)}:
                return None
            unseal(session, event.id, row.round, row.number)
            return row.round, row.number
        if sealed:
            return None
    return None


def sides(event: StoredEvent) -> int:
    """Give how many bots sit at a table."""
    return sides_of(rules_from(event.rules))


def check_rules(session: Session, event: StoredEvent) -> None:
    """
    Make sure that matches would be played by the event's rules: after it was over a season may have begun with others.

    Raises:
        LadderError: If they would not.
    """
    if session.get_one(Variant, event.variant).rules != event.rules:
        raise LadderError(
            f"{event.name!r} was played by the rules that {event.variant} had before its new season. "
            "No match of it can be played any more; its results stay as they are."
        )
