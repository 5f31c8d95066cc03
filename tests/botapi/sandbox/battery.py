"""Runs every hostile bot in one backend, as whoever starts it: ``python battery.py BACKEND BOTS WORK``.

Prints one JSON object: for each bot what was expected, what came, and whether that is as it should be; and
what was left behind. It needs the package ``botapi`` on its path and nothing else, so that it can run as a
user who cannot read the checkout. The bots run a few at a time; all that they attack is real.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import sys
import time
from collections import deque
from pathlib import Path

from botapi.errors import PlatformError
from botapi.sandbox import Cause, Limits, Proc, Runtime, spawn

SIDE_BY_SIDE = 4
SILENCE_S = 0.4
LONGEST_S = 25.0
FLOOD_BYTES = 1 << 20
MEMORY = 256 << 20
MARK = "hostile-was-here"


class Outside:
    """What a bot may want: a secret, servers of every kind, the host's environment and descriptors."""

    def __init__(self, work: Path) -> None:
        self.place = work / "outside"
        self.place.mkdir()
        self.secret = self.place / "secret"
        self.secret.write_text("canary")
        self.secret.chmod(0o644)
        self.place.chmod(0o755)
        os.set_inheritable(os.open(self.secret, os.O_RDONLY), True)
        os.environ["SECRET_KEY"] = "canary"
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = self._named(socket.SOCK_STREAM, str(self.place / "stream"))
        self.datagram = self._named(socket.SOCK_DGRAM, str(self.place / "datagram"))
        self.abstract = f"hostile-{os.getpid()}"
        self.abstract_sockets = [
            self._named(socket.SOCK_STREAM, "\0" + self.abstract),
            self._named(socket.SOCK_DGRAM, "\0" + self.abstract + "-datagram"),
        ]
        self.sockets = [self.tcp, self.udp, self.unix, self.datagram, *self.abstract_sockets]

    @staticmethod
    def _named(kind: socket.SocketKind, name: str) -> socket.socket:
        server = socket.socket(socket.AF_UNIX, kind)
        server.bind(name)
        if kind is socket.SOCK_STREAM:
            server.listen()
        if not name.startswith("\0"):
            Path(name).chmod(0o777)
        return server

    def order(self) -> bytes:
        """What each bot is told."""
        code = Path(__file__).resolve()
        told = {
            "secret": str(self.secret),
            "place": str(self.place),
            "settings": [str(code), str(code.parent), os.environ["CHECKOUT"]],
            "host": os.getpid(),
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": self.unix.getsockname(),
            "datagram": self.datagram.getsockname(),
            "abstract": self.abstract,
            "memory": MEMORY,
            "threads": 80 + (0 if os.geteuid() == 0 else 200),
        }
        return json.dumps(told).encode() + b"\n"

    def visited(self) -> list[str]:
        """Sockets at which somebody knocked."""
        readable, _, _ = select.select(self.sockets, [], [], 0)
        return [str(server.getsockname()) for server in readable]


class Run:
    """One bot and what comes of it."""

    def __init__(
        self, bot: Path, work: Path, order: bytes, kind: str, runtime: Runtime, limits: Limits
    ) -> None:
        self.name = bot.stem
        self.expected = bot.read_text().partition("\n")[0].removeprefix("# expect: ")
        folder = work / "bots" / bot.stem
        if not folder.exists():
            folder.mkdir(parents=True)
            shutil.copyfile(bot, folder / "main.py")
            shutil.copyfile(bot.with_name("report.py"), folder / "report.py")
        self.began = time.monotonic()
        self.proc: Proc = spawn(folder, limits, backend=kind, runtime=runtime)  # type: ignore[arg-type]
        os.write(self.proc.stdin, order)
        self.out = b""
        self.bytes = 0
        self.open = {self.proc.stdout, self.proc.stderr}
        self.err = b""

    def read(self, descriptor: int) -> None:
        chunk = os.read(descriptor, 65536)
        self.bytes += len(chunk)
        if descriptor == self.proc.stdout and len(self.out) < 4096:
            self.out += chunk
        elif descriptor == self.proc.stderr:
            self.err = (self.err + chunk)[-400:]
        if not chunk:
            self.open.discard(descriptor)

    @property
    def over(self) -> bool:
        """Whether all is known: an end, a line, a flood, or silence for long enough."""
        age = time.monotonic() - self.began
        if self.expected == "silent":
            return age > SILENCE_S + 1.0
        return not self.open or b"\n" in self.out or self.bytes > FLOOD_BYTES or age > LONGEST_S

    def finish(self) -> dict[str, object]:
        flooded, line = self.bytes > FLOOD_BYTES, self.out.partition(b"\n")[0] if b"\n" in self.out else b""
        cause = "running"
        try:
            if not line and not flooded and self.expected != "silent":
                cause = self.proc.ending().cause.value
            up = self.proc.started(0)
        except PlatformError as error:
            cause, up = f"platform: {error}", False
        self.proc.close()
        breach = bool(line) and json.loads(line)["breach"]
        seen = "flood" if flooded else "silent" if self.expected == "silent" and up else cause
        fine = {
            "held": bool(line) and not breach,
            "ended": not breach and (bool(line) or cause in {c.value for c in Cause} - {"ended"}),
            "memory": cause in ("memory", "signal"),
        }.get(self.expected, seen in (self.expected, {"forbidden": "forbidden operation"}.get(self.expected)))
        seconds = round(time.monotonic() - self.began, 2)
        told = (line + b" " + self.err).decode("utf-8", "replace")
        return {"expected": self.expected, "seen": seen, "told": told, "fine": fine, "seconds": seconds}


def main(kind: str, bots: Path, work: Path) -> dict[str, object]:
    """Run them all."""
    outside, runtime = Outside(work), Runtime(work / "runtime")
    # a limit of its own tells this battery's processes from everybody else's
    limits = Limits(cpu_s=2, address_space=MEMORY, file_size=(1 << 20) + os.getpid())
    waiting = deque(sorted(path for path in bots.glob("*.py") if path.name != "report.py"))
    waiting.append(bots / "persist.py")
    results: dict[str, object] = {}
    running: list[Run] = []
    while waiting or running:
        while waiting and len(running) < SIDE_BY_SIDE:
            running.append(Run(waiting.popleft(), work, outside.order(), kind, runtime, limits))
        watched = {descriptor: run for run in running for descriptor in run.open}
        for descriptor in select.select(list(watched), [], [], 0.05)[0]:
            watched[descriptor].read(descriptor)
        for run in [run for run in running if run.over]:
            running.remove(run)
            name = run.name if run.name not in results else run.name + " again"
            results[name] = run.finish()
    alive = _alive(f'"FSIZE": {limits.file_size}')
    knocked, written = (
        outside.visited(),
        _written([work, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/")]),
    )
    runtime.close()
    return {"bots": results, "alive": alive, "knocked": knocked, "written": written, "uid": os.getuid()}


def _alive(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


def _written(places: list[Path]) -> list[str]:
    found = [str(place / MARK) for place in places if (place / MARK).exists()]
    return found + [str(path) for path in places[0].rglob(MARK)]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
