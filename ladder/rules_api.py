"""REST of the rules: the presets, one in options and words, the differences of two. Words are in English."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from engine import PRESETS, RuleSet
from engine.presets import TABLE
from engine.wording import differences, fields, parts, value_of


class PresetSerializer(serializers.Serializer[Any]):
    """A preset in a list."""

    name = serializers.CharField()
    players = serializers.IntegerField()
    target = serializers.IntegerField()
    hash = serializers.CharField(help_text="as `rules_hash` of a match")
    derives_from = serializers.CharField(allow_null=True)


class OptionSerializer(serializers.Serializer[Any]):
    """An option with its value in record form; `barrel.falls` is a field of the barrel."""

    name = serializers.CharField()
    title = serializers.CharField()
    value = serializers.JSONField(allow_null=True)


class SentenceSerializer(serializers.Serializer[Any]):
    """What an option says."""

    option = serializers.CharField(source="option.name")
    key = serializers.CharField(source="text", help_text="key of the sentence in catalogues of translations")
    parameters = serializers.DictField(child=serializers.IntegerField(), help_text="that the key names by %")
    sentence = serializers.CharField(source="__str__")


class PartSerializer(serializers.Serializer[Any]):
    """A heading of the rules in words with its sentences."""

    title = serializers.CharField()
    sentences = SentenceSerializer(many=True)


class PresetDetailSerializer(PresetSerializer):
    """A preset in options and in words."""

    options = OptionSerializer(many=True)
    words = PartSerializer(many=True)


class SideSerializer(serializers.Serializer[Any]):
    """The value of an option in one of two presets, and what it says there."""

    value = serializers.JSONField(allow_null=True)
    sentences = SentenceSerializer(many=True)


class DifferenceSerializer(serializers.Serializer[Any]):
    """An option in which two presets differ."""

    option = serializers.CharField()
    title = serializers.CharField()
    a = SideSerializer()
    b = SideSerializer()


@extend_schema(tags=["rules"])
class PresetList(APIView):
    """The presets."""

    @extend_schema(responses=PresetSerializer(many=True))
    def get(self, _request: Request) -> Response:
        """All of them, in the order of the rules page."""
        return Response(PresetSerializer([_line(name) for name in PRESETS], many=True).data)


@extend_schema(tags=["rules"])
class PresetDetail(APIView):
    """One preset."""

    @extend_schema(responses=PresetDetailSerializer)
    def get(self, _request: Request, name: str) -> Response:
        """Every option with its value, and the rules in words under headings."""
        rules = preset_of(name)
        told = {
            "options": [
                {"name": option.name, "title": option.title, "value": value_of(rules, option)}
                for option in fields(rules)
            ],
            "words": [{"title": title, "sentences": sentences} for title, sentences in parts(rules)],
        }
        return Response(PresetDetailSerializer(_line(name) | told).data)


@extend_schema(tags=["rules"])
class PresetDifferences(APIView):
    """Two presets."""

    @extend_schema(
        parameters=[OpenApiParameter(side, str, required=True, description="a preset") for side in "ab"],
        responses=DifferenceSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Exactly the options in which they differ; 404 for what is no preset."""
        a, b = (preset_of(request.query_params.get(side, "")) for side in "ab")
        told = [
            {
                "option": found.option.name,
                "title": found.option.title,
                **{
                    side: {"value": value, "sentences": sentences}
                    for side, (value, sentences) in zip("ab", found.sides, strict=True)
                },
            }
            for found in differences(a, b)
        ]
        return Response(DifferenceSerializer(told, many=True).data)


def preset_of(name: str) -> RuleSet:
    """The preset of this name, or 404."""
    if name not in PRESETS:
        raise NotFound("There is no such preset.")
    return PRESETS[name]


def _line(name: str) -> dict[str, Any]:
    rules = PRESETS[name]
    return {
        "name": name,
        "players": rules.players,
        "target": rules.target,
        "hash": rules.hash,
        "derives_from": TABLE[name][0] or None,
    }
