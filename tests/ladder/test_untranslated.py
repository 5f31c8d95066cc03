"""No text of a page stays English in another language: by what pages show, and by what their templates hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from botapi.house_bots import enter_house_bots
from botapi.models import Bot, User
from engine import PRESETS
from games.models import Match
from ladder import tournaments
from ladder.models import Season
from ladder.rating_log import rate_finished
from ladder.seasons import create_season
from ladder.tournament_models import Tournament
from tests.games import making as games
from tests.games.croupier import Croupier
from tests.games.test_live import playing
from tests.ladder import making
from tests.ladder.test_events import enter, event
from tests.ladder.tournament_making import play_queued, started

pytestmark = pytest.mark.django_db

WORD = re.compile(r"[A-Za-z]{3,}")
READ_OUT = ("aria-label", "alt", "placeholder", "title")
CODE = frozenset({"code", "kbd", "pre", "samp", "script", "style"})
EMPTY = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
ALIKE = {
    "pl": {"Bot", "Webhook", "Endpoint", "Menu", "Rating", "Format", "Status", "Podium", "start (ms)"},
    "ru": set(),
}
"""Words that a language shares with English."""
NAMES = re.compile(
    r"https?://\S*|[\w.]*@[\w.]+|\b[0-9a-f]{64}\b"
    r"|\b(E-mail|Thousand ladder|Python|UTC|CSV|JSON|API|SHA-256|HTTP|Buchholz|Glicko|custom|Player \d+)\b"
)
"""What has one name everywhere; "custom" is what the notation calls rules without a name."""
FOREIGN = frozenset({"button", "li", "p", "span"})
"""What may have a language of its own: a choice of languages, and English lines of bots, checks and bots' tools."""
PROTOCOL = re.compile(r"^\(?[a-z_]+(, [a-z_]+)*\)?,?$")
"""Words of the protocol, one or several; only the page on the protocol may show them bare."""


class Texts(HTMLParser):
    """What a person reads on a page, without code and without what belongs to a language of its own.

    ``body`` is what of it stands between the frame's head and foot.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.body: list[str] = []
        self.open: list[tuple[str, bool]] = []
        self.feed(page)

    @property
    def silent(self) -> bool:
        return any(silent for _tag, silent in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if not self.silent:
            self.found += [given[name] or "" for name in READ_OUT if name in given]
        if tag not in EMPTY:
            own = ("lang" in given and tag in FOREIGN) or given.get("translate") == "no"
            self.open.append((tag, tag in CODE or own))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data)
            if any(tag == "main" for tag, _silent in self.open):
                self.body.append(data)


def words(found: list[str]) -> set[str]:
    """Those of these texts that have words in them."""
    return {" ".join(text.split()) for text in found if re.search(r"[^\W\d_]{3,}", text)}


def english(client: Client, address: str, language: str, names: set[str]) -> set[str]:
    """The texts of a page that are the same in English and in ``language``, but for names."""
    pages = []
    for code in ("en", language):
        answer = client.get(address, headers={"accept-language": code})
        assert answer.status_code in (200, 403, 404), (address, answer.status_code)
        page = Texts(answer.content.decode())
        assert words(page.body), f"{address} says nothing between its head and its foot in {code}"
        pages.append(words(page.found))
    same = {without(text, names) for text in pages[0] & pages[1]}
    protocol = "/docs/protocol/" in address
    return {
        text
        for text in same
        if WORD.search(text) and not (protocol and PROTOCOL.match(text)) and text not in ALIKE[language]
    }


def without(text: str, names: set[str]) -> str:
    """A text without the names of bots, people and rules that stand in it."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text)
    return NAMES.sub("", text).strip(" ·:")


def public() -> Iterator[str]:
    yield from ("/", "/ladder/", "/matches/", "/bots/", "/seasons/", "/tournaments/", "/events/", "/live/")
    yield from ("/schedule/", "/status/", "/ratings/", "/play/", "/practice/", "/no-such-page/")
    yield from ("/docs/", "/docs/first-bot/", "/docs/protocol/", "/docs/errors/", "/docs/api/")
    yield from ("/docs/notation/", "/docs/rules/", "/docs/rules/pl-3/", "/docs/rules/differences/")
    yield from ("/login/", "/signup/", "/password/", "/settings/")


def of_an_account() -> Iterator[str]:
    yield from ("/me/", "/me/bots/", "/me/bots/new/", "/me/tokens/", "/me/webhook/", "/me/email/")
    yield from ("/me/password/", "/me/delete/", "/events/new/")


@pytest.mark.parametrize("language", ["pl", "ru"])
def test_public_pages_and_those_of_an_account_are_translated(language: str, client: Client) -> None:
    enter_house_bots()
    pool = making.pool()
    field = making.versions(6, house=2)
    making.season_of_matches(pool, field, 30)
    rate_finished(pool)
    create_season("later", name="Autumn", ruleset=PRESETS["pl-3"])
    cup = started(6)
    play_queued(cup)
    tournaments.advance(cup)
    show = event()
    enter(show)
    person = games.author(is_organiser=True)
    mine = games.sandboxed(owner=person)
    match = games.finished()
    live = playing()
    bot, other = field[-1].bot.name, field[-2].bot.name
    everybodys = [
        *public(),
        *(f"/bots/{bot}/", f"/bots/{bot}/rating/", f"/bots/{bot}/against/{other}/"),
        *(f"/seasons/spring/{part}" for part in ("", "board/", "deals/", "matrix/")),
        *(f"/tournaments/{cup.slug}/", f"/events/{show.slug}/"),
        *(f"/live/{live.pk}/", "/matches/?rated=1&series=season+spring", "/matches/?bot=nobody"),
        *(f"/matches/{match.pk}/", f"/matches/{match.pk}/fairness/", f"/matches/{match.pk}/deals/1/"),
    ]
    own = f"/me/bots/{mine.bot.name}/"
    members = [*of_an_account(), own, f"{own}submit/", f"{own}versions/1/", f"/bots/{bot}/report/"]
    names = names_of_everybody()
    author = Client()
    author.force_login(person)
    left = {page: english(client, page, language, names) for page in everybodys}
    left |= {page: english(author, page, language, names) for page in members}
    organiser = Client()
    organiser.force_login(show.organiser)
    organised = (f"/events/{show.slug}/organise/", f"/events/{show.slug}/organise/edit/")
    left |= {page: english(organiser, page, language, names) for page in organised}
    left = {page: found for page, found in left.items() if found}
    assert not left, "\n".join(f"{page}: {sorted(found)}" for page, found in left.items())


def names_of_everybody() -> set[str]:
    """Names of people, bots, rules and of what the tests made."""
    found = {*PRESETS, *User.objects.values_list("username", flat=True)}
    found |= set(Bot.objects.values_list("name", flat=True))
    found |= {
        *Season.objects.values_list("name", flat=True),
        *Tournament.objects.values_list("name", flat=True),
    }
    return found


@pytest.mark.parametrize("language", ["pl", "ru"])
def test_the_table_is_translated_in_all_its_phases(language: str, client: Client) -> None:
    enter_house_bots()
    client.post("/play/", {"now": "1"})
    match = Match.objects.get()
    address = f"/tables/{match.pk}/"
    left: set[str] = english(client, address, language, names_of_everybody())
    croupier = Croupier(match.pk).go()
    for decision in range(24):
        if croupier.game.seat is None:
            break
        if decision % 2 == 0:
            left |= english(client, address, language, names_of_everybody() | {"Guest"})
        legal = croupier.game.legal
        croupier._apply(next((action for action in legal if action.startswith("bid:")), legal[0]), None)
        croupier.go()
    assert not left


STANDS = {"ms", "Python", "Thousand ladder", "UTC", "CSV", "JSON", "API · Thousand ladder"}


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[2].glob("*/templates/**/*.html")), ids=lambda p: p.name
)
def test_a_template_holds_no_text_outside_its_marks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"{% comment %}.*?{% endcomment %}|{#.*?#}", "", text, flags=re.DOTALL)
    text = re.sub(r"{% blocktranslate\b.*?{% endblocktranslate %}", "", text, flags=re.DOTALL)
    text = re.sub(r"<(code|pre|kbd|script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r"{%.*?%}|{{.*?}}", "\0", text, flags=re.DOTALL)
    pieces = re.findall(rf'\b(?:{"|".join(READ_OUT)})="([^"]*)"', text)
    pieces += re.split("[\0\1]", re.sub(r"<[^>]*>", "\1", text))
    left = {
        piece.strip(" \n·|") for piece in pieces if re.search("[A-Za-z]{2,}", piece) and '="' not in piece
    }
    left -= STANDS
    assert not {piece for piece in left if not (path.parent.name == "docs" and PROTOCOL.match(piece))}
