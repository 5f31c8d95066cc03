"""Matches as the public pages list them: pages go on from a match's number, so that no list is counted or skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet

from botapi.models import Version
from games.models import Match, MatchRecord, Seat
from games.queries import is_withheld, matches

PER_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class MatchList:
    """A page of a list, newest first; ``newer`` and ``older`` are the numbers from which the next pages go on."""

    matches: Sequence[Match]
    newer: int | None
    older: int | None


def listed(*, state: str = "") -> QuerySet[Match]:
    """The public list, newest first, without checks, or those of a ``state``; what is no state has none."""
    found = matches().defer("clocks").order_by("-pk")
    if state:
        found = found.filter(state=state) if state in Match.State.values else found.none()
    return found


def newest_of(bot: str, *, against: str = "", state: str = "", most: int) -> list[Match]:
    """The newest matches of a bot, or of two at one table; one query more than :func:`listed`."""
    found = listed(state=state)
    return list(found.filter(pk__in=numbers_of(bot, found, against=against, most=most)))


def page(
    *,
    state: str = "",
    bot: str = "",
    against: str = "",
    before: int | None = None,
    after: int | None = None,
    size: int = PER_PAGE,
) -> MatchList:
    """The matches just ``before`` a number, or just ``after`` it; without either the newest.

    Narrowed to a ``state``, to the matches of a ``bot``, to those in which ``against`` sat there as well.
    """
    found = listed(state=state)
    bot, against = bot or against, against if bot else ""
    if bot:
        ids = numbers_of(bot, found, against=against, before=before, after=after, most=size + 1)
        found = found.filter(pk__in=ids)
    elif after is not None:
        found = found.filter(pk__gt=after)
    elif before is not None:
        found = found.filter(pk__lt=before)
    if after is not None:
        rows = list(found.order_by("pk")[: size + 1])
        more, rows = len(rows) > size, rows[size - 1 :: -1] if len(rows) > size else rows[::-1]
        return MatchList(rows, rows[0].pk if more else None, rows[-1].pk if rows else None)
    rows = list(found[: size + 1])
    more, rows = len(rows) > size, rows[:size]
    return MatchList(rows, rows[0].pk if rows and before is not None else None, rows[-1].pk if more else None)


def numbers_of(
    bot: str,
    among: QuerySet[Match],
    *,
    against: str = "",
    before: int | None = None,
    after: int | None = None,
    most: int,
) -> list[int]:
    """Numbers of the newest matches of a bot ``among`` others, at most so many; with ``after`` of the oldest.

    Each version's newest are taken from its index, so that it does not matter how many matches there are.
    What is no bot's name (it comes from an address) has no matches. One query.
    """
    if "\0" in bot + against:
        return []
    seats = Seat.objects.filter(version=OuterRef("pk"), match__in=among.order_by().values("pk"))
    if against:
        seats = seats.filter(match__in=Seat.objects.filter(version__bot__name=against).values("match"))
    if after is not None:
        seats = seats.filter(match_id__gt=after)
    elif before is not None:
        seats = seats.filter(match_id__lt=before)
    order = "match_id" if after is not None else "-match_id"
    found = Version.objects.filter(bot__name=bot).values_list(
        ArraySubquery(seats.order_by(order).values("match_id")[:most]), flat=True
    )
    return sorted({number for numbers in found for number in numbers}, reverse=after is None)[:most]


def number(text: str) -> int | None:
    """The number of a match in an address; None for what cannot be one."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 19 else None


def record_sha256(pk: int) -> str | None:
    """The digest of a match's public record, for its ETag; None while there is none."""
    match = matches().filter(pk=pk).first()
    if match is None or is_withheld(match):
        return None
    return MatchRecord.objects.filter(match=match).values_list("sha256", flat=True).first()
