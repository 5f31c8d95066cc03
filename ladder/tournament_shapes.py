"""JSON shapes of tournaments. Output is built from allow-lists; input is only parsed here."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from games.models import Match
from games.queries import public_secret
from ladder.tournament_models import Entrant, Round, Tournament
from ladder.tournament_queries import takes_entries

PROPERTIES: Final = [
    *("slug", "name", "notes", "format", "cycles", "rounds", "groups", "quota", "final_cycles", "rotations"),
    *("duplicate", "repeats", "per_author", "min_entrants", "max_entrants", "registration_opens_at"),
    *("registration_closes_at", "starts_at", "pace_minutes", "objection_hours"),
]
"""What whoever makes a tournament says of it, beside rules and clocks."""


class TournamentSerializer(serializers.ModelSerializer[Tournament]):
    """A tournament with its rules, format, phase, and what is published of its secret."""

    entered = serializers.IntegerField(help_text="how many are in")
    takes_entries = serializers.SerializerMethodField()
    secret_sha256 = serializers.SerializerMethodField()
    secret = serializers.SerializerMethodField(help_text="hex; null until revealed")

    class Meta:
        """Fields."""

        model = Tournament
        fields = [
            *PROPERTIES,
            *("players", "rules", "other_rules", "clocks", "phase", "phase_reason", "entered"),
            *("takes_entries", "started_at", "finished_at", "published_at", "lot", "secret_sha256", "secret"),
        ]

    def get_takes_entries(self, tournament: Tournament) -> bool:
        return takes_entries(tournament)

    def get_secret_sha256(self, tournament: Tournament) -> str | None:
        return tournament.series.secret_sha256 if tournament.series else None

    def get_secret(self, tournament: Tournament) -> str | None:
        return public_secret(tournament.series) if tournament.series else None


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "object", "additionalProperties": {}}]})
class RulesField(serializers.JSONField):
    """Rules by the name of a preset or in record form."""


class ClockSerializer(serializers.Serializer[Any]):
    """The clock of a bot, in milliseconds (protocol.md section 5)."""

    act_ms = serializers.IntegerField(min_value=1, max_value=600_000)
    bank_ms = serializers.IntegerField(min_value=0, max_value=3_600_000)
    hard_ms = serializers.IntegerField(min_value=1, max_value=600_000)
    start_ms = serializers.IntegerField(min_value=1, max_value=600_000)


class ClocksSerializer(serializers.Serializer[Any]):
    """Clocks by kind of bot; a table with an endpoint has those of ``http``."""

    sandbox = ClockSerializer()
    http = ClockSerializer()


class NewTournamentSerializer(serializers.ModelSerializer[Tournament]):
    """A wish for a tournament; what is left out has its default."""

    rules = RulesField(help_text="name of a preset, or record form")
    other_rules = serializers.ListField(
        child=RulesField(), required=False, max_length=2, help_text="for tables of other sizes"
    )
    clocks = ClocksSerializer(required=False)

    class Meta:
        """Fields."""

        model = Tournament
        fields = [*PROPERTIES, "rules", "other_rules", "clocks"]


class LineSerializer(serializers.Serializer[Any]):
    """One line of a tournament's standings."""

    rank = serializers.IntegerField(allow_null=True, help_text="null for one that is out")
    number = serializers.IntegerField(help_text="of the entrant; draws speak of it")
    bot = serializers.CharField()
    version = serializers.IntegerField()
    author = serializers.CharField(help_text="empty for a house bot")
    group = serializers.IntegerField(allow_null=True, help_text="from 1")
    points = serializers.FloatField(help_text="table points")
    small = serializers.FloatField(help_text="small points: sum of totals")
    wins = serializers.FloatField()
    buchholz = serializers.FloatField(help_text="table points of its opponents")
    played = serializers.IntegerField(help_text="matches played")
    credited = serializers.IntegerField(help_text="matches worth its own average: byes and void ones")
    state = serializers.ChoiceField(choices=Entrant.State.choices)
    reason = serializers.CharField(help_text="of leaving")


class TournamentStandingsSerializer(serializers.Serializer[Any]):
    """All in order; for groups also each group's standings and the final's. The first three are the podium."""

    overall = LineSerializer(many=True)
    groups = serializers.ListField(child=LineSerializer(many=True))
    final = LineSerializer(many=True)
    podium = LineSerializer(many=True)


class TablesMatchSerializer(serializers.Serializer[Any]):
    """A match of a table."""

    match = serializers.IntegerField(source="match.pk")
    rotation = serializers.IntegerField(help_text="from 1")
    state = serializers.ChoiceField(choices=Match.State.choices, source="match.state")
    replaced = serializers.BooleanField(help_text="void, and another plays for it")
    given_up = serializers.BooleanField(help_text="void, and nothing plays for it")
    reason = serializers.CharField(help_text="what it waits for, or why it is void")
    late = serializers.BooleanField(help_text="it could have been begun some time ago")


class SeatedTableSerializer(serializers.Serializer[Any]):
    """A table of a round, bots in the order of the first rotation; a planned one has no matches yet."""

    number = serializers.IntegerField()
    bots = serializers.ListField(child=serializers.CharField())
    matches = TablesMatchSerializer(many=True)


class AbsenceSerializer(serializers.Serializer[Any]):
    """A bot that could not play in a round."""

    bot = serializers.CharField(source="0")
    reason = serializers.CharField(source="1")


class RoundSerializer(serializers.Serializer[Any]):
    """A round with its tables; Swiss rounds are drawn when they begin."""

    number = serializers.IntegerField(source="round.number")
    stage = serializers.ChoiceField(choices=Round.Stage.choices, source="round.stage")
    state = serializers.ChoiceField(choices=Round.State.choices, source="round.state")
    starts_at = serializers.DateTimeField(source="round.starts_at", allow_null=True)
    started_at = serializers.DateTimeField(source="round.started_at", allow_null=True)
    finished_at = serializers.DateTimeField(source="round.finished_at", allow_null=True)
    late = serializers.BooleanField(help_text="behind its schedule")
    delay = serializers.CharField(help_text="why it is not over; empty once it is")
    tables = SeatedTableSerializer(many=True)
    byes = serializers.ListField(child=serializers.CharField())
    absent = AbsenceSerializer(many=True)


class EntrantSerializer(serializers.ModelSerializer[Entrant]):
    """A bot in a tournament."""

    bot = serializers.CharField(source="bot.name")
    author = serializers.SerializerMethodField(help_text="empty for a house bot")
    version = serializers.SerializerMethodField(help_text="null until the start")
    group = serializers.SerializerMethodField(help_text="from 1")

    class Meta:
        """Fields."""

        model = Entrant
        fields = ["number", "bot", "author", "version", "group", "state", "reason", "entered_at", "left_at"]

    def get_author(self, entrant: Entrant) -> str:
        return entrant.bot.owner.username if entrant.bot.owner else ""

    def get_version(self, entrant: Entrant) -> int | None:
        return entrant.version.number if entrant.version else None

    def get_group(self, entrant: Entrant) -> int | None:
        return None if entrant.group is None else entrant.group + 1


class EntrySerializer(serializers.Serializer[Any]):
    """Which bot is entered."""

    bot = serializers.CharField(max_length=40, help_text="its name")


class ReasonSerializer(serializers.Serializer[Any]):
    """Why, as a sentence that everyone may read."""

    reason = serializers.CharField(max_length=300)


class VoidSerializer(ReasonSerializer):
    """Why a match is void, and whether another is played for it."""

    again = serializers.BooleanField(default=False)
