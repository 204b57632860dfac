"""
Entries of an event: bots come, check in and withdraw, while its registration is open.

Each function needs a transaction that writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.entry.house_bots import HOUSE
from ladder.errors import LadderError
from ladder.events.chain import canonical
from ladder.events.event_file import parse_event
from ladder.store.account_models import Account
from ladder.store.event_models import EventEntry, EventLink
from ladder.store.event_rows import (
    count_rounds,
    entries_of,
    public_dropped,
    public_state,
    visible_count,
)
from ladder.store.lookup import find_version, name_of
from ladder.store.models import StoredBot, StoredEvent, Version
from ladder.values.held_events import EventState, EventUnlisted
from ladder.values.names import owner_code
from ladder.values.value import in_utc, time_of
from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from ladder.values.events import Event
    from ladder.values.held_events import Unlisted


def in_state(event: StoredEvent, *states: EventState, way_out: str) -> None:
    """
    Check the state of an event.

    Raises:
        LadderError: If it is another one; the message ends with the way out.
    """
    if event.state not in states:
        raise LadderError(f"The event {event.name!r} is {event.state}. {way_out}")


IN_TEAM = (
    "The owner of {bot!r} is a member of the team {team!r}, so only bots of the team enter events. Enter one of them."
)
MAX_ENTRIES = 50
"""Times that an owner may enter each bot, also again, in an event whose chain has a link for each entry."""


def enter_event(
    session: Session, event: StoredEvent, bot: str, now: float, *, commitment: str, nonce: str | None, by: str = ""
) -> EventEntry:
    """
    Enter a version; one of the same bot that has entered already is replaced, and so is its commitment.

    While those who have entered check in, a bot that enters is checked in, too.

    Args:
        session: A transaction that writes.
        event: Which event.
        bot: Its name, or that of a version.
        now: Unix time.
        commitment: SHA-256 of the entrant's nonce, in hex.
        nonce: The nonce, if the ladder has made it for the entrant; None: the entrant has it.
        by: The code of the account that enters it (`code_of`); empty: a person on the ladder's machine.

    Raises:
        LadderError: If registration is not open, the event is full, the bot does not play the variant, or its owner is
            a member of a team.
    """
    if event.state != EventState.OPEN:
        raise LadderError(f"The event {event.name!r} is {public_state(session, event)}. Bots enter while it is open.")
    file = parse_event(event.file)
    if file.opens and now < file.opens.timestamp():
        raise LadderError(f"Bots may enter {event.name!r} from {in_utc(file.opens)} on.")
    if (until := _closed(event, file, now)) is not None:
        raise LadderError(f"Bots could enter {event.name!r} until {in_utc(until)}.")
    version = find_version(session, bot, event.variant)
    stored = session.get_one(StoredBot, version.bot_id)
    account = session.get(Account, stored.owner_id)
    if account is not None and account.team_id is not None:
        raise LadderError(IN_TEAM, bot=stored.name, team=name_of(session, account.team_id))
    owner, name = owner_code(stored.owner_id), name_of(session, stored.owner_id)
    if stored.name in (file.stand_in, HOUSE + file.stand_in):
        raise LadderError(f"{stored.name} is the stand-in of {event.name!r}: it fills tables, and cannot enter.")
    entries = entries_of(session, event.id)
    if file.links_entries and _times_entered(session, event, owner) >= MAX_ENTRIES * file.per_owner:
        raise LadderError(
            f"{name!r} has entered bots in {event.name!r} {MAX_ENTRIES * file.per_owner} times, the most that is "
            "possible. Those that have entered stay."
        )
    own = next((one for one in entries if one.name == stored.name), None)
    if any(one.commitment == commitment and one is not own for one in entries):
        raise LadderError(f"Another bot has entered {event.name!r} with this commitment. Make a nonce of your own.")
    if own is not None:
        own.version_id, own.entered = version.id, now
        own.commitment, own.nonce, own.has_own_nonce = commitment, nonce, nonce is None
        _check_in_if_it_is_time(own, file, now, by)
        return own
    if len(entries) >= file.entrants[1] + file.waiting_list:
        waiting = f", of which {file.waiting_list} wait for a place" if file.waiting_list else ""
        raise LadderError(f"{event.name!r} is full: {len(entries)} bots have entered{waiting}.")
    if sum(one.owner == owner for one in entries) >= file.per_owner:
        raise LadderError(
            f"{name!r} has {file.per_owner} in {event.name!r}, the most that an owner may have. Withdraw one first: "
            f"pigpen event withdraw {event.name} BOT"
        )
    number = max((one.number for one in entries), default=0) + 1
    entry = EventEntry(
        event_id=event.id, number=number, version_id=version.id, name=stored.name, owner=owner, entered=now,
        commitment=commitment, nonce=nonce, has_own_nonce=nonce is None,
    )  # fmt: skip
    _check_in_if_it_is_time(entry, file, now, by)
    session.add(entry)
    event.unlisted = [one for one in event.unlisted if one["name"] != entry.name]
    session.flush()
    return entry


def _closed(event: StoredEvent, file: Event, now: float) -> datetime | None:
    """Give since when no bot enters or checks in: the list is final, or it is time for that; None: bots may."""
    if event.frozen is not None:
        return time_of(event.frozen)
    is_due = file.freezes is not None and now >= file.freezes.timestamp() and not event.on_hold
    return file.freezes if is_due else None


def _times_entered(session: Session, event: StoredEvent, owner: str) -> int:
    """Count the entries of an owner in the chain; each has the owner in its JSON."""
    mine = EventLink.data.contains(canonical({"owner": owner})[1:-1], autoescape=True)
    of = EventLink.event_id == event.id, EventLink.kind == MessageKind.ENTRY_MADE
    return session.execute(select(func.count()).where(*of, mine)).scalar_one()


def _check_in_if_it_is_time(entry: EventEntry, file: Event, now: float, by: str) -> None:
    if file.check_in and now >= file.check_in.timestamp() and entry.checked_in is None:
        entry.checked_in, entry.checked_in_by = now, by


def check_in(session: Session, event: StoredEvent, bot: str, now: float, by: str) -> EventEntry:
    """
    Check in a bot that has entered; once more changes nothing.

    Args:
        session: A transaction that writes.
        event: Which event.
        bot: Its name.
        now: Unix time.
        by: The code of the account that does it; empty: a person on the ladder's machine.

    Raises:
        LadderError: If there is no check-in, it is too early or too late, or the bot has not entered.
    """
    file = parse_event(event.file)
    if file.check_in is None:
        raise LadderError(f"{event.name!r} has no check-in: all bots that have entered play.")
    if now < file.check_in.timestamp():
        raise LadderError(f"Bots check in to {event.name!r} from {in_utc(file.check_in)} on.")
    if (until := _closed(event, file, now)) is not None:
        raise LadderError(f"Bots could check in to {event.name!r} until {in_utc(until)}.")
    entry = entry_of(session, event, bot)
    _check_in_if_it_is_time(entry, file, now, by)
    session.flush()
    return entry


def withdraw_from_event(session: Session, event: StoredEvent, bot: str, by: str = "") -> EventEntry:
    """
    Withdraw a bot: while registration is open its entry goes; later a stand-in replaces it from the next round on.

    Args:
        session: A transaction that writes.
        event: Which event.
        bot: Its name.
        by: The code of the account that does it; empty: a person on the ladder's machine.

    Raises:
        LadderError: If it has not entered, has left, or the event is over.
    """
    if public_state(session, event) == EventState.OVER:
        raise LadderError(f"The event {event.name!r} is over.")
    entry = entry_of(session, event, bot)
    if _has_left(session, event, entry):
        raise LadderError(f"{entry.name} has left {event.name!r} already.")
    if event.state == EventState.OPEN:
        if parse_event(event.file).links_entries and by != entry.owner:
            event.unlisted = [*event.unlisted, unlisted(session, entry, "withdrawn", by)]
        session.delete(entry)
    else:
        entry.left_after = count_rounds(session, event.id)
    session.flush()
    return entry


def open_entries(session: Session, owner: int) -> list[tuple[str, str]]:
    """Read an owner's bots in events that are not over: event and bot; a transaction that reads will do."""
    mine = select(StoredEvent, EventEntry).join(EventEntry, EventEntry.event_id == StoredEvent.id)
    mine = mine.where(EventEntry.owner == owner_code(owner)).order_by(StoredEvent.id, EventEntry.number)
    return [
        (event.name, entry.name)
        for event, entry in session.execute(mine)
        if public_state(session, event) != EventState.OVER and not _has_left(session, event, entry)
    ]


def _has_left(session: Session, event: StoredEvent, entry: EventEntry) -> bool:
    if entry.left_after is not None:
        return True
    return entry.number in public_dropped(session, event, visible_count(session, event.id))


def unlisted(session: Session, entry: EventEntry, reason: Unlisted, by: str = "") -> dict[str, Any]:
    """Make what an event keeps of an entry that is not among its entrants, and why."""
    version = session.get_one(Version, entry.version_id).number
    return EventUnlisted(name=entry.name, version=version, owner=entry.owner, reason=reason, by=by).model_dump()


def entry_of(session: Session, event: StoredEvent, bot: str) -> EventEntry:
    """
    Find the entry of a bot.

    Raises:
        LadderError: If it has not entered.
    """
    found = next((one for one in entries_of(session, event.id) if one.name == bot.partition("@")[0]), None)
    if found is None:
        raise LadderError(f"{bot!r} has not entered {event.name!r}. To list who has: pigpen event show {event.name}")
    return found
