"""Matches as the public pages list them."""

from __future__ import annotations

from django.db.models import QuerySet

from games.models import Match, MatchRecord
from games.queries import is_withheld, matches


def listed(*, state: str = "", bot: str = "", against: str = "") -> QuerySet[Match]:
    """The public list, newest first, without checks; narrowed to a ``state`` or the matches of a ``bot``.

    ``against``: those in which this bot sat at the table as well.
    What is no state or no bot's name (it comes from an address) has no matches.
    """
    found = matches().order_by("-pk")
    if state:
        found = found.filter(state=state) if state in Match.State.values else found.none()
    for name in filter(None, (bot, against)):
        found = found.filter(seats__version__bot__name=name).distinct() if "\0" not in name else found.none()
    return found


def record_sha256(pk: int) -> str | None:
    """The digest of a match's public record, for its ETag; None while there is none."""
    match = matches().filter(pk=pk).first()
    if match is None or is_withheld(match):
        return None
    return MatchRecord.objects.filter(match=match).values_list("sha256", flat=True).first()
