"""Options of several commands: the rule set, the seed, the seats."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import TYPE_CHECKING, Any

from engine import PRESETS, EngineError, RuleSet
from games.commandline.errors import UsageFailed

if TYPE_CHECKING:
    import argparse


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
        if not found or name not in record or name in ("name", "base"):
            raise UsageFailed(f"--set takes OPTION=VALUE with an option of the rules, not {change!r}")
        record[name] = _value(text)
    record["base"] = preset.base or preset.name
    record["name"] = "custom"
    try:
        return RuleSet.from_json(record)
    except EngineError as error:
        raise UsageFailed(str(error)) from error


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
