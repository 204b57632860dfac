"""People on the way to the ladder's identity provider, or back from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.app.accounts.passwords import BUSY, MAX_WAITING
from ladder.site.server.flows import Flows
from ladder.site.server.places import Turns

if TYPE_CHECKING:
    from ladder.app.accounts.oidc import Begun, KnownPerson, Provider

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
