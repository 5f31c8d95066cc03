"""The schedule: what is planned, queued, running, and why what is late is late; page and REST."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.listing import line
from ladder.dated_api import DatedMatchSerializer
from ladder.schedules import schedule


def page(request: HttpRequest) -> HttpResponse:
    """The schedule as it stands."""
    found = schedule(timezone.now())
    running = [line(match) for match in found.running]
    return render(request, "ladder/schedule.html", {"schedule": found, "running": running})


class SeasonPlanSerializer(serializers.Serializer[Any]):
    """An open season and its rounds."""

    season = serializers.CharField(source="season.slug")
    timetable = serializers.CharField(
        source="season.timetable", help_text="as cron, UTC; empty: the queue is kept full"
    )
    closes_at = serializers.DateTimeField(source="season.closes_at", allow_null=True)
    open_matches = serializers.IntegerField(source="open")
    next_rounds = serializers.ListField(source="times", child=serializers.DateTimeField())
    due = serializers.DateTimeField(allow_null=True, help_text="a round that should have been queued")
    late = serializers.BooleanField()
    reason = serializers.CharField(help_text="why the round, or the next match, waits; empty if it does not")


class AnnouncedSerializer(serializers.Serializer[Any]):
    """A season that will be opened."""

    slug = serializers.CharField()
    name = serializers.CharField()
    rules = serializers.CharField(source="rules.name")
    players = serializers.IntegerField()
    opens_at = serializers.DateTimeField()
    closes_at = serializers.DateTimeField(allow_null=True)


class PlannedRoundSerializer(serializers.Serializer[Any]):
    """A round of a running tournament that is not over."""

    tournament = serializers.CharField(source="tournament.slug")
    number = serializers.IntegerField()
    state = serializers.CharField()
    starts_at = serializers.DateTimeField(allow_null=True, help_text="not before")
    started_at = serializers.DateTimeField(allow_null=True)


class RunningSerializer(serializers.Serializer[Any]):
    """A match that is being played."""

    match = serializers.IntegerField(source="pk")
    series = serializers.CharField(source="series.name")
    started_at = serializers.DateTimeField()
    bots = serializers.SerializerMethodField()

    def get_bots(self, match: Any) -> list[str]:
        return [seat.name for seat in match.seats.all()]


class WaitingSerializer(serializers.Serializer[Any]):
    """A match that waits."""

    match = serializers.IntegerField(source="match.pk")
    series = serializers.CharField(source="match.series.name")
    bots = serializers.SerializerMethodField()
    due_at = serializers.DateTimeField(help_text="since when, or at what date, it could be played")
    expected = serializers.DateTimeField(allow_null=True)
    ahead = serializers.IntegerField(help_text="matches that are begun before it")
    late = serializers.BooleanField()
    reason = serializers.CharField(help_text="empty for one that waits for its date")

    def get_bots(self, wait: Any) -> list[str]:
        return [seat.name for seat in wait.match.seats.all()]


class ScheduleSerializer(serializers.Serializer[Any]):
    """Everything that is planned, queued or running."""

    at = serializers.DateTimeField()
    late = serializers.IntegerField(help_text="how many things are late")
    seasons = SeasonPlanSerializer(many=True)
    announced = AnnouncedSerializer(many=True)
    tournament_rounds = PlannedRoundSerializer(source="rounds", many=True)
    dated_matches = DatedMatchSerializer(source="dated", many=True)
    running = RunningSerializer(many=True)
    waiting = WaitingSerializer(many=True)


@extend_schema(tags=["schedule"])
class ScheduleView(APIView):
    """The schedule as it stands: at most 100 matches of a kind."""

    @extend_schema(responses=ScheduleSerializer)
    def get(self, _request: Request) -> Response:
        """What is late says why."""
        return Response(ScheduleSerializer(schedule(timezone.now())).data)
