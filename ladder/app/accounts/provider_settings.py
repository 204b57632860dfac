"""The check that the settings name an identity provider that a site can use."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ladder.errors import UserError

if TYPE_CHECKING:
    from ladder.settings.settings import Settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def check_provider(settings: Settings) -> None:
    """
    Make sure that a site that logs people in with an identity provider has one.

    Raises:
        UserError: If the settings do not name it, or not by HTTPS.
    """
    if settings.registration != "oidc":
        return
    if not settings.oidc_issuer or not settings.oidc_client:
        raise UserError('registration = "oidc" needs the settings oidc_issuer and oidc_client, too.')
    if not is_safe(settings.oidc_issuer, is_loopback=True):
        raise UserError(f"The identity provider {settings.oidc_issuer!r} must be an address that begins with https://.")


def is_safe(address: str, is_loopback: bool) -> bool:
    """
    Tell whether an address is one of HTTPS, or of HTTP on this machine.

    >>> is_safe("https://id.example", True), is_safe("http://id.example", True), is_safe("http://127.0.0.1:1", True)
    (True, False, True)
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    return is_loopback and parts.scheme == "http" and parts.hostname in LOOPBACK
