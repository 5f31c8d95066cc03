"""Real processes on real pipes, bad on purpose."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from botapi.drivers.lag import LagMeter
from botapi.drivers.process import process_driver
from botapi.drivers.turn_clock import STOLEN_NS
from tests.botapi.drivers.asking import BAD, GOOD, Asking


def converse(talk, *arguments, program=BAD):
    """Run ``talk(asking)`` against a plain process."""
    failures = []

    async def run():
        argv = [sys.executable, str(program), *map(str, arguments)]
        driver = process_driver(argv, failed=failures.append, eager_ms=lambda: 2, lag=LagMeter())
        try:
            return await talk(Asking(driver))
        finally:
            driver.close()

    result = asyncio.run(run())
    assert failures == []
    return result


async def there(path):
    """A file by which a bot tells how far it is."""
    while not path.exists():  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.01)


def test_a_good_bot_is_greeted_and_answers():
    async def talk(asking):
        hello = await asking.hello()
        answers = [await asking.act() for _ in range(20)]
        await asking.part()
        return hello, answers

    hello, answers = converse(talk, program=GOOD)
    assert hello.reply.ready
    assert hello.start_ms > 0
    assert {answer.reply.action for answer in answers} == {"play:9S"}
    assert all(answer.used_ms < 500 for answer in answers)


@pytest.mark.parametrize(
    ("how", "code", "detail"),
    [
        ("sleep", "timeout", "no answer within 150 ms"),
        ("spin", "timeout", "no answer within 150 ms"),
        ("wrong_id", "timeout", "no answer within 150 ms"),
        ("crash", "crash", "exited with status 1"),
        ("exit", "crash", "exited with status 0"),
        ("close_stdout", "crash", "closed its stdin or stdout and went on"),
        ("stderr_flood", "crash", "stderr"),
        ("bad_json", "bad_reply", "malformed"),
        ("wrong_shape", "bad_reply", "Expected `str`"),
        ("huge", "bad_reply", "more than 65536 bytes"),
        ("endless", "bad_reply", "more than 65536 bytes"),
        ("noise", "bad_reply", "over 200 lines"),
    ],
)
def test_each_misbehaviour_has_its_code(how, code, detail):
    async def talk(asking):
        assert (await asking.hello()).reply.ready
        return await asking.act(limit_ms=150 if code == "timeout" else 3000)

    answer = converse(talk, how)
    assert answer.reply is None
    assert answer.fault == code
    assert detail in answer.detail


def test_a_timeout_counts_as_more_than_the_limit():
    async def talk(asking):
        await asking.hello()
        return await asking.act(limit_ms=100)

    assert converse(talk, "sleep").used_ms > 110


def test_a_late_answer_is_noted_with_its_delay_and_ignored():
    async def talk(asking):
        await asking.hello()
        first = await asking.act(limit_ms=300)
        second = await asking.act(limit_ms=3000)
        return first, second, await asking.part()

    first, second, log = converse(talk, "late")
    assert first.fault == "timeout"
    assert second.reply.action == "play:9S"
    assert any(note.startswith("late: the answer to m/1/0/1 came") for note in log.notes)


def test_a_late_answer_that_comes_when_nothing_is_asked_is_told_as_late():
    async def talk(asking):
        await asking.hello()
        first = await asking.act(limit_ms=300)
        await asyncio.sleep(0.6)
        return first, await asking.part()

    first, log = converse(talk, "late")
    assert first.fault == "timeout"
    assert any(note.startswith("late: the answer to m/1/0/1 came") for note in log.notes), log.notes
    assert not [note for note in log.notes if note.startswith("out of turn")]


def test_an_answer_that_a_stalled_host_could_not_read_is_not_late():
    async def talk(asking):
        await asking.hello()
        asyncio.get_running_loop().call_later(0.1, time.sleep, 3)
        return await asking.act(limit_ms=2000)

    answer = converse(talk, "late")
    assert answer.reply.action == "play:9S"
    assert answer.wall_ms > 3000
    assert answer.delay_ms > 2500
    assert answer.used_ms < 2010


def test_noise_below_the_limit_is_noted_only():
    async def talk(asking):
        await asking.hello()
        return await asking.act(), await asking.part()

    answer, log = converse(talk, "some_noise")
    assert answer.reply.action == "play:9S"
    assert log.notes.count("not an answer: noise") == 5


@pytest.mark.parametrize("how", ["afterword", "afterwords"])
def test_what_a_bot_wrote_before_a_question_is_out_of_turn_and_no_answer_to_it(how, tmp_path):
    """The driver holds the first of it, the pipe the rest."""
    written = tmp_path / "written"

    async def talk(asking):
        await asking.hello()
        first = await asking.act()
        await there(written)
        return first, await asking.act(), asking.driver.log()

    first, second, log = converse(talk, how, 0, written)
    assert first.reply.action == second.reply.action == "play:9S"
    assert log.notes.count("out of turn: {}") == (2 if how == "afterword" else 40)


def test_stderr_is_drained_cut_and_stripped_of_control_characters():
    async def talk(asking):
        await asking.hello()
        return await asking.act(limit_ms=5000), await asking.part()

    answer, log = converse(talk, "stderr")
    assert answer.reply.action == "play:9S"
    assert "\x1b" not in log.stderr
    assert "bytes left out" in log.stderr
    assert len(log.stderr) < 80_000


def test_a_polite_refusal_comes_through():
    async def talk(asking):
        return await asking.hello()

    reply = converse(talk, "refuse").reply
    assert not reply.ready
    assert reply.reason == "I only play at night"


def test_a_bot_that_dies_at_hello_and_one_that_never_answers_it():
    async def talk(asking):
        return await asking.hello(limit_ms=400)

    assert converse(talk, "no_hello").fault == "timeout"

    async def talk_long(asking):
        return await asking.hello(limit_ms=5000), asking.driver.log()

    answer, log = converse(talk_long, "crash_at_hello")
    assert answer.fault == "crash"
    assert "cannot start" in log.stderr


def test_nobody_waits_for_a_bot_that_closed_its_pipes_and_goes_on():
    async def talk(asking):
        await asking.hello()
        turns = 0

        async def others():
            nonlocal turns
            while True:
                await asyncio.sleep(0.01)
                turns += 1

        meanwhile = asyncio.ensure_future(others())
        answer = await asking.act(limit_ms=3000)
        meanwhile.cancel()
        return answer, turns

    answer, turns = converse(talk, "close_stdout")
    assert answer.fault == "crash"
    assert turns > 5


def test_a_crashed_bot_can_be_started_again(tmp_path):
    async def talk(asking):
        await asking.hello()
        first = await asking.act()
        again = await asking.hello()
        return first, again, await asking.act()

    first, again, second = converse(talk, "crash_once", 0, tmp_path / "mark")
    assert first.fault == "crash"
    assert again.reply.ready
    assert second.reply.action == "play:9S"


def test_requests_that_nobody_reads_do_not_block_us():
    async def talk(asking):
        await asking.hello()
        began = time.monotonic()
        answers = [await asking.act(limit_ms=50, padding="x" * 200_000) for _ in range(3)]
        return answers, time.monotonic() - began

    answers, seconds = converse(talk, "sleep")
    assert [answer.fault for answer in answers] == ["timeout"] * 3
    assert seconds < 5


def test_closing_leaves_no_process_and_no_descriptor():
    before = set(os.listdir("/proc/self/fd"))

    def children():
        return {
            pid
            for task in Path("/proc/self/task").iterdir()
            for pid in (task / "children").read_text().split()
        }

    others = children()

    async def talk(asking):
        await asking.hello()
        await asking.act(limit_ms=50)
        started = children() - others
        asking.driver.close()
        asking.driver.close()
        return started

    (pid,) = converse(talk, "sleep")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    assert set(os.listdir("/proc/self/fd")) <= before


def test_notes_logs_and_state_come_through():
    async def talk(asking):
        await asking.hello()
        return await asking.act()

    reply = converse(talk, "terminal").reply
    assert (reply.note, reply.log, reply.state) == ("a note\x07", "\x1b[2Jhi", "s")


def test_what_a_bot_computes_when_it_is_not_its_turn_is_charged_to_the_next_and_told_once(tmp_path):
    """A plain process is not stopped between its turns, as a sandboxed one is."""

    async def talk(asking):
        await asking.hello()
        answers = [await asking.act(limit_ms=10_000)]
        for number in (1, 2):
            await there(tmp_path / f"pondered{number}")
            answers.append(await asking.act(limit_ms=10_000))
        return answers, asking.driver.log().notes

    (first, second, third), notes = converse(talk, "ponder", 0, tmp_path / "pondered")
    assert min(second.used_ms, third.used_ms) > STOLEN_NS / 1e6
    assert first.used_ms + second.used_ms + third.used_ms > 2 * 600
    assert sum("it was not its turn" in note for note in notes) == 1
