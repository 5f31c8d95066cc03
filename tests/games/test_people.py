"""A person at a table: real rows, a real match host, a script that answers as the page would."""

import dataclasses
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from botapi.errors import DomainError
from botapi.house import Draws, choose
from botapi.protocol import Clocks
from engine import PRESETS, Game
from engine.record import verify
from games import job_making, journal, people, queries, queue
from games.fairness import fairness
from games.models import Match
from games.people_models import JournalEntry, Person, TableSeat
from tests.games import making, seated
from tests.games.replaying import record_of

pytestmark = pytest.mark.django_db(transaction=True)
CARDS = re.compile(r"\b[9JQKTA][SCDH]\b")


def test_a_person_plays_a_whole_short_game(monkeypatch):
    anna = seated.person()
    match = seated.sit(anna, rules="cz-3", short=True)
    with seated.worker(monkeypatch):
        state = seated.play_on(match, anna)
    match.refresh_from_db()
    assert (match.state, state.state, match.attempt) == ("finished", "finished", 1), match.reason
    assert match.rules_name == "cz-3-short"
    record = record_of(match)
    verify(record)
    assert record["seats"][0] == {"name": "Anna", "version": ""}
    assert max(state.outcome.totals) >= 500
    assert list(state.outcome.totals) == record["result"]["totals"]
    decisions = JournalEntry.objects.filter(match=match)
    assert decisions.count() == match.decisions
    assert set(decisions.values_list("how", flat=True)) == {""}
    assert match.seats.get(index=0).absences == 0
    assert state.ask is None
    assert state.events[-1]["event"] == "deal_end"
    assert json.dumps(state.view)
    with pytest.raises(DomainError, match="no such table"):
        people.table_state(match.pk, seated.person("Bert"))


def test_what_a_person_is_shown_is_the_engines_view_of_the_seat_and_holds_no_other_card(monkeypatch):
    anna = seated.person()
    match = seated.sit(anna)
    shown = []
    with seated.worker(monkeypatch):
        seated.play_on(match, anna, stop=shown.append)
    journal = list(JournalEntry.objects.filter(match=match).values_list("seat", "action"))
    game = Game(seated.QUICK, seed=queue.seed_of(Match.objects.select_related("series").get(pk=match.pk), 1))
    positions = []
    for seat, action in journal:
        if seat == 0:
            positions.append(
                json.dumps([game.view(0), game.events(0, game.current.begins)[0], list(game.legal)])
            )
        game.apply(action)
    assert len(positions) == len(shown) > 0
    for state, position in zip(shown, positions, strict=True):
        assert json.loads(position) == [state.view, list(state.events), list(state.ask.legal)]
        text = json.dumps(dataclasses.asdict(dataclasses.replace(state, last_deal=())), default=str)
        assert set(CARDS.findall(text)) <= set(CARDS.findall(position))
    assert [state.version for state in shown] == sorted({state.version for state in shown})
    second = next(state for state in shown if state.view["deal"] == 1)
    assert second.last_deal[0]["event"] == "deal"
    assert second.last_deal[-1]["event"] == "deal_end"
    assert {event.get("deal") for event in second.last_deal} <= {0, None}


def test_an_answer_counts_once_whoever_sends_it_again(monkeypatch):
    anna, stranger = seated.person(), seated.person("Bert")
    match = seated.sit(anna)
    with seated.worker(monkeypatch):
        state = seated.asked(match, anna)
        first, other = state.ask.legal[:2]
        with pytest.raises(DomainError) as refused:
            people.answer(match.pk, stranger, question=state.ask.number, action=first)
        assert (refused.value.code, refused.value.status) == ("no_such_table", 404)
        for verb in (people.come_back, people.leave):
            with pytest.raises(DomainError, match="no such table"):
                verb(match.pk, stranger)
        with pytest.raises(DomainError) as refused:
            people.answer(match.pk, anna, question=state.ask.number, action="play:XX")
        assert refused.value.code == "illegal_action"
        with pytest.raises(DomainError) as refused:
            people.answer(match.pk, anna, question=state.ask.number + 1, action=first)
        assert refused.value.code == "not_asked"

        said = [first, other] * 4
        with ThreadPoolExecutor(len(said)) as tabs:
            outcomes = list(tabs.map(lambda action: answered(match, anna, state, action), said))
        taken = said[outcomes.index("taken")]
        assert {(action, outcome) for action, outcome in zip(said, outcomes, strict=True)} <= {
            (taken, "taken"),
            (taken, "already_played"),
            (other if taken == first else first, "already_played"),
        }
        seated.asked(match, anna)
        assert answered(match, anna, state, taken) == "taken"
        assert answered(match, anna, state, other if taken == first else first) == "already_played"
    own = JournalEntry.objects.filter(match=match, seat=0)
    assert own.first().action == taken


def answered(match, who, state, action):
    """What comes of an answer, from a thread of its own."""
    try:
        people.answer(match.pk, who, question=state.ask.number, action=action)
    except DomainError as error:
        return error.code
    finally:
        if threading.current_thread() is not threading.main_thread():
            connection.close()
    return "taken"


def test_when_time_runs_out_the_default_is_played_and_a_house_bot_goes_on_until_the_person_is_back(
    monkeypatch,
):
    monkeypatch.setattr(job_making, "PERSON_CLOCKS", Clocks(act_ms=100, bank_ms=50, hard_ms=150, start_ms=1))
    anna = seated.person()
    match = seated.sit(anna, rules=PRESETS["pl-3"])
    own = JournalEntry.objects.filter(match=match, seat=0)
    with seated.worker(monkeypatch):
        seated.until(lambda: own.filter(how="away").count() > 3)
        assert own.first().how == "timeout"
        assert own.first().bank_ms == 0
        state = people.table_state(match.pk, anna)
        assert (state.away, state.absent, state.ask) == (True, (0,), None)
        people.come_back(match.pk, anna)
        seated.until(lambda: own.filter(how="timeout").count() == 2)
        people.leave(match.pk, anna)
    match.refresh_from_db()
    assert (match.state, match.reason) == ("void", "the person gave it up")
    assert people.table_state(match.pk, anna).over
    assert match.attempts.get().outcome == "void"


def test_a_person_who_is_not_seen_for_a_minute_is_played_for_and_may_return(monkeypatch):
    anna = seated.person()
    match = seated.sit(anna, rules=PRESETS["pl-3"])
    own = JournalEntry.objects.filter(match=match, seat=0)
    with seated.worker(monkeypatch):
        seated.asked(match, anna)
        TableSeat.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
        seated.until(lambda: own.filter(how="away").count() > 3)
        assert set(own.values_list("how", flat=True)) == {"away"}
        people.seen(match.pk, anna)
        assert people.table_state(match.pk, anna).away
        people.come_back(match.pk, anna)
        state = seated.asked(match, anna)
        people.answer(match.pk, anna, question=state.ask.number, action=state.ask.legal[0])
        seated.until(lambda: own.filter(how="", number__gt=own.filter(how="away").last().number).exists())


def test_a_worker_that_is_told_to_end_gives_the_table_back_and_the_next_goes_on_with_the_same_cards(
    monkeypatch,
):
    anna = seated.person()
    match = seated.sit(anna)
    with seated.worker(monkeypatch) as ends:
        before = seated.play_on(match, anna, stop=lambda state: len(state.view["tricks"]) == 2)
        ends.set()
        seated.until(lambda: match.attempts.filter(outcome="returned").exists())
    match.refresh_from_db()
    assert match.state == "queued"
    assert people.table_state(match.pk, anna).ask is None
    with seated.worker(monkeypatch):
        after = seated.asked(match, anna)
        assert (after.view, after.events, after.ask.number, after.ask.legal) == (
            before.view,
            before.events,
            before.ask.number,
            before.ask.legal,
        )
        seated.play_on(match, anna)
    match.refresh_from_db()
    assert (match.state, match.attempt) == ("finished", 2), match.reason
    found = fairness(queries.match_details().get(pk=match.pk))
    assert found.check.holds
    assert found.message == f"match {match.number} attempt 1"


def test_two_people_at_a_table_see_their_own_cards_alone(monkeypatch):
    anna, bert = seated.person(), seated.person("Bert")
    match = making.match(
        [anna, bert, making.house("counter")],
        rules=dataclasses.replace(PRESETS["pl-3"], deal_limit=3),
        klass=Match.Class.PEOPLE,
    )
    draws = Draws(bytes(32), 0)
    compared = 0
    with seated.worker(monkeypatch):
        while True:
            states = [(who, people.table_state(match.pk, who)) for who in (anna, bert)]
            if all(state.over for _, state in states):
                break
            if not all(state.view for _, state in states):  # not dealt yet
                continue
            hands = [set(state.view["hand"]) for _, state in states]
            same = len({(state.view["deal"], state.view["phase"]) for _, state in states}) == 1
            for (who, state), others in zip(states, reversed(hands), strict=False):
                if same and state.view["phase"] == "auction":
                    text = json.dumps(
                        dataclasses.asdict(dataclasses.replace(state, last_deal=())), default=str
                    )
                    assert not others & set(CARDS.findall(text))
                    compared += 1
                if state.ask:
                    action = choose("counter", state.view, state.ask.legal, draws)
                    people.answer(match.pk, who, question=state.ask.number, action=action)
    match.refresh_from_db()
    assert match.state == "finished", match.reason
    assert compared
    verify(record_of(match))
    decided = JournalEntry.objects.filter(match=match, bank_ms__isnull=False)
    assert set(decided.values_list("seat", flat=True)) == {0, 1}


def test_a_page_behind_others_may_tell_of_itself_once_a_minute_and_its_person_is_there(client):
    making.house("counter")
    client.post("/play/", {"now": "1"})
    match = Match.objects.get()
    anna = Person.objects.get()

    def unseen_after(seconds, **asked):
        assert client.get(f"/tables/{match.pk}/now/", asked).status_code == 200
        TableSeat.objects.update(seen_at=F("seen_at") - timedelta(seconds=seconds))
        return journal.desks([match.pk])[0].unseen

    assert not unseen_after(55)
    assert unseen_after(65)
    assert not unseen_after(115, hidden="1")
    assert unseen_after(125, hidden="1")
    people.come_back(match.pk, anna)
    assert not journal.desks([match.pk])[0].unseen
