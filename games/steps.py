"""The words of a match's conversation: what it is made from, what it yields, and how it can end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from botapi.drivers.base import Question

if TYPE_CHECKING:
    from botapi import protocol
    from engine import RuleSet

SeatKind = Literal["house", "sandbox", "http", "person", "process"]


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """Who sits in a seat."""

    name: str
    version: str
    kind: SeatKind
    clocks: protocol.Clocks
    house: str = ""
    limits: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything a match depends on.

    ``journal`` holds decisions already taken, ``[seat, action]`` in order.
    """

    match: str
    attempt: int
    ruleset: RuleSet
    seed: bytes
    seats: tuple[SeatPlan, ...]
    purpose: str = "match"
    journal: tuple[tuple[int, str], ...] = ()
    reveal_seed: bool = True
    max_deals: int | None = None


@dataclass(frozen=True, slots=True)
class Greet:
    """Start these seats side by side; send back their answers in the same order."""

    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Tell:
    """A one-way message to a seat; send back None."""

    seat: int
    kind: str
    message: bytes


@dataclass(frozen=True, slots=True)
class DealOver:
    """A deal is over; send back None."""

    deal: int


Step = Greet | Question | Tell | DealOver


@dataclass(frozen=True, slots=True)
class Refused:
    """A seat did not begin: no match, no loss.

    ``code`` is ``start``, or ``refused`` where it said so politely.
    """

    seat: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The match is over: its record and, per seat, the private log."""

    record: dict[str, Any]
    faults: list[dict[str, Any]]
    turns: list[list[dict[str, Any]]]
    notes: list[list[dict[str, Any]]]
