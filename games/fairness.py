"""The check of a match's cards against what was published, for the page, the API and whoever repeats it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from games import queries, seeds
from games.models import Match, MatchAttempt, MatchRecord


@dataclass(frozen=True, slots=True)
class Fairness:
    """What is public of a match's cards, and what comes of checking it.

    ``published_sha256`` and ``published_at`` belong to the attempt that was played (None before one began);
    ``check`` is None until there is a public record. A deal that was played again was dealt from no seed:
    ``same_deal`` tells whether its cards were that deal's, None for all other matches.
    """

    match: Match
    attempt: int | None
    attempts: tuple[MatchAttempt, ...]
    published_sha256: str | None
    seed: str | None
    secret_sha256: str
    secret: str | None
    message: str | None
    check: seeds.SeedCheck | None
    same_deal: bool | None = None


def fairness(match: Match) -> Fairness:
    """Check ``match`` (of :func:`games.queries.match_details`) with what is public now."""
    attempts = tuple(match.attempts.all())
    if match.deal_of_id is not None:
        return _played_again(match, attempts)
    played = next((row for row in reversed(attempts) if row.number == match.attempt), None)
    stored = queries.public_record(match)
    record = json.loads(stored.body) if stored else None
    secret = queries.public_secret(match.series)
    message = (
        seeds.message_of(number=match.number, attempt=played.number, block=match.block, people=match.people)
        if played
        else None
    )
    found = None
    if record is not None and played is not None and message is not None:
        found = seeds.check(
            record,
            published_sha256=played.seed_sha256,
            message=message,
            secret=None if secret is None else bytes.fromhex(secret),
            secret_sha256=match.series.secret_sha256,
        )
    return Fairness(
        match=match,
        attempt=played.number if played else None,
        attempts=attempts,
        published_sha256=played.seed_sha256 if played else None,
        seed=record["seed"] if record else None,
        secret_sha256=match.series.secret_sha256,
        secret=secret,
        message=message,
        check=found,
    )


def _played_again(match: Match, attempts: tuple[MatchAttempt, ...]) -> Fairness:
    """A deal of another match, whose cards everybody could know: there is no seed to look at, only whether it is it."""
    stored = queries.public_record(match)
    same = None
    if stored is not None:
        body = MatchRecord.objects.values_list("body", flat=True).get(match=match.deal_of_id)
        deals = json.loads(body)["deals"]
        same = json.loads(stored.body)["deals"][0]["deck"] == deals[match.deal_number or 0]["deck"]
    return Fairness(
        match=match,
        attempt=attempts[-1].number if attempts else None,
        attempts=attempts,
        published_sha256=None,
        seed=None,
        secret_sha256=match.series.secret_sha256,
        secret=queries.public_secret(match.series),
        message=None,
        check=None,
        same_deal=same,
    )


def seed_fits(match: Match, seed: str | None) -> bool | None:
    """Whether a public seed has the fingerprint published before the first card; None without a seed or an attempt.

    The first step of the whole check, cheap enough for every replay.
    """
    played = next((row for row in match.attempts.all() if row.number == match.attempt), None)
    if seed is None or played is None:
        return None
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest() == played.seed_sha256
