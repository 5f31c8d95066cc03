"""Floods through a real match host: its memory does not grow, whatever a bot writes."""

import contextlib
import json
import re
import socket
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botapi.drivers.http_session import WIRE_BYTES
from engine.record import verify
from tests.botapi.drivers.asking import BAD
from tests.botapi.drivers.replies import REPLIES, TAKEN
from tests.botapi.drivers.test_fuzz import RESPONSES, saying
from tests.botapi.drivers.test_http import answer_bytes, sample_bot
from tests.games.test_host import HOUSE, Host, http, job, process
from tests.games.test_host import host as host  # noqa: PLC0414 - the fixture

MIB = 1024 * 1024
GROWTH = 8 * MIB
FLOOD = BAD.with_name("flood.py")
PATIENT = {"act_ms": 300_000, "bank_ms": 0, "hard_ms": 300_000, "start_ms": 60_000}
ANNA = {"kind": "person", "name": "Anna", "clocks": PATIENT}


def memory(host, field):
    """``VmRSS`` or, since the last :func:`forget_peak`, ``VmHWM``, in bytes."""
    status = Path(f"/proc/{host.process.pid}/status").read_text()
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024


def forget_peak(host):
    Path(f"/proc/{host.process.pid}/clear_refs").write_text("5")


def bytes_read(host):
    counters = Path(f"/proc/{host.process.pid}/io").read_text()
    return int(re.search(r"rchar: (\d+)", counters)[1])


def children(host):
    return Path(f"/proc/{host.process.pid}/task/{host.process.pid}/children").read_text().split()


def wait_until(happened):
    deadline = time.monotonic() + 240
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def mapped(host, name):
    return name in Path(f"/proc/{host.process.pid}/maps").read_text()


def flooding(what):
    return process() | {"argv": [process()["argv"][0], str(FLOOD), what]}


@contextlib.contextmanager
def growing_at_most(host, allowed=GROWTH):
    """The host's peak within the block stays near what it had at the start."""
    before = memory(host, "VmRSS")
    forget_peak(host)
    yield
    assert memory(host, "VmHWM") - before <= allowed


def warm(host, *seats):
    """A match like those that follow, so that what is loaded once is loaded."""
    seats = [*seats, *HOUSE[: 3 - len(seats)]]
    assert host.play(job("warm", seats=seats))["type"] == "finished"


def is_held_up(pid):
    """Whether a thread of it waits in a write to its stdout."""
    waiting = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            waiting.append((thread / "syscall").read_text().split()[:2])
    return ["1", "0x1"] in waiting


@pytest.mark.parametrize("what", ["endless", "noise", "answers"])
def test_a_flood_on_stdout_is_read_no_further_than_a_turn_needs_and_holds_up_only_the_bot(host, what):
    """A person thinks meanwhile, so that the match goes on while the bot writes."""
    warm(host, process(), process())
    with growing_at_most(host):
        begun = bytes_read(host)
        host.send(job(seats=[flooding(what), ANNA, HOUSE[0]]))
        while True:
            event = host.read()
            assert event["type"] not in ("failed", "refused"), event
            if event["type"] == "question":
                break
        (bot,) = children(host)

        def nobody_reads():
            before = bytes_read(host)
            time.sleep(0.5)
            return is_held_up(bot) and bytes_read(host) == before

        wait_until(nobody_reads)
        assert bytes_read(host) - begun < 8 * MIB


def test_stderr_without_end_does_not_grow_the_host_and_ends_the_bot(host):
    warm(host, process(), process())
    with growing_at_most(host):
        begun = bytes_read(host)
        host.send(job(seats=[flooding("stderr"), ANNA, HOUSE[0]]))
        host.until("question")
        wait_until(lambda: not children(host))
        assert 16 * MIB < bytes_read(host) - begun < 32 * MIB


OK = b"HTTP/1.1 200 OK\r\n"
FLOODS = {
    "body": (OK + b"content-length: 1000000000\r\n\r\n", b"{" * 65536),
    "body without length": (OK + b"connection: close\r\n\r\n", b" " * 65536),
    "chunks": (OK + b"transfer-encoding: chunked\r\n\r\n", (b"1;" + b"e" * 4000 + b"\r\n \r\n") * 16),
    "trailers": (OK + b"transfer-encoding: chunked\r\n\r\n0\r\n", b"trailer: of many\r\n" * 4000),
    "headers": (OK, b"header: of many\r\n" * 4000),
    "one header": (OK + b"header: ", b"h" * 65536),
    "status line": (b"HTTP/1.1 200 ", b"O" * 65536),
    "more to come": (b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 2500),
}


@contextlib.contextmanager
def flooding_endpoint(start, chunk):
    """Greets, and answers every other question without end; beside its address how much each answer got rid of."""
    taken = []

    def flood(connection):
        number = len(taken)
        taken.append(0)
        connection.sendall(start)
        while True:
            taken[number] += connection.send(chunk)

    def serve(connection):
        with connection, contextlib.suppress(OSError):
            request = b""
            while not request.endswith(b"}"):
                request += connection.recv(1 << 16)
            body = request.partition(b"\r\n\r\n")[2]
            if b'"type":"hello"' in body:
                connection.sendall(answer_bytes(body, extra="connection: close\r\n"))
                return
            flood(connection)

    def accept(listener):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, args=(listener,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/", taken
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_an_endpoint_that_sends_without_end_does_not_grow_the_host(host):
    clocks = {"act_ms": 1500, "bank_ms": 0, "hard_ms": 1500, "start_ms": 30_000}
    with sample_bot() as url:
        warm(host, http(url))
    with growing_at_most(host):
        for name, flood in FLOODS.items():
            with flooding_endpoint(*flood) as (url, taken):
                seats = [http(url, clocks=clocks), *HOUSE[:2]]
                finished = host.play(job(name, seats=seats))
            assert finished["type"] == "finished", (name, finished)
            assert len(finished["faults"]) == 3, name
            assert {fault["code"] for fault in finished["faults"]} <= {"bad_reply", "timeout"}, name
            assert len(taken) >= 3, name
            assert max(taken) > WIRE_BYTES / 2, name
            assert max(taken) < 64 * MIB, (
                name
            )  # the host had gone, the rest is what the kernel's buffers hold


def test_aiohttp_is_loaded_by_the_first_endpoint_only(host):
    warm(host, process())
    assert not mapped(host, "aiohttp")
    with sample_bot() as url:
        warm(host, http(url))
    assert mapped(host, "aiohttp")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.one_of(REPLIES, *[TAKEN.map(lambda found: json.dumps(found).encode())] * 8),
        min_size=20,
        max_size=40,
    )
)
def test_no_reply_breaks_a_match(patient_host, tmp_path_factory, replies):
    """Whatever it says, a bot's match is played to its end, and its log can be read."""
    script = tmp_path_factory.mktemp("replies") / "replies"
    script.write_text("\n".join(reply.hex() for reply in replies))
    bot = process() | {"argv": [process()["argv"][0], str(BAD.with_name("scripted.py")), str(script)]}
    finished = patient_host.play(job(seats=[bot, bot, HOUSE[0]], clocks=PATIENT))
    assert finished["type"] == "finished", finished
    assert {fault["code"] for fault in finished["faults"]} <= {"bad_reply", "illegal"}
    verify(finished["record"])


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(RESPONSES, min_size=9, max_size=9))
def test_no_response_of_an_endpoint_breaks_a_match_or_grows_the_host(patient_host, responses):
    with saying(responses, greeting=True) as url:
        finished = patient_host.play(job(seats=[http(url)] * 3, clocks=PATIENT))
    assert finished["type"] == "finished", finished
    assert {fault["code"] for fault in finished["faults"]} <= {"bad_reply", "illegal", "crash"}
    verify(finished["record"])


@pytest.fixture(scope="module")
def patient_host():
    """One host for all the matches of a test, which must not grow by them."""
    started = Host("--no-sandbox")
    assert started.read()["type"] == "ready"
    warm(started, process(), process())
    with sample_bot() as url:
        warm(started, http(url), http(url))
    with growing_at_most(started):
        yield started
    started.close()
