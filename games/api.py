"""REST of matches, records, series, test matches, private logs: each view parses, makes one call, answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.http import parse_etags
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi.api.auth import Scoped, person
from botapi.api.once import ONCE, once
from botapi.api.pagination import NewestFirst
from botapi.tokens import BOTS_WRITE, LOGS_READ, READ
from engine import notation
from games import listing, queries, trials
from games import serializers as shapes
from games.fairness import fairness
from games.models import Match, Series
from games.private_logs import read_log

ATTEMPT = OpenApiParameter("attempt", int, description="the last attempt with a log if left out")


class MatchFilter(filters.FilterSet):  # type: ignore[misc] # publishes no types
    """What a list of matches may be narrowed to."""

    series = filters.CharFilter(method="of_series", label="by the name of its series")

    class Meta:
        """Fields."""

        model = Match
        fields = ["state", "klass", "rated", "rules_name", "players"]

    def of_series(self, found: QuerySet[Match], _field: str, name: str) -> QuerySet[Match]:
        return listing.of_series(found, name)


class OfABot(NewestFirst):
    """Matches, the newest first, those of one bot by the index of its versions, however many there are."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        asked = {name: request.query_params.get(name, "") for name in ("bot", "against", "version", "series")}
        if not asked["bot"]:
            if asked["series"]:
                queryset = listing.between_ends(queryset, asked["series"])
            return super().paginate_queryset(queryset, request, view)
        cursor = self.decode_cursor(request)
        number = listing.number(str(cursor.position)) if cursor else None
        back = cursor is not None and cursor.reverse
        most = (self.get_page_size(request) or 0) + (cursor.offset if cursor else 0) + 1
        wish = listing.Wish(
            bot=asked["bot"],
            against=asked["against"],
            version=listing.version_number(asked["version"]),
            series=asked["series"],
        )
        numbers = listing.numbers_of(
            wish, queryset, before=None if back else number, after=number if back else None, most=most
        )
        return super().paginate_queryset(queryset.filter(pk__in=numbers), request, view)


@extend_schema(
    tags=["matches"],
    parameters=[
        OpenApiParameter("bot", str, description="those of this bot, by its name"),
        OpenApiParameter("version", int, description="with a bot: those of this version, by its number"),
        OpenApiParameter("against", str, description="with a bot: those in which this one sat there as well"),
    ],
)
class MatchList(generics.ListAPIView[Match]):
    """Matches, the newest first."""

    serializer_class = shapes.MatchSerializer
    queryset = queries.matches().defer("rules", "clocks")
    pagination_class = OfABot
    filterset_class = MatchFilter


@extend_schema(tags=["matches"])
class MatchDetail(generics.RetrieveAPIView[Match]):
    """One match with its attempts and faults."""

    serializer_class = shapes.MatchDetailSerializer
    queryset = queries.match_details()


def match_of(number: int) -> Match:
    """The match of this number, or 404."""
    match = Match.objects.filter(pk=number).first()
    if match is None:
        raise NotFound("There is no such match.")
    return match


def _stored(request: Request, pk: int, form: str, written: Callable[[str], str | bytes]) -> HttpResponse:
    """The record of a match as ``written`` says, or 304 to who has it; 404 while there is no public one."""
    record = queries.public_record(match_of(pk))
    if record is None:
        raise NotFound("This match has no public record (yet).")
    etag = f'"{record.sha256}"'
    known = parse_etags(request.headers.get("If-None-Match", ""))
    unchanged = etag in known or "*" in known
    body = b"" if unchanged else written(record.body)
    response = HttpResponse(body, status=304 if unchanged else 200, content_type=form)
    response["ETag"] = etag
    return response


@extend_schema(tags=["matches"])
class MatchRecord(APIView):
    """The record of a match, ``thousand-record/1``, byte for byte as it is stored."""

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    def get(self, request: Request, pk: int) -> HttpResponse:
        """404 until the match, and each table that shares its cards, is over."""
        return _stored(request, pk, "application/json", lambda body: body)


@extend_schema(tags=["matches"])
class MatchText(APIView):
    """The record of a match in text notation."""

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request, pk: int) -> HttpResponse:
        """404 until the match, and each table that shares its cards, is over."""
        form = "text/plain; charset=utf-8"
        return _stored(request, pk, form, lambda body: notation.write(json.loads(body)))


@extend_schema(tags=["matches"])
class MatchFairness(APIView):
    """The check of a match's cards with what is public: seed, every deck, replay, secret."""

    @extend_schema(responses=shapes.FairnessSerializer)
    def get(self, _request: Request, pk: int) -> Response:
        """``check`` is null until the match, and each table that shares its cards, is over."""
        match = queries.match_details().filter(pk=pk).first()
        if match is None:
            raise NotFound("There is no such match.")
        return Response(shapes.FairnessSerializer(fairness(match)).data)


@extend_schema(tags=["matches"])
class SeriesList(generics.ListAPIView[Series]):
    """Series of matches: the hash of each secret from the start, the secret once nothing of it is open."""

    serializer_class = shapes.SeriesSerializer
    queryset = queries.series_list()
    filterset_fields = {"kind": ["exact"], "name": ["exact"]}


@extend_schema(tags=["matches"])
class SeriesDetail(generics.RetrieveAPIView[Series]):
    """One series."""

    serializer_class = shapes.SeriesSerializer
    queryset = queries.series_list()


@extend_schema(tags=["test matches"])
class TestMatches(generics.ListAPIView[Match]):
    """Your unrated test matches."""

    permission_classes = [Scoped]
    read_scope = READ
    write_scope = BOTS_WRITE
    serializer_class = shapes.MatchSerializer
    filter_backends = []

    def get_queryset(self) -> QuerySet[Match]:
        if getattr(self, "swagger_fake_view", False):  # drf-spectacular looks at the view without a person
            return Match.objects.none()
        return queries.test_matches_of(person(self.request))

    @extend_schema(
        parameters=[ONCE],
        request=shapes.NewTestMatchSerializer,
        responses={201: shapes.TestMatchesSerializer},
    )
    def post(self, request: Request) -> Response:
        """Queue a test match of one of your bots."""
        wish = shapes.NewTestMatchSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        author, given = person(request), wish.validated_data

        def ask() -> Response:
            made = trials.request_test_match(author, **given)
            body = {
                "match": queries.matches().get(pk=made.pk),
                "used_today": queries.test_matches_today(author),
                "a_day": trials.A_DAY,
            }
            return Response(shapes.TestMatchesSerializer(body).data, status=201)

        return once(request, ask)


@extend_schema(tags=["private logs"])
class LogList(APIView):
    """The private logs of a match that you may read."""

    permission_classes = [Scoped]
    read_scope = LOGS_READ

    @extend_schema(responses=shapes.LogLineSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """404 when there is none for you."""
        logs = list(queries.readable_logs(person(request), match_of(pk)).defer("turns", "stderr"))
        if not logs:
            raise NotFound("There is no such match.")
        return Response(shapes.LogLineSerializer(logs, many=True).data)


@extend_schema(tags=["private logs"])
class LogDetail(APIView):
    """One private log, for the bot's author and operators; each look of an operator is written down."""

    permission_classes = [Scoped]
    read_scope = LOGS_READ

    @extend_schema(parameters=[ATTEMPT], responses=shapes.LogSerializer)
    def get(self, request: Request, pk: int, seat: int) -> Response:
        """404 when there is none for you."""
        attempt = request.query_params.get("attempt")
        if attempt is not None and not (attempt.isascii() and attempt.isdigit() and len(attempt) < 5):
            raise NotFound("There is no such attempt.")
        number = int(attempt) if attempt else None
        log = read_log(person(request), match_of(pk), seat=seat, attempt=number)
        if log is None:
            raise NotFound("There is no such match.")
        return Response(shapes.LogSerializer(log).data)
