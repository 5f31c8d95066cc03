"""Cards bear the letters of the reader's language wherever people look, and those of the protocol everywhere else."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from botapi.house_bots import enter_house_bots
from games import watching
from games.faces import LETTERS
from games.models import Match
from ladder import seasons
from ladder.deal_counting import count_deals
from tests.games import making
from tests.games.croupier import Croupier
from tests.games.test_live import midway, playing

pytestmark = pytest.mark.django_db

FACE = re.compile(r'aria-hidden="true">([^<]*)<b>[♠♣♦♥]</b>')
"""The corner of a card."""
SENTENCE = re.compile(r"(?<![\w>])(10|\w)[♠♣♦♥]")
"""A card within a sentence."""
LANGUAGES = sorted(LETTERS)


def ranks(client: Client, address: str, language: str) -> set[str]:
    """The ranks on the cards of a page and in its sentences."""
    answer = client.get(address, headers={"accept-language": language})
    assert answer.status_code == 200
    page = answer.content.decode()
    faces = set(FACE.findall(page))
    assert faces, f"no card on {address}"
    return faces | set(SENTENCE.findall(page))


def own(language: str) -> set[str]:
    return set(LETTERS[language].values())


def test_each_language_has_six_letters_of_its_own() -> None:
    assert all(len(set(letters.values())) == 6 for letters in LETTERS.values())
    assert len({tuple(letters.values()) for letters in LETTERS.values()}) == len(LETTERS)


def test_a_replay_and_its_steps_have_the_letters_of_the_reader(client: Client) -> None:
    match = making.finished()
    for address in (f"/matches/{match.pk}/", f"/matches/{match.pk}/deals/1/?step=9"):
        for language in LANGUAGES:
            found = ranks(client, address, language)
            assert found <= own(language), (address, language, found)
    assert own("ru") == ranks(client, f"/matches/{match.pk}/", "ru")
    notation = client.get(
        f"/matches/{match.pk}/record.txt", headers={"accept-language": "ru"}
    ).content.decode()
    assert re.search(r"\b[AKQJT9][SCDH]\b", notation)
    assert not re.search("[А-Яа-я]", notation)
    record = client.get(f"/matches/{match.pk}/record.json", headers={"accept-language": "pl"})
    assert re.search(r"play:[AKQJT9][SCDH]", record.content.decode())


def test_the_chart_of_a_seasons_cards_has_the_letters_of_the_reader(client: Client) -> None:
    enter_house_bots()
    season = seasons.open_season(seasons.create_season("spring", name="Spring", ruleset=making.SHORT))
    making.finished(series=season.series)
    count_deals(season)
    for language in LANGUAGES:
        page = client.get("/seasons/spring/deals/", headers={"accept-language": language}).content.decode()
        axis = re.findall(r'text-anchor="middle">([^<]*)[♠♣♦♥]</text>', page)
        assert (len(axis), set(axis)) == (24, own(language))


def test_a_table_has_the_letters_of_the_person_at_it(client: Client) -> None:
    enter_house_bots()
    client.post("/play/", {"now": "1"})
    match = Match.objects.get()
    croupier = Croupier(match.pk).go()
    for _decision in range(6):
        for language in LANGUAGES:
            found = ranks(client, f"/tables/{match.pk}/", language)
            assert found <= own(language), (language, found)
        croupier._apply(croupier.game.legal[0], None)
        croupier.go()
    state = client.get(f"/api/v1/tables/{match.pk}/", headers={"accept-language": "ru"}).content.decode()
    assert not re.search("[ТКДВ][♠♣♦♥SCDH]", state)


def test_a_live_table_has_the_letters_of_whoever_watches(client: Client) -> None:
    match = playing()
    names = [seat.name for seat in match.seats.order_by("index")]
    watching.show(match, midway(making.SHORT, names))
    for language in LANGUAGES:
        found = ranks(client, f"/live/{match.pk}/", language)
        assert found <= own(language), (language, found)
    state = client.get(f"/api/v1/live/{match.pk}/", headers={"accept-language": "ru"}).content.decode()
    assert re.search(r'"[AKQJT9][SCDH]"', state)
