"""Reading the data set of a ladder, which `pigpen ladder export` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.errors import UserError
from pigpen_arena.tables import arrow_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen_arena.tables import Library

MANIFEST = "manifest.json"
NO_PYARROW = "A data set is read with pyarrow. Install it: pip install 'pigpen-arena[data]'"


def load(
    folder: str | Path, table: str, columns: Sequence[str] | None = None, library: Library | None = None
) -> Iterator[Any]:
    """
    Read a table of a data set, some rows at a time: memory does not grow with the data set.

    Args:
        folder: Where `pigpen ladder export` has written it.
        table: `matches`, `seats`, `deals`, `decisions`, `versions` or `ratings`; docs/dataset.md has their columns.
        columns: Only these; None: all.
        library: polars or pandas; None: the first of them that is installed.

    Yields:
        Data frames, one for each part of the table.

    Raises:
        UserError: If there is no such data set, table or column, or a library is not installed.
    """
    try:
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise UserError(NO_PYARROW) from None
    where = Path(folder)
    try:
        tables = json.loads((where / MANIFEST).read_bytes())["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{str(folder)!r} is no data set. Write one with: pigpen ladder export {folder}") from None
    if table not in tables:
        raise UserError(f"There is no table {table!r}. Choose one of {', '.join(tables)}.")
    for part in sorted((where / table).glob("*.parquet")):
        found = pq.ParquetFile(part)
        if unknown := [name for name in columns or () if name not in found.schema_arrow.names]:
            raise UserError(
                f"{table} has no column {unknown[0]!r}. Choose some of {', '.join(found.schema_arrow.names)}."
            )
        yield arrow_frame(found.read(columns=None if columns is None else list(columns)), library)
