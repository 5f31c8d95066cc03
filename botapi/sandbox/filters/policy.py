"""Which system calls a bot may make (sandbox.md section 5), as data.

Both filters are allow-lists: what they do not name fails with EPERM. *Inner* is what the bot lives under,
*outer* is put on by bubblewrap before it starts Python and leaves room for the shim. ``build`` compiles them;
the tests run the compiled programs against this table, call by call.

No call here may carry a bit from one bot to another: two seats of one table would tell each other their hands.
So there are no locks (a lock on any file that both may read is seen by the other), no futex beyond the own
process (its key is the file under the page), no question about other processes or about the machine's memory.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Final, Literal

Which = Literal["inner", "outer"]

OWN_PID: Final = 0x7A7A7A7A
"""Stands for the bot's own process id in the compiled inner filter: the shim writes the real one there."""

_WORD: Final = 0xFFFF_FFFF
_ALL: Final = 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, slots=True)
class Arg:
    """True when ``args[index] & mask == value``."""

    index: int
    value: int
    mask: int = _ALL


@dataclass(frozen=True, slots=True)
class Rule:
    """Allows the call ``name`` when all ``args`` hold; several rules for a name are alternatives."""

    name: str
    args: tuple[Arg, ...] = ()


_PLAIN: Final = (
    # files, read only: nothing here can change one, and what can be opened is the sandbox's affair
    "open openat close read readv pread64 preadv lseek access faccessat faccessat2 "
    "stat fstat lstat newfstatat statx statfs fstatfs getdents getdents64 readlink readlinkat getcwd chdir "
    "fchdir "
    # pipes and waiting
    "write writev pwrite64 dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 epoll_create epoll_create1 "
    "epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 timerfd_create timerfd_settime "
    "timerfd_gettime recvfrom shutdown getsockname getpeername "
    # memory
    "mmap munmap mprotect madvise mremap brk "
    # its own signals, threads and end
    "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack "
    "restart_syscall pause alarm setitimer getitimer set_robust_list rseq membarrier exit exit_group "
    "wait4 waitid "
    # clocks and questions about itself
    "time gettimeofday nanosleep times getrusage getrlimit "
    "uname getrandom getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid "
    "getgroups getpgrp getcpu sched_yield sched_get_priority_max sched_get_priority_min"
).split()

_CLONE_THREAD: Final = 0x0001_0000
_CLONE_NEW: Final = 0x7E02_0000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
_CLONE_PTRACE: Final = 0x2000

_FCNTL: Final = (0, 1, 2, 3, 4, 1030, 1032)
"""DUPFD, flags, DUPFD_CLOEXEC, GETPIPE_SZ: not SETOWN and SETSIG, which send signals to others, nor any lock."""
_IOCTL: Final = (0x5401, 0x5413, 0x5421, 0x5450, 0x5451, 0x541B)
"""TCGETS, TIOCGWINSZ, FIONBIO, FIONCLEX, FIOCLEX, FIONREAD."""
_PRCTL: Final = (15, 16, 3, 21, 39)
"""SET_NAME, GET_NAME, GET_DUMPABLE, GET_SECCOMP, GET_NO_NEW_PRIVS."""
_SOCKOPT: Final = (3, 4, 7, 8, 38, 39)
"""TYPE, ERROR, SNDBUF, RCVBUF, PROTOCOL, DOMAIN: not COOKIE, which counts all sockets of the machine."""
_CLOSE_ON_EXEC: Final = 4
_FUTEX_PRIVATE: Final = 128
_CLOCKS: Final = ("clock_gettime", "clock_getres", "clock_nanosleep")
_OF_A_PROCESS: Final = ("getpgid", "getsid", "sched_getaffinity", "sched_getparam", "sched_getscheduler")

_CHECKED: Final = (
    *(Rule("fcntl", (Arg(1, command, _WORD),)) for command in _FCNTL),
    *(Rule("ioctl", (Arg(1, command, _WORD),)) for command in _IOCTL),
    # asyncio wakes itself through a stream socketpair; a datagram one could send to named sockets outside
    Rule("socketpair", (Arg(0, 1, _WORD), Arg(1, 1, 0xF))),
    Rule("sendto", (Arg(4, 0),)),
    *(Rule("getsockopt", (Arg(1, 1, _WORD), Arg(2, option, _WORD))) for option in _SOCKOPT),
    # without UNSHARE, by which each thread would have a table, and a limit, of descriptors of its own
    *(Rule("close_range", (Arg(2, flags, _WORD),)) for flags in (0, _CLOSE_ON_EXEC)),
    # without flags: RWF_NOWAIT would tell what is in the page cache
    Rule("preadv2", (Arg(5, 0, _WORD),)),
    Rule("futex", (Arg(1, _FUTEX_PRIVATE, _FUTEX_PRIVATE),)),
    # negative ids are the processor time of other processes
    *(Rule(name, (Arg(0, 0, 0x8000_0000),)) for name in _CLOCKS),
)

_INNER: Final = (
    Rule("clone", (Arg(0, _CLONE_THREAD, _CLONE_THREAD | _CLONE_NEW | _CLONE_PTRACE),)),
    *(Rule("prctl", (Arg(0, option, _WORD),)) for option in _PRCTL),
    Rule("prlimit64", (Arg(0, 0, _WORD), Arg(2, 0))),
    Rule("tgkill", (Arg(0, OWN_PID, _WORD),)),
    *(Rule(name, (Arg(0, pid, _WORD),)) for name in _OF_A_PROCESS for pid in (0, OWN_PID)),
    *(Rule("getpriority", (Arg(0, 0, _WORD), Arg(1, pid, _WORD))) for pid in (0, OWN_PID)),
)

_OUTER: Final = (
    Rule("clone", (Arg(0, 0, _CLONE_NEW),)),
    *(
        Rule(name)
        for name in (
            *"execve prctl arch_prctl prlimit64 seccomp set_tid_address setpriority getpriority tgkill".split(),
            *_OF_A_PROCESS,
        )
    ),
)

KILLED: Final = (
    "ptrace process_vm_readv process_vm_writev process_madvise mount umount2 pivot_root move_mount open_tree "
    "fsopen fsconfig fsmount fspick mount_setattr bpf perf_event_open io_uring_setup io_uring_enter "
    "io_uring_register userfaultfd keyctl add_key request_key init_module finit_module delete_module "
    "kexec_load kexec_file_load setns unshare pidfd_getfd open_by_handle_at"
).split()
"""Calls that no honest bot makes: they end it ("forbidden operation")."""

ANSWERED: Final = (
    # glibc then falls back to clone, whose flags can be checked
    (Rule("clone3"), errno.ENOSYS),
    # glibc joins a thread by a futex that is not private, and asks again after this until the thread is gone
    (Rule("futex", (Arg(1, 0, _FUTEX_PRIVATE),)), errno.EAGAIN),
)
"""Calls that fail with an error of their own."""


def rules(which: Which) -> tuple[Rule, ...]:
    """Everything that ``which`` filter allows."""
    return (*(Rule(name) for name in _PLAIN), *_CHECKED, *(_INNER if which == "inner" else _OUTER))


def names() -> tuple[str, ...]:
    """Every call the policy speaks of, sorted."""
    found = {rule.name for which in ("inner", "outer") for rule in rules(which)}
    return tuple(sorted(found | set(KILLED) | {rule.name for rule, _ in ANSWERED}))
