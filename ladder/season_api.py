"""REST of a season beside its standings: published boards, deals. Reading only; all of it is public."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from engine import RuleSet
from ladder import published
from ladder.addressed import pool_of, season_of
from ladder.deal_counting import tally_of
from ladder.deal_report import report


class BoardLineSerializer(serializers.Serializer[Any]):
    """One version on a board; ratings in Elo, ``low`` to ``high`` the 95 % interval."""

    rank_low = serializers.IntegerField(allow_null=True, help_text="the best rank its interval allows")
    rank_high = serializers.IntegerField(allow_null=True, help_text="the worst")
    bot = serializers.CharField(source="version.bot.name")
    version = serializers.IntegerField(source="version.number")
    author = serializers.CharField(help_text="empty for a house bot")
    rating = serializers.FloatField(source="r")
    sd = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    matches = serializers.IntegerField(source="n")


class UnjoinedSerializer(serializers.Serializer[Any]):
    """A version that no chain of matches joins to the house bots: not ranked."""

    bot = serializers.CharField(source="bot.name")
    version = serializers.IntegerField(source="number")


class BoardSerializer(serializers.Serializer[Any]):
    """A publication: an entry of the rating log."""

    seq = serializers.IntegerField(help_text="its entry of the rating log")
    published_at = serializers.DateTimeField(source="at")
    log_sha256 = serializers.CharField(help_text="head of the log it was made from")
    sha256 = serializers.CharField(help_text="hash of its own entry")
    matches = serializers.IntegerField()
    lines = BoardLineSerializer(many=True)
    earlier_versions = BoardLineSerializer(source="earlier", many=True)
    not_ranked = UnjoinedSerializer(source="unjoined", many=True)


@extend_schema(tags=["ladder"])
class BoardDetail(APIView):
    """The published board of a season, the latest or that of entry ``seq`` of the log."""

    @extend_schema(parameters=[OpenApiParameter("seq", int)], responses=BoardSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """404 before the first publication."""
        wanted = request.query_params.get("seq", "")
        if wanted and not (wanted.isascii() and wanted.isdigit() and len(wanted) < 19):
            raise NotFound("There is no such publication.")
        board = published.board(pool_of(slug), seq=int(wanted) if wanted else None)
        if board is None:
            raise NotFound("There is no such publication (yet).")
        return Response(BoardSerializer(board).data)


class PlaceSerializer(serializers.Serializer[Any]):
    """A place in the deck."""

    name = serializers.CharField()
    size = serializers.IntegerField(help_text="cards")


class FigureSerializer(serializers.Serializer[Any]):
    """A figure beside what fair cards give; ``z`` and ``p`` are null where there are too few to say."""

    key = serializers.CharField()
    seen = serializers.FloatField()
    expected = serializers.FloatField(help_text="exact")
    z = serializers.FloatField(allow_null=True, help_text="difference in standard deviations")
    p = serializers.FloatField(allow_null=True, help_text="chance of a difference as large")


class CardCountsSerializer(serializers.Serializer[Any]):
    """How often a card fell to each place, in the order of ``places``."""

    card = serializers.CharField()
    counts = serializers.SerializerMethodField()

    def get_counts(self, row: Any) -> list[int]:
        return [count for count, _ in row.cells]


class DealsSerializer(serializers.Serializer[Any]):
    """The dealt cards of a season's public finished matches."""

    matches = serializers.IntegerField()
    decks = serializers.IntegerField(help_text="dealt, void deals included")
    void = serializers.IntegerField(help_text="deals that were void and dealt again")
    places = PlaceSerializer(many=True)
    expected = serializers.ListField(
        child=serializers.FloatField(), help_text="how often each card falls to each place, on average"
    )
    cards = CardCountsSerializer(source="rows", many=True)
    chi_square = serializers.FloatField()
    degrees_of_freedom = serializers.IntegerField(source="degrees")
    p = serializers.FloatField(allow_null=True)
    figures = FigureSerializer(many=True)
    points_by_place = FigureSerializer(many=True)
    points_by_seat = FigureSerializer(many=True)


@extend_schema(tags=["ladder"])
class Deals(APIView):
    """Statistics of a season's dealt cards with their expected values."""

    @extend_schema(responses=DealsSerializer)
    def get(self, _request: Request, slug: str) -> Response:
        """Counted every few seconds; matches whose cards are still played elsewhere are left out."""
        season = season_of(slug)
        found = report(RuleSet.from_json(season.rules), tally_of(season))
        return Response(DealsSerializer(found).data)
