"""Downloads of a season: records and results of its public finished matches, the ladder; streamed, never held at once.

A match whose cards another table still plays is withheld, as everywhere; a download ends before the first such match,
so that the next one can go on from its last finish number and misses nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.db.models import Max, Min, Prefetch, QuerySet

from games.models import Match, Seat
from games.queue import OPEN_STATES
from ladder import queries
from ladder.models import Pool, Season

CHUNK: Final = 50
"""Matches that are read from the database at once."""

RESULT_COLUMNS: Final = (
    *(
        "match",
        "number",
        "block",
        "rotation",
        "finish_seq",
        "finished_at",
        "deals",
        "decisions",
        "end_reason",
    ),
    *(
        "seat",
        "bot",
        "version",
        "total",
        "place",
        "stood_in",
        "faults",
        "contracts_declared",
        "contracts_made",
    ),
)
STANDING_COLUMNS: Final = (
    *(
        "rank",
        "rank_low",
        "rank_high",
        "bot",
        "version",
        "author",
        "rating",
        "sd",
        "low",
        "high",
        "provisional",
    ),
    *("matches", "places", "points_a_deal", "contracts_declared", "contracts_made", "faults"),
)


def records(season: Season, *, after: int = 0) -> AsyncIterator[str]:
    """Records in the order in which the matches ended, a line each, from the one after finish number ``after``."""
    return _streamed(season, after, _record_lines)


def results(season: Season, *, after: int = 0) -> AsyncIterator[str]:
    """A line a seat, as CSV with a heading."""
    return _streamed(season, after, _result_lines, heading=_csv([RESULT_COLUMNS]))


def standings(pool: Pool) -> str:
    """The ladder as it stands, as CSV with a heading."""
    rows = [
        (
            *(line.rank, line.rank_low, line.rank_high, line.bot.name, line.version.number, line.author),
            *(f"{value:.3f}" for value in (line.r, line.sd, line.low, line.high)),
            *(line.provisional, line.n, "/".join(map(str, line.places))),
            "" if line.points_a_deal is None else f"{line.points_a_deal:.3f}",
            *(
                line.declared,
                "" if line.contracts_made is None else round(line.contracts_made * line.declared),
            ),
            line.faults,
        )
        for line in queries.standings(pool)
    ]
    return _csv([STANDING_COLUMNS, *rows])


def public_matches(season: Season, after: int) -> QuerySet[Match]:
    """The season's finished matches up to the first whose cards are still played, in the order of their ends.

    What ends while this is looked for is left to the next time: nobody has looked whether its cards are still played.
    """
    ended = Match.objects.filter(series=season.series_id).aggregate(last=Max("finish_seq"))["last"] or 0
    open_tables = Match.objects.filter(series=season.series_id, block__isnull=False, state__in=OPEN_STATES)
    hidden = set(open_tables.values_list("block", flat=True))
    finished = Match.objects.filter(
        series=season.series_id,
        state=Match.State.FINISHED,
        finish_seq__gt=after,
        finish_seq__lte=ended,
        record__isnull=False,
    )
    withheld = (
        finished.filter(block__in=hidden).aggregate(first=Min("finish_seq"))["first"] if hidden else None
    )
    if withheld is not None:
        finished = finished.filter(finish_seq__lt=withheld)
    return finished.order_by("finish_seq")


async def _streamed(
    season: Season, after: int, lines: Callable[[QuerySet[Match]], tuple[int | None, str]], heading: str = ""
) -> AsyncIterator[str]:
    """Chunk after chunk: what ``lines`` makes of it, until it says that it came to the end (None)."""
    if heading:
        yield heading
    last: int | None = after
    while last is not None:
        last, text = await sync_to_async(_chunk)(season, last, lines)
        if text:
            yield text


def _chunk(
    season: Season, after: int, lines: Callable[[QuerySet[Match]], tuple[int | None, str]]
) -> tuple[int | None, str]:
    return lines(public_matches(season, after))


def _record_lines(found: QuerySet[Match]) -> tuple[int | None, str]:
    rows = list(found.values_list("finish_seq", "record__body")[:CHUNK])
    return _last([seq for seq, _ in rows]), "".join(f"{body}\n" for _, body in rows)


def _result_lines(found: QuerySet[Match]) -> tuple[int | None, str]:
    seats = Seat.objects.select_related("version__bot").defer("version__check_report").order_by("index")
    rows = list(found.prefetch_related(Prefetch("seats", seats))[:CHUNK])
    cells = [_result(match, seat) for match in rows for seat in match.seats.all()]
    return _last([match.finish_seq for match in rows]), _csv(cells)


def _result(match: Match, seat: Seat) -> tuple[Any, ...]:
    ended = match.finished_at.isoformat() if match.finished_at else ""
    return (
        *(match.pk, match.number, match.block, match.rotation, match.finish_seq, ended),
        *(match.deals, match.decisions, match.end_reason, seat.index, seat.name),
        *(seat.version.number if seat.version else "", seat.total, seat.place, seat.stood_in, seat.faults),
        *(seat.deals_declared, seat.deals_made),
    )


def _last(numbers: Sequence[int | None]) -> int | None:
    """Where the next chunk begins; None after the last one."""
    return numbers[-1] if len(numbers) == CHUNK else None


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
