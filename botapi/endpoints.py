"""Addresses of HTTP bots, as their authors give them: what is accepted, and in which one form it is kept.

The check here is for people, to refuse early and in clear words. What holds is the one on the very socket
that connects, in the HTTP driver.
"""

from __future__ import annotations

import socket
from urllib.parse import SplitResult, urlsplit, urlunsplit

from botapi.drivers.addresses import refusal
from botapi.errors import DomainError

MAX_LENGTH = 500
_PORTS = {"http": 80, "https": 443}


def accept_url(url: str, *, allow_private: bool) -> str:
    """``url`` in its canonical form, or a DomainError ``bad_url`` that says what is wrong with it."""
    parts = _split(url)
    host = (parts.hostname or "").lower()
    if not host:
        raise _bad("The address names no host.")
    if not allow_private:
        _refuse_private(host, parts.port or _PORTS[parts.scheme])
    return _canonical(parts, host)


def _split(url: str) -> SplitResult:
    if len(url) > MAX_LENGTH:
        raise _bad(f"The address is longer than {MAX_LENGTH} characters.")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise _bad(
            "The address holds a character that must be percent-encoded (or, in the host, written as xn--)."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad(f"The address is malformed: {error}.") from None
    if parts.scheme not in _PORTS:
        raise _bad("The address must begin with http:// or https://.")
    if port == 0:
        raise _bad("Port 0 is no port.")
    if parts.username is not None or parts.password is not None:
        raise _bad("The address must not hold a user name or password: requests are signed instead.")
    if "#" in url:
        raise _bad("The address must not hold a fragment (#...).")
    return parts


def _refuse_private(host: str, port: int) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise _bad(f"The host {host} cannot be found.") from None
    for *_rest, address in found:
        reason = refusal(str(address[0]))
        if reason:
            raise _bad(f"The endpoint must be on the public internet, and {host} is not: {reason}.")


def _canonical(parts: SplitResult, host: str) -> str:
    bracketed = f"[{host}]" if ":" in host else host
    default = parts.port in (None, _PORTS[parts.scheme])
    place = bracketed if default else f"{bracketed}:{parts.port}"
    return urlunsplit((parts.scheme, place, parts.path or "/", parts.query, ""))


def _bad(message: str) -> DomainError:
    return DomainError("bad_url", message, 400)
