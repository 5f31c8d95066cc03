"""REST of a season's downloads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from ladder import exports
from ladder.addressed import pool_of, season_of

NDJSON: Final = "application/x-ndjson"
CSV: Final = "text/csv"
AFTER: Final = OpenApiParameter(
    "after", int, description="only matches after this finish number: go on where a download ended"
)


def _after(request: Request) -> int:
    text = request.query_params.get("after", "0")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise NotFound("There is no such finish number.")
    return int(text)


def _download(lines: AsyncIterator[str], kind: str, name: str) -> StreamingHttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type=f"{kind}; charset=utf-8", headers=headers)


@extend_schema(tags=["downloads"])
class Records(APIView):
    """All public records of a season, one a line."""

    @extend_schema(parameters=[AFTER], responses={(200, NDJSON): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """As ``thousand verify`` reads them."""
        season = season_of(slug)
        return _download(exports.records(season, after=_after(request)), NDJSON, f"{season.slug}.ndjson")


@extend_schema(tags=["downloads"])
class Results(APIView):
    """The results of a season's public finished matches, a line a seat."""

    @extend_schema(parameters=[AFTER], responses={(200, CSV): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """With a heading."""
        season = season_of(slug)
        return _download(exports.results(season, after=_after(request)), CSV, f"{season.slug}-results.csv")


@extend_schema(tags=["downloads"])
class StandingsCsv(APIView):
    """The ladder of a season as it stands."""

    @extend_schema(responses={(200, CSV): OpenApiTypes.STR})
    def get(self, _request: Request, slug: str) -> HttpResponse:
        """With a heading."""
        text = exports.standings(pool_of(slug))
        headers = {"Content-Disposition": f'attachment; filename="{slug}-ladder.csv"'}
        return HttpResponse(text, content_type=f"{CSV}; charset=utf-8", headers=headers)
