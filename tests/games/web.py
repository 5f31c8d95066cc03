"""A real web server for tests, and browsers' streams without a browser."""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec

from ladder.embedded import free_port

ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def server(**changes):
    """uvicorn with the real application on the test's database; gives its port."""
    from django.db import connection

    given, port = connection.settings_dict, free_port()
    account = f"{given['USER']}:{given['PASSWORD']}" if given["PASSWORD"] else given["USER"]
    address = f"postgresql://{account}@{given['HOST']}:{given['PORT']}/{given['NAME']}"
    argv = [
        sys.executable,
        "-m",
        "uvicorn",
        "ladder.asgi:application",
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    argv += ["--timeout-graceful-shutdown", "3", "--lifespan", "off", "--no-access-log"]
    process = subprocess.Popen(argv, cwd=ROOT, env={**os.environ, "DATABASE_URL": address, **changes})
    try:
        _wait(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def _wait(port, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the web server ended"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("no web server")


class Stream:
    """An open stream: ``next`` gives its events as (id, name, data); a thread reads it."""

    def __init__(self, port, query, headers=""):
        self._socket = socket.create_connection(("127.0.0.1", port), 10)
        self._socket.settimeout(None)
        request = f"GET /streams/?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n"
        self._socket.sendall(request.encode())
        self.events = queue.Queue()
        self.ended = threading.Event()
        self.status = None
        self._opened = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._opened.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def next(self, seconds=20):
        """The next event."""
        return self.events.get(timeout=seconds)

    def _read(self):
        with contextlib.suppress(OSError, ValueError), self._socket.makefile("rb") as lines:
            self.status = int(lines.readline().split()[1])
            event = {}
            for line in lines:
                field, _, value = line.rstrip(b"\r\n").partition(b": ")
                if field == b"retry":
                    self._opened.set()
                elif field in (b"id", b"event", b"data"):
                    event[field.decode()] = value
                elif not field and event:
                    data = msgspec.json.decode(event["data"])
                    self.events.put((int(event.get("id", 0)), event["event"].decode(), data))
                    event = {}
        self._opened.set()
        self.ended.set()
