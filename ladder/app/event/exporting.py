"""Writing an event that is over to one file, with which anyone can verify it."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from ladder.app.new_file import write_new
from ladder.errors import LadderError
from ladder.store import event_rows as rows
from ladder.store.models import StoredMatch, Version
from ladder.values.held_events import (
    EventState,
    ExportedEntrant,
    ExportedEvent,
    ExportedPlace,
    ExportedRound,
    ExportedRuling,
    ExportedTable,
    ExportedTurn,
    record_name,
)
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.event_models import EventTable
    from ladder.store.models import StoredEvent

EXPORT_JSON = "event.json"
CHUNK_BYTES = 1024**2


def export_event(ladder: Ladder, name: str, path: Path) -> ExportedEvent:
    """
    Write an event and its records to a new ZIP file.

    Raises:
        LadderError: If there is no such event, it is not over, its results are not all shown, or a record is missing.
        UserError: If the file is there already, or cannot be written.
    """
    exported, chunks = exported_chunks(ladder, name)
    write_new(path, chunks)
    return exported


def exported_chunks(ladder: Ladder, name: str) -> tuple[ExportedEvent, Iterator[bytes]]:
    """
    Give what an export holds, and the ZIP file piece by piece.

    Raises:
        LadderError: If there is no such event, it is not over, its results are not all shown, or a record is missing.
    """
    with ladder.database.read() as session:
        event = rows.find_event(session, name)
        exported, records = _exported(session, event), list(_records(session, ladder, event))
    return exported, _zipped(exported, records)


class _Pipe:
    """A file in memory: `take` gives what was written since the last call."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def write(self, data: bytes, /) -> int:
        self._bytes += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: there is nothing behind it."""

    def close(self) -> None:
        """Do nothing: there is nothing to be closed."""

    def take(self) -> bytes:
        data, self._bytes = bytes(self._bytes), bytearray()
        return data


def _zipped(exported: ExportedEvent, records: Sequence[tuple[str, Path]]) -> Iterator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w") as file:
        file.writestr(EXPORT_JSON, exported.model_dump_json(indent=1), zipfile.ZIP_DEFLATED)
        for inside, record in records:
            with record.open("rb") as source, file.open(zipfile.ZipInfo.from_file(record, inside), "w") as target:
                while data := source.read(CHUNK_BYTES):
                    target.write(data)
                    yield pipe.take()
    yield pipe.take()


def _exported(session: Session, event: StoredEvent) -> ExportedEvent:
    turns = rows.turns_of(session, event.id)
    if any(match.sealed for _, match in turns):  # the same is said whether it is over, which is not public
        raise LadderError(
            f"Not all results of {event.name!r} are shown yet. "
            f"An organiser shows the next: pigpen event release {event.name}"
        )
    if event.state != EventState.OVER:
        raise LadderError(f"The event {event.name!r} is {event.state}; it can be exported when it is over.")
    held = rows.held(session, event)
    standings, _ = held.standings(len(held.rounds))
    stand_in = session.get_one(Version, event.stand_in_id)
    return ExportedEvent(
        name=event.name,
        file=event.file,
        rules=event.rules,
        seed=event.seed,
        commitment=event.commitment,
        entrants_hash=str(event.entrants_hash),
        stand_in=str(rows.version_name(session, stand_in.id)),
        stand_in_identity=stand_in.identity,
        entrants=tuple(_entrants(session, event)),
        rounds=tuple(_rounds(session, event, turns)),
        places=tuple(ExportedPlace(place=one.place, number=one.number, values=one.values) for one in standings.rows),
    )


def _entrants(session: Session, event: StoredEvent) -> Iterator[ExportedEntrant]:
    for one in rows.entries_of(session, event.id):
        version = session.get_one(Version, one.version_id)
        yield ExportedEntrant(
            number=one.number, name=one.name, version=version.number, identity=version.identity, owner=one.owner,
            rating=one.rating, left_after=one.left_after,
        )  # fmt: skip


def _rounds(
    session: Session, event: StoredEvent, turns: list[tuple[EventTable, StoredMatch]]
) -> Iterator[ExportedRound]:
    for each in rows.rounds_of(session, event.id):
        mine = [(row, match) for row, match in turns if row.round == each.number]
        tables = [
            ExportedTable(
                entrants=tuple(first.entrants),
                turns=tuple(_turn(row, match) for row, match in mine if row.number == first.number),
            )
            for first, _ in mine
            if first.turn == 0
        ]
        yield ExportedRound.model_validate(
            {
                "stage": each.stage, "round": each.round, "kind": each.kind, "boards": each.boards,
                "method": each.method, "cost": each.cost, "bound": each.bound, "drawn": time_of(each.drawn),
                "tables": tables,
            }
        )  # fmt: skip


def _turn(row: EventTable, match: StoredMatch) -> ExportedTurn:
    table = rows.held_table(row)
    return ExportedTurn(
        match=match.id,
        commitment=match.commitment,
        boards=table.boards,
        deals=table.deals,
        rulings=tuple(
            ExportedRuling(last=one.last, after=one.after, reason=one.reason, by=one.by, at=time_of(one.at))
            for one in table.rulings
        ),
    )


def _records(session: Session, ladder: Ladder, event: StoredEvent) -> Iterator[tuple[str, Path]]:
    for row, match in rows.turns_of(session, event.id):
        if row.boards is not None:
            path = ladder.files.record(match.id, match.attempt)
            if not path.is_file():
                raise LadderError(f"The record of match {match.id} is not there: {str(path)!r}.")
            yield record_name(row.round, row.number, row.turn), path
