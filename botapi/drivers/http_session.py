"""Connections to the endpoints of authors: which addresses, how much of an answer, and what an error is called.

A session connects where an author may have an endpoint and nowhere else, keeps connections, looks many names up
at once, and takes of one answer no more than it may be long. No cookies, no compression, no proxies from the
environment.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import aiohttp
from aiohttp.abc import ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from botapi import protocol
from botapi.drivers.addresses import AddressRefused, may_connect
from botapi.errors import PlatformError

WIRE_BYTES: Final = 2 * protocol.REPLY_BYTES
"""Of one answer with its status lines, headers and framing: what is beyond is not even parsed."""
BROKEN: Final = "the connection broke in the middle of the answer"
NAMES_AT_ONCE: Final = 512
"""Looked up in threads, of which only those exist that were needed. No look-up can be broken off: there are more
than the seats of a host, so that those whose name servers keep us waiting hold up nobody else's."""


class AnswerTooLarge(protocol.MalformedReply, aiohttp.ClientError):
    """More came than an answer may have."""

    def __init__(self) -> None:
        super().__init__(f"the answer is larger than {protocol.REPLY_BYTES} bytes")


class AnswerBroken(aiohttp.ClientError):
    """The connection broke after some of the answer had come: the request was heard, and is not sent again."""

    def __init__(self) -> None:
        super().__init__(BROKEN)


class _Receiving(ResponseHandler):
    """Receives an answer that cannot grow by anything that does not count as its body."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._received = 0

    def set_response_params(self, **params: Any) -> None:
        """The next answer begins."""
        self._received = 0
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Some more of it."""
        self._received += len(data)
        if self._received <= WIRE_BYTES:
            super().data_received(data)
        elif self.transport is not None and not self.transport.is_closing():
            error = AnswerTooLarge()
            payload, self._payload = self._payload, None  # or it would be told that the connection broke
            self.transport.abort()
            self.set_exception(error)
            if payload is not None:
                payload.set_exception(error)

    def set_exception(self, exc: BaseException, *cause: Any) -> None:
        """No more will come."""
        if self._received and isinstance(exc, aiohttp.ClientConnectionError):
            exc = AnswerBroken() if self._received <= WIRE_BYTES else AnswerTooLarge()
        if isinstance(exc, HttpProcessingError) and self._payload is not None:
            payload, self._payload = self._payload, None  # or it would be told that the connection broke
            payload.set_exception(protocol.MalformedReply(f"no HTTP as it should be: {exc.message}"))
        super().set_exception(exc, *cause)


class _Connector(aiohttp.TCPConnector):
    """Connects as usual, receives with :class:`_Receiving`.

    That uses what the library does not promise to keep: where it has changed, nobody is connected to.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        usual = getattr(getattr(self, "_factory", None), "func", None)
        if usual is not ResponseHandler or not hasattr(ResponseHandler(self._loop), "_payload"):
            raise PlatformError(f"aiohttp {aiohttp.__version__} receives otherwise: how is it to be limited?")
        self._factory = partial(_Receiving, loop=self._loop)  # type: ignore[assignment]  # it is one


class _Names(aiohttp.ThreadedResolver):
    """Looks up a host name once at a time, for all who ask for it meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[tuple[str, int], asyncio.Task[list[ResolveResult]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of ``host``, each with ``port``."""
        key = host, int(family)
        if key not in self._open:
            self._open[key] = self._loop.create_task(super().resolve(host, 0, family))
            self._open[key].add_done_callback(lambda task: self._done(key, task))
        found = await asyncio.shield(self._open[key])
        return [{**one, "port": port} for one in found]

    def _done(self, key: tuple[str, int], task: asyncio.Task[list[ResolveResult]]) -> None:
        del self._open[key]
        if not task.cancelled():
            task.exception()  # perhaps nobody waits for it any more


def allow_slow_names() -> None:
    """Let the loop look up many names at once: one that is slow to be found must not hold up other bots'."""
    threads = ThreadPoolExecutor(NAMES_AT_ONCE, thread_name_prefix="name")
    asyncio.get_running_loop().set_default_executor(threads)


class Sending:
    """One try at sending a request; ``reused``: over a connection that was kept from an earlier one."""

    reused = False


async def _note_reuse(_session: aiohttp.ClientSession, trace: Any, _params: object) -> None:
    if isinstance(trace.trace_request_ctx, Sending):
        trace.trace_request_ctx.reused = True


def make_session(*, allow_private: bool) -> aiohttp.ClientSession:
    """A session for HTTP bots.

    Its sockets connect to public addresses only, or with ``allow_private`` anywhere but to clouds' metadata.
    """

    def guarded(info: Any) -> socket.socket:
        family, kind, proto, _, address = info
        if not may_connect(str(address[0]), allow_private=allow_private):
            raise AddressRefused(errno.EACCES, "not a public address")
        return socket.socket(family, kind, proto)

    reuse = aiohttp.TraceConfig()
    reuse.on_connection_reuseconn.append(_note_reuse)
    connector = _Connector(
        limit=0,
        socket_factory=guarded,
        resolver=_Names(),
        use_dns_cache=False,
        keepalive_timeout=60,
        force_close=False,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        trace_configs=[reuse],
        timeout=aiohttp.ClientTimeout(total=None),
        trust_env=False,
        auto_decompress=False,
        raise_for_status=False,
    )


def error_words(error: BaseException) -> str:
    """An error in one line for the endpoint's author: nothing of the library, nor what a name means in our network."""
    if isinstance(error, aiohttp.ClientConnectorError):
        text = f"no connection to {error.host}:{error.port}: {_cause(error.os_error)}"
    elif isinstance(error, aiohttp.ServerDisconnectedError):
        text = "the connection was closed without an answer"
    elif isinstance(error, aiohttp.ClientOSError):
        text = f"the connection broke: {_cause(error)}"
    elif isinstance(error, aiohttp.ClientPayloadError):
        text = BROKEN + _of_the_parser(error)
    elif isinstance(error, aiohttp.ClientResponseError):
        text = "no HTTP as it should be" + _of_the_parser(error)
    else:
        text = str(error) or type(error).__name__
    return protocol.printable(text.splitlines()[0][:200])


def _of_the_parser(error: BaseException) -> str:
    """What the parser of HTTP had against it, in its words without the status that nobody sent."""
    message = getattr(error.__cause__, "message", "")
    words = " ".join(str(message).split()).rstrip(" ^.")
    return f": {words}" if words else ""


def _cause(error: OSError) -> str:
    if isinstance(error, AddressRefused | socket.gaierror | ssl.SSLError):
        return str(error.strerror or error)
    return os.strerror(error.errno) if error.errno else "it cannot be reached"
