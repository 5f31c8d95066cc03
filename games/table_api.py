"""REST of the tables at which people play: sit down, look, answer, come back, give up.

For the session of a browser, a guest's too, and for tokens with the scope ``events:join``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi import addresses
from botapi.api.auth import Scoped
from botapi.tokens import EVENTS_JOIN
from engine import PRESETS
from games import guests, people, practice
from games.models import Match
from games.people_models import Person

ACTION_CHARS: Final = 12


class GuestOrScoped(BasePermission):
    """A visitor with a session, or a token with the scope ``events:join``. A guest's writes need the CSRF token, too."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.user.is_authenticated:
            return Scoped().has_permission(request, view)
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            SessionAuthentication().enforce_csrf(request)
        return True


class NewPracticeSerializer(serializers.Serializer[Any]):
    """A wish for a practice table."""

    rules = serializers.ChoiceField(choices=sorted(PRESETS), default="pl-3")
    short = serializers.BooleanField(default=False, help_text="the short game, to 500")
    opponents = serializers.ListField(
        child=serializers.CharField(max_length=40),
        min_length=1,
        max_length=3,
        help_text="bots by name, in table order; you sit in seat 0",
    )
    alias = serializers.CharField(
        max_length=guests.ALIAS_CHARS, required=False, default="", help_text="your name at the table"
    )


class AnswerSerializer(serializers.Serializer[Any]):
    """What is played."""

    question = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="``ask.number``")
    action = serializers.CharField(max_length=ACTION_CHARS)


class PaceSerializer(serializers.Serializer[Any]):
    """How long bots wait and a complete trick is shown, in milliseconds."""

    bot_ms = serializers.IntegerField(min_value=0, max_value=people.BOT_MS_MOST)
    trick_ms = serializers.IntegerField(min_value=0, max_value=people.TRICK_MS_MOST)


class AskSerializer(serializers.Serializer[Any]):
    """The decision that is yours now."""

    number = serializers.IntegerField(help_text="counts your own decisions")
    legal = serializers.ListField(child=serializers.CharField())
    left_ms = serializers.IntegerField(help_text="until the default action is played")
    bank_ms = serializers.IntegerField(help_text="the part of it that is the match's bank")


class OutcomeSerializer(serializers.Serializer[Any]):
    """How the match ended, each by seat."""

    totals = serializers.ListField(child=serializers.IntegerField())
    places = serializers.ListField(child=serializers.IntegerField())
    ends = serializers.ChoiceField(choices=["target", "deal_limit"])


class TableSerializer(serializers.Serializer[Any]):
    """All that you may know of your table: ``view`` is that of the bot protocol, section 4."""

    match = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Match.State.choices)
    reason = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField(help_text="grows with each change")
    rules = serializers.DictField()
    short = serializers.BooleanField()
    practice = serializers.BooleanField(
        help_text="not a table of an event: it may be ended, and its pace is yours"
    )
    seat = serializers.IntegerField(help_text="yours")
    names = serializers.ListField(child=serializers.CharField())
    people = serializers.ListField(child=serializers.IntegerField(), help_text="seats of people")
    absent = serializers.ListField(child=serializers.IntegerField(), help_text="those who are away")
    view = serializers.DictField(allow_null=True)
    events = serializers.ListField(child=serializers.DictField(), help_text="of the deal in progress")
    last_deal = serializers.ListField(child=serializers.DictField())
    ask = AskSerializer(allow_null=True)
    away = serializers.BooleanField(help_text="a house bot plays for you until you come back")
    given_up = serializers.BooleanField(help_text="you withdrew: a house bot plays your seat to the end")
    bot_ms = serializers.IntegerField()
    trick_ms = serializers.IntegerField()
    outcome = OutcomeSerializer(allow_null=True)


class _OfAPerson(APIView):
    """Views of somebody at a table."""

    permission_classes = [GuestOrScoped]
    read_scope = EVENTS_JOIN
    write_scope = EVENTS_JOIN

    def person(self) -> Person:
        """Who asks. Whoever has never sat down sits at no table either: DomainError ``no_such_table``."""
        found = guests.person_of(self.request.user, self.request.session)
        if found is None:
            raise people.no_such_table()
        return found

    def state(self, pk: int, *, status: int = 200) -> Response:
        """The table as its person may see it now."""
        state = people.table_state(pk, self.person())
        return Response(TableSerializer(asdict(state)).data, status=status)


@extend_schema(tags=["tables"])
class NewPractice(_OfAPerson):
    """Practice tables."""

    @extend_schema(request=NewPracticeSerializer, responses={201: TableSerializer})
    def post(self, request: Request) -> Response:
        """Sit down at a practice table; it begins at once."""
        wish = NewPracticeSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        given = dict(wish.validated_data)
        person = guests.sit_down(
            request.user, request.session, alias=given.pop("alias"), address=addresses.of(request)
        )
        made = practice.start_practice(person, **given)
        return self.state(made.pk, status=201)


@extend_schema(tags=["tables"])
class Table(_OfAPerson):
    """Your table."""

    @extend_schema(responses=TableSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """What you may see of it now; who asks at least once a minute is not away."""
        people.seen(pk, self.person())
        return self.state(pk)


@extend_schema(tags=["tables"])
class TableAnswer(_OfAPerson):
    """Your decision."""

    @extend_schema(request=AnswerSerializer, responses=TableSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Play; the same answer again changes nothing, another one is refused."""
        wish = AnswerSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        people.answer(pk, self.person(), **wish.validated_data)
        return self.state(pk)


@extend_schema(tags=["tables"])
class TableReturn(_OfAPerson):
    """Your seat, when a house bot plays for you."""

    @extend_schema(request=None, responses=TableSerializer)
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Play again, from your next decision on; a seat that you gave up is not yours again."""
        people.come_back(pk, self.person())
        return self.state(pk)


@extend_schema(tags=["tables"])
class TablePace(_OfAPerson):
    """Your pace, at all your tables."""

    @extend_schema(request=PaceSerializer, responses=TableSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Choose how long bots wait and complete tricks are shown."""
        wish = PaceSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        people.set_pace(self.person(), **wish.validated_data)
        return self.state(pk)


@extend_schema(tags=["tables"])
class TableEnd(_OfAPerson):
    """The end of a practice table."""

    @extend_schema(request=None, responses=TableSerializer)
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Give the table up: it is void."""
        people.leave(pk, self.person())
        return self.state(pk)
