"""What a browser has begun and will come back to: kept in this process for some minutes, each good once."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from ladder.app.accounts.secrets import new_secret

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
GOOD_SECONDS = 600.0
MAX_FLOWS = 10_000


class Flows(Generic[T]):
    """By a secret that the browser keeps in a cookie; the oldest go first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_flows: int = MAX_FLOWS) -> None:
        self._clock = clock
        self._max_flows = max_flows
        self._kept: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, value: T) -> str:
        """Keep something; gives the secret for the cookie."""
        secret = new_secret("")
        with self._lock:
            self._kept[secret] = self._clock() + GOOD_SECONDS, value
            while len(self._kept) > self._max_flows:
                self._kept.popitem(last=False)
        return secret

    def take(self, secret: str) -> T | None:
        """Give what was kept, once; None if there is nothing, or nothing any more."""
        with self._lock:
            until, value = self._kept.pop(secret, (0.0, None))
        return value if until > self._clock() else None
