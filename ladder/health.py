"""``/healthz``: whether the service can do its work, for load balancers and operators (sandbox.md section 2).

Answers 200 while database, broker and every worker that was seen lately are well and somebody plays what is
queued, else 503. ``alarms`` counts what an operator must look at in the admin site; it turns nothing red, since
the service goes on. Why a worker refuses to play stands in the admin site: it tells of the machine.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import redis
from django.conf import settings
from django.db import Error as DatabaseError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import queries
from games.queue import CPU
from ladder.models import UnratedMatch

LATELY: Final = timedelta(seconds=60)
ALARMED_FOR: Final = timedelta(days=1)
_WAIT_S: Final = 2


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """The state of each part; ``bots_run_on`` is the Python and the packages of uploaded bots."""
    found: dict[str, Any] = {"broker": _broker_answers(), **_of_database()}
    well = found["broker"] and found["database"] and _plays(found["workers"])
    return JsonResponse({"status": "ok" if well else "red", **found}, status=200 if well else 503)


def _of_database() -> dict[str, Any]:
    try:
        workers = queries.workers_since(timezone.now() - LATELY)
        environment = queries.bots_environment()
        alarms = {
            "failed_matches": queries.failed_since(timezone.now() - ALARMED_FOR),
            "unrated_matches": UnratedMatch.objects.count(),
        }
    except DatabaseError:
        return {"database": False, "workers": [], "bots_run_on": {}, "alarms": {}}
    return {"database": True, "workers": workers, "bots_run_on": environment, "alarms": alarms}


def _broker_answers() -> bool:
    waits = {"socket_connect_timeout": _WAIT_S, "socket_timeout": _WAIT_S}
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **waits) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError):
        return False


def _plays(workers: list[dict[str, Any]]) -> bool:
    """Whether all are healthy and one of them takes the matches of sandboxed bots."""
    taken = {name for worker in workers for name in worker["queue"].split(",")}
    return CPU in taken and all(worker["healthy"] for worker in workers)
