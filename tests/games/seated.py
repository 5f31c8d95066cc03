"""People in tests: who sits down, the worker that plays their table, and a script that answers for them."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import threading
import time

from botapi.house import Draws, choose
from engine import PRESETS
from games import attending, dispatch, people, practice, watchdog
from games.dispatch import Dispatcher
from games.models import Match, Series
from games.people_models import Person
from tests.games import making

QUICK = dataclasses.replace(PRESETS["pl-3"], deal_limit=2)


def person(alias="Anna", **changes):
    """Somebody who waits for nobody."""
    return Person.objects.create(alias=alias, **{"bot_ms": 0, "trick_ms": 0} | changes)


def sit(who, rules=QUICK, opponents=("greedy", "counter"), **changes):
    """A practice table of ``who``; the n-th one of a test has always the same cards."""
    secret = b"the same cards for every test of"
    Series.objects.get_or_create(
        name="practice",
        defaults={
            "kind": "practice",
            "secret": secret,
            "secret_sha256": hashlib.sha256(secret).hexdigest(),
        },
    )
    for name in opponents:
        making.house(name)
    return practice.start_practice(who, rules=rules, opponents=opponents, **changes)


@contextlib.contextmanager
def worker(monkeypatch):
    """A dispatcher of the queue ``waiting`` in a thread, with real hosts; yields an event that tells it to end."""
    monkeypatch.setattr(attending, "LOOK_S", 0.02)
    monkeypatch.setattr(dispatch, "LOOK_S", 0.02)
    ends, over = threading.Event(), threading.Event()
    failed = []

    def play():
        while not over.is_set() and not ends.is_set():
            try:
                Dispatcher("waiting", "tester", draining=ends.is_set).run()
            except Exception as error:  # noqa: BLE001 - told below
                failed.append(error)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield ends
    finally:
        over.set()
        left = () if ends.is_set() else Match.objects.filter(people=True, state__in=("queued", "running"))
        for match in left:
            for seat in match.seats.filter(person__isnull=False).select_related("person"):
                people.leave(match.pk, seat.person)
        thread.join(30)
        assert not thread.is_alive()
        assert not failed, failed


def until(condition, seconds=150):
    """What ``condition`` says once it says something; a dear look is taken seldom, so that the table gets on."""
    deadline = time.monotonic() + seconds
    while True:
        began = time.thread_time()
        if found := condition():
            return found
        cost = time.thread_time() - began
        assert time.monotonic() < deadline, list(
            Match.objects.values_list("pk", "state", "attempt", "reason")
        )
        time.sleep(max(0.03, 3 * cost))


def asked(match, who):
    """The state in which ``who`` is asked something, or in which all is over."""

    def look():
        state = people.table_state(match.pk, who)
        if state.state == Match.State.QUEUED:
            watchdog.wake_forgotten()  # as beat does: a worker may take longer to begin than a wake-up lives
        return state if state.ask or state.over else None

    return until(look)


def play_on(match, who, stop=lambda _: False):
    """Answer as a house bot would until the table is over or ``stop``; the last state."""
    draws = Draws(bytes(32), 0)
    while True:
        state = asked(match, who)
        if state.over or stop(state):
            return state
        action = choose("counter", state.view, state.ask.legal, draws)
        people.answer(match.pk, who, question=state.ask.number, action=action)
