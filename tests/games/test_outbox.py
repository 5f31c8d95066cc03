"""What the host says, on real pipes: nothing is lost, nothing waits for the reader."""

import asyncio
import json
import os
import time

from games.outbox import BOUND, Outbox
from tests.botapi.drivers.test_http import sample_bot
from tests.games.test_host import CLOCKS, HOUSE, http, job
from tests.games.test_host import host as host  # noqa: PLC0414 - the fixture

BIG = "x" * 100_000


def read_all(descriptor):
    data = b""
    while chunk := os.read(descriptor, 1 << 20):
        data += chunk
    return [json.loads(line)["n"] for line in data.splitlines()]


def test_what_the_parent_does_not_read_is_kept_in_order_and_written_when_it_reads():
    async def run():
        reading, writing = os.pipe()
        outbox = Outbox(writing, lambda: None)
        for number in range(100):
            outbox.emit({"n": number, "text": BIG})
        reader = asyncio.get_running_loop().run_in_executor(None, read_all, reading)
        await asyncio.sleep(0.05)
        outbox.emit({"n": 100})
        outbox.close()
        os.close(writing)
        try:
            return await reader
        finally:
            os.close(reading)

    assert asyncio.run(run()) == list(range(101))


def test_matches_pause_while_too_much_is_unread_and_go_on_once_it_is_read():
    async def run():
        reading, writing = os.pipe()
        outbox = Outbox(writing, lambda: None)
        resumed = asyncio.Event()
        assert not outbox.pause(resumed.set)
        while not outbox.pause(resumed.set):
            outbox.emit({"n": 0, "text": BIG})
        await asyncio.sleep(0.05)
        assert not resumed.is_set()
        reader = asyncio.get_running_loop().run_in_executor(None, read_all, reading)
        await asyncio.wait_for(resumed.wait(), 10)
        assert not outbox.pause(resumed.set)
        outbox.close()
        os.close(writing)
        count = len(await reader)
        os.close(reading)
        return count

    assert asyncio.run(run()) >= BOUND // len(BIG)


def test_a_reader_that_is_gone_is_told_once_and_nothing_is_kept_for_it():
    async def run():
        reading, writing = os.pipe()
        gone = []
        outbox = Outbox(writing, lambda: gone.append(1))
        os.close(reading)
        outbox.emit({"n": 0, "text": BIG})
        assert not outbox.pause(lambda: None)
        outbox.close()
        os.close(writing)
        return gone

    assert asyncio.run(run()) == [1]


def test_a_parent_that_does_not_read_for_a_while_costs_no_bot_its_time(host):
    with sample_bot() as url:
        clocks = CLOCKS | {"act_ms": 1000, "bank_ms": 0, "hard_ms": 1000}
        for number in range(30):
            host.send(job(f"house-{number}"))
        host.send(job("web", seats=[http(url), *HOUSE[:2]], clocks=clocks))
        time.sleep(3)  # the worker waits for its database
        ends = {}
        while len(ends) < 31:
            event = host.read(60)
            if event["type"] in ("finished", "failed", "refused"):
                ends[event["match"]] = event
    assert {event["type"] for event in ends.values()} == {"finished"}
    assert ends["web"]["faults"] == []
    assert max(turn["used_ms"] for turn in ends["web"]["logs"][0]["turns"]) < 1010
