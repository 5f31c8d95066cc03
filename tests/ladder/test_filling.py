"""A made history holds whatever a lived one does: audits, records, seeds; and pages read no more in a larger one."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from games import fairness, queries, queue, results
from games.models import Match, Series
from ladder import boards
from ladder.audits import audit
from ladder.deal_counting import count_deals, tally_of
from ladder.filling import fill
from ladder.match_audits import audit_matches
from ladder.models import PairTally, Pool
from ladder.pair_tallies import wrong_pair
from ladder.play_counting import count_play
from ladder.play_models import PlayCount, PlayTally
from ladder.rating_log import rate_finished, void_rating
from ladder.replay import LogError
from tests.games.making import result_of
from tests.ladder import making

pytestmark = pytest.mark.django_db


def filled(matches: int = 60, *, add: bool = False) -> Pool:
    return fill(matches=matches, bots=12, pool=10, add=add).pool


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("fill", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_makes_what_every_audit_finds_in_order_and_refuses_to_do_it_twice(
    settings: Settings,
) -> None:
    settings.DEBUG = True
    wish = ("--matches", "300", "--bots", "12", "--pool", "20")
    said = json.loads(command(*wish, "--json"))
    assert (said["matches"], said["bots"], said["tables"]) == (300, 12, 20)
    pool = Pool.objects.get()
    assert audit(pool, with_boards=True).matches == 300
    found = audit_matches()
    assert found.problems == []
    assert (found.records, found.rated) == (300, 300)
    with pytest.raises(CommandError, match="matches already"):
        command(*wish)
    assert Match.objects.count() == 300
    command(*wish, "--add")
    assert Match.objects.count() == 600
    for each in Pool.objects.all():
        audit(each)


def test_outside_of_development_a_history_is_made_only_when_that_is_meant(settings: Settings) -> None:
    settings.DEBUG = False
    with pytest.raises(CommandError, match="--yes"):
        command("--matches", "20", "--bots", "12")
    assert not Match.objects.exists()


@pytest.mark.parametrize("wish", [("--bots", "11"), ("--pool", "0"), ("--matches", "0")])
def test_an_impossible_history_is_refused_in_words(wish: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match=r"bots|pool"):
        command("--yes", "--matches", "20", "--bots", "12", *wish)
    assert not Match.objects.exists()


def test_every_seed_follows_from_the_secret_and_each_deck_from_its_seed() -> None:
    filled(30)
    Series.objects.update(closed_at=timezone.now(), revealed_at=timezone.now())
    for match in queries.match_details():
        found = fairness.fairness(match)
        assert found.check
        assert found.check.holds
        assert found.check.seed_follows
        assert found.published_sha256


def test_how_bots_play_is_counted_as_it_would_be_from_the_records() -> None:
    pool = filled()
    rows = PlayTally.objects.filter(pool=pool).order_by("version_id")
    made = {row.version_id: row.counts for row in rows}
    assert count_play(pool) == 0
    rows.delete()
    PlayCount.objects.filter(pool=pool).delete()
    assert count_play(pool) == pool.last_seq
    counted = {row.version_id: row.counts for row in rows.all()}
    assert counted == {version: counts for version, counts in made.items() if counts["scores"]}


def test_the_cards_of_a_block_are_counted_once() -> None:
    pool = filled(30)
    assert count_deals(pool.season) == 10
    dealt = sum(match.deals for match in Match.objects.filter(rotation=0))
    assert tally_of(pool.season).decks == dealt


def test_a_match_played_afterwards_goes_on_with_the_history() -> None:
    pool = filled()
    versions = [row.version for row in pool.ratings.select_related("version__bot").order_by("pk")[:3]]
    assert pool.season.series
    match = queue.enqueue(
        series=pool.season.series,
        klass=Match.Class.LADDER,
        rules=pool.season.rules,
        clocks=pool.season.clocks["sandbox"],
        seats=versions,
        rated=True,
    )
    claim = queue.claim(match.pk, "tester")
    assert claim
    assert results.finish(match.pk, claim.attempt, result_of(claim))
    assert rate_finished(pool) == 1
    audit(pool)


def test_pairs_are_kept_as_matches_are_rated_and_withdrawn_and_the_audit_counts_them() -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), 30)
    rate_finished(pool)
    first = pool.events.filter(kind="match").earliest("seq")
    void_rating(first, "a broken machine")
    audit(pool)
    assert sum(row.ahead + row.level + row.behind for row in pool.pair_tallies.all()) == 3 * 29
    assert boards.fit_pool(pool) == boards.fit_pool(pool, seq=Pool.objects.get(pk=pool.pk).last_seq)
    row = pool.pair_tallies.earliest("pk")
    PairTally.objects.filter(pk=row.pk).update(squares=F("squares") + 1)
    with pytest.raises(LogError, match=f"versions {row.first_id} and {row.second_id}"):
        audit(pool)


def test_the_pairs_of_logs_from_before_they_were_counted_are_counted_once() -> None:
    pool = filled()
    PairTally.objects.all().delete()
    assert wrong_pair(pool)
    migration = importlib.import_module("ladder.migrations.0009_count_pairs_of_logs")
    with connection.cursor() as cursor:
        cursor.execute(migration.COUNT_LOGS)
    assert wrong_pair(pool) is None


def reads(client: Client) -> dict[str, int]:
    """Queries of each page and each API twin, by its address without names and numbers."""
    match = Match.objects.latest("pk")
    seats = list(match.seats.order_by("index"))
    one, two = seats[0].name, seats[1].name
    season = Pool.objects.get().season.slug
    addresses = [
        ("/ladder/", f"/api/v1/seasons/{season}/standings/", "/matches/", "/api/v1/matches/"),
        (f"/bots/{one}/", f"/bots/{one}/rating/", f"/api/v1/bots/{one}/", f"/api/v1/bots/{one}/ratings/"),
        (f"/api/v1/bots/{one}/rating-points/", f"/bots/{one}/against/{two}/"),
        (f"/api/v1/bots/{one}/against/{two}/", f"/matches/?bot={one}", f"/api/v1/matches/?bot={one}"),
        (f"/matches/?before={match.pk}", f"/matches/?bot={one}&against={two}"),
        (f"/matches/{match.pk}/", f"/api/v1/matches/{match.pk}/", f"/api/v1/matches/{match.pk}/record/"),
    ]
    counted = Counter[str]()
    for address in (address for group in addresses for address in group):
        with CaptureQueriesContext(connection) as seen:
            answer = client.get(address)
        assert answer.status_code == 200, address
        kind = address.replace(str(match.pk), "N").replace(season, "S").replace(one, "A").replace(two, "B")
        counted[kind] = len(seen)
    return dict(counted)


def reads_of(client: Client, matches: int, bots: int) -> dict[str, int]:
    """What :func:`reads` counts in a history of this size, which is gone afterwards."""
    with transaction.atomic():
        fill(matches=matches, bots=bots, pool=10)
        found = reads(client)
        transaction.set_rollback(True)
    return found


def test_pages_and_their_api_twins_take_as_many_queries_in_a_large_history_as_in_a_small_one(
    client: Client,
) -> None:
    assert reads_of(client, 200, 24) == reads_of(client, 20, 12)
