"""HTTP bots: one signed POST a message, the answer is the 200 body (protocol.md section 1).

One total deadline lies round the whole exchange, so that a dripping answer cannot stretch it; the body is
read up to the size limit; no redirects. At most one retry with the same id and body, inside the same deadline.
Stalls of the host's own event loop are taken off the bot's time. aiohttp is imported with this module, and this
module only when a match has an HTTP seat.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import aiohttp

from botapi import faults, protocol, signing
from botapi.drivers.addresses import AddressRefused
from botapi.drivers.base import BUSY_STATUSES, GRACE_MS, Answer, DriverLog, Question, starving_ms
from botapi.drivers.http_session import AnswerTooLarge, Sending, error_words
from botapi.drivers.lag import LagMeter, Stopwatch
from botapi.drivers.output import Notes
from botapi.errors import PlatformError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    Sign = Callable[[str, int, bytes], Awaitable[dict[str, str]]]
    """Signed headers for a message id, a timestamp in seconds and a body."""

RETRY_PAUSE_S: Final = 0.1
LOOK_AGAIN_S: Final = 0.001
"""The limit is looked at this much after it has passed, so that it has passed on every clock."""
TELL_S: Final = 2.0
TELLS_OPEN: Final = 4
_HEADERS: Final = {
    "content-type": "application/json",
    "accept": "application/json",
    "accept-encoding": "identity",
    "user-agent": "thousand-ladder/1",
}


class HttpDriver:
    """Drives one endpoint. ``secrets`` sign every request (two while one is rotated).

    Where the host must not hold secrets, ``sign`` asks its parent for the signed headers instead; what it
    raises (PlatformError) goes to ``failed``. Waiting for it is not on the bot's clock. ``lag`` is the meter
    of the loop's stalls, one for all drivers of a host.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        secrets: Sequence[str],
        *,
        lag: LagMeter,
        failed: Callable[[BaseException], None],
        sign: Sign | None = None,
    ) -> None:
        self._session = session
        self._lag = lag
        self._url = url
        self._secrets = tuple(secrets)
        self._sign = sign
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()
        self._notes = Notes()

    def start(self, question: Question, done: Callable[[Answer], None]) -> None:
        """Greet the endpoint."""
        self._spawn(self._exchange(question, done))

    def ask(self, question: Question, done: Callable[[Answer], None]) -> Answer | None:
        """Ask; the answer comes through ``done``."""
        self._spawn(self._exchange(question, done))
        return None

    def tell(self, kind: str, message: bytes) -> None:
        """Post a one-way message and ignore what comes back; dropped while several are still open."""
        if len(self._tasks) < TELLS_OPEN:
            message_id = protocol.id_of(message)
            self._spawn(self._post_ignored(message_id, message, kind))

    def part(self, parted: Callable[[], None]) -> None:
        """Wait for open one-way messages (each has its own short deadline), then call ``parted``."""

        async def wait(open_tasks: set[asyncio.Task[None]]) -> None:
            if open_tasks:
                await asyncio.wait(open_tasks, timeout=TELL_S)
            parted()

        self._spawn(wait(set(self._tasks)))

    def close(self) -> None:
        """Give up what is still open."""
        for task in self._tasks:
            task.cancel()

    def log(self) -> DriverLog:
        """Notes so far; an endpoint has no stderr."""
        return DriverLog("", self._notes.all())

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _post_ignored(self, message_id: str, body: bytes, kind: str) -> None:
        try:
            signed = await self._signed(message_id, body)
            async with asyncio.timeout(TELL_S):
                await self._post(body, signed, Sending())
        except PlatformError:
            self._notes.add(f"{kind} was not delivered: the service could not sign it")
        except (OSError, aiohttp.ClientError, TimeoutError, protocol.MalformedReply) as error:
            self._notes.add(f"{kind} was not delivered: {error_words(error)}")

    async def _exchange(self, question: Question, done: Callable[[Answer], None]) -> None:
        try:
            answer = await self.exchange(question)
        except PlatformError as error:
            self._failed(error)
        except Exception as error:  # noqa: BLE001 - a match must not wait for ever for what broke here
            traceback.print_exc()
            self._failed(PlatformError(f"the HTTP driver failed: {type(error).__name__}"))
        else:
            done(answer)

    async def exchange(self, question: Question) -> Answer:
        """One question and its answer, within the question's limit."""
        signed = await self._signed(question.id, question.encode(), forged=question.forged)
        watch = self._lag.start()
        try:
            async with _time_limit(watch, question.limit_ms):
                status, body = await self._post_with_retry(question.encode(), signed)
            answer = _read_answer(question, status, body)
            answer.status = status
        except TimeoutError:
            answer = Answer(fault=faults.TIMEOUT, detail=f"no answer within {question.limit_ms:.0f} ms")
        except protocol.MalformedReply as error:
            answer = Answer(fault=faults.BAD_REPLY, detail=str(error))
        except aiohttp.ClientResponseError as error:
            answer = Answer(fault=faults.BAD_REPLY, detail=error_words(error))
        except (OSError, aiohttp.ClientError) as error:
            answer = Answer(fault=faults.CRASH, detail=error_words(error))
        except Exception as error:  # noqa: BLE001 - whatever it sent, nothing but an answer may come of it
            traceback.print_exc()  # for operators: the HTTP library was surprised
            answer = Answer(fault=faults.BAD_REPLY, detail=f"no HTTP as it should be: {error_words(error)}")
        finally:
            watch.stop()
        answer.wall_ms, answer.delay_ms = watch.read_ms()
        answer.used_ms = answer.wall_ms - answer.delay_ms
        return answer

    async def _signed(self, message_id: str, body: bytes, *, forged: bool = False) -> dict[str, str]:
        """The signed headers of a request; a forged one is signed with a secret nobody knows."""
        now = int(time.time())
        if self._sign is not None and not forged:
            return await self._sign(message_id, now, body)
        keys = (signing.new_secret(),) if forged else self._secrets
        return signing.headers(keys, message_id, now, body)

    async def _post_with_retry(self, body: bytes, signed: dict[str, str]) -> tuple[int, bytes]:
        """Once more for a connect error or some statuses.

        Kept connections that the bot had closed, before a byte of its answer, are no tries: it may have closed
        them all.
        """
        retried = False
        while True:
            sending = Sending()
            try:
                status, answer = await self._post(body, signed, sending)
            except aiohttp.ClientConnectionError as error:
                if not sending.reused and (retried or not _unreached(error)):
                    raise
                self._notes.add(f"sent once more after: {error_words(error)}")
                if sending.reused:
                    continue
            else:
                if retried or status not in BUSY_STATUSES:
                    return status, answer
                self._notes.add(f"sent once more after HTTP status {status}")
            retried = True
            await asyncio.sleep(RETRY_PAUSE_S)

    async def _post(self, body: bytes, signed: dict[str, str], sending: Sending) -> tuple[int, bytes]:
        headers = {**_HEADERS, **signed}
        async with self._session.post(
            self._url, data=body, headers=headers, allow_redirects=False, trace_request_ctx=sending
        ) as response:
            return response.status, await _read_capped(response)


@asynccontextmanager
async def _time_limit(watch: Stopwatch, limit_ms: float) -> AsyncIterator[None]:
    """Raise TimeoutError once ``limit_ms`` and the grace have passed.

    Stalls of the loop do not count, unless there were so many that the machine must be called starved.
    """
    loop = asyncio.get_running_loop()
    timeout = asyncio.timeout(None)
    allowed_ms = limit_ms + GRACE_MS
    timer: asyncio.TimerHandle

    def look_after(ms: float) -> asyncio.TimerHandle:
        return loop.call_later(ms / 1000 + LOOK_AGAIN_S, look)

    def look() -> None:
        nonlocal timer
        wall_ms, stalled_ms = watch.read_ms()
        left_ms = allowed_ms - (wall_ms - stalled_ms)
        if left_ms < 0 or wall_ms > starving_ms(limit_ms):
            timeout.reschedule(loop.time())
        else:
            timer = look_after(left_ms)

    timer = look_after(allowed_ms)
    try:
        async with timeout:
            yield
    finally:
        timer.cancel()


def _unreached(error: BaseException) -> bool:
    """Whether there was no connection at all, though there may be one the next time."""
    if not isinstance(error, aiohttp.ClientConnectorError) or isinstance(error, aiohttp.ClientSSLError):
        return False
    return not isinstance(error.os_error, AddressRefused)


async def _read_capped(response: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > protocol.REPLY_BYTES:
            response.close()
            raise AnswerTooLarge
        parts.append(chunk)
    return b"".join(parts)


def _read_answer(question: Question, status: int, body: bytes) -> Answer:
    if status != 200:
        return Answer(fault=faults.BAD_REPLY, detail=f"HTTP status {status}", raw=body)
    try:
        reply = protocol.decode_act(body) if question.kind == "act" else protocol.decode_hello(body)
    except protocol.MalformedReply as error:
        return Answer(fault=faults.BAD_REPLY, detail=str(error), raw=body)
    if reply.id != question.id:
        return Answer(fault=faults.BAD_REPLY, detail=f"the answer has the id {reply.id[:60]!r}", raw=body)
    return Answer(reply=reply, raw=body)
