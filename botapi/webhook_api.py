"""REST of an author's webhook: each view parses, makes one call, answers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi import queries, webhooks
from botapi.api.auth import Scoped, person
from botapi.models import Webhook, WebhookEvent


class WebhookEventSerializer(serializers.ModelSerializer[WebhookEvent]):
    """One event and what became of it."""

    id = serializers.CharField(source="event_id", help_text="sent as webhook-id")
    kind = serializers.ChoiceField(choices=webhooks.KINDS)

    class Meta:
        """Fields."""

        model = WebhookEvent
        fields = ["id", "kind", "state", "attempts", "answer", "created_at"]


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """Where events go, and the newest of them."""

    events = serializers.SerializerMethodField()

    class Meta:
        """Fields."""

        model = Webhook
        fields = ["url", "created_at", "events"]

    @extend_schema(responses=WebhookEventSerializer(many=True))
    def get_events(self, webhook: Webhook) -> list[dict[str, Any]]:
        return list(WebhookEventSerializer(queries.webhook_events(webhook), many=True).data)


class NewWebhookSerializer(serializers.Serializer[Any]):
    """Where events shall go."""

    url = serializers.CharField(max_length=500, help_text="https, on the public internet")


class SetWebhookSerializer(NewWebhookSerializer):
    """The one look at the signing secret."""

    secret = serializers.CharField(read_only=True, help_text="whsec_..., shown only now")


@extend_schema(tags=["account"])
class WebhookView(APIView):
    """Where the service tells what happens to one's bots.

    ``bot.checked``, ``bot.suspended``, ``bot.resumed``, ``match.finished``.
    """

    permission_classes = [Scoped]

    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request) -> Response:
        """The address and its newest events; 404 without one."""
        found = queries.webhook_of(person(request))
        if found is None:
            raise NotFound("You have no webhook.")
        return Response(WebhookSerializer(found).data)

    @extend_schema(request=NewWebhookSerializer, responses=SetWebhookSerializer)
    def put(self, request: Request) -> Response:
        """Set the address. Each time there is a new signing secret, shown only now."""
        wish = NewWebhookSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        user = person(request)
        secret = webhooks.set_webhook(user, wish.validated_data["url"])
        return Response({"url": user.webhook.url, "secret": secret})

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Send nothing more."""
        webhooks.remove_webhook(person(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema(tags=["account"])
class WebhookPing(APIView):
    """A trial."""

    permission_classes = [Scoped]

    @extend_schema(request=None, responses={202: WebhookEventSerializer})
    def post(self, request: Request) -> Response:
        """Send an event ``webhook.ping``; what became of it stands in the list of events."""
        event = webhooks.ping(person(request))
        return Response(WebhookEventSerializer(event).data, status=status.HTTP_202_ACCEPTED)
