"""What pages and the API read of tournaments: frozen values, a constant number of queries each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils import timezone

from botapi.models import Bot, User
from games import delays
from games.models import Match, Seat
from ladder.formats.standings import Line
from ladder.registration import ready_version
from ladder.round_delays import round_delay
from ladder.tournament_models import Entrant, Rest, Round, Table, TableSeat, Tournament, TournamentMatch
from ladder.tournament_standings import ranking

Phase = Tournament.Phase


@dataclass(frozen=True, slots=True)
class TournamentLine:
    """One line of a tournament's standings; sums as decimal numbers, matches counted in rotations."""

    rank: int | None
    number: int
    bot: str
    version: int
    author: str
    group: int | None
    points: float
    small: float
    wins: float
    buchholz: float
    played: int
    credited: int
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class TournamentStandings:
    """All in order; for groups also the groups' own standings and the final's."""

    overall: list[TournamentLine] = field(default_factory=list)
    groups: list[list[TournamentLine]] = field(default_factory=list)
    final: list[TournamentLine] = field(default_factory=list)

    @property
    def podium(self) -> list[TournamentLine]:
        """The first three."""
        return [line for line in self.overall if line.rank is not None and line.rank <= 3]


@dataclass(frozen=True, slots=True)
class Played:
    """A match of a table: its rotation, whether another replaced it or nothing will.

    ``reason`` is what an open one waits for, or why it is void; ``late`` as the queue has it.
    """

    match: Match
    rotation: int
    replaced: bool
    given_up: bool
    reason: str
    late: bool


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table of a round: entrants' bots in seat order, and its matches; planned ones have none yet."""

    number: int
    bots: list[str]
    matches: list[Played]


@dataclass(frozen=True, slots=True)
class RoundShown:
    """A round with its tables and who rests; ``delay`` is why it is not over, as a sentence."""

    round: Round
    tables: list[SeatedTable]
    byes: list[str]
    absent: list[tuple[str, str]]
    delay: str
    late: bool


def tournaments() -> QuerySet[Tournament]:
    """Tournaments in public, the newest first, with how many are entered."""
    shown = Tournament.objects.filter(series__isnull=False).select_related("series")
    inside = Count("entrants", filter=Q(entrants__state=Entrant.State.ENTERED))
    return shown.annotate(entered=inside).order_by("-pk")


def all_tournaments() -> QuerySet[Tournament]:
    """Drafts too, for those who run them."""
    inside = Count("entrants", filter=Q(entrants__state=Entrant.State.ENTERED))
    return Tournament.objects.select_related("series").annotate(entered=inside).order_by("-pk")


def tournament_by_slug(slug: str) -> Tournament | None:
    """A tournament in public."""
    return None if "\0" in slug else tournaments().filter(slug=slug).first()


def under_way() -> QuerySet[Tournament]:
    """Tournaments that take entries or are played, those that began last first."""
    return tournaments().filter(phase__in=(Phase.REGISTRATION, Phase.RUNNING))


def entries_of(bot: Bot) -> list[tuple[Entrant, int | None]]:
    """A bot's tournaments in public, the newest first, each with its rank once the result is published."""
    entries = Entrant.objects.filter(bot=bot, tournament__series__isnull=False).select_related("tournament")
    return [(entry, _published_rank(entry)) for entry in entries.order_by("-tournament")[:50]]


def _published_rank(entry: Entrant) -> int | None:
    lines = entry.tournament.result["overall"] if entry.tournament.result else ()
    return next((line["rank"] for line in lines if line["number"] == entry.number), None)


def entrants_of(tournament: Tournament) -> list[Entrant]:
    """All who are or were in, with bots and authors."""
    return list(tournament.entrants.select_related("bot__owner", "version").order_by("number"))


def standings_of(tournament: Tournament, entrants: list[Entrant] | None = None) -> TournamentStandings:
    """The standings: as published, else as they stand now; empty before the start."""
    if tournament.result is not None:
        return TournamentStandings(
            overall=_read(tournament.result["overall"]),
            groups=[_read(lines) for lines in tournament.result["groups"]],
            final=_read(tournament.result["final"]),
        )
    if not tournament.lot:
        return TournamentStandings()
    everybody = entrants_of(tournament) if entrants is None else entrants
    found = ranking(tournament, everybody)
    by_number = {entrant.number: entrant for entrant in everybody}

    def shown(lines: Iterable[Line]) -> list[TournamentLine]:
        return [_line(line, by_number[line.entrant]) for line in lines]

    return TournamentStandings(
        shown(found.overall), [shown(lines) for lines in found.groups], shown(found.final)
    )


def result_lines(tournament: Tournament) -> dict[str, Any]:
    """The standings as JSON, to be kept at the publication."""
    return asdict(standings_of(tournament))


def rounds_of(tournament: Tournament, *, now: datetime | None = None) -> list[RoundShown]:
    """All rounds in order. Planned tables are shown once their stage is drawn."""
    seats = TableSeat.objects.select_related("entrant__bot").order_by("index")
    matches = (
        TournamentMatch.objects.select_related("match")
        .defer("match__rules", "match__clocks")
        .prefetch_related(Prefetch("match__seats", queryset=Seat.objects.order_by("index")))
        .order_by("rotation", "pk")
    )
    tables = Table.objects.order_by("number").prefetch_related(
        Prefetch("seats", queryset=seats), Prefetch("matches", queryset=matches)
    )
    found = tournament.schedule.order_by("number").prefetch_related(
        Prefetch("tables", queryset=tables),
        Prefetch("rests", queryset=Rest.objects.select_related("entrant__bot").order_by("entrant__number")),
    )
    at = now or timezone.now()
    names = dict(tournament.entrants.values_list("number", "bot__name"))
    open_ = delays.waiting(at) if tournament.phase == Phase.RUNNING else []
    waits = {wait.match.pk: wait for wait in open_}
    return [_shown(round_, names, waits, tournament, at) for round_ in found]


def own_entries(tournament: Tournament, user: User) -> list[Entrant]:
    """A person's entries that are in."""
    mine = tournament.entrants.filter(bot__owner=user, state=Entrant.State.ENTERED)
    return list(mine.select_related("bot", "tournament"))


def bots_to_enter(tournament: Tournament, user: User) -> list[Bot]:
    """A person's bots that could be entered, if the tournament takes entries."""
    entered = tournament.entrants.exclude(state=Entrant.State.WITHDRAWN).values("bot")
    mine = Bot.objects.filter(owner=user, state=Bot.State.ACTIVE).exclude(pk__in=entered)
    return [bot for bot in mine.select_related("active_version").order_by("name") if ready_version(bot)]


def takes_entries(tournament: Tournament, *, now: datetime | None = None) -> bool:
    """Whether authors may register now."""
    at = now or timezone.now()
    opens, closes = tournament.registration_opens_at, tournament.registration_closes_at
    return (
        tournament.phase == Phase.REGISTRATION
        and (opens is None or opens <= at)
        and (closes is None or at < closes)
    )


def _read(rows: Iterable[dict[str, Any]]) -> list[TournamentLine]:
    return [TournamentLine(**row) for row in rows]


def _line(line: Line, entrant: Entrant) -> TournamentLine:
    owner = entrant.bot.owner
    return TournamentLine(
        rank=line.rank,
        number=entrant.number,
        bot=entrant.bot.name,
        version=entrant.version.number if entrant.version else 0,
        author=owner.username if owner else "",
        group=None if entrant.group is None else entrant.group + 1,
        points=round(float(line.points), 3),
        small=round(float(line.small), 1),
        wins=round(float(line.wins), 2),
        buchholz=round(float(line.buchholz), 2),
        played=line.played,
        credited=line.credited,
        state=entrant.state,
        reason=entrant.reason,
    )


def _shown(
    round_: Round,
    names: dict[int, str],
    waits: dict[int, delays.Waiting],
    tournament: Tournament,
    now: datetime,
) -> RoundShown:
    rests = list(round_.rests.all())
    delay, late = round_delay(round_, tournament, now)
    drawn = [_table(table, waits) for table in round_.tables.all()]
    if round_.state == Round.State.PLANNED:
        tables = [
            SeatedTable(index, [names.get(number, "?") for number in members], [])
            for index, members in enumerate(round_.plan.get("tables", ()), 1)
        ]
        byes = [names.get(number, "?") for number in round_.plan.get("byes", ())]
        return RoundShown(round_, tables, byes, [], delay, late)
    return RoundShown(
        round=round_,
        tables=drawn,
        byes=[rest.entrant.bot.name for rest in rests if not rest.absent],
        absent=[(rest.entrant.bot.name, rest.reason) for rest in rests if rest.absent],
        delay=delay,
        late=late or any(played.late for table in drawn for played in table.matches),
    )


def _table(table: Table, waits: dict[int, delays.Waiting]) -> SeatedTable:
    return SeatedTable(
        number=table.number,
        bots=[seat.entrant.bot.name for seat in table.seats.all()],
        matches=[_played(link, waits.get(link.match_id)) for link in table.matches.all()],
    )


def _played(link: TournamentMatch, wait: delays.Waiting | None) -> Played:
    reason = "" if link.match.state == Match.State.FINISHED else link.match.reason
    return Played(
        match=link.match,
        rotation=link.rotation + 1,
        replaced=link.replaced,
        given_up=link.given_up,
        reason=wait.reason if wait else reason,
        late=wait is not None and wait.late,
    )
