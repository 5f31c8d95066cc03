"""Private logs: reading one leaves an audit entry when an operator does it (service.md, "Who may see what")."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from botapi import fault_words, faults
from botapi.explanations import MEANINGS
from botapi.models import User
from botapi.reports import SHOWN_TEXT, SHOWN_TURNS, Turn, shown_turn
from games import queries
from games.models import Fault, LogLook, Match, SeatLog


@transaction.atomic
def read_log(user: User, match: Match, *, seat: int, attempt: int | None = None) -> SeatLog | None:
    """The log of ``seat`` in ``attempt`` (by default the last); None when there is none for ``user``."""
    logs = queries.readable_logs(user, match).filter(seat=seat)
    if attempt is not None:
        logs = logs.filter(attempt=attempt)
    log = logs.order_by("-attempt").first()
    if log is not None and not _is_authors(user, log):
        LogLook.objects.create(user=user, log=log)
    return log


def _is_authors(user: User, log: SeatLog) -> bool:
    return log.match.seats.filter(index=log.seat, version__bot__owner=user).exists()


@dataclass(frozen=True)
class LoggedFault:
    """A fault as a page shows it: where, the paragraph for its author, and what was sent and came, word for word.

    The paragraph is in the reader's language, or ``english``.
    """

    code: str
    deal: int
    action: int
    words: str
    english: bool
    verbatim: str


@dataclass(frozen=True)
class LogPage:
    """The private log of one seat, cut to what a page can show; ``late`` explains late answers, if any came."""

    seat: int
    attempt: int
    faults: list[LoggedFault]
    oddities: list[str]
    late: str
    stderr: str
    turns: list[Turn]
    turns_left_out: int


def log_pages(user: User, match: Match) -> list[LogPage]:
    """What ``user`` may read of the last attempt's private logs, by seat; none for whom there are none."""
    seats = sorted(set(queries.readable_logs(user, match).values_list("seat", flat=True)))
    logs = [read_log(user, match, seat=seat) for seat in seats]
    return [_page(log) for log in logs if log is not None]


def _page(log: SeatLog) -> LogPage:
    turns = queries.turns_of(log)
    late = any(line.startswith(f"{faults.LATE}:") for line in log.oddities)
    return LogPage(
        seat=log.seat,
        attempt=log.attempt,
        faults=[_fault(fault) for fault in queries.fault_messages(log)],
        oddities=log.oddities,
        late=MEANINGS[faults.LATE] if late else "",
        stderr=log.stderr[-SHOWN_TEXT:],
        turns=[
            shown_turn(turn, number=int(turn.get("n", 0)), ms=turn.get("used_ms"))
            for turn in turns[-SHOWN_TURNS:]
        ],
        turns_left_out=max(0, len(turns) - SHOWN_TURNS),
    )


def _fault(fault: Fault) -> LoggedFault:
    words, _, verbatim = fault.message.partition("\n\n")
    own = fault_words.retold(words)
    return LoggedFault(
        fault.code, fault.deal, fault.action, own or words, english=not own, verbatim=verbatim[:SHOWN_TEXT]
    )
