"""A table with people in the match host: each decision is told and waits, absence, pace; a real host process."""

import asyncio
import dataclasses
import json
import select

from botapi.drivers.base import Question
from botapi.house import Draws, choose
from engine import PRESETS
from games.person import PersonDriver
from tests.games.test_host import HOUSE, host, job

assert host
ANNA = {"kind": "person", "name": "Anna", "version": ""}
AT_ONCE = {"bot_ms": 0, "trick_ms": 0}
RULES = dataclasses.replace(PRESETS["pl-3"], deal_limit=2)


def table(match="1", rules=RULES, **changes):
    return job(match, seats=[ANNA, *HOUSE[:2]], rules=rules.to_json()) | {"pace": AT_ONCE} | changes


def tell(host, kind, match="1", **message):
    host.send({"type": kind, "match": match, "attempt": 1, **message})


def store(host, event):
    tell(host, "stored", event["match"], number=event["number"])


def silent(host, seconds=0.3):
    """Whether the host says nothing for a moment."""
    return b"\n" not in host._data and not select.select([host.process.stdout], [], [], seconds)[0]


def play(host, answer=True):
    """Store and answer until the end; all events."""
    events, draws = [], Draws(bytes(32), 0)
    while True:
        event = host.read()
        events.append(event)
        if event["type"] == "acted":
            store(host, event)
        elif event["type"] == "question" and answer:
            action = choose("greedy", event["view"], event["legal"], draws)
            tell(host, "answer", event["match"], seat=event["seat"], action=action)
        elif event["type"] in ("finished", "failed"):
            return events


def test_every_decision_waits_until_it_is_stored(host):
    host.send(table())
    (*_, dealt) = host.until("acted")
    assert "action" not in dealt
    assert dealt["shown"]["0"]["view"]["hand"]
    tell(host, "stored", number=99)
    assert silent(host)
    store(host, dealt)
    (*_, acted) = host.until("acted")
    assert acted["number"] == 0
    assert silent(host)
    store(host, acted)
    store(host, acted)
    events = [acted, *play(host)]
    record = events[-1]["record"]
    taken = [(event["seat"], event["action"]) for event in events if event["type"] == "acted"]
    assert len(taken) == events[-1]["decisions"]
    played = [tuple(action) for deal in record["deals"] for action in deal["actions"]]
    assert [action for action in played if action in taken][: len(taken)]
    questions = [event["number"] for event in events if event["type"] == "question"]
    assert questions == list(range(1, len(questions) + 1))
    again = [[event["seat"], event["action"], event["how"]] for event in events if event["type"] == "acted"]
    host.send(table("1", attempt=2, journal=again[:-1]))
    (*_, dealt) = host.until("acted")
    host.send({"type": "stored", "match": "1", "attempt": 2, "number": dealt["number"]})
    question = host.until("question", "acted")[-1]
    assert question["seat"] == again[-1][0]


def test_who_is_away_is_played_for_at_once_and_asked_again_when_back(host):
    host.send(table())
    while (event := host.read())["type"] != "question":
        if event["type"] == "acted":
            store(host, event)
    tell(host, "away", seat=0, away=True)
    tell(host, "away", seat=1, away=True)  # a bot cannot be away
    away = 0
    while away < 3:
        event = host.until("acted")[-1]
        away += event["how"] == "away"
        assert event["seat"] == 0 or not event["how"]
        if away == 3:
            tell(host, "away", seat=0, away=False)
        store(host, event)
    while (event := host.read())["type"] != "question":
        if event["type"] == "acted":
            assert not event["how"]
            store(host, event)
    host.send(table("2", away=[0], banks={"0": 5}))
    events = [event for event in play(host) if event["type"] == "acted" and event["match"] == "2"]
    assert {event["how"] for event in events if event.get("seat") == 0} == {"away"}
    assert {event["bank_ms"] for event in events if event.get("seat") == 0} == {5}


def test_bots_wait_as_the_pace_says_and_a_dropped_table_says_nothing_more(host):
    host.send(table(pace={"bot_ms": 10_000_000, "trick_ms": 0}))
    (*_, dealt) = host.until("acted")  # seat 1 has bid, as it must: a bot's turn
    store(host, dealt)
    assert silent(host)
    tell(host, "drop")
    host.send(table(pace={"bot_ms": 10_000_000, "trick_ms": 0}))
    assert host.read()["type"] == "started"
    (*_, dealt) = host.until("acted")
    tell(host, "pace", bot_ms=0, trick_ms=0)
    store(host, dealt)  # its pause was chosen before
    assert silent(host)


def test_a_secret_decision_of_another_seat_shows_nothing(host):
    rules = dataclasses.replace(
        PRESETS["pl-3"], redeal_below=18, redeal_barred_by_marriage=False, deal_limit=12
    )
    secret = 0
    for match in ("1", "2", "3"):
        host.send(table(match, rules))
        for event in play(host):
            if event["type"] == "acted" and event.get("action") == "keep" and event["seat"] != 0:
                assert "keep" not in json.dumps(event["shown"])
                secret += 1
    assert secret


def test_the_clock_of_a_person_stands_still_while_nobody_could_answer():
    async def asked():
        answers = []
        driver = PersonDriver(lambda *_: None)
        question = Question(0, "act", "M/1/0/1", 60_000, {}, {}, ("pass",))
        driver.ask(question, answers.append)
        driver._began -= 50
        driver.stand_still(50_000)
        assert driver.answer("pass")
        driver.ask(question, answers.append)
        driver.stand_still(10_000_000)
        driver._began -= 100
        driver._wind()
        await asyncio.sleep(0.1)
        driver.ask(question, answers.append)
        driver.leave()
        driver.leave()
        return answers

    answered, late, away = asyncio.run(asked())
    assert answered.used_ms < 30_000
    assert (late.fault, away.fault) == ("timeout", "away")
    assert late.used_ms > 60_000
