"""REST of bots against each other: what the pages show, as numbers. Reading only; all of it is public."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ladder import pairs
from ladder.addressed import bot_of, pool_of, slug_asked


class MeetingSerializer(serializers.Serializer[Any]):
    """Joint rated matches, seen from the first bot; ``low`` to ``high`` the 95 % interval of the mean."""

    matches = serializers.IntegerField()
    ahead = serializers.IntegerField(help_text="matches in which the first bot was placed better")
    level = serializers.IntegerField()
    behind = serializers.IntegerField()
    mean_difference = serializers.FloatField(
        source="mean", allow_null=True, help_text="of the totals, in points"
    )
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class BySeatSerializer(serializers.Serializer[Any]):
    """The same for one relative seat."""

    seats_behind = serializers.IntegerField(help_text="by so many seats the second plays after the first")
    meeting = MeetingSerializer()


class AgainstSerializer(serializers.Serializer[Any]):
    """Two bots in a season."""

    season = serializers.CharField()
    bot = serializers.CharField()
    against = serializers.CharField()
    total = MeetingSerializer()
    by_seat = BySeatSerializer(many=True)


class OpponentSerializer(serializers.Serializer[Any]):
    """A bot that was met."""

    bot = serializers.CharField(source="name")
    author = serializers.CharField(help_text="empty for a house bot")
    meeting = MeetingSerializer()


SEASON = OpenApiParameter("season", str, description="slug; default: the season opened last")


@extend_schema(tags=["ladder"])
class BotAgainst(APIView):
    """Two bots in the rated matches of a season."""

    @extend_schema(parameters=[SEASON], responses=AgainstSerializer)
    def get(self, request: Request, name: str, other: str) -> Response:
        """404 for a bot that is not there, or the same one twice."""
        one, two = bot_of(name), bot_of(other)
        if one == two:
            raise NotFound("A bot never meets itself.")
        pool = pool_of(slug_asked(request))
        found = pairs.against(pool, one, two)
        by_seat = [{"seats_behind": offset, "meeting": meeting} for offset, meeting in found.by_offset]
        answer = {"season": pool.season.slug, "bot": one.name, "against": two.name, "total": found.total}
        return Response(AgainstSerializer(answer | {"by_seat": by_seat}).data)


@extend_schema(tags=["ladder"])
class BotOpponents(APIView):
    """Whom a bot met in the rated matches of a season, the most often met first."""

    @extend_schema(parameters=[SEASON], responses=OpponentSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        """404 for a bot that is not there."""
        found = pairs.opponents(pool_of(slug_asked(request)), bot_of(name))
        return Response(OpponentSerializer(found, many=True).data)


class MatrixRowSerializer(serializers.Serializer[Any]):
    """A bot against each of the others."""

    bot = serializers.CharField()
    meetings = serializers.ListField(
        child=MeetingSerializer(allow_null=True), help_text="in the order of `bots`; null with itself"
    )


class MatrixSerializer(serializers.Serializer[Any]):
    """The best bots of a season, each against each."""

    season = serializers.CharField()
    bots = serializers.ListField(child=serializers.CharField(), help_text="as on the ladder, the first ones")
    left_out = serializers.IntegerField(help_text="so many bots stand behind them")
    rows = MatrixRowSerializer(many=True)


@extend_schema(tags=["ladder"])
class SeasonMatrix(APIView):
    """All against all."""

    @extend_schema(responses=MatrixSerializer)
    def get(self, _request: Request, slug: str) -> Response:
        """Each row as its bot sees it; of bots that never met all counts are 0."""
        bots, left_out = pairs.best(pool := pool_of(slug))
        rows = [{"bot": bot.name, "meetings": cells} for bot, cells in pairs.matrix(pool, bots)]
        told = {"season": pool.season.slug, "bots": [bot.name for bot in bots], "left_out": left_out}
        return Response(MatrixSerializer(told | {"rows": rows}).data)
