"""Words for what is stored of a match in English: its series, its state, how an attempt ended, why it is void or waits.

Stored sentences are for the log and the API. The service writes them after few patterns, which are told again here in the
active language; what an operator wrote by hand stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.models import Series

STATES: Final[Mapping[str, Promise]] = {
    "queued": _("queued"),
    "running": _("running"),
    "finished": _("finished"),
    "void": _("void"),
    "failed": _("failed (out of attempts)"),
}
SERIES: Final[Mapping[str, Promise]] = {
    Series.Kind.SEASON: _("season %(name)s"),
    Series.Kind.TOURNAMENT: _("tournament %(name)s"),
    Series.Kind.EVENT: _("event %(name)s"),
    Series.Kind.PRACTICE: _("practice"),
    Series.Kind.TESTS: _("test matches"),
    Series.Kind.CHECKS: _("checks of versions"),
}
OUTCOMES: Final[Mapping[str, Promise]] = {
    "running": _("running"),
    "finished": _("finished"),
    "infra_lost": _("lost by the service"),
    "returned": _("given back by a worker that was told to end"),
    "starved": _("the machine was starved"),
    "refused": _("a bot did not start"),
    "void": _("void"),
}
REASONS: Final[tuple[tuple[re.Pattern[str], Promise], ...]] = (
    (re.compile(r"will be repeated: (?P<cause>.+)"), _("It will be played again: %(cause)s")),
    (re.compile(r"(?P<name>\S+) did not start"), _("%(name)s did not start.")),
    (re.compile(r"(?P<name>\S+) refused: (?P<message>.*)"), _("%(name)s refused to play: %(message)s")),
    (re.compile(r"(?P<name>.+) cannot play"), _("Cannot play: %(name)s")),
    (re.compile(r"its worker was lost: the lease ran out"), _("its worker was lost")),
    (re.compile(r"its worker was lost: the process is gone"), _("its worker ended")),
    (re.compile(r"cancelled"), _("It was cancelled.")),
    (re.compile(r"the tournament was cancelled"), _("The tournament was cancelled.")),
    (re.compile(r"the person gave it up"), _("The person gave it up.")),
)


def series_words(series: Series) -> str:
    """What a series is called, by its kind: "season spring", "practice". A match with a date has one of its own."""
    own = series.name.removeprefix(f"{series.kind} ")
    if series.kind == Series.Kind.EVENT and own == series.name:
        return gettext("a match with a date")
    return str(SERIES[series.kind]) % {"name": own}


def state_words(state: str) -> str:
    """The state of a match."""
    return str(STATES.get(state, state))


def outcome_words(outcome: str) -> str:
    """How an attempt ended."""
    return str(OUTCOMES.get(outcome, outcome))


def reason_words(reason: str) -> str:
    """A stored reason, told again where the service wrote it."""
    for pattern, words in REASONS:
        if found := pattern.fullmatch(reason):
            parts = {name: reason_words(text) for name, text in found.groupdict().items()}
            return str(words) % parts
    return reason
