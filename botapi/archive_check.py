"""Larger archives are checked and re-packed in a process of their own (sandbox.md section 11).

``python -I -m botapi.archive_check`` bounds its own memory, processor time and output, takes a zip on stdin
and answers on stdout with one JSON line, after an acceptance followed by the archive that is to be stored.
Whatever becomes of it, the web process only hears yes, no, or that it did not manage.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from typing import Any, Final

from botapi import archive
from botapi.archive import Archive
from botapi.errors import DomainError, gettext_noop
from botapi.foreign_zip import CODE, MAGIC, MIB

APART: Final = MIB
"""Archives above this size are not opened by the process that received them."""
TIME_S: Final = 10
MEMORY: Final = 256 * MIB
OUTPUT: Final = 32 * MIB


def accept(filename: str, data: bytes) -> Archive:
    """As ``archive.accept``, which a zip of more than 1 MiB goes through in a process of its own.

    DomainError also when that process takes too long, too much, or dies.
    """
    if len(data) <= APART or not data.startswith(MAGIC):
        return archive.accept(filename, data)
    with tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-m", "botapi.archive_check"],
                input=data,
                stdout=out,
                stderr=subprocess.DEVNULL,
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                cwd="/",
                timeout=TIME_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise _unread() from error
        except OSError as error:
            raise DomainError(
                "busy", gettext_noop("No archive can be checked right now; try again soon."), 503
            ) from error
        if done.returncode:
            raise _unread()
        out.seek(0)
        try:
            told = json.loads(out.readline())
        except ValueError as error:
            raise _unread() from error
        if "refused" in told:
            raise DomainError(CODE, told["refused"], **told["values"])
        return Archive(told["sha256"], out.read(), tuple(told["names"]))


def _unread() -> DomainError:
    return DomainError(
        CODE,
        gettext_noop(
            "the archive could not be read within %(seconds)d seconds and %(mib)d MiB of memory; nothing was stored"
        ),
        seconds=TIME_S,
        mib=MEMORY // MIB,
    )


def main() -> None:
    """The other side: check what comes on stdin."""
    for limit, wanted in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, TIME_S),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))
    try:
        accepted = archive.accept("upload.zip", sys.stdin.buffer.read())
    except DomainError as refusal:
        told: dict[str, Any] = {"refused": refusal.sentence, "values": refusal.values}
        content = b""
    else:
        told = {"sha256": accepted.sha256, "names": accepted.names}
        content = accepted.canonical_zip
    sys.stdout.buffer.write(json.dumps(told).encode() + b"\n" + content)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
