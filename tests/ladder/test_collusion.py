"""The pair test: what it computes, whom it flags, what operators see of it."""

import io
import json
import math

import pytest
from django.contrib.admin.sites import site
from django.core.management import CommandError, call_command

from bench.collusion import false_flags, joint_until_flagged
from ladder import pair_flags, rating_log
from ladder.collusion import LEAST_JOINT, pair_tests
from ladder.models import PairFlag

from . import making


def test_the_surplus_is_what_the_helped_scored_beyond_expectation():
    equal = {1: 1500.0, 2: 1500.0, 3: 1500.0}
    tests = pair_tests([[(1, 1), (2, 2), (3, 3)]], equal, {1: 10, 2: 20, 3: 30})
    found = {(test.helper, test.helped): test for test in tests}
    assert len(found) == 6
    # version 1 beat both of its opponents where one half each was expected; variance 4/3 of two quarters
    assert found[20, 10].surplus == pytest.approx(1.0)
    assert found[20, 10].z == pytest.approx(1 / math.sqrt(4 / 3 * 0.5))
    assert found[10, 20].surplus == pytest.approx(0.0)
    assert found[10, 30].surplus == pytest.approx(-1.0)
    assert not any(test.suspicious for test in tests), "one match proves nothing"


def test_a_stronger_bot_that_wins_as_expected_has_no_surplus():
    ratings = {1: 1500.0 + 400 * math.log10(3), 2: 1500.0}  # wins three of four
    matches = [[(1, 1), (2, 2)]] * 75 + [[(1, 2), (2, 1)]] * 25
    for test in pair_tests(matches, ratings, {1: 1, 2: 2}):
        assert test.z == pytest.approx(0)
        assert test.joint == 100 > LEAST_JOINT


def test_versions_of_one_bot_count_together_and_unrated_ones_not_at_all():
    ratings = {1: 1500.0, 2: 1500.0, 3: 1500.0}
    matches = [[(1, 1), (3, 2)], [(2, 1), (3, 2)], [(1, 1), (99, 2)]]
    tests = {(test.helper, test.helped): test for test in pair_tests(matches, ratings, {1: 10, 2: 10, 3: 30})}
    assert tests[30, 10].joint == 2
    assert set(tests) == {(30, 10), (10, 30)}


def test_a_helping_pair_is_flagged_within_300_joint_matches_and_a_clean_season_has_no_flag():
    met = joint_until_flagged(seed=1, elo=150)
    assert met is not None
    assert met <= 300
    assert false_flags(seed=1, bots=20) == 0


@pytest.fixture
def helped_pool(db):
    """A pool in which the first bot always wins beside the second, and else nobody is better than others."""
    pool = making.pool()
    versions = making.versions(4)
    one, two, three, four = versions
    for turn in range(60):
        making.finished(pool, [one, two, three if turn % 2 else four], (1, 3, 2))
        rotated = [(1, 2, 3), (3, 1, 2), (2, 3, 1)][turn % 3]
        making.finished(pool, [one, three, four], rotated)
        making.finished(pool, [two, three, four], rotated)
    rating_log.rate_finished(pool)
    pool.refresh_from_db()
    return pool, versions


def test_flags_are_written_once_a_pair_and_stay_cleared(helped_pool, monkeypatch):
    pool, (one, two, *_) = helped_pool
    monkeypatch.setattr("ladder.collusion.SUSPICIOUS_Z", 3.0)
    assert pair_flags.flag_pairs(pool) > 0
    flag = PairFlag.objects.get(helper=two.bot, helped=one.bot)
    assert flag.joint == 60
    assert flag.z > 3
    pair_flags.clear(flag)
    pair_flags.flag_pairs(pool)
    again = PairFlag.objects.get(helper=two.bot, helped=one.bot)
    assert again.pk == flag.pk
    assert again.cleared_at is not None
    assert again.seen_at > flag.seen_at


def test_a_withdrawn_match_does_not_count(helped_pool):
    pool, (one, two, *_) = helped_pool
    before = {(t.helper, t.helped): t.joint for t in pair_flags.tests_of(pool)}
    event = pool.events.filter(kind="match").first()
    rating_log.void_rating(event, "a test")
    pool.refresh_from_db()
    after = {(t.helper, t.helped): t.joint for t in pair_flags.tests_of(pool)}
    assert after[two.bot_id, one.bot_id] == before[two.bot_id, one.bot_id] - 1


def test_the_report_prints_the_pairs_and_ends_with_1_for_a_suspicious_one(helped_pool, monkeypatch):
    pool, (one, two, *_) = helped_pool
    out = io.StringIO()
    monkeypatch.setattr("ladder.collusion.SUSPICIOUS_Z", 99.0)
    call_command("collusion_report", pool=pool.pk, json=True, stdout=out)
    first = json.loads(out.getvalue().splitlines()[0])
    assert {first["helper"], first["helped"]} == {one.bot.name, two.bot.name}
    monkeypatch.setattr("ladder.collusion.SUSPICIOUS_Z", 3.0)
    with pytest.raises(CommandError, match="Suspicious pairs"):
        call_command("collusion_report", pool=pool.pk, stdout=out)
    assert f"{one.bot.name} beside {two.bot.name}" in out.getvalue()
    assert "look at it" in out.getvalue()
    with pytest.raises(CommandError, match="There is no pool 0"):
        call_command("collusion_report", pool=0)


def test_operators_see_flags_and_clear_them(helped_pool, admin_client):
    pool, (one, two, *_) = helped_pool
    flag = PairFlag.objects.create(pool=pool, helper=two.bot, helped=one.bot, joint=300, surplus=90.5, z=5.2)
    assert one.bot.name in admin_client.get("/admin/ladder/pairflag/").content.decode()
    chosen = {"action": "clear", "_selected_action": [flag.pk]}
    assert "cleared" in admin_client.post("/admin/ladder/pairflag/", chosen, follow=True).content.decode()
    flag.refresh_from_db()
    assert flag.cleared_at is not None
    assert not site.get_model_admin(PairFlag).has_change_permission(None)
