"""Seasons: a committed secret at opening, revealed only when nothing is open."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from botapi.errors import DomainError
from engine import PRESETS
from games.models import Match
from games.queries import public_secret
from ladder.models import Season
from ladder.seasons import close_season, create_season, open_season, reveal_secrets
from tests.ladder import making

pytestmark = pytest.mark.django_db


def opened() -> Season:
    return open_season(create_season("spring", name="Spring", ruleset=PRESETS["pl-3"]))


def test_opening_commits_a_secret_and_makes_the_pool_of_the_rules() -> None:
    season = opened()
    assert season.series
    assert len(bytes(season.series.secret)) == 32
    assert season.series.secret_sha256 == hashlib.sha256(bytes(season.series.secret)).hexdigest()
    pool = season.pools.get()
    assert (pool.rules_hash, pool.players) == (PRESETS["pl-3"].hash, 3)
    assert season.rules == PRESETS["pl-3"].to_json()
    assert set(season.clocks) == {"sandbox", "http"}


def test_a_season_is_opened_once_and_closed_once() -> None:
    season = opened()
    with pytest.raises(DomainError, match="opened before"):
        open_season(season)
    close_season(season)
    with pytest.raises(DomainError, match="not open"):
        close_season(season)


def test_the_secret_is_published_only_when_the_season_is_closed_and_none_of_its_matches_is_open() -> None:
    season = opened()
    pool = season.pools.get()
    match = making.finished(pool, making.versions(3), finish=False)
    close_season(season)
    assert reveal_secrets() == 0
    season.refresh_from_db()
    assert season.series
    assert public_secret(season.series) is None
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)
    assert reveal_secrets() == 1
    season.series.refresh_from_db()
    assert public_secret(season.series) == bytes(season.series.secret).hex()
    assert reveal_secrets() == 0


def test_an_open_seasons_secret_stays_hidden() -> None:
    season = opened()
    assert reveal_secrets() == 0
    assert season.series
    assert public_secret(season.series) is None


def test_the_ladder_switches_between_open_seasons_and_ended_ones_stay_in_the_archive(client: Client) -> None:
    assert "No season is open." in client.get("/seasons/").content.decode()
    spring = opened()
    summer = open_season(create_season("summer", name="Summer", ruleset=PRESETS["ru-2"], duplicate=True))
    create_season(
        "autumn", name="Autumn", ruleset=PRESETS["pl-4-sit"], opens_at=timezone.now() + timedelta(days=9)
    )
    create_season("draft", name="Not announced", ruleset=PRESETS["pl-3"])
    page = client.get("/ladder/").content.decode()
    assert '?season=summer" aria-current="page"' in page
    other = client.get("/ladder/?season=spring").content.decode()
    assert '?season=spring" aria-current="page"' in other
    assert client.get("/ladder/?season=draft").status_code == 404
    assert client.get("/ladder/?season=%00").status_code == 404
    close_season(spring)
    page = client.get("/seasons/").content.decode()
    archive = page[page.index('id="archive"') :]
    assert ("Spring" in archive, "Summer" in archive) == (True, False)
    assert "Autumn" in page
    assert "Not announced" not in page
    assert "in every rotation" in client.get("/seasons/summer/").content.decode()
    assert summer.series_id != spring.series_id
