"""The text notation: one short block a deal, for posts and bug reports (protocol.md section 6).

::

    thousand 1
    match "12"
    rules pl-3 rounding=5
    seed 2c65…                      (or -: the decks speak for themselves)
    seats [{"name":"a","version":"1"},…]
    stand-ins []

    deal 0 dealer 0
    9CQDAD9SKSKH…                   the deck, in dealing order
    b100 b110 - - >9D >9H c110 / AS QS TS / QC! TC 9C / …
    = declarer 2 contract 110 points 13 44 123 scores 10 40 110 totals 10 40 110

    result target totals 490 -240 510 ranks 2 3 1 places 2 3 1

``b110`` bids, ``-`` passes, ``t0`` takes a talon, ``>9S`` gives, ``x9S`` discards, ``c120`` is the contract,
a card is played, with ``!`` melded; words stand for themselves; ``/`` only parts tricks. Whose turn it is
follows from the rules. A reader plays the deal and refuses a block whose numbers disagree.
"""

from __future__ import annotations

import json
import re
from itertools import zip_longest
from typing import Any, Final

from engine.actions import CLAIM, CONCEDE, DARK, KEEP, LOOK, PASS, REDEAL
from engine.chronicle import places
from engine.errors import EngineError, NotationError, RecordError, shown
from engine.game import Game
from engine.record import verify
from engine.ruleset import PRESETS, RuleSet

HEAD: Final = "thousand 1"
WORDS: Final = frozenset({REDEAL, KEEP, DARK, LOOK, CONCEDE, CLAIM})
SIGNS: Final = {
    "bid": "b",
    "talon": "t",
    "give": ">",
    "discard": "x",
    "contract": "c",
    "play": "",
    "meld": "",
}
TOKEN: Final = re.compile(
    r"(?P<verb>[btc])(?P<number>0|[1-9][0-9]{0,4})|(?P<move>[>x]?)(?P<card>[9JQKTA][SCDH])(?P<meld>!?)"
)
VERBS: Final = {"b": "bid", "t": "talon", "c": "contract", ">": "give", "x": "discard", "": "play"}
LONGEST: Final = 4_000_000
"""Characters; a match of 200 deals has some 60,000."""


def write(record: dict[str, Any]) -> str:
    """A record as text. Raises RecordError when it does not replay to itself."""
    verify(record)
    rules = RuleSet.from_json(record["rules"])
    changes = [f"{name}={_json(value)}" for name, value in rules.changed.items()]
    named = rules.base or rules.name
    custom = ["custom"] if rules.base is not None else []
    lines = [
        HEAD,
        f"match {_json(record['match'])}",
        " ".join(["rules", *custom, named, *changes]),
        f"seed {record['seed'] or '-'}",
        f"seats {_json(record['seats'])}",
        f"stand-ins {_json(record['stand_ins'])}",
    ]
    for number, deal in enumerate(record["deals"]):
        lines += ["", *_deal_lines(number, deal, rules.active)]
    if record["result"] is not None:
        lines += ["", _result_line(record["result"])]
    return "\n".join(lines) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def _deal_lines(number: int, deal: dict[str, Any], width: int) -> list[str]:
    return [
        f"deal {number} dealer {deal['dealer']}",
        "".join(deal["deck"]),
        _moves([action for _, action in deal["actions"]], width),
        _summary_line(deal),
    ]


def _moves(actions: list[str], width: int) -> str:
    tokens: list[str] = []
    played = 0
    for action in actions:
        if action.startswith(("play", "meld")):
            if played % width == 0:
                tokens.append("/")
            played += 1
        tokens.append(_token(action))
    return " ".join(tokens)


def _token(action: str) -> str:
    if action == PASS:
        return "-"
    verb, found, rest = action.partition(":")
    return f"{SIGNS[verb]}{rest}{'!' if verb == 'meld' else ''}" if found else action


def _summary_line(deal: dict[str, Any]) -> str:
    if deal["void"]:
        head = "= void"
    elif deal["declarer"] is None:
        head = "= open"
    elif deal["contract"] is None:
        head = f"= declarer {deal['declarer']} conceded"
    else:
        head = f"= declarer {deal['declarer']} contract {deal['contract']}"
    return " ".join([head, *_numbers(deal, ("points", "scores", "totals"))])


def _numbers(holder: dict[str, Any], keys: tuple[str, ...]) -> list[str]:
    return [word for key in keys for word in (key, *(str(number) for number in holder[key]))]


def _result_line(result: dict[str, Any]) -> str:
    return " ".join(["result", result["reason"], *_numbers(result, ("totals", "ranks", "places"))])


class _Lines:
    """The lines that hold something, with their numbers."""

    def __init__(self, text: str) -> None:
        self.rest = [
            (number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
        self.rest.reverse()
        self.number = 0

    def next(self, what: str) -> str:
        """The next line. Raises NotationError when there is none."""
        if not self.rest:
            raise NotationError(f"{what} is missing at the end", self.number)
        self.number, line = self.rest.pop()
        return line

    def marked(self, mark: str) -> str:
        """What follows ``mark`` on the next line."""
        line = self.next(mark)
        if line != mark and not line.startswith(mark + " "):
            raise self.error(f"a line beginning with {mark!r} is expected, not {shown(line)}")
        return line[len(mark) :].strip()

    def error(self, message: str) -> NotationError:
        """An error on the line just read."""
        return NotationError(message, self.number)


def read(text: str) -> dict[str, Any]:
    """The record that a text describes. Raises NotationError with the line that is wrong."""
    if len(text) > LONGEST:
        raise NotationError("the text is too long")
    lines = _Lines(text)
    if lines.next("the heading") != HEAD:
        raise lines.error(f"the first line is {HEAD!r}")
    try:
        return _read(lines)
    except RecordError as error:
        raise NotationError(
            str(error),
            lines.number,
            deal=error.deal,
            action=error.action,
            expected=error.expected,
            found=error.found,
        ) from error


def _read(lines: _Lines) -> dict[str, Any]:
    match = _json_line(lines, "match", str)
    rules = _read_rules(lines)
    seed = _read_seed(lines)
    seats = _json_line(lines, "seats", list)
    stand_ins = _json_line(lines, "stand-ins", list)
    blocks = _blocks(lines)
    if seed is None and not blocks:
        raise lines.error("without a seed there is at least one deal")
    game = _game(rules, seed, blocks)
    for number, block in enumerate(blocks):
        _play_block(game, number, block)
    record: dict[str, Any] = {
        "match": match,
        "seats": seats,
        "stand_ins": stand_ins,
        "deals": game.deals,
    }
    ended = _read_result(lines, game, record)
    try:
        full = game.record(match=match, seats=seats, stand_ins=stand_ins)
        verify(full)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise lines.error("seats or stand-ins are not of the right shape") from error
    if (full["result"] is None) != (not ended):
        raise lines.error("the result is missing, or the match goes on")
    return full


def _json_line(lines: _Lines, mark: str, kind: type) -> Any:
    text = lines.marked(mark)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise lines.error(f"{mark} is followed by JSON, not by {shown(text)}") from None
    if not isinstance(value, kind):
        raise lines.error(f"{mark} is followed by JSON of another kind")
    return value


def _read_rules(lines: _Lines) -> RuleSet:
    words = lines.marked("rules").split()
    custom = words[:1] == ["custom"]
    words = words[1:] if custom else words
    if not words or words[0] not in PRESETS:
        raise lines.error(f"there is no preset {shown(' '.join(words[:1]))}")
    form = PRESETS[words[0]].to_json()
    if custom:
        form = {**form, "name": "custom", "base": words[0]}
    given: set[str] = set()
    for word in words[1:]:
        name, _, text = word.partition("=")
        if name not in form or name in ("name", "base"):
            raise lines.error(f"there is no option {shown(name)}")
        if name in given:
            raise lines.error(f"{name} stands there twice")
        given.add(name)
        try:
            form[name] = json.loads(text)
        except (ValueError, RecursionError):
            raise lines.error(f"{shown(text)} is no value of {name}") from None
    try:
        return RuleSet.from_json(form)
    except EngineError as error:
        raise lines.error(str(error)) from error


def _read_seed(lines: _Lines) -> bytes | None:
    text = lines.marked("seed")
    if text == "-":
        return None
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise lines.error("a seed is 64 hex digits or -")
    return bytes.fromhex(text)


Block = list[tuple[int, str]]
"""The four lines of a deal with their numbers."""


def _blocks(lines: _Lines) -> list[Block]:
    blocks: list[Block] = []
    while lines.rest and lines.rest[-1][1].startswith("deal "):
        block: Block = []
        for what in ("the deal", "the deck", "the moves", "the scores"):
            line = lines.next(what)
            block.append((lines.number, line))
        blocks.append(block)
    return blocks


def _game(rules: RuleSet, seed: bytes | None, blocks: list[Block]) -> Game:
    if seed is not None:
        return Game(rules, seed=seed)
    decks = []
    for block in blocks:
        number, line = block[1]
        deck = [line[at : at + 2] for at in range(0, len(line), 2)]
        try:
            Game(rules, decks=[deck])
        except EngineError as error:
            raise NotationError(str(error), number) from error
        decks.append(deck)
    return Game(rules, decks=decks)


def _play_block(game: Game, number: int, block: Block) -> None:
    (head_line, head), (deck_line, deck), (moves_line, moves), (sum_line, summary) = block
    if number > game.deal:
        raise NotationError("a deal after the end of the match", head_line)
    deal = game.current if game.deal == number else game.finished[number][0]
    _agree(head, f"deal {number} dealer {deal.dealer}", head_line, number)
    taken = deal.actions
    for index, token in enumerate(token for token in moves.split() if token != "/"):  # noqa: S105 - no secret
        action = _action(token, moves_line)
        ended = len(game.finished) > number
        legal = (taken[index][1],) if index < len(taken) else () if ended else game.legal
        if action not in legal:
            raise NotationError(
                f"{token} is not legal" if legal else f"{token} comes after the end of the deal",
                moves_line,
                deal=number,
                action=index,
                expected=list(legal),
                found=action,
            )
        if index == len(taken):
            game.apply(action)
    if len(game.finished) <= number:
        raise NotationError("the deal goes on", moves_line, deal=number, expected=list(game.legal))
    record = game.deals[number]
    written = sum(1 for token in moves.split() if token != "/")  # noqa: S105 - no secret
    if written != len(record["actions"]):
        missing = record["actions"][written]
        raise NotationError("a move is missing", moves_line, deal=number, action=written, expected=missing)
    _agree(deck, "".join(record["deck"]), deck_line, number)
    _agree(summary, _summary_line(record), sum_line, number)


def _agree(found: str, expected: str, line: int, deal: int | None = None) -> None:
    """Raise NotationError, with the first word that differs, where a line is not what the rules say."""
    words = zip_longest(found.split(), expected.split())
    for at, (word, wanted) in enumerate(words, 1):
        if word != wanted:
            raise NotationError(
                f"word {at} disagrees with the rules", line, deal=deal, expected=wanted, found=word
            )


def _action(token: str, line: int) -> str:
    if token == "-":  # noqa: S105 - no secret
        return PASS
    if token in WORDS:
        return token
    found = TOKEN.fullmatch(token)
    if found is None:
        raise NotationError(f"{shown(token)} is no action", line)
    if found["verb"]:
        return f"{VERBS[found['verb']]}:{int(found['number'])}"
    verb = "meld" if found["meld"] else VERBS[found["move"]]
    return f"{verb}:{found['card']}"


def _read_result(lines: _Lines, game: Game, record: dict[str, Any]) -> bool:
    """Check the result line against the game; whether there is one."""
    ended = game.result
    if not lines.rest:
        return False
    line = lines.next("the result")
    if ended is None:
        raise lines.error(f"{shown(line)} where the match goes on")
    try:
        placed = places(ended.ranks, record["stand_ins"])
    except (TypeError, KeyError):
        raise lines.error("stand-ins are not of the right shape") from None
    expected = {
        "reason": ended.reason,
        "totals": ended.totals,
        "ranks": ended.ranks,
        "places": placed,
    }
    _agree(line, _result_line(expected), lines.number)
    if lines.rest:
        lines.next("nothing")
        raise lines.error("a line after the result")
    return True
