"""The bots that a process or a machine is likely to have ready, because it played them last."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class KnownBots:
    """Identities of the versions played last, up to a number."""

    def __init__(self, max_bots: int) -> None:
        """Begin with none; *max_bots* of them are remembered."""
        self._max_bots = max_bots
        self._known: dict[str, None] = {}
        """The one played last at the end."""

    def remember(self, bots: Iterable[str]) -> None:
        """Note that these are played."""
        for bot in bots:
            self._known.pop(bot, None)
            self._known[bot] = None
        while len(self._known) > self._max_bots:
            del self._known[next(iter(self._known))]

    def count(self, bots: Iterable[str]) -> int:
        """Count those of *bots* that are known."""
        return len(self._known.keys() & set(bots))

    def clear(self) -> None:
        """Forget them all."""
        self._known.clear()
