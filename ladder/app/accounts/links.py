"""The site's address: in links that open something once, as people get them; and whether a site listens there."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ladder.values.accounts import InvitationLink

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.values.accounts import NewSecret

NOTED = "site-address"
"""The file in the ladder's folder that says where its site listens, or listened last."""
USUAL_PORT = 8020
"""The port on which the site listens by default."""
NO_SITE = (
    "No site of this ladder is running here, and {what} there: until one is, there is nothing to do. To run the site "
    "alone: pigpen serve. To run all of the ladder: pigpen up"
)
LOOK_SECONDS = 2.0
"""Seconds that a site of this machine has to take a connection."""


def link_of(settings: Settings, made: NewSecret, address: str = "") -> InvitationLink:
    """
    Give the link of an invitation.

    Args:
        settings: They may name the site's address.
        made: The invitation.
        address: The site's address if the settings do not name it; empty: where it listens, or listened last.
    """
    base = site_address(settings, address)
    return InvitationLink(id=made.id, link=f"{base}/register?invitation={made.secret}", expires=made.expires)


def note_address(settings: Settings, address: str) -> None:
    """Let other processes know where the site listens: it may have taken another port than the settings say."""
    with suppress(OSError):  # without it links name the usual port
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        (settings.data_dir / NOTED).write_text(address, encoding="utf-8")


def site_address(settings: Settings, address: str = "") -> str:
    """Give the address of the site, without a slash at the end; the arguments are those of `link_of`."""
    return (settings.site_url or address or listening_address(settings)).rstrip("/")


def listening_address(settings: Settings) -> str:
    """Give the address at which the site listens on this machine, or listened last, or would by the settings."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.site_host, settings.site_host)
    scheme = "https" if settings.tls_certificate else "http"
    usual = f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.site_port or USUAL_PORT}"
    return _noted(settings) or usual


def _noted(settings: Settings) -> str:
    try:
        return (settings.data_dir / NOTED).read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return ""


def why_nobody_comes(settings: Settings, what: str) -> str:
    """Say that no site of the ladder listens on this machine, *what* people do there; empty: one listens."""
    place = urlsplit(listening_address(settings))
    try:
        with socket.create_connection((place.hostname, place.port), LOOK_SECONDS):
            return ""
    except (OSError, ValueError):
        return NO_SITE.format(what=what)
