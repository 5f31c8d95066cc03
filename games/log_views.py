"""The page of a match's private logs, for authors of its bots and for operators."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from botapi.views import author
from games.models import Match
from games.private_logs import log_pages


@login_required
@never_cache
def log(request: HttpRequest, pk: int) -> HttpResponse:
    """What one's bots were asked, what they answered and wrote to stderr, each fault with its rule; else 404."""
    match = Match.objects.filter(pk=pk).first()
    logs = log_pages(author(request), match) if match is not None else []
    if not logs:
        raise Http404(gettext("There is no such match."))
    context = {
        "match": match,
        "logs": logs,
        "site": settings.SITE_URL.rstrip("/"),
        "days": settings.LOG_DAYS,
    }
    return render(request, "games/log.html", context)
