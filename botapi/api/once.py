"""Posts with an ``Idempotency-Key`` header, for API views: the header's description, and the answer given once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from botapi.api.auth import person
from botapi.idempotency import answer_once, fingerprint

ONCE: Final = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="the same key again gives the same answer and does nothing again",
)


def once(request: Request, act: Callable[[], Response], *, content: tuple[str | bytes, ...] = ()) -> Response:
    """The answer of ``act``; with a key that was used before, the answer it got then, marked as replayed.

    ``content`` is what makes the request this one where it is not the parsed body, as with an uploaded file.
    """

    def answer() -> tuple[int, Any]:
        response = act()
        return response.status_code, response.data

    code, body, again = answer_once(
        person(request),
        key=request.headers.get("Idempotency-Key", ""),
        request_sha256=fingerprint("POST", request.path, *(content or (repr(request.data),))),
        answer=answer,
    )
    return Response(body, status=code, headers={"Idempotency-Replayed": "true"} if again else None)
