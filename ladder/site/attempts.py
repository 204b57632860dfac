"""How often somebody may try what others could guess, or what costs the site much: by address, and by account."""

from __future__ import annotations

import enum
import time

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from ladder.entry.networks import network_of
from ladder.errors import TooOften
from ladder.site.words import to_translate

TOO_OFTEN = to_translate("That was tried too often. Try again in {minutes} min.")
MOST_KEYS = 100_000
"""Addresses and accounts that are counted at the same time; with more, counting begins anew."""


class Attempt(enum.StrEnum):
    """What is counted."""

    LOG_IN = "log in"
    REGISTER = "register"
    START_CODE = "start code"
    ASK_CODE = "ask code"
    CONFIRM_CODE = "confirm code"
    CHANGE_PASSWORD = "change password"
    CREATE_TOKEN = "create token"
    REGISTRY = "registry"
    OPEN_TABLE = "open table"


LIMITS: dict[Attempt, tuple[int, int, int]] = {
    Attempt.LOG_IN: (60, 10, 600),
    Attempt.REGISTER: (60, 10, 3600),
    Attempt.START_CODE: (60, 60, 600),
    Attempt.ASK_CODE: (12_000, 12_000, 600),
    Attempt.CONFIRM_CODE: (60, 20, 600),
    Attempt.CHANGE_PASSWORD: (60, 10, 600),
    Attempt.CREATE_TOKEN: (60, 30, 600),
    Attempt.REGISTRY: (600, 300, 600),
    Attempt.OPEN_TABLE: (60, 60, 3600),
}
"""How often by address, how often by account, in how many seconds. A class of students may have one address."""


class Attempts:
    """Counts attempts in a moving window, in this process."""

    def __init__(self) -> None:
        self._storage = MemoryStorage()
        self._limiter = MovingWindowRateLimiter(self._storage)

    def count(self, what: Attempt, address: str, account: str = "") -> None:
        """
        Count an attempt.

        Args:
            what: What is tried.
            address: From where.
            account: As what account; empty: none.

        Raises:
            TooOften: If it was tried too often; this one counts too little to keep anybody out longer.
        """
        if len(self._storage.events) > MOST_KEYS:
            self._storage.reset()
        by_address, by_account, seconds = LIMITS[what]
        self._hit(RateLimitItemPerSecond(by_address, seconds), what, "address", network_of(address))
        if account:
            self._hit(RateLimitItemPerSecond(by_account, seconds), what, "account", account.casefold())

    def forgive(self, what: Attempt, account: str) -> None:
        """Count anew for an account whose owner has just proved to be it."""
        _, by_account, seconds = LIMITS[what]
        self._limiter.clear(RateLimitItemPerSecond(by_account, seconds), what, "account", account.casefold())

    def _hit(self, limit: RateLimitItemPerSecond, *key: str) -> None:
        if not self._limiter.hit(limit, *key):
            until = self._limiter.get_window_stats(limit, *key).reset_time
            raise TooOften(TOO_OFTEN, max(1.0, until - time.time()))
