"""Teams of an event: the seats of one deal after another, behind a common barrier.

A deal is a match of its own, so a deal that somebody gives back, as some rules allow, ends it with nothing to
compare. It is void for the whole team and another one takes its place, on other cards; at most as many of them as
the team has deals.
"""

from __future__ import annotations

from typing import Final

from games import queue
from games.models import Match, MatchAttempt
from ladder.events import results, tables
from ladder.events.models import Event, EventBlock, EventEntry, EventTable, VoidDeal

GIVEN_BACK: Final = ""
"""The reason of a deal that no organiser declared void."""


def move(event: Event) -> bool:
    """The next deal of a team starts for all its people at once, when all have finished the one before.

    Whether all teams have played all deals.
    """
    teams: dict[int, list[EventEntry]] = {}
    for entry in EventEntry.objects.filter(event=event, team__isnull=False).select_related("person"):
        teams.setdefault(entry.team or 0, []).append(entry)
    ready = [_move_one(event, team, people) for team, people in teams.items()]
    return all(ready)


def _move_one(event: Event, team: int, people: list[EventEntry]) -> bool:
    blocks = EventBlock.objects.filter(event=event, team=team)
    if blocks.filter(tables__match__state__in=queue.OPEN_STATES).exists():
        return False
    _void_what_was_given_back(blocks.order_by("-number").first())
    gone = blocks.filter(tables__match__state__in=tables.LOST)
    again = blocks.filter(void_deals__reason=GIVEN_BACK)
    done = blocks.exclude(pk__in=gone.values("pk")).exclude(pk__in=again.values("pk")).count()
    lost = gone.exclude(tables__match__attempts__outcome=MatchAttempt.Outcome.REFUSED)
    deals = event.blocks * event.deals
    if done >= deals or lost.distinct().count() > tables.REPEATS or again.count() > deals:
        return True
    tables.begin_deal(event, team, people, done + 1)
    return False


def _void_what_was_given_back(block: EventBlock | None) -> None:
    """The deal of a block whose tables are over is void if one of them was given back."""
    if block is None or block.void_deals.exists():
        return
    played = EventTable.objects.filter(block=block, match__state=Match.State.FINISHED)
    if any(not results.scores_of(table) for table in played.select_related("match__record")):
        VoidDeal.objects.create(block=block, deal=1, reason=GIVEN_BACK)
