"""Pages of bots against each other: two of them, and all of a season at once; each parses, reads, renders."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from botapi.models import Bot
from games import listing
from ladder import pairs, queries
from ladder.season_pages import season_asked, season_or_404

MATCHES_SHOWN = 10


def against(request: HttpRequest, a: str, b: str) -> HttpResponse:
    """Bot ``a`` against bot ``b`` in a season (``?season=``): joint matches, difference, by relative seat."""
    one, other = _bot(a), _bot(b)
    season = season_asked(request)
    pool = queries.pool_of(season) if season else None
    if one == other:
        raise Http404("A bot never meets itself.")
    context = {
        "one": one,
        "other": other,
        "season": season,
        "pool": pool,
        "met": pairs.against(pool, one, other) if pool else None,
        "matches": listing.newest_of(one.name, against=other.name, most=MATCHES_SHOWN),
    }
    return render(request, "ladder/against.html", context)


def matrix(request: HttpRequest, slug: str) -> HttpResponse:
    """The best bots of a season, each against each."""
    season = season_or_404(slug)
    pool = queries.pool_of(season)
    bots, left_out = pairs.best(pool) if pool else ([], 0)
    context = {
        "season": season,
        "bots": bots,
        "rows": pairs.matrix(pool, bots) if pool else [],
        "left_out": left_out,
    }
    return render(request, "ladder/matrix.html", context)


def _bot(name: str) -> Bot:
    found = queries.bot_by_name(name)
    if found is None:
        raise Http404("There is no such bot.")
    return found
