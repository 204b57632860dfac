"""The addresses that a webhook may have: those of the public Internet, and no machine near the ladder."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from ladder.errors import UserError
from ladder.values.webhooks import MAX_URL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.settings.settings import Settings

PORTS = {"https": 443, "http": 80}
GLOBAL_V6 = ipaddress.ip_network("2000::/3")
"""The addresses of IPv6 that are given out."""
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""Those of NAT64 (RFC 6052): the last four bytes are the address of IPv4 to which a message goes."""
TUNNELS = tuple(map(ipaddress.ip_network, ("2001::/23", "2002::/16", "64:ff9b:1::/48")))
"""Those of protocols and tunnels, in which an address of IPv4 may be hidden."""
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class AddressPolicy:
    """The kinds of webhook addresses that the organiser allows."""

    http: bool = False
    """Messages that are not encrypted."""
    loopback: bool = False
    """This machine itself."""

    @classmethod
    def of(cls, settings: Settings) -> AddressPolicy:
        """Read it from the ladder's settings."""
        return cls(settings.webhook_http, settings.webhook_loopback)


@dataclass(frozen=True)
class Target:
    """A webhook's address, in its parts."""

    scheme: str
    host: str
    port: int
    path: str
    """With the query, as it is requested."""

    @property
    def authority(self) -> str:
        """The value of the header Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def target_of(url: str) -> Target:
    """
    Read a webhook's address.

    >>> target_of("https://hooks.example/pigpen?room=7")
    Target(scheme='https', host='hooks.example', port=443, path='/pigpen?room=7')

    Raises:
        UserError: If it is none.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError as error:
        raise UserError(f"{url[:MAX_URL]!r} is not an address: {error}.") from None
    if parts.scheme not in PORTS or not host or not _is_plain(url):
        raise UserError(f"{url[:MAX_URL]!r} cannot be a webhook. Write it as https://hooks.example/pigpen")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise UserError(
            f"The address of a webhook has no user, password or fragment: {_bare(parts)!r}. Receivers know the ladder "
            "by its signature."
        )
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme, host, port or PORTS[parts.scheme], f"{parts.path or '/'}{query}")


def why_refused(address: Address, policy: AddressPolicy) -> str | None:
    """
    Say what keeps a message from an address; None: nothing does.

    >>> why_refused(ipaddress.ip_address("10.0.0.7"), AddressPolicy())
    'a private address'
    >>> why_refused(ipaddress.ip_address("64:ff9b::8.8.8.8"), AddressPolicy())

    Args:
        address: The very one that would be connected to.
        policy: What the organiser allows. Through NAT64 only public addresses are reached.
    """
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id is None and address in NAT64:
        inside = ipaddress.IPv4Address(address.packed[-4:])
        why = why_refused(inside, AddressPolicy())
        return f"it leads to {inside}, {why}" if why else None
    if isinstance(address, ipaddress.IPv6Address) and _holds_another(address):
        return "an address that holds another one"
    if address.is_loopback:
        return None if policy.loopback else "an address of this machine (setting webhook_loopback)"
    if address.is_multicast:
        return "a multicast address"
    if address.is_link_local:
        return "a link-local address"
    if isinstance(address, ipaddress.IPv6Address) and (address.scope_id is not None or address not in GLOBAL_V6):
        return "a private or reserved address"
    if address.is_unspecified or address.is_reserved:
        return "a reserved address"
    return None if address.is_global else "a private address"


def _holds_another(address: ipaddress.IPv6Address) -> bool:
    is_isatap = address.packed[8:12] in (b"\0\0\x5e\xfe", b"\2\0\x5e\xfe")
    return address.ipv4_mapped is not None or is_isatap or any(address in network for network in TUNNELS)


def check_addresses(target: Target, found: Iterable[str], policy: AddressPolicy) -> list[Address]:
    """
    Check all addresses that a name stands for; one that is refused refuses all.

    Args:
        target: The webhook's address.
        found: What its host was resolved to.
        policy: What the organiser allows.

    Returns:
        Those to connect to, in order.

    Raises:
        UserError: If a message may not be sent there.
    """
    addresses = [ipaddress.ip_address(each) for each in dict.fromkeys(found)]
    for address in addresses:
        if why := why_refused(address, policy):
            named = target.host if target.host == str(address) else f"{target.host}, which is {address}"
            raise UserError(f"Messages are not sent to {named}: {why}.")
    if not addresses:
        raise UserError(f"{target.host} has no address.")
    is_here = policy.loopback and all(each.is_loopback for each in addresses)
    if target.scheme == "http" and not (policy.http or is_here):
        raise UserError(
            "Messages over http can be read, and changed, on their way. Write https://, or allow http with the setting "
            "webhook_http = true"
        )
    return addresses


def resolved(target: Target) -> list[str]:
    """
    Ask the system for the addresses of a host, in the order in which it would try them.

    Raises:
        UserError: If there is no such host.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UserError(f"{target.host} has no address: {error}.") from None
    return [str(address[0]) for *_, address in found]


def check_webhook(url: str, policy: AddressPolicy) -> None:
    """
    Check the address of a new webhook, and that of its host.

    Raises:
        UserError: If messages may not be sent there.
    """
    if len(url) > MAX_URL:
        raise UserError(f"The address of a webhook has at most {MAX_URL} characters.")
    target = target_of(url)
    check_addresses(target, resolved(target), policy)


def _is_plain(url: str) -> bool:
    """Tell whether an address has only letters that a request may have as they are."""
    return url.isascii() and all(letter.isprintable() and letter not in ' "<>\\^`{|}' for letter in url)


def _bare(parts: SplitResult) -> str:
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
