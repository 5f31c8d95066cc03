"""The bots of ``./run bench http``: one HTTP server, every answer comes after a fixed time.

``python -m bench._slow_endpoint --latency-ms 100`` prints its port and serves until it is ended.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

import msgspec
from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Sequence


class Message(msgspec.Struct):
    """What the bot reads of a request."""

    type: str
    id: str
    legal: tuple[str, ...] = ()


_decode = msgspec.json.Decoder(Message).decode
_encode = msgspec.json.Encoder().encode


def answer(message: Message) -> bytes:
    """Ready, and then the first legal action that goes on with the deal."""
    if message.type == "hello":
        return _encode({"v": 1, "id": message.id, "ready": True})
    action = next(action for action in message.legal if action not in ("redeal", "concede"))
    return _encode({"id": message.id, "action": action})


async def serve(latency_s: float) -> None:
    """Serve for ever."""

    async def handle(request: web.Request) -> web.Response:
        body = await request.read()
        await asyncio.sleep(latency_s)
        return web.Response(body=answer(_decode(body)), content_type="application/json")

    application = web.Application()
    application.router.add_post("/", handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().create_future()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until ended."""
    parser = argparse.ArgumentParser(prog="bench._slow_endpoint", description=__doc__)
    parser.add_argument("--latency-ms", type=float, default=100)
    asyncio.run(serve(parser.parse_args(argv).latency_ms / 1000))
    return 0


if __name__ == "__main__":
    sys.exit(main())
