"""How the deals of a table went so far, for the people at it: what each scored and why, never whose cards were what.

The deals that are over are played again from the table's journal, or from its record once there is one. What leaves this
module is built from an allow-list of numbers and of words about a seat's own score (:mod:`games.deal_words`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.core.cache import cache
from django.utils.translation import get_language

from engine import Game, RuleSet
from engine.deal import Deal
from engine.record import replay
from games import queries, queue
from games.deal_words import Bookkeeper, ResultRow
from games.models import Match
from games.people_models import JournalEntry

KEEP_S: Final = 6 * 3600
TOLD: Final = (Match.Class.PEOPLE, Match.Class.EVENT)
"""Tables at which people sit: what was scored there, all at the table have seen."""


@dataclass(frozen=True)
class SheetRow:
    """A line of the score sheet: ``made`` is None where nobody played for a contract, ``own`` the reader's contract."""

    number: int
    declarer: str
    own: bool
    contract: int | None
    made: bool | None
    conceded: bool
    void: bool
    scores: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True)
class DealResults:
    """The last deal in words, a row a seat, and the score sheet of all deals, the newest first."""

    last: SheetRow
    rows: tuple[ResultRow, ...]
    sheet: tuple[SheetRow, ...]


def results(match_id: int, deals: int, names: Sequence[str], you: int) -> DealResults | None:
    """How the first ``deals`` deals of a match with people went; None where there are none or they cannot be told yet.

    ``names`` are as the reader at seat ``you`` sees them. Played again once a deal, seat and language, then kept.
    """
    if deals <= 0:
        return None
    key = f"table-results:{match_id}:{deals}:{you}:{get_language()}"
    found: DealResults | None = cache.get(key)
    if found is None:
        game = _game(match_id, deals)
        found = told(game, names, deals, you) if game is not None and game.finished else None
        if found is not None:
            cache.set(key, found, KEEP_S)
    return found


def told(game: Game, names: Sequence[str], deals: int, you: int) -> DealResults:
    """The results of the first ``deals`` deals of ``game``, at least one and all of them over."""
    book = Bookkeeper(game.ruleset, names)
    sheet = []
    rows: tuple[ResultRow, ...] = ()
    for (deal, scores, totals), written in zip(game.finished[:deals], game.deals[:deals], strict=True):
        _words, rows = book.explain(deal, written)
        sheet.append(_row(deal, names, you, scores, totals, written["contract"]))
    return DealResults(sheet[-1], rows, tuple(reversed(sheet)))


def _row(
    deal: Deal,
    names: Sequence[str],
    you: int,
    scores: tuple[int, ...],
    totals: tuple[int, ...],
    contract: int | None,
) -> SheetRow:
    played = not deal.void and deal.declarer >= 0
    return SheetRow(
        number=deal.number + 1,
        declarer=names[deal.declarer] if played else "",
        own=played and deal.declarer == you,
        contract=contract,
        made=None if not played or contract is None else deal.points[deal.declarer] >= contract,
        conceded=deal.conceded,
        void=deal.void,
        scores=scores,
        totals=totals,
    )


def _game(match_id: int, deals: int) -> Game | None:
    """The match as far as its first ``deals`` deals, from the record or the journal."""
    public = queries.match_details().filter(pk=match_id).first()
    stored = queries.public_record(public) if public is not None else None
    if stored is not None:
        game = None
        for step in replay(json.loads(stored.body)):
            game = step.game
        return game
    match = Match.objects.filter(pk=match_id, klass__in=TOLD, deal_of=None).first()
    if match is None:
        return None
    game = Game(RuleSet.from_json(match.rules), seed=queue.seed_of(match, match.attempt))
    for action in JournalEntry.objects.filter(match=match_id).values_list("action", flat=True):
        game.apply(action)
        if len(game.finished) >= deals:
            break
    return game
