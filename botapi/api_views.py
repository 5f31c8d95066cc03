"""REST of accounts, bots and tokens: each view parses, makes one call, answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth import authenticate
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi import bots, queries, submissions, tokens
from botapi import serializers as shapes
from botapi.api.auth import BySession, Scoped, ScopedOrReadOnly, person
from botapi.errors import DomainError
from botapi.limits import LIMITS
from botapi.models import Bot, TokenScope, User

NAME = OpenApiParameter("name", str, OpenApiParameter.PATH, description="the bot's name")


def own_bot(request: Request, name: str) -> Bot:
    """The asker's bot of that name; another's is as good as none."""
    found = queries.bot_of(person(request), name)
    if found is None:
        raise NotFound("You have no bot of this name.")
    return found


@extend_schema(tags=["account"])
class Me(APIView):
    """The person who asks, and what is left of the limits."""

    permission_classes = [Scoped]

    @extend_schema(responses=shapes.MeSerializer)
    def get(self, request: Request) -> Response:
        user = person(request)
        used = submissions.usage(user)
        return Response(
            {
                "username": user.username,
                "email": user.email,
                "email_verified": user.email_verified_at is not None,
                "limits": {
                    "bots": used.bots,
                    "bots_limit": LIMITS.bots,
                    "versions_today": used.versions_today,
                    "versions_a_day_limit": LIMITS.versions_a_day,
                    "storage": used.storage,
                    "storage_limit": LIMITS.storage,
                },
            }
        )


@extend_schema(tags=["bots"])
class BotList(generics.ListAPIView[Bot]):
    """All bots, the newest first."""

    serializer_class = shapes.BotSerializer
    permission_classes = [ScopedOrReadOnly]
    queryset = queries.public_bots()
    filterset_fields = {"kind": ["exact"], "state": ["exact"], "owner__username": ["exact"]}

    @extend_schema(request=shapes.NewBotSerializer, responses={201: shapes.CreatedBotSerializer})
    def post(self, request: Request) -> Response:
        """Make a bot. The signing secret of an HTTP bot is in this answer and nowhere else."""
        wish = shapes.NewBotSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        bot, secret = _create(person(request), wish.validated_data)
        shown = queries.public_bots().get(pk=bot.pk)
        shown.secret = secret  # type: ignore[attr-defined] # for this one answer
        return Response(shapes.CreatedBotSerializer(shown).data, status=status.HTTP_201_CREATED)


@transaction.atomic
def _create(owner: User, wish: dict[str, Any]) -> tuple[Bot, str | None]:
    url = wish["url"]
    if url and wish["kind"] != Bot.Kind.HTTP:
        raise DomainError("url_unexpected", gettext("Only an HTTP bot has a url."))
    bot = bots.create_bot(owner, name=wish["name"], kind=wish["kind"], notes=wish["notes"])
    secret = bots.rotate_secret(bot) if bot.kind == Bot.Kind.HTTP else None
    if url:
        submissions.submit_version(bot, url=url)
    return bot, secret


@extend_schema(tags=["bots"], parameters=[NAME])
class BotDetail(generics.RetrieveAPIView[Bot]):
    """One bot."""

    serializer_class = shapes.BotSerializer
    permission_classes = [ScopedOrReadOnly]
    queryset = queries.public_bots()
    lookup_field = "name"

    @extend_schema(request=shapes.BotChangesSerializer, responses=shapes.BotSerializer)
    def patch(self, request: Request, name: str) -> Response:
        """Change the notes of your bot, or whether others may play test matches against it."""
        wish = shapes.BotChangesSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        return _changed(request, name, lambda bot: bots.describe_bot(bot, **wish.validated_data))


def _changed(request: Request, name: str, verb: Callable[[Bot], Bot]) -> Response:
    """One's own bot after ``verb``."""
    bot = verb(own_bot(request, name))
    return Response(shapes.BotSerializer(queries.public_bots().get(pk=bot.pk)).data)


_CHANGES = extend_schema(tags=["bots"], parameters=[NAME], request=None, responses=shapes.BotSerializer)


class BotPause(APIView):
    """Pause a bot."""

    permission_classes = [Scoped]

    @_CHANGES
    def post(self, request: Request, name: str) -> Response:
        """No new matches until it is resumed."""
        return _changed(request, name, bots.pause_bot)


class BotResume(APIView):
    """Resume a paused bot."""

    permission_classes = [Scoped]

    @_CHANGES
    def post(self, request: Request, name: str) -> Response:
        """Back among those that are paired."""
        return _changed(request, name, bots.resume_bot)


class BotWithdraw(APIView):
    """Withdraw a bot."""

    permission_classes = [Scoped]

    @_CHANGES
    def post(self, request: Request, name: str) -> Response:
        """Out of the ladder for good."""
        return _changed(request, name, bots.withdraw_bot)


@extend_schema(tags=["bots"], parameters=[NAME])
class BotSecret(APIView):
    """The signing secret of an HTTP bot."""

    permission_classes = [Scoped]

    @extend_schema(request=None, responses={201: shapes.SecretSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Make a new one, shown only now; the one before it stays valid for a day."""
        bot = own_bot(request, name)
        secret = bots.rotate_secret(bot)
        previous = bot.secrets.exclude(expires_at=None).first()
        body = {"secret": secret, "previous_valid_until": previous.expires_at if previous else None}
        return Response(shapes.SecretSerializer(body).data, status=status.HTTP_201_CREATED)


@extend_schema(tags=["account"])
class TokenList(generics.ListAPIView[TokenScope]):
    """One's API tokens; by session, not by token."""

    serializer_class = shapes.TokenSerializer
    permission_classes = [BySession]
    queryset = TokenScope.objects.none()

    def get_queryset(self) -> QuerySet[TokenScope]:
        return queries.tokens_of(person(self.request))

    @extend_schema(request=shapes.NewTokenSerializer, responses={201: shapes.CreatedTokenSerializer})
    def post(self, request: Request) -> Response:
        """Make a token; its text is in this answer and nowhere else."""
        wish = shapes.NewTokenSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        return _new_token(person(request), wish.validated_data)


@extend_schema(tags=["account"])
class TokenDetail(APIView):
    """One API token."""

    permission_classes = [BySession]

    @extend_schema(responses={204: None}, parameters=[OpenApiParameter("id", int, OpenApiParameter.PATH)])
    def delete(self, request: Request, id: int) -> Response:  # noqa: A002 - the API's word
        """Revoke it."""
        found = queries.tokens_of(person(request)).filter(pk=id).first()
        if found is None:
            raise NotFound("You have no such token.")
        tokens.revoke_token(found)
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema(tags=["account"], auth=[])
class LogIn(APIView):
    """A token for a command line."""

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    throttle_scope = "login"

    @extend_schema(request=shapes.LoginSerializer, responses={201: shapes.CreatedTokenSerializer})
    def post(self, request: Request) -> Response:
        """For name and password; with the scopes ``read`` and ``bots:write`` unless others are asked for."""
        wish = shapes.LoginSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        given = wish.validated_data
        user = authenticate(request._request, username=given["username"], password=given["password"])  # noqa: SLF001 - DRF's documented way to Django's request
        if not isinstance(user, User):
            raise DomainError("wrong_password", gettext("User name and password do not match."), 401)
        given.setdefault("scopes", [tokens.READ, tokens.BOTS_WRITE])
        return _new_token(user, given)


def _new_token(user: User, wish: dict[str, Any]) -> Response:
    scope, text = tokens.create_token(user, name=wish["name"], scopes=wish["scopes"])
    body = dict(shapes.TokenSerializer(scope).data) | {"token": text}
    return Response(body, status=status.HTTP_201_CREATED)
