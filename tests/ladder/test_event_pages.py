"""Pages of events: an organiser makes one, authors agree, people register, check in, play, and read the results."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from engine import Game, RuleSet
from games.models import Match
from games.people_models import TableSeat
from ladder.events import registration, running
from ladder.events.models import Event, EventEntry
from tests.games import making
from tests.ladder.test_events import begin, enter, event, play, play_all

pytestmark = pytest.mark.django_db


def browser(user):
    client = Client()
    client.force_login(user)
    return client


def press(client, address, **fields):
    """Send a form and follow to the page after it."""
    answer = client.post(address, fields, follow=True)
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode()


def test_an_event_goes_from_a_draft_to_its_results_by_pages_alone():
    organiser, player = making.author(is_organiser=True), making.author()
    making.house("greedy"), making.house("counter")
    own, theirs = browser(organiser), browser(player)
    start = timezone.now() + timedelta(hours=2)
    made = press(
        own,
        "/events/new/",
        name="Spring cup",
        slug="spring-cup",
        format="open",
        rules="cz-3-short",
        places=2,
        blocks=1,
        deals=2,
        people_at_table=1,
        aliases="own",
        starts_at=start.strftime("%Y-%m-%dT%H:%M"),
        check_in_minutes=30,
        ends_at=(start + timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M"),
    )
    assert "Organise Spring cup" in made
    assert theirs.get("/events/spring-cup/").status_code == 404, "a draft is its organiser's alone"
    press(own, "/events/spring-cup/organise/bot/", bot="greedy", role="challenger")
    assert "agreed" in press(own, "/events/spring-cup/organise/bot/", bot="counter", role="opponent")
    press(own, "/events/spring-cup/organise/step/", step="open")

    refused = theirs.post("/events/spring-cup/enter/", {"alias": "Zofia", "rules": "on"})
    assert refused.status_code == 422
    assert "You are Zofia" in press(
        theirs, "/events/spring-cup/enter/", alias="Zofia", rules="on", consent="on"
    )
    press(own, "/events/spring-cup/organise/step/", step="check-in")
    assert "I am here" in theirs.get("/events/spring-cup/").content.decode()
    assert "You are checked in" in press(theirs, "/events/spring-cup/check-in/", stream="yes", unknown="x")
    assert EventEntry.objects.get().device == {"stream": "yes"}
    assert "being played" in press(own, "/events/spring-cup/organise/step/", step="start")

    table = theirs.post("/events/spring-cup/play/")
    assert re.fullmatch(r"/tables/\d+/", table["Location"])
    assert theirs.post("/events/spring-cup/play/")["Location"] == table["Location"]
    where = Event.objects.get()
    assert Client().get(f"/matches/{Match.objects.get().pk}/").status_code == 404
    play_all(where)
    shown = Client().get("/events/spring-cup/").content.decode()
    assert "Too little was played to say who is better." in shown
    assert "challenger" in shown
    assert Client().get(f"/matches/{Match.objects.order_by('pk').first().pk}/").status_code == 200


def test_the_table_of_whoever_withdrew_says_that_the_seat_is_given_up():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    match = running.begin_block(entry)
    own = browser(entry.person.user)
    game = Game(RuleSet.from_json(match.rules), seed=bytes(32))
    TableSeat.objects.update(view=game.view(0), away=True)
    assert "I am back" in own.get(f"/tables/{match.pk}/").content.decode()
    assert "Withdraw for good" in own.get(f"/events/{where.slug}/").content.decode()
    press(own, f"/events/{where.slug}/leave/")
    words = "You gave this seat up: a house bot plays it to the end."
    shown = own.get(f"/tables/{match.pk}/").content.decode()
    assert words in shown
    assert "I am back" not in shown
    answer = own.post(f"/tables/{match.pk}/back/", headers={"X-Table": "1"})
    assert answer.content.decode().count(words) == 2, "as the answer, and as what stays"
    refused = own.post(f"/api/v1/tables/{match.pk}/back/")
    assert (refused.status_code, refused.json()["code"]) == (409, "given_up")
    assert own.get(f"/api/v1/tables/{match.pk}/").json()["given_up"]


def test_a_table_of_an_event_offers_nothing_of_practice_and_leads_back_to_its_event():
    where = event(blocks=2)
    (entry,) = begin(where, enter(where))
    match = running.begin_block(entry)
    own, table = browser(entry.person.user), f"/tables/{match.pk}/"
    view = Game(RuleSet.from_json(match.rules), seed=bytes(32)).view(0)
    TableSeat.objects.update(view=view)
    shown = own.get(table).content.decode()
    assert "your seat waits" in shown
    assert "all tables have the same pace" in shown
    for practice in ("End this game", 'name="bot_ms"', "counts for nobody"):
        assert practice not in shown
    play(match)
    shown = own.get(table).content.decode()
    assert "All deals of this table are played." in shown
    for practice in ("Play again", f"/matches/{match.pk}/", "Practice list"):
        assert practice not in shown.partition("<main")[2].partition("</main")[0]
    (back,) = set(re.findall(r'href="(/events/tables/\d+/)"', shown))
    assert own.get(back)["Location"] == f"/events/{where.slug}/"
    for other in (Client(), browser(where.organiser)):
        assert other.get(back).status_code == 404


def test_who_is_a_bot_and_what_was_played_is_nowhere_before_the_publication():
    where = event(bots=("greedy", "counter"), blocks=1)
    (entry,) = begin(where, enter(where, alias="Zofia"))
    match = running.begin_block(entry)
    for address in (
        f"/events/{where.slug}/",
        "/events/",
        "/matches/",
        "/",
        "/schedule/",
        "/live/",
        "/api/v1/matches/",
        "/api/v1/live/",
    ):
        shown = Client().get(address).content.decode()
        assert f"/matches/{match.pk}/" not in shown
        assert f"/tables/{match.pk}/" not in shown
    for address in (
        f"/matches/{match.pk}/",
        f"/live/{match.pk}/",
        f"/api/v1/matches/{match.pk}/",
        f"/matches/{match.pk}/fairness/",
        f"/matches/{match.pk}/record.json",
    ):
        assert Client().get(address, follow=True).status_code == 404, address
    shown = Client().get(f"/events/{where.slug}/").content.decode()
    assert "greedy" not in shown
    assert "Zofia" in shown


def test_whoever_looks_at_a_running_show_finds_its_tables_and_at_no_other_format():
    for kind, shown in ((Event.Format.SHOW, True), (Event.Format.OPEN, False)):
        where = event(kind)
        address = f"/events/{where.slug}/"
        main = Client().get(address).content.decode().partition("<main")[2]
        assert "Live tables" not in main.partition("</main")[0], "nothing is played yet"
        begin(where, enter(where))
        main = Client().get(address).content.decode().partition("<main")[2].partition("</main")[0]
        assert ("Live tables" in main) == shown


def test_an_author_is_asked_and_answers_on_a_page():
    where, version = event(bots=()), making.sandboxed()
    registration.ask_bot(where, version.bot, "challenger")
    client = browser(version.bot.owner)
    assert f"{version.bot.name} is asked to sit in Cup" in client.get("/events/").content.decode()
    asked = where.bots.get()
    assert browser(making.author()).post(f"/events/{where.slug}/bots/{asked.pk}/").status_code == 404
    assert "will sit in" in press(client, f"/events/{where.slug}/bots/{asked.pk}/", agrees="1")
    asked.refresh_from_db()
    assert asked.agreed_at


def test_only_the_organiser_and_operators_organise():
    where = event()
    assert browser(making.author()).get(f"/events/{where.slug}/organise/").status_code == 404
    assert browser(making.author()).get("/events/new/").status_code == 403
    assert browser(making.author(is_staff=True)).get(f"/events/{where.slug}/organise/").status_code == 200
    assert Client().get(f"/events/{where.slug}/organise/").status_code == 302


def test_the_organiser_declares_a_deal_void_with_a_reason():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    running.begin_block(entry)
    client = browser(where.organiser)
    address = f"/events/{where.slug}/organise/void/"
    assert "a card was shown" in press(client, address, block=1, deal=2, reason="a card was shown")
    assert client.post(address, {"block": 9, "deal": 1, "reason": "x"}).status_code == 422
    assert where.card_blocks.get().void_deals.get().by == where.organiser


def test_what_was_played_of_which_block_and_which_deals_counted_nowhere_is_told_with_the_results_alone():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where, alias="Zofia"))
    match = running.begin_block(entry)
    running.void_deal(where.card_blocks.get(), deal=2, reason="a card was shown", by=where.organiser)
    page, data = f"/events/{where.slug}/", f"/api/v1/events/{where.slug}/"
    assert "a card was shown" not in Client().get(page).content.decode()
    for kind in ("tables", "void-deals"):
        assert Client().get(f"{data}{kind}/").json() == []
    play_all(where)
    shown = Client().get(page).content.decode()
    assert "Block 1, deal 2: a card was shown" in shown
    assert shown.count('<td class="num">1</td>') >= 2, "both tables are of block 1"
    tables = Client().get(f"{data}tables/").json()
    assert [table["block"] for table in tables] == [1, 1]
    assert tables[0]["match"] == match.pk
    assert tables[0]["seats"][0] == {"alias": "Zofia", "bot": "", "absences": 0}
    assert [seat["bot"] for seat in tables[1]["seats"]] == ["greedy", "counter", "counter"]
    found = Client().get(f"{data}void-deals/").json()
    assert found == [{"block": 1, "deal": 2, "reason": "a card was shown"}]


def test_the_pages_need_a_constant_number_of_queries(django_assert_max_num_queries):
    where = event(places=30)
    begin(where, *(enter(where) for _ in range(12)))
    for entry in where.entries.filter(state="playing"):
        running.begin_block(EventEntry.objects.select_related("event", "person").get(pk=entry.pk))
    client = browser(where.organiser)
    for address in ("/events/", f"/events/{where.slug}/", f"/events/{where.slug}/organise/"):
        with django_assert_max_num_queries(14):
            assert client.get(address).status_code == 200


def test_what_a_device_test_cannot_have_found_is_no_fault_of_ours():
    where = event()
    entry = enter(where)
    running.open_check_in(where)
    answer = browser(entry.person.user).post(f"/events/{where.slug}/check-in/", {"script": "a\0b"})
    assert answer.status_code == 302
    entry.refresh_from_db()
    assert entry.device == {"script": "ab"}


def test_the_organiser_reads_in_words_what_the_device_test_found():
    found = {
        "script": "yes",
        "stream": "no",
        "width": "390",
        "height": "844",
        "touch": "yes",
        "language": "pl-PL",
    }
    where, others = event(), event()
    for one, device in ((where, found), (others, {})):
        entry = enter(one)
        running.open_check_in(one)
        browser(entry.person.user).post(f"/events/{one.slug}/check-in/", device)
    told = {}
    for one in (where, others):
        for code in ("en", "pl"):
            answer = browser(one.organiser).get(
                f"/events/{one.slug}/organise/", headers={"accept-language": code}
            )
            cells = re.findall(r"<td>([^<]*)</td></tr>", answer.content.decode())
            told[one.slug, code] = cells[-1]
    assert told[where.slug, "en"] == "scripts, no live connection, touch screen, 390 × 844, Polish"
    assert told[others.slug, "en"] == "no scripts"
    assert not set(told[where.slug, "pl"].split()) & {"stream", "yes", "no", "connection,", "Polish"}
