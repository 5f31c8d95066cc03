"""Which network addresses a bot's endpoint may have: public ones only.

The check is made on the address of the very socket that connects, so neither a literal nor a name that
resolves differently the second time gets round it.
"""

from __future__ import annotations

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_TRANSLATED: Final = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_IPV4_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")


class AddressRefused(OSError):  # noqa: N818 - what it is; an OSError so that connecting code lets it through
    """The endpoint's address is not a public one."""


def refusal(text: str) -> str:
    """Why ``text`` (an address, perhaps with a zone) may not be connected to; empty when it may."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return f"{text!r} is not an address"
    for inner in (address, *_embedded(address)):
        if not _public(inner):
            return f"{text} is not a public address"
    return ""


def _public(address: Address) -> bool:
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or address.is_link_local
        or address.is_loopback
        or address.is_unspecified
    )


def _embedded(address: Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses that an IPv6 address stands for: v4-mapped, 6to4, Teredo, NAT64, v4-compatible."""
    if not isinstance(address, ipaddress.IPv6Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in (*_TRANSLATED, _IPV4_COMPATIBLE)):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return [inner for inner in found if inner is not None]
