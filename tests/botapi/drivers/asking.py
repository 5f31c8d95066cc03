"""Asks a driver as the runner does, and waits for its answers."""

import asyncio
from pathlib import Path

from botapi.drivers.base import Question

BAD = Path(__file__).parents[2] / "bots" / "bad.py"
GOOD = Path(__file__).parents[2] / "bots" / "good.py"
LEGAL = ("play:9S", "play:AS")


class Asking:
    """One driver in conversation."""

    def __init__(self, driver, match="m"):
        self.driver = driver
        self.match = match
        self.number = 0

    def question(self, kind, limit_ms, **extra):
        message_id = f"{self.match}/1/0/{self.number}"
        self.number += 1
        content = {"v": 1, "type": kind, "id": message_id, "legal": LEGAL, **extra}
        return Question(0, kind, message_id, limit_ms, content, {}, LEGAL)

    async def hello(self, limit_ms=5000):
        done = asyncio.get_running_loop().create_future()
        self.driver.start(self.question("hello", limit_ms), done.set_result)
        return await done

    async def act(self, limit_ms=1000, **extra):
        done = asyncio.get_running_loop().create_future()
        answer = self.driver.ask(self.question("act", limit_ms, **extra), done.set_result)
        return answer if answer is not None else await done

    async def part(self):
        done = asyncio.get_running_loop().create_future()
        self.driver.part(lambda: done.set_result(None))
        await done
        self.driver.close()
        return self.driver.log()
