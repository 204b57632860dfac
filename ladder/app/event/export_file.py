"""
The export of an event that is over: a ZIP file with `EXPORT_JSON` and the records, written and read.

`ladder.app.event.verifying` makes the event again from it.
"""

from __future__ import annotations

import json
import zipfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pydantic

from ladder.app.new_file import write_new
from ladder.errors import LadderError, UserError
from ladder.events.chain import Link
from ladder.store import event_rows as rows
from ladder.store.event_export import exported_event, exported_links
from ladder.values.held_events import EventState, ExportedEvent, record_name
from referee.records.framing import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.models import StoredEvent

EXPORT_JSON = "event.json"
CHUNK_BYTES = 1024**2
MAX_JSON_BYTES = 256 * 1024**2
"""The most bytes of `EXPORT_JSON`, unpacked."""


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
    if any(match.sealed for _, match in rows.turns_of(session, event.id)):  # the same whether it is over
        raise LadderError(
            f"Not all results of {event.name!r} are shown yet. "
            f"An organiser shows the next: pigpen event release {event.name}"
        )
    if event.state != EventState.OVER:
        raise LadderError(f"The event {event.name!r} is {event.state}; it can be exported when it is over.")
    found = exported_event(session, event, with_places=True)
    return found.model_copy(update={"links": exported_links(session, event)})


def _records(session: Session, ladder: Ladder, event: StoredEvent) -> Iterator[tuple[str, Path]]:
    for row, match in rows.turns_of(session, event.id):
        if row.boards is not None:
            path = ladder.files.record(match.id, match.attempt)
            if not path.is_file():
                raise LadderError(f"The record of match {match.id} is not there: {str(path)!r}.")
            yield record_name(row.round, row.number, row.turn), path


def event_links(event: ExportedEvent) -> list[Link]:
    """Give the chain of an export."""
    return [Link(number, each.kind, each.at, each.data, each.hash) for number, each in enumerate(event.links, 1)]


def read_export(path: Path) -> ExportedEvent:
    """
    Read what an export says, without verifying it.

    Raises:
        UserError: If it cannot be read, or is no export.
    """
    with opened_export(path) as file:
        return export_in(file, path)


@contextmanager
def opened_export(path: Path) -> Iterator[zipfile.ZipFile]:
    """
    Open the file of an export.

    Raises:
        UserError: If it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as file:
            yield file
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        reason = shortened(getattr(error, "strerror", None) or str(error), 200)  # an OSError's text repeats the path
        raise UserError(f"{path}: it cannot be read as an export of an event: {reason}.") from None


def export_in(file: zipfile.ZipFile, path: Path) -> ExportedEvent:
    """
    Read what an opened export says.

    Raises:
        UserError: If it is no export.
    """
    try:
        with file.open(EXPORT_JSON) as inside:
            content = inside.read(MAX_JSON_BYTES + 1)
    except KeyError:
        raise UserError(f"{path}: it has no {EXPORT_JSON}; write an export with: pigpen event export EVENT") from None
    if len(content) > MAX_JSON_BYTES:
        raise UserError(f"{path}: its {EXPORT_JSON} is longer than {MAX_JSON_BYTES:,} bytes.")
    _check_names(content, path)
    try:
        return ExportedEvent.model_validate_json(content)
    except pydantic.ValidationError as error:
        detail = error.errors()[0]
        place = ".".join(map(str, detail["loc"]))
        raise UserError(f"{path}: {EXPORT_JSON}: {place}: {shortened(detail['msg'], 200)}.") from None


def _check_names(content: bytes, path: Path) -> None:
    """Refuse a field that stands there twice: programs differ in which of the two they read."""

    def checked(fields: list[tuple[str, object]]) -> None:
        names = [name for name, _ in fields]
        if len(names) != len(set(names)):
            twice = next(name for name in names if names.count(name) > 1)
            raise UserError(f"{path}: {EXPORT_JSON}: the field {shortened(twice)!r} is there twice.")

    with suppress(ValueError, RecursionError):  # what is no JSON is refused afterwards, with its place
        json.loads(content, object_pairs_hook=checked)
