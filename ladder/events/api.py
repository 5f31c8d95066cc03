"""REST of events: read by everybody, joined by people, answered by authors, run by their organisers.

Joining needs of a token the scope ``events:join``, running ``events:run``.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from botapi.api.auth import Scoped, ScopedOrReadOnly, person
from botapi.api.once import ONCE, once
from botapi.models import Bot
from botapi.tokens import EVENTS_JOIN, EVENTS_RUN
from games import guests
from ladder.events import editing, queries, registration, running, shapes
from ladder.events.models import Event, EventBlock, EventBot, EventEntry
from ladder.tournaments import read_rules

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="the event's short name")


def event_of(request: Request, slug: str) -> Event:
    """The event of this name, or 404; a draft is its organiser's alone."""
    found = queries.event_by_slug(slug, request.user)
    if found is None:
        raise NotFound("There is no such event.")
    return found


def organised(request: Request, slug: str) -> Event:
    """The event if the asking person organises it, or 404."""
    found = queries.organised_by(person(request)).filter(slug=slug).first()
    if found is None:
        raise NotFound("You organise no such event.")
    return found


def _entry(request: Request, slug: str) -> EventEntry:
    place = queries.own_place(event_of(request, slug), guests.person_of_account(person(request)))
    if place is None:
        raise NotFound("You take no part in this event.")
    return place.entry


def _place(request: Request, event: Event) -> dict[str, Any]:
    place = queries.own_place(event, guests.person_of_account(person(request)))
    if place is None:
        raise NotFound("You take no part in this event.")
    return dict(shapes.EventPlaceSerializer(place).data)


@extend_schema(tags=["events"])
class EventList(generics.ListAPIView[Event]):
    """Events in public, the latest first."""

    serializer_class = shapes.HeldEventSerializer
    permission_classes = [ScopedOrReadOnly]
    write_scope = EVENTS_RUN
    filterset_fields = {"phase": ["exact"], "format": ["exact"]}
    queryset = queries.events()

    @extend_schema(
        parameters=[ONCE], request=shapes.NewHeldEventSerializer, responses={201: shapes.HeldEventSerializer}
    )
    def post(self, request: Request) -> Response:
        """Make a draft; for organisers."""

        def make() -> Response:
            wish = shapes.NewHeldEventSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            given: dict[str, Any] = dict(wish.validated_data)
            rules = read_rules(given.pop("rules"))
            made = running.create_event(given.pop("slug"), ruleset=rules, organiser=person(request), **given)
            return Response(shapes.HeldEventSerializer(made).data, status=201)

        return once(request, make)


@extend_schema(tags=["events"], parameters=[SLUG])
class EventDetail(APIView):
    """One event, with its results once they are published."""

    permission_classes = [ScopedOrReadOnly]
    write_scope = EVENTS_RUN

    @extend_schema(responses=shapes.HeldEventSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(shapes.HeldEventSerializer(event_of(request, slug)).data)

    @extend_schema(request=shapes.NewHeldEventSerializer, responses=shapes.HeldEventSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change a draft, and in registration what harms nobody who registered; for its organiser."""
        event = organised(request, slug)
        wish = shapes.NewHeldEventSerializer(event, data=request.data, partial=True)
        wish.is_valid(raise_exception=True)
        changes: dict[str, Any] = dict(wish.validated_data)
        if "rules" in changes:
            changes["ruleset"] = read_rules(changes.pop("rules"))
        return Response(shapes.HeldEventSerializer(editing.edit_event(event, **changes)).data)


@extend_schema(tags=["events"], parameters=[SLUG])
class EventEntryView(APIView):
    """One's own place in an event."""

    permission_classes = [Scoped]
    read_scope = EVENTS_JOIN
    write_scope = EVENTS_JOIN

    @extend_schema(responses=shapes.EventPlaceSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """404 for whoever takes no part."""
        return Response(_place(request, event_of(request, slug)))

    @extend_schema(
        parameters=[ONCE],
        request=shapes.NewEventEntrySerializer,
        responses={201: shapes.EventPlaceSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Register, confirming the rules and that some seats are bots."""
        event = event_of(request, slug)

        def join() -> Response:
            wish = shapes.NewEventEntrySerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            registration.enter(event, guests.person_of_account(person(request)), **wish.validated_data)
            return Response(_place(request, event), status=201)

        return once(request, join)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Withdraw."""
        registration.leave(_entry(request, slug))
        return Response(status=204)


@extend_schema(tags=["events"], parameters=[SLUG, ONCE])
class EventCheckIn(APIView):
    """Say that one is there."""

    permission_classes = [Scoped]
    write_scope = EVENTS_JOIN

    @extend_schema(request=shapes.DeviceSerializer, responses=shapes.EventPlaceSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """While check-in is open; with what the device test found."""

        def there() -> Response:
            wish = shapes.DeviceSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            registration.check_in(_entry(request, slug), device=wish.validated_data["device"])
            return Response(_place(request, event_of(request, slug)))

        return once(request, there)


@extend_schema(tags=["events"], parameters=[SLUG])
class EventPlay(APIView):
    """Sit down at one's table."""

    permission_classes = [Scoped]
    write_scope = EVENTS_JOIN

    @extend_schema(request=None, responses=shapes.EventTableSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """The table that waits, or in an open event the next block of one's own. Again gives the same table."""
        entry = _entry(request, slug)
        place = queries.own_place(entry.event, entry.person)
        table = place.table if place is not None else None
        match = table.match if table is not None else running.begin_block(entry)
        return Response({"match": match.pk})


@extend_schema(tags=["events"], parameters=[SLUG])
class EventBots(APIView):
    """The bots that are asked to sit in an event, for its organiser."""

    permission_classes = [Scoped]
    read_scope = EVENTS_RUN
    write_scope = EVENTS_RUN

    @extend_schema(responses=shapes.EventBotSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """With what their authors said."""
        asked = queries.asked_bots(organised(request, slug))
        return Response(shapes.EventBotSerializer(asked, many=True).data)

    @extend_schema(
        parameters=[ONCE], request=shapes.WantedBotSerializer, responses={201: shapes.EventBotSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Ask a bot's author for it."""
        event = organised(request, slug)

        def ask() -> Response:
            wish = shapes.WantedBotSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            bot = Bot.objects.filter(name=wish.validated_data["bot"]).select_related("active_version").first()
            if bot is None:
                raise NotFound("There is no such bot.")
            asked = registration.ask_bot(event, bot, wish.validated_data["role"])
            return Response(shapes.EventBotSerializer(asked).data, status=201)

        return once(request, ask)


@extend_schema(tags=["events"], parameters=[SLUG])
class EventBotTaken(APIView):
    """A bot that is asked to sit in an event."""

    permission_classes = [Scoped]
    write_scope = EVENTS_RUN

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Ask it no more; for the organiser, before the start."""
        asked = organised(request, slug).bots.filter(pk=pk).select_related("event").first()
        if asked is None:
            raise NotFound("This bot is not asked.")
        editing.take_back(asked)
        return Response(status=204)


@extend_schema(tags=["events"])
class Invitations(APIView):
    """The events for which one's bots are asked and no answer is given."""

    permission_classes = [Scoped]

    @extend_schema(responses=shapes.EventBotSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Until the event begins."""
        return Response(shapes.EventBotSerializer(queries.invitations(person(request)), many=True).data)


@extend_schema(tags=["events"], parameters=[ONCE])
class InvitationAnswer(APIView):
    """Agree that one's bot sits in an event, or decline."""

    permission_classes = [Scoped]

    @extend_schema(request=shapes.AgreementSerializer, responses=shapes.EventBotSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """As often as one likes before the event begins."""

        def reply() -> Response:
            wish = shapes.AgreementSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            asked = EventBot.objects.filter(pk=pk, bot__owner=person(request)).select_related("event", "bot")
            found = asked.first()
            if found is None:
                raise NotFound("You are not asked.")
            agrees = wish.validated_data["agrees"]
            answered = registration.answer_for_bot(found, by=person(request), agrees=agrees)
            return Response(shapes.EventBotSerializer(answered).data)

        return once(request, reply)


@extend_schema(tags=["events"], parameters=[SLUG, ONCE])
class EventStep(APIView):
    """Take an event to its next phase by hand."""

    permission_classes = [Scoped]
    write_scope = EVENTS_RUN

    @extend_schema(request=shapes.EventStepSerializer, responses=shapes.HeldEventSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """For its organiser; in time it happens by itself."""
        event = organised(request, slug)

        def take() -> Response:
            wish = shapes.EventStepSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            return Response(
                shapes.HeldEventSerializer(running.BY_HAND[wish.validated_data["step"]](event)).data
            )

        return once(request, take)


@extend_schema(tags=["events"], parameters=[SLUG])
class EventTables(APIView):
    """What was played, and who was a bot, of a published event."""

    permission_classes = [ScopedOrReadOnly]

    @extend_schema(responses=shapes.PlayedTableSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Empty before the publication."""
        found = queries.played_tables(event_of(request, slug))
        return Response(shapes.PlayedTableSerializer(found, many=True).data)


@extend_schema(tags=["events"], parameters=[SLUG])
class EventVoidDeals(APIView):
    """Deals that count at no table that plays them."""

    permission_classes = [ScopedOrReadOnly]
    write_scope = EVENTS_RUN

    @extend_schema(responses=shapes.FoundVoidDealSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Of a published event; empty before."""
        found = queries.void_deals(event_of(request, slug))
        return Response(shapes.FoundVoidDealSerializer(found, many=True).data)

    @extend_schema(
        parameters=[ONCE], request=shapes.VoidDealSerializer, responses={201: shapes.VoidDealSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        """For its organiser, before the publication."""
        event = organised(request, slug)

        def declare() -> Response:
            wish = shapes.VoidDealSerializer(data=request.data)
            wish.is_valid(raise_exception=True)
            given = wish.validated_data
            block = (
                EventBlock.objects.filter(event=event, number=given["block"]).select_related("event").first()
            )
            if block is None:
                raise NotFound("There is no such block.")
            running.void_deal(block, deal=given["deal"], reason=given["reason"], by=person(request))
            return Response(given, status=201)

        return once(request, declare)
