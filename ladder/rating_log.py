"""The append-only rating log of a pool: finished rated matches are picked up and rated, each at most once.

One lock a pool (its row), a gap-free ``seq``, a hash chain, and the rating rows in the same transaction
(ratings.md, "The log"): :mod:`ladder.open_log`. Here stands what is entered, and when.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Version
from botapi.state_reasons import told
from games import alarms
from games.models import Match, Seat
from ladder.models import Pool, RatingEvent, UnratedMatch
from ladder.open_log import OpenLog, Unratable

BATCH: Final = 200
"""Most matches rated in one transaction."""

LATE: Final = 1000
"""A result may be committed after others with a higher finish number, but not after this many."""

_UNRATED: Final = """
WITH late AS MATERIALIZED (
    SELECT id, finish_seq FROM games_match WHERE series_id = %(series)s AND rated AND state = 'finished'
        AND rules_hash = %(rules_hash)s AND players = %(players)s AND finish_seq > %(floor)s
)
SELECT * FROM games_match WHERE id = ANY (ARRAY(
    SELECT id FROM late
    WHERE id NOT IN (SELECT match_id FROM ladder_ratingevent
            WHERE pool_id = %(pool)s AND kind = 'match' AND match_id = ANY (ARRAY(SELECT id FROM late)))
        AND NOT EXISTS (SELECT 1 FROM ladder_unratedmatch WHERE pool_id = %(pool)s AND match_id = late.id)
    ORDER BY finish_seq LIMIT %(batch)s
)) ORDER BY finish_seq
"""
"""Of the LATE matches, nearly all rated, numbers alone are compared: their rows are wide."""


def rate_finished(pool: Pool) -> int:
    """Rate the finished matches of ``pool`` that have no event yet, withdraw those now void; how many.

    One that cannot be rated is noted (:class:`UnratedMatch`) with an alarm, and those after it are rated.
    """
    done = 0
    while True:
        with transaction.atomic():
            log = OpenLog(pool)
            matches = list(_unrated(log.pool))
            passed_over = [unrated for match in matches if (unrated := _rate_or_note(log, match))]
            withdrawn = list(_withdrawn(log.pool))
            for event in withdrawn:
                log.void(event, event.match.reason if event.match else "")
            log.close()
        for unrated in passed_over:
            alarms.alarm(
                f"match {unrated.match_id} cannot be rated",
                f"It stays without a rating in {pool}: {unrated.reason}. The matches after it are rated. Declare it "
                "void, or mend it and let it be tried again in the admin site.",
            )
        done += len(matches) - len(passed_over) + len(withdrawn)
        if len(matches) < BATCH:
            return done


def _rate_or_note(log: OpenLog, match: Match) -> UnratedMatch | None:
    try:
        log.rate(match)
    except Unratable as why:
        return UnratedMatch.objects.create(pool=log.pool, match=match, reason=str(why))
    return None


def try_again(unrated: UnratedMatch) -> None:
    """Rate a match that could not be rated, however long ago it ended, and forget the note.

    One that was declared void meanwhile needs no rating. Raises DomainError ``unratable``; then the note stays.
    """
    with transaction.atomic():
        log = OpenLog(unrated.pool)
        if not UnratedMatch.objects.filter(pk=unrated.pk).delete()[0]:
            return
        match = _with_seats(Match.objects.filter(pk=unrated.match_id)).get()
        if match.state == Match.State.FINISHED:
            try:
                log.rate(match)
            except Unratable as why:
                message = gettext("It cannot be rated still: %(why)s.") % {"why": told(str(why))}
                raise DomainError("unratable", message, 409) from why
        log.close()


def enter_versions(pool: Pool, versions: Iterable[Version]) -> None:
    """Give each version not yet in ``pool`` its first state, carried from the bot's one before."""
    wanted = list(versions)
    if set(pool.ratings.values_list("version_id", flat=True)) >= {version.pk for version in wanted}:
        return
    with transaction.atomic():
        log = OpenLog(pool)
        for version in wanted:
            log.enter(version)
        log.close()


def publish_board(pool: Pool) -> bool:
    """Fit the board of all results so far and set the live state on it; False when nothing is new since the last.

    The entry that this appends to the log is the publication: see :mod:`ladder.published`.
    """
    with transaction.atomic():
        log = OpenLog(pool)
        if not log.has_news():
            return False
        log.rebase()
        log.close()
    return True


def void_rating(event: RatingEvent, reason: str) -> None:
    """Withdraw a rated match: append a void and set the states as if it had not been.

    Raises DomainError when the event rated no match (``not_a_match``) or is void already (``void_already``).
    """
    if event.kind != RatingEvent.Kind.MATCH or event.match_id is None:
        raise DomainError("not_a_match", gettext("Only the rating of a match can be withdrawn."), 409)
    with transaction.atomic():
        log = OpenLog(event.pool)
        if log.pool.events.filter(kind=RatingEvent.Kind.VOID, match_id=event.match_id).exists():
            raise DomainError("void_already", gettext("The rating of this match is withdrawn already."), 409)
        log.void(event, reason)
        log.close()


def _unrated(pool: Pool) -> Any:
    """Finished rated matches without an event, in commit order, seats with them; at most BATCH.

    Only matches not far behind the latest rated one are looked at: the whole history need not be searched
    each time.
    """
    events = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.MATCH)
    latest = events.order_by("-seq").values_list("match__finish_seq", flat=True)[:50]
    floor = max((seq or 0 for seq in latest), default=0) - LATE
    sought = {
        "pool": pool.pk,
        "series": pool.season.series_id,
        "rules_hash": pool.rules_hash,
        "players": pool.players,
        "floor": floor,
        "batch": BATCH,
    }
    return _with_seats(Match.objects.raw(_UNRATED, sought))


def _with_seats(matches: Any) -> Any:
    return matches.prefetch_related(
        Prefetch("seats", Seat.objects.select_related("version").order_by("index"))
    )


def _withdrawn(pool: Pool) -> Any:
    """Events of matches that were declared void after they had been rated."""
    voids = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.VOID, match=OuterRef("match"))
    return (
        RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.MATCH, match__state=Match.State.VOID)
        .exclude(Exists(voids))
        .select_related("match")
        .order_by("seq")
    )
