"""Nothing that a stranger puts into an address is a fault of ours."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.core.cache import cache

from tests.ladder import making

pytestmark = pytest.mark.django_db
ODD = ["\0", "a\0b", "xxx", "-1", "9" * 40, "9" * 4301, "NaN", "2026-99-99", "ž", "' OR 1=1", "cD14eHg="]
PAGES = [
    "/matches/?state={}",
    "/matches/?bot={}",
    "/matches/?page={}",
    "/seasons/{}/",
    "/bots/{}/rating/",
    "/api/v1/seasons/?cursor={}",
    "/api/v1/bots/?cursor={}",
    "/api/v1/bots/?state={}",
    "/api/v1/bots/{}/",
    "/api/v1/matches/?cursor={}",
    "/api/v1/matches/?state={}",
    "/api/v1/matches/{}/",
    "/api/v1/series/?cursor={}",
    "/api/v1/seasons/{}/standings/",
    "/api/v1/?script={}",
    "/api/v1/?lang={}",
]


@pytest.fixture(autouse=True)
def _fresh_throttles():
    cache.clear()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_value_is_answered_without_a_fault_of_ours(client, page, odd):
    assert client.get(page.format(quote(odd, safe=""))).status_code in {200, 301, 400, 404}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_season_or_cursor_of_a_bot_is_answered_too(client, odd):
    name = making.bot().name
    for page in ("ratings", "rating-points"):
        for key in ("season", "cursor"):
            assert client.get(f"/api/v1/bots/{name}/{page}/", {key: odd}).status_code in {200, 400, 404}
    making.pool()
    for asked in ({"season": odd}, {"before": odd}):
        assert client.get(f"/bots/{name}/rating/", asked).status_code in {200, 404}
