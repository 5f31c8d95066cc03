"""A flood on stdout costs the bot that writes it, and nobody else; and its author is told what came."""

import asyncio
import re
import time
from pathlib import Path

import pytest

from botapi.drivers.lag import LagMeter
from botapi.drivers.output import STRAY_BYTES
from botapi.explanations import came_words
from tests.botapi.drivers.test_process import converse


def bytes_read():
    return int(re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text())[1])


@pytest.mark.parametrize("how", ["strays", "strays_at_hello"])
def test_a_flood_of_answers_to_nothing_is_a_bad_reply_and_does_not_stop_the_bots_clock(how):
    async def talk(asking):
        hello = await asking.hello(limit_ms=20_000)
        return hello if how == "strays_at_hello" else await asking.act(limit_ms=20_000)

    begun = bytes_read()
    answer = converse(talk, how)
    assert answer.fault == "bad_reply"
    assert answer.detail.startswith("output flood: over 200 answers")
    assert answer.raw == b'{"id":"","action":"","ready":true}'
    assert bytes_read() - begun < STRAY_BYTES


def test_nothing_is_read_of_what_a_bot_writes_between_its_turns():
    async def talk(asking):
        await asking.hello()
        first = await asking.act()
        begun = bytes_read()
        await asyncio.sleep(1)
        read = bytes_read() - begun
        return first, read, await asking.act(limit_ms=20_000)

    first, read, second = converse(talk, "strays_between")
    assert first.reply.action == "play:9S"
    assert read < STRAY_BYTES
    assert second.detail.startswith("output flood")


def test_a_flood_at_the_end_is_heard_no_longer_than_a_moment():
    async def talk(asking):
        await asking.hello()
        await asking.act()
        begun = bytes_read()
        await asking.part()
        return bytes_read() - begun

    assert converse(talk, "strays_between") < STRAY_BYTES


def test_the_work_with_a_bots_own_output_is_on_its_own_clock_and_on_nobody_elses():
    stall = time.sleep

    async def measure():
        meter = LagMeter()
        its, neighbours = meter.start(), meter.start()
        with its.own_work():
            stall(0.3)
            within = its.read_ms()
        await asyncio.sleep(0.02)
        stall(0.1)
        return within, its.read_ms(), neighbours.read_ms()

    within, (wall_ms, stalled_ms), (_, neighbours_ms) = asyncio.run(measure())
    assert within[0] - within[1] >= 300
    assert wall_ms - stalled_ms >= 300
    assert stalled_ms >= 85
    assert neighbours_ms - stalled_ms >= 285


@pytest.mark.parametrize(
    ("how", "came", "why"),
    [
        ("list", '["m/1/0/1", "play:9S"]', "this line is none, for it does not begin with {"),
        ("wrong_id", '{"id": "x/1/0/1", "action": "play:9S"}', "for it has another id than m/1/0/1"),
        ("noise", "noise", "over 200 lines that are no answers"),
        ("huge", '{"id": "m/1/0/1", "action": "xxxx', "a line of more than 65536 bytes"),
    ],
)
def test_what_came_is_told_although_it_is_no_answer(how, came, why):
    async def talk(asking):
        await asking.hello()
        return await asking.act(limit_ms=400 if how in ("list", "wrong_id") else 20_000)

    answer = converse(talk, how)
    assert came_words(answer).startswith(came)
    assert why in answer.detail


def test_a_line_that_was_never_ended_is_told():
    async def talk(asking):
        await asking.hello()
        return await asking.act(limit_ms=400)

    answer = converse(talk, "unended")
    assert came_words(answer) == '{"id": "m/1/0/1", "action": "play:9S"}'
    assert "this line has no end" in answer.detail
