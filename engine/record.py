"""Match records, thousand-record/1: replay, verification, legal lists (protocol.md section 6)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import TEXT
from engine.chronicle import FORMAT, places
from engine.errors import EngineError, RecordError
from engine.game import Game
from engine.ruleset import RuleSet

KEYS: Final = ("format", "match", "rules", "seed", "seed_sha256", "seats", "deals", "stand_ins", "result")
DEAL_KEYS: Final = (
    "dealer", "deck", "actions", "void", "declarer", "contract", "points", "scores", "totals",
)  # fmt: skip
SEAT_KEYS: Final = ("name", "version")
STAND_IN_KEYS: Final = ("seat", "deal", "action")
HEX64: Final = re.compile(r"[0-9a-f]{64}")
SUMMARY: Final = ("void", "declarer", "contract", "points", "scores", "totals")


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a replay: where it stands, who took it, and the legal ones it was taken from.

    ``game`` is the game before the action; after a forced action it is already further on (``forced``).
    """

    deal: int
    number: int
    seat: int
    action: str
    legal: tuple[str, ...]
    forced: bool
    game: Game


def replay(record: object) -> Iterator[Step]:
    """Play a record again, action by action. Raises RecordError at the first disagreement."""
    checked = _shape(record)
    rules, seed = _rules(checked), _seed(checked)
    decks = None if seed is not None or not checked["deals"] else [deal["deck"] for deal in checked["deals"]]
    if seed is None and decks is None:
        raise RecordError("a record without a seed has at least one deal", expected="deals", found=[])
    try:
        game = Game(rules, seed=seed, decks=decks)
    except EngineError as error:
        raise RecordError(str(error)) from error
    for number, deal in enumerate(checked["deals"]):
        yield from _replay_deal(game, number, deal)
    if len(game.finished) > len(checked["deals"]):
        raise RecordError(
            "the record ends too early", expected=len(game.finished), found=len(checked["deals"])
        )
    _compare_result(game, checked)


def verify(record: object) -> None:
    """Check that a record replays to itself. Raises RecordError naming deal, action, expected and found."""
    for _ in replay(record):
        pass


def legal_lists(record: object) -> list[list[list[str]]]:
    """For each deal the list of legal actions at each of its actions. Raises RecordError."""
    lists: list[list[list[str]]] = []
    for step in replay(record):
        while len(lists) <= step.deal:
            lists.append([])
        lists[step.deal].append(list(step.legal))
    return lists


def _replay_deal(game: Game, number: int, deal: dict[str, Any]) -> Iterator[Step]:
    if game.deal < number:
        raise RecordError("a deal after the end of the match", deal=number, expected=None, found="a deal")
    taken = (game.current if game.deal == number else game.finished[number][0]).actions
    head = _deal_head(game, number)
    for key in ("dealer", "deck"):
        if not _same(head[key], deal[key]):
            raise RecordError(f"another {key}", deal=number, expected=head[key], found=deal[key])
    for index, entry in enumerate(deal["actions"]):
        seat, action = _action(entry, number, index)
        forced = index < len(taken)
        legal = (taken[index][1],) if forced else _choices(game, number, index, entry)
        decides = taken[index][0] if forced else game.seat
        if seat != decides:
            raise RecordError("another seat decides", deal=number, action=index, expected=decides, found=seat)
        if action not in legal:
            raise RecordError(
                "an illegal action", deal=number, action=index, expected=list(legal), found=action
            )
        _check_legal(deal, number, index, legal)
        yield Step(number, index, seat, action, legal, forced, game)
        if not forced:
            game.apply(action)
    _check_complete(game, number, deal["actions"], taken)
    _compare_summary(game, deal, number)


def _choices(game: Game, number: int, index: int, entry: object) -> tuple[str, ...]:
    """What can be done where nothing was forced; nothing when the deal is over."""
    if len(game.finished) > number:
        raise RecordError("an action after the end", deal=number, action=index, expected=None, found=entry)
    return game.legal


def _check_complete(game: Game, number: int, actions: list[Any], taken: list[tuple[int, str]]) -> None:
    """The deal is over and each of its actions was written."""
    written = len(actions)
    if written < len(taken):
        expected: Any = list(taken[written])
        raise RecordError("an action is missing", deal=number, action=written, expected=expected)
    if len(game.finished) <= number:
        raise RecordError("the deal goes on", deal=number, action=written, expected=list(game.legal))


def _deal_head(game: Game, number: int) -> dict[str, Any]:
    """Dealer and deck of a deal, whether it is over or not."""
    if number < len(game.finished):
        return game.deals[number]
    return {"dealer": game.current.dealer, "deck": [TEXT[card] for card in game.current.deck]}


def _check_legal(deal: dict[str, Any], number: int, index: int, legal: tuple[str, ...]) -> None:
    """A record may carry the legal lists; then they must be right, too."""
    if "legal" not in deal:
        return
    found = deal["legal"][index]
    if found != list(legal):
        raise RecordError(
            "another list of legal actions", deal=number, action=index, expected=list(legal), found=found
        )


def _compare_summary(game: Game, found: dict[str, Any], number: int) -> None:
    expected = game.deals[number]
    unseen_cut = game.seed is None and game.ruleset.cut_ritual
    why = " (what the cut cost follows from the seed, which the record does not give)" if unseen_cut else ""
    for key in SUMMARY:
        if not _same(expected[key], found[key]):
            raise RecordError(f"other {key}{why}", deal=number, expected=expected[key], found=found[key])


def _compare_result(game: Game, record: dict[str, Any]) -> None:
    ended, found = game.result, record["result"]
    if ended is None or found is None:
        if ended is not None or found is not None:
            raise RecordError("another result", expected=None if ended is None else "a result", found=found)
        return
    expected = {
        "totals": list(ended.totals),
        "ranks": list(ended.ranks),
        "places": places(ended.ranks, record["stand_ins"]),
        "reason": ended.reason,
    }
    if not isinstance(found, dict) or not _same(sorted(expected.items()), sorted(found.items(), key=str)):
        raise RecordError("another result", expected=expected, found=found)


def _same(expected: Any, found: Any) -> bool:
    """Equality that does not take True for 1."""
    return bool(expected == found) and repr(expected) == repr(found)


def _action(entry: object, deal: int, index: int) -> tuple[int, str]:
    if isinstance(entry, list | tuple) and len(entry) == 2:
        seat, action = entry
        if isinstance(seat, int) and not isinstance(seat, bool) and isinstance(action, str):
            return seat, action
    raise RecordError(
        "an action is [seat, text]", deal=deal, action=index, expected="[seat, text]", found=entry
    )


def _shape(record: object) -> dict[str, Any]:
    """The record, when all its parts are there and of the right kind."""
    if not isinstance(record, dict):
        raise RecordError("a record is an object", expected=FORMAT, found=type(record).__name__)
    for key in KEYS:
        if key not in record:
            raise RecordError(f"{key} is missing", expected=key, found=None)
    for key in record:
        if key not in KEYS:
            raise RecordError("a record has no such key", expected=None, found=key)
    if record["format"] != FORMAT:
        raise RecordError("another format", expected=FORMAT, found=record["format"])
    for key, kind in (("match", str), ("seats", list), ("deals", list), ("stand_ins", list)):
        if not isinstance(record[key], kind):
            raise RecordError(f"{key} is no {kind.__name__}", expected=kind.__name__, found=record[key])
    for number, deal in enumerate(record["deals"]):
        _deal_shape(deal, number)
    return record


def _deal_shape(deal: object, number: int) -> None:
    if not isinstance(deal, dict):
        raise RecordError("a deal is an object", deal=number, found=deal)
    for key in DEAL_KEYS:
        if key not in deal:
            raise RecordError(f"{key} is missing", deal=number, expected=key, found=None)
    for key in deal:
        if key not in DEAL_KEYS and key != "legal":
            raise RecordError("a deal has no such key", deal=number, expected=None, found=key)
    if not isinstance(deal["actions"], list):
        raise RecordError("actions is no list", deal=number, expected="list", found=deal["actions"])
    if "legal" in deal and not (
        isinstance(deal["legal"], list) and len(deal["legal"]) == len(deal["actions"])
    ):
        raise RecordError("legal is no list with an entry for each action", deal=number)


def _rules(record: dict[str, Any]) -> RuleSet:
    try:
        rules = RuleSet.from_json(record["rules"])
    except EngineError as error:
        raise RecordError(str(error), expected="rules that can be played", found=None) from error
    if len(record["seats"]) != rules.players:
        raise RecordError("seats do not fit the rules", expected=rules.players, found=len(record["seats"]))
    for seat in record["seats"]:
        if not isinstance(seat, dict) or any(not isinstance(seat.get(key), str) for key in SEAT_KEYS):
            raise RecordError("a seat has a name and a version", expected=list(SEAT_KEYS), found=seat)
    _check_stand_ins(record, rules)
    return rules


def _check_stand_ins(record: dict[str, Any], rules: RuleSet) -> None:
    """Seats that were stood in for, once each, from a deal and an action of it on, in that order."""
    before = (0, 0)
    seats: set[int] = set()
    for entry in record["stand_ins"]:
        if not isinstance(entry, dict) or set(entry) != set(STAND_IN_KEYS):
            raise RecordError("a stand-in is seat, deal, action", expected=list(STAND_IN_KEYS), found=entry)
        seat, deal, action = (entry[key] for key in STAND_IN_KEYS)
        if any(not isinstance(number, int) or isinstance(number, bool) for number in (seat, deal, action)):
            raise RecordError("a stand-in is seat, deal, action, in numbers", found=entry)
        if not 0 <= seat < rules.players or seat in seats:
            raise RecordError("a stand-in names a seat, and each seat once", expected="a seat", found=entry)
        known = 0 <= deal < len(record["deals"])
        if not known or not 0 <= action <= len(record["deals"][deal]["actions"]) or (deal, action) < before:
            raise RecordError(
                "a stand-in is out of place", expected="an action after the one before", found=entry
            )
        before = (deal, action)
        seats.add(seat)


def _seed(record: dict[str, Any]) -> bytes | None:
    text, told = record["seed"], record["seed_sha256"]
    if text is None:
        if told is not None and not (isinstance(told, str) and HEX64.fullmatch(told)):
            raise RecordError("the hash of a seed is 64 hex digits", expected="64 hex digits", found=told)
        return None
    if not isinstance(text, str) or not HEX64.fullmatch(text):
        raise RecordError("a seed is 64 hex digits", expected="64 hex digits in lower case", found=text)
    seed = bytes.fromhex(text)
    expected = hashlib.sha256(seed).hexdigest()
    if record["seed_sha256"] != expected:
        raise RecordError("another hash of the seed", expected=expected, found=record["seed_sha256"])
    return seed
