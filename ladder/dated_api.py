"""REST of the calendar: everybody reads it, operators plan, move and cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
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
from engine import PRESETS
from games.serializers import SeatSerializer
from ladder.dated import cancel_match, move_match, plan_match
from ladder.models import DatedMatch
from ladder.schedules import dated_matches


class Plans(Scoped):
    """Anyone reads; whoever may add dated matches writes, a token with the scope ``events:run``."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            return True
        return super().has_permission(request, view) and person(request).has_perm("ladder.add_datedmatch")


class LatestDateFirst(Cursor):
    """Dated matches, the one farthest ahead first."""

    ordering = ("-at", "-pk")


class DatedMatchSerializer(serializers.ModelSerializer[DatedMatch]):
    """A match of the calendar."""

    match = serializers.IntegerField(source="match_id")
    rules = serializers.CharField(source="match.rules_name")
    state = serializers.CharField(source="match.state")
    reason = serializers.CharField(source="match.reason")
    seats = SeatSerializer(source="match.seats", many=True)

    class Meta:
        """Fields."""

        model = DatedMatch
        fields = ["id", "name", "at", "match", "rules", "state", "reason", "seats"]


class NewDatedMatchSerializer(serializers.Serializer[Any]):
    """A match to be planned."""

    name = serializers.CharField(max_length=80)
    at = serializers.DateTimeField()
    rules = serializers.ChoiceField(choices=sorted(PRESETS))
    bots = serializers.ListField(
        child=serializers.CharField(max_length=40), min_length=2, max_length=4, help_text="in table order"
    )


class NewDateSerializer(serializers.Serializer[Any]):
    """When it is played instead."""

    at = serializers.DateTimeField()


class CancellationSerializer(serializers.Serializer[Any]):
    """Why it is not played; everybody sees it."""

    reason = serializers.CharField(max_length=300)


@extend_schema(tags=["schedule"])
class DatedMatches(generics.ListAPIView[DatedMatch]):
    """The calendar."""

    permission_classes = [Plans]
    write_scope = EVENTS_RUN
    serializer_class = DatedMatchSerializer
    pagination_class = LatestDateFirst
    queryset = dated_matches()
    filter_backends = []

    @extend_schema(parameters=[ONCE], request=NewDatedMatchSerializer, responses={201: DatedMatchSerializer})
    def post(self, request: Request) -> Response:
        """Plan a match; for operators."""
        wish = NewDatedMatchSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        operator, given = person(request), wish.validated_data

        def plan() -> Response:
            made = plan_match(
                given["name"],
                at=given["at"],
                ruleset=PRESETS[given["rules"]],
                bots=given["bots"],
                by=operator,
            )
            return Response(DatedMatchSerializer(dated_matches().get(pk=made.pk)).data, status=201)

        return once(request, plan)


class _Step(APIView):
    """A step of a match of the calendar by an operator."""

    permission_classes = [Plans]
    write_scope = EVENTS_RUN

    def take(self, request: Request, pk: int, verb: Callable[[DatedMatch], DatedMatch]) -> Response:
        """The match after ``verb``, or 404; the same key again gives the same answer."""
        found = DatedMatch.objects.filter(pk=pk).first()
        if found is None:
            raise NotFound("There is no such match.")

        def step() -> Response:
            return Response(DatedMatchSerializer(dated_matches().get(pk=verb(found).pk)).data)

        return once(request, step)


@extend_schema(tags=["schedule"], parameters=[ONCE])
class DatedMatchMove(_Step):
    """Give a match of the calendar another date."""

    @extend_schema(request=NewDateSerializer, responses=DatedMatchSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Not once it has begun; for operators."""
        wish = NewDateSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        return self.take(request, pk, lambda found: move_match(found, at=wish.validated_data["at"]))


@extend_schema(tags=["schedule"], parameters=[ONCE])
class DatedMatchCancel(_Step):
    """Take a match off the calendar."""

    @extend_schema(request=CancellationSerializer, responses=DatedMatchSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Not once it has begun; for operators."""
        wish = CancellationSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        return self.take(request, pk, lambda found: cancel_match(found, reason=wish.validated_data["reason"]))
