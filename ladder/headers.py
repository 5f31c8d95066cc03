"""Headers of every answer: what a page may load and do, so that a slip in a template stays harmless.

Nothing inline and nothing from elsewhere: scripts, styles, images and streams come from this site alone, forms go
to it alone, and no other site may show its pages in a frame. Pico's form icons and those of the API's page are
``data:`` images; there is no other exception.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, cast

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

POLICY: Final = (
    "default-src 'self'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
UNUSED: Final = ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
HEADERS: Final = {
    "Content-Security-Policy": "; ".join(POLICY),
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED),
    "Cross-Origin-Resource-Policy": "same-origin",
}

Sync = Callable[[HttpRequest], HttpResponse]
Async = Callable[[HttpRequest], Awaitable[HttpResponse]]


@sync_and_async_middleware
def on_every_answer(get_response: Sync | Async) -> Sync | Async:
    """Middleware: the headers above, beside those that Django's own middleware sets."""
    if iscoroutinefunction(get_response):
        later = cast("Async", get_response)

        async def stream(request: HttpRequest) -> HttpResponse:
            return _with_headers(await later(request))

        return stream

    def answer(request: HttpRequest) -> HttpResponse:
        return _with_headers(cast("Sync", get_response)(request))

    return answer


def _with_headers(response: HttpResponse) -> HttpResponse:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
