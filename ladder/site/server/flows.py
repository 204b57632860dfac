"""
Log-ins by way of the ladder's identity provider that are under way.

`Flows` are what a browser has begun and will come back to: kept in this process for some minutes, each good once.
`ProviderState` knows the people on the way to the provider, or back from it.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from ladder.app.accounts.passwords import BUSY, MAX_WAITING
from ladder.app.accounts.sessions import new_secret
from ladder.errors import Busy
from ladder.site.server.places import Place, SharedPlaces, Turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.accounts.oidc import Begun, KnownPerson, Provider

T = TypeVar("T")
GOOD_SECONDS = 600.0
MAX_FLOWS = 10_000


class _Kept(NamedTuple, Generic[T]):
    until: float
    value: T
    place: Place


class Flows(Generic[T]):
    """By a secret that the browser keeps in a cookie. With too many, the oldest go first of those who have the most."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_flows: int = MAX_FLOWS) -> None:
        self._clock = clock
        self._kept: dict[str, _Kept[T]] = {}
        self._places = SharedPlaces(max_flows)
        self._lock = threading.Lock()

    def keep(self, value: T, address: str) -> str:
        """
        Keep something for a browser at an address; gives the secret for the cookie.

        Raises:
            Busy: If too many are on the way, and no other visitors have more of them.
        """
        secret = new_secret("")
        with self._lock:
            place = self._places.take(address, lambda: self._kept.pop(secret, None), is_idle=True)
            if place is None:
                raise Busy(BUSY)
            self._kept[secret] = _Kept(self._clock() + GOOD_SECONDS, value, place)
        return secret

    def take(self, secret: str) -> T | None:
        """Give what was kept, once; None if there is nothing, or nothing any more."""
        with self._lock:
            kept = self._kept.pop(secret, None)
            if kept is None:
                return None
            kept.place.leave()
        return kept.value if kept.until > self._clock() else None


AT_ONCE = 4
"""Threads that wait for the provider."""


@dataclass(frozen=True)
class Flow:
    """A log-in that a browser has begun, or whose name is still to be chosen."""

    place: str
    """The page to which it goes next."""
    invitation: str
    begun: Begun | None = None
    known: KnownPerson | None = None


@dataclass(frozen=True)
class ProviderState:
    """The identity provider, and who is on the way there or back."""

    provider: Provider
    flows: Flows[Flow] = field(default_factory=Flows)
    turns: Turns = field(default_factory=lambda: Turns(AT_ONCE, MAX_WAITING, BUSY))
