"""
Reports of workers about bots that are missing, or whose containers were killed; pure functions.

Such a bot is suspended, so one worker's word is not enough: its own registry, disk, or memory may be what is wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_REPORTS = 2
"""Workers that must report a version as lost before it is believed."""
SHORT = 64 * 1024
"""An outcome without a record has fewer characters."""
MAX_REMEMBERED = 1000
"""Reported versions that are remembered."""


class LostClaims:
    """The workers that have reported a version as lost, by version."""

    def __init__(self) -> None:
        self._claims: dict[str, set[str]] = {}
        self._broken: dict[str, Counter[str]] = {}
        """By bot: how many of its containers were killed at each worker."""

    def weigh(self, answer: str, worker: str, bots: Sequence[str] = (), *, is_alone: bool) -> str:
        """
        Leave out of an outcome what is not to be believed yet; the attempt is void all the same.

        Args:
            answer: What a worker has answered, as JSON, or anything else.
            worker: Its name.
            bots: The identities of the bots in the match, by number.
            is_alone: Whether no other worker could be asked.
        """
        if is_alone or len(answer) > SHORT:
            return answer
        try:
            plain: Any = json.loads(answer)
            identity, broke = plain.get("lost"), plain.get("broke")
            broken = bots[broke] if type(broke) is int and broke >= 0 else None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return answer
        doubted: list[str] = []
        if isinstance(identity, str) and not self._believes_lost(identity, worker):
            doubted.append("lost")
        if broken is not None and not self._believes_broken(broken, worker):
            doubted.append("broke")
        return json.dumps(plain | dict.fromkeys(doubted)) if doubted else answer

    def _believes_lost(self, identity: str, worker: str) -> bool:
        reporters = self._claims.setdefault(identity, set())
        reporters.add(worker)
        _forget(self._claims)
        return len(reporters) >= MIN_REPORTS

    def _believes_broken(self, identity: str, worker: str) -> bool:
        """Believe of one worker at most as many reports as of all others: a bad bot fails at every worker."""
        count = self._broken.setdefault(identity, Counter())
        count[worker] += 1
        _forget(self._broken)
        return count.total() - count[worker] >= count[worker]


def _forget(claims: dict[str, Any]) -> None:
    if len(claims) > MAX_REMEMBERED:
        del claims[next(iter(claims))]
