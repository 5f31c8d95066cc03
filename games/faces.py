"""Cards as pages show them: rank, suit sign, a name for screen readers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

SIGNS: Final = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}
SUIT_WORDS: Final = {"S": "spades", "C": "clubs", "D": "diamonds", "H": "hearts"}
RANK_WORDS: Final = {"9": "nine", "J": "jack", "Q": "queen", "K": "king", "T": "ten", "A": "ace"}


@dataclass(frozen=True)
class Card:
    """A card face, made from the protocol's text ("TH")."""

    text: str

    @property
    def rank(self) -> str:
        """The rank as people write it: 10 for T."""
        return "10" if self.text[0] == "T" else self.text[0]

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
        return f"{RANK_WORDS[self.text[0]]} of {SUIT_WORDS[self.text[1]]}"


def cards(texts: Iterable[str]) -> tuple[Card, ...]:
    """Faces of cards written as text."""
    return tuple(Card(text) for text in texts)


def short(texts: Iterable[str]) -> str:
    """Cards within a sentence: "10♥ 9♣"."""
    return " ".join(card.rank + card.sign for card in cards(texts))


def signed(value: int) -> str:
    """A change with its sign, U+2212 for minus: "+20", "−120", "0"."""
    return f"+{value}" if value > 0 else f"−{-value}" if value < 0 else "0"
