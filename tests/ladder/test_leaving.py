"""One's data as an archive, and what goes and what stays when an account is deleted."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache
from django.test import Client

from botapi import accounts, bots, tokens, webhooks
from botapi.leaving import PREFIX
from botapi.models import Artifact, Bot, User, Version
from games import leaving as games_leaving
from games import queue, results
from games.models import Fault, LogLook, Match, Seat, SeatLog
from games.people_models import Person
from ladder import leaving
from ladder.audits import audit
from ladder.events import registration, running
from ladder.events.models import EventEntry
from ladder.own_data import chunks
from ladder.rating_log import rate_finished
from tests.games import making as played
from tests.ladder import making
from tests.ladder import test_events as events

pytestmark = pytest.mark.django_db

PASSWORD = "a long pass phrase"


@pytest.fixture(autouse=True)
def _fresh_throttles() -> None:
    cache.clear()


@pytest.fixture
def ann() -> User:
    return accounts.sign_up(username="ann", email="ann@example.org", password=PASSWORD)


@pytest.fixture
def browser(ann: User) -> Client:
    made = Client()
    made.force_login(ann)
    return made


def match_of(version: Version, *, finish: bool = True) -> Match:
    seats = [version, played.house("greedy"), played.house("counter")]
    if not finish:
        return played.match(seats)
    match = played.finished(seats, faults=[played.fault(0)])
    logs_of(match)
    return match


def logs_of(match: Match) -> None:
    """A private log of each seat of the match."""
    turns = zlib.compress(json.dumps([{"request": {"id": "1"}, "answer": "{}", "ms": 1.0}]).encode())
    for seat in range(3):
        SeatLog.objects.create(match=match, attempt=1, seat=seat, turns=turns, stderr=f"seat {seat} said")


def files(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_archive_holds_all_of_the_person_and_nothing_of_others_and_no_secret(ann: User) -> None:
    version = played.sandboxed("print('mine')\n", owner=ann, name="ann-bot")
    others = played.sandboxed("print('theirs')\n", name="bob-bot")
    match = played.finished([version, others, played.house()], faults=[played.fault(0), played.fault(1)])
    logs_of(match)
    _, token = tokens.create_token(ann, name="laptop", scopes=["read"])
    webhooks.set_webhook(ann, "http://127.0.0.1:9/")
    Person.objects.create(alias="Annie", user=ann)
    operator = making.author("operator")
    LogLook.objects.create(user=operator, log=SeatLog.objects.get(match=match, seat=0))
    found = files(b"".join(chunks(ann)))
    assert json.loads(found["account.json"])["email"] == "ann@example.org"
    with zipfile.ZipFile(io.BytesIO(found["versions/ann-bot-1/source.zip"])) as source:
        assert source.read("main.py") == b"print('mine')\n"
    assert json.loads(found["matches/1.ndjson"])["match"] == match.pk
    assert json.loads(found["player.json"])["alias"] == "Annie"
    assert json.loads(found["looks-into-logs.json"])[0]["by"] == "an operator"
    logs = [name for name in found if name.startswith("logs/")]
    assert logs == [f"logs/match-{match.pk}-seat-0-attempt-1.json"]
    everything = b"".join(found.values()).decode(errors="replace")
    assert "laptop" in everything
    for hidden in (token, ann.password, "bob-bot-", "operator@", "seat 1 said"):
        assert hidden not in everything


def test_logs_of_a_match_whose_cards_are_still_secret_are_not_in_the_archive(ann: User) -> None:
    version = played.sandboxed(owner=ann)
    match = match_of(version)
    match.block = 7
    match.save()
    other = match_of(played.sandboxed(), finish=False)
    Match.objects.filter(pk=other.pk).update(series=match.series, block=7)
    assert not [name for name in files(b"".join(chunks(ann))) if name.startswith("logs/")]


async def whole(answer: Any) -> bytes:
    """All of an answer that is streamed."""
    return b"".join([piece async for piece in answer.streaming_content])


def test_the_archive_is_streamed_to_its_owner_alone(browser: Client) -> None:
    answer: Any = browser.post("/me/export/")
    assert answer["content-type"] == "application/zip"
    assert json.loads(files(async_to_sync(whole)(answer))["account.json"])["username"] == "ann"
    assert browser.get("/me/export/").status_code == 405
    assert Client().post("/me/export/")["location"].startswith("/login/")


def test_an_archive_that_would_be_too_large_says_so(ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.own_data.MOST_BYTES", 100)
    found = files(b"".join(chunks(ann)))
    assert b"There is more" in found["README.txt"]


def test_an_account_with_nothing_is_gone_altogether(ann: User, browser: Client) -> None:
    elsewhere = Client()
    elsewhere.force_login(ann)
    page = browser.get("/me/delete/").content.decode()
    assert "What goes" in page
    assert browser.post("/me/delete/", {"password": "wrong"}).status_code == 400
    assert User.objects.filter(pk=ann.pk).exists()
    assert browser.post("/me/delete/", {"password": PASSWORD})["location"] == "/"
    assert not User.objects.exists()
    for client in (browser, elsewhere):
        assert client.get("/me/").status_code == 302


def test_who_leaves_is_forgotten_and_bots_records_and_ratings_stay(ann: User, browser: Client) -> None:
    pool = making.pool()
    version = played.sandboxed("print('mine')\n", owner=ann, name="ann-bot")
    Bot.objects.update(notes="call me at home")
    Version.objects.update(label="for my eyes", check_report={"stderr": "home"})
    making.finished(pool, [version, *making.versions(2)])
    rate_finished(pool)
    match = match_of(version)
    _, token = tokens.create_token(ann, name="laptop", scopes=["read"])
    webhooks.set_webhook(ann, "http://127.0.0.1:9/")
    person = Person.objects.create(alias="Annie", user=ann)
    asked = played.match(requested_by=ann)
    browser.post("/me/delete/", {"password": PASSWORD})
    ann.refresh_from_db()
    assert ann.username == f"{PREFIX}{ann.pk}"
    assert not ann.is_active
    assert "ann@" not in json.dumps(list(User.objects.values()), default=str)
    assert browser.get("/me/").status_code == 302
    assert Client().post("/login/", {"username": "ann", "password": PASSWORD}).status_code == 200
    assert Client().get("/api/v1/me/", headers={"authorization": f"Token {token}"}).status_code == 401
    version.refresh_from_db()
    bot = version.bot
    bot.refresh_from_db()
    assert (bot.state, bot.notes, bot.name) == ("withdrawn", "", "ann-bot")
    assert (version.artifact, version.label, version.check_report) == (None, "", None)
    assert not Artifact.objects.exists()
    assert not SeatLog.objects.filter(match=match, seat=0).exists()
    assert SeatLog.objects.filter(match=match, seat=1).exists()
    assert Fault.objects.get(match=match).message == ""
    person.refresh_from_db()
    assert (person.alias, person.user) == ("Annie", None)
    asked.refresh_from_db()
    assert asked.requested_by is None
    assert Seat.objects.get(match=match, index=0).name == "ann-bot"
    audit(pool, with_boards=True)
    for address in (f"/matches/{match.pk}/", "/bots/ann-bot/", "/ladder/", "/bots/ann-bot/rating/"):
        page = Client().get(address)
        assert page.status_code == 200, address
        assert ">ann<" not in page.content.decode()


def test_sources_stay_until_the_last_match_that_needs_them_is_over(ann: User) -> None:
    version = played.sandboxed("print('mine')\n", owner=ann)
    waiting = match_of(version, finish=False)
    leaving.leave(ann)
    version.refresh_from_db()
    assert version.artifact is not None
    claim = queue.claim(waiting.pk, "tester")
    assert claim is not None
    assert results.finish(waiting.pk, claim.attempt, played.result_of(claim))
    logs_of(waiting)
    assert games_leaving.erase_left() == 1
    version.refresh_from_db()
    assert version.artifact is None
    assert not SeatLog.objects.filter(match=waiting, seat=0).exists()
    assert games_leaving.erase_left() == 0


def test_a_source_that_another_author_submitted_as_well_stays_theirs(ann: User) -> None:
    mine = played.sandboxed("print('same')\n", owner=ann)
    theirs = played.sandboxed("print('same')\n")
    leaving.leave(ann)
    theirs.refresh_from_db()
    mine.refresh_from_db()
    assert mine.artifact is None
    assert theirs.artifact is not None


def test_an_endpoint_and_its_secrets_are_erased(ann: User) -> None:
    version = played.endpoint("http://127.0.0.1:9/", owner=ann)
    bots.rotate_secret(version.bot)
    leaving.leave(ann)
    version.refresh_from_db()
    assert version.url == ""
    assert not version.bot.secrets.exists()


def test_an_operator_is_not_deleted_by_mistake(ann: User, browser: Client) -> None:
    ann.is_staff = True
    ann.save()
    answer = browser.post("/me/delete/", {"password": PASSWORD})
    assert answer.status_code == 409
    assert User.objects.filter(pk=ann.pk, is_active=True).exists()


def test_who_leaves_is_out_of_events_and_had_them_in_the_archive() -> None:
    where = events.event(aliases="own")
    entry = events.enter(where, alias="Queen of clubs")
    user = entry.person.user
    assert user is not None
    EventEntry.objects.update(device={"stream": "ok"})
    assert json.loads(files(b"".join(chunks(user)))["events.json"])[0]["alias"] == "Queen of clubs"
    leaving.leave(user)
    entry.refresh_from_db()
    assert (entry.state, entry.device, entry.alias) == (EventEntry.State.LEFT, {}, "Queen of clubs")
    entry.person.refresh_from_db()
    assert entry.person.user is None


def test_which_bot_sits_in_an_event_is_not_in_the_archive_before_the_end(ann: User) -> None:
    version = played.sandboxed(owner=ann)
    match = match_of(version)
    Match.objects.filter(pk=match.pk).update(klass=Match.Class.EVENT)
    assert "matches/1.ndjson" not in files(b"".join(chunks(ann)))


def test_a_bot_of_who_leaves_plays_to_the_end_of_an_event_that_has_begun(ann: User) -> None:
    where, version = events.event(bots=("greedy",), blocks=1), played.sandboxed(owner=ann)
    asked = registration.ask_bot(where, version.bot, "opponent")
    registration.answer_for_bot(asked, by=ann, agrees=True)
    (entry,) = events.begin(where, events.enter(where))
    events.play(running.begin_block(entry))
    leaving.leave(ann)
    version.refresh_from_db()
    assert version.artifact is not None, "the challenger plays against it yet"
    events.play_all(where)
    assert leaving.erase_left() == 1
    version.refresh_from_db()
    assert version.artifact is None
