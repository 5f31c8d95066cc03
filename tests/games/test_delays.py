"""What waits and why: a queue without workers, unsafe ones, matches before it, a repeat, a date to come."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from games import delays, queue, results, workers
from games.models import Match, Worker
from tests.games import making

pytestmark = pytest.mark.django_db


def only() -> delays.Waiting:
    found = delays.waiting(timezone.now())
    assert len(found) == 1
    return found[0]


def test_without_a_worker_the_reason_says_so_and_the_match_is_late_after_two_minutes():
    match = making.match()
    assert "was ever started" in only().reason
    assert not only().late
    Match.objects.filter(pk=match.pk).update(created_at=timezone.now() - timedelta(minutes=3))
    assert only().late
    workers.report("w", "cpu")
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=7))
    assert "has been seen for 7 minutes" in only().reason
    workers.report("w", "cpu", message="/usr/bin/something is broken")
    assert "no safe sandbox" in only().reason
    assert "/usr" not in only().reason


def test_matches_wait_for_those_before_them_and_are_expected_by_what_was_ended():
    workers.report("w", "waiting,cpu")
    for _ in range(4):
        making.finished()
    first, second, third = making.match(), making.match(), making.match()
    ahead = making.match(klass=Match.Class.TEST)
    found = delays.waiting(timezone.now())
    assert [wait.match for wait in found] == [ahead, first, second, third]
    assert [wait.ahead for wait in found] == [0, 1, 2, 3]
    assert "It is next" in found[0].reason
    assert "1 match goes before" in found[1].reason
    assert "3 matches go before" in found[3].reason
    expected = [wait.expected for wait in found]
    assert all(expected)
    assert expected == sorted(expected)
    assert expected[3] - timezone.now() <= timedelta(hours=1)


def test_each_queue_has_its_own_workers_and_order(settings):
    workers.report("w", "cpu")
    making.match([making.endpoint("https://a.example/bot"), making.house("greedy"), making.house("random")])
    making.match()
    found = {wait.match.waiting: wait for wait in delays.waiting(timezone.now())}
    assert "with endpoints" in found[True].reason
    assert (found[False].ahead, found[False].reason) == (0, "It is next, and waits for a free worker.")


def test_a_match_that_is_due_never_waits_for_a_date_even_if_it_was_made_a_moment_ago():
    workers.report("w", "cpu")
    now = timezone.now()
    first, second = making.match(), making.match()
    dated = making.match(not_before=now + timedelta(hours=1))
    found = delays.waiting(now)
    assert [wait.match for wait in found] == [first, second, dated]
    assert [bool(wait.reason) for wait in found] == [True, True, False]
    due = delays.waiting(now + timedelta(hours=1, seconds=1))
    assert all(wait.reason for wait in due)


def test_a_repeat_says_what_was_lost_and_a_date_to_come_is_not_late():
    workers.report("w", "cpu")
    match = making.match()
    claim = queue.claim(match.pk, "w")
    assert delays.waiting(timezone.now()) == []
    assert [m.pk for m in delays.running()] == [match.pk]
    results.infra_lost(match.pk, claim.attempt, "its worker was lost")
    assert only().reason == "It will be played again: its worker was lost"
    results.void(match, reason="for the test")
    at = timezone.now() + timedelta(hours=3)
    making.match(not_before=at)
    wait = only()
    assert (wait.due_at, wait.expected, wait.late, wait.reason) == (at, at, False, "")


def test_as_many_queries_for_many_matches_as_for_few(django_assert_num_queries):
    for count in (1, 8):
        for _ in range(count):
            making.match()
        with django_assert_num_queries(8):
            delays.waiting(timezone.now())
