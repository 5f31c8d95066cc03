"""The words of a match's conversation: what it is made from, what it yields, and how it can end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from botapi.drivers.base import Question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from botapi import protocol
    from engine import RuleSet

SeatKind = Literal["house", "sandbox", "http", "person", "process"]
AWAY: Final = "away"
"""How a decision was taken that a house bot took for a person who is away."""


class Taken(NamedTuple):
    """A decision that was taken; ``how``: empty for the seat's own, :data:`AWAY`, or the code of the fault."""

    seat: int
    action: str
    how: str = ""


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

    ``journal`` holds decisions already taken, in order; people then have ``banks`` (milliseconds by seat) left, and
    those in ``away`` are played for. ``journaled``: each decision is yielded as :class:`Acted`. With ``decks`` the
    match is those deals, played again, and the seed serves the house bots alone.
    """

    match: str
    attempt: int
    ruleset: RuleSet
    seed: bytes
    seats: tuple[SeatPlan, ...]
    purpose: str = "match"
    journal: tuple[Taken, ...] = ()
    journaled: bool = False
    banks: Mapping[int, int] = field(default_factory=dict)
    away: tuple[int, ...] = ()
    decks: tuple[tuple[str, ...], ...] = ()
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


@dataclass(frozen=True, slots=True)
class Acted:
    """A decision of a table with a person was applied: send back None once it is stored, and not before.

    ``number`` counts the match's decisions from 0; ``bank_ms`` is what a person's seat has left. Before the first
    question comes one without a decision (``taken`` None): so the cards are shown.
    """

    taken: Taken | None
    number: int
    bank_ms: int | None = None


Step = Greet | Question | Tell | DealOver | Acted


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
