"""A sandbox that does not hold, made on purpose: what shows that a test would notice a breach."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable
from pathlib import Path

from botapi.sandbox import Runtime
from botapi.sandbox.filters.policy import OWN_PID

_LOAD_OWN_PID = struct.pack("=HBBI", 0, 0, 0, OWN_PID)  # the shim wants its mark in every filter
ALLOW_ALL = _LOAD_OWN_PID + struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)


def weaken(runtime: Runtime, *, readable: Iterable[Path] = ()) -> Runtime:
    """Take the system-call filters out of ``runtime`` and let its bots read ``readable`` too."""
    for path in (runtime.inner, runtime.outer):
        path.chmod(0o644)
        path.write_bytes(ALLOW_ALL)
    known = runtime.interpreter
    more = tuple(str(path) for path in readable)
    runtime.interpreter = dataclasses.replace(known, readable=(*known.readable, *more))
    return runtime
