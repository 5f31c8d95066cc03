"""The HTTP driver against real servers on real sockets."""

import asyncio
import contextlib
import json
import re
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp.abc import AbstractResolver
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from botapi import signing
from botapi.drivers.addresses import is_public, may_connect
from botapi.drivers.base import Question, raise_if_starved
from botapi.drivers.http import HttpDriver
from botapi.drivers.http_session import make_session
from botapi.drivers.lag import LagMeter
from botapi.errors import PlatformError
from botapi.samples import http_bot
from tests.botapi.drivers.asking import Asking
from tests.botapi.endpoints import NOT_PUBLIC

SECRET = signing.new_secret()


def driver(session, url, secrets=(SECRET,)):
    """A driver that has nobody to tell of failures of the service: there are none."""

    def failed(error):
        raise AssertionError(error)

    return HttpDriver(session, url, secrets, lag=LagMeter(), failed=failed)


@contextmanager
def sample_bot(secret=SECRET):
    server = http_bot.make_server("127.0.0.1", 0, secret)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def converse(talk, url, *, secrets=(SECRET,), allow_private=True):
    """Run ``talk(asking)`` against an endpoint."""

    async def run():
        session = make_session(allow_private=allow_private)
        try:
            return await talk(Asking(driver(session, url, secrets)))
        finally:
            await session.close()

    return asyncio.run(run())


async def one_act(asking):
    return await asking.act(limit_ms=1000)


def against_server(handler, talk=one_act, **options):
    """Run ``talk`` against an asyncio server whose connections ``handler(reader, writer)`` serves."""

    async def run():
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/bot"
        session = make_session(allow_private=True)
        try:
            return await talk(Asking(driver(session, url)), **options)
        finally:
            await session.close()
            server.close()

    return asyncio.run(run())


async def read_request(reader):
    """Headers and body of one request; None at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:] if line]
    headers = {name.lower(): value for name, value in lines}
    return headers, await reader.readexactly(int(headers["content-length"]))


def answer_bytes(body, status="200 OK", extra=""):
    message = json.loads(body)
    text = json.dumps({"id": message["id"], "action": "play:AS", "ready": True}).encode()
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(text)}\r\n{extra}\r\n".encode() + text


def fixed(response):
    """A handler that sends the same bytes to every request."""

    async def handle(reader, writer):
        while await read_request(reader):
            writer.write(response)
            await writer.drain()
        writer.close()

    return handle


def test_the_sample_bot_verifies_and_answers():
    async def talk(asking):
        hello = await asking.hello()
        view = {"phase": "redeal", "hand": []}
        return hello, await asking.act(view=view), await asking.part()

    with sample_bot() as url:
        hello, answer, _ = converse(talk, url)
    assert hello.reply.ready
    assert answer.reply.action == "play:9S"


def test_the_sample_bot_refuses_a_wrong_signature():
    with sample_bot() as url:
        answer = converse(one_act, url, secrets=(signing.new_secret(),))
    assert (answer.fault, answer.detail) == ("bad_reply", "HTTP status 401")


def test_both_secrets_are_valid_while_one_is_rotated():
    async def talk(asking):
        return await asking.hello()

    with sample_bot() as url:
        assert converse(talk, url, secrets=(signing.new_secret(), SECRET)).reply.ready


def test_a_forged_hello_is_signed_by_nobody_the_bot_knows():
    async def talk(asking):
        question = asking.question("hello", 1000)
        question.forged = True
        return await asking.driver.exchange(question)

    with sample_bot() as url:
        assert converse(talk, url).detail == "HTTP status 401"


def test_requests_carry_the_signed_headers_and_the_message_id():
    seen = []

    async def handle(reader, writer):
        headers, body = await read_request(reader)
        seen.append((headers, body))
        writer.write(answer_bytes(body))
        await writer.drain()
        writer.close()

    assert against_server(handle).reply.action == "play:AS"
    headers, body = seen[0]
    signing.verify([SECRET], headers, body, now=time.time())
    assert headers["webhook-id"] == json.loads(body)["id"]
    assert "cookie" not in headers
    assert headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "start",
    [b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n", b"HTTP/1.1 200 OK\r\nheader: ", b"HTTP/1.1 200 "],
)
def test_a_dripping_answer_cannot_stretch_the_deadline(start):
    async def drip(reader, writer):
        await read_request(reader)
        writer.write(start)
        for _ in range(100):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    async def talk(asking):
        began = time.monotonic()
        return await asking.act(limit_ms=300), time.monotonic() - began

    answer, seconds = against_server(drip, talk)
    assert answer.fault == "timeout"
    assert answer.used_ms > 310
    assert seconds < 1.5


def slow_server(seconds):
    """An endpoint in a thread of its own, so that a stalled loop does not slow it; None never answers."""

    def serve(listener, stop):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    request = connection.recv(1 << 20)
                    if stop.wait(seconds):
                        return
                    connection.sendall(answer_bytes(request.partition(b"\r\n\r\n")[2]))

    @contextmanager
    def running():
        stop = threading.Event()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, args=(listener, stop))
            thread.start()
            try:
                yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
            finally:
                stop.set()
                listener.shutdown(socket.SHUT_RDWR)
                thread.join()

    return running()


def stalled_act(after_s, stall_s, *, times=1):
    """Ask within 400 ms while the loop is stalled for ``stall_s``, ``times`` times."""

    async def talk(asking):
        loop = asyncio.get_running_loop()
        for number in range(times):
            loop.call_later(after_s * (number + 1), time.sleep, stall_s)
        return await asking.act(limit_ms=400)

    return talk


def test_a_stall_of_the_host_is_not_the_bots_time():
    with slow_server(0.2) as url:
        answer = converse(stalled_act(0.1, 1.0), url)
    assert answer.reply is not None, answer.detail
    assert answer.wall_ms > 1000
    assert answer.delay_ms > 900
    assert answer.used_ms < 410


def test_a_stall_of_the_host_is_no_gift_to_a_bot_that_does_not_answer():
    with slow_server(None) as url:
        answer = converse(stalled_act(0.1, 0.3), url)
    assert answer.fault == "timeout"
    assert answer.used_ms > 410
    assert answer.wall_ms > 700


def test_a_host_that_can_hardly_attend_is_starved_and_nobody_at_fault():
    with slow_server(None) as url:
        answer = converse(stalled_act(0.02, 0.4, times=7), url)
    assert answer.fault == "timeout"
    with pytest.raises(PlatformError, match="starved"):
        raise_if_starved(Question(0, "act", "m/1/0/0", 400, {}), answer)


def test_an_answer_above_the_size_limit_is_a_bad_reply():
    big = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n" + b"x" * 1_000_000
    answer = against_server(fixed(big))
    assert (answer.fault, answer.detail) == ("bad_reply", "the answer is larger than 65536 bytes")


@pytest.mark.parametrize(
    ("response", "code", "detail"),
    [
        (
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
            "bad_reply",
            "302",
        ),
        (b"HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n", "bad_reply", "500"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "bad_reply", "malformed"),
        (
            b'HTTP/1.1 200 OK\r\ncontent-length: 29\r\n\r\n{"id":"x/1/0/0","action":"a"}',
            "bad_reply",
            "the id",
        ),
        (b"no HTTP at all\r\n\r\n", "bad_reply", ""),
    ],
)
def test_what_is_no_answer_is_a_bad_reply(response, code, detail):
    answer = against_server(fixed(response))
    assert answer.fault == code
    assert detail in answer.detail


@pytest.mark.parametrize("status", ["429 Slow", "502 Bad", "503 Busy", "504 Late"])
def test_a_busy_endpoint_is_asked_once_more_with_the_same_id_and_body(status):
    requests = []

    async def handle(reader, writer):
        while request := await read_request(reader):
            requests.append(request)
            writer.write(answer_bytes(request[1], status if len(requests) == 1 else "200 OK"))
            await writer.drain()

    assert against_server(handle).reply.action == "play:AS"
    (first, second) = requests
    assert first[1] == second[1]
    assert first[0]["webhook-id"] == second[0]["webhook-id"]


def test_there_is_at_most_one_retry():
    answer = against_server(fixed(b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n"))
    assert (answer.fault, answer.detail) == ("bad_reply", "HTTP status 503")


def test_keep_alive_survives_a_connection_that_the_bot_closed():
    connections = []

    async def handle(reader, writer):
        connections.append(1)
        _, body = await read_request(reader)
        writer.write(answer_bytes(body))
        await writer.drain()
        writer.close()

    async def talk(asking):
        return [(await asking.act()).reply.action for _ in range(5)]

    assert against_server(handle, talk) == ["play:AS"] * 5
    assert len(connections) >= 5


def test_a_kept_connection_that_breaks_under_the_next_request_is_replaced():
    connections = []

    async def handle(reader, writer):
        connections.append(1)
        writer.write(answer_bytes((await read_request(reader))[1]))
        await writer.drain()
        await read_request(reader)  # and no answer to that
        writer.close()

    async def talk(asking):
        return [(await asking.act()).reply.action for _ in range(4)]

    assert against_server(handle, talk) == ["play:AS"] * 4
    assert len(connections) == 4


def test_a_fresh_connection_that_breaks_is_a_crash_and_not_tried_again():
    connections = []

    async def handle(reader, writer):
        connections.append(1)
        await read_request(reader)
        writer.close()

    answer = against_server(handle)
    assert (answer.fault, len(connections)) == ("crash", 1)


def test_an_endpoint_that_comes_up_in_time_is_found_by_the_second_try(monkeypatch):
    monkeypatch.setattr("botapi.drivers.http.RETRY_PAUSE_S", 2.0)

    async def run():
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            address = place.getsockname()
        session = make_session(allow_private=True)
        asking = Asking(driver(session, f"http://{address[0]}:{address[1]}/"))
        question = asyncio.ensure_future(asking.act(limit_ms=20_000))
        await asyncio.sleep(0.05)
        server = await asyncio.start_server(answering, *address)
        try:
            return await question
        finally:
            await session.close()
            server.close()

    async def answering(reader, writer):
        writer.write(answer_bytes((await read_request(reader))[1]))
        await writer.drain()
        writer.close()

    assert asyncio.run(run()).reply.action == "play:AS"


def test_connections_are_kept_alive():
    connections = []

    async def handle(reader, writer):
        connections.append(1)
        while request := await read_request(reader):
            writer.write(answer_bytes(request[1]))
            await writer.drain()

    async def talk(asking):
        return [(await asking.act()).reply.action for _ in range(5)]

    against_server(handle, talk)
    assert len(connections) == 1


def test_a_session_serves_other_requests_over_kept_connections_too():
    async def handle(reader, writer):
        while request := await read_request(reader):
            writer.write(answer_bytes(request[1]))
            await writer.drain()

    async def run():
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/bot"
        session = make_session(allow_private=True)
        asking = Asking(driver(session, url))
        try:
            answer = await asking.act()
            async with session.post(url, data=asking.question("act", 1).encode()) as response:
                return answer.reply.action, response.status
        finally:
            await session.close()
            server.close()

    assert asyncio.run(run()) == ("play:AS", 200)


def test_a_library_that_receives_otherwise_is_not_used(monkeypatch):
    async def run():
        make_session(allow_private=False)

    monkeypatch.setattr("aiohttp.connector.ResponseHandler", asyncio.Protocol)
    with pytest.raises(PlatformError, match="receives otherwise"):
        asyncio.run(run())


def test_cookies_are_never_sent_back():
    cookies = []

    async def handle(reader, writer):
        while request := await read_request(reader):
            cookies.append(request[0].get("cookie"))
            writer.write(answer_bytes(request[1], extra="set-cookie: a=b\r\n"))
            await writer.drain()

    async def talk(asking):
        return [await asking.act() for _ in range(3)]

    against_server(handle, talk)
    assert cookies == [None, None, None]


def test_a_refused_connection_is_a_crash():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        answer = converse(one_act, url)
    assert answer.fault == "crash"


@pytest.fixture
def untrusted(tmp_path):
    """A TLS context with a certificate that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    (tmp_path / "pem").write_bytes(key.private_bytes(*pem) + certificate.public_bytes(Encoding.PEM))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "pem")
    return context


def test_an_endpoint_whose_certificate_nobody_vouches_for_is_not_talked_to(untrusted):
    requests = []

    async def handle(reader, writer):
        requests.append(await read_request(reader))
        writer.close()

    async def run():
        server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=untrusted)
        session = make_session(allow_private=True)
        try:
            url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            return await Asking(driver(session, url)).act(limit_ms=5000)
        finally:
            await session.close()
            server.close()

    answer = asyncio.run(run())
    assert answer.fault == "crash"
    assert "certificate" in answer.detail
    assert requests == []


def test_a_silent_endpoint_times_out():
    async def handle(reader, writer):
        await asyncio.sleep(5)

    async def talk(asking):
        return await asking.act(limit_ms=200)

    assert against_server(handle, talk).fault == "timeout"


@pytest.mark.parametrize("host", NOT_PUBLIC)
def test_private_addresses_are_refused_on_the_socket_that_connects(host):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        port = listener.getsockname()[1]
        answer = converse(one_act, f"http://{host}:{port}/", allow_private=False)
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert answer.reply is None
    assert answer.fault == "crash"
    assert answer.detail.endswith(("not a public address", "not a canonical IPv4 address"))


class Rebinding(AbstractResolver):
    """A name that means another address each time it is asked for."""

    def __init__(self, *addresses):
        self.left = list(addresses)

    async def resolve(self, host, port=0, family=socket.AF_INET):  # noqa: ARG002 - as it is called
        found = {"hostname": host, "host": self.left.pop(0), "port": port}
        return [found | {"family": socket.AF_INET, "proto": 0, "flags": 0}]

    async def close(self):
        pass


def test_a_name_that_is_private_the_second_time_is_refused_then(monkeypatch):
    """127.0.0.2 stands for a public address here, every other rule holds."""
    monkeypatch.setattr(
        "botapi.drivers.addresses.is_public", lambda text: text == "127.0.0.2" or is_public(text)
    )
    served = []

    async def handle(reader, writer):
        served.append(writer.get_extra_info("sockname")[0])
        writer.write(answer_bytes((await read_request(reader))[1], extra="connection: close\r\n"))
        await writer.drain()
        writer.close()

    async def run():
        server = await asyncio.start_server(handle, "0.0.0.0", 0)
        session = make_session(allow_private=False)
        session.connector._resolver = Rebinding("127.0.0.2", "127.0.0.1", "127.0.0.2")
        url = f"http://bot.example:{server.sockets[0].getsockname()[1]}/"
        asking = Asking(driver(session, url))
        try:
            return [await asking.act() for _ in range(3)]
        finally:
            await session.close()
            server.close()

    first, second, third = asyncio.run(run())
    assert first.reply
    assert second.fault == "crash"
    assert re.fullmatch(r"no connection to bot\.example:\d+: not a public address", second.detail)
    assert third.reply
    assert served == ["127.0.0.2", "127.0.0.2"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "192.0.2.1", "168.63.129.16", "192.0.0.8", "192.0.0.192", "192.88.99.1", "198.18.0.1",
        "198.51.100.1", "203.0.113.1", "240.0.0.1", "::", "::1", "::7f00:1", "::808:808", "::ffff:10.0.0.1", "::ffff:8.8.8.8",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::a83f:8110", "64:ff9b:1::a00:1", "64:ff9b:1::808:808", "100::1",
        "2001::1", "2001:2::1", "2001:20::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1",
        "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2001:db8::1", "nonsense",
    ],
)  # fmt: skip
def test_no_address_that_is_not_public_is_allowed(address):
    assert not is_public(address)


PRIVATE = ["127.0.0.1", "10.0.0.8", "192.168.1.4", "::1", "fd12::1"]
METADATA = ["169.254.169.254", "::ffff:169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"]


def test_development_allows_private_addresses_but_no_metadata():
    assert all(may_connect(text, allow_private=True) for text in [*PRIVATE, "8.8.8.8"])
    assert not any(may_connect(text, allow_private=False) for text in [*PRIVATE, *METADATA, "no address"])
    assert not any(may_connect(text, allow_private=True) for text in [*METADATA, "fe80::1%lo", "no address"])


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "168.63.129.17",
        "2606:4700:4700::1111",
        "2001:4860:4860::8888",
        "64:ff9b::808:808",
    ],
)
def test_public_addresses_are_allowed_also_where_only_nat64_leads_to_them(address):
    assert is_public(address)


def test_what_an_author_is_told_names_no_address_that_his_name_has_with_us():
    """Neither of a name that is refused, nor of one where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        refused = converse(one_act, f"http://localhost:{port}/", allow_private=False)
        closed = converse(one_act, f"http://localhost:{port}/")
    assert refused.detail == f"no connection to localhost:{port}: not a public address"
    assert closed.detail.startswith(f"no connection to localhost:{port}: ")
    assert "127.0.0.1" not in closed.detail
    assert "::1" not in closed.detail


class SlowNames:
    """Stands for name servers that keep whoever asks for ``tarpit.example`` waiting; counts who is waiting."""

    def __init__(self, loop):
        self.asked, self.open = [], asyncio.Event()
        loop.getaddrinfo = self.look_up

    async def look_up(self, host, port, **_):
        self.asked.append(host)
        if host == "tarpit.example":
            await self.open.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]


def test_a_name_that_is_slow_to_be_found_is_looked_up_once_for_all_who_wait():
    async def handle(reader, writer):
        while request := await read_request(reader):
            writer.write(answer_bytes(request[1]))
            await writer.drain()

    async def run():
        names = SlowNames(asyncio.get_running_loop())
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        session = make_session(allow_private=True)
        slow = Asking(driver(session, f"http://tarpit.example:{port}/"))
        quick = Asking(driver(session, f"http://quick.example:{port}/"))
        try:
            given_up = [await slow.act(limit_ms=50) for _ in range(3)]
            waiting = [asyncio.ensure_future(slow.act(limit_ms=20_000)) for _ in range(20)]
            meanwhile = await quick.act(limit_ms=20_000)
            asked = list(names.asked)
            names.open.set()
            return given_up, meanwhile, asked, await asyncio.gather(*waiting)
        finally:
            await session.close()
            server.close()

    given_up, meanwhile, asked, answers = asyncio.run(run())
    assert [answer.fault for answer in given_up] == ["timeout"] * 3
    assert meanwhile.reply
    assert asked == ["tarpit.example", "quick.example"]
    assert all(answer.reply for answer in answers)


def test_all_kept_connections_may_have_broken_before_the_next_request():
    connections, both = [], asyncio.Event()

    async def handle(reader, writer):
        connections.append(1)
        _, body = await read_request(reader)
        if len(connections) == 2:
            both.set()
        await both.wait()
        writer.write(answer_bytes(body))
        await writer.drain()
        if len(connections) == 2:
            await read_request(reader)  # and no answer to that
        writer.close()

    async def talk(asking):
        first = await asyncio.gather(asking.act(20_000), asking.act(20_000))
        return [*first, await asking.act(20_000)]

    answers = against_server(handle, talk)
    assert [(answer.fault, answer.detail) for answer in answers] == [("", "")] * 3
    assert len(connections) == 3


@pytest.mark.parametrize(
    ("sent", "code", "detail"),
    [
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{",
            "crash",
            "broke in the middle of the answer: .*1 of 90",
        ),
        (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{",
            "crash",
            "in the middle of the answer",
        ),
        (b"HTTP/1.1 200 OK\r\ncontent-le", "crash", "in the middle of the answer"),
        (b"HTTP/1.1 2", "crash", "in the middle of the answer"),
        (b"", "crash", "the connection was closed without an answer"),
        (b"hello\r\n\r\n", "bad_reply", "no HTTP as it should be: Bad status line: .*hello"),
        (
            b"HTTP/1.1 abc OK\r\n\r\n",
            "bad_reply",
            "no HTTP as it should be: Bad status line: .*HTTP/1.1 abc OK",
        ),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "bad_reply", "Invalid header token"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "bad_reply", "chunk size"),
    ],
)
def test_a_broken_answer_is_told_in_words_and_with_no_status_that_nobody_sent(sent, code, detail):
    async def handle(reader, writer):
        await read_request(reader)
        writer.write(sent)
        await writer.drain()
        writer.close()

    answer = against_server(handle)
    assert answer.fault == code
    assert re.search(detail, answer.detail)
    assert not re.search("Error|message=|400|<|0x|\\^", answer.detail)


@pytest.mark.parametrize("begun", [b"HTTP/1.1 2", b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"])
@pytest.mark.parametrize("abort", [False, True])
def test_a_kept_connection_that_breaks_in_the_middle_of_an_answer_is_a_crash_and_not_tried_again(
    begun, abort
):
    asked = []

    async def handle(reader, writer):
        while request := await read_request(reader):
            asked.append(request)
            writer.write(answer_bytes(request[1]) if len(asked) == 1 else begun)
            await writer.drain()
            if len(asked) > 1:
                await asyncio.sleep(0.05)
                writer.transport.abort() if abort else writer.close()
                return

    async def talk(asking):
        await asking.act()
        return await asking.act(limit_ms=5000)

    answer = against_server(handle, talk)
    assert len(asked) == 2
    assert answer.fault == "crash"
    assert answer.detail.startswith("the connection broke in the middle of the answer")
