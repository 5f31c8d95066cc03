"""The published board as people read it: a rebase of the log, with intervals and rank ranges (ratings.md).

A publication is an entry of the log itself, so that nothing can be put in its place: its date, the hash of
the log it was made from, and each version's rating stand there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from botapi.models import Version
from ladder.board import rank_ranges
from ladder.estimates import Estimate
from ladder.models import Pool, RatingEvent, RatingPoint


@dataclass(frozen=True, slots=True)
class BoardLine(Estimate):
    """One version on the board, in Elo. Ranks are None for an earlier version of a bot: each is ranked once."""

    rank_low: int | None
    rank_high: int | None
    version: Version
    r: float
    sd: float
    n: int

    @property
    def author(self) -> str:
        """The author's name, empty for a house bot."""
        return self.version.bot.owner.username if self.version.bot.owner else ""


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """One publication: ``log_sha256`` is the head of the log it was made from, ``sha256`` that of its own entry.

    ``matches`` are those of the log before it that count. ``unjoined`` had matches, but none that joins them to
    the house bots, by whatever chain: nothing compares them with the others.
    """

    seq: int
    at: datetime
    log_sha256: str
    sha256: str
    matches: int
    lines: tuple[BoardLine, ...]
    earlier: tuple[BoardLine, ...]
    unjoined: tuple[Version, ...]


def publications(pool: Pool) -> QuerySet[RatingEvent]:
    """The publications of a pool, the latest first."""
    return RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.REBASE).order_by("-seq")


def board(pool: Pool, *, seq: int | None = None) -> PublishedBoard | None:
    """The board that entry ``seq`` of the log published (default: the latest); None when there is none."""
    found = publications(pool)
    event = found.first() if seq is None else found.filter(seq=seq).first()
    if event is None:
        return None
    payload = json.loads(event.payload)
    versions = _versions(row[0] for row in payload["states"])
    lines, earlier = _lines(payload, versions)
    return PublishedBoard(
        seq=event.seq,
        at=event.created_at,
        log_sha256=payload["log_sha256"],
        sha256=event.sha256,
        matches=_matches(pool, event.seq),
        lines=lines,
        earlier=earlier,
        unjoined=_unjoined(pool, event.seq, versions),
    )


def _versions(ids: Iterable[int]) -> dict[int, Version]:
    found = Version.objects.filter(pk__in=list(ids)).defer("check_report").select_related("bot__owner")
    return {version.pk: version for version in found}


def _lines(
    payload: Mapping[str, object], versions: Mapping[int, Version]
) -> tuple[tuple[BoardLine, ...], tuple[BoardLine, ...]]:
    """The newest version of each bot with its ranks, and the earlier ones; both best first."""
    rows: list[tuple[int, float, float, int]] = [tuple(row) for row in payload["states"]]  # type: ignore[attr-defined]
    newest: dict[int, int] = {}
    for version in versions.values():
        newest[version.bot_id] = max(newest.get(version.bot_id, 0), version.number)
    rows.sort(key=lambda row: (-row[1], row[0]))
    current = [row for row in rows if versions[row[0]].number == newest[versions[row[0]].bot_id]]
    ranges = rank_ranges([(r, math.sqrt(v)) for _, r, v, _ in current])
    lines = tuple(
        BoardLine(low, high, versions[version], r, math.sqrt(v), n)
        for (version, r, v, n), (low, high) in zip(current, ranges, strict=True)
    )
    earlier = tuple(
        BoardLine(None, None, versions[version], r, math.sqrt(v), n)
        for version, r, v, n in rows
        if versions[version].number != newest[versions[version].bot_id]
    )
    return lines, earlier


def _matches(pool: Pool, seq: int) -> int:
    events = RatingEvent.objects.filter(pool=pool, seq__lt=seq)
    rare = events.exclude(kind=RatingEvent.Kind.MATCH)
    # Every entry is a match but the rare ones, so that the many need not be counted.
    voids = rare.filter(kind=RatingEvent.Kind.VOID).count()
    return seq - 1 - rare.count() - voids


def _unjoined(pool: Pool, seq: int, on_board: Mapping[int, Version]) -> tuple[Version, ...]:
    """Versions rated before the board that are not on it."""
    played = RatingPoint.objects.filter(pool=pool, event__seq__lt=seq, event__kind=RatingEvent.Kind.MATCH)
    missing = pool.ratings.filter(n__gt=0).exclude(version__in=list(on_board))
    found = played.filter(version__in=missing.values("version")).values_list("version", flat=True).distinct()
    return tuple(sorted(_versions(found).values(), key=lambda version: (version.bot.name, version.number)))
