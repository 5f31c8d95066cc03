"""Bots as the public sees them: the list, and a page each; they parse, read, render."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from botapi.models import Bot
from botapi.queries import public_bots
from games import listing
from ladder import histograms, pairs, queries, tournament_queries
from ladder.curves import curve
from ladder.eligibility import why_no_match
from ladder.models import Pool
from ladder.play_counting import tally_of
from ladder.schedules import next_round
from ladder.season_pages import season_asked

BOTS_SHOWN = 1000
VERSIONS_SHOWN = 50
OPPONENTS_SHOWN = 25
MATCHES_SHOWN = 10


def bots(request: HttpRequest) -> HttpResponse:
    """All bots that were not withdrawn."""
    found = public_bots().exclude(state="withdrawn").order_by("name")
    return render(request, "ladder/bots.html", {"bots": found[:BOTS_SHOWN]})


def bot(request: HttpRequest, name: str) -> HttpResponse:
    """One bot in a season (``?season=``): state, rating curve, how it plays, opponents, versions, matches."""
    found = queries.bot_by_name(name)
    if found is None:
        raise Http404("There is no such bot.")
    season = season_asked(request)
    pool = queries.pool_of(season) if season else None
    context = {
        "bot": found,
        "season": season,
        "pool": pool,
        "versions": found.versions.defer("check_report").order_by("-number")[:VERSIONS_SHOWN],
        "matches": listing.newest_of(name, most=MATCHES_SHOWN),
        "entries": tournament_queries.entries_of(found),
        "next_match": queries.next_match(found),
        "why_no_match": why_no_match(found, season),
        "next_round": next_round(season),
    }
    return render(request, "ladder/bot.html", context | (_play(found, pool) if pool else {}))


def _play(bot: Bot, pool: Pool) -> dict[str, Any]:
    """What a season tells of a bot: rating, how it plays, whom it met."""
    tally = tally_of(pool, bot)
    return {
        "standing": queries.standing_of(pool, bot),
        "curve": curve(queries.curve_points(bot, pool)),
        "played": tally.matches,
        "places": histograms.places_by_seat(tally, pool.players),
        "scores": histograms.scores(tally),
        "contracts": histograms.contracts(tally),
        "contract_lines": sorted((size, one) for size, one in tally.contracts.items() if one.declared),
        "opponents": pairs.opponents(pool, bot, most=OPPONENTS_SHOWN),
    }
