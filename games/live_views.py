"""Live tables: the list, and one table; pages and REST."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games import live
from games.models import Match
from games.stream_app import PATH, query
from games.watching import CLASSES, channel


def tables(request: HttpRequest) -> HttpResponse:
    """Tables that are on now, and what is played next."""
    context = {"tables": live.tables(), "next_matches": live.next_matches()}
    return render(request, "games/live/tables.html", context)


def table(request: HttpRequest, pk: int) -> HttpResponse:
    """One table as it is played; a match that cannot be watched (any more) leads to its own page."""
    found = live.table(pk)
    if found is None:
        return redirect("games:match", pk)
    return render(request, "games/live/table.html", {"table": found})


class LiveTableSerializer(serializers.Serializer[Any]):
    """A table that is on. ``state`` is null before its first cards."""

    match = serializers.IntegerField(source="match.pk")
    rules = serializers.CharField(source="match.rules_name")
    seats = serializers.SerializerMethodField()
    started_at = serializers.DateTimeField(source="match.started_at", allow_null=True)
    stream = serializers.SerializerMethodField(help_text="server-sent events of this table")
    state = serializers.DictField(
        allow_null=True,
        help_text="names by seat, the public view (protocol, section 4), the public events of the deal, "
        "how the deal before ended",
    )

    def get_seats(self, table: live.LiveTable) -> list[str]:
        return [seat.name for seat in table.match.seats.all()]

    def get_stream(self, table: live.LiveTable) -> str:
        return PATH + query([channel(table.match.pk)])


@extend_schema(tags=["live"])
class LiveTables(APIView):
    """Tables that are on now, the newest first."""

    @extend_schema(responses=LiveTableSerializer(many=True))
    def get(self, _request: Request) -> Response:
        """What everybody may watch; ``/streams/?on=live`` tells when a table begins or ends."""
        return Response(LiveTableSerializer(live.tables(), many=True).data)


@extend_schema(tags=["live"])
class LiveTableDetail(APIView):
    """One table as it is played."""

    @extend_schema(
        responses={200: LiveTableSerializer, 303: OpenApiResponse(description="it is over: the match")}
    )
    def get(self, _request: Request, pk: int) -> Response:
        """404 for what cannot be watched; 303 to the match once it is over."""
        found = live.table(pk)
        if found is None:
            if Match.objects.filter(pk=pk, klass__in=CLASSES, block=None).exists():
                return Response(status=303, headers={"Location": reverse("api-match", args=[pk])})
            raise NotFound("There is no such table.")
        return Response(LiveTableSerializer(found).data)
