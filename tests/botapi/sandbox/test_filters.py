"""The shipped filter programs do what the policy says: every call, on both machines, run instruction by instruction."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import random
from pathlib import Path

import pytest

from botapi.sandbox import filters
from botapi.sandbox.filters import build, policy
from tests.botapi.sandbox.bpf import ALLOW, ARCHES, KILL_PROCESS, failing, run

FOLDER = Path(filters.__file__).parent
TABLE = json.loads((FOLDER / "syscalls.json").read_text())
MACHINES = ("x86_64", "aarch64")
BOTH = pytest.mark.parametrize(("machine", "which"), list(itertools.product(MACHINES, ("inner", "outer"))))
PLACES = (0, 1, 3, 15, 0xFFFF_FFFF, 0x1_0000_0000, (1 << 64) - 1)
INTERESTING = sorted(
    {arg.value for which in ("inner", "outer") for rule in policy.rules(which) for arg in rule.args}
    | {0x3D0F00, 0x3D0F00 | 0x10000000, 0x3D0F00 | 0x2000, 17, 0x20011, *PLACES}
)


EPERM = failing(errno.EPERM)


def _program(machine: str, which: str) -> bytes:
    return (FOLDER / f"{which}-{machine}.bpf").read_bytes()


def _expected(which: policy.Which, name: str | None, args: tuple[int, ...]) -> int:
    if name in policy.KILLED:
        return KILL_PROCESS
    for rule, error in policy.ANSWERED:
        if _fits(rule, name, args):
            return failing(error)
    return ALLOW if any(_fits(rule, name, args) for rule in policy.rules(which)) else failing(errno.EPERM)


def _fits(rule: policy.Rule, name: str | None, args: tuple[int, ...]) -> bool:
    return rule.name == name and all(args[arg.index] & arg.mask == arg.value for arg in rule.args)


@BOTH
def test_every_call_is_answered_as_the_policy_says(machine: str, which: policy.Which) -> None:
    names = {number: name for name, number in TABLE["numbers"][machine].items()}
    program, arch = _program(machine, which), ARCHES[machine]
    rng = random.Random(7)
    for number in range(600):
        for _ in range(6):
            args = tuple(rng.choice(INTERESTING) for _ in range(6))
            expected = _expected(which, names.get(number), args)
            assert run(program, arch, number, args) == expected, (names.get(number, number), args)


@BOTH
def test_calls_with_checked_arguments_are_decided_by_every_one_of_them(
    machine: str, which: policy.Which
) -> None:
    numbers, program, arch = TABLE["numbers"][machine], _program(machine, which), ARCHES[machine]
    checked = {rule.name: {arg.index for r in policy.rules(which) if r.name == rule.name for arg in r.args}
               for rule in policy.rules(which) if rule.args}  # fmt: skip
    assert {"fcntl", "ioctl", "socketpair", "sendto", "clone"} <= set(checked)
    for name, places in checked.items():
        for values in itertools.product(INTERESTING, repeat=len(places)):
            args = [0] * 6
            for place, value in zip(sorted(places), values, strict=True):
                args[place] = value
            expected = _expected(which, name, tuple(args))
            assert run(program, arch, numbers[name], tuple(args)) == expected, (name, args)


@BOTH
def test_the_calls_of_another_machine_end_the_process(machine: str, which: str) -> None:
    program = _program(machine, which)
    for other, arch in ARCHES.items():
        if other != machine:
            assert {run(program, arch, number) for number in range(450)} == {KILL_PROCESS}
    if machine == "x86_64":
        assert {run(program, ARCHES[machine], 0x40000000 | number) for number in range(550)} == {KILL_PROCESS}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_bot_can_neither_start_a_program_nor_write_a_file_nor_open_a_socket(machine: str) -> None:
    numbers = {
        "x86_64": {"socket": 41, "connect": 42, "bind": 49, "sendmsg": 46, "execve": 59, "execveat": 322, "kill": 62,
                   "fork": 57, "vfork": 58, "memfd_create": 319, "truncate": 76, "ftruncate": 77, "chmod": 90,
                   "unlinkat": 263, "renameat2": 316, "mkdirat": 258, "mknodat": 259, "symlinkat": 266, "shmget": 29,
                   "setuid": 105, "seccomp": 317, "prctl": 157, "setrlimit": 160, "utimensat": 280, "fchmod": 91},
        "aarch64": {"socket": 198, "connect": 203, "bind": 200, "sendmsg": 211, "execve": 221, "execveat": 281,
                    "kill": 129, "memfd_create": 279, "truncate": 45, "ftruncate": 46, "fchmodat": 53, "unlinkat": 35,
                    "renameat2": 276, "mkdirat": 34, "mknodat": 33, "symlinkat": 36, "shmget": 194, "setuid": 146,
                    "seccomp": 277, "setrlimit": 164, "utimensat": 88, "fchmod": 52},
    }[machine]  # fmt: skip
    program = _program(machine, "inner")
    for name, number in numbers.items():
        assert run(program, ARCHES[machine], number, (4, 1, 0, 0, 1)) == EPERM, name


@pytest.mark.parametrize("machine", MACHINES)
def test_a_bot_can_signal_itself_alone(machine: str) -> None:
    number = TABLE["numbers"][machine]["tgkill"]
    program = _program(machine, "inner")
    assert run(program, ARCHES[machine], number, (policy.OWN_PID, 1, 9)) == ALLOW
    assert run(program, ARCHES[machine], number, (policy.OWN_PID - 1, 1, 9)) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_bot_can_neither_lock_a_file_nor_ask_about_other_processes_or_the_machine(machine: str) -> None:
    numbers, program, arch = TABLE["numbers"][machine], _program(machine, "inner"), ARCHES[machine]
    for command in (5, 6, 7, 36, 37, 38, 1024, 1025, 1026):  # locks, OFD locks, leases, F_NOTIFY
        assert run(program, arch, numbers["fcntl"], (3, command, 1)) == EPERM
    for name, x86, arm in (
        ("flock", 73, 32),
        ("sysinfo", 99, 179),
        ("fadvise64", 221, 223),
        ("mincore", 27, 232),
    ):
        assert run(program, arch, x86 if machine == "x86_64" else arm) == EPERM, name
    for name in ("getpgid", "getsid", "sched_getaffinity", "sched_getparam", "sched_getscheduler"):
        answers = [run(program, arch, numbers[name], (pid, 8, 1)) for pid in (0, policy.OWN_PID, 1, 4711)]
        assert answers == [ALLOW, ALLOW, EPERM, EPERM], name
    assert run(program, arch, numbers["getpriority"], (0, 4711)) == EPERM
    assert run(program, arch, numbers["getpriority"], (2, 0)) == EPERM
    for name in ("clock_gettime", "clock_getres", "clock_nanosleep"):
        assert run(program, arch, numbers[name], (1,)) == ALLOW
        assert run(program, arch, numbers[name], (~4711 << 3 | 2,)) == EPERM
    assert run(program, arch, numbers["getsockopt"], (3, 1, 57)) == EPERM  # SO_COOKIE
    assert run(program, arch, numbers["preadv2"], (3, 1, 1, 0, 0, 8)) == EPERM  # RWF_NOWAIT
    for operation in (0, 1, 3, 4, 5, 9, 10):
        assert run(program, arch, numbers["futex"], (1, operation)) == failing(errno.EAGAIN)
        assert run(program, arch, numbers["futex"], (1, operation | 128)) == ALLOW


def test_known_numbers_are_right() -> None:
    assert [TABLE["numbers"]["x86_64"][n] for n in ("read", "clone", "ptrace", "clone3")] == [0, 56, 101, 435]
    assert [TABLE["numbers"]["aarch64"][n] for n in ("read", "clone", "ptrace", "clone3")] == [
        63,
        220,
        117,
        435,
    ]


def test_the_shipped_programs_were_made_from_this_policy() -> None:
    assert TABLE["policy"] == build.policy_digest(), "run python -m botapi.sandbox.filters.build"
    for name, digest in TABLE["files"].items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest
    assert len(TABLE["files"]) == 4
