"""What a player could learn of an event before its publication, by every way that leads to a match."""

import pytest
from django.test import Client

from botapi.errors import DomainError
from botapi.models import Bot
from games import people, queries, queue, results
from games.job_making import make_job
from games.models import Match, SeatLog
from ladder.events import registration, running
from ladder.events.models import Event
from tests.games import making
from tests.ladder.test_events import Format, begin, enter, event, play, play_all

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


def test_where_people_sit_among_bots_no_list_and_no_name_that_comes_again_tells_them_apart():
    where = event(Format.SHOW, people_at_table=2, blocks=2, aliases=Event.Aliases.GIVEN)
    entries = begin(where, *(enter(where) for _ in range(4)))
    aliases = {entry.alias for entry in entries}
    for address in (f"/events/{where.slug}/", f"/api/v1/events/{where.slug}/", "/api/v1/events/", "/events/"):
        shown = Client().get(address).content.decode()
        assert not [alias for alias in aliases if alias in shown], address
    for match in Match.objects.filter(series=where.series_id, state="queued"):
        play(match)
    running.advance(where)
    rounds = [
        {seat.name for table in where.tables.filter(round=number) for seat in table.match.seats.all()}
        for number in (1, 2)
    ]
    assert len(rounds[0]) == 6
    assert rounds[0] == rounds[1], "bots come again under their names, as people do"
    play_all(where)
    shown = Client().get(f"/api/v1/events/{where.slug}/").content.decode()
    assert all(alias in shown for alias in aliases)


def test_no_bot_is_told_the_seed_of_cards_that_the_challenger_meets_later():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    claim = queue.claim(running.begin_block(entry).pk, "tester")
    assert make_job(claim)["reveal_seed"] is False


def test_a_bot_that_could_remember_meets_no_cards_twice():
    version = making.endpoint("https://bot.example.org/")
    for kind, role in ((Format.OPEN, "opponent"), (Format.TEAM, "challenger")):
        with pytest.raises(DomainError, match="could remember"):
            registration.ask_bot(event(kind, bots=()), version.bot, role)
    registration.ask_bot(event(bots=()), version.bot, "challenger")


def test_whoever_plays_in_a_show_has_no_endpoint_of_their_own_in_it():
    where, version = event(Format.SHOW), making.endpoint("https://bot.example.org/")
    entry = enter(where)
    author = entry.person.user
    Bot.objects.filter(pk=version.bot_id).update(owner=author)
    asked = registration.ask_bot(where, Bot.objects.get(pk=version.bot_id), "opponent")
    with pytest.raises(DomainError, match="either you play"):
        registration.answer_for_bot(asked, by=author, agrees=True)
    registration.leave(entry)
    registration.answer_for_bot(asked, by=author, agrees=True)
    with pytest.raises(DomainError, match="either you play"):
        registration.enter(where, entry.person, alias="Zoe", rules=True, consent=True)


def test_an_operator_repeats_no_table_of_an_event_beside_it():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    play(running.begin_block(entry))
    running.advance(where)
    match = Match.objects.get(series=where.series_id, state="queued")
    play(match)
    with pytest.raises(DomainError, match="Declare it void"):
        results.repeat(match, reason="odd")
    results.void(match, reason="odd")
    running.advance(where)
    assert where.tables.filter(match__state="queued").count() == 1


def test_a_table_that_a_bot_refused_does_not_say_which_seat_is_the_bots():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    match = running.begin_block(entry)
    claim = queue.claim(match.pk, "tester")
    seat = match.seats.filter(person=None).first()
    results.refused(match.pk, claim.attempt, seat=seat.index, code="start", message="no")
    state = people.table_state(match.pk, entry.person)
    assert (state.state, state.reason) == ("void", "void")
