"""Live tables: what is shown to whom, in pages, API and streams; and what never is."""

import json
import random
import re

import msgspec
import pytest
import redis
from django.conf import settings as project
from django.utils import translation

from engine import PRESETS, Game
from games import dispatch, live, live_face, queue, results, streams, watching
from games.models import Match
from games.showing import public_state
from tests.faults import stage
from tests.games import making, seated

pytestmark = pytest.mark.django_db

LANGUAGES = [code for code, _ in project.LANGUAGES]


@pytest.fixture(autouse=True)
def _listening_again(monkeypatch):
    monkeypatch.setattr(streams, "_failed_at", -streams.SILENT_S)


def playing(**changes):
    """A match that is being played, with what its table shows in the middle of a trick."""
    made = making.match(**changes)
    queue.claim(made.pk, "tester")
    made.refresh_from_db()
    return made


def midway(rules, names, seed=5):
    draw = random.Random(seed)
    game = Game(rules, seed=bytes(32))
    while len(game.deals) < 1 or game.phase != "play" or not game.public()["trick"]:
        game.apply(draw.choice(game.legal))
    return json.loads(json.dumps(public_state(game, names)))


def shown(match):
    """The match, with a state told."""
    names = [seat.name for seat in match.seats.order_by("index")]
    watching.show(match, midway(making.SHORT if match.players == 3 else PRESETS[match.rules_name], names))
    return match


def test_a_table_is_watched_on_its_page_in_the_list_and_in_the_api(client):
    match = shown(playing(rules=PRESETS["pl-3"]))
    page = client.get(f"/live/{match.pk}/")
    assert page.status_code == 200
    text = page.content.decode()
    assert f'data-live="live:{match.pk}"' in text
    assert all(seat.name in text for seat in match.seats.all())
    assert f"/live/{match.pk}/" in client.get("/live/").content.decode()
    state = client.get(f"/api/v1/live/{match.pk}/").json()["state"]
    assert state["view"]["trick"]
    assert [table["match"] for table in client.get("/api/v1/live/").json()] == [match.pk]


def test_a_table_before_its_first_cards_has_a_page(client):
    waiting = making.match()
    assert client.get(f"/live/{waiting.pk}/").status_code == 200
    match = playing()
    assert client.get(f"/live/{match.pk}/").status_code == 200
    assert client.get(f"/api/v1/live/{match.pk}/").json()["state"] is None
    assert str(waiting.pk) in client.get("/live/").content.decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"block": 1},
        {"klass": Match.Class.TEST},
        {"block": 1, "klass": Match.Class.EVENT},
        {"block": 1, "klass": Match.Class.TOURNAMENT},
    ],
)
def test_a_table_whose_cards_are_a_secret_is_shown_nowhere(client, changes):
    match = shown(playing(rules=PRESETS["pl-3"], **changes))
    assert streams.kept([watching.channel(match.pk)]) == {}
    assert live.tables() == []
    assert client.get(f"/live/{match.pk}/").headers["Location"] == f"/matches/{match.pk}/"
    assert client.get(f"/api/v1/live/{match.pk}/").status_code == 404
    assert client.get("/api/v1/live/").json() == []
    assert f"/live/{match.pk}/" not in client.get("/live/").content.decode()


def test_an_event_without_blocks_is_shown_by_its_aliases_alone(client):
    match = making.match(klass=Match.Class.EVENT, names=("Elm", "Oak", "Yew"))
    queue.claim(match.pk, "tester")
    match.refresh_from_db()
    shown(match)
    for address in (f"/live/{match.pk}/", "/live/", f"/api/v1/live/{match.pk}/"):
        text = client.get(address).content.decode()
        assert "Oak" in text
        assert f"/matches/{match.pk}/" not in text
        assert not any(name in text for name in ("greedy", "counter", "random"))


def test_a_check_is_shown_nowhere(client):
    check = making.match([making.house()], klass=Match.Class.CHECK)
    assert client.get(f"/live/{check.pk}/").headers["Location"] == f"/matches/{check.pk}/"
    assert not watching.is_public(check)


def test_only_what_is_named_is_passed_on():
    match = playing()
    watching.show(match, {**midway(making.SHORT, ["a", "b", "c"]), "hands": [["AS"]], "seed": "00"})
    told = streams.kept([watching.channel(match.pk)])[watching.channel(match.pk)]
    assert set(told) == {"match", "rules", "names", "view", "events", "before"}


@pytest.mark.django_db(transaction=True)
def test_a_table_that_is_over_leads_to_its_replay(client):
    match = shown(playing())
    claim = queue.Claim(match, match.attempt, queue.seed_of(match, match.attempt), alone=False)
    assert results.finish(match.pk, match.attempt, making.result_of(claim))
    assert streams.kept([watching.channel(match.pk)]) == {
        watching.channel(match.pk): {"match": match.pk, "over": "finished"}
    }
    assert client.get(f"/live/{match.pk}/").headers["Location"] == f"/matches/{match.pk}/"
    answer = client.get(f"/api/v1/live/{match.pk}/")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/api/v1/matches/{match.pk}/")


def test_the_list_takes_as_many_queries_for_many_tables(client, django_assert_max_num_queries):
    for _ in range(4):
        playing()
    with django_assert_max_num_queries(8):
        client.get("/live/")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_moment_of_every_preset_can_be_drawn(preset):
    rules, names = PRESETS[preset], ("ann", "bob", "cyd", "dan")[: PRESETS[preset].players]
    draw, number = random.Random(3), 0
    game = Game(rules, seed=bytes(32))
    while game.seat is not None and len(game.deals) < 3:
        state = {"match": 1, "rules": rules.to_json(), **json.loads(json.dumps(public_state(game, names)))}
        number += 1
        with translation.override(LANGUAGES[number % len(LANGUAGES)]):
            for shape in live_face.SHAPES:
                assert "ann" in live_face.drawn(shape, 1, state)
        game.apply(draw.choice(game.legal))


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_who_watches_is_called_you_and_no_hidden_card_is_asked_for(preset):
    rules, names = PRESETS[preset], ("ann", "bob", "cyd", "dan")[: PRESETS[preset].players]
    draw = random.Random(5)
    for seed in range(4):
        game = Game(rules, seed=bytes([seed]) * 32)
        while game.seat is not None and len(game.deals) < 2:
            state = {
                "match": 1,
                "rules": rules.to_json(),
                **json.loads(json.dumps(public_state(game, names))),
            }
            shown = live_face.live_face(state)
            words = [*shown.latest, *(badge.text for seat in shown.face.seats for badge in seat.badges)]
            assert not [line for line in words if re.search(r"\byou\b", line, re.IGNORECASE)]
            most = [action for action in game.legal if action.startswith("bid")]
            game.apply(draw.choice(most or game.legal))


def test_pieces_are_pushed_in_the_readers_language_and_in_no_other_form():
    assert live_face.form_of("table-cs") is live_face.form_of("table-cs")
    assert [live_face.form_of(name) for name in ("table", "table-", "table-xx", "page-en", "../x-en")] == [
        None
    ] * 5


@pytest.fixture
def heard():
    """What is told on any channel from now on: a function that gives (channel, data) so far."""
    with redis.Redis.from_url(project.REDIS_URL) as client, client.pubsub() as pubsub:
        pubsub.psubscribe(streams.TOLD + "*")
        assert pubsub.get_message(timeout=5)["type"] == "psubscribe"

        def said():
            found = []
            while message := pubsub.get_message(timeout=0.2):
                data = msgspec.json.decode(streams.decode(message["data"]).data)
                found.append((message["channel"].decode().removeprefix(streams.TOLD), data))
            return found

        yield said


@pytest.mark.django_db(transaction=True)
def test_a_table_with_bots_that_think_is_shown_while_it_is_played(heard):
    match = making.match(stage.table(0.03))
    dispatch.Dispatcher("cpu", "tester").run()
    told = heard()
    states = [data for name, data in told if name == watching.channel(match.pk)]
    assert len(states) >= 3
    assert states[-1] == {"match": match.pk, "over": "finished"}
    assert states[0]["names"] == [seat.name for seat in match.seats.order_by("index")]
    assert {name for name, _ in told} == {watching.channel(match.pk), "live", "schedule"}


@pytest.mark.django_db(transaction=True)
def test_nothing_is_told_of_the_cards_of_a_duplicate_table(heard):
    match = making.match(stage.table(0.03), block=1)
    dispatch.Dispatcher("cpu", "tester").run()
    assert {name for name, _ in heard()} == {"schedule"}
    assert streams.kept([watching.channel(match.pk)]) == {}


@pytest.mark.django_db(transaction=True)
def test_a_table_with_a_person_is_shown_move_by_move_and_a_secret_decision_not_at_all(heard, monkeypatch):
    anna = seated.person()
    match = seated.sit(anna)
    with seated.worker(monkeypatch):
        seated.play_on(match, anna)
    told = [data for name, data in heard() if name == watching.channel(match.pk)]
    assert told.pop() == {"match": match.pk, "over": "finished"}
    match = Match.objects.select_related("series").get(pk=match.pk)
    names = [seat.name for seat in match.seats.order_by("index")]
    game = Game(seated.QUICK, seed=queue.seed_of(match, 1))
    expected = [public_state(game, names)]
    for action in match.journal.values_list("action", flat=True):
        game.apply(action)
        expected.append(public_state(game, names))
    distinct = [
        state for state, before in zip(expected, [None, *expected[:-1]], strict=True) if state != before
    ]
    assert [{key: state[key] for key in watching.STATE} for state in told] == json.loads(json.dumps(distinct))
