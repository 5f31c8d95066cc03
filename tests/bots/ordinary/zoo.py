"""What ordinary bots do: every line here must work in a sandbox."""

import array
import asyncio
import base64
import bisect
import collections
import contextlib
import copy
import csv
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import heapq
import hmac
import io
import itertools
import json
import logging
import math
import operator
import os
import pickle
import platform
import queue
import random
import re
import secrets
import select
import signal
import sqlite3
import statistics
import string
import struct
import sys
import threading
import time
import traceback
import types
import typing
import uuid
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import friend


@dataclasses.dataclass(order=True)
class Card:
    rank: int
    suit: str


async def asynchronous():
    async def one(n):
        await asyncio.sleep(0.001)
        return n

    results = await asyncio.gather(*(one(n) for n in range(20)))
    in_thread = await asyncio.to_thread(sum, results)
    async with asyncio.timeout(1):
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.001)
    return in_thread


def threads():
    results = queue.Queue()
    workers = [threading.Thread(target=results.put, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with ThreadPoolExecutor(4) as pool:
        return sorted(results.queue) == list(range(8)) and sum(pool.map(abs, range(-5, 5))) == 25


def database():
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (a integer primary key, b text)")
        connection.executemany("insert into t values (?, ?)", [(n, str(n)) for n in range(500)])
        connection.commit()
        return connection.execute("select count(*), max(b) from t order by b").fetchone() == (500, "99")


def shipped_database():
    """A file of one's own, read as what it is: unchanging. Locks there are none."""
    path = Path(__file__).parent / "book.db"
    with contextlib.closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection:
        return connection.execute("select sum(a) from t").fetchone() == (42,)


def joined():
    """A thread of the C library's, joined as libraries and newer Pythons do."""
    libc, done = ctypes.CDLL(None), []
    entry = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: time.sleep(0.02) or done.append(1))
    thread = ctypes.c_ulong()
    started = libc.pthread_create(ctypes.byref(thread), None, entry, None)
    return (started, libc.pthread_join(thread, None), done) == (0, 0, [1])


def alarms():
    rung = []
    signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    until = time.monotonic() + 2
    while not rung and time.monotonic() < until:
        time.sleep(0.001)
    signal.raise_signal(signal.SIGALRM)
    return len(rung) == 2


def own_files():
    here = Path(__file__).parent
    with open(os.devnull, "w") as sink:
        print("gone", file=sink)
    return (here / "table.txt").read_text() == "42" and "main.py" in os.listdir(here) and friend.ANSWER == 42


CHECKS = {
    "json": lambda: json.loads(json.dumps({"a": [1, None, "ł♥"]}))["a"][2] == "ł♥",
    "random": lambda: random.Random(7).random() == random.Random(7).random() and random.SystemRandom().random() < 1,
    "secrets": lambda: len(secrets.token_bytes(9)) == 9,
    "threads": threads,
    "asyncio": lambda: asyncio.run(asynchronous()) == 190,
    "sqlite3": database,
    "sqlite3 file": shipped_database,
    "join": joined,
    "hashlib": lambda: hashlib.sha256(b"").hexdigest().startswith("e3b0") and hashlib.blake2b(b"").digest_size == 64,
    "hmac": lambda: len(hmac.digest(b"k", b"m", "sha256")) == 32,
    "uuid": lambda: uuid.uuid4() != uuid.uuid4() and uuid.uuid1() and uuid.uuid5(uuid.NAMESPACE_DNS, "a"),
    "dataclasses": lambda: Card(1, "H") < Card(2, "C") and dataclasses.asdict(Card(1, "H")) == {"rank": 1, "suit": "H"},
    "heapq": lambda: heapq.nsmallest(2, [3, 1, 2]) == [1, 2],
    "collections": lambda: collections.Counter("aab").most_common(1) == [("a", 2)],
    "itertools": lambda: len(list(itertools.combinations(range(8), 3))) == 56,
    "functools": lambda: functools.reduce(operator.mul, range(1, 6)) == 120 and functools.lru_cache(len)("ab") == 2,
    "numbers": lambda: decimal.Decimal("0.1") * 3 == decimal.Decimal("0.3") and fractions.Fraction(1, 3) * 3 == 1,
    "statistics": lambda: statistics.mean([1, 2, 3]) == 2 and math.isclose(math.erf(0.5), 0.5204998778),
    "datetime": lambda: datetime.datetime.now(datetime.timezone.utc).year > 2000 and time.localtime().tm_year > 2000,
    "re": lambda: re.fullmatch(r"[9JQKTA][CDHS]", "TH"),
    "pickle": lambda: pickle.loads(pickle.dumps(Card(1, "S"))) == Card(1, "S"),
    "copy": lambda: copy.deepcopy([[1]]) == [[1]],
    "zlib": lambda: zlib.decompress(zlib.compress(b"x" * 999)) == b"x" * 999 and base64.b64decode("QQ==") == b"A",
    "struct": lambda: struct.pack("<I", 1) == b"\1\0\0\0" and array.array("b", [1]).itemsize == 1,
    "csv": lambda: next(csv.reader(io.StringIO("a,b"))) == ["a", "b"],
    "enum": lambda: enum.Enum("Suit", "C D H S")(1).name == "C",
    "typing": lambda: typing.NamedTuple("T", [("a", int)])(1).a == 1 and types.SimpleNamespace(a=1).a == 1,
    "logging": lambda: logging.getLogger("bot").warning("to stderr") is None and warnings.warn("so") is None,
    "traceback": lambda: "CHECKS" in "".join(traceback.format_stack()) or True,
    "platform": lambda: platform.python_version() and os.cpu_count() and len(os.sched_getaffinity(0)),
    "bisect": lambda: bisect.bisect([1, 3], 2) == 1 and string.ascii_letters,
    "select": lambda: select.select([], [], [], 0.001) == ([], [], []),
    "ctypes": lambda: ctypes.CDLL(None).getpid() == os.getpid(),
    "alarms": alarms,
    "own files": own_files,
    "stack": lambda: sys.getrecursionlimit() >= 1000 and sum(range(10**5)),
}

failed = {}
for name, check in CHECKS.items():
    try:
        if not check():
            failed[name] = "wrong"
    except BaseException as error:
        failed[name] = repr(error)
print(json.dumps({"checked": len(CHECKS), "failed": failed}))
