"""REST of how a bot plays: places by seat, scores, contracts. Reading only; all of it is public."""

from __future__ import annotations

from collections import Counter
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ladder.addressed import bot_of, pool_of, slug_asked
from ladder.pair_api import SEASON
from ladder.play_counting import tally_of
from ladder.play_tally import BIN, PlayTally


class PlacesSerializer(serializers.Serializer[Any]):
    """What was achieved from one seat."""

    seat = serializers.IntegerField(help_text="from 0, the dealer of the first deal")
    matches = serializers.IntegerField()
    places = serializers.ListField(
        child=serializers.IntegerField(), help_text="how often first, second, ... from there"
    )


class ScoresSerializer(serializers.Serializer[Any]):
    """A bar of the scores."""

    low = serializers.IntegerField(help_text=f"totals from this one up to {BIN} more")
    matches = serializers.IntegerField()


class ContractSerializer(serializers.Serializer[Any]):
    """Deals declared at one contract."""

    contract = serializers.IntegerField()
    declared = serializers.IntegerField()
    made = serializers.IntegerField()
    mean_points = serializers.FloatField(help_text="taken as declarer")


class PlaySerializer(serializers.Serializer[Any]):
    """How a bot plays in a season, all its versions together."""

    season = serializers.CharField()
    bot = serializers.CharField()
    matches = serializers.IntegerField(help_text="rated ones counted so far")
    places_by_seat = PlacesSerializer(many=True)
    scores = ScoresSerializer(many=True)
    contracts = ContractSerializer(many=True)


@extend_schema(tags=["ladder"])
class BotPlay(APIView):
    """A bot's play in the rated matches of a season."""

    @extend_schema(parameters=[SEASON], responses=PlaySerializer)
    def get(self, request: Request, name: str) -> Response:
        """404 for a bot that is not there."""
        bot, pool = bot_of(name), pool_of(slug_asked(request))
        tally = tally_of(pool, bot)
        told = {"season": pool.season.slug, "bot": bot.name, "matches": tally.matches}
        return Response(PlaySerializer(told | _told(tally, pool.players)).data)


def _told(tally: PlayTally, players: int) -> dict[str, list[dict[str, Any]]]:
    taken = [tally.places.get(seat, Counter()) for seat in range(players)]
    seats = [[places[place] for place in range(1, players + 1)] for places in taken]
    return {
        "places_by_seat": [
            {"seat": seat, "matches": sum(places), "places": places} for seat, places in enumerate(seats)
        ],
        "scores": [{"low": low, "matches": count} for low, count in sorted(tally.scores.items()) if count],
        "contracts": [
            {"contract": size, "declared": one.declared, "made": one.made, "mean_points": one.mean}
            for size, one in sorted(tally.contracts.items())
            if one.declared
        ],
    }
