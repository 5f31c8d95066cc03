"""``./run bench watchers``: many open streams of several live tables on one web process that has one core.

A real uvicorn with the real application on loopback, a real Redis; readers in five languages, each with one table's
page open, so that each change is drawn once a language and sent to all. Prints one JSON line a figure: changes told and
received a second, processor time for each, how late they came (from telling to the reader's socket), the share of a core
that all of it took the web process, and how many readers did not have the last state in the end.

What was still to send when the telling ended counts as work of the time of telling, so that a process that does not keep up
shows as more than one core, though it has only one. Exit code 1 when it does, or when a reader lacks the last state.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import os
import random
import socket
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import redis

from bench._figures import at_most, figure
from engine import PRESETS, Game
from games.showing import public_state
from ladder import embedded
from ladder.program import Program
from ladder.supervisor import Supervisor

LANGUAGES = ("en", "pl", "cs", "ru", "nl")
PATIENCE_S = 15
MOST_OF_A_CORE = 100
"""Percent."""
LOOK_S = 0.05
TICKS = os.sysconf("SC_CLK_TCK")


def states(number: int, seed: int) -> list[dict[str, Any]]:
    """What a table of pl-3 tells, decision by decision, for a few deals."""
    rules, draw = PRESETS["pl-3"], random.Random(seed)
    game = Game(rules, seed=draw.randbytes(32))
    told: list[dict[str, Any]] = []
    while game.seat is not None and len(told) < 200:
        game.apply(draw.choice(game.legal))
        state = public_state(game, ("Agnieszka", "greedy", "counter"))
        told.append({"match": number, "rules": rules.to_json(), **state})
    return told


class Reader:
    """One open page: counts what comes, and how late."""

    def __init__(self, port: int, number: int, tables: int) -> None:
        self._port = port
        self._table = 1 + number % tables
        self._form = f"table-{LANGUAGES[number // tables % len(LANGUAGES)]}"
        self.late_ms: list[float] = []
        self.last = 0

    @property
    def table(self) -> int:
        """Which table it watches."""
        return self._table

    async def read(self, opened: asyncio.Semaphore) -> None:
        """Read until cancelled; ``opened`` is released once the stream stands."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        query = f"on=live:{self._table}&as={self._form}"
        writer.write(f"GET /streams/?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        try:
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    self.last = int(line[4:])
                    self.late_ms.append(time.time() * 1000 - self.last / 1000)
                elif line.startswith(b"retry"):
                    opened.release()
        finally:
            writer.close()


def processor_s(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def tell(tables: int, each_s: float, seconds: float) -> tuple[int, dict[int, int]]:
    """Change each table every ``each_s`` seconds; how often that was, and by table the last id kept."""
    from games import streams

    played = {table: states(table, table) for table in range(1, tables + 1)}
    began, told = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        for table in played:
            state = played[table][told // tables % len(played[table])]
            await asyncio.to_thread(streams.publish, f"live:{table}", state, keep_s=60)
            told += 1
            await asyncio.sleep(max(0.0, began + told * each_s / tables - time.monotonic()))
    return told, {table: _kept(table) for table in played}


def _kept(table: int) -> int:
    from games import streams

    told = redis.Redis.from_url(os.environ["REDIS_URL"]).get(f"{streams.KEPT}live:{table}")
    assert isinstance(told, bytes)
    return streams.decode(told).id


async def measure(port: int, pid: int, options: argparse.Namespace) -> bool:
    """Open the streams, tell for a while, print the figures; whether they are as they must be."""
    readers = [Reader(port, number, options.tables) for number in range(options.watchers)]
    opened = asyncio.Semaphore(0)
    began = time.monotonic()
    tasks = [asyncio.create_task(reader.read(opened)) for reader in readers]
    async with asyncio.timeout(60):
        for _ in readers:
            await opened.acquire()
    figure("opening all streams", time.monotonic() - began, "s", len(readers))
    await tell(options.tables, options.each, 2)  # the first drawing reads templates and catalogues
    for reader in readers:
        reader.late_ms.clear()
    used, began = processor_s(pid), time.monotonic()
    told, last = await tell(options.tables, options.each, options.seconds)
    seconds = time.monotonic() - began
    in_time = sum(len(reader.late_ms) for reader in readers)
    for _ in range(int(PATIENCE_S / LOOK_S)):
        if all(reader.last == last[reader.table] for reader in readers):
            break
        await asyncio.sleep(LOOK_S)
    used = processor_s(pid) - used  # what was left over when the telling ended is work as well
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    late = sorted(ms for reader in readers for ms in reader.late_ms)
    received = len(late)
    figure("processor time for each change received", 1000 * used / received, "ms", received)
    figure("changes told", told / seconds, "1/s", told, 1)
    figure("changes received", in_time / seconds, "1/s", in_time, 1)
    figure("delay, median", statistics.median(late), "ms", len(late), 1)
    figure("delay, 95th percentile", late[int(0.95 * (len(late) - 1))], "ms", len(late), 1)
    behind = sum(reader.last != last[reader.table] for reader in readers)
    return judge(used / seconds, behind, len(readers))


def judge(cores: float, behind: int, readers: int) -> bool:
    """Print what the bench must reach: processors used, and how many of all readers lack the last state."""
    held = (
        at_most("share of one core", 100 * cores, "%", readers, MOST_OF_A_CORE),
        at_most("readers without the last state", behind, "readers", readers, 0),
    )
    return all(held)


@contextlib.contextmanager
def web() -> Iterator[tuple[int, int]]:
    """Redis and one web process on one core; gives its port and process id."""
    supervisor = Supervisor()
    with embedded.temporary_home() as home, contextlib.ExitStack() as stack:
        stack.callback(supervisor.stop)
        broker, address = embedded.valkey(home)
        supervisor.add(broker)
        os.environ |= {"REDIS_URL": address, "DEBUG": "1", "LOG_LEVEL": "WARNING"}
        os.environ.setdefault("STREAMS_OPEN", "100000")  # all readers come from one address
        os.environ["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/none"  # streams ask no database
        os.environ["DJANGO_SETTINGS_MODULE"] = "ladder.settings"
        port, core = embedded.free_port(), max(os.sched_getaffinity(0))
        argv = (sys.executable, "-c", SERVER, str(core), "--port", str(port))
        program = Program(
            name="web",
            argv=argv,
            log=home / "logs" / "web.log",
            environment=dict(os.environ),
            directory=Path(__file__).resolve().parents[1],
            ready=functools.partial(_listens, port),
            ready_seconds=60,
        )
        supervisor.add(program)
        yield port, supervisor.running()[program.name]


SERVER = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
sys.argv = ["uvicorn", "ladder.asgi:application", *sys.argv[2:], "--timeout-graceful-shutdown", "3",
            "--lifespan", "off", "--no-access-log", "--log-level", "warning"]
import uvicorn
uvicorn.main()
"""


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def main(argv: Sequence[str]) -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="./run bench watchers", description=__doc__)
    parser.add_argument("--watchers", type=int, default=500, metavar="N", help="open streams (500)")
    parser.add_argument("--tables", type=int, default=4, metavar="N", help="live tables (4)")
    parser.add_argument("--each", type=float, default=0.5, metavar="S", help="a table changes so often (0.5)")
    parser.add_argument("--seconds", type=float, default=20, metavar="S", help="time of measuring (20)")
    options = parser.parse_args(argv)
    with web() as (port, pid):
        import django

        django.setup()
        return 0 if asyncio.run(measure(port, pid, options)) else 1
