"""Files that this user may not read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANONYMOUS = 65534


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Make *path* unreadable, in a test's own folder; root, who may always read, becomes another user meanwhile."""
    mode = path.stat().st_mode
    for parent in path.parents:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(0o755)
    path.chmod(0)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(ANONYMOUS)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        path.chmod(mode)
