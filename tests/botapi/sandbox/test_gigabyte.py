"""A gigabyte that a sandboxed bot writes is read as far as it may go, and not kept."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

from botapi.drivers.lag import LagMeter
from botapi.drivers.pipes import PipeDriver
from botapi.sandbox import Kind, Runtime, spawn
from tests.botapi.drivers.asking import Asking
from tests.botapi.sandbox.running import write_bot

MOST_MIB = 100
UNHURRIED_MS = 30_000
GIGABYTE = """
import json, os, sys
hello = json.loads(sys.stdin.readline())
os.write(1, json.dumps({"v": 1, "id": hello["id"], "ready": True}).encode() + b"\\n")
sys.stdin.readline()
block = b"x" * (1 << 20)
for _ in range(1024):
    os.write(DESCRIPTOR, block)
"""


def test_a_gigabyte_out_of_a_sandbox_is_not_kept(kind: Kind, runtime: Runtime, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    async def talk(descriptor: int) -> tuple[str, int]:
        bot = write_bot(tmp_path / str(descriptor), GIGABYTE.replace("DESCRIPTOR", str(descriptor)))
        driver = PipeDriver(lambda: spawn(bot, backend=kind, runtime=runtime), print, lambda: 2, LagMeter())
        asking = Asking(driver)
        try:
            assert (await asking.hello(UNHURRIED_MS)).reply.ready
            answer = await asking.act(UNHURRIED_MS)
        finally:
            driver.close()
        return answer.fault, len(driver.log().stderr)

    assert asyncio.run(talk(1))[0] == "bad_reply"
    fault, kept = asyncio.run(talk(2))
    assert fault == "crash"
    assert kept < 1 << 18
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MIB << 10
