"""What a hostile bot may want, all of it real, and how one sees afterwards that it got nothing.

Nothing here believes a bot: files are compared with what they were, processes, sockets and files are looked
for by their owner and their ancestry.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import socket
from pathlib import Path

MARK = "hostile-was-here"
WRITABLE = (
    *(Path(place) for place in ("/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/usr", "/usr/lib")),
    *(Path(place) for place in ("/etc", "/root", "/home", "/opt", "/srv")),
)
"""Where bots try to write (``files_write`` and its like)."""
_PR_SET_CHILD_SUBREAPER = 36


class Outside:
    """A secret, servers of every kind, the host's environment and descriptors, and a watch over all of it."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.place = work / "outside"
        self.place.mkdir()
        self.secret = self.place / "secret"
        self.secret.write_text("canary")
        self.secret.chmod(0o666)
        self.place.chmod(0o777)
        os.set_inheritable(os.open(self.secret, os.O_RDONLY), True)
        os.environ["SECRET_KEY"] = "canary"
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = self._named(socket.SOCK_STREAM, str(self.place / "stream"))
        self.datagram = self._named(socket.SOCK_DGRAM, str(self.place / "datagram"))
        self.abstract = f"hostile-{os.getpid()}"
        self.sockets = [self.tcp, self.udp, self.unix, self.datagram]
        self.sockets.append(self._named(socket.SOCK_STREAM, "\0" + self.abstract))
        self.sockets.append(self._named(socket.SOCK_DGRAM, "\0" + self.abstract + "-datagram"))
        # whatever a bot leaves running becomes a child of this process, however often it forks
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    @staticmethod
    def _named(kind: socket.SocketKind, name: str) -> socket.socket:
        server = socket.socket(socket.AF_UNIX, kind)
        server.bind(name)
        if kind is socket.SOCK_STREAM:
            server.listen()
        if not name.startswith("\0"):
            Path(name).chmod(0o777)
        return server

    def order(self) -> dict[str, object]:
        """Where everything is: what each bot is told."""
        return {
            "secret": str(self.secret),
            "place": str(self.place),
            "host": os.getpid(),
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "unix": self.unix.getsockname(),
            "datagram": self.datagram.getsockname(),
            "abstract": self.abstract,
        }

    def files(self) -> dict[str, tuple[object, ...]]:
        """Every file below the work directory: kind, owner, size, times and content of each."""
        return {str(path): _seen(path) for path in sorted([self.work, *self.work.rglob("*")])}

    def visited(self) -> list[str]:
        """Sockets at which somebody knocked."""
        readable, _, _ = select.select(self.sockets, [], [], 0)
        return [str(server.getsockname()) for server in readable]


def _seen(path: Path) -> tuple[object, ...]:
    info = path.lstat()
    content = path.read_bytes() if path.is_file() and info.st_size < 1 << 20 else b""
    return info.st_mode, info.st_uid, info.st_size, info.st_mtime_ns, info.st_ctime_ns, content


def differences(before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]) -> list[str]:
    """Paths that came, went or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def descendants() -> list[str]:
    """The processes below this one that still run or wait, as ``pid (name)``."""
    children: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                name, _, rest = (entry / "stat").read_text().rpartition(")")
                children.setdefault(int(rest.split()[1]), []).append(int(entry.name))
                names[int(entry.name)] = name.partition("(")[2]
    found, waiting = [], [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        waiting += below
        found += [f"{pid} ({names[pid]})" for pid in below]
    return found


def processes_of(uids: set[int]) -> list[str]:
    """The processes of these users, but this one."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and int(entry.name) != os.getpid() and entry.stat().st_uid in uids:
                found.append(f"{entry.name} of {entry.stat().st_uid}")
    return found


def processes_limited_to(size: int) -> list[str]:
    """The processes whose files may have ``size`` bytes: a battery gives its bots a number of its own."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and f" {size} " in (entry / "limits").read_text():
                found.append(f"{entry.name} limited to {size}")
    return found


def sockets_of(uids: set[int]) -> set[str]:
    """Internet sockets of these users, bound or connected, as the kernel lists them."""
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                words = line.split()
                if int(words[7]) in uids:
                    found.add(f"{table} {words[1]} of {words[7]}")
    return found


def files_of(uids: set[int], besides: Path) -> list[str]:
    """What these users own, and whatever bears the bots' mark, where anybody may write."""
    found = []
    for place in WRITABLE:
        with contextlib.suppress(OSError):
            for path in place.iterdir():
                with contextlib.suppress(OSError):
                    if path.name == MARK or (
                        path.lstat().st_uid in uids and not besides.is_relative_to(path)
                    ):
                        found.append(str(path))
    return found
