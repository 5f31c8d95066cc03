"""Practice: what may be played, a deal that is played again, wins and figures."""

import json

import pytest

from botapi.errors import DomainError
from engine import PRESETS, RuleSet
from engine.record import verify
from games import guests, journal, people, practice, practice_list, queries, queue
from games.fairness import fairness
from games.models import Match, Seat
from games.people_models import JournalEntry
from ladder.match_audits import audit_matches
from tests.games import making, seated
from tests.games.replaying import record_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_has_a_short_game(name):
    short = practice.short_game(PRESETS[name])
    assert short.target == 500
    assert (short.barrel is None) == (PRESETS[name].barrel is None)
    assert short.barrel is None or short.barrel.threshold == 400
    assert RuleSet.from_json(short.to_json()) == short
    assert people.is_short(short.to_json())
    assert (short.name == "cz-3-short") == name.startswith("cz-3")


@pytest.mark.django_db(transaction=True)
def test_a_deal_of_a_finished_match_is_played_again_with_the_same_cards_and_from_no_seed(monkeypatch, client):
    other = making.finished()
    deals = record_of(other)["deals"]
    number = next(n for n, deal in enumerate(deals) if not deal["void"])
    seat = deals[number]["declarer"]
    anna = seated.person()
    making.house("counter")
    match = practice.play_deal(anna, match=queries.match_details().get(pk=other.pk), deal=number, seat=seat)
    assert not match.rated
    with seated.worker(monkeypatch):
        state = seated.asked(match, anna)
        order = [(deals[number]["dealer"] + step) % 3 for step in (1, 2, 3)]
        place = order.index(seat)
        assert sorted(state.view["dealt"]) == sorted(deals[number]["deck"][place * 7 : place * 7 + 7])
        assert state.view["dealer"] == 0
        seated.play_on(match, anna)
    match.refresh_from_db()
    assert match.state == "finished", match.reason
    record = record_of(match)
    verify(record)
    assert (record["seed"], record["seed_sha256"]) == (None, None)
    assert [deal["deck"] for deal in record["deals"]] == [deals[number]["deck"]]
    found = fairness(queries.match_details().get(pk=match.pk))
    assert (found.same_deal, found.seed, found.check, found.published_sha256) == (True, None, None, None)
    assert not audit_matches().problems
    assert not practice_list.practice_wins().exists()
    page = client.get(f"/matches/{match.pk}/fairness/").content.decode()
    assert f"/matches/{other.pk}/" in page
    assert "does not hold" not in page
    for address in (f"/matches/{match.pk}/", f"/api/v1/matches/{match.pk}/fairness/", "/matches/"):
        assert client.get(address).status_code == 200


def test_only_a_deal_that_is_public_can_be_played_again():
    anna, other = seated.person(), making.finished()
    running = queries.match_details().get(pk=making.match().pk)
    found = queries.match_details().get(pk=other.pk)
    for asked in (
        {"match": running, "deal": 0, "seat": 0},
        {"match": found, "deal": 99, "seat": 0},
        {"match": found, "deal": 0, "seat": 3},
    ):
        with pytest.raises(DomainError) as refused:
            practice.play_deal(anna, **asked)
        assert refused.value.code == "no_such_deal"


def over(who, total, place, absences=0, **changes):
    """A practice game as it stands once it was played."""
    match = seated.sit(who, **changes)
    Match.objects.filter(pk=match.pk).update(state="finished")
    made = {"total": total, "place": place, "absences": absences, "deals_declared": 4, "deals_made": 3}
    Seat.objects.filter(match=match, index=0).update(**made)
    return match


def test_won_games_are_listed_and_count_only_when_the_person_played_them_alone(django_assert_num_queries):
    anna, bert = seated.person(), seated.person("Bert")
    won = over(anna, 1010, 1, rules="nl-3")
    over(anna, 700, 2, rules="nl-3")
    short = over(bert, 520, 1, rules="nl-3", short=True)
    over(bert, 1000, 1, absences=3)
    seated.sit(bert)
    with django_assert_num_queries(1):
        wins = [(seat.match.pk, seat.name, seat.total) for seat in practice_list.practice_wins()]
    assert wins == [(short.pk, "Bert", 520), (won.pk, "Anna", 1010)]
    with django_assert_num_queries(1):
        (figures,) = practice_list.statistics_of(anna)
    assert figures == practice_list.PracticeFigures(
        rules="nl-3", short=False, games=2, won=1, points=855.0, declared=8, made=6
    )
    (figures,) = practice_list.statistics_of(bert)
    assert (figures.rules, figures.short, figures.games) == ("nl-3", True, 1)
    assert practice_list.games_of(bert).count() == 3


def test_the_state_of_a_table_takes_two_queries(django_assert_num_queries):
    anna = seated.person()
    match = seated.sit(anna)
    with django_assert_num_queries(2):
        state = people.table_state(match.pk, anna)
    assert (state.state, state.version, state.view, state.ask) == ("queued", 0, None, None)


def test_the_journal_takes_a_decision_once_and_from_its_own_attempt_alone():
    match = seated.sit(seated.person())
    claim = queue.claim(match.pk, "tester")
    event = {
        "number": 0,
        "seat": 0,
        "action": "pass",
        "how": "",
        "bank_ms": 100,
        "deal": 0,
        "shown": {"0": {"view": {"you": 0}, "events": []}},
    }
    assert journal.store(match.pk, claim.attempt, event)
    assert journal.store(match.pk, claim.attempt, event)
    assert not journal.store(match.pk, claim.attempt + 1, event | {"number": 1})
    assert list(JournalEntry.objects.values_list("number", "action")) == [(0, "pass")]
    part = journal.job_part(match)
    assert (part["journal"], part["banks"], part["away"]) == ([(0, "pass", "")], {0: 100}, [])
    assert json.dumps(part)


def test_two_tabs_in_which_somebody_first_sits_down_at_once_are_one_person(monkeypatch):
    user = making.author()
    first = guests.sit_down(user, {})
    monkeypatch.setattr(guests, "person_of", lambda *_: None)  # as the other tab saw it a moment ago
    assert guests.sit_down(user, {}) == first
