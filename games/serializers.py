"""JSON shapes of matches, series, test matches and private logs. Output is built from allow-lists."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from rest_framework import serializers

from engine import PRESETS
from games import queries
from games.models import Fault, Match, MatchAttempt, Seat, SeatLog, Series


class SeatSerializer(serializers.ModelSerializer[Seat]):
    """One seat of a match; results are null until it is finished."""

    bot = serializers.CharField(source="name")
    version = serializers.SerializerMethodField()

    class Meta:
        """Fields."""

        model = Seat
        fields = [
            *("index", "bot", "version", "total", "rank", "place"),
            *("stood_in", "faults", "deals_declared", "deals_made"),
        ]

    def get_version(self, seat: Seat) -> int | None:
        return seat.version.number if seat.version else None


class MatchSerializer(serializers.ModelSerializer[Match]):
    """A match in a list."""

    series = serializers.CharField(source="series.name")
    klass = serializers.ChoiceField(choices=Match.Class.choices)
    seats = SeatSerializer(many=True)

    class Meta:
        """Fields."""

        model = Match
        fields = [
            *("id", "series", "number", "klass", "rated", "rules_name", "rules_hash", "players", "block"),
            *("rotation", "state", "reason", "attempt", "created_at", "started_at", "finished_at", "deals"),
            *("decisions", "seconds", "end_reason", "seats"),
        ]


class AttemptSerializer(serializers.ModelSerializer[MatchAttempt]):
    """One attempt: repeated ones are public with their cause."""

    class Meta:
        """Fields."""

        model = MatchAttempt
        fields = [
            *("number", "outcome", "cause", "seed_sha256", "deal", "environment", "started_at", "ended_at"),
        ]


class FaultSerializer(serializers.ModelSerializer[Fault]):
    """A fault as everybody sees it: whose, which, where."""

    class Meta:
        """Fields."""

        model = Fault
        fields = ["attempt", "seat", "code", "deal", "action"]


class MatchDetailSerializer(MatchSerializer):
    """A match with its rules, attempts and faults; the record has an address of its own."""

    attempts = AttemptSerializer(many=True)
    faults = FaultSerializer(many=True)
    notes = serializers.SerializerMethodField(help_text="the bots' public notes, once the record is public")
    timings = serializers.SerializerMethodField(help_text="per seat: turns and sums of milliseconds")
    record_sha256 = serializers.SerializerMethodField(help_text="null while there is no public record")

    class Meta(MatchSerializer.Meta):
        """Fields."""

        fields = [
            *MatchSerializer.Meta.fields,
            *("rules", "clocks", "attempts", "faults", "notes", "timings", "record_sha256"),
        ]

    @cached_property
    def _records(self) -> dict[int, queries.PublicRecord | None]:
        """Public records by match: asked for once for all the fields that are taken from them."""
        return {}

    def _record(self, match: Match) -> queries.PublicRecord | None:
        if match.pk not in self._records:
            self._records[match.pk] = queries.public_record(match)
        return self._records[match.pk]

    def get_notes(self, match: Match) -> list[dict[str, Any]]:
        record = self._record(match)
        return record.notes if record else []

    def get_timings(self, match: Match) -> dict[str, Any]:
        record = self._record(match)
        return record.timings if record else {}

    def get_record_sha256(self, match: Match) -> str | None:
        record = self._record(match)
        return record.sha256 if record else None


class DeckCheckSerializer(serializers.Serializer[Any]):
    """One deal: the deck that the seed gives, and whether the record's is the same."""

    number = serializers.IntegerField(help_text="from 1")
    shuffle = serializers.CharField(source="label", help_text="its key: finished deals, then void ones")
    deck = serializers.ListField(child=serializers.CharField())
    same = serializers.BooleanField()


class SeedCheckSerializer(serializers.Serializer[Any]):
    """What came of the check; null where something is not public yet."""

    holds = serializers.BooleanField(help_text="nothing that can be checked disagrees")
    seed_fits = serializers.BooleanField(help_text="the seed has the published hash")
    decks_same = serializers.BooleanField(help_text="every deck of the record is the one the seed gives")
    decks = DeckCheckSerializer(many=True)
    replay_problem = serializers.CharField(help_text="empty: the record replays to its result")
    secret_fits = serializers.BooleanField(
        allow_null=True, help_text="the secret of the series has the published hash"
    )
    seed_follows = serializers.BooleanField(
        allow_null=True, help_text="the seed is HMAC-SHA256(secret, message)"
    )


class FairnessSerializer(serializers.Serializer[Any]):
    """What is public of a match's cards, and the check of it."""

    match = serializers.IntegerField(source="match.pk")
    attempt = serializers.IntegerField(allow_null=True)
    published_sha256 = serializers.CharField(allow_null=True, help_text="of the seed, before the first card")
    seed = serializers.CharField(allow_null=True)
    secret_sha256 = serializers.CharField(help_text="of the series, from its opening on")
    secret = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_null=True, help_text="what the secret is keyed with")
    check = SeedCheckSerializer(allow_null=True)
    same_deal = serializers.BooleanField(
        allow_null=True, help_text="of a deal played again: whether it had that deal's cards"
    )


class SeriesSerializer(serializers.ModelSerializer[Series]):
    """A series with its committed hash, and its secret once it is revealed."""

    secret = serializers.SerializerMethodField(help_text="hex; null until revealed")

    class Meta:
        """Fields."""

        model = Series
        fields = ["id", "kind", "name", "secret_sha256", "secret", "created_at", "closed_at", "revealed_at"]

    def get_secret(self, series: Series) -> str | None:
        return queries.public_secret(series)


class NewTestMatchSerializer(serializers.Serializer[Any]):
    """A wish for a test match."""

    bot = serializers.CharField(max_length=40, help_text="your bot; it sits in seat 0")
    version = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="a passed version; the active one if left out",
    )
    opponents = serializers.ListField(
        child=serializers.CharField(max_length=40),
        min_length=1,
        max_length=3,
        help_text="by name, in table order",
    )
    rules = serializers.ChoiceField(choices=sorted(PRESETS), default="pl-3")


class TestMatchesSerializer(serializers.Serializer[Any]):
    """A test match that was queued, and what is left of the day's quota."""

    match = MatchSerializer()
    used_today = serializers.IntegerField()
    a_day = serializers.IntegerField()


class LogLineSerializer(serializers.ModelSerializer[SeatLog]):
    """A private log in a list."""

    class Meta:
        """Fields."""

        model = SeatLog
        fields = ["attempt", "seat", "created_at"]


class LoggedFaultSerializer(serializers.ModelSerializer[Fault]):
    """A fault as its author sees it: with the request, the answer and the rule."""

    class Meta:
        """Fields."""

        model = Fault
        fields = ["code", "detail", "deal", "action", "message"]


class LogSerializer(LogLineSerializer):
    """A private log: stderr, oddities, faults, and each request with its answer, times and verdict."""

    turns = serializers.SerializerMethodField()
    faults = serializers.SerializerMethodField()

    class Meta(LogLineSerializer.Meta):
        """Fields."""

        fields = [*LogLineSerializer.Meta.fields, "stderr", "oddities", "faults", "turns"]

    def get_turns(self, log: SeatLog) -> list[dict[str, Any]]:
        return queries.turns_of(log)

    def get_faults(self, log: SeatLog) -> list[dict[str, Any]]:
        return list(LoggedFaultSerializer(queries.fault_messages(log), many=True).data)
