"""What authors are told of finished matches by webhook: rows in the transaction of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse

from botapi import webhooks
from games.models import Match, Seat

UNTOLD = (Match.Class.CHECK, Match.Class.EVENT)
"""A check is told of as ``bot.checked``; who is a bot in an event is told to nobody before its publication."""


def tell_finished(match: Match, seats: Sequence[Seat]) -> None:
    """Tell the authors in ``seats`` (filled, with ``version__bot``) how their own bots fared."""
    if match.klass in UNTOLD:
        return
    by_owner: dict[int, list[Seat]] = {}
    for seat in seats:
        if seat.version is not None and seat.version.bot.owner_id is not None:
            by_owner.setdefault(seat.version.bot.owner_id, []).append(seat)
    if not by_owner:
        return
    for webhook in webhooks.that_keep_up(by_owner):
        data = {
            "match": match.pk,
            "klass": match.klass,
            "rated": match.rated,
            "rules": match.rules_name,
            "seats": [_seat(seat) for seat in by_owner[webhook.user_id]],
            "page": settings.SITE_URL.rstrip("/") + reverse("games:match", args=[match.pk]),
        }
        webhooks.write(webhook, webhooks.FINISHED, data)


def _seat(seat: Seat) -> dict[str, Any]:
    assert seat.version is not None
    return {
        "seat": seat.index,
        "bot": seat.version.bot.name,
        "version": seat.version.number,
        "place": seat.place,
        "total": seat.total,
        "faults": seat.faults,
        "stood_in": seat.stood_in,
    }
