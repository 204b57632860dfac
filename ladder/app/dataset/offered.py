"""The data set that the site offers: what `pigpen ladder export` has written to the ladder's own folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from ladder.errors import LadderError
from ladder.values.reports import DatasetManifest

if TYPE_CHECKING:
    from pathlib import Path

FOLDER, MANIFEST = "dataset", "manifest.json"
NOTHING = "This ladder offers no data set."


def offered_dataset(data_dir: Path) -> DatasetManifest:
    """
    Read the manifest of the data set that is offered.

    Args:
        data_dir: The ladder's folder.

    Raises:
        LadderError: If there is none, or its first export is still being written.
    """
    try:
        return DatasetManifest.model_validate_json((data_dir / FOLDER / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        raise LadderError(NOTHING) from None


def has_dataset(data_dir: Path) -> bool:
    """Tell whether the ladder with this folder offers a data set."""
    try:
        offered_dataset(data_dir)
    except LadderError:
        return False
    return True


def dataset_file(data_dir: Path, name: str) -> Path:
    """
    Find a file of the data set that is offered.

    Args:
        data_dir: The ladder's folder.
        name: As the manifest has it; nothing else is found.

    Raises:
        LadderError: If there is no data set, or no such file in it.
    """
    if not any(each.name == name for each in offered_dataset(data_dir).files):
        raise LadderError(f"The data set has no file {name!r}.")
    return data_dir / FOLDER / name
