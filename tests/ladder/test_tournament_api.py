"""Tournaments over REST: asked by nobody, by authors, by strangers, and by those who run them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.cache import cache
from rest_framework.test import APIClient

from botapi.models import Bot, User
from botapi.tokens import create_token
from games.models import Match
from ladder import tournaments
from ladder.tournament_models import Tournament
from tests.ladder import making
from tests.ladder.tournament_making import enter, play_out, play_queued, started, tournament

pytestmark = pytest.mark.django_db
WISH = {"slug": "cup", "name": "Cup", "format": "swiss", "rules": "cz-3-short", "rounds": 2, "rotations": 1}


@pytest.fixture(autouse=True)
def _fresh_throttles() -> None:
    cache.clear()


class Api:
    """A client with a token of these scopes, or nobody."""

    def __init__(self, user: User | None = None, *scopes: str) -> None:
        self.client = APIClient()
        if user is not None:
            token = create_token(user, name="t", scopes=scopes or ("events:join", "events:run"))[1]
            self.client.credentials(HTTP_AUTHORIZATION=f"Token {token}")

    def get(self, address: str, status: int = 200) -> Any:
        return self._answer(self.client.get(f"/api/v1/tournaments/{address}"), status)

    def post(self, address: str, body: object = None, status: int = 200, key: str = "") -> Any:
        address = f"/api/v1/tournaments/{address}"
        answer = self.client.post(address, body or {}, format="json", HTTP_IDEMPOTENCY_KEY=key)
        return self._answer(answer, status)

    def _answer(self, answer: Any, status: int) -> Any:
        assert answer.status_code == status, answer.content
        if status >= 400:
            assert answer["Content-Type"] == "application/problem+json"
        return answer.json()


def runner() -> User:
    """Somebody who may run tournaments."""
    user = making.author()
    user.user_permissions.set(Permission.objects.filter(codename__in=["add_tournament", "change_tournament"]))
    return user


def owner_of(bot: Bot) -> User:
    assert bot.owner
    return bot.owner


def test_a_tournament_is_made_entered_run_and_published_by_api_alone() -> None:
    run = Api(runner())
    assert run.post("", WISH, 201)["phase"] == "draft"
    assert run.post("cup/open/")["takes_entries"] is True
    bots = [making.bot() for _ in range(3)]
    for bot in bots:
        entered = Api(owner_of(bot)).post("cup/entrants/", {"bot": bot.name}, 201)
        assert (entered["bot"], entered["state"], entered["version"]) == (bot.name, "entered", None)
    house = making.bot(kind=Bot.Kind.HOUSE)
    run.post("cup/enter/", {"bot": house.name}, 201)
    assert [row["author"] for row in run.get("cup/entrants/")][-1] == ""
    assert run.post("cup/start/")["lot"]
    cup = Tournament.objects.get()
    tournaments.advance(cup)
    rounds = Api().get("cup/rounds/")
    assert [row["state"] for row in rounds] == ["running", "planned"]
    assert rounds[0]["tables"][0]["matches"][0]["state"] == "queued"
    assert len(rounds[0]["byes"]) == 1
    play_out(cup)
    body = Api().get("cup/")
    assert (body["phase"], body["entered"], body["published_at"] is not None) == ("finished", 4, True)
    assert body["secret_sha256"]
    standings = Api().get("cup/standings/")
    assert [line["rank"] for line in standings["overall"]] == [1, 2, 3, 4]
    assert standings["podium"] == standings["overall"][:3]
    assert Api().get("?phase=finished")["results"][0]["slug"] == "cup"
    assert Api().get("?phase=running")["results"] == []


def test_running_needs_the_right_and_the_scope() -> None:
    someone, boss = making.author(), runner()
    Api().post("", WISH, 401)
    assert "scope" not in Api(someone).post("", WISH, 403)["detail"]
    assert "scope events:run" in Api(boss, "events:join").post("", WISH, 403)["detail"]
    Api(boss).post("", WISH, 201)
    for step in ("open", "start", "publish", "cancel", "enter"):
        Api().post(f"cup/{step}/", status=401)
        Api(someone).post(f"cup/{step}/", status=403)
    Api(someone).post("cup/matches/1/void/", {"reason": "x"}, 403)


def test_a_draft_is_seen_by_those_alone_who_run_it() -> None:
    boss = Api(runner())
    boss.post("", WISH, 201)
    assert boss.get("cup/")["phase"] == "draft"
    for address in ("cup/", "cup/standings/", "cup/rounds/", "cup/entrants/"):
        Api().get(address, 404)
        Api(making.author()).get(address, 404)
    assert Api().get("")["results"] == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rules": "nonsense"}, "bad_rules"),
        ({"rules": {"players": 77}}, "bad_rules"),
        ({"rules": 3}, "bad_rules"),
        ({"rules": {"name": "a\0b"}}, "bad_rules"),
        ({"other_rules": ["pl-3"]}, "bad_tournament"),
        ({"rotations": 9}, "bad_tournament"),
        ({"min_entrants": 2}, "bad_tournament"),
        ({"rounds": 0}, "bad_tournament"),
        ({"slug": "no slug"}, "invalid"),
        ({"format": "lottery"}, "invalid"),
        ({"clocks": {"sandbox": {}}}, "invalid"),
    ],
)
def test_an_impossible_tournament_is_refused_with_the_reason(change: dict[str, object], code: str) -> None:
    body = Api(runner()).post("", WISH | change, 400)
    assert (body["code"], bool(body["detail"])) == (code, True)
    assert not Tournament.objects.exists()


def test_a_name_is_taken_once() -> None:
    boss = Api(runner())
    boss.post("", WISH, 201)
    assert boss.post("", WISH, 400)["errors"][0]["field"] == "slug"


def test_an_author_enters_and_withdraws_own_bots_with_the_scope_to_join() -> None:
    tournament()
    bot = making.bot()
    author = owner_of(bot)
    Api().post("cup/entrants/", {"bot": bot.name}, 401)
    Api(author, "bots:write").post("cup/entrants/", {"bot": bot.name}, 403)
    Api(making.author()).post("cup/entrants/", {"bot": bot.name}, 404)
    mine = Api(author, "events:join")
    first = mine.post("cup/entrants/", {"bot": bot.name}, 201)
    assert mine.post("cup/entrants/", {"bot": bot.name}, 201) == first
    assert (
        mine.post("cup/entrants/", {"bot": making.bot(owner=author).name}, 409)["code"] == "too_many_entries"
    )
    Api(making.author()).post(f"cup/entrants/{bot.name}/withdraw/", status=404)
    assert mine.post(f"cup/entrants/{bot.name}/withdraw/")["state"] == "withdrawn"
    assert mine.post(f"cup/entrants/{bot.name}/withdraw/", status=409)["code"] == "not_entered"
    mine.post("none/entrants/", {"bot": bot.name}, 404)
    mine.post("cup/entrants/", {}, 400)


def test_a_request_with_the_same_key_is_answered_again_and_does_nothing_again() -> None:
    boss = Api(runner())
    first = boss.post("", WISH, 201, key="k1")
    assert boss.post("", WISH, 201, key="k1") == first
    assert boss.post("", WISH | {"name": "Another"}, 422, key="k1")["code"] == "idempotency_key_reused"
    tournaments.open_registration(Tournament.objects.get())
    bot = making.bot()
    mine = Api(owner_of(bot))
    entry = mine.post("cup/entrants/", {"bot": bot.name}, 201, key="k1")
    tournaments.cancel(Tournament.objects.get())
    assert mine.post("cup/entrants/", {"bot": bot.name}, 201, key="k1") == entry
    mine.post("cup/entrants/", {"bot": bot.name}, 409, key="k2")


def test_an_operator_excludes_voids_and_cancels_with_a_reason() -> None:
    cup = started(3, rounds=1, objection_hours=5)
    boss = Api(runner())
    play_queued(cup)
    match = Match.objects.get()
    boss.post(f"cup/matches/{match.pk}/void/", {}, 400)
    boss.post("cup/matches/99/void/", {"reason": "x"}, 404)
    lines = boss.post(f"cup/matches/{match.pk}/void/", {"reason": "a wrong deal"})["overall"]
    assert {line["played"] for line in lines} == {0}
    assert boss.post(f"cup/matches/{match.pk}/void/", {"reason": "x"}, 409)["code"] == "void_already"
    match.refresh_from_db()
    assert (match.state, match.reason) == ("void", "a wrong deal")
    gone = lines[0]["bot"]
    assert boss.post(f"cup/entrants/{gone}/exclude/", {"reason": "two bots in one"})["state"] == "excluded"
    assert Api().get("cup/standings/")["overall"][-1]["reason"] == "two bots in one"
    assert boss.post("cup/publish/", status=409)["code"] == "not_over"
    assert boss.post("cup/cancel/", {"reason": "rain"})["phase"] == "cancelled"


def test_nothing_of_open_tables_is_in_reach_but_their_matches_numbers() -> None:
    cup = started(3, rotations=3)
    secret = bytes(cup.series.secret).hex()  # type: ignore[union-attr]
    for address in ("", "cup/", "cup/rounds/", "cup/standings/", "cup/entrants/"):
        for client in (Api(), Api(runner())):
            assert secret not in str(client.get(address))


@pytest.mark.parametrize("count", [3, 12])
def test_lists_need_as_many_queries_for_many_as_for_few(
    count: int, django_assert_max_num_queries: Any
) -> None:
    enter(tournament(), count)
    for address in ("", "cup/", "cup/entrants/", "cup/standings/", "cup/rounds/"):
        with django_assert_max_num_queries(5):
            Api().get(address)
