"""What is stored of a result beside its record: seats with their places, faults, private logs, public notes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from botapi import faults as codes
from botapi.submissions import without_nul
from games.models import Fault, Match, Seat, SeatLog

NO_TURNS: Final = b"[]"
COMPRESSION: Final = 1
"""A log shrinks to a tenth at the fastest level; the slow ones gain little and take longer than the match."""
DETAIL_CHARS: Final = 300


def fill_seats(match: Match, record: Mapping[str, Any], faults: Sequence[Mapping[str, Any]]) -> list[Seat]:
    """Write into the seats of ``match`` what its record and its faults say of them; the seats, in their order."""
    seats = list(match.seats.select_related("version__bot").order_by("index"))
    for seat in seats:
        fill_seat(seat, record)
        seat.faults = sum(fault["seat"] == seat.index and fault["code"] != codes.LATE for fault in faults)
    Seat.objects.bulk_update(
        seats, ["total", "rank", "place", "stood_in", "absences", "faults", "deals_declared", "deals_made"]
    )
    return seats


def fill_seat(seat: Seat, record: Mapping[str, Any]) -> None:
    """Write into ``seat`` (unsaved) what the record of its match says of it."""
    outcome = record["result"]
    seat.total = outcome["totals"][seat.index]
    seat.rank = outcome["ranks"][seat.index]
    seat.place = outcome["places"][seat.index]
    seat.stood_in = any(entry["seat"] == seat.index for entry in record["stand_ins"])
    declared = [deal for deal in record["deals"] if deal["declarer"] == seat.index]
    seat.deals_declared = len(declared)
    seat.deals_made = sum(_made(deal, seat.index) for deal in declared)


def _made(deal: Mapping[str, Any], seat: int) -> bool:
    """Whether the declarer reached the contract, by unrounded points (R20); a conceded deal was not made."""
    return deal["contract"] is not None and deal["points"][seat] >= deal["contract"]


def store_faults(match: Match, found: Sequence[Mapping[str, Any]]) -> None:
    """Each fault of the attempt: its code for everybody, what went wrong for the author."""
    Fault.objects.bulk_create(
        Fault(
            match=match,
            attempt=match.attempt,
            seat=fault["seat"],
            code=fault["code"],
            detail=without_nul(fault.get("detail", ""))[:DETAIL_CHARS],
            deal=fault.get("deal", 0),
            action=fault.get("action", 0),
            message=_fault_message(fault),
        )
        for fault in found
    )


def _fault_message(fault: Mapping[str, Any]) -> str:
    """What happened, the failing request and the answer, for the author alone."""
    request = json.dumps(fault.get("request"), ensure_ascii=False)
    text = f"{fault.get('message', '')}\n\nRequest: {request}\n\nAnswer: {fault.get('answer', '')}"
    return str(without_nul(text))


def store_logs(match: Match, logs: Sequence[Mapping[str, Any]]) -> None:
    """The private logs of the seats that have one; a house bot has none."""
    SeatLog.objects.bulk_create(
        SeatLog(
            match=match,
            attempt=match.attempt,
            seat=index,
            turns=zlib.compress(log.get("turns", NO_TURNS), COMPRESSION),
            stderr=without_nul(log.get("stderr", "")),
            oddities=without_nul(log.get("oddities", [])),
        )
        for index, log in enumerate(logs)
        if log.get("turns", NO_TURNS) != NO_TURNS or log.get("stderr") or log.get("oddities")
    )


def public_notes(logs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What bots noted for everybody, with their seats."""
    return [
        {"seat": seat, **without_nul(note)} for seat, log in enumerate(logs) for note in log.get("notes", [])
    ]
