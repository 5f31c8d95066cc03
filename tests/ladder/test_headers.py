"""Headers and content of every public page: a strict policy, and nothing on a page that it would refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from botapi.models import User
from ladder import settings as written
from ladder.models import Pool
from ladder.rating_log import rate_finished
from tests.ladder import making
from tests.ladder.test_frame import Reader

pytestmark = pytest.mark.django_db

NOT_PAGES = {"admin", "api", "healthz", "language", "static"}
WITHOUT_EXAMPLE = {"uidb64", "token"}


def addresses(resolver: URLResolver, namespace: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every named page with the names of what its address takes."""
    for one in resolver.url_patterns:
        if isinstance(one, URLResolver):
            if str(one.pattern).split("/")[0] not in NOT_PAGES:
                inner = f"{namespace}{one.namespace}:" if one.namespace else namespace
                yield from addresses(one, inner)
        elif isinstance(one, URLPattern) and one.name and str(one.pattern).split("/")[0] not in NOT_PAGES:
            yield namespace + one.name, tuple(one.pattern.converters)


PAGES = sorted(addresses(get_resolver()))


@pytest.fixture
def pool() -> Pool:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(4, house=2), 12)
    rate_finished(pool)
    return pool


def examples(pool: Pool) -> dict[str, list[str]]:
    """Values for the parts of addresses; several where the same name means different things."""
    event = pool.events.filter(match__isnull=False).first()
    assert event is not None
    bots = [row.version.bot.name for row in pool.ratings.select_related("version__bot")]
    return {
        "slug": [pool.season.slug, "rules"],
        "name": [bots[0], "pl-3"],
        "a": [bots[0]],
        "b": [bots[1]],
        "one": ["pl-3"],
        "other": ["ru-3"],
        "pk": [str(event.match_id)],
        "match": [str(event.match_id)],
        "number": ["1"],
    }


def strict(policy: str) -> bool:
    return "default-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy


def reached(client: Client, pool: Pool) -> Iterator[str]:
    """Every page that answers with 200 to somebody who is not signed in."""
    known = examples(pool)
    for name, parts in PAGES:
        if not set(parts) <= set(known):
            continue
        for choice in range(2):
            values = {part: known[part][min(choice, len(known[part]) - 1)] for part in parts}
            address = reverse(name, kwargs=values)
            answer = client.get(address)
            assert strict(answer.headers["Content-Security-Policy"]), address
            if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
                yield address
                break


def test_every_public_page_has_a_strict_policy_and_stands_it(client: Client, pool: Pool) -> None:
    seen = []
    for address in reached(client, pool):
        page = Reader(client.get(address).content.decode())
        assert page.inline == [], address
        for loaded in page.loads:
            assert loaded.startswith(("/static/", "#")), (address, loaded)
            assert loaded.startswith("#") or finders.find(loaded.removeprefix("/static/")), (address, loaded)
        seen.append(address)
    assert {"/", "/ladder/", "/bots/", "/schedule/", "/matches/", "/docs/rules/", "/login/"} <= set(seen)
    assert len(seen) > 25


def test_every_answer_has_the_usual_headers(client: Client) -> None:
    for address in ("/", "/nowhere/", "/api/v1/seasons/", "/healthz"):
        headers = client.get(address).headers
        assert strict(headers["Content-Security-Policy"])
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Frame-Options"] == "DENY"
        assert "camera=()" in headers["Permissions-Policy"]


@pytest.mark.usefixtures("pool")
def test_the_operators_pages_and_the_page_of_the_api_need_no_exception() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root", "root@example.org", "a long password"))
    models = ("botapi/bot/", "botapi/user/", "games/match/", "ladder/season/", "ladder/tournament/add/")
    for address in ("/admin/", *(f"/admin/{model}" for model in models), "/api/v1/"):
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert strict(answer.headers["Content-Security-Policy"])
        assert Reader(answer.content.decode()).inline == [], address
    script = client.get("/api/v1/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert b"SwaggerUIBundle(" in script.content


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(client: Client) -> None:
    User.objects.create_user("ann", "ann@example.org", "a long password")
    client.post("/login/", {"username": "ann", "password": "a long password"})
    client.post("/language/", {"language": "pl"})
    client.get("/login/")
    for name in (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME):
        assert client.cookies[name]["httponly"], name
        assert client.cookies[name]["samesite"] == "Lax", name
    assert settings.SESSION_COOKIE_SECURE == settings.CSRF_COOKIE_SECURE == settings.LANGUAGE_COOKIE_SECURE
    assert settings.SESSION_COOKIE_SECURE != written.DEBUG
