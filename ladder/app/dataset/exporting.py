"""
Writing a ladder's data set.

Each table is a folder of Parquet files, called parts; `versions` and `ratings` have one, which is written anew. An
export into the same folder compares each part with the last manifest, writes again what is missing or damaged, and adds
parts for the matches that are not in it yet. What a process that was killed has left is removed, unless it is whole. So
only one process at a time exports into a folder. `versions`, `ratings`, the data card and the manifest, which has their
hashes, are replaced one right after the other in the end.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from ladder.app.dataset.dataset_parts import (
    CARD,
    COLUMNS,
    TABLES,
    VERSION,
    check_parts,
    data_card,
    match_row,
    part_file,
    part_files,
    rating_rows,
    record_rows,
    schema,
    seat_rows,
    sha256,
    version_rows,
)
from ladder.app.dataset.offered import MANIFEST
from ladder.errors import UserError
from ladder.store.queries import dataset as queries
from ladder.store.queries.matches import match_rows
from ladder.values.reports import DatasetFile, DatasetManifest
from ladder.values.text import why_odd
from ladder.values.value import time_of
from referee.records.framing import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ladder.app.dataset.dataset_parts import Part, Row
    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchRow

LOCK = ".export.lock"
"""A file of the folder that is locked while an export runs; readers of data sets skip such a name."""
DRAFTS = ".drafts"
"""A folder of files that are not whole yet; readers of data sets skip such a name."""
PART_MATCHES = 200
"""Matches of one part: about 50,000 to 700,000 decisions, which are in memory at once, in 100 bytes each."""


def export_dataset(
    ladder: Ladder, folder: Path, licence: str | None = None, tell: Callable[[str], None] = lambda sentence: None
) -> DatasetManifest:
    """
    Write the data set of a ladder, or add to one what it lacks.

    What bots printed, accounts, tokens, addresses, and the sources of bots are not part of it.

    Args:
        ladder: The ladder.
        folder: A new folder, or one that was written by this function.
        licence: Under which it may be used, in words; None: as before.
        tell: Called with a sentence for each record that cannot be read: its match has no deals in the data set.

    Raises:
        UserError: If the folder holds something else, cannot be written, or is being written by another export; or if
            the licence has characters that cannot be printed.
    """
    if licence and (odd := why_odd(" ".join(licence.split()))):
        raise UserError(f"{shortened(licence)!r} cannot be the licence (--licence): {odd}.")
    try:
        _opened(folder)  # one that holds something else stays as it is
        with _sole_export(folder):
            return _export(ladder, folder, licence, tell)
    except OSError as error:
        raise UserError(f"The data set cannot be written to {str(folder)!r}: {error.strerror or error}.") from error


def _export(ladder: Ladder, folder: Path, licence: str | None, tell: Callable[[str], None]) -> DatasetManifest:
    before = _opened(folder)
    _remove_unfinished(folder)
    there, known = _whole_parts(ladder, folder, before, tell)
    _write_missing(ladder, folder, there, tell)
    drafts = [
        _draft(folder, "versions", "all", _table("versions", version_rows(ladder))),
        _draft(folder, "ratings", "all", _table("ratings", rating_rows(ladder))),
    ]
    parts = _parts(folder, drafts)
    wanted = licence if licence is not None else before.licence if before else ""
    manifest = DatasetManifest(
        version=VERSION, written=time_of(ladder.clock()), licence=wanted, rows=_counts(parts),
        files=_files(parts, known),
    )  # fmt: skip
    if before:
        _refuse_loss(folder, before, parts)
    drafts += [
        _text_draft(folder, CARD, data_card(manifest).encode()),
        _text_draft(folder, MANIFEST, manifest.model_dump_json(indent=1).encode()),
    ]
    for draft in drafts:
        _finish(folder, draft)
    _remove_unfinished(folder)
    return manifest


def _whole_parts(
    ladder: Ladder, folder: Path, before: DatasetManifest | None, tell: Callable[[str], None]
) -> tuple[set[int], dict[str, DatasetFile]]:
    """
    Write again what the last manifest names and is not there as it was.

    Returns:
        The matches of all parts, and the files that are as the last manifest says, by name.
    """
    parts = check_parts(folder, before)
    for part in parts:
        if part.harms and not part.is_listed:
            part.remove()
    kept = [part for part in parts if part.is_listed or not part.harms]
    found = {part.name: part.matches() for part in kept}
    there = {number for numbers in found.values() for number in numbers or ()}
    with ladder.database.read() as session:
        done = queries.done_matches(session)
    for part in kept:
        if not part.harms:
            continue
        numbers = found[part.name]
        if numbers is None:
            first, last = map(int, part.name.split("-"))
            numbers = [number for number in done if first <= number <= last and number not in there]
            there |= {*numbers}
        _mend(ladder, part, numbers, tell)
    harmed = {part.relative(table) for part in kept for table in part.harms}
    whole = {part.relative(table) for part in kept for table in TABLES} - harmed
    return there, {file.name: file for file in before.files if file.name in whole} if before else {}


def _mend(ladder: Ladder, part: Part, numbers: Sequence[int], tell: Callable[[str], None]) -> None:
    """
    Write the files of a part again that are missing or damaged.

    Raises:
        UserError: If their records, or matches, do not exist any more.
    """
    files = ", ".join(map(part.relative, part.harms))
    harms = " or ".join(sorted({*part.harms.values()}))
    with ladder.database.read() as session:
        rows, seasons = match_rows(session, numbers), queries.seasons_of(session, numbers)
    recorded = part.recorded()
    lost = [*{*numbers} - {row.id for row in rows}]
    if not lost:
        lost = _write_part(ladder, part.folder, rows, seasons, tell, part.name, tuple(part.harms), recorded)
    if lost:
        raise UserError(
            f"In {str(part.folder)!r} is {harms}: {files}. It cannot be written again, because records are gone, such "
            f"as that of match {min(lost)}. Restore it from a copy, or export into another folder."
        )
    tell(f"In {str(part.folder)!r} was {harms}: {files}. It has been written again.")


def _write_missing(ladder: Ladder, folder: Path, there: set[int], tell: Callable[[str], None]) -> None:
    """Write parts for the matches that are in none."""
    with ladder.database.read() as session:
        missing = [number for number in queries.done_matches(session) if number not in there]
    for start in range(0, len(missing), PART_MATCHES):
        some = missing[start : start + PART_MATCHES]
        with ladder.database.read() as session:
            rows, seasons = match_rows(session, some), queries.seasons_of(session, some)
        _write_part(ladder, folder, rows, seasons, tell, f"{rows[0].id:09}-{rows[-1].id:09}")


def _refuse_loss(folder: Path, before: DatasetManifest, parts: Mapping[str, Path]) -> None:
    """
    Keep the last manifest if its files have fewer rows than it says.

    Raises:
        UserError: If they have.
    """
    listed = {file.name for file in before.files}
    counts = _counts({name: path for name, path in parts.items() if name in listed})
    for table in TABLES:
        if counts[table] < before.rows.get(table, 0):
            raise UserError(
                f"{str(folder)!r} had {before.rows[table]:,} {table}, of which {counts[table]:,} are left: files are "
                "lost, and their records are gone. Restore them from a copy, or export into another folder."
            )


@contextmanager
def _sole_export(folder: Path) -> Iterator[None]:
    """
    Make sure that no other process exports into the folder: it would remove the parts that are not finished here.

    Raises:
        OSError: If the file of the lock cannot be made.
        UserError: If another one does.
    """
    with (folder / LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{str(folder)!r} is being written by another export. Wait until it has ended.") from None
        yield


def _opened(folder: Path) -> DatasetManifest | None:
    """Make the folder, or read what is there."""
    if not folder.exists() and _made(folder):
        return None
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
        version = found["version"]
        manifest = DatasetManifest.model_validate(found) if version == VERSION and "rows" in found else None
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{str(folder)!r} is no data set of a ladder. Name a folder that is not there yet.") from None
    if version != VERSION:
        raise UserError(
            f"{str(folder)!r} has columns of version {version}, and this is version {VERSION}. "
            "Name a folder that is not there yet."
        )
    return manifest


def _made(folder: Path) -> bool:
    """Make a new folder with its first manifest at once; False if another export has made it meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    draft.mkdir()
    (draft / MANIFEST).write_bytes(json.dumps({"version": VERSION}).encode())
    try:
        draft.rename(folder)
    except OSError:
        shutil.rmtree(draft)
        if not folder.exists():
            raise
        return False
    return True


def _remove_unfinished(folder: Path) -> None:
    """Remove the drafts of an export that was killed, and what earlier versions have left."""
    shutil.rmtree(folder / DRAFTS, ignore_errors=True)
    for path in (*(each for table in COLUMNS for each in (folder / table).glob("*.partial")), folder / "export.lock"):
        path.unlink(missing_ok=True)


def _write_part(
    ladder: Ladder,
    folder: Path,
    matches: Sequence[MatchRow],
    seasons: Mapping[int, str],
    tell: Callable[[str], None],
    name: str,
    tables: Collection[str] = TABLES,
    recorded: Collection[int] | None = None,
) -> list[int]:
    """
    Write some files of a part.

    Args:
        ladder: The ladder.
        folder: The data set.
        matches: Those of the part.
        seasons: The season of each, by number.
        tell: Called with a sentence for each record that cannot be read.
        name: Of the part.
        tables: Those whose files are written.
        recorded: The matches whose deals belong to it; None: all that have a record.

    Returns:
        Those of *recorded* whose record cannot be read: then nothing is written.
    """
    deals, decisions = [_table("deals", ())], [_table("decisions", ())]
    known: dict[int, bool] = {match.id: recorded is not None and match.id in recorded for match in matches}
    for match in matches if recorded is None or {"deals", "decisions"} & {*tables} else ():
        if recorded is not None and match.id not in recorded:
            continue
        rows = record_rows(ladder, match, tell)
        known[match.id] = rows is not None
        if rows is not None:  # as tables at once: rows of Python take ten times as much memory
            deals.append(_table("deals", rows[0]))
            decisions.append(_table("decisions", rows[1]))
    if lost := [number for number in recorded or () if not known[number]]:
        return lost
    made: dict[str, Callable[[], pa.Table]] = {
        "deals": lambda: pa.concat_tables(deals).unify_dictionaries(),
        "decisions": lambda: pa.concat_tables(decisions).unify_dictionaries(),
        "seats": lambda: _table("seats", (row for match in matches for row in seat_rows(match))),
        "matches": lambda: _table(
            "matches", (match_row(match, seasons.get(match.id), known[match.id]) for match in matches)
        ),
    }
    for table in TABLES:
        if table in tables:
            _finish(folder, _draft(folder, table, name, made[table]()))
    return []


def _table(name: str, rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schema(name))


def _draft(folder: Path, table: str, part: str, rows: pa.Table) -> Path:
    """Write a file of a part where it is none yet."""
    draft = part_file(folder / DRAFTS, table, part)
    draft.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, draft, compression="zstd", write_page_checksum=True)
    return draft


def _text_draft(folder: Path, name: str, content: bytes) -> Path:
    draft = folder / DRAFTS / name
    draft.write_bytes(content)
    return draft


def _finish(folder: Path, draft: Path) -> None:
    """Put a draft where it belongs: it is there when it is whole."""
    target = folder / draft.relative_to(folder / DRAFTS)
    target.parent.mkdir(exist_ok=True)
    os.replace(draft, target)


def _parts(folder: Path, drafts: Iterable[Path]) -> dict[str, Path]:
    """Give all files that there will be, by name, and the one that has the content of each now: a draft, if any."""
    files = {str(path.relative_to(folder)): path for table in TABLES for path in part_files(folder, table)}
    return files | {str(draft.relative_to(folder / DRAFTS)): draft for draft in drafts}


def _counts(parts: Mapping[str, Path]) -> dict[str, int]:
    return {
        table: sum(pq.read_metadata(path).num_rows for name, path in parts.items() if name.startswith(f"{table}/"))
        for table in COLUMNS
    }


def _files(parts: Mapping[str, Path], known: Mapping[str, DatasetFile]) -> tuple[DatasetFile, ...]:
    """Describe all files; of those that are *known* nothing is computed again."""
    return tuple(
        known.get(name) or DatasetFile(name=name, bytes=path.stat().st_size, sha256=sha256(path))
        for name, path in sorted(parts.items())
    )
