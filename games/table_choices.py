"""What a person may choose before sitting down: rules with a line each, opponents, and what is taken without a choice."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from botapi.models import Bot, User, Version
from engine import PRESETS

LINES: Final[Mapping[str, Promise]] = {
    "pl-3": _("Polish. Beat the trick if you can; half of a marriage can be led; the rest can be claimed."),
    "natjar-3": _("Polish, stricter. Bids go up by one step, only the queen melds, a barrel at 900."),
    "cz-3": _("Czech. You must beat and trump; marriages are melded for you; a barrel at 800."),
    "cz-3-short": _("Czech, up to 500 points: the shortest game."),
    "ru-3": _("Russian. Bids in the dark, four aces as a marriage, a barrel with three tries, bolts."),
    "ru-3-gold": _("Russian, begun with golden deals: 120 without an auction, scores doubled."),
    "nl-3": _("Dutch. Nobody is forced to open, and nobody must beat."),
    "pl-2": _("Polish. Ten cards each and two talons, of which the declarer chooses one."),
    "pl-2-nine": _("Polish. Nine cards each and two talons of three."),
    "pl-2-twelve": _("Polish. All cards are dealt; there is no talon."),
    "pl-2-draw": _("Polish. Six cards, the others are drawn after each trick; no auction."),
    "pl-2-open": _("Polish. Seven cards, a talon that lies open, the others are drawn."),
    "natjar-2": _("Polish, stricter. Ten cards each and two talons to choose from."),
    "ru-2": _("Russian. Ten cards each; one card is given to the other player."),
    "ru-2-gold": _("Russian, begun with golden deals."),
    "pl-4-sit": _("Polish. The dealer sits out and scores for the talon."),
    "pl-4-all": _("Polish. All four play with six cards; a king can answer a queen with a marriage."),
    "natjar-4": _("Polish, stricter. The dealer sits out."),
    "ru-4": _("Russian. The dealer sits out and scores for the talon."),
    "ru-4-gold": _("Russian, begun with golden deals; the dealer sits out."),
    "nl-4": _("Dutch. The dealer sits out."),
}
"""One line a preset; the rules in words say the rest."""
USUAL: Final = {"pl": "pl-3", "cs": "cz-3", "ru": "ru-3", "nl": "nl-3"}
"""What "Play now" takes, by language; else the first of the Czech ones, which melds by itself."""
USUAL_ELSE: Final = "cz-3"
OPPONENTS: Final[Mapping[str, Promise]] = {
    "counter": _("Counter: remembers every card"),
    "greedy": _("Greedy: takes what it can get"),
    "first": _("First: does the first thing that the rules allow"),
    "random": _("Random: plays any card, for a first look"),
}
"""All house bots as opponents, the stronger ones first."""
SESSION_KEY: Final = "practice"
MOST_BOTS: Final = 200


@dataclass(frozen=True)
class Choice:
    """What was chosen: a preset, an opponent for each other seat (one name for all, or a name a seat), the short game."""

    rules: str
    opponents: tuple[str, ...]
    short: bool

    def seated(self) -> list[str]:
        """A name for each other seat, the last one again where names are missing."""
        others = PRESETS[self.rules].players - 1
        names = [*self.opponents[:others]]
        return names + [names[-1] if names else "counter"] * (others - len(names))


def usual(language: str) -> Choice:
    """What is played without a choice: a short game by the rules of the language, against the strongest house bot."""
    return Choice(USUAL.get(language.partition("-")[0], USUAL_ELSE), ("counter",), short=True)


def last(session: Mapping[str, Any], language: str) -> Choice:
    """What this visitor chose the last time, else the usual."""
    kept = session.get(SESSION_KEY)
    if not kept or kept["rules"] not in PRESETS:
        return usual(language)
    return Choice(kept["rules"], tuple(kept["opponents"]), bool(kept["short"]))


def remember(session: MutableMapping[str, Any], choice: Choice) -> None:
    """Keep a choice for the next time."""
    session[SESSION_KEY] = {
        "rules": choice.rules,
        "opponents": list(choice.opponents),
        "short": choice.short,
    }


@dataclass(frozen=True)
class Group:
    """Presets for so many players, with their lines; ``open`` where the chosen one is among them."""

    title: str
    lines: tuple[tuple[str, Promise], ...]
    open: bool


def groups(chosen: Choice) -> list[Group]:
    """All presets by players, three first."""
    found = []
    for players in (3, 2, 4):
        lines = tuple((name, line) for name, line in LINES.items() if PRESETS[name].players == players)
        title = ngettext("%(n)d player", "%(n)d players", players) % {"n": players}
        found.append(Group(title, lines, any(name == chosen.rules for name, _line in lines)))
    return found


def bots_of_others(user: object) -> Sequence[str]:
    """Names of bots that play unrated matches with this account, house bots aside; none for guests. One query."""
    if not isinstance(user, User):
        return []
    found = Bot.objects.filter(
        Q(owner=user) | Q(allow_tests=True),
        state=Bot.State.ACTIVE,
        active_version__state=Version.State.PASSED,
    ).exclude(kind=Bot.Kind.HOUSE)
    return list(found.order_by("name").values_list("name", flat=True)[:MOST_BOTS])
