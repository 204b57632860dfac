"""Names that a worker may have."""

from __future__ import annotations

import re

from ladder.errors import UserError
from ladder.values.names import NAME_LENGTH

NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_LENGTH - 1}}}", re.ASCII)


def check_worker_name(name: str) -> None:
    """
    Check a worker's name.

    Raises:
        UserError: If it is none.
    """
    if not NAME.fullmatch(name):
        raise UserError(
            f"{name[:80]!r} is no name for a worker: letters, digits, '.', '_' and '-', at most {NAME_LENGTH}."
        )
