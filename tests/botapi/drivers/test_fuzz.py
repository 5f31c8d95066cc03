"""Whatever a bot says, to the real drivers: the outcome is an answer or a fault, and the next question works."""

import asyncio
import contextlib
import itertools
import json
import socket
import sys
import threading

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botapi import protocol
from botapi.drivers.http_session import make_session
from botapi.drivers.lag import LagMeter
from botapi.drivers.process import process_driver
from tests.botapi.drivers.asking import BAD, LEGAL, Asking
from tests.botapi.drivers.replies import EXTRA, REPLIES
from tests.botapi.drivers.test_http import driver

SCRIPTED = BAD.with_name("scripted.py")
BATCHES = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
UNHURRIED_MS = 30_000


def outcome(answer, codes):
    """What came of one question: the action, or a code among ``codes``."""
    if answer.fault:
        assert answer.fault in codes, answer
        assert answer.reply is None
        assert protocol.printable(answer.detail) == answer.detail
        return answer.fault
    assert isinstance(answer.reply, protocol.ActReply)
    assert isinstance(answer.reply.action, str)
    answer.reply.action.encode()  # no half characters
    return answer.reply.action


@BATCHES
@given(st.lists(REPLIES, min_size=30, max_size=60))
def test_a_process_may_say_anything(tmp_path_factory, replies):
    script = tmp_path_factory.mktemp("fuzz") / "replies"
    script.write_text("\n".join(reply.hex() for reply in [*replies, b""]))
    failures = []

    async def talk():
        driver = process_driver(
            [sys.executable, str(SCRIPTED), str(script)],
            failed=failures.append,
            eager_ms=lambda: 2,
            lag=LagMeter(),
        )
        asking = Asking(driver)
        try:
            assert (await asking.hello(UNHURRIED_MS)).reply.ready
            for _ in replies:
                outcome(await asking.act(UNHURRIED_MS), {"bad_reply"})
            for _ in range(EXTRA * len(replies)):  # lines too many are the answers to the next questions
                last = outcome(await asking.act(UNHURRIED_MS), {"bad_reply"})
                if last == LEGAL[0]:
                    break
            return last, await asking.part()
        finally:
            driver.close()

    action, log = asyncio.run(talk())
    assert action == LEGAL[0]
    assert failures == []
    json.dumps(log.notes).encode()
    assert len(log.notes) <= 41


def bare(response, message_id):
    return response.replace(b"<ID>", message_id)


def answered(reply, message_id):
    body = reply.replace(b"<ID>", message_id)
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body


STATUS_LINES = st.sampled_from([
    b"HTTP/1.1 200 OK", b"HTTP/1.1 200", b"HTTP/1.0 200 OK", b"HTTP/2 200 OK", b"HTTP/1.1 100 Continue", b"HTTP/1.1 101 Up",
    b"HTTP/1.1 204 None", b"HTTP/1.1 304 Same", b"HTTP/1.1 307 Away", b"HTTP/1.1 999 What", b"HTTP/1.1 -1 No", b"ICY 200 OK", b"",
])  # fmt: skip
HEADERS = st.sampled_from([
    b"content-length: 5", b"content-length: -1", b"content-length: 99999999999999999999", b"content-length: x",
    b"transfer-encoding: chunked", b"transfer-encoding: gzip, chunked", b"content-encoding: gzip", b"content-encoding: br",
    b"connection: close", b"connection: upgrade\r\nupgrade: websocket", b"location: http://127.0.0.1:1/", b"set-cookie: a=b",
    b"content-type: text/html; charset=nonsense", b": empty", b"no colon", b" folded", b"x: " + b"y" * 9000, b"x: \x00\xff",
])  # fmt: skip
PAYLOADS = st.one_of(
    REPLIES,
    st.sampled_from(
        [
            b"5\r\nhello\r\n0\r\n\r\n",
            b"ffffffffffffffffff\r\n",
            b"-1\r\n",
            b"5;" + b"e" * 9000 + b"\r\nhello\r\n0\r\n\r\n",
        ]
    ),
)
ODD = st.one_of(
    st.binary(max_size=300),
    st.builds(
        lambda status, headers, body: b"\r\n".join([status, *headers, b"", body]),
        STATUS_LINES,
        st.lists(HEADERS, max_size=4),
        PAYLOADS,
    ),
    st.sampled_from([b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 5000, b"HTTP/1.1 100 Continue\r\n\r\n" * 1000]),
)
RESPONSES = st.one_of(st.tuples(st.just(answered), REPLIES), st.tuples(st.just(bare), ODD))


@contextlib.contextmanager
def saying(responses, *, greeting=False):
    """An endpoint that sends each connection the next of these and closes it; ``greeting``: but is ready at hello."""
    following = itertools.cycle(responses)
    ready = (answered, json.dumps({"id": "<ID>", "ready": True}).encode())

    def serve(listener):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    request = b""
                    while b"\r\n\r\n" not in request:
                        request += connection.recv(1 << 16)
                    message_id = request.partition(b"webhook-id: ")[2].partition(b"\r\n")[0]
                    hello = greeting and message_id.endswith(b"/0")
                    made, content = ready if hello else next(following)
                    connection.sendall(made(content, message_id))
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(1)
                    while connection.recv(1 << 16):
                        pass

    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@BATCHES
@given(st.lists(RESPONSES, min_size=30, max_size=60))
def test_an_endpoint_may_send_anything(responses):
    good = (answered, json.dumps({"id": "<ID>", "action": LEGAL[0]}).encode())

    async def talk(url):
        session = make_session(allow_private=True)
        asking = Asking(driver(session, url))
        try:
            for _ in responses:
                outcome(await asking.act(UNHURRIED_MS), {"bad_reply", "crash"})
            return outcome(await asking.act(UNHURRIED_MS), set())
        finally:
            await session.close()

    with saying([*responses, good]) as url:
        assert asyncio.run(talk(url)) == LEGAL[0]
