"""How a bot's rating came about: the events of the log that changed it, each explained (ratings.md)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery

from botapi.models import Bot, Version
from ladder.models import Pool, RatingEvent, RatingPoint
from ladder.ratings import Z95, State, explain

DECIMALS: Final = 1
"""Digits shown: the lines of a change add up to it as shown, too."""


@dataclass(frozen=True, slots=True)
class OpponentLine:
    """One opponent's part of a change: "ahead of greedy v1 (1512.3), expected 0.48: +6.1"."""

    name: str
    r: float
    result: str
    expected: float
    change: float


@dataclass(frozen=True, slots=True)
class Change:
    """One event in a bot's history. Ratings in Elo, rounded as shown.

    ``before`` and ``change`` are None where a version enters the pool; a match's lines add up to ``change``.
    """

    seq: int
    kind: str
    at: datetime
    version: Version
    match: int | None
    place: int | None
    before: float | None
    after: float
    change: float | None
    half: float
    n: int
    lines: tuple[OpponentLine, ...]
    note: str


def history(bot: Bot, pool: Pool, *, before: int | None = None, limit: int = 25) -> list[Change]:
    """The latest events that changed a bot's rating in ``pool``, newest first (``before``: a ``seq``).

    Three queries however long the history is: each version's latest points are taken from its index.
    """
    points = RatingPoint.objects.filter(pool=pool, version=OuterRef("pk")).order_by("-event_id")
    if before is not None:
        last = RatingEvent.objects.filter(pool=pool, seq__lt=before).order_by("-seq")
        points = points.filter(event_id__lte=Subquery(last.values("pk")[:1]))
    latest = Version.objects.filter(bot=bot).values_list(
        ArraySubquery(points.values("pk")[:limit]), flat=True
    )
    found = RatingPoint.objects.filter(pk__in=[pk for keys in latest for pk in keys])
    found = found.select_related("event", "version").only(
        *("r", "v", "n", "at", "version__number", "event__seq", "event__match_id", "event__payload")
    )
    page = list(found.order_by("-event_id", "-version_id")[:limit])
    payloads = {point.event_id: json.loads(point.event.payload) for point in page}
    names = _names(payloads.values())
    return [_change(point, payloads[point.event_id], names) for point in page]


def _names(payloads: Any) -> dict[int, str]:
    """Names of all versions that sat at the tables of these events."""
    wanted = {seat[0] for payload in payloads for seat in payload.get("seats", ())}
    rows = Version.objects.filter(pk__in=wanted).order_by().values_list("pk", "bot__name", "number")
    return {version: f"{bot} v{number}" for version, bot, number in rows}


def _change(point: RatingPoint, payload: Mapping[str, Any], names: Mapping[int, str]) -> Change:
    place, prior, lines = _of_match(point, payload, names)
    if "before" in payload:
        prior = next(row[1] for row in payload["before"] if row[0] == point.version_id)
    before, after = None if prior is None else _shown(prior), _shown(float(point.r))
    return Change(
        seq=point.event.seq,
        kind=payload["kind"],
        at=point.at,
        version=point.version,
        match=point.event.match_id,
        place=place,
        before=before,
        after=after,
        change=None if before is None else round(after - before, DECIMALS),
        half=Z95 * math.sqrt(point.v),
        n=point.n,
        lines=tuple(lines),
        note=payload.get("reason", ""),
    )


def _shown(r: float) -> float:
    """A rating as shown, rounded as :func:`ladder.ratings.explain` rounds it."""
    return round(r * 10**DECIMALS) / 10**DECIMALS


def _of_match(
    point: RatingPoint, payload: Mapping[str, Any], names: Mapping[int, str]
) -> tuple[int | None, float | None, list[OpponentLine]]:
    """Place, rating before and lines of a match; nothing of other events."""
    if payload["kind"] != RatingEvent.Kind.MATCH:
        return None, None, []
    seats: Sequence[Any] = payload["seats"]
    mine = next(i for i, seat in enumerate(seats) if seat[0] == point.version_id)
    states = [State(*seat[2:]) for seat in seats]
    lines = [
        OpponentLine(
            name=names[seats[line.opponent][0]],
            r=_shown(states[line.opponent].r),
            result={1.0: "ahead", 0.5: "level", 0.0: "behind"}[line.score],
            expected=line.expected,
            change=line.change / 10**DECIMALS,
        )
        for line in explain(states, [seat[1] for seat in seats], mine, DECIMALS)
    ]
    return seats[mine][1], states[mine].r, lines
