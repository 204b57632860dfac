"""The state that all routes share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ladder.app.accounts.passwords import Passwords
    from ladder.app.ladder import Ladder
    from ladder.app.live_hub import LiveHub
    from ladder.app.wheels import OfferedWheel
    from ladder.site.rendering.cache import AnswerCache, RecentValues
    from ladder.site.rendering.own_texts import OwnTexts
    from ladder.site.rendering.templates import Pages
    from ladder.site.server.attempts import Attempts
    from ladder.site.server.flows import ProviderState
    from ladder.site.server.metrics import Metrics
    from ladder.site.server.places import SharedPlaces, Turns

MAX_NUMBER = 2**31 - 1
"""No match has a higher one."""


@dataclass(frozen=True)
class Site:
    """Each route has it as `request.app.state.site`."""

    ladder: Ladder
    answers: AnswerCache
    """Answers that are good until the ladder changes."""
    fixed: AnswerCache
    """Answers that never change."""
    recent: RecentValues
    """Values that visitors share and no revision tells of."""
    pages: Pages
    metrics: Metrics
    hub: LiveHub
    passwords: Passwords
    attempts: Attempts
    hashing: Turns
    """Limits how many log-ins hash a password at once, and how many wait for that."""
    turns: Turns
    """In which pages and answers are made."""
    streams: SharedPlaces
    """Of the streams of events that are open."""
    look_seconds: float
    """Seconds between two looks of a stream at its submission."""
    ask_seconds: float
    """Seconds between two questions of a command that logs in."""
    wheels: tuple[OfferedWheel, ...]
    """Of Pigpen, for visitors to install; none if the site has none."""
    docs: ASGIApp | None
    """Gives the documentation; None: it is not built."""
    own: OwnTexts
    """Of the organiser: privacy, imprint, terms."""
    provider: ProviderState | None = None
    """The identity provider with which people log in; None: they do not."""
    readers: Counter[str | None] = field(default_factory=Counter)
    """Number of streams of submissions that each account reads."""
