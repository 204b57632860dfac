"""The last bytes of an endless output."""

from __future__ import annotations

from ladder.sandbox.base import STDERR_TAIL


class Tail:
    """Keeps the last `STDERR_TAIL` bytes of what is written to it."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def write(self, data: bytes) -> None:
        """Add *data*, and drop from the front what is too much."""
        self._kept += data
        del self._kept[:-STDERR_TAIL]

    def __str__(self) -> str:
        """Give what is kept; bytes that are no UTF-8 become replacement characters."""
        return self._kept.decode(errors="replace")
