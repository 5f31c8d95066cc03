"""Cards as pages show them: rank in the letters of the reader's language, suit sign, a name for screen readers.

Letters and names follow the active language when they are read (service.md, "People at the table"). Protocol, API, text
notation and records know only the protocol's text ("TH"), which is ``Card.text``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

SIGNS: Final = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}
SUIT_WORDS: Final[Mapping[str, Promise]] = {
    "S": _("spades"),
    "C": _("clubs"),
    "D": _("diamonds"),
    "H": _("hearts"),
}
LETTERS: Final = {
    "en": {"A": "A", "K": "K", "Q": "Q", "J": "J", "T": "10", "9": "9"},
    "pl": {"A": "A", "K": "K", "Q": "D", "J": "W", "T": "10", "9": "9"},
    "cs": {"A": "A", "K": "K", "Q": "D", "J": "J", "T": "10", "9": "9"},
    "ru": {"A": "Т", "K": "К", "Q": "Д", "J": "В", "T": "10", "9": "9"},
    "nl": {"A": "A", "K": "H", "Q": "V", "J": "B", "T": "10", "9": "9"},
}
"""What stands on the corner of a card, by language."""
NAMES: Final[Mapping[str, Promise]] = {
    "AS": _("ace of spades"),
    "TS": _("ten of spades"),
    "KS": _("king of spades"),
    "QS": _("queen of spades"),
    "JS": _("jack of spades"),
    "9S": _("nine of spades"),
    "AC": _("ace of clubs"),
    "TC": _("ten of clubs"),
    "KC": _("king of clubs"),
    "QC": _("queen of clubs"),
    "JC": _("jack of clubs"),
    "9C": _("nine of clubs"),
    "AD": _("ace of diamonds"),
    "TD": _("ten of diamonds"),
    "KD": _("king of diamonds"),
    "QD": _("queen of diamonds"),
    "JD": _("jack of diamonds"),
    "9D": _("nine of diamonds"),
    "AH": _("ace of hearts"),
    "TH": _("ten of hearts"),
    "KH": _("king of hearts"),
    "QH": _("queen of hearts"),
    "JH": _("jack of hearts"),
    "9H": _("nine of hearts"),
}


@dataclass(frozen=True)
class Card:
    """A card face, made from the protocol's text ("TH")."""

    text: str

    @property
    def rank(self) -> str:
        """The rank as people of the active language write it: 10 for T, W for a Polish jack."""
        return letters()[self.text[0]]

    @property
    def suit(self) -> str:
        """The suit's letter, lower case, a CSS class."""
        return self.text[1].lower()

    @property
    def sign(self) -> str:
        """♠ ♣ ♦ ♥."""
        return SIGNS[self.text[1]]

    @property
    def name(self) -> str:
        """For screen readers: "ten of hearts"."""
        return str(NAMES[self.text])


def letters() -> Mapping[str, str]:
    """The letters of the active language: {"A": "A", ..., "9": "9"}; English ones for a language without its own."""
    return LETTERS.get((get_language() or "en").partition("-")[0], LETTERS["en"])


def cards(texts: Iterable[str]) -> tuple[Card, ...]:
    """Faces of cards written as text."""
    return tuple(Card(text) for text in texts)


def short(texts: Iterable[str]) -> str:
    """Cards within a sentence: "10♥ 9♣"."""
    return " ".join(card.rank + card.sign for card in cards(texts))


def minus(number: object) -> str:
    """A number as pages write it, U+2212 for a minus: "120", "−120"; what is written already keeps its other characters."""
    text = str(number)
    return f"−{text[1:]}" if text.startswith("-") else text


def signed(value: int) -> str:
    """A change with its sign, U+2212 for minus: "+20", "−120", "0"."""
    return f"+{value}" if value > 0 else f"−{-value}" if value < 0 else "0"
