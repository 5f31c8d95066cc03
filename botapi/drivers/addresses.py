"""Which network addresses a bot's endpoint may have: public ones only.

The check is made on the address of the very socket that connects, so neither a literal nor a name that
resolves differently the second time gets round it. The networks are written here (after IANA's registries of
special-purpose addresses), since what the standard library calls global differs from one Python to the next.
"""

from __future__ import annotations

import ipaddress
from typing import Final

_NOT_PUBLIC_4: Final = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a provider's customers; metadata of a cloud",
    "127.0.0.0/8": "this machine",
    "168.63.129.16/32": "a cloud's platform, inside each of its networks",
    "169.254.0.0/16": "this link; the clouds' metadata",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocols",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "whichever sink of reverse names is nearest, perhaps one's own",
    "192.52.193.0/24": "whichever multicast relay is nearest",
    "192.88.99.0/24": "whichever relay of 6to4 is nearest",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "whichever sink of reverse names is nearest",
    "198.18.0.0/15": "measurements of one's own network",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved; broadcast",
}
_PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
"""All that is given out for use in the whole internet. Outside lie loopback, IPv4 in other clothes, unique local
(also a cloud's metadata), link-local, site-local, multicast, and what is reserved."""
_NOT_PUBLIC_6: Final = {
    "2001::/23": "protocols, among them Teredo, which leads to an IPv4 address",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4, which leads to an IPv4 address",
    "2620:4f:8000::/48": "whichever sink of reverse names is nearest",
    "3fff::/20": "documentation",
}
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""Where a machine without IPv4 reaches an IPv4 address, which is in the last 32 bits."""

_NETWORKS_4: Final = tuple(ipaddress.IPv4Network(text) for text in _NOT_PUBLIC_4)
_NETWORKS_6: Final = tuple(ipaddress.IPv6Network(text) for text in _NOT_PUBLIC_6)


_METADATA: Final = tuple(
    ipaddress.ip_network(text)
    for text in (
        "169.254.0.0/16",
        "168.63.129.16/32",
        "100.100.100.200/32",
        "192.0.0.192/32",
        "fe80::/10",
        "fd00:ec2::/32",
    )
)
"""Where clouds tell a machine its secrets, and what is only on this link: no bot lives there, in development neither."""


class AddressRefused(OSError):  # noqa: N818 - what it is; an OSError so that connecting code lets it through
    """The endpoint's address is not a public one.

    The words name no address: which one a name of somebody's choice has in our network is not for its author.
    """


def may_connect(text: str, *, allow_private: bool) -> bool:
    """Whether a bot may be asked at this address; ``allow_private`` is for development: anything but metadata."""
    if is_public(text):
        return True
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return allow_private and not any(mapped in network for network in _METADATA)


def is_public(text: str) -> bool:
    """Whether ``text`` (an address, perhaps with a zone) may be connected to; False also for what is none."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address not in _NAT64:
            return address in _PUBLIC_6 and not any(address in network for network in _NETWORKS_6)
        address = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return not any(address in network for network in _NETWORKS_4)
