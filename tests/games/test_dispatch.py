"""The worker's side of the host: real host processes, real sandboxes, real rows."""

import json

import pytest

from engine.record import verify
from games.dispatch import Dispatcher
from games.models import Match
from tests.games import making

pytestmark = pytest.mark.django_db(transaction=True)


def play(queue="cpu", match_id=None):
    return Dispatcher(queue, "tester").run(match_id)


def test_queued_matches_of_house_bots_are_played_to_the_end_and_recorded():
    first, second = making.match(), making.match()
    assert play() == 2
    for match in Match.objects.filter(pk__in=[first.pk, second.pk]):
        assert match.state == "finished", match.reason
        assert match.deals == 2
        assert match.end_reason == "deal_limit"
        record = json.loads(match.record.body)
        verify(record)
        assert [seat.place for seat in match.seats.all()] == record["result"]["places"]
        assert [seat.total for seat in match.seats.all()] == record["result"]["totals"]
