"""What is told of matches to those who watch: that one changed, and what a table shows while it is played.

An allow-list (service.md, "Who may see what"). A table is shown only when its cards are a secret for nobody else
any more: never one of a duplicate block, whose cards others meet later (so none of an event that compares people by
blocks), never a check or a test. What is shown is made by :mod:`games.showing`, from public things alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from games import streams
from games.models import Match

CLASSES: Final = (Match.Class.LADDER, Match.Class.TOURNAMENT, Match.Class.PEOPLE, Match.Class.EVENT)
"""Classes of matches that may be watched."""
KEPT_S: Final = 900
"""How long the last state of a table is there for those who come late; a person may think for minutes."""
CHANGES_KEPT_S: Final = 60
"""How long a wake-up is there for a page that was made just before it."""
LIST: Final = "live"
"""Told when a table that may be watched begins or ends."""
SCHEDULE: Final = "schedule"
"""Told when a match is queued, begins or ends."""
STATE: Final = ("names", "view", "events", "before")
"""What is passed on of what a match host says of a table."""


def channel(match_id: int) -> str:
    """Where a table is told of."""
    return f"live:{match_id}"


def is_public(match: Match) -> bool:
    """Whether everybody may watch ``match`` while it is played."""
    return match.klass in CLASSES and match.block is None


def show(match: Match, told: Mapping[str, Any]) -> None:
    """Tell watchers what the match host said of a table; nothing of one that is not public."""
    if is_public(match):
        state = {key: told[key] for key in STATE}
        streams.publish(channel(match.pk), {"match": match.pk, "rules": match.rules, **state}, keep_s=KEPT_S)


def changed(match: Match) -> None:
    """Tell pages, once it is committed, that ``match`` is queued, begins, or is over."""
    streams.publish_on_commit(SCHEDULE, {"match": match.pk}, keep_s=CHANGES_KEPT_S)
    if not is_public(match):
        return
    streams.publish_on_commit(LIST, {"match": match.pk}, keep_s=CHANGES_KEPT_S)
    if match.state not in (Match.State.QUEUED, Match.State.RUNNING):
        # an event publishes its matches with its results, not one by one
        over = str(match.klass if match.klass == Match.Class.EVENT else match.state)
        streams.publish_on_commit(channel(match.pk), {"match": match.pk, "over": over}, keep_s=KEPT_S)
