"""Bot against bot: what a season's pair tallies say of two bots, of one and all its opponents, of all at once.

Sums over all versions of a bot, seen from the one that is named first. Differences are in points of a match.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet, Sum

from botapi.models import Bot
from ladder.models import PairTally, Pool
from ladder.queries import Competitor, standings
from ladder.ratings import Z95

MATRIX_BOTS: Final = 40
"""A matrix shows so many bots, the best ones: more could not be read."""
_SUMS: Final = ("ahead", "level", "behind", "difference", "squares")


@dataclass(frozen=True, slots=True)
class Meeting:
    """The joint rated matches of two bots, from the first one's side."""

    ahead: int = 0
    level: int = 0
    behind: int = 0
    difference: int = 0
    squares: int = 0

    def __add__(self, other: Meeting) -> Meeting:
        return Meeting(
            self.ahead + other.ahead,
            self.level + other.level,
            self.behind + other.behind,
            self.difference + other.difference,
            self.squares + other.squares,
        )

    @property
    def turned(self) -> Meeting:
        """The same from the second one's side."""
        return Meeting(self.behind, self.level, self.ahead, -self.difference, self.squares)

    @property
    def matches(self) -> int:
        """How many matches both played in."""
        return self.ahead + self.level + self.behind

    @property
    def mean(self) -> float | None:
        """Mean difference of the totals; None without a match."""
        return self.difference / self.matches if self.matches else None

    @property
    def half(self) -> float | None:
        """Half the width of the 95 % interval of ``mean``; None for fewer than two matches."""
        n = self.matches
        if n < 2:
            return None
        variance = max(0.0, self.squares - self.difference * self.difference / n) / (n - 1)
        return Z95 * math.sqrt(variance / n)

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return None if self.mean is None or self.half is None else self.mean - self.half

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return None if self.mean is None or self.half is None else self.mean + self.half

    @property
    def verdict(self) -> str:
        """Either "ahead" or "behind" where the interval leaves no doubt, else empty."""
        if self.low is None or self.high is None:
            return ""
        return "ahead" if self.low > 0 else "behind" if self.high < 0 else ""

    @property
    def percent(self) -> float | None:
        """How often the first one was placed better, level counting half, in percent; None without a match."""
        return 100 * (self.ahead + self.level / 2) / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class Against:
    """Two bots in one season: together, and by how many seats the second sits behind the first."""

    total: Meeting
    by_offset: tuple[tuple[int, Meeting], ...]


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that was met, and how that went."""

    name: str
    author: str
    meeting: Meeting


def against(pool: Pool, one: Bot, other: Bot) -> Against:
    """How ``one`` did against ``other`` in ``pool``. Three queries."""
    ours, theirs = _versions(one), _versions(other)
    both = Q(first__in=ours, second__in=theirs) | Q(first__in=theirs, second__in=ours)
    found = dict.fromkeys(range(1, pool.players), Meeting())
    for row in _summed(pool, both, "first__bot", "offset"):
        mine = row["first__bot"] == one.pk
        offset = row["offset"] if mine else pool.players - row["offset"]
        meeting = _meeting(row)
        found[offset] = found.get(offset, Meeting()) + (meeting if mine else meeting.turned)
    return Against(_sum(found.values()), tuple(sorted(found.items())))


def opponents(pool: Pool, bot: Bot, *, most: int | None = None) -> list[Opponent]:
    """Whom ``bot`` met in ``pool``, the most often met first, ``most`` of them at most. Three queries."""
    found: dict[int, Meeting] = {}
    ours = _versions(bot)
    rows = _summed(pool, Q(first__in=ours) | Q(second__in=ours), "first__bot", "second__bot")
    for one, other, *sums in rows.values_list(
        "first__bot", "second__bot", *(f"sum_{name}" for name in _SUMS)
    ):
        met, meeting = (other, Meeting(*sums)) if one == bot.pk else (one, Meeting(*sums).turned)
        found[met] = found[met] + meeting if met in found else meeting
    order = sorted(found, key=lambda pk: (-found[pk].matches, pk))
    shown = [pk for pk in order[:most] if found[pk].matches]
    names = Bot.objects.filter(pk__in=shown).order_by().values_list("pk", "name", "owner__username")
    lines = [Opponent(name, author or "", found[pk]) for pk, name, author in names]
    return sorted(lines, key=lambda line: (-line.meeting.matches, line.name))


def best(pool: Pool) -> tuple[list[Competitor], int]:
    """The bots of a matrix, as they stand on the ladder, and how many are left out. One query."""
    lines = standings(pool)
    return [line.bot for line in lines[:MATRIX_BOTS]], max(0, len(lines) - MATRIX_BOTS)


def matrix(
    pool: Pool, bots: Sequence[Bot | Competitor]
) -> list[tuple[Bot | Competitor, list[Meeting | None]]]:
    """A row for each of ``bots`` with its meeting with each of them, None with itself. One query."""
    ids = [bot.pk for bot in bots]
    found: dict[tuple[int, int], Meeting] = {}
    among = Q(first__bot__in=ids, second__bot__in=ids)
    for row in _summed(pool, among, "first__bot", "second__bot"):
        key = (row["first__bot"], row["second__bot"])
        meeting = _meeting(row)
        found[key] = found.get(key, Meeting()) + meeting
        found[key[::-1]] = found.get(key[::-1], Meeting()) + meeting.turned
    return [
        (bot, [None if bot == other else found.get((bot.pk, other.pk), Meeting()) for other in bots])
        for bot in bots
    ]


def _versions(bot: Bot) -> list[int]:
    """Keys of a bot's versions: with them PostgreSQL finds its pairs by index, with a join it reads all pairs."""
    return list(bot.versions.values_list("pk", flat=True))


def _summed(pool: Pool, which: Q, *by: str) -> QuerySet[PairTally, dict[str, Any]]:
    """Sums of the tallies of ``which``, a row for each value of ``by``."""
    rows = PairTally.objects.filter(which, pool=pool).values(*by)
    sums: Any = {f"sum_{name}": Sum(name) for name in _SUMS}
    summed: QuerySet[PairTally, dict[str, Any]] = rows.annotate(**sums).order_by()
    return summed


def _meeting(row: dict[str, Any]) -> Meeting:
    return Meeting(*(row[f"sum_{name}"] for name in _SUMS))


def _sum(meetings: Iterable[Meeting]) -> Meeting:
    total = Meeting()
    for meeting in meetings:
        total += meeting
    return total
