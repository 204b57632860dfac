"""Progress reports of long-running work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]
    """Begins to show it: what the steps are called, and how many there are; gives what to call after each step."""
