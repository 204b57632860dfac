"""
Limits on attempts at what could be guessed, or what costs the site much: by address, and by account.

An attempt to log in is counted by account *and* place, so that no stranger uses up the attempts of the account's owner.
An attempt that one limit refuses counts for none: who tries too often does not use up what others at one address have.
"""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from ladder.entry.networks import neighbourhood_of, network_of
from ladder.errors import TooOften
from ladder.site.rendering.translations import to_translate

if TYPE_CHECKING:
    from collections.abc import Sequence

TOO_OFTEN = to_translate("Too many attempts. Try again in {minutes} min.")
FROM_ALL_PLACES = to_translate(
    "The password of this account was tried too often from places where it has not logged in before. Log in with a "
    "browser in which you did, ask the organiser for a link (pigpen account password NAME), or try again in {minutes} "
    "min."
)
MAX_KEYS = 100_000
"""Addresses and accounts that are counted at the same time; with more, counting begins anew."""


class Attempt(enum.StrEnum):
    """The kinds of attempts that are counted."""

    LOG_IN = "log in"
    REGISTER = "register"
    START_CODE = "start code"
    ASK_CODE = "ask code"
    CONFIRM_CODE = "confirm code"
    CHANGE_PASSWORD = "change password"
    CREATE_TOKEN = "create token"
    OWN_DATA = "own data"
    REGISTRY = "registry"
    OPEN_TABLE = "open table"
    ANSWER_PUZZLE = "answer puzzle"
    EDIT_STUDY = "edit study"
    MAIL_ADDRESS = "mail address"
    MAIL_TO = "mail to"
    """Letters to confirm an address, by account *and* mailbox: a stranger uses up no one's letters but its own."""
    MAIL_FROM_ALL = "mail from all"
    """Such letters of all accounts together: the mailbox stands in the place of the account."""
    FORGOTTEN = "forgotten password"
    CHANGE_TEAM = "change team"


LIMITS: dict[Attempt, tuple[int, int, int]] = {
    Attempt.LOG_IN: (60, 10, 600),
    Attempt.REGISTER: (60, 10, 3600),
    Attempt.START_CODE: (60, 60, 600),
    Attempt.ASK_CODE: (12_000, 12_000, 600),
    Attempt.CONFIRM_CODE: (60, 20, 600),
    Attempt.CHANGE_PASSWORD: (60, 10, 600),
    Attempt.CREATE_TOKEN: (60, 30, 600),
    Attempt.OWN_DATA: (60, 10, 600),
    Attempt.REGISTRY: (600, 300, 600),
    Attempt.OPEN_TABLE: (60, 60, 3600),
    Attempt.ANSWER_PUZZLE: (600, 300, 3600),
    Attempt.EDIT_STUDY: (600, 300, 3600),
    Attempt.MAIL_ADDRESS: (200, 5, 86_400),
    Attempt.MAIL_TO: (200, 3, 86_400),
    Attempt.MAIL_FROM_ALL: (200, 12, 86_400),
    Attempt.FORGOTTEN: (100, 5, 3600),
    Attempt.CHANGE_TEAM: (400, 20, 86_400),
}
"""Attempts of an address, attempts of an account, and the seconds in which they count; a class may have one address."""
ALL_PLACES = {Attempt.LOG_IN: 100}
"""Attempts at one account from all unknown places together, where its proof could be guessed."""


@dataclass(frozen=True)
class _Limit:
    """The number of attempts with one key in a number of seconds, and the sentence of the refusal beyond it."""

    count: int
    seconds: int
    key: tuple[str, ...]
    sentence: str = TOO_OFTEN


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
            account: As what account, which has proved to be it; empty: none.

        Raises:
            TooOften: If it was tried too often; this one counts too little to keep anybody out longer.
        """
        self._tidy()
        by_address, by_account, seconds = LIMITS[what]
        limits = [_Limit(by_address, seconds, (what, "address", network_of(address)))]
        if account:
            limits.append(_Limit(by_account, seconds, (what, "account", account.casefold())))
        self._hit(limits)

    def count_claim(self, what: Attempt, address: str, account: str, device: str = "") -> None:
        """
        Count an attempt to prove to be an account.

        Args:
            what: What is tried.
            address: From where.
            account: As what account.
            device: The number by which the browser is known to the account; attempts of strangers do not count for it.

        Raises:
            TooOften: If it was tried too often from there, or from all places that are not known to the account.
        """
        self._tidy()
        by_address, by_account, seconds = LIMITS[what]
        account = account.casefold()
        limits = [_Limit(by_account, seconds, _claim(what, address, account, device))]
        if not device:
            limits.append(_Limit(by_address, seconds, (what, "address", network_of(address))))
        if what in ALL_PLACES and not device:
            limits.append(_Limit(ALL_PLACES[what], seconds, (what, "all places", account), FROM_ALL_PLACES))
        self._hit(limits)

    def forgive(self, what: Attempt, address: str, account: str, device: str = "") -> None:
        """Count anew for a place from which an account's owner has just proved to be it."""
        _, by_account, seconds = LIMITS[what]
        self._limiter.clear(
            RateLimitItemPerSecond(by_account, seconds), *_claim(what, address, account.casefold(), device)
        )

    def _tidy(self) -> None:
        if len(self._storage.events) > MAX_KEYS:
            self._storage.reset()

    def _hit(self, limits: Sequence[_Limit]) -> None:
        for tried in (self._limiter.test, self._limiter.hit):
            for limit in limits:
                item = RateLimitItemPerSecond(limit.count, limit.seconds)
                if not tried(item, *limit.key):
                    until = self._limiter.get_window_stats(item, *limit.key).reset_time
                    raise TooOften(limit.sentence, max(1.0, until - time.time()))


def _claim(what: Attempt, address: str, account: str, device: str) -> tuple[str, ...]:
    """Give the key of an attempt to prove to be an account: a known browser, or else addresses near each other."""
    return (what, "device", account, device) if device else (what, "place", account, neighbourhood_of(address))
