"""What a player could learn of an event before its publication, by every way that leads to a match."""

import pytest
from django.test import Client

from games import queries
from games.models import Match, SeatLog
from ladder.events import registration, running
from tests.games import making
from tests.ladder.test_events import Format, begin, enter, event, play

pytestmark = pytest.mark.django_db


def browser(user):
    client = Client()
    client.force_login(user)
    return client


def test_the_record_of_a_finished_table_is_nowhere_before_the_publication():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    match = running.begin_block(entry)
    play(match)
    address = f"/api/v1/matches/{match.pk}/record/"
    assert Client().get(address).status_code == 404, "the challenger has not met the cards yet"
    running.advance(where)
    play(Match.objects.get(series=where.series_id, state="queued"))
    assert Client().get(address).status_code == 404, "it says who is a bot"
    running.advance(where)
    assert Client().get(address).status_code == 200


def test_the_private_log_of_a_bot_is_closed_before_the_publication():
    where, version = event(Format.SHOW, bots=(), blocks=1), making.sandboxed()
    author = version.bot.owner
    asked = registration.ask_bot(where, version.bot, "challenger")
    registration.answer_for_bot(asked, by=author, agrees=True)
    begin(where, enter(where))
    match = Match.objects.get(series=where.series_id)
    play(match)
    seat = match.seats.filter(version=version).first()
    SeatLog.objects.get_or_create(match=match, seat=seat.index, attempt=1, defaults={"stderr": "x"})
    match.refresh_from_db()
    assert not queries.readable_logs(author, match).exists()
    assert browser(author).get(f"/matches/{match.pk}/log/").status_code == 404
    running.advance(where)
    running.advance(where)
    match = Match.objects.get(pk=match.pk)
    assert queries.readable_logs(author, match).exists()
