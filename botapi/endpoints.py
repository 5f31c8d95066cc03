"""Addresses of HTTP bots, as their authors give them: what is accepted, and in which one form it is kept.

The check here is for people, to refuse early and in clear words. What holds is the one on the very socket
that connects, in the HTTP driver.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from socket import SOCK_STREAM, getaddrinfo
from urllib.parse import SplitResult, urlsplit, urlunsplit

from botapi.drivers.addresses import is_public
from botapi.errors import DomainError, gettext_noop

MAX_LENGTH = 500
_MAX_LABEL = 63
_MAX_HOST = 253
LOOK_UP_S = 5.0
"""So long a person's request waits for the name servers of a host."""
_PORTS = {"http": 80, "https": 443}
_look_ups = ThreadPoolExecutor(32, thread_name_prefix="name")
"""A look-up cannot be broken off: its thread goes on when nobody waits for it any more."""


def accept_url(url: str, *, allow_private: bool) -> str:
    """``url`` in its canonical form, or a DomainError ``bad_url`` that says what is wrong with it."""
    parts = _split(url)
    host = (parts.hostname or "").lower()
    if not host:
        raise _bad(gettext_noop("The address names no host."))
    if len(host) > _MAX_HOST or not all(
        0 < len(label) <= _MAX_LABEL for label in host.removesuffix(".").split(".")
    ):
        raise _bad(
            gettext_noop(
                "The host is no name: it has at most %(most)d characters, between dots 1 to %(label)d."
            ),
            most=_MAX_HOST,
            label=_MAX_LABEL,
        )
    if not allow_private:
        _refuse_private(host, parts.port or _PORTS[parts.scheme])
    return _canonical(parts, host)


def _split(url: str) -> SplitResult:
    if len(url) > MAX_LENGTH:
        raise _bad(gettext_noop("The address is longer than %(most)d characters."), most=MAX_LENGTH)
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise _bad(
            gettext_noop(
                "The address holds a character that must be percent-encoded (or, in the host, written as xn--)."
            )
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad(gettext_noop("The address is malformed: %(error)s."), error=error) from None
    if parts.scheme not in _PORTS:
        raise _bad(gettext_noop("The address must begin with http:// or https://."))
    if port == 0:
        raise _bad(gettext_noop("Port 0 is no port."))
    if parts.username is not None or parts.password is not None:
        raise _bad(
            gettext_noop("The address must not hold a user name or password: requests are signed instead.")
        )
    if "#" in url:
        raise _bad(gettext_noop("The address must not hold a fragment (#...)."))
    return parts


def _refuse_private(host: str, port: int) -> None:
    """Which address a name turned out to have is not told: it may be a name of our own network."""
    looking_up = _look_ups.submit(getaddrinfo, host, port, type=SOCK_STREAM)
    try:
        found = looking_up.result(LOOK_UP_S)
    except TimeoutError:
        looking_up.cancel()
        raise _bad(
            gettext_noop("The host %(host)s was not found within %(seconds)d s."),
            host=host,
            seconds=int(LOOK_UP_S),
        ) from None
    except (OSError, UnicodeError):
        raise _bad(gettext_noop("The host %(host)s cannot be found."), host=host) from None
    if not all(is_public(str(address[0])) for *_rest, address in found):
        raise _bad(
            gettext_noop("The endpoint must be on the public internet, and %(host)s is not."), host=host
        )


def _canonical(parts: SplitResult, host: str) -> str:
    bracketed = f"[{host}]" if ":" in host else host
    default = parts.port in (None, _PORTS[parts.scheme])
    place = bracketed if default else f"{bracketed}:{parts.port}"
    return urlunsplit((parts.scheme, place, parts.path or "/", parts.query, ""))


def _bad(message: str, **values: object) -> DomainError:
    return DomainError("bad_url", message, 400, **values)
