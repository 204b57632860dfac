"""A secret that a ladder makes once, in a file that only its user may read: all its processes have the same."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.cluster.private_files import make_private, write_private
from ladder.errors import LadderError, UserError

if TYPE_CHECKING:
    from pathlib import Path

SECRET_BYTES = 32


def kept_secret(file: Path, what: str) -> bytes:
    """
    Read a secret; the first time it is made.

    Args:
        file: Where it is, in hex.
        what: What it is, as errors call it: "The secret of …".

    Raises:
        LadderError: If the file cannot be read, or holds something else.
        UserError: If it cannot be made.
    """
    try:
        if not file.exists():
            make_private(file.parent)
            with suppress(UserError):  # another process was faster, or reading will tell
                write_private(file, secrets.token_hex(SECRET_BYTES))
        secret = bytes.fromhex(file.read_text("ascii"))
    except (OSError, ValueError) as error:
        raise LadderError(f"{what}, {file}, cannot be read: {error}.") from error
    if len(secret) != SECRET_BYTES:
        raise LadderError(f"{what}, {file}, has {len(secret)} bytes instead of {SECRET_BYTES}.")
    return secret
