"""What a person at a table notices of kill -9 and of a restarted PostgreSQL: nothing but a moment's wait."""

import os
import signal

import pytest

from engine.record import verify
from games import people, queries
from games.fairness import fairness
from games.models import Fault
from games.people_models import JournalEntry
from tests.faults import stage
from tests.faults.test_servers import _answers, _postmaster
from tests.games import seated
from tests.games.processes import celery_worker, until
from tests.games.replaying import record_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e]


def seen(state):
    """What the person sees and is asked, without clocks."""
    return state.view, state.events, state.last_deal, state.names, state.ask.number, state.ask.legal


def trick(number):
    """A condition: the person is asked in this trick (from 0) of the first deal, or later."""
    return lambda state: (state.view["deal"], len(state.view["tricks"])) >= (0, number)


def test_kill_9_of_host_and_worker_in_the_middle_of_a_deal_keeps_seat_cards_and_question():
    anna = seated.person()
    match = seated.sit(anna)
    with celery_worker(program=stage.impatient()) as worker:
        before = seated.play_on(match, anna, stop=trick(1))
        for host in stage.hosts_of(worker):
            os.kill(host, signal.SIGKILL)
        until(lambda: match.attempts.count() == 2)
        again = seated.asked(match, anna)
        assert seen(again) == seen(before)
        assert again.ask.bank_ms == before.ask.bank_ms
        before = seated.play_on(match, anna, stop=trick(3))
        worker.kill()
        worker.wait()
    action = before.ask.legal[0]
    people.answer(
        match.pk, anna, question=before.ask.number, action=action
    )  # while nobody is there to hear it
    with celery_worker(program=stage.impatient()):
        seated.play_on(match, anna)
    match.refresh_from_db()
    assert (match.state, match.attempt) == ("finished", 3), match.reason
    assert list(match.attempts.values_list("outcome", flat=True)) == ["infra_lost", "infra_lost", "finished"]
    assert len(set(match.attempts.values_list("seed_sha256", flat=True))) == 1
    verify(record_of(match))
    assert fairness(queries.match_details().get(pk=match.pk)).check.holds
    own = JournalEntry.objects.filter(match=match, seat=0)
    assert own[before.ask.number - 1].action == action
    assert set(own.values_list("how", flat=True)) == {""}
    assert not Fault.objects.exists()


def test_postgresql_restarted_in_the_middle_of_a_deal_costs_a_person_nothing():
    anna = seated.person()
    match = seated.sit(anna)
    with celery_worker(program=stage.impatient()):
        before = seated.play_on(match, anna, stop=trick(2))
        os.kill(_postmaster(), signal.SIGINT)
        stage.forget_connections()
        until(lambda: not _answers(), 30)
        until(_answers, 60)
        again = seated.asked(match, anna)
        assert seen(again) == seen(before)
        seated.play_on(match, anna)
    match.refresh_from_db()
    assert (match.state, match.attempt) == ("finished", 1), match.reason
    assert set(JournalEntry.objects.values_list("how", flat=True)) == {""}
