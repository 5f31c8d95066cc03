"""Real matches of house bots, played through the engine: what a made history consists of (:mod:`ladder.filling`).

A house bot decides by the seed, its seat and what it sees, so that the same house bots in the same seats play the
same match whatever names they compete under. That is how one played table stands for every match of its block.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from botapi.house import HOUSE_BOTS, Draws, choose
from engine import Game, RuleSet
from games import seeds
from games.models import Seat
from games.result_rows import fill_seat
from ladder.play_tally import PlayTally

SHARP: Final = ("greedy", "counter")
"""House bots that play to win: one at least sits at each table, so that matches end by the target."""

_MATCH, _SEATS = "(match)", "(seats)"


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A match that was played: which house bot sat where, and what came of it.

    ``seats`` are unsaved rows without a match, ``play`` is how each of them played. ``parts`` is the record's text
    around its match and its seats.
    """

    block: int
    house: tuple[str, ...]
    seed_sha256: str
    seats: tuple[Seat, ...]
    play: tuple[PlayTally, ...]
    parts: tuple[str, str, str]
    deals: int
    decisions: int
    seconds: float
    reason: str

    def body(self, match: int, names: Sequence[str]) -> str:
        """The record of ``match``, which bots of these names (version 1) played in this block."""
        seats = ",".join(f'{{"name":"{name}","version":"1"}}' for name in names)
        return f"{self.parts[0]}{match}{self.parts[1]}{seats}{self.parts[2]}"


def play_block(rules: RuleSet, secret: bytes, block: int, draw: random.Random) -> PlayedTable:
    """Seat house bots by ``draw`` and let them play the cards that ``block`` has under ``secret``."""
    seed = seeds.derived(secret, seeds.message_of(number=0, attempt=0, block=block))
    house = _table(rules.players, draw)
    began = time.perf_counter()
    game, decisions = play(rules, seed, house)
    seconds = time.perf_counter() - began
    seats = [{"name": _SEATS, "version": ""} for _ in house]
    record: dict[str, Any] = game.record(match=_MATCH, seats=seats, stand_ins=[])
    rows = tuple(Seat(index=index) for index in range(rules.players))
    for row in rows:
        fill_seat(row, record)
    return PlayedTable(
        block=block,
        house=house,
        seed_sha256=hashlib.sha256(seed).hexdigest(),
        seats=rows,
        play=tuple(_play_of(row, record) for row in rows),
        parts=_parts(record),
        deals=len(record["deals"]),
        decisions=decisions,
        seconds=seconds,
        reason=record["result"]["reason"],
    )


def play(rules: RuleSet, seed: bytes, house: Sequence[str]) -> tuple[Game, int]:
    """A game that house bots of these names, in the order of the seats, played to its end; and their decisions."""
    game, draws = Game(rules, seed=seed), [Draws(seed, seat) for seat in range(rules.players)]
    decisions = 0
    while game.seat is not None:
        game.apply(choose(house[game.seat], game.view(game.seat), game.legal, draws[game.seat]))
        decisions += 1
    return game, decisions


def _play_of(seat: Seat, record: dict[str, Any]) -> PlayTally:
    tally = PlayTally()
    tally.add_match(seat.index, seat.place or 0, seat.total or 0)
    tally.add_deals(seat.index, record)
    return tally


def _table(players: int, draw: random.Random) -> tuple[str, ...]:
    others = [draw.choice(sorted(HOUSE_BOTS)) for _ in range(players - 1)]
    return tuple(draw.sample([draw.choice(SHARP), *others], players))


def _parts(record: dict[str, Any]) -> tuple[str, str, str]:
    """The text that :func:`games.results.finish` would store, cut where the match and the seats are named."""
    text = json.dumps({**record, "seats": [_SEATS]}, ensure_ascii=False, separators=(",", ":"))
    before, between = text.split(_MATCH, 1)
    between, after = between.split(json.dumps(_SEATS), 1)
    return before, between, after
