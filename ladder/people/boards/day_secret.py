"""The secret of a ladder from which all days' boards come, in a file that only its user may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.kept_secret import kept_secret

if TYPE_CHECKING:
    from pathlib import Path

FOLDER, FILE = "tables", "today.secret"


def day_secret(data_dir: Path) -> bytes:
    """
    Read the secret; the first time it is made. All processes of a ladder have the same.

    Raises:
        LadderError: If the file cannot be read, or holds something else.
        UserError: If it cannot be made.
    """
    return kept_secret(data_dir / FOLDER / FILE, "The secret of the days' boards")
