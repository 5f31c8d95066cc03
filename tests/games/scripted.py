"""Plays the other side of a match: answers its questions from a function, without processes or time."""

import dataclasses
import hashlib
import json

from botapi import protocol
from botapi.drivers.base import Answer, Question
from engine import PRESETS
from games.match import Match
from games.steps import DealOver, Greet, SeatPlan, Setup, Tell

CLOCKS = protocol.Clocks(act_ms=200, bank_ms=1000, hard_ms=800, start_ms=5000)


def seed(word):
    return hashlib.sha256(str(word).encode()).digest()


def bot(name="bot", kind="sandbox", clocks=CLOCKS):
    return SeatPlan(name=name, version="1", kind=kind, clocks=clocks)


def house(name):
    return SeatPlan(name=name, version="1", kind="house", clocks=CLOCKS, house=name)


def setup(*seats, rules="pl-3", word=1, **changes):
    base = Setup(match="M", attempt=1, ruleset=PRESETS[rules], seed=seed(word), seats=seats)
    return dataclasses.replace(base, **changes)


def sensible(question):
    """The first action that is neither redeal nor concede."""
    return next((a for a in question.legal if a not in ("redeal", "concede")), question.legal[0])


def good(question, **extra):
    """A right answer, given at once."""
    if question.kind == "hello":
        return Answer(reply=protocol.HelloReply(id=question.id, ready=True), used_ms=1.0)
    return Answer(reply=protocol.ActReply(id=question.id, action=sensible(question), **extra), used_ms=1.0)


class Talk:
    """A finished conversation: its result and everything that was said."""

    def __init__(self, plan, answer=good, limit=100_000):
        self.match = Match(plan)
        self.questions = []
        self.tells = []
        self.greets = []
        self.deals = []
        self.result = self._run(answer, limit)

    def _run(self, answer, limit):
        play = self.match.play()
        value = None
        try:
            for _ in range(limit):
                step = play.send(value)
                value = None
                if isinstance(step, Question):
                    self.questions.append(step)
                    value = answer(step)
                elif isinstance(step, Greet):
                    self.greets.append(step)
                    value = tuple(answer(question) for question in step.questions)
                elif isinstance(step, Tell):
                    self.tells.append((step.seat, json.loads(step.message)))
                else:
                    assert isinstance(step, DealOver)
                    self.deals.append(step.deal)
        except StopIteration as stop:
            return stop.value
        play.close()
        return None

    def asked(self, seat):
        return [question for question in self.questions if question.seat == seat]
