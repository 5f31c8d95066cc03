"""What a bot may use (sandbox.md section 6)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one bot: sizes in bytes, ``cpu_s`` in seconds of processor time for the whole process.

    ``memory`` and ``pids`` are a control group's. ``address_space`` bounds memory where there is no group;
    with one it may be twice as large, and twice again where bots have packages, whose libraries map much
    that they never touch. ``threads`` counts processes too.
    """

    memory: int = 256 * MIB
    pids: int = 32
    address_space: int = 512 * MIB
    cpu_s: int = 3600
    threads: int = 64
    files: int = 64
    file_size: int = MIB
    stack: int = 16 * MIB
    nice: int = 5

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < (field.name != "nice"):
                raise ValueError(f"limit {field.name} must be a positive whole number")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Limits:
        """Limits as a job names them; what it leaves out keeps its default. ValueError names a bad one."""
        unknown = set(values) - {field.name for field in fields(cls)}
        if unknown:
            raise ValueError(f"unknown limit {min(unknown)}")
        return cls(**values)

    def rlimits(self, *, grouped: bool = False, packages: bool = False, others: int = 0) -> dict[str, int]:
        """By name of the resource; ``others`` threads of the same user run outside the sandbox."""
        return {
            "AS": self.address_space * (2 if grouped else 1) * (2 if packages else 1),
            "CPU": self.cpu_s,
            "NPROC": self.threads + others,
            "NOFILE": self.files,
            "FSIZE": self.file_size,
            "STACK": self.stack,
            "CORE": 0,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
            "NICE": 0,
            "RTPRIO": 0,
            # queued signals are counted for the user as a whole: others of the same user would see them
            "SIGPENDING": 0,
        }


def cpu_seconds(*, deal_limit: int, act_ms: int, bank_ms: int, start_ms: int) -> int:
    """Processor time of a whole match: twice what its clocks allow at most, in whole seconds."""
    return max(2, 2 * (20 * deal_limit * act_ms + bank_ms + start_ms) // 1000)
