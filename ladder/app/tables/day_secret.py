"""The secret of a ladder from which all days' boards come, in a file that only its user may read."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.cluster.private_files import make_private, write_private
from ladder.entry.today import SECRET_BYTES
from ladder.errors import LadderError, UserError

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
    file = data_dir / FOLDER / FILE
    try:
        if not file.exists():
            make_private(file.parent)
            with suppress(UserError):  # another process was faster, or reading will tell
                write_private(file, secrets.token_hex(SECRET_BYTES))
        secret = bytes.fromhex(file.read_text("ascii"))
    except (OSError, ValueError) as error:
        raise LadderError(f"The secret of the days' boards, {file}, cannot be read: {error}.") from error
    if len(secret) != SECRET_BYTES:
        raise LadderError(f"The secret of the days' boards, {file}, has {len(secret)} bytes, and not {SECRET_BYTES}.")
    return secret
