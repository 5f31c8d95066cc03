"""Operators look at matches and repeat or void them; nothing secret is shown."""

import pytest
from django.urls import reverse

from botapi.models import User
from games import queue, results
from games.models import Match, Worker
from tests.games import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client):
    client.force_login(User.objects.create_superuser("op", "op@example.org", "x"))
    return client


def act(client, action, *matches, reason=""):
    form = {"action": action, "_selected_action": [match.pk for match in matches], "reason": reason}
    return client.post(reverse("admin:games_match_changelist"), form, follow=True)


def test_the_list_shows_filters_and_finds_matches(operator):
    match = making.finished(rated=True)
    making.match()
    page = operator.get(reverse("admin:games_match_changelist"), {"state": "finished", "q": "greedy"})
    assert page.status_code == 200
    assert [row.pk for row in page.context["cl"].result_list] == [match.pk]
    found = operator.get(reverse("admin:games_match_changelist"), {"q": str(match.pk)})
    assert match.pk in [row.pk for row in found.context["cl"].result_list]


def test_the_list_needs_as_many_queries_for_many_matches_as_for_few(operator, django_assert_max_num_queries):
    for _ in range(12):
        making.match()
    with django_assert_max_num_queries(15):
        operator.get(reverse("admin:games_match_changelist"))


def test_a_match_is_shown_with_seats_attempts_and_faults_but_without_its_seed(operator):
    match = making.finished([making.sandboxed() for _ in range(3)], faults=[making.fault(1)])
    page = operator.get(reverse("admin:games_match_change", args=[match.pk])).content.decode()
    assert "timeout" in page
    assert match.attempts.get().seed_sha256 in page
    assert queue.seed_of(match, 1).hex() not in page
    assert 'name="_save"' not in page


def test_the_secret_of_a_series_is_never_shown(operator):
    series = making.series("hidden")
    for address in (
        reverse("admin:games_series_changelist"),
        reverse("admin:games_series_change", args=[series.pk]),
    ):
        page = operator.get(address)
        assert page.status_code == 200
        assert series.secret_sha256 in page.content.decode()
        assert bytes(series.secret).hex() not in page.content.decode()
        assert repr(bytes(series.secret)) not in page.content.decode()


def test_an_operator_voids_and_repeats_matches_with_a_reason(operator):
    played, queued = making.finished(), making.match()
    act(operator, "void", queued, reason="the wrong rules")
    queued.refresh_from_db()
    assert (queued.state, queued.reason) == ("void", "the wrong rules")
    act(operator, "repeat", played)
    played.refresh_from_db()
    assert played.state == "void"
    assert Match.objects.filter(state="queued").count() == 1
    page = act(operator, "void", queued)
    assert "void already" in page.content.decode()


def test_whoever_may_only_look_changes_nothing(client):
    from django.contrib.auth.models import Permission

    looker = making.author(is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_match"))
    client.force_login(looker)
    match = making.match()
    assert client.get(reverse("admin:games_match_changelist")).status_code == 200
    act(client, "void", match)
    match.refresh_from_db()
    assert match.state == "queued"


def test_workers_and_looks_into_logs_are_listed(operator):
    Worker.objects.create(name="w@here", queue="cpu", backend="bwrap", seen_at="2026-01-01T00:00Z")
    assert b"w@here" in operator.get(reverse("admin:games_worker_changelist")).content
    assert operator.get(reverse("admin:games_loglook_changelist")).status_code == 200


def test_a_repeated_match_that_runs_refuses_the_old_attempt(operator):
    claim = queue.claim(making.match().pk, "w")
    act(operator, "repeat", claim.match)
    assert not results.finish(claim.match.pk, 1, making.result_of(claim))
