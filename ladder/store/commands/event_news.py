"""
Messages about events, written in the transaction that changes them.

What has been announced of an event is kept with it. A message is written for what the public knows more than that:
it follows from what is public alone, so it cannot tell what an event with `show = "round"` or `"manual"` hides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ladder.events.chain import (
    OF_EVENT,
    Link,
    canonical,
    drawn_data,
    event_data,
    linked,
    redone_data,
    shown_data,
)
from ladder.events.entrants import STAND_IN
from ladder.events.event_file import parse_event
from ladder.events.held import EventNews, PublicCourse, ShownTable, news
from ladder.events.scoring import board_points
from ladder.store.commands.notices import notice_begun, notice_round
from ladder.store.commands.outbox import post, webhooks_for
from ladder.store.event_export import exported_event, exported_round, exported_table
from ladder.store.event_models import EventLink
from ladder.store.event_rows import (
    entries_of,
    held,
    held_table,
    last_link,
    public_dropped,
    public_state,
    rounds_of,
    tables_of,
    turns_at,
    turns_in,
    unlisted_of,
    visible_rounds,
)
from ladder.store.models import Version
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from ladder.values.webhooks import CHOICES, ENTRY_KINDS, MessageKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from ladder.store.event_models import EventEntry, EventRound, EventTable
    from ladder.store.models import StoredEvent, StoredMatch

    Tables = Mapping[int, Sequence[tuple[EventTable, StoredMatch]]]

WINNERS = 3
"""Places that the message about the end of an event names."""


def announce_event(session: Session, event: StoredEvent, now: float, by: str = "") -> None:
    """
    Write the links of its chain, and the messages, about what has become public of an event since the last ones.

    Args:
        session: The transaction that has changed it.
        event: Which event.
        now: Unix time.
        by: The code of the account that has changed it; empty: a person on the ladder's machine, or a time of its file.
    """
    is_wanted = bool(webhooks_for(session, CHOICES, event.id))
    session.flush()
    rounds, tables = rounds_of(session, event.id), tables_of(session, event.id)
    course = _public_course(session, event, rounds, tables)
    for each in news(PublicCourse.read(event.announced), course):
        link = _add_link(session, event, each, rounds, now, by)
        if each.kind is MessageKind.EVENT_OVER:
            event.results_at = now
        _write_letters(session, event, each, tables, now)
        if is_wanted:
            data = {**_data(session, event, each, rounds, tables, by), "stamp": link.stamp(event.name)}
            post(session, each.kind, data, now, event=event.id)
    event.announced = course.plain()
    session.flush()


def _write_letters(session: Session, event: StoredEvent, item: EventNews, tables: Tables, now: float) -> None:
    if item.kind is MessageKind.EVENT_STARTED:
        notice_begun(session, event, parse_event(event.file).name, _staying(session, event), now)
    elif item.kind is MessageKind.ROUND_DRAWN and item.round is not None:
        playing = {number for row, _ in tables[item.round] for number in row.entrants}
        title = parse_event(event.file).name
        notice_round(session, event, title, _staying(session, event), item.round, playing, now)


def _staying(session: Session, event: StoredEvent) -> list[EventEntry]:
    return [one for one in entries_of(session, event.id) if one.left_after is None]


def _add_link(
    session: Session, event: StoredEvent, item: EventNews, rounds: Sequence[EventRound], now: float, by: str
) -> Link:
    last = last_link(session, event.id)
    before = None if last is None else Link(last.number, last.kind, last.at, {}, last.hash)
    data = _link_data(session, event, item, rounds, by)
    link = linked(before, item.kind, time_of(now).isoformat(), data)
    session.add(
        EventLink(
            event_id=event.id, number=link.number, kind=link.kind, at=link.at, data=canonical(data), hash=link.hash
        )
    )  # fmt: skip
    session.flush()
    return link


def _link_data(
    session: Session, event: StoredEvent, item: EventNews, rounds: Sequence[EventRound], by: str
) -> dict[str, Any]:
    """Give all that has become public with a message; nothing that has not."""
    kind, number, place = item.kind, item.round, item.table
    if kind in OF_EVENT:
        return event_data(kind, exported_event(session, event, with_places=kind is MessageKind.EVENT_OVER))
    if kind in ENTRY_KINDS:
        return _entry_data(session, event, item, by)
    if kind is MessageKind.EVENT_HELD:
        return {"reason": event.reason, "by": by}
    if item.entrant is not None:
        return {"entrant": item.entrant, "after": item.after, **_why_left(session, event, item)}
    if number is not None and place is not None:
        turns = turns_at(session, event.id, number, place)
        if kind is MessageKind.TABLE_REDONE:
            shown = sum(not match.sealed for _, match in turns[:-1])
            return redone_data(number, place, exported_table(turns), shown)
        return shown_data(number, place, exported_table(turns))
    if kind is MessageKind.ROUND_DRAWN and number is not None:
        return drawn_data(number, exported_round(rounds[number - 1], turns_in(session, event.id, number)))
    if kind is MessageKind.EVENT_PAUSED:
        return {"reason": event.reason}
    return {} if number is None else {"round": number}


def _entry_data(session: Session, event: StoredEvent, item: EventNews, by: str) -> dict[str, Any]:
    """Give what becomes public with an entry; of one that is withdrawn there is only its bot."""
    if item.kind is not MessageKind.ENTRY_MADE:
        return {"bot": item.bot, "by": by}
    (entry,) = (one for one in entries_of(session, event.id) if one.name == item.bot)
    version = session.get_one(Version, entry.version_id).number
    fields = {"owner": entry.owner, "commitment": entry.commitment, "has_own_nonce": entry.has_own_nonce}
    return {"bot": item.bot, "version": version, "by": by, **fields}


def _why_left(session: Session, event: StoredEvent, item: EventNews) -> dict[str, Any]:
    """Say why a bot has left: `left_by` of its entry; of one that was taken over the tables, too."""
    if item.by_rule:
        tables = held(session, event).dropped(is_over=True)[item.entrant or 0].tables
        return {"by": "takeovers", "tables": [list(each) for each in tables]}
    (entry,) = (one for one in entries_of(session, event.id) if one.number == item.entrant)
    return {"by": "nonce" if entry.left_after == 0 and entry.nonce is None else "withdrawal"}


def _left(session: Session, event: StoredEvent, visible: int) -> tuple[tuple[int, int], ...]:
    """Give who has left, and after how many rounds as far as these are public."""
    left = [(one.number, one.left_after) for one in entries_of(session, event.id) if one.left_after is not None]
    return tuple((number, min(after, visible)) for number, after in left)


def _dropped(session: Session, event: StoredEvent, visible: int) -> tuple[tuple[int, int], ...]:
    """Give who has left by takeovers, as far as it is public; it stays so where a ruling has opened the end again."""
    settled, known = public_dropped(session, event, visible), PublicCourse.read(event.announced).dropped
    every = held(session, event, visible).dropped(is_over=True)
    return tuple((one, each.after) for one, each in every.items() if one in settled or (one, each.after) in known)


def _public_course(session: Session, event: StoredEvent, rounds: Sequence[EventRound], tables: Tables) -> PublicCourse:
    visible = rounds[: visible_rounds(rounds, tables)]
    shown = {
        each.number: [row for row, match in tables[each.number] if row.boards is not None and not match.sealed]
        for each in visible
    }
    return PublicCourse(
        state=str(public_state(session, event)),
        stages=tuple(each.stage for each in visible),
        over=tuple(each.number for each in visible if len(shown[each.number]) == len(tables[each.number])),
        shown=tuple(
            ShownTable(number, row.number, row.turn, len(row.rulings))
            for number, found in shown.items()
            for row in found
        ),
        redone=tuple(
            (each.number, row.number, row.turn) for each in visible for row, _ in tables[each.number] if row.turn
        ),
        left=_left(session, event, len(visible)),
        dropped=_dropped(session, event, len(visible)),
        is_official=event.official is not None,
        **_entries(session, event),
    )


def _entries(session: Session, event: StoredEvent) -> dict[str, Any]:
    """Give the fields of `PublicCourse` about entries, of an event whose chain has a link for each."""
    if not parse_event(event.file).links_entries:
        return {}
    entries = entries_of(session, event.id) if event.state == EventState.OPEN else ()
    found = tuple((one.name, f"{one.version_id} {one.commitment}", one.checked_in) for one in entries)
    return {"entries": found, "on_hold": event.on_hold}


def _data(
    session: Session, event: StoredEvent, item: EventNews, rounds: Sequence[EventRound], tables: Tables, by: str
) -> dict[str, Any]:
    file, path = parse_event(event.file), f"/events/{event.name}"
    data: dict[str, Any] = {"event": event.name, "title": file.name, "path": path}
    if item.round is not None:
        drawn = rounds[item.round - 1]
        where = {"stage": file.stages[drawn.stage].name, "round": item.round, "play_off": drawn.kind == "play-off"}
        data |= {**where, "path": f"{path}/rounds/{item.round}"}
        if item.table is not None:
            row = next(row for row, _ in tables[item.round] if row.number == item.table)
            is_redone = item.kind is MessageKind.TABLE_REDONE
            data |= {"table": row.number, "reason": (row.redo or {})["reason"]} if is_redone else _result(session, row)
    if item.entrant is not None:
        why = _why_left(session, event, item)
        data |= {"bot": _names(session, event.id)[item.entrant], "after": item.after, **why}
    if item.kind in ENTRY_KINDS:
        data |= _entry_data(session, event, item, by)
    if item.kind is MessageKind.EVENT_FROZEN and file.links_entries:
        data["unlisted"] = [{"bot": one.name, "reason": one.reason} for one in unlisted_of(event)]
    if item.kind in (MessageKind.EVENT_PAUSED, MessageKind.EVENT_HELD):
        data["reason"] = event.reason
    if item.kind is MessageKind.EVENT_OVER:
        data["winners"] = _winners(session, event, len(rounds))
    return data


def _result(session: Session, row: EventTable) -> dict[str, Any]:
    names, result = _names(session, row.event_id), held_table(row).result()
    points = board_points(result)
    bots = [
        {"bot": names.get(one, f"{STAND_IN}{-one}"), "board_points": points[one] / 2, "stand_in": one < 0}
        for one in row.entrants
    ]
    return {"table": row.number, "bots": bots, "rulings": len(row.rulings)}


def _winners(session: Session, event: StoredEvent, rounds: int) -> list[dict[str, Any]]:
    names, (standings, _) = _names(session, event.id), held(session, event).standings(rounds)
    return [{"place": one.place, "bot": names[one.number]} for one in standings.rows[:WINNERS]]


def _names(session: Session, event: int) -> dict[int, str]:
    return {one.number: one.name for one in entries_of(session, event)}
