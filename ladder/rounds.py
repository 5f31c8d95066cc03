"""Rounds of a tournament: planned, drawn, queued, settled. All of it under the lock of the tournament's row.

The plans of round robins and groups are public from the start of their stage. When a round begins, those who
cannot play (``registration.why_absent``) are left out and the broken tables are drawn again
(``formats.mending``); a Swiss round is drawn only then, from the standings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from botapi.models import Version
from games import queue, results
from games.models import Match, MatchAttempt, SeatLog
from ladder.formats import groups, round_robin, swiss
from ladder.formats.draws import Draw, Meetings, Sizes, meetings
from ladder.formats.mending import mended
from ladder.matchmaking import clocks_of, forgetful
from ladder.registration import entered, leave_with_bot, why_absent
from ladder.tournament_models import Entrant, Rest, Round, Table, TableSeat, Tournament, TournamentMatch
from ladder.tournament_standings import lot_of, ranking

Stage = Round.Stage


def sizes_of(tournament: Tournament) -> Sizes:
    """Sizes of tables that its rules allow."""
    return Sizes(tournament.players, tuple(rules["players"] for rules in tournament.other_rules))


# --- Planning a stage -------------------------------------------------------------------------------------


def plan_first_stage(tournament: Tournament, numbers: Sequence[int]) -> None:
    """Rounds of the first stage for entrants' numbers; for groups also who is in which."""
    lot, sizes = lot_of(tournament), sizes_of(tournament)
    if tournament.format == Tournament.Format.SWISS:
        _add_rounds(tournament, Stage.MAIN, [None] * tournament.rounds)
    elif tournament.format == Tournament.Format.ROUND_ROBIN:
        draws = round_robin.schedule(numbers, sizes, lot, cycles=tournament.cycles)
        _add_rounds(tournament, Stage.MAIN, draws)
    else:
        parts = groups.divide(numbers, group_count(tournament, len(numbers)), lot)
        for index, part in enumerate(parts):
            tournament.entrants.filter(number__in=part).update(group=index)
        _add_rounds(tournament, Stage.GROUPS, groups.schedule(parts, sizes, lot, cycles=tournament.cycles))


def group_count(tournament: Tournament, entrants: int) -> int:
    """How many groups there are: as many as wished, but none too small for a table."""
    return max(1, min(tournament.groups, entrants // tournament.players))


def plan_final(tournament: Tournament) -> bool:
    """Rounds of the final once the groups are done; False if there is none to play."""
    if tournament.format != Tournament.Format.GROUPS or _rounds(tournament, Stage.FINAL).exists():
        return False
    finalists = sorted(groups.qualified(ranking(tournament).groups, tournament.quota))
    if len(finalists) < tournament.players:
        return False
    draws = round_robin.schedule(
        finalists, sizes_of(tournament), lot_of(tournament), cycles=tournament.final_cycles, name="final"
    )
    _add_rounds(tournament, Stage.FINAL, draws)
    return True


def _rounds(tournament: Tournament, stage: str) -> Any:
    return Round.objects.filter(tournament=tournament, stage=stage)


def _add_rounds(tournament: Tournament, stage: str, draws: Sequence[Draw | None]) -> None:
    done = Round.objects.filter(tournament=tournament).count()
    begin = timezone.now()
    pace = timedelta(minutes=tournament.pace_minutes)
    Round.objects.bulk_create(
        Round(
            tournament=tournament,
            number=done + 1 + index,
            stage=stage,
            plan={"tables": draw.tables, "byes": draw.byes} if draw else {},
            starts_at=begin + pace * index if pace else None,
        )
        for index, draw in enumerate(draws)
    )


# --- Beginning a round ------------------------------------------------------------------------------------


def begin_next(tournament: Tournament, now: datetime) -> Round | None:
    """Draw and queue the next planned round, if its time has come and no other is running."""
    planned = list(tournament.schedule.exclude(state=Round.State.FINISHED).order_by("number")[:1])
    if not planned or planned[0].state == Round.State.RUNNING:
        return None
    (round_,) = planned
    if round_.starts_at is not None and now < round_.starts_at:
        return None
    field = {entrant.number: entrant for entrant in entered(tournament)}
    absent = {number: reason for number, one in field.items() if (reason := why_absent(one))}
    draw = _drawn(tournament, round_, field, absent)
    _seat(tournament, round_, draw, field)
    expected = _planned(round_) or field.keys()
    Rest.objects.bulk_create(
        [
            *(Rest(round=round_, entrant=field[number]) for number in draw.byes),
            *(
                Rest(round=round_, entrant=field[number], absent=True, reason=reason[:300])
                for number, reason in absent.items()
                if number in expected
            ),
        ]
    )
    round_.state, round_.started_at = Round.State.RUNNING, now
    round_.save(update_fields=["state", "started_at"])
    return round_


def _planned(round_: Round) -> set[int]:
    """Numbers named in a round's plan; none for a Swiss round."""
    plan = round_.plan
    return {number for table in plan.get("tables", ()) for number in table} | set(plan.get("byes", ()))


def _drawn(tournament: Tournament, round_: Round, field: dict[int, Entrant], absent: Collection[int]) -> Draw:
    """The round's draw among those who are there."""
    lot, sizes, met = lot_of(tournament), sizes_of(tournament), _meetings(tournament)
    present = field.keys() - absent
    if not round_.plan:
        order = [line.entrant for line in ranking(tournament).overall if line.entrant in present]
        byes = Counter(
            Rest.objects.filter(round__tournament=tournament, absent=False).values_list(
                "entrant__number", flat=True
            )
        )
        return swiss.draw(order, met, byes, sizes, lot, number=round_.number)
    draws = [mended(part, present, met, sizes, lot, number=round_.number) for part in _apart(round_, field)]
    return Draw(
        tuple(table for draw in draws for table in draw.tables),
        tuple(number for draw in draws for number in draw.byes),
    )


def _apart(round_: Round, field: dict[int, Entrant]) -> Iterable[Draw]:
    """A planned round by groups, so that nobody is mended into another's; whole where there are none.

    Whoever left keeps the place in the plan: its table is broken and drawn again.
    """
    everybody = {e.number: e.group for e in Entrant.objects.filter(tournament=round_.tournament_id)}
    group = everybody if round_.stage == Stage.GROUPS else dict.fromkeys(everybody)
    tables = [tuple(table) for table in round_.plan["tables"]]
    byes = [number for number in round_.plan["byes"] if number in field]
    for part in sorted(set(group.values()), key=str):
        yield Draw(
            tuple(table for table in tables if group[table[0]] == part),
            tuple(number for number in byes if group[number] == part),
        )


def _meetings(tournament: Tournament) -> Meetings:
    seats = TableSeat.objects.filter(table__round__tournament=tournament)
    tables: dict[int, list[int]] = {}
    for table, number in seats.values_list("table", "entrant__number"):
        tables.setdefault(table, []).append(number)
    return meetings(map(tuple, tables.values()))


def _seat(tournament: Tournament, round_: Round, draw: Draw, field: dict[int, Entrant]) -> None:
    """Rows of the round's tables, and their matches in the queue."""
    for index, members in enumerate(draw.tables):
        table = Table.objects.create(round=round_, number=index + 1)
        entrants = [field[number] for number in members]
        TableSeat.objects.bulk_create(
            TableSeat(table=table, index=seat, entrant=entrant) for seat, entrant in enumerate(entrants)
        )
        _queue_table(tournament, table, [version_of(entrant) for entrant in entrants])


def version_of(entrant: Entrant) -> Version:
    """The version that plays for an entrant of a tournament that has started."""
    assert entrant.version is not None
    return entrant.version


def _queue_table(tournament: Tournament, table: Table, seated: list[Version]) -> None:
    """Queue a match for each rotation; with the same cards where the tournament says so and all bots forget."""
    series = tournament.series
    assert series is not None
    series.refresh_from_db(fields=["next_number"])
    duplicate = tournament.duplicate and tournament.rotations <= len(seated) and forgetful(seated)
    block = series.next_number if duplicate else None
    for rotation in range(tournament.rotations):
        turn = rotation % len(seated)
        match = queue.enqueue(
            series=series,
            klass=Match.Class.TOURNAMENT,
            rules=_rules(tournament, len(seated)),
            clocks=clocks_of(tournament, seated),
            seats=seated[turn:] + seated[:turn],
            rated=False,
            block=block,
            rotation=rotation,
        )
        TournamentMatch.objects.create(table=table, rotation=rotation, match=match)


def _rules(tournament: Tournament, size: int) -> dict[str, Any]:
    allowed: list[dict[str, Any]] = [tournament.rules, *tournament.other_rules]
    return next(rules for rules in allowed if rules["players"] == size)


# --- What comes of its matches ----------------------------------------------------------------------------


def unsettled(tournament: Tournament) -> Any:
    """The places of matches from which something is still to come."""
    links = TournamentMatch.objects.filter(
        table__round__tournament=tournament, replaced=False, given_up=False
    )
    return links.exclude(match__state=Match.State.FINISHED)


def settle(tournament: Tournament) -> None:
    """See to matches that are void, and to those waiting for somebody who cannot play; end a round that is over."""
    leave_with_bot(tournament)
    absent = [one.pk for one in tournament.entrants.select_related("bot__owner") if why_absent(one)]
    waiting = Q(
        match__state=Match.State.QUEUED,
        table__in=TableSeat.objects.filter(entrant__in=absent).values("table"),
    )
    links = unsettled(tournament).filter(waiting | Q(match__state__in=(Match.State.VOID, Match.State.FAILED)))
    for link in links.select_for_update(of=("self",)).select_related("match", "table").order_by("pk"):
        _settle(tournament, link)
    open_rounds = unsettled(tournament).values("table__round")
    over = tournament.schedule.filter(state=Round.State.RUNNING).exclude(pk__in=open_rounds)
    over.update(state=Round.State.FINISHED, finished_at=timezone.now())


def _settle(tournament: Tournament, link: TournamentMatch) -> None:
    match = Match.objects.select_for_update().get(pk=link.match_id)
    seats = list(link.table.seats.select_related("entrant__bot__owner"))
    absent = [seat for seat in seats if why_absent(seat.entrant)]
    if match.state == Match.State.QUEUED and absent:
        who = ", ".join(seat.entrant.bot.name for seat in absent)
        match = results.void(match, reason=f"{who} cannot play")
    if match.state not in (Match.State.VOID, Match.State.FAILED):
        return
    tried = link.table.matches.filter(rotation=link.rotation).count()
    repeated = None if absent else _repeated(match)
    if repeated is None and not absent and tried <= tournament.repeats:
        repeated = results.repeat(match, reason=match.reason)
    if repeated is not None:
        replace(link, repeated)
        return
    link.given_up = True
    link.save(update_fields=["given_up"])
    at_fault = {seat.pk for seat in absent} or _refused(match, seats)
    for seat in seats:
        if seat.pk in at_fault:
            seat.lost += 1
            seat.save(update_fields=["lost"])


def replace(link: TournamentMatch, match: Match) -> TournamentMatch:
    """Let ``match`` count in place of a void one."""
    link.replaced = True
    link.save(update_fields=["replaced"])
    return TournamentMatch.objects.create(table_id=link.table_id, rotation=link.rotation, match=match)


def _repeated(match: Match) -> Match | None:
    """The match that an operator had played for a void one, by the queue's own verb."""
    versions = list(match.seats.order_by("index").values_list("version", flat=True))
    candidates = Match.objects.filter(
        series=match.series_id, rotation=match.rotation, pk__gt=match.pk, tournament_match__isnull=True
    )
    for found in candidates.order_by("pk"):
        if list(found.seats.order_by("index").values_list("version", flat=True)) == versions:
            return found
    return None


def _refused(match: Match, seats: Sequence[TableSeat]) -> set[int]:
    """Rows of the seats whose bots did not start or would not play: the one with a log in a refused attempt."""
    refused = match.attempts.filter(number=match.attempt, outcome=MatchAttempt.Outcome.REFUSED)
    if not refused.exists():
        return set()
    logs = SeatLog.objects.filter(match=match, attempt=match.attempt).values("seat")
    versions = set(match.seats.filter(index__in=logs).values_list("version", flat=True))
    return {seat.pk for seat in seats if seat.entrant.version_id in versions}
