"""JSON shapes of events. Output is built from allow-lists; input is only parsed here."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.queries import public_secret
from ladder.events import queries
from ladder.events.models import Event, EventBot
from ladder.events.registration import ALIAS_CHARS, opens_check_in
from ladder.events.running import BY_HAND
from ladder.tournament_shapes import RulesField

PROPERTIES: Final = [
    *("slug", "name", "notes", "format", "places", "people_at_table", "blocks", "deals", "aliases"),
    *("check_in_minutes", "starts_at", "ends_at", "publishes_at"),
]
"""What an organiser says of an event, beside its rules."""


class HeldEventSerializer(serializers.ModelSerializer[Event]):
    """An event: what it is, who takes part by alias, what is published."""

    check_in_at = serializers.SerializerMethodField()
    people = serializers.SerializerMethodField(help_text="aliases, with their states")
    secret_sha256 = serializers.SerializerMethodField()
    secret = serializers.SerializerMethodField(help_text="hex; null until revealed")
    result = serializers.JSONField(
        read_only=True, help_text="null until published: lines by person or team, and all against the bots"
    )

    class Meta:
        """Fields."""

        model = Event
        fields = [
            *PROPERTIES,
            *(
                "players",
                "rules",
                "phase",
                "phase_reason",
                "check_in_at",
                "people",
                "started_at",
                "finished_at",
            ),
            *("published_at", "result", "secret_sha256", "secret"),
        ]

    def get_check_in_at(self, event: Event) -> str:
        return opens_check_in(event).isoformat()

    @extend_schema_field(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"alias": {"type": "string"}, "state": {"type": "string"}},
            },
        }
    )
    def get_people(self, event: Event) -> list[dict[str, str]]:
        return [{"alias": entry.alias, "state": entry.state} for entry in queries.entries_of(event)]

    def get_secret_sha256(self, event: Event) -> str | None:
        return event.series.secret_sha256 if event.series else None

    def get_secret(self, event: Event) -> str | None:
        return public_secret(event.series) if event.series else None


class NewHeldEventSerializer(serializers.ModelSerializer[Event]):
    """A wish for an event; what is left out has its default."""

    rules = RulesField(help_text="name of a preset, or record form")

    class Meta:
        """Fields."""

        model = Event
        fields = [*PROPERTIES, "rules"]


class NewEventEntrySerializer(serializers.Serializer[Any]):
    """A person registers."""

    alias = serializers.CharField(max_length=ALIAS_CHARS, required=False, default="")
    rules = serializers.BooleanField(help_text="the rules are confirmed")
    consent = serializers.BooleanField(
        help_text="some seats are bots; I will not be told which until the event ends"
    )


class EventPlaceSerializer(serializers.Serializer[Any]):
    """One's own place: alias, state, the table that waits, blocks played and left."""

    alias = serializers.CharField(source="entry.alias")
    state = serializers.CharField(source="entry.state")
    checked_in_at = serializers.DateTimeField(source="entry.checked_in_at", allow_null=True)
    team = serializers.IntegerField(source="entry.team", allow_null=True)
    match = serializers.IntegerField(source="table.match_id", allow_null=True, default=None)
    played = serializers.IntegerField()
    left = serializers.IntegerField()
    again = serializers.IntegerField(
        help_text="blocks that could not be compared and are played again on other cards, not among those played"
    )


class DeviceSerializer(serializers.Serializer[Any]):
    """What a device test found, name by name."""

    device = serializers.DictField(child=serializers.CharField(max_length=200), required=False, default=dict)


class EventTableSerializer(serializers.Serializer[Any]):
    """The match whose table is one's own: ``/api/v1/tables/{match}/``."""

    match = serializers.IntegerField()


class WantedBotSerializer(serializers.Serializer[Any]):
    """A bot that is asked for."""

    bot = serializers.CharField(max_length=40)
    role = serializers.ChoiceField(choices=EventBot.Role.choices)


class EventBotSerializer(serializers.ModelSerializer[EventBot]):
    """A bot that is asked to sit in an event, and what its author said."""

    event = serializers.CharField(source="event.slug")
    bot = serializers.CharField(source="bot.name")

    class Meta:
        """Fields."""

        model = EventBot
        fields = ["id", "event", "bot", "role", "asked_at", "agreed_at", "declined_at"]


class AgreementSerializer(serializers.Serializer[Any]):
    """What an author says."""

    agrees = serializers.BooleanField()


class EventStepSerializer(serializers.Serializer[Any]):
    """A step of an event by hand."""

    step = serializers.ChoiceField(choices=sorted(BY_HAND))


class PlayedSeatSerializer(serializers.Serializer[Any]):
    """Who sat there."""

    alias = serializers.CharField()
    bot = serializers.CharField(allow_blank=True, help_text="empty: a person")
    absences = serializers.IntegerField(
        help_text="decisions that a house bot or the clock took for the person"
    )


class PlayedTableSerializer(serializers.Serializer[Any]):
    """A match of a published event."""

    match = serializers.IntegerField(source="match.pk")
    block = serializers.IntegerField(allow_null=True, help_text="tables of one block have the same cards")
    seats = PlayedSeatSerializer(many=True)


class VoidDealSerializer(serializers.Serializer[Any]):
    """A deal that counts nowhere."""

    block = serializers.IntegerField(min_value=1)
    deal = serializers.IntegerField(min_value=1)
    reason = serializers.CharField(max_length=300)


class FoundVoidDealSerializer(serializers.Serializer[Any]):
    """A deal that counted nowhere."""

    block = serializers.IntegerField(source="block.number")
    deal = serializers.IntegerField()
    reason = serializers.CharField(help_text="empty: it was given back, as the rules allow")
