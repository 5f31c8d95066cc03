"""Tournaments: made, opened for registration, started, moved on by beat, published with their podium.

Cards and lot follow from the secret of the tournament's series, committed when registration opens: the lot,
which decides every draw and every last tie, is published at the start, the secret at the publication.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop, ngettext

from botapi.errors import DomainError
from engine import PRESETS, EngineError, RuleSet
from games import queue, results
from games.models import Match, Series
from ladder import rounds
from ladder.formats.lots import published_lot
from ladder.phases import (
    close_series,
    locked,
    locked_if_free,
    move_on,
    publish_result,
    start_in_time,
    step,
)
from ladder.registration import entered, ready_version
from ladder.seasons import default_clocks
from ladder.tournament_models import Entrant, Tournament, TournamentMatch
from ladder.tournament_queries import result_lines

CANCELLED: Final = "the tournament was cancelled"
Phase = Tournament.Phase


def create_tournament(
    slug: str,
    *,
    name: str,
    ruleset: RuleSet,
    other_rules: Sequence[RuleSet] = (),
    clocks: Mapping[str, Mapping[str, int]] | None = None,
    **properties: Any,
) -> Tournament:
    """A draft; ``properties`` are fields of Tournament. DomainError ``bad_tournament`` when they do not fit."""
    made = Tournament(
        slug=slug,
        name=name,
        rules=ruleset.to_json(),
        other_rules=[rules.to_json() for rules in other_rules],
        players=ruleset.players,
        clocks=clocks or default_clocks(),
        **properties,
    )
    problem = why_impossible(made)
    if problem:
        raise DomainError("bad_tournament", problem)
    made.save(force_insert=True)
    return made


def read_rules(given: object) -> RuleSet:
    """Rules by the name of a preset or in record form; DomainError ``bad_rules``."""
    try:
        if isinstance(given, str):
            return PRESETS[given]
        return RuleSet.from_json(dict(given))  # type: ignore[call-overload] # what is no mapping is refused
    except (EngineError, KeyError, TypeError, ValueError) as error:
        message = gettext("Name a preset or give possible rules: %(why)s") % {"why": error}
        raise DomainError("bad_rules", message) from None


def why_impossible(tournament: Tournament) -> str:
    """Why this cannot be played, as a sentence; empty when it can."""
    sizes = [rules["players"] for rules in tournament.other_rules]
    if len({tournament.players, *sizes}) <= len(sizes):
        return gettext("Name one rule set for each size of table.")
    if not 1 <= tournament.rotations <= 4:
        return gettext("A table plays 1 to 4 rotations.")
    if not tournament.players <= tournament.min_entrants <= tournament.max_entrants:
        words = gettext(
            "There are at least %(players)d entrants, a table, and no more than the greatest number."
        )
        return words % {"players": tournament.players}
    numbers = (
        tournament.cycles,
        tournament.rounds,
        tournament.groups,
        tournament.quota,
        tournament.final_cycles,
        tournament.per_author,
    )
    if min(numbers) < 1 or max(numbers) > 100:
        return gettext("Cycles, rounds, groups, finalists and entries are 1 to 100.")
    return ""


@transaction.atomic
def open_registration(tournament: Tournament) -> Tournament:
    """Show it to everybody, commit its secret, take entries. DomainError ``wrong_phase``."""
    found = locked(tournament)
    if found.series is None:
        found.series = queue.open_series(Series.Kind.TOURNAMENT, f"tournament {found.slug}")
    return step(found, Phase.REGISTRATION)


@transaction.atomic
def start(tournament: Tournament) -> Tournament:
    """Fix the entrants' versions, publish the lot, plan the first stage. Beat begins the first round.

    DomainError: ``wrong_phase``, ``too_few``.
    """
    found = locked(tournament)
    ready = _with_versions(found)
    if found.phase == Phase.REGISTRATION and len(ready) < found.min_entrants:
        words = ngettext(
            "%(ready)d entrant is ready; %(needed)d are needed.",
            "%(ready)d entrants are ready; %(needed)d are needed.",
            len(ready),
        )
        raise DomainError("too_few", words % {"ready": len(ready), "needed": found.min_entrants}, 409)
    if found.series is not None:
        found.lot = published_lot(bytes(found.series.secret)).seed.hex()
    step(found, Phase.RUNNING)
    rounds.plan_first_stage(found, [entrant.number for entrant in ready])
    return found


def _with_versions(tournament: Tournament) -> list[Entrant]:
    """The entrants with the versions they play to the end; without one there is no place in the draw."""
    ready = []
    for entrant in entered(tournament):
        entrant.version = ready_version(entrant.bot)
        if entrant.version is None:
            entrant.state, entrant.left_at = Entrant.State.EXCLUDED, timezone.now()
            entrant.reason = gettext_noop("no version had passed its check at the start")
        else:
            ready.append(entrant)
        entrant.save(update_fields=["version", "state", "reason", "left_at"])
    return ready


@transaction.atomic
def advance(tournament: Tournament) -> None:
    """Do what is due: start, settle matches, end and begin rounds, finish, publish. Beat calls it.

    Safe to call at any time and by two at once: whoever finds the row locked has nothing to do.
    """
    found = locked_if_free(tournament)
    now = timezone.now()
    if found is None:
        return
    if found.phase == Phase.REGISTRATION and found.starts_at is not None and found.starts_at <= now:
        found = start_in_time(found, start, cancel)
    if found.phase not in (Phase.RUNNING, Phase.FINISHED) or found.published_at is not None:
        return
    rounds.settle(found)
    if found.phase == Phase.RUNNING and rounds.begin_next(found, now) is None:
        _finish_if_over(found)
    if found.phase == Phase.FINISHED and found.finished_at is not None:
        due = found.finished_at + timedelta(hours=found.objection_hours) <= timezone.now()
        if due and not rounds.unsettled(found).exists():
            publish(found)


def _finish_if_over(tournament: Tournament) -> None:
    if tournament.schedule.exclude(state="finished").exists() or rounds.unsettled(tournament).exists():
        return
    if not rounds.plan_final(tournament):
        step(tournament, Phase.FINISHED)


def advance_all() -> int:
    """Move every tournament on that is under way; how many. One that fails leaves the others alone."""
    return move_on(Tournament, advance)


@transaction.atomic
def cancel(tournament: Tournament, *, reason: str = "") -> Tournament:
    """End it without a result: open matches are void, the secret may be revealed. DomainError ``wrong_phase``."""
    found = step(locked(tournament), Phase.CANCELLED, reason)
    for link in rounds.unsettled(found).filter(match__state__in=queue.OPEN_STATES).select_related("match"):
        results.void(link.match, reason=CANCELLED)
    close_series(found)
    return found


@transaction.atomic
def void_match(link: TournamentMatch, *, reason: str, again: bool = False) -> Match:
    """Declare a match of a tournament void; the standings follow. With ``again`` another plays for it.

    Without, it counts for each of its table as the average of their own matches. DomainError: ``published``,
    ``void_already``, ``queued_already``.
    """
    tournament = locked(link.table.round.tournament)
    if tournament.published_at is not None or tournament.phase == Phase.CANCELLED:
        message = gettext("The result of %(name)s stands.") % {"name": tournament.name}
        raise DomainError("published", message, 409)
    link = TournamentMatch.objects.select_for_update(of=("self",)).select_related("match").get(pk=link.pk)
    if link.replaced:
        message = gettext("Match %(match)s was replaced by another.") % {"match": link.match_id}
        raise DomainError("void_already", message, 409)
    if again:
        match = results.repeat(link.match, reason=reason)
        if match.pk != link.match_id:
            rounds.replace(link, match)
        return match
    match = results.void(link.match, reason=reason)
    link.given_up = True
    link.save(update_fields=["given_up"])
    return match


@transaction.atomic
def publish(tournament: Tournament) -> Tournament:
    """Keep the standings as they are for good and reveal the secret. DomainError: ``not_over``, ``published``."""
    found = locked(tournament)
    if found.published_at is not None:
        message = gettext("The result of %(name)s was published.") % {"name": found.name}
        raise DomainError("published", message, 409)
    if found.phase != Phase.FINISHED or rounds.unsettled(found).exists():
        raise DomainError("not_over", gettext("%(name)s is not over.") % {"name": found.name}, 409)
    return publish_result(found, result_lines(found))
