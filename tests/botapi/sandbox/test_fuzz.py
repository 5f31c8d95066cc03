"""Whatever a bot says out of its sandbox: an answer or a fault comes of it, and the next question works."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from botapi.drivers.lag import LagMeter
from botapi.drivers.pipes import PipeDriver
from botapi.sandbox import Kind, Runtime, spawn
from tests.botapi.drivers.asking import LEGAL, Asking
from tests.botapi.drivers.replies import EXTRA, REPLIES
from tests.botapi.drivers.test_fuzz import SCRIPTED, UNHURRIED_MS, outcome
from tests.botapi.sandbox.running import write_bot

NUMBERS = itertools.count()


@settings(phases=[Phase.generate], max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(replies=st.lists(REPLIES, min_size=20, max_size=40))
def test_a_sandboxed_bot_may_say_anything(
    kind: Kind, runtime: Runtime, tmp_path: Path, replies: list[bytes]
) -> None:
    source = SCRIPTED.read_text().replace("sys.argv[1]", "__file__.replace('main.py', 'replies')")
    script = "\n".join(reply.hex() for reply in [*replies, b""])
    bot = write_bot(tmp_path / str(next(NUMBERS)), source, replies=script)
    failures: list[BaseException] = []

    async def talk() -> str:
        driver = PipeDriver(
            lambda: spawn(bot, backend=kind, runtime=runtime), failures.append, lambda: 2, LagMeter()
        )
        asking = Asking(driver)
        try:
            assert (await asking.hello(UNHURRIED_MS)).reply.ready
            for _ in replies:
                outcome(await asking.act(UNHURRIED_MS), {"bad_reply"})
            last = ""
            for _ in range(EXTRA * len(replies)):  # lines too many are the answers to the next questions
                last = outcome(await asking.act(UNHURRIED_MS), {"bad_reply"})
                if last == LEGAL[0]:
                    break
            return last
        finally:
            driver.close()

    assert asyncio.run(talk()) == LEGAL[0]
    assert failures == []
