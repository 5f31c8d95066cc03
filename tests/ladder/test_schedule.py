"""The schedule and its calendar: what is planned is shown, what is late says why, operators plan and cancel."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from rest_framework.test import APIClient

from botapi.errors import DomainError
from botapi.models import Bot, User
from botapi.tokens import create_token
from engine import PRESETS
from games import queue, results, workers
from games.models import Match, Series
from ladder import dated, matchmaking, seasons
from ladder.models import DatedMatch, Season
from ladder.rating_log import rate_finished
from ladder.schedules import schedule
from tests.games import making as games
from tests.ladder import making

pytestmark = pytest.mark.django_db


def now():
    return timezone.now()


def plan_of(season):
    return next(plan for plan in schedule(now()).seasons if plan.season == season)


def planned(minutes=60, **changes):
    bots = changes.pop("bots", None) or [version.bot.name for version in making.versions(3)]
    return dated.plan_match(
        "Opening night", at=now() + timedelta(minutes=minutes), ruleset=PRESETS["pl-3"], bots=bots, **changes
    )


def test_a_dated_match_waits_for_its_date_and_its_secret_is_revealed_after_it():
    games.house("greedy")
    made = planned(bots=["greedy", *(version.bot.name for version in making.versions(2))])
    match = made.match
    assert (match.rated, match.klass, match.not_before, match.state) == (False, "event", made.at, "queued")
    assert queue.claim(match.pk, "w") is None
    shown = schedule(now())
    assert [row.pk for row in shown.dated] == [made.pk]
    assert [(wait.match.pk, wait.late, wait.reason) for wait in shown.waiting] == [(match.pk, False, "")]
    Match.objects.filter(pk=match.pk).update(not_before=now() - timedelta(seconds=1))
    assert seasons.reveal_secrets() == 0
    claim = queue.claim(match.pk, "w")
    assert results.finish(match.pk, claim.attempt, games.result_of(claim))
    assert seasons.reveal_secrets() == 1
    assert Series.objects.get(pk=match.series_id).revealed_at
    shown = schedule(now())
    assert ([row.pk for row in shown.dated], [row.pk for row in shown.past]) == ([], [made.pk])


def test_what_cannot_be_planned_is_refused_in_words():
    names = [version.bot.name for version in making.versions(3)]
    for minutes, bots, code in (
        (-1, names, "bad_date"),
        (60 * 24 * 400, names, "bad_date"),
        (60, names[:2], "wrong_number"),
        (60, [*names[:2], names[0]], "wrong_number"),
        (60, [*names[:2], "nobody"], "not_available"),
    ):
        with pytest.raises(DomainError) as refused:
            planned(minutes, bots=bots)
        assert refused.value.code == code
    Bot.objects.filter(name=names[0]).update(state="paused")
    with pytest.raises(DomainError, match="plays matches now"):
        planned(bots=names)
    assert not DatedMatch.objects.exists()
    assert not Series.objects.exists()


def test_a_match_is_taken_off_the_calendar_until_it_begins():
    made = planned()
    dated.cancel_match(made, reason="the hall is closed")
    made.match.refresh_from_db()
    assert (made.match.state, made.match.reason) == ("void", "the hall is closed")
    with pytest.raises(DomainError, match="has begun or is over"):
        dated.cancel_match(made, reason="again")


def test_a_match_is_moved_until_it_begins_and_keeps_its_versions_and_cards():
    made = planned(minutes=60)
    before = (made.match.series.secret_sha256, [seat.version_id for seat in made.match.seats.all()])
    later = now() + timedelta(days=3)
    moved = dated.move_match(made, at=later)
    match = Match.objects.get(pk=made.match_id)
    assert (moved.at, match.not_before, match.woken_at) == (later, later, None)
    assert (match.series.secret_sha256, [seat.version_id for seat in match.seats.all()]) == before
    for at in (now() - timedelta(minutes=1), now() + timedelta(days=400)):
        with pytest.raises(DomainError, match="time to come"):
            dated.move_match(made, at=at)
    Match.objects.filter(pk=match.pk).update(not_before=now() - timedelta(seconds=1))
    assert queue.claim(match.pk, "w")
    with pytest.raises(DomainError, match="has begun or is over"):
        dated.move_match(made, at=later)
    assert results.infra_lost(match.pk, 1, "the worker was lost")
    with pytest.raises(DomainError, match="has begun or is over"):
        dated.move_match(made, at=later)
    assert DatedMatch.objects.get().at == later


def operator() -> User:
    user = making.author()
    user.user_permissions.set(Permission.objects.filter(codename="add_datedmatch"))
    return user


def api(user=None, scope="events:run"):
    client = APIClient()
    if user is not None:
        client.credentials(HTTP_AUTHORIZATION=f"Token {create_token(user, name='t', scopes=[scope])[1]}")
    return client


def test_operators_plan_and_cancel_over_the_api_others_only_read():
    names = [version.bot.name for version in making.versions(3)]
    wish = {"name": "Gala", "at": (now() + timedelta(days=1)).isoformat(), "rules": "pl-3", "bots": names}
    assert api().post("/api/v1/dated-matches/", wish, format="json").status_code == 401
    assert api(making.author()).post("/api/v1/dated-matches/", wish, format="json").status_code == 403
    someone = operator()
    assert api(someone, "bots:write").post("/api/v1/dated-matches/", wish, format="json").status_code == 403
    made = api(someone).post("/api/v1/dated-matches/", wish, format="json")
    assert made.status_code == 201
    assert [seat["bot"] for seat in made.json()["seats"]] == names
    once = {"HTTP_IDEMPOTENCY_KEY": "gala-2"}
    wish |= {"name": "Second"}
    twice = [api(someone).post("/api/v1/dated-matches/", wish, format="json", **once) for _ in range(2)]
    assert [answer.status_code for answer in twice] == [201, 201]
    assert twice[0].json() == twice[1].json()
    assert twice[1]["Idempotency-Replayed"] == "true"
    DatedMatch.objects.get(name="Second").delete()
    listed = api().get("/api/v1/dated-matches/").json()["results"]
    assert [row["name"] for row in listed] == ["Gala"]
    late = api(someone).post("/api/v1/dated-matches/", wish | {"at": "2020-01-01T00:00Z"}, format="json")
    assert (late.status_code, late.json()["code"]) == (400, "bad_date")
    move = f"/api/v1/dated-matches/{made.json()['id']}/move/"
    date = {"at": (now() + timedelta(days=5)).replace(microsecond=0).isoformat()}
    assert api(making.author()).post(move, date, format="json").status_code == 403
    assert api(someone).post(move, {"at": "soon"}, format="json").status_code == 400
    moved = api(someone).post(move, date, format="json")
    assert moved.status_code == 200
    assert datetime.fromisoformat(moved.json()["at"]) == datetime.fromisoformat(date["at"])
    assert api(someone).post("/api/v1/dated-matches/99/move/", date, format="json").status_code == 404
    address = f"/api/v1/dated-matches/{made.json()['id']}/cancel/"
    assert api(making.author()).post(address, {"reason": "no"}, format="json").status_code == 403
    cancelled = api(someone).post(address, {"reason": "no"}, format="json").json()
    assert (cancelled["state"], cancelled["reason"]) == ("void", "no")
    assert api(someone).post(address, {"reason": "no"}, format="json").status_code == 409
    assert (
        api(someone).post("/api/v1/dated-matches/99/cancel/", {"reason": "x"}, format="json").status_code
        == 404
    )


def test_operators_plan_and_cancel_in_the_admin_site(client):
    client.force_login(User.objects.create_superuser("op", "op@example.org", "a-long-password"))
    names = [version.bot.name for version in making.versions(3)]
    form = {"name": "Gala", "at_0": "2020-01-01", "at_1": "20:00", "preset": "pl-3", "bots": "one, two"}
    page = client.post("/admin/ladder/datedmatch/add/", form).content.decode()
    assert "Choose a time to come" in page
    assert "is played by 3 bots" in page
    day = (now() + timedelta(days=2)).date().isoformat()
    made = client.post("/admin/ladder/datedmatch/add/", form | {"at_0": day, "bots": ", ".join(names)})
    assert made.status_code == 302
    row = DatedMatch.objects.get()
    assert [seat.name for seat in row.match.seats.all()] == names
    assert row.planned_by.username == "op"
    change = f"/admin/ladder/datedmatch/{row.pk}/change/"
    assert (
        "Choose a time to come"
        in client.post(change, {"at_0": "2020-01-01", "at_1": "20:00"}).content.decode()
    )
    day = (now() + timedelta(days=4)).date()
    assert client.post(change, {"at_0": day.isoformat(), "at_1": "20:00", "name": "No"}).status_code == 302
    row.refresh_from_db()
    row.match.refresh_from_db()
    assert (row.name, row.at.date(), row.match.not_before) == ("Gala", day, row.at)
    data = {"action": "cancel", "_selected_action": [row.pk], "reason": "rain"}
    assert "cancelled" in client.post("/admin/ladder/datedmatch/", data, follow=True).content.decode()
    row.match.refresh_from_db()
    assert (row.match.state, row.match.reason) == ("void", "rain")
    assert client.post(change, {"at_0": day.isoformat(), "at_1": "20:00"}).status_code == 403
    assert client.get(change).status_code == 200


def test_a_round_that_is_late_says_why():
    season = making.pool().season
    Season.objects.filter(pk=season.pk).update(
        timetable="* * * * *", opens_at=now() - timedelta(minutes=30), round_at=now() - timedelta(minutes=10)
    )
    plan = plan_of(season)
    assert (plan.late, len(plan.times)) == (False, 3)
    Season.objects.filter(pk=season.pk).update(
        timetable="0 0 1 1 *", round_at=None, opens_at="2000-01-02T00:00Z"
    )
    plan = plan_of(season)
    assert plan.late
    assert "A table needs 3 bots of different authors; 0 may play now." in plan.reason
    kept = making.versions(3)
    Bot.objects.filter(pk=kept[0].bot_id).update(state="suspended")
    Bot.objects.filter(pk__in=[version.bot_id for version in kept[1:]]).update(state="paused")
    assert "2 bots are paused. 1 bot is suspended." in plan_of(season).reason
    making.versions(4)
    assert "about to be queued" in plan_of(season).reason
    season.refresh_from_db()
    assert len(matchmaking.schedule(season)) == 1
    assert (plan_of(season).due, plan_of(season).late, plan_of(season).reason) == (None, False, "")
    Season.objects.filter(pk=season.pk).update(round_at=None)
    plan = plan_of(season)
    assert (plan.late, "1 of its matches is not over" in plan.reason) == (True, True)


def test_a_bots_page_says_in_which_round_it_plays(client):
    season = making.pool().season
    (version,) = making.versions(1)
    address = f"/bots/{version.bot.name}/"
    assert "It waits for a free table" in client.get(address).content.decode()
    Season.objects.filter(pk=season.pk).update(timetable="30 5 1 1 *", round_at=now())
    for page in (address, f"{address}rating/"):
        assert (
            f"It plays in the round of {now().year + 1}-01-01 05:30 UTC" in client.get(page).content.decode()
        )


def test_a_queue_that_is_not_full_says_why():
    pool = making.pool()
    season = pool.season
    assert "0 may play now." in plan_of(season).reason
    field = making.versions(3)
    assert plan_of(season).reason == ""
    matchmaking.schedule(season)
    plan = plan_of(season)
    assert (plan.open, plan.late) == (1, False)
    assert "Of the bots that may play now 0 are free" in plan.reason
    Match.objects.update(state="void", finished_at=now())
    old = making.finished(pool, field)
    Match.objects.filter(pk=old.pk).update(finished_at=now() - timedelta(minutes=5))
    assert "1 that ended before waits to be rated" in plan_of(season).reason
    rate_finished(pool)
    assert plan_of(season).reason == ""


def test_page_and_api_show_all_of_it(client):
    season = making.pool().season
    Season.objects.filter(pk=season.pk).update(
        timetable="0 */6 * * *", closes_at=now() + timedelta(days=30), round_at=now()
    )
    seasons.create_season(
        "next", name="Next one", ruleset=PRESETS["ru-3"], opens_at=now() + timedelta(days=40)
    )
    seasons.create_season("secret", name="Not announced", ruleset=PRESETS["ru-3"])
    workers.report("w", "cpu")
    made = planned()
    running = games.match()
    queue.claim(running.pk, "w")
    late = games.match()
    Match.objects.filter(pk=late.pk).update(created_at=now() - timedelta(minutes=9))
    page = client.get("/schedule/").content.decode()
    for text in (
        "Spring",
        "0 */6 * * *",
        "Next one",
        "Opening night",
        "1 is late",
        "It is next",
        "Playing now",
    ):
        assert text in page
    assert "Not announced" not in page
    body = client.get("/api/v1/schedule/").json()
    assert [row["season"] for row in body["seasons"]] == ["spring"]
    assert len(body["seasons"][0]["next_rounds"]) == 3
    assert [row["slug"] for row in body["announced"]] == ["next"]
    assert [row["id"] for row in body["dated_matches"]] == [made.pk]
    assert [row["match"] for row in body["running"]] == [running.pk]
    assert [(row["match"], row["late"]) for row in body["waiting"]] == [
        (late.pk, True),
        (made.match_id, False),
    ]
    assert body["late"] == 1


def test_the_schedule_takes_as_many_queries_for_much_as_for_little(client, django_assert_num_queries):
    making.pool()
    for count in (1, 6):
        for _ in range(count):
            planned()
            games.match()
        with django_assert_num_queries(22):
            client.get("/schedule/")
