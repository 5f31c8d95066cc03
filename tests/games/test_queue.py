"""The queue in PostgreSQL: numbers, seeds, claims, leases, order."""

import hashlib
import hmac
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from engine import PRESETS, RuleSetError
from games import queue, shares
from games.models import Match, MatchAttempt, Series
from tests.games import making

pytestmark = pytest.mark.django_db


def in_parallel(count, act):
    """Results of ``act()`` in so many threads that begin together."""
    barrier, found = threading.Barrier(count), []

    def run():
        barrier.wait()
        try:
            found.append(act())
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_match_is_queued_with_its_seats_in_order():
    seats = [making.house("counter"), making.sandboxed(), making.house("random")]
    match = making.match(seats)
    assert match.state == "queued"
    assert [seat.version for seat in match.seats.all()] == seats
    assert (match.players, match.rules_name, match.waiting, match.attempt) == (3, "custom", False, 0)
    assert match.rules["base"] == "pl-3"


def test_a_match_with_an_endpoint_goes_to_the_queue_of_those_that_wait():
    assert making.match(
        [making.endpoint("http://127.0.0.1:1/"), making.house(), making.house("first")]
    ).waiting


def test_a_match_whose_seats_do_not_fit_its_rules_is_not_queued():
    with pytest.raises(ValueError, match="2 seats for a table of 3"):
        making.match([making.house(), making.house("first")])
    with pytest.raises(RuleSetError):
        making.match(rules={"name": "nonsense"})
    assert not Match.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_numbers_of_a_series_have_no_gap_however_many_are_queued_at_once():
    series, seats = making.series(), [making.house(), making.house("first"), making.house("random")]
    in_parallel(8, lambda: making.match(seats, series=series))
    assert sorted(Match.objects.values_list("number", flat=True)) == list(range(1, 9))


def test_seeds_follow_from_the_committed_secret_the_number_and_the_attempt():
    match = making.match()
    secret = bytes(match.series.secret)
    assert match.series.secret_sha256 == hashlib.sha256(secret).hexdigest()
    expected = hmac.digest(secret, f"match {match.number} attempt 2".encode(), "sha256")
    assert queue.seed_of(match, 2) == expected
    assert queue.seed_of(match, 1) != expected


def test_tables_of_a_block_share_their_seed_whatever_the_attempt():
    first, second = (making.match(block=7, rotation=rotation) for rotation in range(2))
    secret = bytes(first.series.secret)
    assert {queue.seed_of(match, attempt) for match in (first, second) for attempt in (1, 2)} == {
        hmac.digest(secret, b"block 7", "sha256")
    }


def test_a_series_has_one_secret_for_ever():
    assert (
        queue.open_series(Series.Kind.TESTS, "x").secret == queue.open_series(Series.Kind.TESTS, "x").secret
    )


def test_a_claim_takes_the_match_and_publishes_the_hash_of_its_seed():
    match = making.match()
    claim = queue.claim(match.pk, "w1")
    match.refresh_from_db()
    assert (match.state, match.attempt, match.worker) == ("running", 1, "w1")
    assert match.lease_until > timezone.now()
    attempt = match.attempts.get()
    assert attempt.seed_sha256 == hashlib.sha256(claim.seed).hexdigest()
    assert attempt.outcome == "running"


def test_a_second_claim_finds_nothing_to_do():
    match = making.match()
    assert queue.claim(match.pk, "w1")
    assert queue.claim(match.pk, "w2") is None
    assert queue.claim(999_999, "w2") is None
    assert MatchAttempt.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_claims_at_the_same_time_one_wins():
    match = making.match()
    found = in_parallel(8, lambda: queue.claim(match.pk, "w"))
    assert sum(claim is not None for claim in found) == 1
    match.refresh_from_db()
    assert match.attempt == 1


@pytest.mark.django_db(transaction=True)
def test_workers_that_take_the_next_match_at_the_same_time_take_different_ones():
    for _ in range(4):
        making.match()
    found = in_parallel(4, lambda: queue.next_due("cpu", "w"))
    assert len({claim.match.pk for claim in found if claim}) >= 2
    while queue.next_due("cpu", "w"):
        pass
    assert MatchAttempt.objects.count() == 4


def test_a_match_that_is_not_due_yet_is_not_claimed():
    match = making.match(not_before=timezone.now() + timedelta(minutes=1))
    assert queue.claim(match.pk, "w") is None
    assert queue.next_due("cpu", "w") is None
    Match.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert queue.next_due("cpu", "w").match == match


def classes_begun(count):
    """The classes of the next so many matches that are begun."""
    return [queue.next_due("cpu", "w").match.klass for _ in range(count)]


def test_checks_and_test_matches_go_first_where_nobody_has_had_a_turn():
    ladder = making.match()
    test = making.match(klass=Match.Class.TEST)
    check = making.match([making.sandboxed()], klass=Match.Class.CHECK)
    assert list(queue.due("cpu")) == [check, test, ladder]
    assert queue.order("cpu", most=9) == [check.pk, test.pk, ladder.pk]


def test_an_author_does_not_wait_behind_an_hour_of_the_ladder():
    for _ in range(12):
        making.match()
    Match.objects.update(created_at=timezone.now() - timedelta(hours=1))
    test = making.match(klass=Match.Class.TEST)
    assert queue.next_due("cpu", "w").match == test


def test_classes_that_wait_together_get_their_shares_and_none_starves():
    for klass, count in (("ladder", 6), ("test", 16), ("tournament", 10)):
        for _ in range(count):
            making.match(klass=klass)
    told = queue.order("cpu", most=100)
    begun = classes_begun(18)
    assert {klass: begun.count(klass) for klass in ("test", "tournament", "ladder")} == {
        "test": 9,
        "tournament": 6,
        "ladder": 3,
    }
    assert list(MatchAttempt.objects.order_by("pk").values_list("match", flat=True)) == told[:18]


def test_a_class_that_was_quiet_for_long_does_not_shut_out_the_others():
    waiting = {"test": list(range(1000)), "ladder": list(range(1000, 1100))}
    order = list(shares.in_turn(waiting, ["ladder"] * shares.LOOK_BACK))
    places = [place for place, item in enumerate(order) if item >= 1000]
    gaps = [after - before for before, after in zip([0, *places], places, strict=False)]
    assert len(order) == 1100
    assert max(gaps) <= shares.LOOK_BACK


def test_every_class_has_a_share():
    assert set(shares.SHARES) == set(Match.Class.values)


def test_progress_renews_the_lease_until_the_open_questions_deadline_and_a_margin():
    match = making.match()
    queue.claim(match.pk, "w")
    assert queue.lease_s(100) == 30
    assert queue.lease_s(60_000) == 75
    assert queue.renew(match.pk, 1, seconds=queue.lease_s(60_000), deal=3)
    match.refresh_from_db()
    assert 70 < (match.lease_until - timezone.now()).total_seconds() < 76
    assert match.attempts.get().deal == 3


def test_a_stale_attempt_renews_nothing():
    match = making.match()
    queue.claim(match.pk, "w")
    Match.objects.update(attempt=2)
    before = Match.objects.get().lease_until
    assert not queue.renew(match.pk, 1, seconds=99)
    assert Match.objects.get().lease_until == before


def test_a_rule_set_may_be_given_as_one_or_in_its_record_form():
    assert (
        making.match(rules=PRESETS["pl-3"]).rules_hash
        == making.match(rules=PRESETS["pl-3"].to_json()).rules_hash
    )
