"""What the fault tests share: a season whose bots play in sandboxes, workers, and the one look at the end.

Workers, hosts, sandboxes, PostgreSQL and Redis are real; :func:`after` is asked once the fault is over.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
from pathlib import Path

from django.db import connection

from botapi.models import Bot
from engine import PRESETS
from engine.record import verify
from games import queue, watchdog
from games.models import Fault, Match, MatchAttempt, MatchRecord, Seat
from ladder import rating_log, seasons
from ladder.audits import audit
from ladder.models import RatingEvent
from tests.games import making
from tests.games.processes import descendants
from tests.games.replaying import record_of

CLOCKS = {"act_ms": 200, "bank_ms": 60_000, "hard_ms": 30_000, "start_ms": 30_000}
"""Generous: a busy machine is not the fault that is looked at."""
SHORT = dataclasses.replace(PRESETS["pl-3"], deal_limit=2)
LONG = dataclasses.replace(PRESETS["pl-3"], deal_limit=12)

IMPATIENT = """
import signal, sys
import django, ladder.celery
django.setup()
from games import dispatch, endings, outages, queue, workers
dispatch.RENEW_S = 0
queue.QUESTION_MARGIN_S = 1
endings.RETRY_PAUSES_S = (0,)
workers.TEND_S = 0.5
{more}
from celery.__main__ import main
main()
"""
"""A worker as it is, only that what is looked at every few seconds is looked at at once."""


def impatient(more=""):
    """The ``program`` of a worker for ``celery_worker``."""
    return "-c", IMPATIENT.replace("{more}", more)


def pool(rules=SHORT, **changes):
    """An open season's pool; what matchmaking queues in it has the same clocks as :func:`match`."""
    clocks = {"sandbox": CLOCKS, "http": CLOCKS}
    season = seasons.create_season("faults", name="Faults", ruleset=rules, clocks=clocks, **changes)
    return seasons.open_season(season).pools.select_related("season__series").get()


def table(seconds=0.0):
    """The versions of three sandboxed bots that think so long each time: a match can be met in its middle.

    They do so in a match's first attempt; what is repeated is played quickly.
    """
    source = (making.BOTS / "good.py").read_text()
    pause = f"        if m['id'].split('/')[1] == '1':\n            time.sleep({seconds})\n"
    thinking = source.replace("import sys", "import sys\nimport time", 1).replace(
        "        action = next", f"{pause}        action = next", 1
    )
    return [making.sandboxed(thinking if seconds else source) for _ in range(3)]


def match(where, seats, **changes):
    """A rated match of the pool's season."""
    given = {
        "series": where.season.series,
        "klass": Match.Class.LADDER,
        "rules": where.season.rules,
        "clocks": CLOCKS,
        "seats": seats,
        "rated": True,
    }
    return queue.enqueue(**given | changes)


def playing(deal=0):
    """Whether a match is being played and has come so far."""
    return MatchAttempt.objects.filter(outcome="running", deal__gte=deal).exists()


def over(count):
    """Whether so many matches are finished and none is open; what was lost is looked for meanwhile."""
    watchdog.watch()
    return Match.objects.filter(state="finished").count() >= count and not Match.objects.filter(
        state__in=queue.OPEN_STATES
    )


def hosts_of(worker):
    """The process ids of a worker's match hosts."""
    return [pid for pid in descendants(worker.pid) if b"games.host" in command_of(pid)]


def command_of(pid):
    """The command line of a process; empty when it has gone meanwhile, as bots do."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def signal_all(worker, number):
    """Send a signal to a worker and everything it has started."""
    for pid in (worker.pid, *descendants(worker.pid)):
        with contextlib.suppress(ProcessLookupError):  # bots come and go
            os.kill(pid, number)


def stop_all(worker):
    """Pause a worker with its pool, its hosts and their bots."""
    signal_all(worker, signal.SIGSTOP)


def after(where, count):
    """Once the fault is over: every match exactly once, ratings as recomputed, nobody charged.

    ``count`` rated matches are finished, none is open; a record each that verifies; rating events each once,
    and the whole log replayed agrees with the stored ratings.
    """
    finished = Match.objects.filter(state=Match.State.FINISHED).order_by("finish_seq")
    assert not Match.objects.exclude(state=Match.State.FINISHED).exists(), list(
        Match.objects.values_list("pk", "state", "reason")
    )
    assert (finished.count(), MatchRecord.objects.count()) == (count, count)
    for one in finished.prefetch_related("attempts").select_related("record"):
        record = record_of(one)
        verify(record)
        (attempt,) = [tried for tried in one.attempts.all() if tried.outcome == "finished"]
        assert attempt.number == one.attempt == len(one.attempts.all())
        assert (record["match"], record["seed_sha256"]) == (str(one.pk), attempt.seed_sha256)
        assert [seat["version"] for seat in record["seats"]] == [
            str(seat.version.number) for seat in one.seats.select_related("version").order_by("index")
        ]

    rating_log.rate_finished(where)
    assert rating_log.rate_finished(where) == 0
    rated = (
        RatingEvent.objects.filter(pool=where, kind="match").order_by("seq").values_list("match", flat=True)
    )
    assert sorted(rated) == sorted(finished.filter(rated=True).values_list("pk", flat=True))
    assert not where.unrated.exists()
    assert audit(where).matches == len(rated)

    assert not Fault.objects.exists(), list(Fault.objects.values_list("match", "seat", "code", "detail"))
    assert not Seat.objects.exclude(faults=0, stood_in=False).exists()
    assert not Bot.objects.filter(state=Bot.State.SUSPENDED).exists()


def forget_connections():
    """The test's own connections, after the server has dropped them."""
    connection.close()
    connection.close_pool()
