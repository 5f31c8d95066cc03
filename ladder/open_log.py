"""The rating log of one pool under its lock: entries appended, with the rating rows, points and pair tallies of each.

What the numbers are is said in :mod:`ladder.replay`; here they meet the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext_noop

from botapi.models import Version
from games import streams
from games.models import Match, Seat
from ladder import boards
from ladder.models import Pool, Rating, RatingEvent, RatingPoint
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

REASON_CHARS: Final = 300


class Unratable(Exception):  # noqa: N818 - a fact about a match
    """A finished match from which no rating follows; the text says why."""


class OpenLog:
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
            raise Unratable(gettext_noop("it needs two or more versions, each once, with places"))
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
