"""REST views of standings, rating events and bots' ratings. Reading only; all of it is public."""

from __future__ import annotations

import math
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi.api.pagination import Cursor
from ladder import queries
from ladder.addressed import bot_of, pool_of
from ladder.models import Rating, RatingEvent, RatingPoint
from ladder.ratings import Z95, is_provisional


class InOrder(Cursor):
    """Entries of a log in its order, so that it can be followed and audited."""

    ordering = "seq"
    page_size = 200


class OldestFirst(Cursor):
    """Points of a curve as they came about."""

    ordering = "event_id"
    page_size = 200


class ByVersion(Cursor):
    """Ratings of a bot, a row a version and pool, the latest first."""

    ordering = ("-pk",)


class StandingSerializer(serializers.Serializer[Any]):
    """One line of a ladder; ratings in Elo, ``low`` to ``high`` the 95 % interval."""

    rank = serializers.IntegerField(allow_null=True)
    rank_low = serializers.IntegerField(allow_null=True)
    rank_high = serializers.IntegerField(allow_null=True)
    bot = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(source="version.number")
    author = serializers.CharField(help_text="empty for a house bot")
    rating = serializers.FloatField(source="r")
    sd = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    provisional = serializers.BooleanField()
    matches = serializers.IntegerField(source="n")
    places = serializers.ListField(child=serializers.IntegerField())
    points_a_deal = serializers.FloatField(allow_null=True)
    contracts_made = serializers.FloatField(allow_null=True)
    declared = serializers.IntegerField()
    faults = serializers.IntegerField()
    change_7_days = serializers.FloatField(source="change", allow_null=True)


class EventSerializer(serializers.ModelSerializer[RatingEvent]):
    """One entry of a rating log; ``sha256`` is that of the previous entry's hash followed by ``payload``."""

    class Meta:
        """Fields."""

        model = RatingEvent
        fields = ["seq", "kind", "match", "payload", "algorithm", "sha256", "created_at"]


class RatingSerializer(serializers.ModelSerializer[Rating]):
    """Live rating of one version of a bot in one season."""

    season = serializers.CharField(source="pool.season.slug")
    version = serializers.IntegerField(source="version.number")
    rating = serializers.FloatField(source="r")
    sd = serializers.SerializerMethodField()
    provisional = serializers.SerializerMethodField()
    matches = serializers.IntegerField(source="n")

    class Meta:
        """Fields."""

        model = Rating
        fields = [
            "season",
            "version",
            "rating",
            "sd",
            "provisional",
            "matches",
            "places",
            "deals",
            "declared",
        ]
        extra_kwargs = {"places": {"help_text": "how often first, second, ..."}}

    def get_sd(self, row: Rating) -> float:
        return math.sqrt(row.v)

    def get_provisional(self, row: Rating) -> bool:
        return is_provisional(float(row.v))


class PointSerializer(serializers.ModelSerializer[RatingPoint]):
    """A bot's rating after one event of a log."""

    season = serializers.CharField(source="pool.season.slug")
    seq = serializers.IntegerField(source="event.seq")
    kind = serializers.CharField(source="event.kind")
    match = serializers.IntegerField(source="event.match_id", allow_null=True)
    version = serializers.IntegerField(source="version.number")
    rating = serializers.FloatField(source="r")
    half = serializers.SerializerMethodField(help_text="half of the 95 % interval")
    matches = serializers.IntegerField(source="n")

    class Meta:
        """Fields."""

        model = RatingPoint
        fields = ["season", "seq", "kind", "match", "version", "rating", "half", "matches", "at"]

    def get_half(self, point: RatingPoint) -> float:
        return Z95 * math.sqrt(point.v)


@extend_schema(tags=["ladder"])
class Standings(APIView):
    """The ladder of a season, ranked bots first."""

    @extend_schema(responses=StandingSerializer(many=True))
    def get(self, _request: Request, slug: str) -> Response:
        return Response(StandingSerializer(queries.standings(pool_of(slug)), many=True).data)


@extend_schema(tags=["ladder"], parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH)])
class EventList(generics.ListAPIView[RatingEvent]):
    """The rating log of a season, from its first entry."""

    queryset = RatingEvent.objects.none()
    serializer_class = EventSerializer
    pagination_class = InOrder

    def get_queryset(self) -> QuerySet[RatingEvent]:
        return RatingEvent.objects.filter(pool=pool_of(self.kwargs["slug"]))


@extend_schema(tags=["ladder"], parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH)])
class BotRatings(generics.ListAPIView[Rating]):
    """A bot's ratings, a row a version and season, the latest first."""

    queryset = Rating.objects.none()
    serializer_class = RatingSerializer
    pagination_class = ByVersion

    def get_queryset(self) -> QuerySet[Rating]:
        return queries.pools_of(bot_of(self.kwargs["name"]))


@extend_schema(
    tags=["ladder"],
    parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH), OpenApiParameter("season", str)],
)
class BotPoints(generics.ListAPIView[RatingPoint]):
    """A bot's rating after each event that changed it, oldest first, in one season or in all."""

    queryset = RatingPoint.objects.none()
    serializer_class = PointSerializer
    pagination_class = OldestFirst

    def get_queryset(self) -> QuerySet[RatingPoint]:
        points = RatingPoint.objects.filter(version__bot=bot_of(self.kwargs["name"]))
        season = self.request.query_params.get("season")
        if season:
            points = points.filter(pool=pool_of(season))
        return points.select_related("event", "version", "pool__season")
