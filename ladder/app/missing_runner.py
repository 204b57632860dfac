"""Sentences about a ladder that no runner plays, on this machine or a remote one, or that has no site here."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ladder.app.accounts.links import listening_address

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.values.health import LadderHealth

START_HERE = "Start one with: pigpen up, or pigpen ladder run."
START_THERE = "The organiser of that ladder can start one."

NO_SITE = (
    "No site of this ladder is running here, and {what} there: until one is, there is nothing to do. To run the site "
    "alone: pigpen serve. To run all of the ladder: pigpen up"
)
LOOK_SECONDS = 2.0
"""Seconds that a site of this machine has to take a connection."""


def why_nobody_comes(settings: Settings, what: str) -> str:
    """Say that no site of the ladder listens on this machine, *what* people do there; empty: one listens."""
    place = urlsplit(listening_address(settings))
    try:
        with socket.create_connection((place.hostname, place.port), LOOK_SECONDS):
            return ""
    except (OSError, ValueError):
        return NO_SITE.format(what=what)


def why_nothing_plays(found: LadderHealth, way_out: str) -> str:
    """Say in sentences that no runner plays, since when, and the *way_out*; empty: one plays, or nothing waits."""
    if found.runners or not found.waiting:
        return ""
    return f"Nothing plays: {no_runner(found)}. {way_out}"


def no_runner(found: LadderHealth) -> str:
    """Say since when no runner has been seen, as a part of a sentence."""
    if found.seen is None:
        return "no runner has been seen yet"
    return f"no runner has been seen since {found.seen:%Y-%m-%d %H:%M} UTC"
