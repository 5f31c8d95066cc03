"""A person at a table: real rows, a real match host, a script that answers as the page would."""

import json

import pytest

from engine.record import verify
from games import people
from games.models import JournalEntry
from tests.games import seated
from tests.games.replaying import record_of

pytestmark = pytest.mark.django_db(transaction=True)


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
    with pytest.raises(people.DomainError, match="no such table"):
        people.table_state(match.pk, seated.person("Bert"))
