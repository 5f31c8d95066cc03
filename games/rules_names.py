"""What people call the rules of a game: a preset by its name, changed rules by the preset that they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from django.utils.translation import gettext, ngettext

from engine import PRESETS, RuleSet
from games.practice import SHORT_TARGET

BY_HASH: Final[Mapping[str, str]] = {rules.hash: name for name, rules in PRESETS.items()}


def preset_of(rules: Mapping[str, Any]) -> str:
    """The preset whose options these are, whatever the record form calls them; empty for changed rules."""
    name = str(rules["name"])
    return name if name in PRESETS else BY_HASH.get(_read(rules).hash, "")


def base_of(rules: Mapping[str, Any]) -> str:
    """The preset whose options these are, or from which they were changed."""
    return preset_of(rules) or str(rules["base"])


def rules_name(rules: Mapping[str, Any]) -> str:
    """Rules in record form in the reader's language: "pl-3", "pl-3, short game", "pl-3, 8 deals", "pl-3, changed"."""
    preset = preset_of(rules)
    if preset:
        return preset
    read = _read(rules)
    changed, base = read.changed, {"base": read.base}
    if changed.get("target") == SHORT_TARGET and changed.keys() <= {"target", "barrel"}:
        return gettext("%(base)s, short game") % base
    if changed.keys() == {"deal_limit"}:
        deals = {"n": read.deal_limit, **base}
        return ngettext("%(base)s, %(n)d deal", "%(base)s, %(n)d deals", read.deal_limit) % deals
    return gettext("%(base)s, changed") % base


def _read(rules: Mapping[str, Any]) -> RuleSet:
    return _read_text(json.dumps(rules, sort_keys=True))


@lru_cache(maxsize=512)
def _read_text(text: str) -> RuleSet:
    return RuleSet.from_json(json.loads(text))
