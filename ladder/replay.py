"""The rating log as pure values: payloads, the hash chain, states that follow (ratings.md, "The log").

A payload is canonical JSON (sorted keys, no blanks) of ``seq``, ``kind``, ``algorithm``, what the event is
made from, and ``states``: ``[version, r, v, n]`` of each version it changed, after the change. Everything in
``states`` follows from the events before, except in a rebase, whose board can be worked out again from the
results (``audit_ratings --boards``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ladder.ratings import ALGORITHM, State, new_version, rate

REBASE_EVERY: Final = 500
"""Rated matches between two rebases of the live state on the board."""

States = dict[int, State]
"""Live state by version."""

Seats = Sequence[tuple[int, int]]
"""(version, place) of each seat of a match."""

Changes = list[tuple[int, State]]
"""(version, state after it) of each version that an event changes, in the order of its ``states``."""


class LogError(Exception):
    """An event disagrees with those before it. ``seq`` names it, the text says in what."""

    def __init__(self, seq: int, message: str) -> None:
        super().__init__(f"event {seq}: {message}")
        self.seq = seq


def canonical(payload: Mapping[str, Any]) -> str:
    """The one text of a payload, the bytes (in UTF-8) that are hashed."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def chained(previous_sha256: str, payload: str) -> str:
    """SHA-256 (hex) of the previous event's hash (hex, "" for the first) followed by the payload."""
    return hashlib.sha256((previous_sha256 + payload).encode()).hexdigest()


def match_payload(states: States, seats: Seats, match: int) -> dict[str, Any]:
    """What a finished rated match adds; its ``seats`` are ``[version, place, r, v, n]`` before the match."""
    before = [states[version] for version, _ in seats]
    after = rate(before, [place for _, place in seats])
    return {
        "kind": "match",
        "match": match,
        "seats": [[version, place, *state] for (version, place), state in zip(seats, before, strict=True)],
        "states": [[version, *state] for (version, _), state in zip(seats, after, strict=True)],
    }


def version_payload(states: States, version: int, bot: int, previous: int | None) -> dict[str, Any]:
    """A version enters the pool after ``previous``, the bot's one before it here (None: a new bot)."""
    state = new_version(None if previous is None else states[previous])
    return {
        "kind": "version",
        "version": version,
        "bot": bot,
        "previous": previous,
        "states": [[version, *state]],
    }


def rebase_payload(
    states: States, board: Mapping[int, tuple[float, float]], log_sha256: str
) -> dict[str, Any]:
    """The live state is set on the board, (r, sd) by version; both values are written down."""
    before = {version: states[version] for version in sorted(board)}
    after = [
        [version, round(r, 6), round(sd * sd, 6), states[version].n]
        for version, (r, sd) in sorted(board.items())
    ]
    return {
        "kind": "rebase",
        "log_sha256": log_sha256,
        "before": [[version, *state] for version, state in before.items()],
        "states": after,
    }


def void_payload(states: States, replayed: States, match: int, voids: int, reason: str) -> dict[str, Any]:
    """A match is withdrawn: the states as if event ``voids`` had never been, of those that differ by it."""
    changed = differing(states, replayed)
    return {
        "kind": "void",
        "match": match,
        "voids": voids,
        "reason": reason,
        "before": [[version, *states[version]] for version in changed],
        "states": [[version, *replayed[version]] for version in changed],
    }


def differing(states: States, replayed: States) -> list[int]:
    """The versions of ``replayed`` whose state is another there, by number."""
    return [version for version, state in sorted(replayed.items()) if states[version] != state]


def follow(states: States, event: Mapping[str, Any]) -> Changes:
    """What an event (not a void) must state when it follows ``states``."""
    if event["kind"] == "match":
        seats = event["seats"]
        versions = [seat[0] for seat in seats]
        after = rate([states[version] for version in versions], [seat[1] for seat in seats])
        return list(zip(versions, after, strict=True))
    if event["kind"] == "version":
        previous = event["previous"]
        return [(event["version"], new_version(None if previous is None else states[previous]))]
    if event["kind"] == "rebase":
        return [(version, State(r, v, states[version].n)) for version, r, v, _ in event["states"]]
    raise ValueError(f"no event is of kind {event['kind']!r}")


def without(events: Sequence[Mapping[str, Any]], voided: set[int]) -> States:
    """States after ``events`` (parsed, in order) as if those whose ``seq`` is in ``voided`` had not been."""
    states: States = {}
    for event in events:
        if event["kind"] != "void" and event["seq"] not in voided:
            states.update(follow(states, event))
    return states


def settle(states: States, changed: Sequence[Sequence[Any]]) -> None:
    """Take ``[version, r, v, n]`` into ``states``."""
    for version, r, v, n in changed:
        states[version] = State(r, v, n)


class Audit:
    """Replays a log event by event; :meth:`check` raises LogError at the first that disagrees.

    With ``keep`` it holds on to the events, which a void needs to replay them.
    """

    def __init__(self, *, keep: bool = True) -> None:
        self.states: States = {}
        self.sha256 = ""
        self.seq = 0
        self.matches: int = 0
        self._keep = keep
        self._events: list[Mapping[str, Any]] = []
        self._voided: set[int] = set()

    def check(self, seq: int, payload: str, sha256: str) -> Mapping[str, Any]:
        """The event, once it agrees with all before it."""
        if seq != self.seq + 1:
            raise LogError(seq, f"follows event {self.seq}: the log has a gap")
        if chained(self.sha256, payload) != sha256:
            raise LogError(seq, "its hash is not that of the one before and its payload")
        event: Mapping[str, Any] = json.loads(payload)
        if event["seq"] != seq or event["algorithm"] != ALGORITHM:
            raise LogError(seq, f"its payload is of event {event['seq']}, algorithm {event['algorithm']}")
        changes = self._changes(seq, event)
        expected = [[version, *state] for version, state in changes]
        if expected != event["states"]:
            raise LogError(seq, f"states {event['states']} where {expected} follows from the events before")
        self.states.update(changes)
        self.seq, self.sha256 = seq, sha256
        self.matches += event["kind"] == "match"
        if self._keep:
            self._events.append(event)
        return event

    def _changes(self, seq: int, event: Mapping[str, Any]) -> Changes:
        try:
            if event["kind"] == "void":
                return self._voiding(seq, event)
            if event["kind"] == "match":
                self._check_before(seq, event)
            return follow(self.states, event)
        except (KeyError, ValueError) as error:
            raise LogError(seq, f"does not follow: {error!r}") from error

    def _check_before(self, seq: int, event: Mapping[str, Any]) -> None:
        for version, _, r, v, n in event["seats"]:
            if self.states[version] != (r, v, n):
                raise LogError(
                    seq, f"version {version} enters with {(r, v, n)}, not {tuple(self.states[version])}"
                )

    def _voiding(self, seq: int, event: Mapping[str, Any]) -> Changes:
        if not self._keep:
            raise LogError(seq, "is a void, and the audit was told there is none")
        self._voided.add(event["voids"])
        replayed = without(self._events, self._voided)
        return [(version, replayed[version]) for version in differing(self.states, replayed)]
