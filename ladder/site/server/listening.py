"""The site's listening address, the machines that may reach it there, and the address to type into a browser."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import TYPE_CHECKING

from ladder.app.accounts.links import USUAL_PORT
from ladder.errors import UserError

if TYPE_CHECKING:
    from ladder.settings.settings import Settings


def listen(host: str, port: int, usual_port: int = USUAL_PORT) -> socket.socket:
    """
    Begin to listen; what comes before `serve` waits.

    Args:
        host: The address to listen at.
        port: The port; 0: the usual one, or any other one that is free.
        usual_port: The usual one.

    Raises:
        UserError: If that cannot be.
    """
    for each in (port,) if port else (usual_port, 0):
        try:
            family = socket.getaddrinfo(host, each, type=socket.SOCK_STREAM)[0][0]
            listener = socket.create_server((host, each), family=family, backlog=1024)
            # For all connections: else the body of an answer waits 40 ms for the other side to confirm the headers.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return listener
        except (OSError, UnicodeError) as error:
            reason = _reason(error)
    raise UserError(
        f"The site cannot listen at {host!r}, port {port or 'any'}: {reason}. Choose others with --host and --port."
    )


def check_reach(listener: socket.socket, settings: Settings, *, tls: bool) -> None:
    """
    Make sure that passwords and sessions do not cross a network as plain text.

    Args:
        listener: What `listen` gave; it has answered no request yet.
        settings: Name the proxy before the site, or allow HTTP.
        tls: Whether the site speaks HTTPS itself.

    Raises:
        UserError: If other machines would reach the site over HTTP, and no setting says that this is meant.
    """
    host = str(listener.getsockname()[0])
    if tls or settings.site_proxy or settings.plain_http or _is_loopback(host):
        return
    raise UserError(
        f"The site would serve plain HTTP at {host!r}: others on the network could read passwords. Give it a "
        "certificate (--tls CERT KEY), or name the TLS proxy in front of it (setting site_proxy), or allow plain HTTP "
        "(setting plain_http = true)."
    )


def address_of(listener: socket.socket, *, tls: bool = False) -> str:
    """Give the address to type into a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{'https' if tls else 'http'}://{shown}:{port}/"


def _is_loopback(host: str) -> bool:
    address = ipaddress.ip_address(host)
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _reason(error: OSError | UnicodeError) -> str:
    """Give the system's words: Python adds the address, which stands in our sentence."""
    number = getattr(error, "errno", None)
    if isinstance(error, socket.gaierror) or not isinstance(number, int):
        return str(getattr(error, "strerror", None) or "this is no address")
    return os.strerror(number)
