"""REST of what came of practice: the games that people won, and one's own figures."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi.api.pagination import Cursor
from botapi.tokens import EVENTS_JOIN
from games import guests, practice_list
from games.models import Seat
from games.people import is_short
from games.rules_names import base_of
from games.table_api import GuestOrScoped

ORDER = OpenApiParameter("order", str, enum=["points"], description="the most points first, not the latest")


class WonGames(Cursor):
    """Won games in the order that was asked for."""

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:  # noqa: ARG002 - DRF's signature
        """As the page orders them: anything unknown is the latest first."""
        asked = request.query_params.get("order", "")
        return practice_list.ORDERS.get(asked, practice_list.ORDERS[""])


class WonGameSerializer(serializers.ModelSerializer[Seat]):
    """A practice game that a person won."""

    alias = serializers.CharField(source="name")
    points = serializers.IntegerField(source="total", help_text="the person's total")
    rules = serializers.SerializerMethodField(help_text="the preset that was played")
    short = serializers.SerializerMethodField(help_text="the short game, to 500")
    finished_at = serializers.DateTimeField(source="match.finished_at", allow_null=True)

    class Meta:
        """Fields."""

        model = Seat
        fields = ["match", "alias", "points", "rules", "short", "finished_at"]

    def get_rules(self, seat: Seat) -> str:
        return base_of(seat.match.rules)

    def get_short(self, seat: Seat) -> bool:
        return is_short(seat.match.rules)


class FiguresSerializer(serializers.Serializer[Any]):
    """A person's finished practice with one set of rules."""

    rules = serializers.CharField()
    short = serializers.BooleanField(help_text="the short game, to 500")
    games = serializers.IntegerField()
    won = serializers.IntegerField()
    mean_points = serializers.FloatField(source="points")
    declared = serializers.IntegerField(help_text="deals")
    made = serializers.IntegerField(help_text="contracts, of those")


@extend_schema(tags=["practice"], parameters=[ORDER])
class PracticeGames(generics.ListAPIView[Seat]):
    """Won practice games by alias, the latest first or the most points first."""

    serializer_class = WonGameSerializer
    queryset = practice_list.practice_wins()
    pagination_class = WonGames
    filter_backends = []


@extend_schema(tags=["practice"])
class OwnPractice(APIView):
    """Your own practice, a guest's too."""

    permission_classes = [GuestOrScoped]
    read_scope = EVENTS_JOIN

    @extend_schema(responses=FiguresSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your finished games by rules, those played most first; empty for whoever never sat down."""
        person = guests.person_of(request.user, request.session)
        figures = practice_list.statistics_of(person) if person else []
        return Response(FiguresSerializer(figures, many=True).data)
