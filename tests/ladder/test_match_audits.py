"""The audit of matches finds what is not as it was played; chaos is repeatable."""

import itertools
import subprocess
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from games import queue, results
from games.models import Fault, MatchAttempt, MatchRecord, Seat, Series
from ladder import chaos, rating_log
from ladder.match_audits import audit_matches
from ladder.models import Pool
from tests.faults import stage
from tests.games import making

pytestmark = pytest.mark.django_db


def played(pool):
    match = stage.match(pool, stage.table())
    claim = queue.claim(match.pk, "w")
    assert results.finish(match.pk, claim.attempt, making.result_of(claim))
    return match


def test_a_season_that_was_played_and_rated_is_clean_and_counted():
    pool = stage.pool()
    for _ in range(3):
        played(pool)
    rating_log.rate_finished(pool)
    out = StringIO()
    call_command("audit_matches", "--settle", "5", stdout=out)
    assert (
        "matches: 3 finished; attempts: 3 finished; 3 finished ones looked at, 3 rated, 0 faults"
        in out.getvalue()
    )


@pytest.mark.parametrize(
    "what", ["record", "hash", "totals", "attempt", "rating", "failed", "version", "secret"]
)
def test_what_differs_is_named_and_ends_the_command_with_1(what):
    pool = stage.pool()
    match = played(pool)
    if what != "rating":
        rating_log.rate_finished(pool)
    assert audit_matches().problems == (
        [] if what != "rating" else [f"match {match.pk} of {pool} is not rated"]
    )
    record = match.record
    if what == "record":
        MatchRecord.objects.update(body=record.body.replace('"totals":[', '"totals":[5,', 1))
    elif what == "hash":
        MatchRecord.objects.update(sha256="0" * 64)
    elif what == "totals":
        Seat.objects.filter(index=1).update(total=12345)
    elif what == "secret":
        Series.objects.update(secret=b"x" * 32)
    elif what == "attempt":
        MatchAttempt.objects.update(outcome="infra_lost")
    elif what == "version":
        Seat.objects.filter(index=0).update(version=making.sandboxed("2 and None"))
        Seat.objects.get(index=0).version.__class__.objects.filter(
            pk=Seat.objects.get(index=0).version_id
        ).update(number=7)
    elif what == "failed":
        type(match).objects.filter(pk=stage.match(pool, stage.table()).pk).update(
            state="failed", reason="disk"
        )
    with pytest.raises(CommandError, match=r"match \d+"):
        call_command("audit_matches", stdout=StringIO())


def test_faults_of_bots_are_counted_and_a_problem_only_where_there_must_be_none():
    match = played(stage.pool())
    Fault.objects.create(match=match, attempt=1, seat=0, code="timeout")
    rating_log.rate_finished(Pool.objects.get())
    assert (audit_matches().faults, audit_matches().problems) == (1, [])
    assert len(audit_matches(since=timezone.now() - timedelta(minutes=1)).problems) == 1
    assert audit_matches(since=timezone.now() + timedelta(minutes=1)).problems == []
    for since in ("2026-01-01", "2026-01-01T00:00+02:00"):
        with pytest.raises(CommandError, match="counts as a bot's"):
            call_command("audit_matches", "--since", since, stdout=StringIO())
    with pytest.raises(CommandError, match="since"):
        call_command("audit_matches", "--since", "yesterday", stdout=StringIO())


def test_matches_that_never_end_are_told_of_instead_of_waited_for():
    stage.match(stage.pool(), stage.table())
    for seconds in ("0.1", "nan"):
        with pytest.raises(CommandError, match="1 matches are still open"):
            call_command("audit_matches", "--settle", seconds, stdout=StringIO())


def test_the_faults_of_a_seed_are_always_the_same():
    first, again, other = (list(itertools.islice(chaos.kills(seed), 50)) for seed in (7, 7, 8))
    assert first == again != other
    assert {kill.victim for kill in first} == set(chaos.VICTIMS)
    assert all(chaos.PAUSE_S[0] <= kill.pause <= chaos.PAUSE_S[1] for kill in first)


def test_chaos_kills_who_is_due_and_no_other():
    victims = {name: subprocess.Popen(["sleep", "60"]) for name in ("Redis", "PostgreSQL")}
    clock = itertools.count(0, 10)
    fault = chaos.Chaos(7, lambda: {name: one.pid for name, one in victims.items()}, lambda: next(clock))
    try:
        while not fault.done:
            fault.tend()
        assert victims["Redis"].wait(10) == -9
        assert victims["PostgreSQL"].poll() is None
    finally:
        for one in victims.values():
            one.kill()
            one.wait()
