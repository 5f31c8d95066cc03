"""REST of tournaments: read by everybody, entered by authors, made and run by those who have the right to.

Running needs the right to change tournaments, and of a token the scope ``events:run``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.exceptions import NotFound
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi.api.auth import Scoped, ScopedOrReadOnly, person
from botapi.api.once import ONCE, once
from botapi.errors import DomainError
from botapi.models import Bot
from botapi.tokens import EVENTS_JOIN, EVENTS_RUN
from ladder import registration, tournaments
from ladder import tournament_queries as queries
from ladder import tournament_shapes as shapes
from ladder.tournament_models import Entrant, Tournament, TournamentMatch

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="the tournament's short name")
BOT = OpenApiParameter("bot", str, OpenApiParameter.PATH, description="the bot's name")
MATCH = OpenApiParameter("match", int, OpenApiParameter.PATH, description="the match's number")


class Runs(Scoped):
    """Whoever may change tournaments; a token needs the scope ``events:run``."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and person(request).has_perm("ladder.change_tournament")


class RunsOrReadOnly(Runs):
    """Anyone reads; whoever writes runs tournaments."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or super().has_permission(request, view)


def tournament_of(request: Request, slug: str) -> Tournament:
    """The tournament of this name, or 404; drafts are there only for those who run them."""
    user = request.user
    runs = user.is_authenticated and user.has_perm("ladder.change_tournament")
    found = queries.all_tournaments().filter(slug=slug).first() if runs else queries.tournament_by_slug(slug)
    if found is None:
        raise NotFound("There is no such tournament.")
    return found


def entrant_of(tournament: Tournament, bot: str) -> Entrant:
    """The entrant of this bot, or 404."""
    found = tournament.entrants.select_related("bot__owner", "tournament").filter(bot__name=bot).first()
    if found is None:
        raise NotFound("There is no such entrant.")
    return found


@extend_schema(tags=["tournaments"])
class TournamentList(generics.ListAPIView[Tournament]):
    """Tournaments in public, the newest first."""

    serializer_class = shapes.TournamentSerializer
    permission_classes = [RunsOrReadOnly]
    write_scope = EVENTS_RUN
    filterset_fields = {"phase": ["exact"], "format": ["exact"], "players": ["exact"]}
    queryset = queries.tournaments()

    @extend_schema(
        parameters=[ONCE],
        request=shapes.NewTournamentSerializer,
        responses={201: shapes.TournamentSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a draft, for those who run tournaments."""

        def make() -> Response:
            wish = shapes.NewTournamentSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            given: dict[str, Any] = dict(wish.validated_data)
            rules = tournaments.read_rules(given.pop("rules"))
            others = [tournaments.read_rules(rules) for rules in given.pop("other_rules", ())]
            made = tournaments.create_tournament(
                given.pop("slug"), ruleset=rules, other_rules=others, **given
            )
            return _shown(made, 201)

        return once(request, make)


@extend_schema(tags=["tournaments"], parameters=[SLUG])
class TournamentDetail(APIView):
    """One tournament."""

    @extend_schema(responses=shapes.TournamentSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(shapes.TournamentSerializer(tournament_of(request, slug)).data)


@extend_schema(tags=["tournaments"], parameters=[SLUG])
class TournamentStandings(APIView):
    """The standings: live, then as published."""

    @extend_schema(responses=shapes.TournamentStandingsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        standings = queries.standings_of(tournament_of(request, slug))
        return Response(shapes.TournamentStandingsSerializer(standings).data)


@extend_schema(tags=["tournaments"], parameters=[SLUG])
class TournamentRounds(APIView):
    """All rounds with their tables, matches, byes, and why they are late."""

    @extend_schema(responses=shapes.RoundSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rounds = queries.rounds_of(tournament_of(request, slug))
        return Response(shapes.RoundSerializer(rounds, many=True).data)


@extend_schema(tags=["tournaments"], parameters=[SLUG])
class EntrantList(APIView):
    """Who is or was in."""

    permission_classes = [ScopedOrReadOnly]
    write_scope = EVENTS_JOIN

    @extend_schema(responses=shapes.EntrantSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        found = queries.entrants_of(tournament_of(request, slug))
        return Response(shapes.EntrantSerializer(found, many=True).data)

    @extend_schema(
        parameters=[ONCE], request=shapes.EntrySerializer, responses={201: shapes.EntrantSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Enter one of your bots; once entered, the same call changes nothing."""
        wish = shapes.EntrySerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        author = person(request)
        bot = Bot.objects.filter(owner=author, name=wish.validated_data["bot"]).first()
        if bot is None:
            raise NotFound("You have no bot of this name.")
        tournament = tournament_of(request, slug)

        def enter() -> Response:
            entrant = registration.register(tournament, bot, by=author)
            return Response(shapes.EntrantSerializer(entrant).data, status=201)

        return once(request, enter)


@extend_schema(tags=["tournaments"], parameters=[SLUG, BOT])
class EntrantWithdraw(APIView):
    """Take one of your bots out."""

    permission_classes = [Scoped]
    write_scope = EVENTS_JOIN

    @extend_schema(request=None, responses=shapes.EntrantSerializer)
    def post(self, request: Request, slug: str, bot: str) -> Response:
        """Before the start without a trace; in mid-tournament for good."""
        entrant = entrant_of(tournament_of(request, slug), bot)
        if entrant.bot.owner_id != person(request).pk:
            raise NotFound("There is no such entrant.")
        return Response(shapes.EntrantSerializer(registration.withdraw(entrant)).data)


@extend_schema(tags=["running tournaments"], parameters=[SLUG])
class EntrantEnter(APIView):
    """Enter any bot, a house bot too."""

    permission_classes = [Runs]
    write_scope = EVENTS_RUN

    @extend_schema(request=shapes.EntrySerializer, responses={201: shapes.EntrantSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """For as long as it has not started."""
        wish = shapes.EntrySerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        bot = (
            Bot.objects.select_related("active_version", "owner")
            .filter(name=wish.validated_data["bot"])
            .first()
        )
        if bot is None:
            raise NotFound("There is no bot of this name.")
        entrant = registration.enter(tournament_of(request, slug), bot)
        return Response(shapes.EntrantSerializer(entrant).data, status=201)


@extend_schema(tags=["running tournaments"], parameters=[SLUG, BOT])
class EntrantExclude(APIView):
    """Take a bot out for good."""

    permission_classes = [Runs]
    write_scope = EVENTS_RUN

    @extend_schema(request=shapes.ReasonSerializer, responses=shapes.EntrantSerializer)
    def post(self, request: Request, slug: str, bot: str) -> Response:
        """Its results count on for its opponents; it has no rank."""
        why = shapes.ReasonSerializer(data=request.data)
        why.is_valid(raise_exception=True)
        entrant = entrant_of(tournament_of(request, slug), bot)
        done = registration.exclude(entrant, reason=why.validated_data["reason"])
        return Response(shapes.EntrantSerializer(done).data)


class _Step(APIView):
    """A step of a tournament by whoever runs it."""

    permission_classes = [Runs]
    write_scope = EVENTS_RUN

    def take(self, request: Request, slug: str, verb: Callable[[Tournament], Tournament]) -> Response:
        """The tournament after ``verb``."""
        return _shown(verb(tournament_of(request, slug)))


_STEP = extend_schema(
    tags=["running tournaments"], parameters=[SLUG], request=None, responses=shapes.TournamentSerializer
)


class TournamentOpen(_Step):
    """Open the registration."""

    @_STEP
    def post(self, request: Request, slug: str) -> Response:
        """Commits the secret from which cards and lot follow."""
        return self.take(request, slug, tournaments.open_registration)


class TournamentStart(_Step):
    """Start now."""

    @_STEP
    def post(self, request: Request, slug: str) -> Response:
        """Fixes the versions, publishes the lot, plans the rounds."""
        return self.take(request, slug, tournaments.start)


class TournamentPublish(_Step):
    """Publish the result before the time for objections is over."""

    @_STEP
    def post(self, request: Request, slug: str) -> Response:
        """From now on it stands."""
        return self.take(request, slug, tournaments.publish)


class TournamentCancel(_Step):
    """Cancel."""

    @extend_schema(
        tags=["running tournaments"],
        parameters=[SLUG],
        request=shapes.ReasonSerializer,
        responses=shapes.TournamentSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Open matches are void; there is no result."""
        why = shapes.ReasonSerializer(data=request.data)
        why.is_valid(raise_exception=True)
        reason = why.validated_data["reason"]
        return self.take(request, slug, lambda found: tournaments.cancel(found, reason=reason))


@extend_schema(tags=["running tournaments"], parameters=[SLUG, MATCH])
class MatchVoid(APIView):
    """Declare a match void."""

    permission_classes = [Runs]
    write_scope = EVENTS_RUN

    @extend_schema(request=shapes.VoidSerializer, responses=shapes.TournamentStandingsSerializer)
    def post(self, request: Request, slug: str, match: int) -> Response:
        """Answers with the standings after it; possible until the result is published."""
        wish = shapes.VoidSerializer(data=request.data)
        wish.is_valid(raise_exception=True)
        tournament = tournament_of(request, slug)
        link = TournamentMatch.objects.filter(table__round__tournament=tournament, match=match).first()
        if link is None:
            raise DomainError("unknown_match", gettext("This tournament has no such match."), 404)
        tournaments.void_match(link, **wish.validated_data)
        standings = queries.standings_of(tournament_of(request, slug))
        return Response(shapes.TournamentStandingsSerializer(standings).data)


def _shown(tournament: Tournament, status: int = 200) -> Response:
    shown: QuerySet[Tournament] = queries.all_tournaments()
    return Response(shapes.TournamentSerializer(shown.get(pk=tournament.pk)).data, status=status)
