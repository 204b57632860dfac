"""
What workers say of bots that are not to be had any more; pure.

Such a bot is suspended, so one worker's word is not enough: its own registry, or disk, may be what is wrong.
"""

from __future__ import annotations

import json
from typing import Any

ENOUGH = 2
"""So many workers are believed."""
SHORT = 64 * 1024
"""An outcome that says so has fewer characters."""
MOST_REMEMBERED = 1000
"""So many versions are remembered of which somebody has said so."""


class LostClaims:
    """Who has said of which version that it is lost."""

    def __init__(self) -> None:
        self._claims: dict[str, set[str]] = {}

    def weigh(self, answer: str, worker: str, *, is_alone: bool) -> str:
        """
        Leave out of an outcome what is not to be believed yet; the attempt is void all the same.

        Args:
            answer: What a worker has answered, as JSON, or anything else.
            worker: Its name.
            is_alone: Whether no other worker could be asked.
        """
        if len(answer) > SHORT or '"lost"' not in answer:
            return answer
        try:
            plain: Any = json.loads(answer)
            identity = plain["lost"]
        except (ValueError, TypeError, LookupError, RecursionError):
            return answer
        if not isinstance(identity, str) or is_alone:
            return answer
        said = self._claims.setdefault(identity, set())
        said.add(worker)
        if len(self._claims) > MOST_REMEMBERED:
            del self._claims[next(iter(self._claims))]
        return answer if len(said) >= ENOUGH else json.dumps(plain | {"lost": None})
