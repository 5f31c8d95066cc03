"""Rows for ladder tests: authors, bots with passed versions, an open season's pool, matches that finished."""

from __future__ import annotations

import random
from collections.abc import Sequence

from django.db.models import Max
from django.utils import timezone

from botapi.models import Bot, User, Version
from engine import PRESETS
from games.models import Match, Seat, Series
from ladder.models import Pool, Season
from ladder.seasons import default_clocks
from tests.games.making import numbers


def author(name: str = "") -> User:
    name = name or f"author{next(numbers)}"
    return User.objects.create(username=name, email=f"{name}@example.org", email_verified_at=timezone.now())


def bot(name: str = "", owner: User | None = None, kind: str = Bot.Kind.SANDBOX) -> Bot:
    name = name or f"bot-{next(numbers)}"
    if kind == Bot.Kind.HOUSE:
        made = Bot.objects.create(name=name, kind=kind, house="greedy")
    else:
        made = Bot.objects.create(name=name, kind=kind, owner=owner or author())
    version(made)
    return made


def version(of: Bot) -> Version:
    """A new passed version of a bot, made its active one."""
    number = (of.versions.aggregate(last=Max("number"))["last"] or 0) + 1
    made = Version.objects.create(
        bot=of, number=number, sha256=f"{of.pk:032x}{number:032x}", state=Version.State.PASSED
    )
    of.active_version = made
    of.save()
    return made


def versions(count: int, house: int = 0) -> list[Version]:
    """Active versions of new bots, each of its own author, the first ``house`` of them house bots."""
    names = [f"bot-{next(numbers)}" for _ in range(count)]
    now = timezone.now()
    authors = User.objects.bulk_create(
        User(username=f"of-{name}", email=f"of-{name}@example.org", email_verified_at=now)
        for name in names[house:]
    )
    bots = [Bot(name=name, kind=Bot.Kind.HOUSE, house="greedy") for name in names[:house]]
    bots += [
        Bot(name=name, kind=Bot.Kind.SANDBOX, owner=one)
        for name, one in zip(names[house:], authors, strict=True)
    ]
    Bot.objects.bulk_create(bots)
    made = Version.objects.bulk_create(
        Version(bot=one, number=1, sha256=f"{one.pk:032x}{1:032x}", state=Version.State.PASSED)
        for one in bots
    )
    for one, active in zip(bots, made, strict=True):
        one.active_version = active
    Bot.objects.bulk_update(bots, ["active_version"])
    return made


def pool(slug: str = "spring") -> Pool:
    rules = PRESETS["pl-3"]
    series = Series.objects.create(
        kind="season", name=f"season {slug}", secret=b"s" * 32, secret_sha256="0" * 64
    )
    season = Season.objects.create(
        slug=slug,
        name=slug.title(),
        series=series,
        rules=rules.to_json(),
        players=rules.players,
        clocks=default_clocks(),
        state=Season.State.OPEN,
        opens_at=timezone.now(),
    )
    return Pool.objects.create(season=season, rules_hash=rules.hash, players=rules.players)


def finished(
    where: Pool, table: Sequence[Version], places: Sequence[int] = (1, 2, 3), *, finish: bool = True
) -> Match:
    """A rated match of these versions with these places."""
    match = _match(where, finish=finish)
    match.save()
    Seat.objects.bulk_create(_seats(match, table, places, finish=finish))
    return match


def _match(where: Pool, *, finish: bool = True) -> Match:
    number = next(numbers)
    assert where.season.series
    return Match(
        series=where.season.series,
        number=number,
        klass=Match.Class.LADDER,
        rated=True,
        rules=where.season.rules,
        rules_name="pl-3",
        rules_hash=where.rules_hash,
        players=where.players,
        clocks=where.season.clocks["sandbox"],
        state=Match.State.FINISHED if finish else Match.State.QUEUED,
        finish_seq=number if finish else None,
        finished_at=timezone.now() if finish else None,
        deals=10,
    )


def _seats(
    match: Match, table: Sequence[Version], places: Sequence[int], *, finish: bool = True
) -> list[Seat]:
    return [
        Seat(
            match=match,
            index=i,
            version=one,
            name=one.bot.name,
            total=1000 - 100 * place if finish else None,
            place=place if finish else None,
            rank=place if finish else None,
            deals_declared=4,
            deals_made=3,
            faults=i,
        )
        for i, (one, place) in enumerate(zip(table, places, strict=True))
    ]


def season_of_matches(where: Pool, field: Sequence[Version], count: int, seed: int = 1) -> list[Match]:
    """``count`` finished matches among ``field`` with random places."""
    rng = random.Random(seed)
    made = Match.objects.bulk_create(_match(where) for _ in range(count))
    seats: list[Seat] = []
    for match in made:
        totals = [rng.randrange(3) for _ in range(where.players)]
        places = [1 + sum(other > mine for other in totals) for mine in totals]
        seats += _seats(match, rng.sample(list(field), where.players), places)
    Seat.objects.bulk_create(seats)
    return made
