"""Options of several commands: the rule set, the seed, a seat, JSON."""

from __future__ import annotations

import hashlib
import json
import secrets
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from engine import PRESETS, EngineError, RuleSet
from engine.options import BARREL_OPTIONS, CONCESSION_OPTIONS
from engine.ruleset import OPTION_NAMES
from games.commandline.errors import UsageFailed

if TYPE_CHECKING:
    import argparse

PARTS: Final = {
    "barrel": tuple(option.name.partition(".")[2] for option in BARREL_OPTIONS),
    "concession": tuple(option.name.partition(".")[2] for option in CONCESSION_OPTIONS),
}


def add_rules(parser: argparse.ArgumentParser) -> None:
    """``--rules`` and ``--set``."""
    parser.add_argument("--rules", default="pl-3", metavar="PRESET", help="rule set (default pl-3)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="change one option of the rules; repeatable",
    )


def add_json(parser: argparse.ArgumentParser, prints: str) -> None:
    """``--json``, which counts as the protocol and the records do; people count from 1."""
    parser.add_argument(
        "--json", action="store_true", help=f"{prints}; deals, actions and seats count from 0 in it"
    )


def index_of(number: int, count: int, what: str) -> int:
    """The index of the deal or seat ``number`` of ``count``, from 1; UsageFailed where there is none."""
    if not 1 <= number <= count:
        raise UsageFailed(f"{what}s count from 1 to {count}")
    return number - 1


def ruleset_of(options: argparse.Namespace) -> RuleSet:
    """The rule set that was asked for."""
    if options.rules not in PRESETS:
        raise UsageFailed(
            f"there are no rules called {options.rules!r}; there are {', '.join(sorted(PRESETS))}"
        )
    preset = PRESETS[options.rules]
    if not options.set:
        return preset
    record = preset.to_json()
    for change in options.set:
        name, found, text = change.partition("=")
        if not found:
            raise UsageFailed(f"--set takes OPTION=VALUE, not {change!r}")
        _set(record, name, _value(text))
    record["base"] = preset.base or preset.name
    record["name"] = "custom"
    try:
        return RuleSet.from_json(record)
    except EngineError as error:
        raise UsageFailed(str(error)) from error


def _set(record: dict[str, Any], name: str, value: Any) -> None:
    """Change an option, or a part of a barrel or concession that is on (``barrel.threshold``)."""
    whole, _, part = name.partition(".")
    if name in OPTION_NAMES:
        record[name] = value
    elif isinstance(record.get(whole), dict) and part in record[whole]:
        record[whole] = {**record[whole], part: value}
    elif whole in OPTION_NAMES and part in PARTS.get(whole, ()):
        raise UsageFailed(
            f"--set {name}: there is no {whole} in these rules; give all of it: {whole}={{...}}"
        )
    else:
        near = get_close_matches(
            name, [*OPTION_NAMES, *(f"{key}.{part}" for key in PARTS for part in PARTS[key])]
        )
        meant = f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(OPTION_NAMES)}"
        raise UsageFailed(f"--set takes OPTION=VALUE: there is no option {name!r}{meant}")


def _value(text: str) -> Any:
    """JSON where it is JSON (5, true, null, [3], {...}), yes and no, else the word itself."""
    words = {"yes": True, "True": True, "False": False, "None": None, "off": None}
    if text in words:
        return words[text]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def match_seed(word: str | None, number: int, what: str) -> bytes:
    """The seed of match ``number``.

    From ``--seed`` as SHA-256("thousand/1 {what} {seed} {number}"), or a fresh one.
    """
    if word is None:
        return secrets.token_bytes(32)
    text = f"thousand/1 {what} {word} {number}"
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()  # a word may be any bytes
