"""Matches as the public pages list them: pages go on from a match's number, so that no list is counted or skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Subquery

from botapi.models import Version
from games.models import Match, MatchRecord, Seat, Series
from games.queries import is_withheld, matches

PER_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """What a list is narrowed to; what names nothing that there is narrows it to nothing.

    ``version`` (its number) and ``against`` (another bot at the table) go with a ``bot``; ``series`` is a name.
    """

    state: str = ""
    rated: bool = False
    series: str = ""
    bot: str = ""
    version: int | None = None
    against: str = ""


class Sitting(NamedTuple):
    """A seat in a row of a list."""

    name: str
    total: int | None
    place: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a list; ``at`` is when the match was finished, else made."""

    pk: int
    seats: tuple[Sitting, ...]
    rules: Mapping[str, Any]
    deals: int | None
    state: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MatchList:
    """A page of a list, newest first; ``newer`` and ``older`` are the numbers from which the next pages go on."""

    matches: Sequence[Line]
    newer: int | None
    older: int | None


def lines(found: QuerySet[Match]) -> list[Line]:
    """These matches as rows. Two queries, without the models of seats, versions and bots that the API needs."""
    columns = ("pk", "rules", "deals", "state", "finished_at", "created_at")
    rows = list(found.values_list(*columns, named=True))
    seats: dict[int, list[Sitting]] = {row.pk: [] for row in rows}
    sitting = Seat.objects.filter(match__in=seats).order_by("match", "index")
    for match, name, total, place in sitting.values_list("match_id", "name", "total", "place"):
        seats[match].append(Sitting(name, total, place))
    return [
        Line(row.pk, tuple(seats[row.pk]), row.rules, row.deals, row.state, row.finished_at or row.created_at)
        for row in rows
    ]


def listed(wish: Wish) -> QuerySet[Match]:
    """The public list, newest first, without checks, narrowed by all but the bots."""
    found = matches().defer("clocks").order_by("-pk")
    if wish.state:
        found = found.filter(state=wish.state) if wish.state in Match.State.values else found.none()
    if wish.rated:
        found = found.filter(rated=True)
    return of_series(found, wish.series) if wish.series else found


def of_series(found: QuerySet[Match], name: str) -> QuerySet[Match]:
    """Those of one series."""
    return found.none() if "\0" in name else found.filter(series=_series(name))


def between_ends(found: QuerySet[Match], series: str) -> QuerySet[Match]:
    """Read between the first and the last match of a series, not among the newer ones of others. One query."""
    first, last = _ends(series)
    return found.filter(pk__gte=first, pk__lte=last)


def line(match: Match) -> Line:
    """A match with its seats, read before, as a row."""
    seats = tuple(Sitting(seat.name, seat.total, seat.place) for seat in match.seats.all())
    return Line(match.pk, seats, match.rules, match.deals, match.state, match.finished_at or match.created_at)


def series_named(name: str) -> Series | None:
    """The series of this name, where one is asked for."""
    return Series.objects.filter(name=name).first() if name and "\0" not in name else None


def _series(name: str) -> QuerySet[Series, int]:
    return Series.objects.filter(name=name).values_list("pk", flat=True)[:1]


def _ends(name: str) -> tuple[int, int]:
    """The numbers of the first and the last match of a series; 1 and 0 without one. One query.

    A range of one series in the order of ``matches_of_a_series``: for an equal one the database would walk
    down all matches by their number until it meets one of the series. Numbers, and no subqueries, because
    it can tell how many rows lie between numbers.
    """
    if "\0" in name:
        return 1, 0
    within = Match.objects.filter(series__gte=OuterRef("pk"), series__lte=OuterRef("pk"))
    first, last = within.order_by("-series_id", "pk"), within.order_by("series_id", "-pk")
    ends = Series.objects.filter(name=name).values_list(
        Subquery(first.values("pk")[:1]), Subquery(last.values("pk")[:1])
    )
    one, other = ends.first() or (None, None)
    return one or 1, other or 0


def newest_of(bot: str, *, against: str = "", most: int) -> list[Line]:
    """The newest matches of a bot, or of two at one table; one query more than :func:`lines`."""
    wish = Wish(bot=bot, against=against)
    found = listed(wish)
    return lines(found.filter(pk__in=numbers_of(wish, found, most=most)))


def page(
    wish: Wish, *, before: int | None = None, after: int | None = None, size: int = PER_PAGE
) -> MatchList:
    """The matches just ``before`` a number, or just ``after`` it; without either the newest."""
    if wish.against and not wish.bot:
        wish = replace(wish, bot=wish.against, against="", version=None)
    found = listed(wish)
    if wish.series and not wish.bot:
        found = between_ends(found, wish.series)
    if wish.bot:
        found = found.filter(pk__in=numbers_of(wish, found, before=before, after=after, most=size + 1))
    elif after is not None:
        found = found.filter(pk__gt=after)
    elif before is not None:
        found = found.filter(pk__lt=before)
    if after is not None:
        rows = lines(found.order_by("pk")[: size + 1])
        more, rows = len(rows) > size, rows[size - 1 :: -1] if len(rows) > size else rows[::-1]
        return MatchList(rows, rows[0].pk if more else None, rows[-1].pk if rows else None)
    rows = lines(found[: size + 1])
    more, rows = len(rows) > size, rows[:size]
    return MatchList(rows, rows[0].pk if rows and before is not None else None, rows[-1].pk if more else None)


def numbers_of(
    wish: Wish,
    among: QuerySet[Match],
    *,
    before: int | None = None,
    after: int | None = None,
    most: int,
) -> list[int]:
    """Numbers of the newest matches of a bot ``among`` others, at most so many; with ``after`` of the oldest.

    Each version's newest are taken from its index, from the last match of the series on where one is asked for,
    so that it does not matter how many matches there are. What is no bot's name (it comes from an address) has
    no matches. One query, two for a series.
    """
    if "\0" in wish.bot + wish.against + wish.series:
        return []
    seats = Seat.objects.filter(version=OuterRef("pk"), match__in=among.order_by().values("pk"))
    theirs = Seat.objects.filter(version__bot__name=wish.against)
    if wish.series:
        first, last = _ends(wish.series)
        seats = seats.filter(match_id__gte=first, match_id__lte=last)
        theirs = theirs.filter(match_id__gte=first, match_id__lte=last)
    if wish.against:
        seats = seats.filter(match__in=theirs.values("match"))
    if after is not None:
        seats = seats.filter(match_id__gt=after)
    elif before is not None:
        seats = seats.filter(match_id__lt=before)
    order = "match_id" if after is not None else "-match_id"
    versions = Version.objects.filter(bot__name=wish.bot)
    if wish.version is not None:
        versions = versions.filter(number=wish.version)
    found = versions.values_list(ArraySubquery(seats.order_by(order).values("match_id")[:most]), flat=True)
    return sorted({number for numbers in found for number in numbers}, reverse=after is None)[:most]


def number(text: str) -> int | None:
    """The number of a match in an address; None for what cannot be one."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 19 else None


def version_number(text: str) -> int | None:
    """The number of a version in an address, 0 (there is none) for what cannot be one; None for no text."""
    return (number(text) or 0) if text else None


def record_sha256(pk: int) -> str | None:
    """The digest of a match's public record, for its ETag; None while there is none."""
    match = matches().filter(pk=pk).first()
    if match is None or is_withheld(match):
        return None
    return MatchRecord.objects.filter(match=match).values_list("sha256", flat=True).first()
