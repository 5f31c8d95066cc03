"""Pages of one season beside its ladder: the published board, its deals; each parses, reads, renders."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from ladder import published, queries
from ladder.models import Season

PUBLICATIONS_SHOWN = 60


def season_or_404(slug: str) -> Season:
    """The opened season of this address."""
    found = queries.season_by_slug(slug)
    if found is None:
        raise Http404("There is no such season.")
    return found


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """The board as last published, or as entry ``?seq=`` of the log published it."""
    season = season_or_404(slug)
    pool = queries.pool_of(season)
    wanted = request.GET.get("seq", "")
    if wanted and not (wanted.isascii() and wanted.isdigit() and len(wanted) < 19):
        raise Http404("There is no such publication.")
    found = published.board(pool, seq=int(wanted) if wanted else None) if pool else None
    if wanted and found is None:
        raise Http404("There is no such publication.")
    context = {
        "season": season,
        "board": found,
        "publications": published.publications(pool)[:PUBLICATIONS_SHOWN] if pool else [],
    }
    return render(request, "ladder/board.html", context)
