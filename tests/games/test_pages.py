"""Pages of matches: the list, the replay of every kind of table, the exports, what stays hidden."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.utils import timezone

from engine import RuleSet, notation
from games import queue
from games.models import Match, MatchRecord
from tests.games import making

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parent.parent / "cases"
RECORDS = {
    record["match"]: record
    for name in ("presets", "edge")
    for record in map(json.loads, (CASES / f"{name}.jsonl").read_text().splitlines())
}


def stored(name, **changes):
    """A finished match whose record is a worked one, with players of different names."""
    record = json.loads(json.dumps(RECORDS[name]))
    for seat, row in enumerate(record["seats"]):
        row["name"] = f"bot-{'abcd'[seat]}"
    bots = [making.house(row["name"]) for row in record["seats"]]
    match = making.match(bots, rules=RuleSet.from_json(record["rules"]), **changes)
    body = json.dumps(record)
    MatchRecord.objects.create(match=match, body=body, sha256=hashlib.sha256(body.encode()).hexdigest())
    Match.objects.filter(pk=match.pk).update(
        state="finished", finished_at=timezone.now(), deals=len(record["deals"])
    )
    return match


def page_of(client, match, suffix=""):
    answer = client.get(f"/matches/{match.pk}/{suffix}")
    assert answer.status_code == 200
    return answer.content.decode()


def words_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


class Balance(HTMLParser):
    """Collects ids and complains about tags that are not closed in order."""

    VOID = {"meta", "link", "br", "input", "line", "polyline", "img", "hr"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.bad = [], [], []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        self.bad += [key for key, _ in attrs if key == "style" or key.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass


@pytest.mark.parametrize("name", RECORDS)
def test_the_replay_of_every_worked_match_is_shown_deal_by_deal(client, name):
    match = stored(name)
    page = page_of(client, match)
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.bad == []
    assert len(parser.ids) == len(set(parser.ids))
    deals = RECORDS[name]["deals"]
    assert {f"d{number + 1}" for number in range(len(deals))} <= set(parser.ids)


def test_every_step_of_a_deal_has_a_page_and_the_script_gets_them_all(client):
    match = stored("pl-3")
    actions = RECORDS["pl-3"]["deals"][2]["actions"]
    everything = page_of(client, match, "deals/3/steps/")
    assert everything.count('<section class="moment"') == len(actions) + 1
    for step in (1, len(actions) // 2, len(actions) + 1):
        for view in ("all", "live", "0", "2", "nonsense"):
            page = page_of(client, match, f"deals/3/?step={step}&view={view}")
            parser = Balance()
            parser.feed(page)
            assert parser.open == parser.bad == []
            assert f'data-step="{step}"' in page
    assert f"step {len(actions) + 1} of {len(actions) + 1}" in page_of(client, match, "deals/3/?step=9999")
    for odd in ("step=x", "step=-1", "step=" + "9" * 5000, "view=%00"):
        assert "step 1 of" in page_of(client, match, f"deals/3/?{odd}")
    for none in (0, len(RECORDS["pl-3"]["deals"]) + 1):
        assert client.get(f"/matches/{match.pk}/deals/{none}/").status_code == 404
        assert client.get(f"/matches/{match.pk}/deals/{none}/steps/").status_code == 404


def test_a_step_turns_down_what_its_view_did_not_see(client):
    match = stored("pl-3")
    deal = next(number for number, deal in enumerate(RECORDS["pl-3"]["deals"], 1) if deal["contract"])
    down = 'class="zone down" data-seen="{}"'
    seat = page_of(client, match, f"deals/{deal}/?step=1&view=1")
    assert down.format(0) in seat
    assert down.format(2) in seat
    assert 'class="zone" data-seen="1"' in seat
    live = page_of(client, match, f"deals/{deal}/?step=1&view=live")
    assert all(down.format(number) in live for number in range(3))
    assert "zone down" not in page_of(client, match, f"deals/{deal}/?step=1&view=all")


def test_whoever_reads_a_deal_can_sit_down_to_it(client):
    match = stored("pl-3")
    making.house("counter")
    assert f'action="/matches/{match.pk}/deals/3/play/"' in page_of(client, match, "deals/3/")
    answer = client.post(f"/matches/{match.pk}/deals/3/play/", {"seat": "1"})
    made = Match.objects.latest("pk")
    assert answer["Location"] == f"/tables/{made.pk}/"
    assert (made.people, made.rated, made.rules["deal_limit"]) == (True, False, 1)
    refused = client.post(f"/matches/{match.pk}/deals/99/play/", {"seat": "x"}, follow=True)
    assert refused.status_code == 404


def test_people_read_seats_from_1_and_links_count_them_from_0(client):
    match = making.finished(faults=[making.fault(1)])
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert re.findall(r'<tr><td class="num">(\d)</td>', page)[:3] == ["1", "2", "3"]
    assert "seat 2, deal 1, step 4" in page
    seats = client.get(f"/api/v1/matches/{match.pk}/").json()["seats"]
    assert [seat["index"] for seat in seats] == [0, 1, 2]


def test_a_replay_speaks_and_letters_its_cards_in_the_language_of_the_reader(client):
    match = stored("pl-3")
    page = client.get(f"/matches/{match.pk}/", headers={"Accept-Language": "pl"}).content.decode()
    assert ">D<b>" in page
    assert ">Q<b>" not in page
    page = client.get(f"/matches/{match.pk}/", headers={"Accept-Language": "ru"}).content.decode()
    assert ">Т<b>" in page
    assert ">Q<b>" in page_of(client, match)


def test_a_link_leads_to_a_deal_a_trick_and_a_card(client):
    ids = Balance()
    ids.feed(page_of(client, stored("pl-3")))
    assert {"d3", "d3t5", "d3t5s1"} <= set(ids.ids)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "pl-3",
            ["of hearts, melded", "still needs", "The compulsory 100 was left standing", "made", "failed"],
        ),
        ("pl-3", ["asks for a new deal: four nines.", "The deal is void, and the same dealer deals again."]),
        ("edge-dark-made", ["plays dark: every score counts twice", "120 dark", "doubled"]),
        ("ru-3-gold", ["Golden deal: forehand plays 120 without an auction, and every score counts twice."]),
        ("pl-2-draw", ["Stock", "draws", "No auction and no declarer: all score their own points."]),
        ("pl-2-open", ["face up from the start", "claims after 9 tricks", "puts away"]),
        ("edge-over-marriage-3", ["over the neighbour&#x27;s queen"]),
        ("pl-2", ["not taken", "Put away or not taken:"]),
        ("ru-3", ["conceded, 100 written off", "bolt 1 of 3", "climbs on the barrel", "attempt 1 of 3"]),
        ("ru-3", ["cut three nines in a row and pays 120.", "−120 for the cut"]),
        ("natjar-3", ["60 for the concession", "conceded at no cost", "finishes from the barrel"]),
        ("natjar-3", ["on the barrel: only a made contract counts"]),
        ("pl-4-sit", ["sits out", "for the talon"]),
        ("edge-bolts", ["bolt 3 of 3: −120"]),
        (
            "edge-fall-to-zero",
            ["falls from the barrel by", "fall 3 from the barrel: back to 0", "held at 400"],
        ),
        ("edge-barrel-needs-marriage", ["it takes a contract of 110 with a marriage", "leaves the barrel"]),
        ("edge-tie-at-limit", ["Nobody reached the target: the match ended at its limit of deals."]),
        ("edge-redeal-exchanged", ["four nines after the exchange"]),
        ("edge-twelve-natjar", ["has four nines.", "had to show for the bid: marriage of"]),
    ],
)
def test_what_is_peculiar_to_a_table_is_said_in_words(client, name, words):
    text = words_of(page_of(client, stored(name)))
    for expected in words:
        assert expected in text


def test_a_match_page_takes_the_same_number_of_queries_however_long_it_was(client, django_assert_num_queries):
    for name in ("edge-tie-at-limit", "ru-4", "pl-2-draw"):
        match = stored(name)
        with django_assert_num_queries(5):
            page_of(client, match)


def test_the_list_takes_the_same_number_of_queries_however_many_there_are(client, django_assert_num_queries):
    for _ in range(3):
        stored("edge-tie-at-limit")
        with django_assert_num_queries(2):
            assert client.get("/matches/").status_code == 200


def test_the_list_can_be_narrowed_to_a_state_and_a_bot(client):
    done, waiting = stored("edge-tie-at-limit"), making.match()
    page = client.get("/matches/?state=queued").content.decode()
    assert f'href="/matches/{waiting.pk}/"' in page
    assert f'href="/matches/{done.pk}/"' not in page
    page = client.get("/matches/?bot=bot-a").content.decode()
    assert f'href="/matches/{done.pk}/"' in page
    assert f'href="/matches/{waiting.pk}/"' not in page
    assert "No match fits" in client.get("/matches/?bot=nobody").content.decode()
    for odd in ("state=%00", "bot=%00", "page=99999", "page=x", "state=nonsense"):
        assert client.get(f"/matches/?{odd}").status_code == 200


def test_the_exports_are_the_record_and_answer_304_to_who_has_them(client):
    match = stored("pl-3")
    answer = client.get(f"/matches/{match.pk}/record.json")
    assert json.loads(answer.content)["deals"] == RECORDS["pl-3"]["deals"]
    text = client.get(f"/matches/{match.pk}/record.txt")
    assert notation.read(text.content.decode())["result"] == RECORDS["pl-3"]["result"]
    for one in (answer, text):
        again = client.get(one.request["PATH_INFO"], headers={"If-None-Match": one["ETag"]})
        assert again.status_code == 304
        assert not again.content


def test_a_match_that_is_queued_or_runs_shows_how_it_stands_and_no_card(client):
    match = making.match()
    assert "It waits to be played. The schedule says when" in page_of(client, match)
    claim = queue.claim(match.pk, "tester")
    page = page_of(client, match)
    assert ">running</span>" in page
    assert f'href="/live/{match.pk}/"' in page
    assert claim.seed.hex() not in page
    assert 'class="card' not in page
    for export in ("record.json", "record.txt"):
        assert client.get(f"/matches/{match.pk}/{export}").status_code == 404


def test_a_table_of_an_open_block_shows_neither_seed_nor_cards(client):
    match = stored("pl-3", block=7)
    making.match(series=match.series, block=7, rotation=1)
    page = page_of(client, match)
    assert "Another table still plays the same cards" in page
    assert RECORDS["pl-3"]["seed"] not in page
    for export in ("record.json", "record.txt"):
        assert client.get(f"/matches/{match.pk}/{export}").status_code == 404


def test_a_check_and_a_match_that_never_was_are_not_found(client):
    check = making.match([making.house()], klass=Match.Class.CHECK)
    for number in (check.pk, 987654321, 10**30):
        assert client.get(f"/matches/{number}/").status_code == 404
        assert client.get(f"/matches/{number}/record.json").status_code == 404


def test_names_and_notes_from_bots_are_shown_as_text(client):
    match = stored("pl-3")
    evil = "<script>alert(1)</script>"
    match.seats.filter(index=0).update(name=evil)
    MatchRecord.objects.filter(match=match).update(notes=[{"seat": 0, "deal": 2, "action": 4, "note": evil}])
    page = page_of(client, match)
    assert evil not in page
    assert page.count("&lt;script&gt;alert(1)") == 2
    assert f'href="/matches/{match.pk}/deals/3/?step=5"' in page


def test_changed_rules_lead_to_what_differs_from_the_preset_that_they_come_from(client):
    match = making.match(rules=making.SHORT)
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert f'<a href="/docs/rules/differences/?match={match.pk}">pl-3, 2 deals</a>' in page
