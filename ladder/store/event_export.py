"""An event as it is exported: all that is bound by its chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from ladder.store import event_rows as rows
from ladder.store.models import Version
from ladder.values.held_events import (
    ExportedEntrant,
    ExportedEvent,
    ExportedLink,
    ExportedPlace,
    ExportedRedo,
    ExportedRound,
    ExportedRuling,
    ExportedTable,
    ExportedTurn,
)
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

    from ladder.store.event_models import EventRound, EventTable
    from ladder.store.models import StoredEvent, StoredMatch

    Turns = Sequence[tuple[EventTable, StoredMatch]]


def exported_event(session: Session, event: StoredEvent, *, with_places: bool) -> ExportedEvent:
    """
    Give an event as it is now, without its chain.

    Args:
        session: A transaction.
        event: Which event.
        with_places: Also who has which place: of one that is over.
    """
    held = rows.held(session, event)
    standings = held.standings(len(held.rounds))[0].rows if with_places else ()
    turns = rows.turns_of(session, event.id)
    return ExportedEvent(
        version=5,
        name=event.name,
        file=event.file,
        rules=event.rules,
        seed=event.seed,
        commitment=event.commitment,
        opened=time_of(event.opened),
        frozen=rows.moment(event.frozen),
        started=rows.moment(event.started),
        entrants_hash=event.entrants_hash,
        stand_in=event.stand_in,
        stand_in_identity=event.stand_in_identity,
        beacon_value=event.beacon_value,
        contributions=event.contributions,
        entrants=tuple(_entrants(session, event)),
        unlisted=tuple(rows.unlisted_of(event)),
        rounds=tuple(exported_round(each, turns) for each in rows.rounds_of(session, event.id)),
        places=tuple(
            ExportedPlace(place=one.place, number=one.number, values=one.values, margin=one.margin) for one in standings
        ),
        links=(),
    )


def exported_links(session: Session, event: StoredEvent) -> tuple[ExportedLink, ...]:
    """Give the chain of an event."""
    found = rows.links_of(session, event.id)
    return tuple(
        ExportedLink.model_validate({"kind": one.kind, "at": one.at, "data": orjson.loads(one.data), "hash": one.hash})
        for one in found
    )


def _entrants(session: Session, event: StoredEvent) -> Iterator[ExportedEntrant]:
    for one in rows.entries_of(session, event.id):
        yield ExportedEntrant(
            number=one.number, name=one.name, version=session.get_one(Version, one.version_id).number,
            identity=one.identity, owner=one.owner, rating=one.rating, left_after=one.left_after,
            commitment=one.commitment, has_own_nonce=one.has_own_nonce, nonce=one.nonce,
            checked_in=rows.moment(one.checked_in), checked_in_by=one.checked_in_by,
        )  # fmt: skip


def exported_round(row: EventRound, turns: Turns) -> ExportedRound:
    """Give a round with its tables; *turns* may have those of other rounds, too."""
    mine = [(table, match) for table, match in turns if table.round == row.number]
    places = dict.fromkeys(table.number for table, _ in mine)
    tables = [exported_table([each for each in mine if each[0].number == place]) for place in places]
    return ExportedRound.model_validate(
        {
            "stage": row.stage, "round": row.round, "kind": row.kind, "boards": row.boards, "method": row.method,
            "cost": row.cost, "bound": row.bound, "drawn": time_of(row.drawn), "tables": tables,
        }
    )  # fmt: skip


def exported_table(turns: Turns) -> ExportedTable:
    """Give a table with all matches that were played at it."""
    return ExportedTable(entrants=tuple(turns[0][0].entrants), turns=tuple(_turn(*each) for each in turns))


def _turn(row: EventTable, match: StoredMatch) -> ExportedTurn:
    table = rows.held_table(row)
    return ExportedTurn(
        match=match.id,
        commitment=match.commitment,
        boards=table.boards,
        deals=table.deals,
        taken_over=table.taken_over,
        record=row.record,
        redo=None if row.redo is None else ExportedRedo(**{**row.redo, "at": time_of(row.redo["at"])}),
        rulings=tuple(
            ExportedRuling(last=one.last, after=one.after, reason=one.reason, by=one.by, at=time_of(one.at))
            for one in table.rulings
        ),
    )
