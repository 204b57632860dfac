"""
Events of a ladder, as much of each as the viewer may know; standings and tables also as CSV.

`events` lists them, `event` gives one. A table is public once its match is not sealed
(`ladder.store.models.visible_matches`); a draw is public once all tables of the rounds before it are. An organiser on
the ladder's machine sees everything with `everything=True`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check
from ladder.events.entrants import STAND_IN
from ladder.events.scoring import board_points
from ladder.store import event_rows as queries
from ladder.store.models import Status
from ladder.values.csv_rows import csv_text
from ladder.values.held_events import (
    EventEntrant,
    EventPage,
    EventRedo,
    EventRoundPage,
    EventRow,
    EventRuling,
    EventState,
    EventTableRow,
)
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.app.ladder import Ladder
    from ladder.events.held import Held, HeldTable
    from ladder.store.database import Session
    from ladder.store.event_models import EventRound, EventTable
    from ladder.store.models import StoredEvent, StoredMatch
    from ladder.values.accounts import Viewer


def events(ladder: Ladder) -> tuple[EventRow, ...]:
    """Read all events, the newest first."""
    with ladder.database.read() as session:
        return tuple(_row(session, each) for each in queries.all_events(session))


def event(ladder: Ladder, viewer: Viewer, name: str, *, everything: bool = False) -> EventPage:
    """
    Read one event.

    Args:
        ladder: The ladder.
        viewer: Who asks.
        name: The event's.
        everything: Also what the public may not know yet: for organisers.

    Raises:
        Forbidden: If *everything* is wanted by someone who is no organiser.
        LadderError: If there is no such event.
    """
    if everything:
        check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return _page(session, queries.find_event(session, name), everything)


def revision(ladder: Ladder, name: str | None) -> str:
    """
    Give a text that changes whenever an event does, or any event (None).

    Raises:
        LadderError: If there is no such event.
    """
    with ladder.database.read() as session:
        return repr(queries.revision(session, None if name is None else queries.find_event(session, name).id))


def _row(session: Session, row: StoredEvent) -> EventRow:
    rounds, tables = queries.rounds_of(session, row.id), queries.tables_of(session, row.id)
    return queries.event_row(session, row, queries.visible_rounds(rounds, tables), is_sealed=_is_sealed(tables))


def _is_sealed(tables: Mapping[int, Sequence[tuple[EventTable, StoredMatch]]]) -> bool:
    return any(match.sealed for found in tables.values() for _, match in found)


def _page(session: Session, row: StoredEvent, everything: bool) -> EventPage:
    rounds, tables = queries.rounds_of(session, row.id), queries.tables_of(session, row.id)
    shown = len(rounds) if everything else queries.visible_rounds(rounds, tables)
    known, accounts = queries.held(session, row, shown), queries.accounts_in(session, row.id)
    is_settled = (EventState(row.state) if everything else queries.public_state(session, row)) is EventState.OVER
    entrants = queries.entrant_list(session, row, shown, known.dropped(is_over=is_settled), accounts)
    redone = {row.round for found in tables.values() for row, _ in found if row.turn}
    turns = {number: queries.turns_in(session, row.id, number) for number in redone}
    pages = tuple(
        _round(known, each, tables[each.number], turns.get(each.number, ()), entrants, accounts, everything)
        for each in rounds[:shown]
    )
    over = sum(1 for page in pages if page.is_over)
    standings, stage = known.standings(over) if over else (None, 0)
    is_shown = row.state == EventState.OVER and over == len(rounds)
    names = {one.number: one.name for one in entrants}
    stamps, last = queries.stamps_of(session, row)
    until = queries.appeals_until(row)
    return EventPage(
        **dict(queries.event_row(session, row, shown, is_sealed=not everything and _is_sealed(tables))),
        file=row.file,
        entrants_hash=row.entrants_hash,
        reveals_until=None if row.frozen is None else time_of(known.event.reveals_until(row.frozen)),
        beacon=known.event.beacon,
        beacon_value=row.beacon_value,
        contributions=row.contributions,
        stamp=last,
        stamps=stamps,
        appeals_until=None if until == math.inf else time_of(until),
        official=queries.moment(row.official),
        seed=row.seed if is_shown else None,
        stand_in=queries.version_name(session, row.stand_in_id),
        waiting_list=known.event.waiting_list,
        entrant_list=entrants,
        unlisted=tuple(
            each.model_copy(update={"owner": accounts[each.owner], "by": accounts[each.by]})
            for each in queries.unlisted_of(row)
        ),
        round_list=pages,
        stage=known.event.stages[stage].name if standings else "",
        criteria=standings.criteria if standings else (),
        standings=tuple(one.shown(names, known.event) for one in (standings.rows if standings else ())),
    )


def _round(
    known: Held,
    row: EventRound,
    tables: Sequence[tuple[EventTable, StoredMatch]],
    turns: Sequence[tuple[EventTable, StoredMatch]],
    entrants: Sequence[EventEntrant],
    accounts: Mapping[str, str],
    everything: bool,
) -> EventRoundPage:
    names = {one.number: one.name for one in entrants}
    pages = tuple(
        _table(table, match, [each for each in turns if each[0].number == table.number], names, accounts, everything)
        for table, match in tables
    )
    return EventRoundPage.model_validate(
        {
            "number": row.number, "stage": known.event.stages[row.stage].name, "round": row.round, "kind": row.kind,
            "format": "game" if row.boards is None else f"boards:{row.boards}", "method": row.method,
            "cost": row.cost, "bound": row.bound, "drawn": time_of(row.drawn),
            "is_over": all(each.boards is not None for each in pages), "tables": pages,
        }
    )  # fmt: skip


def _table(
    row: EventTable,
    match: StoredMatch,
    turns: Sequence[tuple[EventTable, StoredMatch]],
    names: Mapping[int, str],
    accounts: Mapping[str, str],
    everything: bool,
) -> EventTableRow:
    is_shown = everything or not match.sealed
    held = queries.held_table(row)
    result = held.result() if is_shown and held.boards is not None else None
    points = board_points(result) if result else {}
    return EventTableRow(
        number=row.number,
        bots=tuple(names.get(one, f"{STAND_IN}{-one}") for one in row.entrants),
        entrants=tuple(row.entrants),
        turn=row.turn,
        match=match.id if is_shown else None,
        status=Status(match.status).value if is_shown else "sealed",
        boards=result.boards if result else None,
        points=tuple(points[one] / 2 for one in row.entrants) if result else None,
        taken_over=tuple(names[one] for one in result.taken_over) if result else (),
        deals=row.deals if result else None,
        rulings=tuple(
            EventRuling(
                last=tuple(names[one] for one in each.last),
                reason=each.reason,
                by=accounts[each.by],
                at=time_of(each.at),
            )
            for each in (held.rulings if is_shown else ())
        ),
        points_before=_points(replace(held, rulings=())) if result and held.rulings else None,
        redos=tuple(_redo(*before, after, accounts, everything) for before, (after, _) in pairwise(turns)),
    )


def _points(held: HeldTable) -> tuple[float, ...]:
    points = board_points(held.result())
    return tuple(points[one] / 2 for one in held.table)


def _redo(
    row: EventTable, match: StoredMatch, after: EventTable, accounts: Mapping[str, str], everything: bool
) -> EventRedo:
    """Say why a table was played again, and what its result was before, as far as that is public."""
    is_shown = everything or not match.sealed
    held, why = queries.held_table(row), after.redo or {}
    return EventRedo(
        reason=why["reason"], by=accounts[why["by"]], at=time_of(why["at"]), match=match.id if is_shown else None,
        points=_points(held) if is_shown and held.boards is not None else None,
    )  # fmt: skip


TABLES = ("round", "stage", "kind", "table", "match", "bot", "entrant", "board_points", "boards", "deals", "status")
"""The columns of the tables."""
MARGIN = ("difference", "plus_minus", "superiority", "boards", "together", "is_tied")
"""The columns of standings about the next place, as `EventMargin` has them."""


def standings_csv(page: EventPage) -> str:
    """Write a line for each place: the bot, what decides in order, why it is before the next one, and how surely."""
    entrants = {one.name: one for one in page.entrant_list}
    criteria = [(place, word) for place, word in enumerate(page.criteria) if word != "lot"]
    words = (word.replace(" ", "_") for _, word in criteria)
    columns = ("place", "bot", "version", "owner", *words, "why", "stage", "out_after", *MARGIN)
    return csv_text(
        columns,
        (
            (
                one.place, one.name, entrants[one.name].version, entrants[one.name].owner,
                *(one.values[place] for place, _ in criteria), one.why, one.stage, one.out_after,
                *(None if one.margin is None else getattr(one.margin, name) for name in MARGIN),
            )
            for one in page.standings
        ),
    )  # fmt: skip


def tables_csv(page: EventPage) -> str:
    """Write a line for each bot at each table, as far as it is public."""
    return csv_text(
        TABLES,
        (
            (
                one.number, one.stage, one.kind, table.number, table.match, bot, table.entrants[seat],
                table.points[seat] if table.points else None, len(table.boards) if table.boards else None,
                table.deals, table.status,
            )
            for one in page.round_list
            for table in one.tables
            for seat, bot in enumerate(table.bots)
        ),
    )  # fmt: skip
