"""The rows of a made history (:mod:`ladder.filling`) and the rating log that follows from them, written by COPY."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from django.db import connection
from django.db.models import Max
from django.utils import timezone

from botapi.models import Version
from engine import RuleSet
from games.models import Match, MatchAttempt, MatchRecord, Seat, Series
from ladder import boards
from ladder.copying import Lines, text
from ladder.models import Rating, RatingEvent, RatingPoint, Season
from ladder.open_log import tally
from ladder.pair_tallies import PairSums
from ladder.play_models import PlayCount, PlayTally
from ladder.play_tally import PlayTally as Tally
from ladder.queries import pool_of
from ladder.ratings import ALGORITHM
from ladder.replay import (
    States,
    canonical,
    chained,
    match_payload,
    rebase_payload,
    settle,
    version_payload,
)
from ladder.self_played import PlayedTable

REBASES: Final = 4
"""Boards in a made history, the last one at its end. A lived one has a board every 500 matches, and fitting that of
300 bots takes seconds, whatever the number of matches."""
SPAN: Final = timedelta(days=120)
"""The time over which the matches are laid out, up to now."""
CHUNK: Final = 2000
"""Matches kept in memory."""


class History:
    """Rows on their way into the database, and the rating log that follows from them."""

    def __init__(self, season: Season, field: dict[str, list[Version]], matches: int, bots: int) -> None:
        found = pool_of(season)
        assert found is not None
        assert season.series is not None
        self.pool, self.series = found, season.series
        versions = sorted((v for group in field.values() for v in group), key=lambda version: version.pk)
        self.rows = {version.pk: Rating(pool=self.pool, version=version) for version in versions}
        self.states: States = {}
        self.pairs = PairSums()
        self.sat = {version.pk: Counter[tuple[int, int]]() for version in versions}
        self.matches = matches
        self.now = timezone.now()
        self.first_match = _reserve(Match, matches)
        self.finish_seq = (Match.objects.aggregate(last=Max("finish_seq"))["last"] or 0) + 1
        self.next_event = _reserve(RatingEvent, matches + bots + REBASES)
        self._lines(season)
        for version in versions:
            self._append(version_payload(self.states, version.pk, version.bot_id, None), None, self._when(0))

    def _lines(self, season: Season) -> None:
        rules = RuleSet.from_json(season.rules)
        self.match_lines = Lines(
            Match,
            *(
                "id",
                "number",
                "block",
                "rotation",
                "finish_seq",
                "deals",
                "decisions",
                "seconds",
                "end_reason",
            ),
            *("created_at", "started_at", "finished_at", "woken_at"),
            series=self.series,
            klass=Match.Class.LADDER,
            rated=True,
            rules=season.rules,
            rules_name=rules.name,
            rules_hash=rules.hash,
            players=rules.players,
            clocks=season.clocks["sandbox"],
            state=Match.State.FINISHED,
            attempt=1,
        )
        self.seat_lines = Lines(
            Seat,
            *("match_id", "index", "version_id", "name", "total", "rank", "place"),
            *("deals_declared", "deals_made"),
        )
        self.attempt_lines = Lines(
            MatchAttempt,
            *("match_id", "seed_sha256", "deal", "started_at", "ended_at"),
            number=1,
            outcome=MatchAttempt.Outcome.FINISHED,
        )
        self.record_lines = Lines(MatchRecord, "match_id", "body", "sha256")
        self.event_lines = Lines(
            RatingEvent,
            *("id", "seq", "kind", "match_id", "payload", "sha256", "created_at"),
            pool=self.pool,
            algorithm=ALGORITHM,
        )
        self.point_lines = Lines(RatingPoint, "event_id", "version_id", "r", "v", "n", "at", pool=self.pool)

    def add(self, number: int, table: PlayedTable, rotation: int, seated: Sequence[Version]) -> None:
        """Match ``number`` (from 0): ``seated`` at ``table``, the block's table number ``rotation``."""
        match, when = self.first_match + number, self._when(number)
        self.match_lines.add(
            *(
                match,
                number + 1,
                table.block,
                rotation,
                self.finish_seq + number,
                table.deals,
                table.decisions,
            ),
            *(f"{table.seconds:.3f}", table.reason, when, when, when, when),
        )
        names = [version.bot.name for version in seated]
        for seat, version, name in zip(table.seats, seated, names, strict=True):
            seat.version_id = version.pk
            self.sat[version.pk][table.block, seat.index] += 1
            self.seat_lines.add(
                *(match, seat.index, version.pk, name, seat.total, seat.rank, seat.place),
                *(seat.deals_declared, seat.deals_made),
            )
        body = table.body(match, names)
        self.record_lines.add(match, text(body), hashlib.sha256(body.encode()).hexdigest())
        self.attempt_lines.add(match, table.seed_sha256, table.deals - 1, when, when)
        places = [(seat.version_id or 0, seat.place or 0) for seat in table.seats]
        self._append(match_payload(self.states, places, match), match, when)
        for seat in table.seats:
            tally(self.rows[seat.version_id or 0], seat, table.deals, 1)
        self.pairs.add(table.seats, len(table.seats))
        if (number + 1) * REBASES // self.matches > number * REBASES // self.matches:
            self._rebase(when)
        elif number % CHUNK == 0:
            self._write()

    def close(self, tables: Sequence[PlayedTable]) -> None:
        """Write the rest, the ratings and the heads of series and log."""
        for version, row in self.rows.items():
            state = self.states[version]
            row.r, row.v, row.n = _exact(state.r), _exact(state.v), state.n
        Rating.objects.bulk_create(self.rows.values())
        self._write()
        self.pairs.write(self.pool)
        self._write_play({table.block: table for table in tables})
        self.pool.save(update_fields=["last_seq", "last_sha256"])
        Series.objects.filter(pk=self.series.pk).update(next_number=max(self.matches, len(tables)) + 1)

    def _write_play(self, tables: dict[int, PlayedTable]) -> None:
        """How each version played, which :mod:`ladder.play_counting` would count from the records."""
        rows = []
        for version, sat in self.sat.items():
            tally = Tally()
            for (block, index), times in sat.items():
                tally.add(tables[block].play[index], times=times)
            rows.append(PlayTally(pool=self.pool, version_id=version, counts=tally.to_json()))
        PlayTally.objects.bulk_create(rows)
        PlayCount.objects.create(pool=self.pool, seq=self.pool.last_seq)

    def _append(self, body: dict[str, Any], match: int | None, when: str) -> None:
        """The next event of the log, as :mod:`ladder.rating_log` appends it."""
        self.pool.last_seq += 1
        payload = canonical({"seq": self.pool.last_seq, "algorithm": ALGORITHM, **body})
        self.pool.last_sha256 = chained(self.pool.last_sha256, payload)
        event = self.next_event
        self.next_event += 1
        self.event_lines.add(
            *(
                event,
                self.pool.last_seq,
                body["kind"],
                text(match),
                text(payload),
                self.pool.last_sha256,
                when,
            )
        )
        settle(self.states, body["states"])
        for version, r, v, n in body["states"]:
            self.rows[version].updated_seq = self.pool.last_seq
            self.point_lines.add(event, version, f"{r:.6f}", f"{v:.6f}", n, when)

    def _rebase(self, when: str) -> None:
        self._write()
        self.pairs.write(self.pool)
        board = boards.fit_pool(self.pool)
        on_board = {entry.version: (entry.r, entry.sd) for entry in board.entries if entry.joined}
        self._append(rebase_payload(self.states, on_board, self.pool.last_sha256), None, when)

    def _write(self) -> None:
        for lines in (self.match_lines, self.seat_lines, self.attempt_lines, self.record_lines):
            lines.write()
        self.event_lines.write()
        self.point_lines.write()

    def _when(self, number: int) -> str:
        return text(self.now - SPAN * (1 - (number + 1) / self.matches))


def _reserve(model: type[Match | RatingEvent], count: int) -> int:
    """The first of ``count`` keys that nobody else will get."""
    table = model._meta.db_table  # noqa: SLF001 - Django documents it
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id'))", [table])
        first: int = cursor.fetchone()[0]
        cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, first + count - 1])
    return first


def _exact(value: float) -> Decimal:
    return Decimal(f"{value:.6f}")
