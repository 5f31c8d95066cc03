"""In development Django answers 404 with a list of addresses; people at the demo get the site's own page instead."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotFound
from django.views.defaults import page_not_found


def own_page(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: every page that is missing is missing in the same way."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Django answers an exception with this class; a view that says itself what is missing does not.
        technical = isinstance(response, HttpResponseNotFound)
        html = response.headers.get("Content-Type", "").startswith("text/html")
        if settings.DEBUG and technical and html:
            return page_not_found(request, Http404())
        return response

    return answer
