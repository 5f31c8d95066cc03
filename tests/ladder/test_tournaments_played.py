"""Whole tournaments played by a real worker with beat: real hosts, real sandboxes, from registration to podium."""

from __future__ import annotations

import dataclasses
import itertools
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from botapi import secrets
from botapi.house import HOUSE_BOTS
from botapi.models import Bot, EndpointSecret, Version
from engine import PRESETS
from engine.record import verify
from games import queue
from games.models import Match, Series
from games.queries import is_withheld
from ladder import registration, tournaments
from ladder.formats.lots import published_lot
from ladder.tournament_models import Entrant, Rest, Tournament
from ladder.tournament_queries import standings_of
from tests.botapi.drivers.test_http import SECRET, sample_bot
from tests.games import making as games
from tests.games.processes import beat, celery_worker, until
from tests.ladder import making

PATIENCE_S = 800
"""A tournament takes half a minute on a free machine; a busy one must not fail it."""

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.e2e, pytest.mark.timeout(2 * PATIENCE_S)]

SHORT = {
    size: dataclasses.replace(PRESETS[name], deal_limit=2)
    for size, name in {2: "pl-2", 3: "cz-3-short", 4: "pl-4-all"}.items()
}
names = itertools.cycle(HOUSE_BOTS)


def house() -> Bot:
    """A competitor for which one of the house bots plays."""
    made = making.bot(kind=Bot.Kind.HOUSE)
    made.house = next(names)
    made.save()
    return made


def uploaded(name: str, source: str | None = None) -> Bot:
    """A competitor of an author, in the sandbox."""
    version: Version = games.sandboxed(source, owner=making.author(), name=name)
    return version.bot


def announced(bots: list[Bot], size: int, **properties: Any) -> Tournament:
    """A tournament that begins by itself at once."""
    made = tournaments.create_tournament(
        "cup", ruleset=SHORT[size], name="Cup", min_entrants=size, starts_at=timezone.now(), **properties
    )
    made = tournaments.open_registration(made)
    for bot in bots:
        registration.enter(made, bot)
    return made


def phase() -> str:
    return Tournament.objects.values_list("phase", flat=True).get()


def published() -> bool:
    return (
        Tournament.objects.filter(published_at__isnull=False).exists()
        and Series.objects.filter(kind="tournament", revealed_at__isnull=False).exists()
    )


def proven(cup: Tournament, matches: int) -> None:
    """What holds after every tournament: records, seeds, standings, podium, pages."""
    cup.refresh_from_db()
    assert cup.series
    played = Match.objects.filter(series=cup.series).select_related("series", "record")
    assert {(match.state, match.klass, match.rated) for match in played} == {
        ("finished", "tournament", False)
    }
    assert len(played) == matches
    secret = bytes(Series.objects.get(tournament=cup).secret)
    assert published_lot(secret).seed.hex() == cup.lot
    for match in played:
        record = json.loads(match.record.body)
        verify(record)
        assert record["seed"] == queue.seed_of(match, match.attempt).hex() or match.block is not None
        assert not is_withheld(match)
    standings = standings_of(cup)
    assert [line.rank for line in standings.overall] == list(range(1, cup.entrants.count() + 1))
    page = Client().get("/tournaments/cup/").content.decode()
    assert "Podium" in page
    for line in standings.podium:
        assert line.bot in page
    cache.clear()
    body = Client().get("/api/v1/tournaments/cup/standings/").json()
    assert [line["bot"] for line in body["podium"]] == [line.bot for line in standings.podium]
    assert secret.hex() in page


def test_a_round_robin_of_house_and_uploaded_bots_is_played_to_the_podium() -> None:
    bots = [house() for _ in range(7)] + [uploaded("ada-bot"), uploaded("bogdan-bot")]
    cup = announced(bots, 3, format="round_robin", rotations=3)
    with celery_worker(), beat():
        until(published, PATIENCE_S)
    proven(cup, 36)
    for block in set(Match.objects.values_list("block", flat=True)):
        tables = Match.objects.filter(block=block).prefetch_related("seats").order_by("rotation")
        assert [match.rotation for match in tables] == [0, 1, 2]
        assert len({queue.seed_of(match, 1) for match in tables.select_related("series")}) == 1
        seats = [[seat.version_id for seat in match.seats.all()] for match in tables]
        assert seats[1] == seats[0][1:] + seats[0][:1]
    assert {line.played for line in standings_of(cup).overall} == {12}


def test_groups_and_final_are_played_to_the_podium() -> None:
    cup = announced(
        [house() for _ in range(7)], 3, format="groups", groups=2, quota=2, final_cycles=2, rotations=1
    )
    with celery_worker(), beat():
        until(published, PATIENCE_S)
    standings = standings_of(Tournament.objects.get())
    assert sorted(len(group) for group in standings.groups) == [3, 4]
    assert len(standings.final) == 4
    proven(cup, 1 + 2 + 2 * 2)
    assert Rest.objects.exists()


@pytest.mark.parametrize("size", [2, 4])
def test_swiss_rounds_at_tables_of_two_and_four_are_played_to_the_podium(size: int) -> None:
    cup = announced([house() for _ in range(2 * size)], size, format="swiss", rounds=2, rotations=size)
    with celery_worker(), beat():
        until(published, PATIENCE_S)
    proven(cup, 2 * 2 * size)


def test_an_endpoint_plays_in_a_tournament_and_meets_no_deal_twice() -> None:
    with sample_bot() as url:
        version = games.endpoint(url, owner=making.author())
        EndpointSecret.objects.create(bot=version.bot, ciphertext=secrets.encrypt(SECRET))
        bots = [version.bot, *(house() for _ in range(5))]
        cup = announced(bots, 3, format="swiss", rounds=2, rotations=3)
        with celery_worker(), beat():
            until(published, PATIENCE_S)
    proven(cup, 12)
    matches = Match.objects.filter(seats__version=version).select_related("series")
    assert {match.block for match in matches} == {None}
    assert len({queue.seed_of(match, match.attempt) for match in matches}) == len(matches) == 6
    line = next(line for line in standings_of(cup).overall if line.bot == version.bot.name)
    assert line.played == 6


def test_a_tournament_outlives_its_worker_a_suspension_and_a_withdrawal() -> None:
    broken = uploaded("broken", "import sys\nsys.exit(3)\n")
    bots = [*(house() for _ in range(4)), uploaded("ada-bot"), broken]
    cup = announced(bots, 3, format="swiss", rounds=4, rotations=1, repeats=1)
    with celery_worker() as worker, beat():
        until(lambda: Match.objects.filter(state="finished").count() >= 2, PATIENCE_S)
        worker.kill()
        worker.wait()
    gone = Entrant.objects.get(bot=bots[0])
    registration.withdraw(gone)
    Match.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
    with celery_worker(), beat():
        until(published, PATIENCE_S)
    cup.refresh_from_db()
    assert phase() == "finished"
    broken.refresh_from_db()
    assert (broken.state, broken.suspended_for) == ("suspended", "start")
    lines = {line.bot: line for line in standings_of(cup).overall}
    assert (lines[broken.name].played, lines[broken.name].credited) == (0, 0)
    assert lines[bots[0].name].rank is None
    others = [line for line in lines.values() if line.bot not in (broken.name, bots[0].name)]
    assert {line.played + line.credited for line in others} == {4}
    assert [line.rank for line in standings_of(cup).podium] == [1, 2, 3]
    assert Version.objects.filter(bot=broken).count() == 1
