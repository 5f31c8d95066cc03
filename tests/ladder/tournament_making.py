"""Tournaments for tests: of house bots and authors' bots, with short matches, played to the end in this process."""

from __future__ import annotations

import dataclasses
from typing import Any

from botapi.models import Bot, Version
from engine import PRESETS
from games import queue, results
from games.models import Match
from ladder import registration, tournaments
from ladder.tournament_models import Entrant, Tournament
from tests.games.making import result_of
from tests.ladder import making

ONE_DEAL = {
    size: dataclasses.replace(PRESETS[name], deal_limit=1)
    for size, name in {2: "pl-2", 3: "cz-3-short", 4: "pl-4-all"}.items()
}
"""The shortest matches there are, by the size of the table."""


def tournament(slug: str = "cup", size: int = 3, **properties: Any) -> Tournament:
    """A tournament open for registration."""
    given: dict[str, Any] = {
        "name": slug.title(),
        "format": "swiss",
        "rounds": 2,
        "rotations": 1,
        "min_entrants": size,
    } | properties
    made = tournaments.create_tournament(slug, ruleset=ONE_DEAL[size], **given)
    return tournaments.open_registration(made)


def enter(where: Tournament, count: int, **kinds: Any) -> list[Entrant]:
    """So many new bots, each of its own author, entered by an operator."""
    return [registration.enter(where, making.bot(**kinds)) for _ in range(count)]


def started(count: int, **properties: Any) -> Tournament:
    """A tournament of ``count`` bots, its first round queued."""
    made = tournament(**properties)
    enter(made, count)
    tournaments.start(made)
    tournaments.advance(made)
    made.refresh_from_db()
    return made


def play_queued(where: Tournament) -> int:
    """Play what is queued as a worker and its host would; how many."""
    waiting = Match.objects.filter(series=where.series, state=Match.State.QUEUED).order_by("pk")
    for match in waiting:
        play(match)
    return len(waiting)


def play(match: Match) -> None:
    """Play one queued match: a house bot in each seat."""
    claim = queue.claim(match.pk, "tester")
    assert claim
    assert results.finish(match.pk, claim.attempt, result_of(claim))


def play_out(where: Tournament) -> Tournament:
    """Play and move on until it is over."""
    for _ in range(200):
        tournaments.advance(where)
        where.refresh_from_db()
        if where.phase != Tournament.Phase.RUNNING:
            return where
        play_queued(where)
    raise AssertionError("the tournament does not end")


def suspend(version: Version | None) -> None:
    """Its bot may not play."""
    assert version
    Bot.objects.filter(pk=version.bot_id).update(
        state=Bot.State.SUSPENDED, state_reason="3 forfeits in a row"
    )
