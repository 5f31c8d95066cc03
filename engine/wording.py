"""Rule sets in words, made from the one description of the options (rules.md section 3; service.md, "rules").

Every text here is English and a message id: whoever shows it may look up a translation and then fill in the parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from engine.cards import PACK
from engine.options import BARREL_OPTIONS, CONCESSION_OPTIONS, OPTIONS, Option
from engine.ruleset import RuleSet

PARTS: Final[dict[str, str]] = {
    "players": "Players and cards",
    "target": "End of the game",
    "auction": "Auction",
    "golden_deals": "Golden deals, cut and redeal",
    "talon_reveal": "Talon and concession",
    "overtake": "Tricks",
    "marriage_lead": "Marriages",
    "rounding": "Scores",
    "barrel": "Barrel and bolts",
}
"""Headings for the options, each by the first option under it."""

RECORDS: Final[dict[str, tuple[Option, ...]]] = {
    "concession": CONCESSION_OPTIONS,
    "barrel": BARREL_OPTIONS,
}

STOCK: Final = (
    "The remaining cards are the stock: after each trick every player draws one. Cards in it: %(n)d."
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What one option says in a rule set: a text with %-parameters, and those."""

    option: Option
    text: str
    parameters: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.parameters if self.parameters else self.text


@dataclass(frozen=True, slots=True)
class Difference:
    """An option in which two rule sets differ, and its two values in record form."""

    option: Option
    values: tuple[Any, Any]
    sentences: tuple[list[Sentence], list[Sentence]]

    @property
    def sides(self) -> list[tuple[Any, list[Sentence]]]:
        """Of each rule set its value and what that says."""
        return list(zip(self.values, self.sentences, strict=True))


def parts(rules: RuleSet) -> list[tuple[str, list[Sentence]]]:
    """The rules in words under headings, in the order of the options; what does not matter in them is left out."""
    found: list[tuple[str, list[Sentence]]] = []
    for option in OPTIONS:
        if option.name in PARTS:
            found.append((PARTS[option.name], []))
        found[-1][1].extend(_said(rules, option))
    return [part for part in found if part[1]]


def fields(rules: RuleSet) -> Iterator[Option]:
    """Every option that has a value in a rule set: in place of a concession or a barrel, its fields."""
    for option in OPTIONS:
        record = option.kind == "record" and getattr(rules, option.name) is not None
        yield from RECORDS[option.name] if record else (option,)


def differences(one: RuleSet, other: RuleSet) -> list[Difference]:
    """Exactly the options in which two rule sets differ; of two concessions or barrels, the fields."""
    found = []
    for option in OPTIONS:
        values = (getattr(one, option.name), getattr(other, option.name))
        if values[0] == values[1]:
            continue
        if option.kind != "record" or None in values:
            found.append(_difference(one, other, option))
        else:
            found += [
                _difference(one, other, part)
                for part in RECORDS[option.name]
                if value_of(one, part) != value_of(other, part)
            ]
    return found


def value_of(rules: RuleSet, option: Option) -> Any:
    """The value of an option in record form; ``barrel.falls`` is the field of the barrel, None without one."""
    value: Any = rules.to_json()
    for name in option.name.split("."):
        value = value[name] if value is not None else None
    return value


def messages() -> list[str]:
    """Every text that the options have for people, each once: what catalogues must translate."""
    every = (*OPTIONS, *CONCESSION_OPTIONS, *BARREL_OPTIONS)
    texts = [*PARTS.values(), STOCK]
    for option in every:
        texts += [option.title, option.meaning, *option.says.values()]
    return [text for text in dict.fromkeys(texts) if text]


def _difference(one: RuleSet, other: RuleSet, option: Option) -> Difference:
    return Difference(
        option,
        (value_of(one, option), value_of(other, option)),
        (list(_said(one, option)), list(_said(other, option))),
    )


def _said(rules: RuleSet, option: Option) -> Iterator[Sentence]:
    if not option.when(rules):
        return
    value = value_of(rules, option)
    text, parameters = option.sentence(value)
    if text:
        yield Sentence(option, text, parameters)
    stock = PACK - rules.active * rules.hand_size - sum(rules.talons)
    if option.name == "talons" and stock:
        yield Sentence(option, STOCK, {"n": stock})
    if option.kind == "record" and value is not None:
        for part in RECORDS[option.name]:
            yield from _said(rules, part)
