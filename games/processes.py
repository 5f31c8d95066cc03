"""Which process of which machine plays a match, told so that another process can see whether it is gone.

Names of hosts and workers are given by people and may be given twice; what is used here the kernel gives.
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path


@functools.cache
def machine() -> str:
    """A run of this machine, as far as its process ids mean anything: boot and namespace of processes."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return hashlib.sha256(f"{boot} {Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:16]


def _began(pid: int) -> str:
    """When a process began, in ticks since the boot; empty when there is none or it is a zombie."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state == "Z" else fields[18]


def own() -> str:
    """The name of this very process: ``machine-pid-began``, never given twice."""
    return f"{machine()}-{os.getpid()}-{_began(os.getpid())}"


def is_gone(name: str) -> bool:
    """Whether a process of this machine has ended; False of one that cannot be seen from here.

    Those are another machine's, and other users' where ``/proc`` hides them (``hidepid``), as it then does the first.
    """
    where, _, rest = name.partition("-")
    pid, _, began = rest.partition("-")
    return where == machine() and bool(_began(1)) and pid.isdigit() and _began(int(pid)) != began
