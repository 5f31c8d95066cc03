"""The page of a match with what the ladder adds: its season, ratings before and after, what became of them."""

from __future__ import annotations

import pytest
from django.test import Client

from games import results
from ladder.match_pages import ratings_of
from ladder.models import RatingPoint
from ladder.rating_log import rate_finished
from tests.ladder import making

pytestmark = pytest.mark.django_db


def test_a_rated_match_shows_its_season_and_what_it_did_to_the_ratings(client: Client) -> None:
    pool = making.pool()
    table = making.versions(3)
    match = making.finished(pool, table, [2, 1, 3])
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "It is rated within seconds" in page
    assert 'href="/seasons/spring/"' in page
    rate_finished(pool)
    ratings = ratings_of(match)
    assert ratings is not None
    assert not ratings.withdrawn
    for version, rating in zip(table, ratings.seats, strict=True):
        assert rating is not None
        point = RatingPoint.objects.get(event__match=match, version=version)
        assert rating.after == pytest.approx(float(point.r))
        assert rating.before == 1500
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "Rating before" in page
    assert page.count("±") == 3
    assert "It is rated within seconds" not in page


def test_ratings_that_were_withdrawn_are_shown_as_such(client: Client) -> None:
    pool = making.pool()
    match = making.finished(pool, making.versions(3))
    rate_finished(pool)
    results.void(match, reason="cancelled")
    rate_finished(pool)
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "These ratings were withdrawn" in page
    assert "It was cancelled." in page


def test_an_unrated_match_has_no_ratings(client: Client) -> None:
    pool = making.pool()
    match = making.finished(pool, making.versions(3))
    type(match).objects.filter(pk=match.pk).update(rated=False)
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert "Rating before" not in page
