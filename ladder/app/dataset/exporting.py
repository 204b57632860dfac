"""
Writing a ladder's data set.

Each table is a folder of Parquet files, called parts; `versions` and `ratings` have one, which is written anew. An
export into the same folder adds parts for the matches that are not in it yet. The part of `matches` is written last:
what a process that was killed has left of others is removed. So only one process at a time exports into a folder.
`versions`, `ratings` and the manifest, which has their hashes, are replaced one right after the other in the end.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from ladder.app.dataset.offered import MANIFEST
from ladder.app.dataset.rows import match_row, rating_rows, record_rows, seat_rows, version_rows
from ladder.app.dataset.tables import COLUMNS, VERSION, schema
from ladder.errors import UserError
from ladder.store.queries import dataset as queries
from ladder.store.queries.matches import match_rows
from ladder.values.dataset import DatasetFile, DatasetManifest
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ladder.app.dataset.rows import Row
    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchRow

LOCK = "export.lock"
"""A file of the folder that is locked while an export runs; it is no part of the data set."""
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
        UserError: If the folder holds something else, cannot be written, or is being written by another export.
    """
    try:
        _opened(folder)  # one that holds something else stays as it is
        with _sole_export(folder):
            return _export(ladder, folder, licence, tell)
    except OSError as error:
        raise UserError(f"The data set cannot be written to {str(folder)!r}: {error.strerror or error}.") from error


def _export(ladder: Ladder, folder: Path, licence: str | None, tell: Callable[[str], None]) -> DatasetManifest:
    before = _opened(folder)
    _remove_unfinished(folder)
    with ladder.database.read() as session:
        there = _exported(folder)
        missing = [number for number in queries.done_matches(session) if number not in there]
    for start in range(0, len(missing), PART_MATCHES):
        some = missing[start : start + PART_MATCHES]
        with ladder.database.read() as session:
            rows, seasons = match_rows(session, some), queries.seasons_of(session, some)
        _write_part(ladder, folder, rows, seasons, tell)
    drafts = [
        _draft(folder, "versions", "all", _table("versions", version_rows(ladder))),
        _draft(folder, "ratings", "all", _table("ratings", rating_rows(ladder))),
    ]
    parts = _parts(folder, drafts)
    wanted = licence if licence is not None else before.licence if before else ""
    manifest = DatasetManifest(
        version=VERSION, written=time_of(ladder.clock()), licence=wanted, rows=_counts(parts), files=_files(parts)
    )
    text = _text_draft(folder / MANIFEST, manifest.model_dump_json(indent=1).encode())
    for draft in drafts:
        _finish_part(draft)
    os.replace(text, folder / MANIFEST)
    return manifest


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
    if not folder.exists():
        folder.mkdir(parents=True)
        os.replace(_text_draft(folder / MANIFEST, json.dumps({"version": VERSION}).encode()), folder / MANIFEST)
        return None
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        raise UserError(f"{str(folder)!r} is no data set of a ladder. Name a folder that is not there yet.") from None
    if found.get("version") != VERSION:
        raise UserError(
            f"{str(folder)!r} has columns of version {found.get('version')}, and this is version {VERSION}. "
            "Name a folder that is not there yet."
        )
    return DatasetManifest.model_validate(found) if "rows" in found else None


def _remove_unfinished(folder: Path) -> None:
    """Remove what an export that was killed has left: parts of other tables without the part of `matches`."""
    whole = {part.name for part in (folder / "matches").glob("*.parquet")}
    for table in ("seats", "deals", "decisions"):
        for part in (folder / table).glob("*"):
            if part.name not in whole:
                part.unlink()


def _exported(folder: Path) -> set[int]:
    return {
        number
        for part in sorted((folder / "matches").glob("*.parquet"))
        for number in pq.read_table(part, columns=["match"])["match"].to_pylist()
    }


def _write_part(
    ladder: Ladder,
    folder: Path,
    matches: Sequence[MatchRow],
    seasons: Mapping[int, str],
    tell: Callable[[str], None],
) -> None:
    deals, decisions = [_table("deals", ())], [_table("decisions", ())]
    known: dict[int, bool] = {}
    for match in matches:
        rows = record_rows(ladder, match, tell)
        known[match.id] = rows is not None
        if rows is not None:  # as tables at once: rows of Python take ten times as much memory
            deals.append(_table("deals", rows[0]))
            decisions.append(_table("decisions", rows[1]))
    name = f"{matches[0].id:09}-{matches[-1].id:09}"
    _write(folder, "deals", name, pa.concat_tables(deals).unify_dictionaries())
    _write(folder, "decisions", name, pa.concat_tables(decisions).unify_dictionaries())
    _write(folder, "seats", name, _table("seats", (row for match in matches for row in seat_rows(match))))
    _write(
        folder,
        "matches",
        name,
        _table("matches", (match_row(match, seasons.get(match.id), known[match.id]) for match in matches)),
    )


def _table(name: str, rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schema(name))


def _write(folder: Path, table: str, part: str, rows: pa.Table) -> None:
    """Write a part; it is there when it is whole."""
    _finish_part(_draft(folder, table, part, rows))


def _draft(folder: Path, table: str, part: str, rows: pa.Table) -> Path:
    """Write a part under a name that is not one of a part."""
    (folder / table).mkdir(exist_ok=True)
    draft = folder / table / f"{part}.partial"
    try:
        pq.write_table(rows, draft, compression="zstd")
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return draft


def _finish_part(draft: Path) -> None:
    os.replace(draft, draft.with_suffix(".parquet"))


def _text_draft(path: Path, content: bytes) -> Path:
    draft = path.with_suffix(".partial")
    draft.write_bytes(content)
    return draft


def _parts(folder: Path, drafts: Iterable[Path]) -> dict[str, Path]:
    """Give all parts that there will be, by name, and the file that has the content of each now: a draft, if any."""
    paths = [*folder.glob("*/*.parquet"), *drafts]
    return {str(path.with_suffix(".parquet").relative_to(folder)): path for path in paths}


def _counts(parts: Mapping[str, Path]) -> dict[str, int]:
    return {
        table: sum(pq.read_metadata(path).num_rows for name, path in parts.items() if name.startswith(f"{table}/"))
        for table in COLUMNS
    }


def _files(parts: Mapping[str, Path]) -> tuple[DatasetFile, ...]:
    found = []
    for name, path in sorted(parts.items()):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found.append(DatasetFile(name=name, bytes=path.stat().st_size, sha256=digest))
    return tuple(found)
