"""Tournament pages: what they show in each phase, the form of authors, a constant number of queries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from botapi.models import Bot, User
from games import results
from games.models import Match
from ladder import registration, tournaments
from ladder.templatetags.ladder import plain
from ladder.tournament_models import Entrant, Tournament
from ladder.tournament_queries import standings_of
from tests.ladder import making
from tests.ladder.tournament_making import enter, play_out, play_queued, started, suspend, tournament

pytestmark = pytest.mark.django_db


def page(client: Client, address: str = "/tournaments/cup/") -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def owner_of(bot: Bot) -> User:
    assert bot.owner
    return bot.owner


def test_without_tournaments_the_list_says_so_and_a_draft_is_not_in_it(client: Client) -> None:
    assert "No tournament has been announced yet." in page(client, "/tournaments/")
    cup = tournament()
    Tournament.objects.filter(pk=cup.pk).update(series=None, phase="draft")
    assert "No tournament has been announced yet." in page(client, "/tournaments/")
    assert client.get("/tournaments/cup/").status_code == 404


def test_a_person_enters_and_withdraws_a_bot_on_the_page(client: Client) -> None:
    tournament(notes="Bring your best.\nGood luck.")
    bot = making.bot()
    assert "Log in" in page(client)
    client.force_login(owner_of(bot))
    text = page(client)
    assert f'<option value="{bot.name}">' in text
    assert "Bring your best.<br>Good luck." in text
    assert (
        "is entered."
        in client.post("/tournaments/cup/enter/", {"bot": bot.name}, follow=True).content.decode()
    )
    text = page(client)
    assert "<select" not in text
    assert "Withdraw" in text
    assert page(client, "/tournaments/").count("1 / 64") == 1
    client.post("/tournaments/cup/withdraw/", {"bot": bot.name})
    assert f'<option value="{bot.name}">' in page(client)
    assert Entrant.objects.get().state == "withdrawn"


def test_a_refusal_is_told_on_the_page(client: Client) -> None:
    tournament(max_entrants=3)
    enter(Tournament.objects.get(), 3)
    bot = making.bot()
    client.force_login(owner_of(bot))
    answer = client.post("/tournaments/cup/enter/", {"bot": bot.name}, follow=True)
    assert "Cup has its 3 entrants." in answer.content.decode()


def test_nobody_enters_or_withdraws_anothers_bot(client: Client) -> None:
    cup = tournament()
    (entry,) = enter(cup, 1)
    assert client.post("/tournaments/cup/enter/", {"bot": entry.bot.name}).status_code == 302
    client.force_login(making.author())
    for verb in ("enter", "withdraw"):
        assert client.post(f"/tournaments/cup/{verb}/", {"bot": entry.bot.name}).status_code == 404
        assert client.get(f"/tournaments/cup/{verb}/").status_code == 405
    entry.refresh_from_db()
    assert entry.state == "entered"


def test_a_running_tournament_shows_its_tables_byes_and_live_standings(client: Client) -> None:
    cup = started(4, format="round_robin")
    text = page(client)
    assert "Round 1" in text
    assert "Bye:" in text
    assert ">queued<" in text
    assert "1 match waits." in text
    assert cup.lot in text
    play_queued(cup)
    tournaments.advance(cup)
    text = page(client)
    assert "live" in text
    for match in Match.objects.all():
        assert f'href="/matches/{match.pk}/"' in text
    assert bytes(cup.series.secret).hex() not in text  # type: ignore[union-attr]


def test_a_match_that_waits_too_long_is_late_with_the_reason(client: Client) -> None:
    started(3)
    assert "No worker that plays matches of sandboxed bots was ever started." in page(client)
    assert ">late<" not in page(client)
    Match.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    assert page(client).count(">late<") == 2
    cache.clear()
    (shown, _) = client.get("/api/v1/tournaments/cup/rounds/").json()
    assert shown["late"] is True
    assert "No worker" in shown["tables"][0]["matches"][0]["reason"]


def test_voids_absences_and_those_who_left_are_shown_with_their_reasons(client: Client) -> None:
    cup = started(7, rounds=2, repeats=0)
    results.void(Match.objects.earliest("pk"), reason="the cards were wrong")
    tournaments.advance(cup)
    assert "the cards were wrong" in page(client)
    assert "not played again" in page(client)
    play_queued(cup)
    gone, suspended = Entrant.objects.order_by("number")[:2]
    registration.exclude(gone, reason="two bots in one")
    suspend(suspended.version)
    tournaments.advance(cup)
    text = page(client)
    assert "two bots in one" in text
    assert "Absent:" in text
    assert "3 forfeits in a row" in text


def test_a_finished_tournament_closes_with_the_podium(client: Client) -> None:
    cup = play_out(started(6, rounds=2))
    text = page(client)
    assert "Podium" in text
    assert "this result stands" in text
    assert text.index("Podium") < text.index("Standings")
    first = cup.result["overall"][0]  # type: ignore[index]
    assert text.index(first["bot"]) < text.index("this result stands")


def test_before_the_publication_the_page_says_that_it_is_not_final(client: Client) -> None:
    play_out(started(3, rounds=1, objection_hours=5))
    assert "Not published yet" in page(client)


def test_groups_show_their_own_standings_and_the_finals(client: Client) -> None:
    play_out(started(6, format="groups", groups=2, quota=2, final_cycles=1))
    text = page(client)
    for heading in ("Group 1", "Group 2", "Final", "Podium"):
        assert f">{heading}</h" in text


def test_a_cancelled_tournament_says_why(client: Client) -> None:
    tournaments.cancel(tournament(), reason="the hall is closed")
    assert "the hall is closed" in page(client)


@pytest.mark.parametrize("count", [3, 15])
def test_a_page_needs_as_many_queries_for_many_entrants(
    count: int, client: Client, django_assert_num_queries: Callable[..., Any]
) -> None:
    cup = started(count, rounds=2)
    play_queued(cup)
    tournaments.advance(cup)
    with django_assert_num_queries(20):
        client.get("/tournaments/cup/")
    with django_assert_num_queries(1):
        client.get("/tournaments/")


def test_the_home_page_and_a_bots_page_lead_to_its_tournaments(client: Client) -> None:
    assert "/tournaments/cup/" not in page(client, "/")
    cup = started(3, rounds=1)
    bot = Entrant.objects.earliest("pk").bot
    link = '<a href="/tournaments/cup/">Cup</a>'
    assert link in page(client, "/")
    assert link in page(client, f"/bots/{bot.name}/")
    play_out(cup)
    assert link not in page(client, "/")
    lines = standings_of(Tournament.objects.get()).overall
    rank = next(line.rank for line in lines if line.bot == bot.name)
    assert f"place {rank}" in page(client, f"/bots/{bot.name}/")


def test_all_rules_of_tournaments_are_told(client: Client) -> None:
    text = page(client, "/ratings/")
    for word in ("Kirkman", "Buchholz", "bye", "average", "suspended", "void"):
        assert word in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), (4.5, "4.5"), (1.333, "1.33"), (-20.0, "−20"), (0.0, "0"), (100, "100"), (-0.001, "0")],
)
def test_points_have_as_many_decimals_as_they_need(value: float, text: str) -> None:
    assert plain(value) == text
