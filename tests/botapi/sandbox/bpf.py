"""An evaluator for seccomp programs: classic BPF over the data of one system call (linux/seccomp.h)."""

from __future__ import annotations

import struct

ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}
ALLOW, KILL_PROCESS = 0x7FFF0000, 0x80000000

_LD_W_ABS, _ALU_AND_K, _RET_K, _JA = 0x20, 0x54, 0x06, 0x05
_JEQ, _JGT, _JGE, _JSET = 0x15, 0x25, 0x35, 0x45


def failing(error: int) -> int:
    """The answer that makes a call fail with ``error``."""
    return 0x00050000 | error


def run(program: bytes, arch: int, number: int, args: tuple[int, ...] = ()) -> int:
    """What the kernel would do with that call: one of the values above."""
    padded = (*args, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *(arg & (1 << 64) - 1 for arg in padded))
    code = list(struct.iter_unpack("=HBBI", program))
    at = accumulator = 0
    while True:
        op, jt, jf, k = code[at]
        at += 1
        if op == _LD_W_ABS:
            (accumulator,) = struct.unpack_from("=I", data, k)
        elif op == _ALU_AND_K:
            accumulator &= k
        elif op == _RET_K:
            return int(k)
        elif op == _JA:
            at += k
        elif op in (_JEQ, _JGT, _JGE, _JSET):
            true = {
                _JEQ: accumulator == k,
                _JGT: accumulator > k,
                _JGE: accumulator >= k,
                _JSET: bool(accumulator & k),
            }[op]
            at += jt if true else jf
        else:
            raise ValueError(f"instruction {op:#x} is not known here")
