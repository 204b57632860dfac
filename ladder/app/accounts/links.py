"""Links that open something once, as people get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.values.accounts import InvitationLink

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.values.accounts import NewSecret

USUAL_PORT = 8020
"""Where the site listens, if nobody says otherwise."""


def link_of(settings: Settings, made: NewSecret, address: str = "") -> InvitationLink:
    """
    Give the link of an invitation.

    Args:
        settings: They may name the site's address.
        made: The invitation.
        address: The site's address if the settings do not name it; empty: the usual one.
    """
    base = site_address(settings, address)
    return InvitationLink(id=made.id, link=f"{base}/register?invitation={made.secret}", expires=made.expires)


def site_address(settings: Settings, address: str = "") -> str:
    """The address of the site, without a slash at the end; the arguments are those of `link_of`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.site_host, settings.site_host)
    scheme = "https" if settings.tls_certificate else "http"
    usual = f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.site_port or USUAL_PORT}"
    return (settings.site_url or address or usual).rstrip("/")
