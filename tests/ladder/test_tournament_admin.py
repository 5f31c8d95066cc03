"""Tournaments in the admin site: made and run there from the draft to the publication."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory

from botapi.models import Bot, User
from games.models import Match
from ladder.tournament_admin import TournamentAdmin
from ladder.tournament_models import Entrant, Tournament, TournamentMatch
from tests.ladder import making
from tests.ladder.test_admin import act
from tests.ladder.tournament_making import play_out, play_queued, started

pytestmark = pytest.mark.django_db

FORM: dict[str, Any] = {
    "name": "Cup",
    "slug": "cup",
    "preset": "cz-3-short",
    "rules": "",
    "other_rules": "",
    "clocks": "",
    "format": "swiss",
    **dict.fromkeys(("cycles", "groups", "quota", "final_cycles", "rotations", "per_author"), 1),
    **dict.fromkeys(("rounds", "repeats"), 2),
    **dict.fromkeys(("pace_minutes", "objection_hours"), 0),
    **dict.fromkeys(("min_entrants",), 3),
    "max_entrants": 9,
    "entrants-TOTAL_FORMS": 0,
    "entrants-INITIAL_FORMS": 0,
}


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("op", "op@example.org", "a-long-password"))
    return client


def tell(client: Client, model: str, action: str, row: int, **beside: str) -> str:
    form = {"action": action, "_selected_action": [row], **beside}
    answer = client.post(f"/admin/ladder/{model}/", form, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_tournament_is_made_and_run_to_its_publication(operator: Client) -> None:
    answer = operator.post("/admin/ladder/tournament/add/", FORM)
    assert answer.status_code == 302, answer.content.decode()
    cup = Tournament.objects.get()
    assert (cup.phase, cup.players, cup.rules["name"]) == ("draft", 3, "cz-3-short")
    assert "open for registration" in act(operator, "tournament", "open_registration", cup.pk)
    for bot in (making.bot(), making.bot(), making.bot(kind=Bot.Kind.HOUSE)):
        assert f"{bot.name} is entered" in tell(operator, "tournament", "enter_bot", cup.pk, bot=bot.name)
    assert "no bot called" in tell(operator, "tournament", "enter_bot", cup.pk, bot="nobody")
    assert "started" in act(operator, "tournament", "start", cup.pk)
    assert "is in the phase “Running”" in act(operator, "tournament", "start", cup.pk)
    assert "moved on" in act(operator, "tournament", "move_on", cup.pk)
    assert Match.objects.count() == 1
    assert "is not over" in act(operator, "tournament", "publish", cup.pk)
    Tournament.objects.update(objection_hours=9)
    play_out(cup)
    assert "published" in act(operator, "tournament", "publish", cup.pk)
    assert Tournament.objects.get().result


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"preset": "", "rules": "{}"}, "give possible rules"),
        ({"preset": ""}, "give possible rules"),
        ({"other_rules": '["pl-3"]'}, "one rule set for each size"),
        ({"rotations": 9}, "1 to 4 rotations"),
        ({"clocks": '{"sandbox": 3}'}, "clocks"),
        ({"min_entrants": 2}, "at least 3 entrants"),
    ],
)
def test_an_impossible_tournament_is_refused_with_the_reason(
    operator: Client, change: dict[str, Any], words: str
) -> None:
    answer = operator.post("/admin/ladder/tournament/add/", FORM | change)
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert not Tournament.objects.exists()


def test_what_decides_matches_is_fixed_once_registration_is_open(operator: Client) -> None:
    cup = started(3)
    address = f"/admin/ladder/tournament/{cup.pk}/change/"
    page = operator.get(address).content.decode()
    assert 'name="rules"' not in page
    assert 'name="starts_at_0"' not in page
    assert 'name="notes"' in page
    form = FORM | {"notes": "New words.", "rounds": 50, "format": "groups", "max_entrants": 1}
    assert operator.post(address, form).status_code == 302
    after = Tournament.objects.get()
    assert (after.notes, after.rounds, after.format, after.max_entrants) == ("New words.", 2, "swiss", 64)
    assert operator.post(f"/admin/ladder/tournament/{cup.pk}/delete/", {"post": "yes"}).status_code == 403


def test_what_beat_writes_while_an_operator_saves_is_kept(operator: Client) -> None:
    cup = started(3)
    stale = Tournament.objects.get()
    Tournament.objects.update(phase="finished", phase_reason="all is played")
    page = TournamentAdmin(Tournament, admin.site)
    form = page.get_form(RequestFactory().get("/"), stale)({"name": "New name"}, instance=stale)
    form.is_valid()
    page.save_model(RequestFactory().post("/"), stale, form, change=True)
    after = Tournament.objects.get()
    assert (after.name, after.phase, after.phase_reason) == ("New name", "finished", "all is played")
    assert after.lot == cup.lot


def test_entrants_are_excluded_and_matches_voided_with_a_reason(operator: Client) -> None:
    started(4, rounds=2)
    entrant = Entrant.objects.get(number=1)
    assert "excluded" in tell(operator, "entrant", "take_out", entrant.pk, reason="two bots in one")
    entrant.refresh_from_db()
    assert (entrant.state, entrant.reason) == ("excluded", "two bots in one")
    link = TournamentMatch.objects.get()
    play_queued(Tournament.objects.get())
    assert "is played again" in tell(
        operator, "tournamentmatch", "void_and_repeat", link.pk, reason="a wrong deal"
    )
    again = TournamentMatch.objects.get(replaced=False)
    assert "is void" in tell(operator, "tournamentmatch", "void", again.pk)
    assert {(m.state, m.reason) for m in Match.objects.all()} == {
        ("void", "a wrong deal"),
        ("void", "by an operator"),
    }


def test_it_is_cancelled_with_a_reason(operator: Client) -> None:
    cup = started(3)
    assert "cancelled" in tell(operator, "tournament", "cancel", cup.pk, reason="rain")
    assert Tournament.objects.get().phase_reason == "rain"


@pytest.mark.parametrize("model", ["tournament", "entrant", "round", "table", "tournamentmatch"])
def test_every_list_and_first_row_opens(operator: Client, model: str) -> None:
    started(4)
    assert operator.get(f"/admin/ladder/{model}/").status_code == 200
    assert operator.get(f"/admin/ladder/{model}/?q=1").status_code == 200
    row = apps.get_model("ladder", model).objects.first()
    assert operator.get(f"/admin/ladder/{model}/{row.pk}/change/").status_code == 200


@pytest.mark.parametrize("model", ["entrant", "round", "table", "tournamentmatch"])
def test_what_verbs_write_cannot_be_added_changed_or_deleted(operator: Client, model: str) -> None:
    started(4)
    assert operator.get(f"/admin/ladder/{model}/add/").status_code == 403
    row = apps.get_model("ladder", model).objects.first()
    assert operator.post(f"/admin/ladder/{model}/{row.pk}/change/", {"number": 7}).status_code == 403
    assert operator.post(f"/admin/ladder/{model}/{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_staff_without_the_right_looks_but_runs_nothing(client: Client) -> None:
    cup = started(3)
    staff = making.author()
    staff.is_staff = True
    staff.save()
    staff.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client.force_login(staff)
    assert client.get("/admin/ladder/tournament/").status_code == 200
    tell(client, "tournament", "cancel", cup.pk)
    assert Tournament.objects.get().phase == "running"
