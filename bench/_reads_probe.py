"""Asks a filled database's pages, over and over; a JSON line a page (:mod:`bench.reads`).

Each address is asked in three rounds. Of the database's work that of the first counts, when it has not read the same rows
before; of the server's own the least, as neighbours on a shared machine make it longer by half for seconds on end.
"""

from __future__ import annotations

import itertools
import json
import logging
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote

from django.conf import settings
from django.core.cache import caches
from django.test import Client

from bench import _ready
from bench._server_time import Spent, measured, share
from botapi.models import Bot
from games.models import Match
from ladder.models import PairTally, Season
from ladder.settled_memory import settle

assert _ready  # Django is ready before the models are imported

_visitors = itertools.count()
WARM = 3
ROUNDS = 3
SEED = 1


def addresses() -> Iterator[tuple[str, Callable[[], str]]]:
    """Pages and API twins by name: each call gives another address."""
    draw = random.Random(SEED)
    season = Season.objects.latest("pk")
    bots = list(Bot.objects.filter(versions__ratings__pool__season=season).values_list("name", flat=True))
    pairs = list(PairTally.objects.values_list("first__bot__name", "second__bot__name")[:5000])
    first, last = Match.objects.earliest("pk").pk, Match.objects.latest("pk").pk

    def bot(address: str) -> Callable[[], str]:
        return lambda: address.format(draw.choice(bots))

    def pair(address: str) -> Callable[[], str]:
        return lambda: address.format(*draw.choice(pairs))

    def match(address: str) -> Callable[[], str]:
        return lambda: address.format(draw.randint(first, last))

    yield "ladder", lambda: "/ladder/"
    yield "ladder_api", lambda: f"/api/v1/seasons/{season.slug}/standings/"
    yield "bot", bot("/bots/{}/")
    yield "bot_api", bot("/api/v1/bots/{}/")
    yield "rating", bot("/bots/{}/rating/")
    yield "ratings_api", bot("/api/v1/bots/{}/ratings/")
    yield "points_api", bot("/api/v1/bots/{}/rating-points/?page_size=50")
    yield "pair", pair("/bots/{}/against/{}/")
    yield "pair_api", pair("/api/v1/bots/{}/against/{}/")
    yield "matches", lambda: "/matches/"
    yield "matches_before", match("/matches/?before={}")
    yield "matches_of_bot", bot("/matches/?bot={}")
    series = quote(season.series.name if season.series else "")
    yield "matches_of_series", lambda: f"/matches/?series={series}&rated=1"
    yield "matches_of_version", bot("/matches/?bot={}&version=1&state=finished&rated=1&series=" + series)
    yield "matches_api", lambda: "/api/v1/matches/"
    yield "matches_of_bot_api", bot("/api/v1/matches/?bot={}")
    yield "replay", match("/matches/{}/")
    yield "match_api", match("/api/v1/matches/{}/")
    yield "record_api", match("/api/v1/matches/{}/record/")


def ask(client: Client, address: str) -> Spent:
    """Ask once, as one of many visitors, whose limits are their own; the answer must be there."""
    visitor = "10.{}.{}.1".format(*divmod(next(_visitors), 256))
    with measured() as spent:
        answer = client.get(address, REMOTE_ADDR=visitor)
    if answer.status_code != 200:
        sys.exit(f"{address} answers {answer.status_code}")
    return spent


def asked(client: Client, addresses: Sequence[str]) -> list[Spent]:
    """What each address takes; no replay is kept from one round to the next."""
    rounds = []
    for _ in range(ROUNDS):
        caches["replays"].clear()
        rounds.append([ask(client, address) for address in addresses])
    return [
        replace(found[0], own=min(spent.own for spent in found), clock=min(spent.clock for spent in found))
        for found in zip(*rounds, strict=True)
    ]


def main(requests: int) -> None:
    """Measure and print."""
    logging.disable(logging.WARNING)
    settings.DEBUG = False  # templates are kept, queries are not: as in production
    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    settle()  # as a server does when it begins
    for page, address in addresses():
        for _ in range(WARM):
            ask(client, address())
        all_spent = asked(client, [address() for _ in range(requests)])
        server = [spent.server for spent in all_spent]
        line = {
            "page": page,
            "n": requests,
            "p50": share(server, 0.5),
            "p95": share(server, 0.95),
            "clock_p95": share([spent.clock for spent in all_spent], 0.95),
            "queries": max(spent.queries for spent in all_spent),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
