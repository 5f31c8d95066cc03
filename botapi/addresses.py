"""Whence a request comes: the address of its visitor, for limits that are told by it.

``REMOTE_ADDR`` is what the web server says; behind a proxy the server takes it from ``X-Forwarded-For`` of the
proxies that it trusts (``.env.example``). Nothing here believes a header.
"""

from __future__ import annotations

import ipaddress
from typing import Final

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

DIGEST_CHARS: Final = 24
VISITORS_BITS: Final = 64
"""So much of an IPv6 address is a network's; the rest its visitors choose as they like."""


def of(request: HttpRequest) -> str:
    """The visitor's network: see :func:`network`."""
    return network(str(request.META.get("REMOTE_ADDR", "")))


def network(address: str) -> str:
    """What limits tell apart: an IPv4 address, the first half of an IPv6 one; any other text as it is."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found.packed, VISITORS_BITS), strict=False))


def digest(address: str) -> str:
    """Tells addresses apart without telling them: keyed with the service's secret, 24 hex digits; empty for none."""
    return salted_hmac("botapi.addresses", address).hexdigest()[:DIGEST_CHARS] if address else ""
