"""A table with one person, played in the test's own process: what a worker does, with the real rows, without waiting."""

from __future__ import annotations

import json

from botapi.house import Draws, choose
from engine import Game, RuleSet
from games import journal, queue, results
from games.models import Match
from games.people_models import TableSeat


class Croupier:
    """Deals the match ``pk``; house bots play at the other seats. ``go`` plays until the person is asked or it is over."""

    def __init__(self, pk):
        self.claim = queue.claim(pk, "the test's table")
        self.match = self.claim.match
        self.game = Game(RuleSet.from_json(self.match.rules), seed=self.claim.seed)
        self.person = TableSeat.objects.get(seat__match=pk).seat.index
        self.draws = [Draws(self.claim.seed, seat) for seat in range(self.match.players)]
        self.number = self.asked = self.begins = 0
        self.last = []
        self._store({})

    def go(self):
        while self.game.seat is not None and self.game.seat != self.person:
            seat = self.game.seat
            self._apply(choose("counter", self.game.view(seat), self.game.legal, self.draws[seat]), None)
        if self.game.seat is None:
            self._finish()
        else:
            self._ask()
        return self

    def take_answer(self):
        """The person's answer, as the page stored it; then on to the next question."""
        answer = TableSeat.objects.get(seat__match=self.match.pk).answer
        assert answer, "nothing was answered"
        self._apply(answer, 100_000)
        return self.go()

    def lose(self):
        """The worker is gone: the match waits for its next attempt."""
        Match.objects.filter(pk=self.match.pk).update(state="queued", worker="", lease_until=None)
        journal.interrupted(self.match.pk)

    def _apply(self, action, bank_ms):
        seat = self.game.seat
        self.game.apply(action)
        self._store({"seat": seat, "action": action, "how": "", "bank_ms": bank_ms})
        self.number += 1

    def _store(self, decision):
        current = self.game.current
        if current.begins != self.begins:
            told = self.game.events(self.person, self.begins)[0]
            ends = next(n for n, event in enumerate(told) if event["event"] == "deal_end")
            self.last, self.begins = told[: ends + 1], current.begins
        events = self.game.events(self.person, self.begins)[0]
        seen = {"view": self.game.view(self.person), "events": events, "last_deal": self.last}
        event = {"number": self.number, "deal": self.game.deal, "shown": {self.person: seen}, **decision}
        assert journal.store(self.match.pk, self.claim.attempt, event)

    def _ask(self):
        self.asked += 1
        event = {
            "seat": self.person,
            "view": self.game.view(self.person),
            "legal": self.game.legal,
            "number": self.asked,
            "limit_ms": 150_000,
            "bank_ms": 120_000,
        }
        assert journal.ask(self.match.pk, self.claim.attempt, event)

    def _finish(self):
        seats = [
            {"name": seat.name, "version": "" if seat.person_id else "1"}
            for seat in self.match.seats.order_by("index")
        ]
        record = json.loads(json.dumps(self.game.record(match=str(self.match.pk), seats=seats)))
        logs = [{}] * self.match.players
        told = results.Result(record=record, faults=(), logs=logs, seconds=1.0, decisions=self.number)
        assert results.finish(self.match.pk, self.claim.attempt, told)
