"""The data set of a ladder: what its manifest says."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ladder.values.value import Time, Value


class DatasetFile(Value):
    """A file of the data set."""

    name: Annotated[str, Field(pattern=r"^[a-z]+/[a-z0-9-]+\.parquet$")]
    """Its path within the folder."""
    bytes: int
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class DatasetManifest(Value):
    """The file `manifest.json` of a data set."""

    version: int
    """Of the columns (docs/dataset.md)."""
    written: Time
    licence: str
    """Under which it may be used, in the organiser's words; empty: none was given."""
    rows: dict[str, int]
    """By table."""
    files: tuple[DatasetFile, ...]
