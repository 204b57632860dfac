"""
Messages about events, written in the transaction that changes them.

What has been announced of an event is kept with it. A message is written for what the public knows more than that:
it follows from what is public alone, so it cannot tell what an event with `show = "round"` or `"manual"` hides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ladder.events.entrants import STAND_IN
from ladder.events.event_file import parse_event
from ladder.events.held import EventNews, PublicCourse, ShownTable, news
from ladder.events.scoring import board_points
from ladder.store.commands.outbox import post, webhooks_for
from ladder.store.event_rows import entries_of, held, held_table, public_state, rounds_of, tables_of, visible_rounds
from ladder.values.webhooks import CHOICES, MessageKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from ladder.store.event_models import EventRound, EventTable
    from ladder.store.models import StoredEvent, StoredMatch

    Tables = Mapping[int, Sequence[tuple[EventTable, StoredMatch]]]

WINNERS = 3
"""Places that the message about the end of an event names."""


def announce_event(session: Session, event: StoredEvent, now: float, *, is_noted: bool = False) -> None:
    """
    Write the messages about what has become public of an event since they were written last.

    Args:
        session: The transaction that has changed it.
        event: Which event.
        now: Unix time.
        is_noted: Note what is public even if no webhook is for it: one is being added.
    """
    is_wanted = bool(webhooks_for(session, CHOICES, event.id))
    if not is_wanted and not is_noted:
        return
    session.flush()
    rounds, tables = rounds_of(session, event.id), tables_of(session, event.id)
    course = _public_course(session, event, rounds, tables)
    if is_wanted:
        for each in news(PublicCourse.read(event.announced), course):
            post(session, each.kind, _data(session, event, each, rounds, tables), now, event=event.id)
    event.announced = course.plain()
    session.flush()


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
    )


def _data(
    session: Session, event: StoredEvent, item: EventNews, rounds: Sequence[EventRound], tables: Tables
) -> dict[str, Any]:
    file, path = parse_event(event.file), f"/events/{event.name}"
    data: dict[str, Any] = {"event": event.name, "title": file.name, "path": path}
    if item.round is not None:
        drawn = rounds[item.round - 1]
        where = {"stage": file.stages[drawn.stage].name, "round": item.round, "play_off": drawn.kind == "play-off"}
        data |= {**where, "path": f"{path}/rounds/{item.round}"}
        if item.table is not None:
            row = next(row for row, _ in tables[item.round] if row.number == item.table)
            data |= _result(session, row)
    if item.kind is MessageKind.EVENT_PAUSED:
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
