"""A made history: a season of up to millions of matches in minutes, to see how the service does at that size.

Everything in it is true. House bots play ``pool`` blocks of a season with duplicate tables; each match is one more
table of such a block, at which bots of the same house play under other names, and which therefore went the same way.
Records verify, seeds follow from the season's secret, and the rating log rates every match in its order. It differs
from a history that was lived in that its times are laid out evenly and its boards are few.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from botapi.errors import DomainError
from botapi.house import HOUSE_BOTS
from botapi.house_bots import enter_house_bot
from botapi.models import Version
from engine import PRESETS, RuleSet
from games.endings import FINISH_LOCK
from games.models import Match
from ladder import seasons
from ladder.made_history import SPAN, History
from ladder.models import Pool, Season
from ladder.self_played import PlayedTable, play_block

RULES: Final = "pl-3"
MOST_TABLES: Final = 30_000
"""Tables of one block, which a small integer numbers."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What was made."""

    season: Season
    pool: Pool
    matches: int
    bots: int
    tables: int
    events: int


def check(*, matches: int, bots: int, pool: int, add: bool) -> None:
    """Raise DomainError when such a history cannot be made, or would be mixed with matches that are there."""
    if not add and Match.objects.exists():
        raise DomainError(
            "not_empty", "There are matches already; --add adds a season of its own beside them.", 409
        )
    players, houses = PRESETS[RULES].players, len(HOUSE_BOTS)
    if bots < players * houses:
        raise DomainError(
            "few_bots", f"{players * houses} bots are the fewest: a table of each house bot's.", 409
        )
    if not 0 < pool <= matches <= pool * MOST_TABLES:
        raise DomainError("bad_pool", f"A pool of {pool} makes {pool} to {pool * MOST_TABLES} matches.", 409)


def fill(
    *, matches: int, bots: int, pool: int, add: bool = False, step: Callable[[], object] = lambda: None
) -> Filled:
    """Make a season of ``matches`` among ``bots`` from ``pool`` played tables; all of it or nothing is stored.

    ``step`` is called after each table and each match. Results of other matches wait until it is done. Raises
    DomainError, see :func:`check`.
    """
    check(matches=matches, bots=bots, pool=pool, add=add)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [FINISH_LOCK])
            cursor.execute("LOCK TABLE games_match, ladder_ratingevent IN SHARE ROW EXCLUSIVE MODE")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # checked row by row, not kept for the end
        season = _season()
        field = _field(bots)
        assert season.series is not None
        tables = _play(season, pool, step)
        history = History(season, field, matches, bots)
        draw = random.Random(season.series.secret_sha256)  # noqa: S311 - who sits where is no secret
        for number in range(matches):
            table = tables[number % pool]
            history.add(number, table, number // pool, _sit(table, field, draw))
            step()
        history.close(tables)
    _refresh_statistics()
    return Filled(season, history.pool, matches, bots, pool, history.pool.last_seq)


def _season() -> Season:
    taken = Season.objects.filter(slug__startswith="made-").count()
    slug = next(
        f"made-{n}" for n in range(taken + 1, taken + 1000) if not Season.objects.filter(slug=f"made-{n}")
    )
    season = seasons.create_season(
        slug, name=f"Made history {slug[5:]}", ruleset=PRESETS[RULES], duplicate=True
    )
    season = seasons.open_season(season)
    season.opens_at = timezone.now() - SPAN - timedelta(hours=1)
    season.save(update_fields=["opens_at"])
    return season


def _field(bots: int) -> dict[str, list[Version]]:
    """Versions that compete, by the house bot that plays for them, in about equal numbers."""
    field: dict[str, list[Version]] = {house: [] for house in HOUSE_BOTS}
    for number in range(bots):
        house = list(HOUSE_BOTS)[number % len(HOUSE_BOTS)]
        bot = enter_house_bot(f"{house}-{number // len(HOUSE_BOTS) + 1:03}", house)
        assert bot.active_version is not None
        field[house].append(bot.active_version)
    return field


def _play(season: Season, pool: int, step: Callable[[], object]) -> list[PlayedTable]:
    """The played tables, one a block; blocks count from 1."""
    assert season.series is not None
    rules, secret = RuleSet.from_json(season.rules), bytes(season.series.secret)
    draw = random.Random(season.series.secret_sha256)  # noqa: S311 - who sits where is no secret
    tables = []
    for block in range(1, pool + 1):
        tables.append(play_block(rules, secret, block, draw))
        step()
    return tables


def _sit(table: PlayedTable, field: dict[str, list[Version]], draw: random.Random) -> list[Version]:
    """Who sits at one more table of a block: different bots, each played by the house bot of its seat."""
    while True:
        seated = [draw.choice(field[house]) for house in table.house]
        if len({version.pk for version in seated}) == len(seated):
            return seated


def _refresh_statistics() -> None:
    """What autovacuum would do after a while; not in a transaction, where it cannot be done."""
    if not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE)")
