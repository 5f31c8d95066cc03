"""Jobs of the match host.

One JSON object a line, decoded strictly (architecture.md, "The flow of one match").
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from botapi.house import HOUSE_BOTS
from botapi.protocol import HTTP_CLOCKS, SANDBOX_CLOCKS, Clocks
from engine import EngineError, RuleSet
from games.steps import SeatPlan, Setup, Taken

PERSON_CLOCKS = Clocks(act_ms=30_000, bank_ms=120_000, hard_ms=150_000, start_ms=10_000)
"""30 s a decision and 120 s for the match (service.md, "People at the table")."""


class SeatJob(msgspec.Struct, frozen=True):
    """One seat of a job.

    A house bot, an unpacked bot to sandbox, an endpoint, a person, or a plain process. The requests of an
    endpoint with ``parent_signs`` are signed by the host's parent, which keeps its secrets (sandbox.md 1).
    """

    kind: Literal["house", "sandbox", "http", "person", "process"]
    name: str
    version: str = "1"
    house: str = ""
    dir: str = ""
    url: str = ""
    secrets: tuple[str, ...] = ()
    parent_signs: bool = False
    allow_private: bool = False
    argv: tuple[str, ...] = ()
    limits: dict[str, Any] = {}
    clocks: Clocks | None = None


class Pace(msgspec.Struct, frozen=True):
    """How long a bot waits before it plays, and how long a complete trick is shown, in milliseconds."""

    bot_ms: int = 0
    trick_ms: int = 0


class Job(msgspec.Struct, frozen=True):
    """A match to play or a version to check.

    With a ``pace`` it is a table whose parent keeps a journal: see :mod:`games.pacing`; ``banks`` and ``away`` are
    what the journal says of people's seats. ``decks`` are deals to be played again. With ``live`` the host tells
    what the table shows to everybody: see :mod:`games.showing`.
    """

    match: str
    attempt: int
    rules: dict[str, Any]
    seed: str
    seats: tuple[SeatJob, ...]
    job: Literal["match", "check"] = "match"
    purpose: Literal["match", "check"] = "match"
    clocks: Clocks | None = None
    journal: tuple[Taken, ...] = ()
    pace: Pace | None = None
    banks: dict[int, int] = {}
    away: tuple[int, ...] = ()
    decks: tuple[tuple[str, ...], ...] = ()
    reveal_seed: bool = True
    live: bool = False


class BadJob(Exception):  # noqa: N818 - what it is
    """The job makes no sense; the text says why."""


def setup_of(job: Job) -> Setup:
    """The match that a job describes, or :class:`BadJob`."""
    try:
        ruleset = RuleSet.from_json(job.rules)
        seed = bytes.fromhex(job.seed)
    except (EngineError, ValueError) as error:
        raise BadJob(str(error)) from error
    if len(seed) != 32:
        raise BadJob("the seed has 32 bytes")
    if job.job == "match" and len(job.seats) != ruleset.players:
        raise BadJob(f"{len(job.seats)} seats for a table of {ruleset.players}")
    people = {index for index, seat in enumerate(job.seats) if seat.kind == "person"}
    if not people.issuperset((*job.banks, *job.away)):
        raise BadJob("banks and away name seats of people")
    return Setup(
        match=job.match,
        attempt=job.attempt,
        ruleset=ruleset,
        seed=seed,
        seats=tuple(plan_of(seat, job.clocks) for seat in job.seats),
        purpose=job.purpose,
        journal=job.journal,
        journaled=job.pace is not None,
        banks=job.banks,
        away=job.away,
        decks=job.decks,
        reveal_seed=job.reveal_seed,
    )


def plan_of(seat: SeatJob, clocks: Clocks | None) -> SeatPlan:
    """What the match needs to know of a seat.

    Its own clocks come first, then the job's, then those of its kind.
    """
    if seat.kind == "house" and seat.house not in HOUSE_BOTS:
        raise BadJob(f"no house bot is called {seat.house!r}")
    usual = {"http": HTTP_CLOCKS, "person": PERSON_CLOCKS}.get(seat.kind, SANDBOX_CLOCKS)
    job_clocks = None if seat.kind == "person" else clocks
    return SeatPlan(
        name=seat.name,
        version=seat.version,
        kind=seat.kind,
        clocks=seat.clocks or job_clocks or usual,
        house=seat.house,
        limits=seat.limits,
    )
