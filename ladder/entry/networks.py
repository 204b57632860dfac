"""Parts of an address of one customer, and of one provider: strangers are counted by these, not by cookies."""

from __future__ import annotations

import ipaddress

CUSTOMER_BITS, NEIGHBOURS_BITS_4, NEIGHBOURS_BITS_6 = 64, 24, 48
"""Of an IPv6 address: what one customer has. Of either kind: what one sender may easily have much of."""


def network_of(address: str) -> str:
    """
    Give what belongs to one customer: an address, or a network of IPv6.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1:2"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    found = _read(address)
    if found is None or isinstance(found, ipaddress.IPv4Address):
        return address if found is None else str(found)
    return str(ipaddress.ip_network((found, CUSTOMER_BITS), strict=False))


def neighbourhood_of(address: str) -> str:
    """
    Give the addresses near one of which one sender may have many: a /24 of IPv4, a /48 of IPv6.

    Args:
        address: An address, or what `network_of` gives.

    >>> neighbourhood_of("192.0.2.7"), neighbourhood_of("2001:db8::/64")
    ('192.0.2.0/24', '2001:db8::/48')
    """
    found = _read(address.partition("/")[0])
    if found is None:
        return address
    bits = NEIGHBOURS_BITS_4 if found.version == 4 else NEIGHBOURS_BITS_6
    return str(ipaddress.ip_network((found, bits), strict=False))


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
