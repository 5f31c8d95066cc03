"""When faults suspend a bot (protocol.md 5): counted here, where matches are; the rule stands in botapi."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db.models import QuerySet

from botapi import bots
from botapi import faults as codes
from botapi.models import Bot
from games import queries
from games.models import Fault, Match, Seat, SeatLog

UNCOUNTED: Final = (Match.Class.CHECK, Match.Class.TEST, Match.Class.PEOPLE)
"""Authors and people try things out here; nobody's rated match is disturbed."""
STARTS: Final = 2
"""The second time that a version does not start suspends its bot."""
DETAIL_CHARS: Final = 8_000
"""So much of the failing request, and of stderr, goes into the mail."""


def note(match: Match, forfeited: Iterable[Seat]) -> None:
    """Let botapi look at the bots whose seats of ``match`` were handed to a house bot.

    To be called in the transaction of the result, once the match counts as finished.
    """
    if match.klass in UNCOUNTED:
        return
    for seat in forfeited:
        if seat.version is None:
            continue
        latest = _seats_of(seat.version.bot).filter(match__state=Match.State.FINISHED)
        outcomes = latest.order_by("-match__finish_seq").values_list("stood_in", flat=True)
        fault = Fault.objects.filter(match=match, seat=seat.index).order_by("-pk").first()
        explanation = f"The last fault was {fault.code}, in match {match.pk}." if fault else ""
        bots.note_forfeits(
            seat.version.bot,
            list(outcomes[: bots.RECENT_MATCHES]),
            explanation=explanation,
            details=_details(match, seat),
        )


def note_start(seat: Seat) -> None:
    """Suspend the bot of ``seat`` if it did not start for the second time among its latest matches."""
    if seat.version is None or seat.match.klass in UNCOUNTED:
        return
    if seat.version.bot.state in (Bot.State.SUSPENDED, Bot.State.WITHDRAWN):
        return
    recent = _seats_of(seat.version.bot).filter(version=seat.version).order_by("-match")
    places = set(recent.values_list("match_id", "index")[: bots.RECENT_MATCHES])
    starts = Fault.objects.filter(code=codes.START, match__in=[match for match, _ in places])
    failed = places & set(starts.values_list("match_id", "seat"))
    if len(failed) >= STARTS:
        reason = f"Version {seat.version.number} did not start for the second time, in match {seat.match_id}."
        details = _details(seat.match, seat)
        bots.suspend_bot(seat.version.bot, cause=Bot.Suspension.START, reason=reason, details=details)


def _details(match: Match, seat: Seat) -> str:
    """For the author: the last fault with its request and answer, and the end of the bot's own stderr.

    All of that shows cards: while another table plays the same deals it only says where it can be read later.
    """
    if queries.is_withheld(match):
        return f"The private log of match {match.pk} opens when the last table with the same deals has ended."
    fault = Fault.objects.filter(match=match, seat=seat.index).order_by("-pk").first()
    log = SeatLog.objects.filter(match=match, seat=seat.index).order_by("-attempt").first()
    parts = [f"The last fault, in match {match.pk}:\n\n{fault.message}"[:DETAIL_CHARS]] if fault else []
    if log is not None and log.stderr:
        parts.append(f"What it wrote to stderr:\n\n{log.stderr[-DETAIL_CHARS:]}")
    return "\n\n".join(parts)


def _seats_of(bot: Bot) -> QuerySet[Seat]:
    """The bot's seats in matches that ended since it was last let play."""
    seats = Seat.objects.filter(version__bot=bot, match__finished_at__isnull=False).exclude(
        match__klass__in=UNCOUNTED
    )
    return seats.filter(match__finished_at__gt=bot.forfeits_from) if bot.forfeits_from else seats
