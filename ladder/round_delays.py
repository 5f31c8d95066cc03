"""Why a round of a tournament is not over, in sentences that everybody may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext, ngettext_lazy

from games.models import Match
from ladder.tournament_models import Round, Tournament


def round_delay(round_: Round, tournament: Tournament, now: datetime) -> tuple[str, bool]:
    """Why a round is not over, and whether it is behind its schedule."""
    if round_.state == Round.State.FINISHED or tournament.phase != Tournament.Phase.RUNNING:
        return "", False
    if round_.state == Round.State.PLANNED:
        late = round_.starts_at is not None and round_.starts_at < now
        if round_.starts_at is not None and not late:
            return gettext("It begins at %(at)s UTC.") % {"at": f"{round_.starts_at:%Y-%m-%d %H:%M}"}, False
        return gettext("It begins when the round before it is over."), late
    links = [link for table in round_.tables.all() for link in table.matches.all() if not link.replaced]
    states = Counter(link.match.state for link in links if not link.given_up)
    due = None if not tournament.pace_minutes or round_.starts_at is None else round_.starts_at
    over = due is not None and (now - due).total_seconds() > 60 * tournament.pace_minutes
    return " ".join(_waits_for(states)) or gettext("It is being closed."), over


def _waits_for(states: Mapping[str, int]) -> list[str]:
    """What of a round is not over, a sentence for each kind of match."""
    found = (
        (
            states[Match.State.RUNNING],
            ngettext_lazy("%(n)d match is being played.", "%(n)d matches are being played.", "n"),
        ),
        (states[Match.State.QUEUED], ngettext_lazy("%(n)d match waits.", "%(n)d matches wait.", "n")),
        (
            states[Match.State.VOID] + states[Match.State.FAILED],
            ngettext_lazy("%(n)d match is to be played again.", "%(n)d matches are to be played again.", "n"),
        ),
    )
    return [str(words % {"n": count}) for count, words in found if count]
