"""Addresses of ladders, as people type them."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from ladder.errors import UserError

PORTS = {"https": 443, "http": 80}


def ladder_address(word: str, plain_http: bool = False) -> str:
    """
    Check the address of a ladder, and write it in one way.

    >>> ladder_address("HTTPS://Arena.example:443/")
    'https://arena.example'

    Args:
        word: The address as the user typed it.
        plain_http: Let tokens travel unencrypted beyond this machine.

    Raises:
        UserError: If it is no such address; the message says what would be one.
    """
    try:
        parts = urlsplit(word.strip())
        port = parts.port
    except ValueError as error:
        raise UserError(f"{word!r} is not an address: {error}.") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise UserError(f"{word!r} is not the address of a ladder. Write it as https://arena.example")
    if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
        raise UserError(
            f"{_without_secrets(parts)!r} holds more than the address of a ladder. Write only scheme, host and port: "
            f"{_origin(parts, port)}"
        )
    if not all(letter.isprintable() and not letter.isspace() and letter not in '"<>\\^`{|}' for letter in word.strip()):
        raise UserError(f"{word!r} is not the address of a ladder. Write it as https://arena.example")
    if parts.scheme == "http" and not is_loopback(parts.hostname) and not plain_http:
        raise UserError(
            f"{word!r} is not encrypted: others on the network could read your token. Write https://, or add "
            "--plain-http."
        )
    return _origin(parts, port)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, whatever a name server says."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def origin_of(address: str) -> str:
    """Give scheme, host and port of an address: a token is for one origin alone. Empty if it has none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port or PORTS.get(parts.scheme)}" if parts.hostname else ""


def _origin(parts: SplitResult, port: int | None) -> str:
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, PORTS[parts.scheme]) else f":{port}")


def _without_secrets(parts: SplitResult) -> str:
    """Give the address without what may be a password."""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
