"""Reading the data set of a ladder, which `pigpen ladder export` writes: from a folder, or from a ladder's site."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ladder.app.dataset.offered import MANIFEST
from ladder.app.wheels import install_line
from ladder.errors import UserError
from ladder.values.reports import DatasetManifest
from pigpen_arena.tables import arrow_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pyarrow.parquet as pq

    from ladder.values.reports import DatasetFile
    from pigpen_arena.tables import Library

NO_PYARROW = "A data set is read with pyarrow. Install it: {}"


@dataclass(frozen=True)
class _Source:
    """A data set, and how a file of it becomes one on this machine."""

    manifest: DatasetManifest
    path: Callable[[DatasetFile], Path]

    def files(self, table: str) -> list[DatasetFile]:
        """List the files of a table, the oldest matches first."""
        if table not in self.manifest.rows:
            raise UserError(f"There is no table {table!r}. Choose one of {', '.join(self.manifest.rows)}.")
        found = (each for each in self.manifest.files if each.name.startswith(f"{table}/"))
        return sorted(found, key=lambda each: each.name)


def dataset_parts(source: str | Path, table: str) -> list[str]:
    """
    List the parts of a table of a data set; see `load`.

    Args:
        source: A folder, or the address of a ladder.
        table: Name of the table.

    Returns:
        Their names. A part stays as it is once it is written; `versions` and `ratings` have one, which is written anew.

    Raises:
        LadderError: If the ladder offers no data set.
        UserError: If there is no such data set or table.
    """
    with _opened(source) as found:
        return [Path(each.name).stem for each in found.files(table)]


def load(
    source: str | Path,
    table: str,
    columns: Sequence[str] | None = None,
    library: Library | None = None,
    parts: Collection[str] | None = None,
) -> Iterator[Any]:
    """
    Read a table of a data set, some rows at a time: memory does not grow with the data set.

    Files of a remote ladder are fetched when they are needed, checked against their SHA-256, and kept in the cache
    (`XDG_CACHE_HOME`): what was interrupted resumes where it was.

    Args:
        source: The folder where `pigpen ladder export` has written it, or the address of a ladder that offers it,
            such as ``https://arena.example``.
        table: `matches`, `seats`, `deals`, `decisions`, `versions` or `ratings`; docs/dataset.md has their columns.
        columns: Only these; None: all.
        library: polars or pandas; None: the first of them that is installed.
        parts: Only these, of those that `dataset_parts` lists; None: all.

    Yields:
        Data frames, one for each part of the table.

    Raises:
        LadderError: If the ladder offers no data set.
        RemoteError: If the ladder does not answer.
        UserError: If there is no such data set, table or column, or a library is not installed.
    """
    for found in _parts(source, table, parts):
        if unknown := [name for name in columns or () if name not in found.schema_arrow.names]:
            raise UserError(
                f"{table} has no column {unknown[0]!r}. Choose some of {', '.join(found.schema_arrow.names)}."
            )
        yield arrow_frame(found.read(columns=None if columns is None else list(columns)), library)


def read_parts(source: str | Path, table: str) -> Iterator[list[dict[str, Any]]]:
    """
    Read a table part by part, as rows.

    Raises:
        PigpenError: As `load`.
    """
    for found in _parts(source, table):
        yield found.read().to_pylist()


def _parts(source: str | Path, table: str, parts: Collection[str] | None = None) -> Iterator[pq.ParquetFile]:
    """Open the parts of a table."""
    try:
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise UserError(NO_PYARROW.format(install_line("data"))) from None
    with _opened(source) as found:
        for file in found.files(table):
            if parts is None or Path(file.name).stem in parts:
                yield pq.ParquetFile(found.path(file))


@contextmanager
def _opened(source: str | Path) -> Iterator[_Source]:
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        from ladder.app.remote.connection import Connection
        from ladder.app.remote.datasets import RemoteDataset
        from ladder.app.remote.login import ladder_address

        with Connection(ladder_address(source, plain_http=True)) as connection:  # no token travels
            remote = RemoteDataset(connection)
            yield _Source(remote.manifest, remote.path)
        return
    folder = Path(source)
    try:
        manifest = DatasetManifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        raise UserError(f"{str(source)!r} is no data set. Write one with: pigpen ladder export {source}") from None
    yield _Source(manifest, lambda file: _checked(folder, file))


def _checked(folder: Path, file: DatasetFile) -> Path:
    path = folder / file.name
    if not path.is_file() or path.stat().st_size != file.bytes:
        raise UserError(
            f"{file.name} is missing in {str(folder)!r}, or is not as long as the manifest says. Write it again with: "
            f"pigpen ladder export {folder}"
        )
    return path
