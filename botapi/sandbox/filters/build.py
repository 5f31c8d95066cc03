"""Compile the filters: ``python -m botapi.sandbox.filters.build`` (needs pyseccomp and libseccomp).

Writes ``inner-MACHINE.bpf``, ``outer-MACHINE.bpf`` and ``syscalls.json`` (the number of each call on each
machine, and digests that tie the programs to the policy) beside this file. The results are shipped; nothing
is compiled where bots run.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from botapi.sandbox.filters import policy

HERE: Final = Path(__file__).resolve().parent
MACHINES: Final = ("x86_64", "aarch64")


def policy_digest() -> str:
    """SHA-256 of the policy: a changed policy with old programs is noticed."""
    text = repr((policy.rules("inner"), policy.rules("outer"), policy.KILLED, policy.ANSWERED))
    return hashlib.sha256(text.encode()).hexdigest()


def compile_filter(machine: str, which: policy.Which) -> bytes:
    """The BPF program of one filter for one machine."""
    import pyseccomp as sc  # type: ignore[import-untyped]

    arch = {"x86_64": sc.Arch.X86_64, "aarch64": sc.Arch.AARCH64}[machine]
    filter_ = sc.SyscallFilter(sc.ERRNO(errno.EPERM))
    filter_.set_attr(sc.Attr.ACT_BADARCH, sc.KILL_PROCESS)
    if not filter_.exist_arch(arch):
        filter_.add_arch(arch)
        filter_.remove_arch(sc.Arch.NATIVE)
    elif arch != _native(sc):
        filter_.remove_arch(sc.Arch.NATIVE)
    for rule in policy.rules(which):
        _add(sc, filter_, arch, sc.ALLOW, rule)
    for name in policy.KILLED:
        _add(sc, filter_, arch, sc.KILL_PROCESS, policy.Rule(name))
    for rule, error in policy.ANSWERED:
        _add(sc, filter_, arch, sc.ERRNO(error), rule)
    with tempfile.TemporaryFile() as out:
        filter_.export_bpf(out)
        out.seek(0)
        return out.read()


def _native(sc: Any) -> int:
    return {"x86_64": int(sc.Arch.X86_64), "aarch64": int(sc.Arch.AARCH64)}.get(os.uname().machine, 0)


def _add(sc: Any, filter_: Any, arch: int, action: int, rule: policy.Rule) -> None:
    if number_of(sc, arch, rule.name) is None:
        return
    args = [sc.Arg(arg.index, sc.MASKED_EQ, arg.mask, arg.value) for arg in rule.args]
    filter_.add_rule(action, rule.name, *args)


def number_of(sc: Any, arch: int, name: str) -> int | None:
    """The number of a call on a machine; None where it has none."""
    number = int(sc.resolve_syscall(arch, name))
    return number if number >= 0 else None


def build() -> dict[str, bytes]:
    """All files, by name."""
    import pyseccomp as sc

    files: dict[str, bytes] = {}
    numbers: dict[str, dict[str, int]] = {}
    for machine in MACHINES:
        arch = {"x86_64": sc.Arch.X86_64, "aarch64": sc.Arch.AARCH64}[machine]
        found = {name: number_of(sc, arch, name) for name in policy.names()}
        numbers[machine] = {name: number for name, number in found.items() if number is not None}
        for which in ("inner", "outer"):
            files[f"{which}-{machine}.bpf"] = compile_filter(machine, which)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    table = {"policy": policy_digest(), "files": digests, "numbers": numbers}
    files["syscalls.json"] = (json.dumps(table, indent=1, sort_keys=True) + "\n").encode()
    return files


def main() -> int:
    """Write the files, say what was written."""
    for name, data in build().items():
        (HERE / name).write_bytes(data)
        print(
            f"{name}: {len(data)} bytes"
            + (f", {len(data) // 8} instructions" if name.endswith("bpf") else "")
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
