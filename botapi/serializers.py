"""JSON shapes of bots, versions and tokens. Output is built from allow-lists; input is only parsed here."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from botapi.models import Bot, TokenScope, Version
from botapi.queries import why_waiting
from botapi.tokens import SCOPES

AUTHORS_KINDS: Final = [
    (Bot.Kind.SANDBOX.value, Bot.Kind.SANDBOX.label),
    (Bot.Kind.HTTP.value, Bot.Kind.HTTP.label),
]
"""The kinds of bots that people make."""


NOTES_CHARS: Final = 2000
"""Most letters of a bot's public notes."""


class BotSerializer(serializers.ModelSerializer[Bot]):
    """What everyone may know of a bot."""

    author = serializers.SerializerMethodField(help_text="empty for a house bot")
    active_version = serializers.SerializerMethodField(help_text="the number of the version that plays")
    waiting_because = serializers.SerializerMethodField(
        help_text="why it gets no rated match; empty when it may play"
    )
    notes = serializers.SerializerMethodField()

    class Meta:
        """Fields."""

        model = Bot
        fields = [
            "name",
            "kind",
            "author",
            "state",
            "state_reason",
            "waiting_because",
            "active_version",
            "unsigned",
            "allow_tests",
            "notes",
            "created_at",
        ]

    def get_author(self, bot: Bot) -> str:
        return bot.owner.username if bot.owner else ""

    def get_active_version(self, bot: Bot) -> int | None:
        return bot.active_version.number if bot.active_version else None

    def get_waiting_because(self, bot: Bot) -> str:
        return why_waiting(bot)

    def get_notes(self, bot: Bot) -> str:
        return "" if bot.notes_hidden else bot.notes


class NewBotSerializer(serializers.Serializer[Bot]):
    """A wish for a bot."""

    name = serializers.RegexField(
        r"\A[a-z0-9][a-z0-9-]{1,38}[a-z0-9]\Z",
        help_text="3 to 40 of a-z, 0-9 and -",
        error_messages={
            "invalid": "Use 3 to 40 of a-z, 0-9 and -, beginning and ending with a letter or digit."
        },
    )
    kind = serializers.ChoiceField(choices=AUTHORS_KINDS)
    notes = serializers.CharField(max_length=NOTES_CHARS, required=False, default="", allow_blank=True)
    url = serializers.CharField(
        max_length=500,
        required=False,
        default="",
        allow_blank=True,
        help_text="of an HTTP bot: its endpoint, submitted as version 1 at once",
    )


class BotChangesSerializer(serializers.Serializer[Bot]):
    """What an author may change of a bot; what is left out stays."""

    notes = serializers.CharField(max_length=NOTES_CHARS, required=False, allow_blank=True)
    allow_tests = serializers.BooleanField(
        required=False, help_text="others may play unrated test matches and practice games against it"
    )


class CreatedBotSerializer(BotSerializer):
    """A new bot, with the one look at its signing secret."""

    secret = serializers.CharField(
        read_only=True, allow_null=True, help_text="whsec_..., shown only now; null unless HTTP"
    )

    class Meta(BotSerializer.Meta):
        """Fields."""

        fields = [*BotSerializer.Meta.fields, "secret"]


class SecretSerializer(serializers.Serializer[Any]):
    """A signing secret, shown once."""

    secret = serializers.CharField(read_only=True)
    previous_valid_until = serializers.DateTimeField(read_only=True, allow_null=True)


class StepSerializer(serializers.Serializer[Any]):
    """One step of a check."""

    name = serializers.CharField()
    ms = serializers.FloatField()
    ok = serializers.BooleanField()
    detail = serializers.CharField(allow_blank=True)


class TurnSerializer(serializers.Serializer[Any]):
    """One request of a check, the bot's answer as text, and what was thought of it."""

    request = serializers.JSONField()
    answer = serializers.CharField(allow_null=True, allow_blank=True)
    ms = serializers.FloatField()
    verdict = serializers.CharField()


class ReportSerializer(serializers.Serializer[Any]):
    """What the check of a version found; private to its author."""

    verdict = serializers.ChoiceField(choices=["passed", "slow", "failed"])
    code = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
    steps = StepSerializer(many=True)
    stderr = serializers.CharField(allow_blank=True, required=False)
    notes = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="what was noticed, such as an answer with a wrong id",
    )
    turns = TurnSerializer(many=True)
    unsigned = serializers.BooleanField(
        required=False, allow_null=True, help_text="null where it could not be established"
    )


class VersionSerializer(serializers.ModelSerializer[Version]):
    """A version of one's own bot."""

    bot = serializers.CharField(source="bot.name", read_only=True)
    size = serializers.SerializerMethodField(help_text="bytes of the stored archive; null for an HTTP bot")

    class Meta:
        """Fields."""

        model = Version
        fields = [
            "bot",
            "number",
            "label",
            "state",
            "check_code",
            "sha256",
            "url",
            "size",
            "created_at",
            "checked_at",
        ]
        read_only_fields = fields

    def get_size(self, version: Version) -> int | None:
        return version.artifact.size if version.artifact else None


class VersionDetailSerializer(VersionSerializer):
    """A version with the report of its check."""

    report = serializers.SerializerMethodField()

    class Meta(VersionSerializer.Meta):
        """Fields."""

        fields = [*VersionSerializer.Meta.fields, "report"]

    @extend_schema_field(ReportSerializer(allow_null=True))
    def get_report(self, version: Version) -> Any:
        return version.check_report


class NewVersionSerializer(serializers.Serializer[Version]):
    """A submission: ``file`` for a sandboxed bot, ``url`` for an HTTP one."""

    file = serializers.FileField(required=False, help_text="a .py file up to 256 KiB or a .zip up to 5 MiB")
    url = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    label = serializers.CharField(  # type: ignore[assignment] # DRF keeps a field's own label elsewhere
        max_length=60, required=False, default="", allow_blank=True
    )


class NewVersionUrlSerializer(serializers.Serializer[Version]):
    """A submission of an endpoint."""

    url = serializers.CharField(max_length=500)
    label = serializers.CharField(  # type: ignore[assignment] # DRF keeps a field's own label elsewhere
        max_length=60, required=False, default="", allow_blank=True
    )


class LimitsSerializer(serializers.Serializer[Any]):
    """What an author uses, and may use."""

    bots = serializers.IntegerField()
    bots_limit = serializers.IntegerField()
    versions_today = serializers.IntegerField()
    versions_a_day_limit = serializers.IntegerField()
    storage = serializers.IntegerField(help_text="bytes")
    storage_limit = serializers.IntegerField(help_text="bytes")


class MeSerializer(serializers.Serializer[Any]):
    """The person who asks."""

    username = serializers.CharField()
    email = serializers.EmailField()
    email_verified = serializers.BooleanField()
    limits = LimitsSerializer()


class TokenSerializer(serializers.ModelSerializer[TokenScope]):
    """A token as its owner may see it again: never its text."""

    starts_with = serializers.CharField(source="token.token_key", read_only=True)
    created_at = serializers.DateTimeField(source="token.created", read_only=True)

    class Meta:
        """Fields."""

        model = TokenScope
        fields = ["id", "name", "scopes", "starts_with", "created_at"]
        read_only_fields = fields


class NewTokenSerializer(serializers.Serializer[TokenScope]):
    """A wish for a token."""

    name = serializers.CharField(max_length=60)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=list(SCOPES)), allow_empty=False)


class LoginSerializer(NewTokenSerializer):
    """A wish for a token by someone who has none: with name and password."""

    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=200, trim_whitespace=False)
    name = serializers.CharField(max_length=60, required=False, default="command line")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=list(SCOPES)), allow_empty=False, required=False
    )


class CreatedTokenSerializer(TokenSerializer):
    """A new token, with the one look at its text."""

    token = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        """Fields."""

        fields = [*TokenSerializer.Meta.fields, "token"]
        read_only_fields = fields
