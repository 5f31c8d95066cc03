"""The table's pages without a script: sit down, play a whole short game by forms, come back, leave."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest
from django.test import Client

from botapi import house
from botapi.house_bots import enter_house_bots
from engine import PRESETS, RuleSet
from games.models import Match
from games.people_models import Person, TableSeat
from games.table_choices import LINES, OPPONENTS
from tests.games.croupier import Croupier

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _house_bots():
    enter_house_bots()


class Forms(HTMLParser):
    """The forms of a page: each a dictionary of address, method, fixed fields, buttons and choices."""

    def __init__(self, page):
        super().__init__()
        self.forms, self.ids, self.select = [], [], None
        self.feed(page)
        assert len(self.ids) == len(set(self.ids)), "ids are unique"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "form":
            made = {"id": found.get("id", ""), "action": found["action"], "method": found["method"]}
            self.forms.append(made | {"fields": {}, "buttons": [], "choices": {}})
        if not self.forms:
            return
        form = self.forms[-1]
        if tag == "input" and "name" in found and found.get("type") != "radio":
            form["fields"][found["name"]] = found.get("value", "")
        elif tag == "button" and found.get("type") != "button":
            form["buttons"].append((found.get("name", ""), found.get("value", "")))
        elif tag == "select":
            self.select = found.get("name")
            form["choices"][self.select] = []
        elif tag == "option":
            form["choices"][self.select].append(found["value"])


def actions(page):
    """What the page's forms can send: texts of actions, with what to post for each."""
    found = {}
    for form in Forms(page).forms:
        if not form["action"].endswith("/act/"):
            continue
        for name, value in form["buttons"]:
            if name == "action":
                found[value] = {**form["fields"], "action": value}
            elif "amount" in form["choices"]:
                for amount in form["choices"]["amount"]:
                    found[f"{form['fields']['verb']}:{amount}"] = {**form["fields"], "amount": amount}
    return found


def choices(page):
    """The cards that can be chosen for a second tap."""
    hand = next((form for form in Forms(page).forms if form["id"] == "hand"), None)
    return [value for name, value in hand["buttons"] if name == "choose"] if hand else []


def sit_down(client, **form):
    answer = client.post("/play/", form or {"now": "1"})
    assert answer.status_code == 302
    pk = int(re.fullmatch(r"/tables/(\d+)/", answer["Location"]).group(1))
    return pk, answer["Location"]


def page_of(client, address, **query):
    answer = client.get(address, query)
    assert answer.status_code == 200
    return answer.content.decode()


def play_on(client, address, croupier):
    """One decision of the person by the page's forms: the offered actions are the legal ones, in two taps where needed."""
    page = page_of(client, address)
    cards = choices(page)
    offered = actions(page)
    if cards:
        page = page_of(client, address, choose=cards[-1])
        assert "Take it back" in page
        offered |= actions(page)
        verbs = {action.partition(":")[0] for action in croupier.game.legal if ":" in action}
        assert {f"{verb}:{card}" for verb in verbs for card in cards} <= set(croupier.game.legal)
    else:
        assert set(offered) == set(croupier.game.legal)
    wanted = next((a for a in ("claim", "keep", "look", "pass") if a in offered), None)
    action = wanted or min(offered, key=lambda text: text in ("redeal", "concede"))
    answer = client.post(f"{address}act/", offered[action])
    assert answer.status_code == 302
    croupier.take_answer()


def test_a_guest_sits_down_without_a_choice_and_plays_a_short_game_to_its_end_by_forms(client):
    pk, address = sit_down(client)
    rules = dataclasses.replace(RuleSet.from_json(Match.objects.get(pk=pk).rules), target=200, barrel=None)
    Match.objects.filter(pk=pk).update(rules=rules.to_json())
    assert "Your table is being set" in page_of(client, address)
    croupier = Croupier(pk).go()
    while croupier.game.seat is not None:
        play_on(client, address, croupier)
    page = page_of(client, address)
    assert "The game is over. Winner:" in page or "You won the game!" in page
    assert Match.objects.get(pk=pk).state == "finished"
    own = Person.objects.get().alias
    standing = page_of(client, "/practice/")
    assert f"Your games, {own}" in standing
    assert ("You won the game!" in page) == (f'<th scope="row">{own}</th>' in standing)
    assert client.get(f"/matches/{pk}/").status_code == 200


@pytest.mark.parametrize("preset", ["pl-2", "ru-3", "natjar-4", "pl-2-draw", "ru-2-gold"])
def test_other_tables_are_played_by_the_same_forms(client, preset):
    pk, address = sit_down(client, rules=preset, opponent=["counter", "greedy", "random"], short="1")
    croupier = Croupier(pk).go()
    for _decision in range(16):
        if croupier.game.seat is None:
            break
        play_on(client, address, croupier)
    assert client.get(address).status_code == 200


def test_visiting_sets_no_session_and_sitting_down_does(client):
    assert client.get("/play/").status_code == 200
    assert client.get("/practice/").status_code == 200
    assert "sessionid" not in client.cookies
    sit_down(client)
    assert "sessionid" in client.cookies


def test_the_last_choice_is_offered_again_and_again_plays_it(client):
    sit_down(client, rules="ru-2", opponent=["random"], alias="Ludmila")
    page = page_of(client, "/play/")
    assert 'value="ru-2" checked' in page
    assert 'value="Ludmila"' in page
    pk, _address = sit_down(client, again="1")
    assert Match.objects.get(pk=pk).rules_name == "ru-2"
    assert page_of(client, "/play/").count("Table ") >= 2


def test_every_house_bot_can_be_sat_down_with(client):
    page = client.get("/play/").content.decode()
    for name in house.HOUSE_BOTS:
        assert f'value="{name}"' in page, name
    assert set(OPPONENTS) == set(house.HOUSE_BOTS)


def test_every_preset_has_its_line():
    assert set(LINES) == set(PRESETS)


def test_a_table_is_there_for_its_person_alone(client):
    pk, address = sit_down(client)
    Croupier(pk).go()
    other = Client()
    for suffix in ("", "now/", "stream/"):
        assert other.get(address + suffix).status_code == 404
        assert client.get(address + suffix).status_code == 200
    for verb in ("act", "settings", "leave", "back"):
        assert other.post(f"{address}{verb}/").status_code == 404
    sit_down(other)
    assert other.get(address).status_code == 404


def test_the_later_answer_of_a_stale_tab_is_told_that_it_was_played_and_sees_the_present(client):
    pk, address = sit_down(client)
    croupier = Croupier(pk).go()
    stale = actions(page_of(client, address))
    first, other = list(stale)[:2]
    client.post(f"{address}act/", stale[first])
    croupier.take_answer()
    answer = client.post(f"{address}act/", stale[other], follow=True)
    assert "This decision was already made." in answer.content.decode()
    assert croupier.game.actions.count((croupier.person, first)) <= 1
    again = client.post(f"{address}act/", stale[other], headers={"X-Table": "1"})
    assert "This decision was already made." in again.content.decode()
    assert again.content.decode().lstrip().startswith("<div")


def test_what_is_not_legal_is_refused_in_words(client):
    pk, address = sit_down(client)
    Croupier(pk).go()
    form = next(iter(actions(page_of(client, address)).values()))
    for action in ("play:XX", "bid:7", "", "🂡" * 30, "bid:7\0"):
        answer = client.post(f"{address}act/", {"question": form["question"], "action": action}, follow=True)
        assert "You cannot play that here." in answer.content.decode()
    assert client.post(f"{address}act/", {"question": "no number"}).status_code == 302


def test_the_changing_part_is_not_sent_again_as_long_as_nothing_changed(client):
    pk, address = sit_down(client)
    Croupier(pk).go()
    page = client.get(f"{address}now/").content.decode()
    version = re.search(r'data-version="(\d+)"', page).group(1)
    assert "<html" not in page
    assert client.get(f"{address}now/", {"v": version}).status_code == 204
    client.post(f"{address}act/", next(iter(actions(page).values())))
    assert client.get(f"{address}now/", {"v": version}).status_code == 200


def test_when_the_service_lost_the_worker_the_page_says_that_the_clocks_stand_still(client):
    pk, address = sit_down(client)
    croupier = Croupier(pk).go()
    assert 'id="clock"' in page_of(client, address)
    croupier.lose()
    page = page_of(client, address)
    assert "all clocks stand still" in page
    assert 'id="clock"' not in page
    assert actions(page) == {}


def test_a_person_who_was_away_is_told_and_takes_the_seat_again(client):
    pk, address = sit_down(client)
    Croupier(pk).go()
    TableSeat.objects.update(away=True)
    assert "You were away" in page_of(client, address)
    assert client.post(f"{address}back/").status_code == 302
    assert "You were away" not in page_of(client, address)


def test_pace_and_sorting_are_the_persons_choice(client):
    pk, address = sit_down(client)
    Croupier(pk).go()
    client.post(f"{address}settings/", {"bot_ms": "0", "trick_ms": "3000", "sorting": "alternating"})
    person = Person.objects.get()
    assert (person.bot_ms, person.trick_ms) == (0, 3000)
    page = page_of(client, address)
    assert '<option value="alternating" selected>' in page
    suits = [text[1] for text in re.findall(r'data-card="(..)"', page)]
    order = list(dict.fromkeys(suits))
    assert order == sorted(order, key="SDCH".index)


def test_a_game_that_is_ended_counts_for_nobody(client):
    pk, address = sit_down(client)
    Croupier(pk).go()
    assert "End this game" in page_of(client, address)
    answer = client.post(f"{address}leave/", follow=True)
    assert "It counts for nobody." in answer.content.decode()
    assert Match.objects.get(pk=pk).state == "void"
    assert "This table is closed" in page_of(client, address)


def test_pages_keep_their_number_of_queries(client, django_assert_max_num_queries):
    pk, address = sit_down(client)
    Croupier(pk).go()
    client.get(address)
    with django_assert_max_num_queries(8):
        client.get(address)
    with django_assert_max_num_queries(8):
        client.get("/play/")
    with django_assert_max_num_queries(6):
        client.get("/practice/")


def test_an_opponent_whose_name_cannot_be_one_is_not_looked_for(client):
    pk, _address = sit_down(client, rules="pl-3", opponent="a\0b")
    assert Match.objects.get(pk=pk).seats.filter(version__bot__name="counter").count() == 2
