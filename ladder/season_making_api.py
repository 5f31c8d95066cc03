"""REST of seasons: read by everybody, made, changed, opened and closed by those who have the right to.

That right is to change seasons, and of a token the scope ``events:run``. Drafts are seen by these alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi.api.auth import Scoped, person
from botapi.api.once import ONCE, once
from botapi.api.pagination import Cursor
from botapi.tokens import EVENTS_RUN
from games.queries import public_secret
from ladder import queries, seasons
from ladder.models import Season
from ladder.tournament_shapes import ClocksSerializer, RulesField
from ladder.tournaments import read_rules

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="the season's short name")


class RunsSeasons(Scoped):
    """Anyone reads; whoever writes may change seasons, a token with the scope ``events:run``."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        return super().has_permission(request, view) and person(request).has_perm("ladder.change_season")


class LatestOpenedFirst(Cursor):
    """Seasons by their opening, the latest first."""

    ordering = ("-opens_at", "-pk")


class SeasonSerializer(serializers.ModelSerializer[Season]):
    """A season with its rules, clocks and what is published of its secret."""

    timetable = serializers.CharField(help_text="when rounds begin, as cron, UTC; empty: all the time")
    opens_at = serializers.DateTimeField(
        allow_null=True, help_text="of a draft, which operators see: when it will be opened"
    )
    closes_at = serializers.DateTimeField(allow_null=True, help_text="until it is closed: when it will be")
    pool = serializers.SerializerMethodField()
    secret_sha256 = serializers.SerializerMethodField()
    secret = serializers.SerializerMethodField()

    class Meta:
        """Fields."""

        model = Season
        fields = [
            *("slug", "name", "state", "players", "rules", "clocks", "duplicate", "timetable"),
            *("opens_at", "closes_at", "pool", "secret_sha256", "secret"),
        ]

    def get_pool(self, season: Season) -> int | None:
        return next((pool.pk for pool in season.pools.all()), None)

    def get_secret_sha256(self, season: Season) -> str | None:
        return season.series.secret_sha256 if season.series else None

    def get_secret(self, season: Season) -> str | None:
        return public_secret(season.series) if season.series else None


class NewSeasonSerializer(serializers.ModelSerializer[Season]):
    """A wish for a season; what is left out has its default."""

    rules = RulesField(help_text="name of a preset, or record form")
    clocks = ClocksSerializer(required=False)

    class Meta:
        """Fields."""

        model = Season
        fields = [
            *("slug", "name", "rules", "clocks", "queue_target", "duplicate"),
            *("timetable", "opens_at", "closes_at"),
        ]


class ChangedSeasonSerializer(NewSeasonSerializer):
    """What is to be changed of a season; what is left out stays."""

    class Meta:
        """Fields."""

        model = Season
        fields = NewSeasonSerializer.Meta.fields[1:]


@extend_schema(tags=["ladder"])
class SeasonList(generics.ListAPIView[Season]):
    """Seasons that were opened, the latest first."""

    permission_classes = [RunsSeasons]
    write_scope = EVENTS_RUN
    serializer_class = SeasonSerializer
    pagination_class = LatestOpenedFirst

    def get_queryset(self) -> QuerySet[Season]:
        return queries.seasons().prefetch_related("pools")

    @extend_schema(parameters=[ONCE], request=NewSeasonSerializer, responses={201: SeasonSerializer})
    def post(self, request: Request) -> Response:
        """Make a draft; with a date it is announced and opened by itself. For operators."""

        def make() -> Response:
            wish = NewSeasonSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            given: dict[str, Any] = dict(wish.validated_data)
            rules = read_rules(given.pop("rules"))
            return _shown(seasons.create_season(given.pop("slug"), ruleset=rules, **given), 201)

        return once(request, make)


@extend_schema(tags=["ladder"], parameters=[SLUG])
class SeasonDetail(APIView):
    """One season."""

    permission_classes = [RunsSeasons]
    write_scope = EVENTS_RUN

    @extend_schema(responses=SeasonSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return _shown(season_of(request, slug))

    @extend_schema(request=ChangedSeasonSerializer, responses=SeasonSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Once it is open, rules, clocks and cards are fixed; once it is closed, all but its name. For operators."""
        season = season_of(request, slug)
        wish = ChangedSeasonSerializer(season, data=request.data, partial=True)
        wish.is_valid(raise_exception=True)
        changes: dict[str, Any] = dict(wish.validated_data)
        if "rules" in changes:
            changes["ruleset"] = read_rules(changes.pop("rules"))
        return _shown(seasons.change_season(season, **changes))


class _Step(APIView):
    """A step of a season by an operator."""

    permission_classes = [RunsSeasons]
    write_scope = EVENTS_RUN

    def take(self, request: Request, slug: str, verb: Callable[[Season], Season]) -> Response:
        """The season after ``verb``; the same key again gives the same answer."""
        return once(request, lambda: _shown(verb(season_of(request, slug))))


_STEP = extend_schema(tags=["ladder"], parameters=[SLUG, ONCE], request=None, responses=SeasonSerializer)


class SeasonOpen(_Step):
    """Open a draft now."""

    @_STEP
    def post(self, request: Request, slug: str) -> Response:
        """Commits the secret and lets matchmaking begin; for operators."""
        return self.take(request, slug, seasons.open_season)


class SeasonClose(_Step):
    """Close an open season now."""

    @_STEP
    def post(self, request: Request, slug: str) -> Response:
        """Nothing new is queued; what is queued is still played and rated. For operators."""
        return self.take(request, slug, seasons.close_season)


def season_of(request: Request, slug: str) -> Season:
    """The season of this name, or 404; a draft is there only for those who may change seasons."""
    user = request.user
    runs = user.is_authenticated and user.has_perm("ladder.change_season")
    found = queries.any_season(slug) if runs else queries.season_by_slug(slug)
    if found is None:
        raise NotFound("There is no such season.")
    return found


def _shown(season: Season, status: int = 200) -> Response:
    return Response(SeasonSerializer(season).data, status=status)
