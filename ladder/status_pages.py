"""The status of the service: page and REST."""

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

from ladder.status import status


def page(request: HttpRequest) -> HttpResponse:
    """How the service is: queues, workers, delays."""
    return render(request, "ladder/status.html", {"status": status(timezone.now())})


class QueueSerializer(serializers.Serializer[Any]):
    """One queue."""

    name = serializers.CharField(
        help_text="cpu: sandboxed and house bots alone; waiting: HTTP bots or people"
    )
    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    ended_last_hour = serializers.IntegerField(source="an_hour")
    workers = serializers.IntegerField(help_text="seen within a minute")
    problem = serializers.CharField(help_text="empty while somebody plays it")


class StatusSerializer(serializers.Serializer[Any]):
    """The service at one moment."""

    at = serializers.DateTimeField()
    well = serializers.BooleanField()
    queues = QueueSerializer(many=True)
    unchecked_versions = serializers.IntegerField(source="checks")
    failed_matches = serializers.IntegerField(source="failed", help_text="within 24 hours, not dealt with")
    late_matches = serializers.SerializerMethodField()

    def get_late_matches(self, found: Any) -> int:
        return len(found.late)


@extend_schema(tags=["schedule"])
class StatusView(APIView):
    """How the service is; ``/healthz`` is for machines that watch it."""

    @extend_schema(responses=StatusSerializer)
    def get(self, _request: Request) -> Response:
        """Queues, workers, delays."""
        return Response(StatusSerializer(status(timezone.now())).data)
