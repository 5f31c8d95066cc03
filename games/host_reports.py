"""What a host reports in the end of an attempt, or why it reports nothing any more, written down once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Final

from django.db import Error as DatabaseError

from botapi.errors import PlatformError
from games import results
from games.outages import with_database

logger = logging.getLogger(__name__)


def store(match_id: int, attempt: int, event: dict[str, Any], *, began: float) -> None:
    """Write down how an attempt ended that began at ``began`` (monotonic); what cannot be written is lost."""
    try:
        own = with_database(lambda: ENDINGS[event["type"]](match_id, attempt, event, began))
    except Exception as error:  # one match must not take the others of this worker with it
        logger.exception("match %s attempt %s: the result was not stored", match_id, attempt)
        lose(match_id, attempt, f"the result was not stored: {cause_of(error)}")
        return
    if not own:
        logger.warning("match %s attempt %s: a late report was refused", match_id, attempt)


def lose(match_id: int, attempt: int, cause: str) -> None:
    """The attempt is lost, through no fault of a bot."""
    try:
        with_database(lambda: results.infra_lost(match_id, attempt, cause))
    except DatabaseError:
        logger.exception("match %s attempt %s is left to the watchdog", match_id, attempt)


def give_back(match_id: int, attempt: int) -> None:
    """The worker was told to end before the attempt was over."""
    try:
        with_database(lambda: results.give_back(match_id, attempt, "its worker was told to end"))
    except DatabaseError:
        logger.exception("match %s attempt %s is left to the watchdog", match_id, attempt)


def cause_of(error: Exception) -> str:
    """What is written down of an error: our own words, of all others only their kind."""
    return str(error) if isinstance(error, PlatformError) else type(error).__name__


def _finished(match_id: int, attempt: int, event: dict[str, Any], _began: float) -> bool:
    result = results.Result(
        record=event["record"],
        faults=event["faults"],
        logs=event["logs"],
        timings=event.get("timings", {}),
        seconds=event["seconds"],
        decisions=event["decisions"],
    )
    return results.finish(match_id, attempt, result)


def _refused(match_id: int, attempt: int, event: dict[str, Any], _began: float) -> bool:
    return results.refused(
        match_id,
        attempt,
        seat=event["seat"],
        code=event["code"],
        message=event["message"],
        stderr=event.get("stderr", ""),
    )


def _checked(match_id: int, attempt: int, event: dict[str, Any], began: float) -> bool:
    return results.finish_check(match_id, attempt, event["report"], time.monotonic() - began)


def _failed(match_id: int, attempt: int, event: dict[str, Any], _began: float) -> bool:
    return results.infra_lost(match_id, attempt, event["reason"])


ENDINGS: Final[dict[str, Callable[[int, int, dict[str, Any], float], bool]]] = {
    "finished": _finished,
    "refused": _refused,
    "checked": _checked,
    "failed": _failed,
}
"""How each event that ends an attempt is written down."""
