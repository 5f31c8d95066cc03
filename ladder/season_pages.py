"""Pages of one season beside its ladder: the published board, its deals; each parses, reads, renders."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from engine import RuleSet
from games.faces import Card, short
from ladder import published, queries
from ladder.deal_counting import tally_of
from ladder.deal_report import report
from ladder.models import Season

PUBLICATIONS_SHOWN = 60


def season_or_404(slug: str) -> Season:
    """The opened season of this address."""
    found = queries.season_by_slug(slug)
    if found is None:
        raise Http404("There is no such season.")
    return found


def season_asked(request: HttpRequest) -> Season | None:
    """The season of ``?season=slug``, else the current one; None before the first."""
    wanted = request.GET.get("season", "")
    return season_or_404(wanted) if wanted else queries.current_season()


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


def deals(request: HttpRequest, slug: str) -> HttpResponse:
    """What the season's cards were, beside what fair cards give."""
    season = season_or_404(slug)
    found = report(RuleSet.from_json(season.rules), tally_of(season))
    context = {
        "season": season,
        "report": found,
        "rows": [(Card(row.card), row.cells) for row in found.rows],
        "labels": [(across, short([card])) for across, card in found.labels],
    }
    return render(request, "ladder/deals.html", context)
