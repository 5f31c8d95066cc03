"""The append-only rating log of a pool: finished rated matches are picked up and rated, each at most once.

One lock a pool (its row), a gap-free ``seq``, a hash chain, and the rating rows in the same transaction
(ratings.md, "The log"). What the numbers are is said in :mod:`ladder.replay`; here they meet the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Prefetch
from django.utils import timezone
from django.utils.translation import gettext

from botapi.errors import DomainError
from botapi.models import Version
from games import alarms, streams
from games.models import Match, Seat
from ladder import boards
from ladder.models import Pool, Rating, RatingEvent, RatingPoint, UnratedMatch
from ladder.pair_tallies import PairSums
from ladder.ratings import ALGORITHM, State
from ladder.replay import (
    REBASE_EVERY,
    States,
    canonical,
    chained,
    match_payload,
    rebase_payload,
    version_payload,
    void_payload,
    without,
)

BATCH: Final = 200
"""Most matches rated in one transaction."""

REASON_CHARS: Final = 300

LATE: Final = 1000
"""A result may be committed after others with a higher finish number, but not after this many."""


class Unratable(Exception):  # noqa: N818 - a fact about a match
    """A finished match from which no rating follows; the text says why."""


def rate_finished(pool: Pool) -> int:
    """Rate the finished matches of ``pool`` that have no event yet, withdraw those now void; how many.

    One that cannot be rated is noted (:class:`UnratedMatch`) with an alarm, and those after it are rated.
    """
    done = 0
    while True:
        with transaction.atomic():
            log = _Log(pool)
            matches = list(_unrated(log.pool)[:BATCH])
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


def _rate_or_note(log: _Log, match: Match) -> UnratedMatch | None:
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
        log = _Log(unrated.pool)
        if not UnratedMatch.objects.filter(pk=unrated.pk).delete()[0]:
            return
        match = _with_seats(Match.objects.filter(pk=unrated.match_id)).get()
        if match.state == Match.State.FINISHED:
            try:
                log.rate(match)
            except Unratable as why:
                raise DomainError("unratable", f"It cannot be rated still: {why}.", 409) from why
        log.close()


def enter_versions(pool: Pool, versions: Iterable[Version]) -> None:
    """Give each version not yet in ``pool`` its first state, carried from the bot's one before."""
    wanted = list(versions)
    if set(pool.ratings.values_list("version_id", flat=True)) >= {version.pk for version in wanted}:
        return
    with transaction.atomic():
        log = _Log(pool)
        for version in wanted:
            log.enter(version)
        log.close()


def publish_board(pool: Pool) -> bool:
    """Fit the board of all results so far and set the live state on it; False when nothing is new since the last.

    The entry that this appends to the log is the publication: see :mod:`ladder.published`.
    """
    with transaction.atomic():
        log = _Log(pool)
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
        log = _Log(event.pool)
        if log.pool.events.filter(kind=RatingEvent.Kind.VOID, match_id=event.match_id).exists():
            raise DomainError("void_already", gettext("The rating of this match is withdrawn already."), 409)
        log.void(event, reason)
        log.close()


def _unrated(pool: Pool) -> Any:
    """Finished rated matches without an event, in commit order, seats with them.

    Only matches not far behind the latest rated one are looked at: the whole history need not be searched
    each time.
    """
    events = RatingEvent.objects.filter(pool=pool, kind=RatingEvent.Kind.MATCH)
    latest = events.order_by("-seq").values_list("match__finish_seq", flat=True)[:50]
    floor = max((seq or 0 for seq in latest), default=0) - LATE
    unrated = (
        Match.objects.filter(
            series=pool.season.series_id,
            rated=True,
            state=Match.State.FINISHED,
            rules_hash=pool.rules_hash,
            players=pool.players,
            finish_seq__gt=floor,
        )
        .exclude(Exists(events.filter(match=OuterRef("pk"))))
        .exclude(Exists(UnratedMatch.objects.filter(pool=pool, match=OuterRef("pk"))))
        .order_by("finish_seq")
    )
    return _with_seats(unrated)


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


class _Log:
    """The log of one pool under its lock: made inside a transaction, closed at its end."""

    def __init__(self, pool: Pool) -> None:
        self.pool = Pool.objects.select_for_update().select_related(None).get(pk=pool.pk)
        self.rows: dict[int, Rating] = {}
        self.points: list[RatingPoint] = []
        self.pairs = PairSums()
        self.now = timezone.now()
        self._since_rebase: int | None = None
        self._appended = False

    def rate(self, match: Match) -> None:
        """Append the event of a finished match, and a rebase when one is due. Raises Unratable."""
        seats = [seat for seat in match.seats.all() if seat.version_id is not None and seat.place is not None]
        if len(seats) < 2 or len({seat.version_id for seat in seats}) < len(seats):
            raise Unratable("it needs two or more versions, each once, with places")
        self._load([seat.version_id for seat in seats if seat.version_id is not None])
        for seat in seats:
            if seat.version is not None:
                self.enter(seat.version)
        table = [(seat.version_id or 0, seat.place or 0) for seat in seats]
        try:
            payload = match_payload(self._states([version for version, _ in table]), table, match.pk)
        except (ValueError, ArithmeticError) as error:
            raise Unratable(f"no rating follows from it: {error}"[:REASON_CHARS]) from error
        self._append(payload, match.pk)
        for seat in seats:
            tally(self.rows[seat.version_id or 0], seat, match.deals, 1)
        self.pairs.add(seats, self.pool.players)
        if self._matches_since_rebase() >= REBASE_EVERY:
            self.rebase()

    def enter(self, version: Version) -> None:
        """Append the event of a version's first state, unless it has one."""
        self._load([version.pk])
        if version.pk in self.rows:
            return
        earlier = Rating.objects.filter(pool=self.pool, version__bot=version.bot_id).exclude(version=version)
        previous = earlier.order_by("-updated_seq").values_list("version_id", flat=True).first()
        states = self._states([] if previous is None else [previous])
        self._append(version_payload(states, version.pk, version.bot_id, previous), None)

    def void(self, event: RatingEvent, reason: str) -> None:
        """Append a void of ``event`` (a match's) and replay the log without it."""
        match = Match.objects.prefetch_related("seats").get(rating_events=event)
        self._flush()
        events = [
            json.loads(text) for text in self.pool.events.order_by("seq").values_list("payload", flat=True)
        ]
        voided = {past["voids"] for past in events if past["kind"] == "void"} | {event.seq}
        replayed = without(events, voided)
        states = self._states(replayed)
        self._append(void_payload(states, replayed, match.pk, event.seq, reason), match.pk)
        for seat in match.seats.all():
            if seat.version_id in self.rows:
                tally(self.rows[seat.version_id], seat, match.deals, -1)
        self.pairs.add(match.seats.all(), self.pool.players, -1)

    def rebase(self) -> None:
        """Set the live state on the published board of all matches so far."""
        self._flush()
        board = boards.fit_pool(self.pool)
        on_board = {entry.version: (entry.r, entry.sd) for entry in board.entries if entry.joined}
        if on_board:
            self._append(rebase_payload(self._states(on_board), on_board, self.pool.last_sha256), None)
        self._since_rebase = 0

    def close(self) -> None:
        """Write the rating rows and the head of the log."""
        self._flush()
        self.pool.save(update_fields=["last_seq", "last_sha256"])
        if self._appended:
            told = {"pool": self.pool.pk, "seq": self.pool.last_seq}
            streams.publish_on_commit(f"ladder:{self.pool.pk}", told, keep_s=60)

    def _append(self, body: dict[str, Any], match: int | None) -> None:
        self.pool.last_seq += 1
        self._appended = True
        text = canonical({"seq": self.pool.last_seq, "algorithm": ALGORITHM, **body})
        self.pool.last_sha256 = chained(self.pool.last_sha256, text)
        event = RatingEvent.objects.create(
            pool=self.pool,
            seq=self.pool.last_seq,
            kind=body["kind"],
            match_id=match,
            payload=text,
            algorithm=ALGORITHM,
            sha256=self.pool.last_sha256,
        )
        if body["kind"] == "match" and self._since_rebase is not None:
            self._since_rebase += 1
        for version, r, v, n in body["states"]:
            row = self.rows.get(version) or Rating(pool=self.pool, version_id=version)
            row.r, row.v, row.n, row.updated_seq = _exact(r), _exact(v), n, self.pool.last_seq
            self.rows[version] = row
            self.points.append(
                RatingPoint(
                    event=event, pool=self.pool, version_id=version, r=row.r, v=row.v, n=n, at=self.now
                )
            )

    def _states(self, versions: Iterable[int]) -> States:
        wanted = list(versions)
        self._load(wanted)
        return {version: state_of(self.rows[version]) for version in wanted}

    def _load(self, versions: Iterable[int]) -> None:
        """Fetch the rows of those versions that have one and are not at hand."""
        missing = [version for version in versions if version not in self.rows]
        for row in Rating.objects.filter(pool=self.pool, version__in=missing) if missing else ():
            self.rows[row.version_id] = row

    def has_news(self) -> bool:
        """Whether a match was rated or withdrawn since the last board."""
        kinds = (RatingEvent.Kind.MATCH, RatingEvent.Kind.VOID)
        return self.pool.events.filter(kind__in=kinds, seq__gt=self._last_rebase()).exists()

    def _last_rebase(self) -> int:
        rebases = self.pool.events.filter(kind=RatingEvent.Kind.REBASE)
        return rebases.aggregate(last=Max("seq"))["last"] or 0

    def _matches_since_rebase(self) -> int:
        if self._since_rebase is None:
            last = self._last_rebase()
            self._since_rebase = self.pool.events.filter(kind=RatingEvent.Kind.MATCH, seq__gt=last).count()
        return self._since_rebase

    def _flush(self) -> None:
        fields = ["r", "v", "n", "updated_seq", "places", "deals", "points", "declared", "made", "faults"]
        Rating.objects.bulk_create([row for row in self.rows.values() if row.pk is None])
        Rating.objects.bulk_update([row for row in self.rows.values() if row.pk is not None], fields)
        RatingPoint.objects.bulk_create(self.points)
        self.points = []
        self.pairs.write(self.pool)


def state_of(row: Rating) -> State:
    """The live state in a rating row; exact, since both sides have 6 decimals."""
    return State(float(row.r), float(row.v), row.n)


def _exact(value: float) -> Decimal:
    return Decimal(f"{value:.6f}")


def tally(row: Rating, seat: Seat, deals: int, times: int) -> None:
    """Add what a match says of a seat to the sums shown on the ladder page (``times=-1`` takes it back)."""
    place = seat.place or 1
    places: list[int] = list(row.places) + [0] * (place - len(row.places))
    places[place - 1] += times
    row.places = places
    row.deals += times * deals
    row.points += times * (seat.total or 0)
    row.declared += times * seat.deals_declared
    row.made += times * seat.deals_made
    row.faults += times * seat.faults
