"""The rule set: one frozen value with all options, refused when it cannot be played (rules.md section 3)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from engine import presets
from engine.errors import RuleSetError, shown
from engine.options import (
    BARREL_OPTIONS,
    CONCESSION_OPTIONS,
    OPTIONS,
    check_record,
)


@dataclass(frozen=True)
class Concession:
    """Giving up before the first card: a bomb (``costs_bid`` False) or rospisat' (True)."""

    upto: str | int = "any"
    limit: int | None = None
    pays: str | int = 60
    costs_bid: bool = False
    barred_at: int | None = None


@dataclass(frozen=True)
class Barrel:
    """The last stretch before the target."""

    threshold: int = 880
    clamp: bool = False
    min_contract: int = 0
    needs_marriage: bool = False
    attempts: int | None = None
    falls: int | None = None


@dataclass(frozen=True)
class RuleSet:
    """All options of a table.

    ``name`` is a preset's, or ``custom`` with ``base`` naming the preset that it was made from.
    ``dataclasses.replace`` of a preset gives such a custom rule set. Raises RuleSetError naming the option.
    """

    players: int = 3
    dealer_sits_out: bool = False
    hand_size: int = 7
    talons: tuple[int, ...] = (3,)
    talon_face_up: bool = False
    choose_talon: bool = False
    target: int = 1000
    deal_limit: int = 200
    auction: bool = True
    opening: str = "forced"
    min_bid: int = 100
    bid_step: int = 10
    contract_step: int = 10
    jump_bids: bool = True
    bid_limit: str = "hand"
    contract_limit: str = "hand"
    ceiling: int = 400
    show_marriage_from: int | None = None
    dark_bid: int | None = None
    golden_deals: bool = False
    golden_raise: bool = False
    cut_ritual: bool = False
    redeal_four_nines: str = "no"
    redeal_below: int = 0
    redeal_barred_by_marriage: bool = False
    redeal_automatic: bool = False
    redeal_talon_below: int = 0
    redeal_talon_nines: int = 0
    talon_reveal: str = "always"
    exchange: str = "give_each"
    concession: Concession | None = None
    overtake: str = "all"
    void: str = "free"
    marriage_lead: str = "either"
    marriage_first_trick: bool = False
    marriage_announcement: str = "optional"
    over_marriage: bool = False
    ace_marriage: int = 0
    claim: bool = False
    rounding: int = 1
    round_half: str = "down"
    defender_limit: str = "none"
    sit_out_bonus: str = "none"
    barrel: Barrel | None = None
    bolts: int = 0
    name: str = "custom"
    base: str | None = "pl-3"

    def __post_init__(self) -> None:
        if isinstance(self.talons, list):
            object.__setattr__(self, "talons", tuple(self.talons))
        _check_values(self)
        _check_layout(self)
        _check_exchange(self)
        _check_numbers(self)
        _check_auctionless(self)
        _check_mixes(self)
        if isinstance(self.name, str) and self.name in presets.TABLE:
            changed = bool(_changed(self, self.name))
            object.__setattr__(self, "base", self.name if changed else None)
            object.__setattr__(self, "name", "custom" if changed else self.name)
        elif self.name != "custom":
            raise RuleSetError("name", f"{shown(self.name)} is neither a preset nor custom")
        elif not isinstance(self.base, str) or self.base not in presets.TABLE:
            raise RuleSetError("base", f"{shown(self.base)} is no preset")

    @property
    def active(self) -> int:
        """Seats that play a deal."""
        return self.players - self.dealer_sits_out

    @property
    def changed(self) -> dict[str, Any]:
        """What differs from the preset, in record form; empty for a preset."""
        return _changed(self, self.base or self.name)

    @property
    def hash(self) -> str:
        """SHA-256 (hex) over the canonical JSON of the options alone, whatever the rule set is called.

        An option added later counts where it is on, so that it leaves older hashes as they are.
        """
        text = json.dumps(_hashed(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The record form: name, base where it is custom, every option (protocol.md section 6)."""
        named = {"name": self.name} if self.base is None else {"name": self.name, "base": self.base}
        return {**named, **_options_json(self)}

    @staticmethod
    def from_json(data: object) -> RuleSet:
        """Read the record form, in which only options added later may be missing. Raises RuleSetError."""
        return _from_json(data)


OPTION_NAMES: Final = tuple(option.name for option in OPTIONS)
LATER: Final = frozenset(
    option.name for option in (*OPTIONS, *CONCESSION_OPTIONS, *BARREL_OPTIONS) if option.later
)
"""Options that older records lack (:attr:`Option.later`), such as ``claim`` or ``barrel.falls``."""


def _options_json(rules: RuleSet) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in OPTION_NAMES:
        value = getattr(rules, name)
        if isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Concession | Barrel):
            value = asdict(value)
        found[name] = value
    return found


def _hashed(rules: RuleSet) -> dict[str, Any]:
    """The options without those added later that are off."""
    found = _options_json(rules)
    for name in LATER:
        record, _, option = name.rpartition(".")
        holder = found[record] if record else found
        kind = {"": RuleSet, "concession": Concession, "barrel": Barrel}[record]
        if holder is not None and holder[option] == getattr(kind, option):
            del holder[option]
    return found


_DEFAULTS: Final[dict[str, Any]] = {
    field.name: list(field.default) if isinstance(field.default, tuple) else field.default
    for field in fields(RuleSet)
}


def _preset_json(name: str) -> dict[str, Any]:
    given = {**_DEFAULTS, **presets.differences(name)}
    return {key: list(given[key]) if key == "talons" else given[key] for key in OPTION_NAMES}


def _changed(rules: RuleSet, preset: str) -> dict[str, Any]:
    expected = _preset_json(preset)
    return {key: value for key, value in _options_json(rules).items() if value != expected[key]}


def _part(name: str, value: object, kind: type, options: tuple[Any, ...]) -> Any:
    """A concession or barrel from its record form."""
    if value is None:
        return None
    names = [option.name.partition(".")[2] for option in options]
    needed = {option for option in names if f"{name}.{option}" not in LATER}
    if not isinstance(value, dict) or not needed <= set(value) <= set(names):
        raise RuleSetError(name, f"is null or an object with exactly {', '.join(names)}")
    return kind(**value)


def _from_json(data: object) -> RuleSet:
    if not isinstance(data, dict):
        raise RuleSetError("rules", "they are an object with every option")
    known = {"name", "base", *OPTION_NAMES}
    for key in data:
        if key not in known:
            raise RuleSetError(str(key)[:40], "there is no such option")
    for key in ("name", *OPTION_NAMES):
        if key not in data and key not in LATER:
            raise RuleSetError(key, "is missing")
    name, base = data["name"], data.get("base")
    if not isinstance(name, str):
        raise RuleSetError("name", "is text")
    if base is not None and (not isinstance(base, str) or name in presets.TABLE):
        raise RuleSetError("base", "is the name of a preset, and only a custom rule set has one")
    values = {key: data[key] for key in OPTION_NAMES if key in data}
    values["concession"] = _part("concession", values["concession"], Concession, CONCESSION_OPTIONS)
    values["barrel"] = _part("barrel", values["barrel"], Barrel, BARREL_OPTIONS)
    rules = RuleSet(**values, name=name, base=base)
    if rules.name != name:
        option = next(iter(rules.changed))
        raise RuleSetError(
            option, f"differs from the preset {name}: call the rules custom and name their base"
        )
    return rules


def _check_values(rules: RuleSet) -> None:
    for option in OPTIONS:
        if option.kind not in ("sizes", "record"):
            option.check(getattr(rules, option.name))
    if rules.concession is not None:
        check_record("concession", rules.concession, CONCESSION_OPTIONS, Concession)
    if rules.barrel is not None:
        check_record("barrel", rules.barrel, BARREL_OPTIONS, Barrel)
    sizes = rules.talons
    if not isinstance(sizes, tuple) or len(sizes) > 2:
        raise RuleSetError("talons", f"{shown(sizes)} is no list of at most two sizes")
    for size in sizes:
        if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= 24:
            raise RuleSetError("talons", f"{shown(size)} is no size of a talon")


def _check_layout(rules: RuleSet) -> None:
    if rules.dealer_sits_out and rules.players != 4:
        raise RuleSetError("dealer_sits_out", "needs four players")
    stock = 24 - rules.active * rules.hand_size - sum(rules.talons)
    if stock < 0:
        raise RuleSetError("hand_size", "more than 24 cards are dealt")
    if stock % rules.active:
        raise RuleSetError("hand_size", f"a stock of {stock} cards cannot be shared by {rules.active} seats")
    if rules.choose_talon and len(rules.talons) != 2:
        raise RuleSetError("choose_talon", "needs two talons")
    if rules.choose_talon and rules.talons[0] != rules.talons[1]:
        raise RuleSetError("talons", "talons to choose from are of one size")
    if rules.sit_out_bonus != "none" and not rules.dealer_sits_out:
        raise RuleSetError("sit_out_bonus", "nobody sits out")


def _check_exchange(rules: RuleSet) -> None:
    taken = rules.talons[0] if rules.talons else 0
    fits = {
        "give_each": taken == rules.active,
        "give_one": rules.active == 2 and taken == 2,
        "discard": taken > 0,
        "none": taken == 0,
    }
    if rules.auction and not fits[rules.exchange]:
        raise RuleSetError(
            "exchange", f"{rules.exchange} with a talon of {taken} leaves {rules.active} seats unequal hands"
        )
    if rules.redeal_four_nines in ("exchanged", "both") and rules.exchange == "none":
        raise RuleSetError("redeal_four_nines", f"{rules.redeal_four_nines} needs an exchange")


def _check_numbers(rules: RuleSet) -> None:
    if rules.bid_step % rules.contract_step:
        raise RuleSetError("bid_step", "is no multiple of contract_step")
    for option in ("min_bid", "dark_bid", "ceiling"):
        value = getattr(rules, option)
        if value is not None and value % rules.bid_step:
            raise RuleSetError(option, "is no multiple of bid_step")
        if value is not None and value > rules.ceiling:
            raise RuleSetError(option, "is above the ceiling")
    if rules.dark_bid is not None and rules.dark_bid < rules.min_bid:
        raise RuleSetError("dark_bid", "is below min_bid")


def _check_auctionless(rules: RuleSet) -> None:
    if rules.auction:
        return
    bound = {
        "talons": bool(rules.talons),
        "barrel": rules.barrel is not None,
        "concession": rules.concession is not None,
        "golden_deals": rules.golden_deals,
        "dark_bid": rules.dark_bid is not None,
        "exchange": rules.exchange != "none",
        "claim": rules.claim,
        "defender_limit": rules.defender_limit != "none",
    }
    for option, used in bound.items():
        if used:
            raise RuleSetError(option, "needs an auction")


def _check_mixes(rules: RuleSet) -> None:
    if rules.claim and (rules.over_marriage or rules.ace_marriage):
        raise RuleSetError("claim", "would not be certain with over_marriage or ace_marriage")
    barrel = rules.barrel
    if barrel is None:
        return
    if barrel.threshold >= rules.target:
        raise RuleSetError("barrel.threshold", "is at or above the target")
    if barrel.attempts is not None and not barrel.clamp:
        raise RuleSetError("barrel.attempts", "need clamp")


def _preset(name: str) -> RuleSet:
    values = presets.differences(name)
    if values.get("concession") is not None:
        values["concession"] = Concession(**values["concession"])
    if values.get("barrel") is not None:
        values["barrel"] = Barrel(**values["barrel"])
    return RuleSet(**values, name=name, base=None)


PRESETS: Final[dict[str, RuleSet]] = {name: _preset(name) for name in presets.TABLE}
"""The 21 presets of rules.md section 8."""
