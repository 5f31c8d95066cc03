"""The match as a conversation: clocks, faults, default actions, the stand-in, the journal, the record."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botapi import faults, protocol
from botapi.drivers.base import Answer
from botapi.errors import PlatformError
from engine.record import verify
from games.chair import SAID_CHARS
from games.match import Match
from games.steps import Finished, Refused
from games.version_check import Check
from tests.games.scripted import CLOCKS, Talk, bot, good, house, sensible, setup

THREE = (bot("a"), house("greedy"), house("counter"))


def faulty(code, at, detail="", **times):
    """Answers rightly but for the acts numbered in ``at`` (from 1)."""
    seen = Counter()

    def answer(question):
        if question.kind == "act":
            seen["acts"] += 1
            if seen["acts"] in at:
                return Answer(fault=code, detail=detail, **times)
        return good(question)

    return answer


def test_house_bots_play_a_whole_match_that_verifies():
    talk = Talk(setup(house("greedy"), house("counter"), house("random")))
    assert isinstance(talk.result, Finished)
    verify(talk.result.record)
    assert not talk.questions
    assert len(talk.deals) == len(talk.result.record["deals"])


def test_the_same_seed_plays_the_same_match():
    plan = setup(house("random"), house("counter"), house("random"), word=5)
    assert Talk(plan).result.record == Talk(plan).result.record
    assert Talk(setup(*plan.seats, word=6)).result.record != Talk(plan).result.record


def test_hello_tells_the_table():
    talk = Talk(setup(*THREE))
    ((question,),) = [greet.questions for greet in talk.greets]
    hello = question.content
    assert hello["id"] == "M/1/0/0"
    assert (hello["seats"], hello["you"], hello["purpose"]) == (3, 0, "match")
    assert hello["rules"]["name"] == "pl-3"
    assert hello["rules"]["changed"] == {}
    assert hello["rules"]["options"]["target"] == 1000
    assert hello["time"] == {"act_ms": 200, "bank_ms": 1000, "hard_ms": 800}
    assert talk.match.setup.seed.hex() not in json.dumps(hello)


def test_ids_count_per_seat_and_are_never_used_twice():
    talk = Talk(setup(bot("a"), bot("b"), bot("c")))
    assert not talk.result.faults
    ids = [question.id for question in talk.questions] + [message["id"] for _, message in talk.tells]
    ids += [question.id for greet in talk.greets for question in greet.questions]
    assert len(ids) == len(set(ids))
    for seat in range(3):
        numbers = sorted(int(i.split("/")[3]) for i in ids if i.startswith(f"M/1/{seat}/"))
        assert numbers == list(range(len(numbers)))


def test_nobody_is_asked_when_only_one_action_is_legal():
    talk = Talk(setup(bot("a"), bot("b"), bot("c")))
    assert all(len(question.legal) > 1 for question in talk.questions)


def test_events_are_those_since_the_seats_last_request():
    talk = Talk(setup(*THREE))
    asked = talk.asked(0)
    events = [event for question in asked for event in question.content["events"]]
    everything, _ = talk.match.game.events(0, 0)
    assert events == list(everything)[: len(events)]
    assert any(not question.content["events"] for question in asked[1:]) or len(events) > 0


def test_state_is_sent_back_and_notes_are_kept():
    def answer(question):
        if question.kind == "act":
            return good(question, state=question.id, note="hm\x1b", log="private")
        return good(question)

    talk = Talk(setup(*THREE), answer)
    first, second = talk.asked(0)[:2]
    assert "state" not in first.content
    assert second.content["state"] == first.id
    assert talk.result.notes[0][0]["note"] == "hm\\u001b"
    assert talk.result.turns[0][1]["log"] == "private"
    assert "private" not in json.dumps(talk.result.record)


def test_the_view_and_legal_list_of_a_request_are_the_games():
    talk = Talk(setup(*THREE))
    for question in talk.asked(0)[:20]:
        message = json.loads(question.encode())
        assert message["legal"] == list(question.legal)
        assert message["view"]["you"] == 0


# -- clocks and faults ---------------------------------------------------------------------------


def test_a_timeout_plays_the_default_action_and_is_a_fault():
    talk = Talk(setup(*THREE), faulty(faults.TIMEOUT, {1}, used_ms=900))
    fault = talk.result.faults[0]
    question = talk.asked(0)[0]
    assert (fault["seat"], fault["code"]) == (0, "timeout")
    assert faults.default_action(question.legal) in fault["message"]
    deal = talk.result.record["deals"][fault["deal"]]
    assert deal["actions"][fault["action"]] == [0, faults.default_action(question.legal)]
    assert json.loads(bytes(fault["request"]))["id"] == question.id
    verify(talk.result.record)


def test_an_answer_after_the_limit_and_its_grace_is_a_timeout():
    def slow(used):
        def answer(question):
            reply = good(question)
            if question.id.endswith("/1"):
                reply.used_ms = used
            return reply

        return answer

    assert not Talk(setup(*THREE), slow(CLOCKS.hard_ms + 10)).result.faults
    (fault,) = Talk(setup(*THREE), slow(CLOCKS.hard_ms + 10.5)).result.faults
    assert fault["code"] == "timeout"


def test_the_bank_pays_for_what_goes_beyond_the_free_time():
    def answer(question):
        reply = good(question)
        if question.kind == "act":
            reply.used_ms = 500
        return reply

    asked = Talk(setup(*THREE), answer).asked(0)
    assert [question.content["time"]["bank_ms"] for question in asked[:5]] == [1000, 700, 400, 100, 0]
    assert [question.limit_ms for question in asked[:5]] == [800, 800, 600, 300, 200]


def test_waiting_for_a_processor_is_the_services_fault():
    with pytest.raises(PlatformError, match="starved"):
        Talk(setup(*THREE), faulty(faults.TIMEOUT, {1}, used_ms=100, delay_ms=3000))


def test_a_greeting_that_the_machine_had_no_time_for_is_the_services_fault_too():
    def answer(question):
        return Answer(fault=faults.TIMEOUT, used_ms=CLOCKS.start_ms / 2, delay_ms=20_000)

    for play in (Match(setup(*THREE)).play(), Check(setup(THREE[0]), now=lambda: 0.0).play()):
        questions = play.send(None).questions
        with pytest.raises(PlatformError, match="starved"):
            play.send(tuple(answer(question) for question in questions))


def test_an_illegal_action_is_a_fault_with_the_legal_list():
    def answer(question):
        reply = good(question)
        if question.kind == "act" and question.id.endswith("/1"):
            reply.reply = protocol.ActReply(id=question.id, action="play:XX")
        return reply

    (fault,) = Talk(setup(*THREE), answer).result.faults
    assert fault["code"] == "illegal"
    assert "play:XX" in fault["detail"]
    assert "Rule: play:XX is not legal here" in fault["message"]


def test_the_third_fault_hands_the_seat_over_and_places_it_last():
    talk = Talk(setup(*THREE), faulty(faults.BAD_REPLY, {2, 3, 4}))
    record = talk.result.record
    assert len(talk.result.faults) == 3
    assert len(talk.asked(0)) == 4
    third = talk.result.faults[2]
    assert record["stand_ins"] == [{"seat": 0, "deal": third["deal"], "action": third["action"]}]
    assert record["result"]["places"][0] == 3
    verify(record)


def test_a_seat_that_was_stood_in_for_is_told_no_more():
    talk = Talk(setup(*THREE), faulty(faults.BAD_REPLY, {1, 2, 3}))
    assert not [message for seat, message in talk.tells if message["type"] == "match_end"]


def test_of_two_stood_in_for_the_earlier_is_last():
    seen = Counter()

    def answer(question):
        if question.kind == "hello":
            return good(question)
        seen[question.seat] += 1
        if question.seat == 0 or (question.seat == 1 and seen[1] > 10):
            return Answer(fault=faults.BAD_REPLY)
        return good(question)

    record = Talk(setup(bot("a"), bot("b"), bot("c")), answer).result.record
    assert record["result"]["places"] == [3, 2, 1]


def test_a_crash_restarts_a_sandboxed_bot_once_a_match():
    talk = Talk(setup(*THREE), faulty(faults.CRASH, {1, 2}, detail="it exited with status 3"))
    assert [greet.questions[0].id for greet in talk.greets] == ["M/1/0/0", "M/1/0/2"]
    assert [fault["code"] for fault in talk.result.faults] == ["crash", "crash"]
    assert talk.result.record["stand_ins"] == []


def test_an_http_bot_is_not_restarted():
    talk = Talk(setup(bot("a", "http"), *THREE[1:]), faulty(faults.CRASH, {1}))
    assert len(talk.greets) == 1


@pytest.mark.parametrize("code", [faults.TIMEOUT, faults.CRASH, faults.BAD_REPLY])
def test_no_answer_to_hello_begins_no_match(code):
    talk = Talk(setup(*THREE), lambda _: Answer(fault=code, detail="because", used_ms=9000))
    assert isinstance(talk.result, Refused)
    assert (talk.result.seat, talk.result.code) == (0, "start")
    assert not talk.questions


def test_a_polite_refusal_is_no_fault():
    def answer(question):
        return Answer(reply=protocol.HelloReply(id=question.id, ready=False, reason="not today"))

    result = Talk(setup(*THREE), answer).result
    assert (result.code, result.message) == ("refused", "not today")


def test_people_play_the_default_action_but_cannot_fault():
    talk = Talk(setup(bot("p", "person"), *THREE[1:]), lambda _: Answer(fault=faults.TIMEOUT, used_ms=99999))
    assert talk.result.faults == []
    assert talk.result.record["stand_ins"] == []
    assert talk.result.turns[0] == []


# -- one-way messages ----------------------------------------------------------------------------


def test_sandboxed_bots_hear_of_each_deal_and_of_the_end():
    talk = Talk(setup(*THREE))
    record = talk.result.record
    ends = [message for _, message in talk.tells if message["type"] == "deal_end"]
    assert len(ends) == len(record["deals"])
    played = next(number for number, deal in enumerate(record["deals"]) if deal["contract"])
    end, deal = ends[played], record["deals"][played]
    assert (end["declarer"], end["contract"], end["totals"]) == (
        deal["declarer"],
        deal["contract"],
        deal["totals"],
    )
    assert end["made"] == (deal["points"][deal["declarer"]] >= deal["contract"])
    assert sorted(card for hand in end["hands"] for card in hand) == sorted(deal["deck"][:21])
    (last,) = [message for _, message in talk.tells if message["type"] == "match_end"]
    assert last["seed"] == talk.match.setup.seed.hex()
    assert last["places"] == record["result"]["places"]


def test_http_bots_hear_only_what_they_subscribe_to():
    def answer(question):
        if question.kind == "hello":
            return Answer(reply=protocol.HelloReply(id=question.id, ready=True, subscribe=("match_end",)))
        return good(question)

    seats = (bot("a", "http"), *THREE[1:])
    assert not Talk(setup(*seats)).tells
    assert {message["type"] for _, message in Talk(setup(*seats), answer).tells} == {"match_end"}


def test_while_a_block_is_open_the_seed_is_withheld_and_http_bots_see_no_hidden_hands():
    def answer(question):
        if question.kind == "hello":
            return Answer(
                reply=protocol.HelloReply(id=question.id, ready=True, subscribe=("deal_end", "match_end"))
            )
        return good(question)

    talk = Talk(setup(bot("a", "http"), bot("b"), house("greedy"), reveal_seed=False), answer)
    hands = {seat: message["hands"] for seat, message in talk.tells if message["type"] == "deal_end"}
    assert hands[0] is None
    assert hands[1] is not None
    assert all(message["seed"] is None for _, message in talk.tells if message["type"] == "match_end")


# -- journal and record --------------------------------------------------------------------------


def decisions(talk_setup, answer):
    """Plays, and returns the journal of all decisions together with the talk."""
    taken = []
    talk = Talk(talk_setup, answer, limit=0)
    game = talk.match.game
    apply = game.apply

    class Recording:
        def __getattr__(self, name):
            return getattr(game, name)

        def apply(self, action):
            taken.append((game.seat, action))
            apply(action)

    talk.match.game = Recording()
    talk.result = talk._run(answer, 100_000)
    return taken, talk


@pytest.mark.parametrize("cut", [0, 1, 7, 40])
def test_a_journal_replays_to_the_same_record(cut):
    plan = setup(bot("p", "person"), house("random"), house("counter"), word=3)
    journal, whole = decisions(plan, good)
    again = Talk(setup(*plan.seats, word=3, journal=tuple(journal[:cut]), attempt=2))
    assert again.result.record == whole.result.record
    assert len(again.questions) < len(whole.questions) or cut < 2


def test_faults_and_absences_of_a_journal_count_on():
    plan = setup(bot("a"), bot("p", "person"), house("counter"), word=3)
    journal, _ = decisions(plan, good)
    own = [number for number, (seat, _) in enumerate(journal) if seat == 0][:3]
    absent = [number for number, (seat, _) in enumerate(journal) if seat == 1]
    hows = dict.fromkeys(own, "timeout") | dict.fromkeys(absent, "away")
    told = tuple((seat, action, hows.get(n, "")) for n, (seat, action) in enumerate(journal[:40]))
    again = Talk(setup(*plan.seats, word=3, journal=told, attempt=2))
    assert [fault["code"] for fault in again.result.faults] == ["timeout"] * 3
    assert [entry["seat"] for entry in again.result.record["stand_ins"]] == [0]
    assert {question.seat for question in again.questions} <= {1}


def test_a_journal_that_does_not_fit_is_the_services_fault():
    for journal in (((1, "pass"),), ((0, "play:9S"),), ((2, "nonsense"),)):
        with pytest.raises(PlatformError, match="journal"):
            Talk(setup(*THREE, journal=journal))


def test_a_table_needs_as_many_seats_as_its_rules():
    with pytest.raises(PlatformError, match="2 seats"):
        Talk(setup(house("first"), house("first")))


answers = st.sampled_from(
    [
        None,
        Answer(fault=faults.TIMEOUT, used_ms=99999),
        Answer(fault=faults.CRASH, detail="x"),
        Answer(fault=faults.BAD_REPLY, raw=b"\xff\x00{"),
        Answer(reply=protocol.ActReply(id="", action="")),
        Answer(reply=protocol.ActReply(id="", action="claim")),
        Answer(reply=protocol.ActReply(id="", action="redeal", note="\ud800", log="\x00", state="")),
    ]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(answers, max_size=30), st.integers(0, 1000))
def test_whatever_bots_answer_the_record_verifies(script, word):
    script = iter(script)

    def answer(question):
        given = next(script, None) if question.kind == "act" else None
        return given or good(question)

    talk = Talk(setup(bot("a"), bot("b", "http"), house("counter"), word=word), answer)
    assert isinstance(talk.result, Finished)
    verify(talk.result.record)
    assert len(talk.result.record["stand_ins"]) <= 2
    assert sensible(talk.questions[0]) in talk.questions[0].legal


def test_what_a_bot_says_is_kept_up_to_a_bound_and_its_faults_beyond_it():
    """A log is no place to fill the service's disk from: every answer as long and as hard to store as may be."""

    acts = Counter()

    def talkative(question):
        acts["all"] += question.kind == "act"
        if acts["all"] == 50:
            return Answer(fault="bad_reply", detail="malformed", raw=b"the last word")
        answer = good(question, log="\x1b" * protocol.LOG_CHARS)
        answer.raw = b"\x07" * 70_000
        return answer

    turns = Talk(setup(*THREE), talkative).result.turns[0]
    kept = [len(turn["answer"] or "") + len(turn.get("log", "")) for turn in turns]
    assert len(turns) > 60
    assert SAID_CHARS / 2 < sum(kept) <= SAID_CHARS + 50_000
    assert kept[-1] == 0
    assert [turn["answer"] for turn in turns if turn["verdict"] == "bad_reply"] == ["the last word"]
