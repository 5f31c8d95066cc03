"""A tournament's standings from the rows of its matches; :mod:`ladder.formats.standings` counts.

A match counts once it is finished and not void. What an entrant missed without fault is credited when its
round is over: a bye, and each rotation of its table that was not played, unless that was its own doing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from games.models import Match
from ladder.formats import groups as grouping
from ladder.formats.lots import Lot
from ladder.formats.standings import Line, Outcome, standings
from ladder.tournament_models import Entrant, Rest, Round, TableSeat, Tournament, TournamentMatch


@dataclass(frozen=True, slots=True)
class Ranking:
    """All entrants in order (``overall``); for groups also each group's standings and the final's."""

    overall: list[Line]
    groups: list[list[Line]] = field(default_factory=list)
    final: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class _Stage:
    """What counts in one stage: matches by table, what was missed, who took part."""

    outcomes: list[Outcome] = field(default_factory=list)
    missed: Counter[int] = field(default_factory=Counter)
    members: set[int] = field(default_factory=set)


def lot_of(tournament: Tournament) -> Lot:
    """The published lot of a tournament that has started."""
    return Lot(bytes.fromhex(tournament.lot))


def ranking(tournament: Tournament, entrants: Sequence[Entrant] | None = None) -> Ranking:
    """The standings now, of all who were in the draw; ``entrants``: all rows of the tournament, if at hand."""
    everybody = tournament.entrants.all() if entrants is None else entrants
    field_ = [entrant for entrant in everybody if entrant.version_id is not None]
    out = {entrant.number for entrant in field_ if entrant.state != Entrant.State.ENTERED}
    stages = _stages(tournament, field_)
    lot = lot_of(tournament)

    def lines(members: Sequence[int], stage: _Stage) -> list[Line]:
        return standings(members, stage.outcomes, lot, size=tournament.players, missed=stage.missed, out=out)

    if tournament.format != Tournament.Format.GROUPS:
        return Ranking(lines([entrant.number for entrant in field_], stages[Round.Stage.MAIN]))
    parts = _parts(field_)
    ends = [lines(part, stages[Round.Stage.GROUPS]) for part in parts]
    final_stage = stages[Round.Stage.FINAL]
    final = lines(sorted(final_stage.members), final_stage)
    return Ranking(grouping.overall(final, ends, out), ends, final)


def _parts(entrants: Sequence[Entrant]) -> list[list[int]]:
    """The groups by entrants' numbers."""
    parts: dict[int, list[int]] = defaultdict(list)
    for entrant in entrants:
        if entrant.group is not None:
            parts[entrant.group].append(entrant.number)
    return [parts[group] for group in sorted(parts)]


def _stages(tournament: Tournament, entrants: Sequence[Entrant]) -> dict[str, _Stage]:
    stages: dict[str, _Stage] = defaultdict(_Stage)
    numbers = {entrant.pk: entrant.number for entrant in entrants}
    by_version = {entrant.version_id: entrant.number for entrant in entrants}
    played = _outcomes(tournament, stages, by_version)
    seats = TableSeat.objects.filter(table__round__tournament=tournament)
    for entrant, table, lost, stage, state in seats.values_list(
        "entrant", "table", "lost", "table__round__stage", "table__round__state"
    ):
        stages[stage].members.add(numbers[entrant])
        if state == Round.State.FINISHED:
            missed = tournament.rotations - played[table] - lost
            stages[stage].missed[numbers[entrant]] += max(0, missed)
    rests = Rest.objects.filter(round__tournament=tournament)
    for entrant, absent, stage, state in rests.values_list(
        "entrant", "absent", "round__stage", "round__state"
    ):
        stages[stage].members.add(numbers[entrant])
        if state == Round.State.FINISHED and not absent:
            stages[stage].missed[numbers[entrant]] += tournament.rotations
    return stages


def _outcomes(
    tournament: Tournament, stages: dict[str, _Stage], by_version: dict[int | None, int]
) -> Counter[int]:
    """Add each match that counts to its stage; how many there are of each table."""
    played: Counter[int] = Counter()
    seats = (
        TournamentMatch.objects.filter(
            table__round__tournament=tournament, replaced=False, match__state=Match.State.FINISHED
        )
        .order_by("match", "match__seats__index")
        .values_list(
            "match",
            "table",
            "table__round__stage",
            "match__seats__version",
            "match__seats__place",
            "match__seats__total",
        )
    )
    for (_, table, stage), rows in groupby(seats, key=itemgetter(0, 1, 2)):
        versions, places, totals = zip(*(row[3:] for row in rows), strict=True)
        played[table] += 1
        members = tuple(by_version[version] for version in versions)
        stages[stage].outcomes.append(Outcome(table, members, places, totals))
    return played
