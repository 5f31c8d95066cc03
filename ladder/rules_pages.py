"""The rules pages: presets in words and options, and the differences of two. Generated from engine.options (service.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from engine import OPTIONS, PRESETS, RuleSet
from engine.cards import MARRIAGE_VALUE, PACK, RANK_POINTS, RANKS, SUITS
from engine.options import Option
from engine.presets import TABLE
from engine.wording import PARTS, RECORDS, differences, fields, parts, value_of
from games import queries
from ladder.events.queries import event_by_slug
from ladder.queries import season_by_slug
from ladder.tournament_queries import tournament_by_slug

RANK_NAMES: Final = {"9": "Nine", "J": "Jack", "Q": "Queen", "K": "King", "T": "Ten", "A": "Ace"}
SUIT_NAMES: Final = {"S": "Spades", "C": "Clubs", "D": "Diamonds", "H": "Hearts"}
SIGNS: Final = dict(zip(SUITS, "♠♣♦♥", strict=True))
SIZES: Final = {"0": "[]", "1": "[n]", "2": "[n, m]"}
DIGITS: Final = 18
OFF: Final = "off"
"""What None or 0 means where it switches an option off and there is nothing else to say."""


def index(request: HttpRequest) -> HttpResponse:
    """The rules that all variants share, the presets, and every option with its values."""
    context = {
        "pack": PACK,
        "total": 4 * sum(RANK_POINTS),
        "suit_total": sum(RANK_POINTS),
        "ranks": [(rank, RANK_NAMES[rank], points) for rank, points in zip(RANKS, RANK_POINTS, strict=True)],
        "suits": [
            (suit, SIGNS[suit], SUIT_NAMES[suit], value)
            for suit, value in zip(SUITS, MARRIAGE_VALUE, strict=True)
        ],
        "presets": [_line(name) for name in PRESETS],
        "names": list(PRESETS),
        "options": [(option, PARTS.get(option.name), list(_choices(option))) for option in _every()],
        "values": [(option, _by_value(option)) for option in _every() if option.kind != "record"],
    }
    return render(request, "docs/rules.html", context)


def preset(request: HttpRequest, name: str) -> HttpResponse:
    """One preset in words and options."""
    if name not in PRESETS:
        return _missing(request, name)
    rules = PRESETS[name]
    context = {
        "line": _line(name),
        "parts": parts(rules),
        "names": list(PRESETS),
        "a": name,
        "options": [(option, value_of(rules, option)) for option in fields(rules)],
    }
    return render(request, "docs/rules_preset.html", context)


def compare(request: HttpRequest) -> HttpResponse:
    """The options in which the presets ``a`` and ``b`` differ, or those of something that is played from its preset."""
    for kind, rules_of in OWNERS.items():
        if key := request.GET.get(kind, "").replace("\0", ""):
            return _compare_own(request, rules_of(key))
    a, b = request.GET.get("a", ""), request.GET.get("b", "")
    for name in filter(None, (a, b)):
        if name not in PRESETS:
            return _missing(request, name)
    context: dict[str, Any] = {"names": list(PRESETS), "a": a, "b": b}
    if a and b:
        context["differences"] = differences(PRESETS[a], PRESETS[b])
    return render(request, "docs/rules_differences.html", context)


@dataclass(frozen=True, slots=True)
class Own:
    """Rules of something that is played: what it is called, its page, and the rules in record form."""

    name: str
    address: str
    rules: dict[str, Any]


def _compare_own(request: HttpRequest, found: Own | None) -> HttpResponse:
    if found is None:
        raise Http404("There are no such rules.")
    rules = RuleSet.from_json(found.rules)
    a = rules.base or rules.name
    context = {"names": list(PRESETS), "a": a, "own": found, "differences": differences(PRESETS[a], rules)}
    return render(request, "docs/rules_differences.html", context)


def _of_match(key: str) -> Own | None:
    found = queries.matches().filter(pk=int(key)).first() if key.isdecimal() and len(key) < DIGITS else None
    if found is None:
        return None
    name = gettext("Match %(number)s") % {"number": found.pk}
    return Own(name, reverse("games:match", args=[found.pk]), found.rules)


def _of_season(slug: str) -> Own | None:
    found = season_by_slug(slug)
    return Own(found.name, reverse("season", args=[slug]), found.rules) if found else None


def _of_tournament(slug: str) -> Own | None:
    found = tournament_by_slug(slug)
    return Own(found.name, reverse("tournament", args=[slug]), found.rules) if found else None


def _of_event(slug: str) -> Own | None:
    found = event_by_slug(slug)
    return Own(found.name, reverse("event", args=[slug]), found.rules) if found else None


OWNERS: Final[dict[str, Callable[[str], Own | None]]] = {
    "match": _of_match,
    "season": _of_season,
    "tournament": _of_tournament,
    "event": _of_event,
}


def _missing(request: HttpRequest, name: str) -> HttpResponse:
    return render(request, "docs/rules_missing.html", {"name": name, "names": list(PRESETS)}, status=404)


def _by_value(option: Option) -> list[tuple[Any, list[str]]]:
    """The values that the presets give an option, the commonest first, each with the presets that have it."""
    found: dict[str, tuple[Any, list[str]]] = {}
    for name, rules in PRESETS.items():
        value = value_of(rules, option)
        found.setdefault(json.dumps(value), (value, []))[1].append(name)
    return sorted(found.values(), key=lambda pair: -len(pair[1]))


def _every() -> Iterator[Option]:
    """Every option, those of a concession and a barrel after the record that they are part of."""
    for option in OPTIONS:
        yield option
        yield from RECORDS.get(option.name, ())


def _line(name: str) -> dict[str, Any]:
    """A preset in one line: its table, and what it changes of the preset that it derives from."""
    parent, rules = TABLE[name][0], PRESETS[name]
    changed = [found.option for found in differences(PRESETS[parent], rules)] if parent else []
    return {"name": name, "rules": rules, "parent": parent, "changed": changed}


def _choices(option: Option) -> Iterator[tuple[str, str]]:
    """The values that an option may take as records write them, each with what it means (empty: it says itself)."""
    for key, text in option.says.items():
        code = key
        if key == "n":
            code = f"{option.low} … {option.high}"
        elif key == "record":
            code = "{…}"
        elif option.kind == "sizes":
            code = SIZES[key]
        plain = "" if "%" in text or text == option.meaning else text
        yield code, OFF if not text and key in ("null", "0") else plain
