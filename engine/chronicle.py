"""What happened, told to whom it may be told: events of a seat, deals and matches as records.

Events are objects with a key ``event``:

- ``deal``: number, dealer, sitting_out, golden, the cards shown at the cut and who paid for it, the own hand
  (null while dark), talons that lie face up;
- ``action``: seat and action; of a card that others may not see only ``give`` or ``discard``; ``keep`` is
  told to its seat alone;
- ``hand``: the own hand, seen late by a seat that went dark; ``talon``: the talon taken, or without cards;
- ``draw``: a card from the stock, null for others;
- ``deal_end``: what the deal's record says of declarer, contract, points, scores and totals.

Events are to be read only: what a deal noted is handed out as it is. Records are written here, for a game; they are
read in ``record``, which plays them again and so needs the game itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from engine.actions import KEEP, MOVED_CARD
from engine.cards import TEXT, hand_text
from engine.deal import Deal

FORMAT: Final = "thousand-record/1"
Finished = tuple[Deal, tuple[int, ...], tuple[int, ...]]
"""A deal that is over, what it added to each total, and the totals after it."""
NOBODY: Final = -1


def deal_record(deal: Deal, scores: tuple[int, ...], totals: tuple[int, ...]) -> dict[str, Any]:
    """A deal as in protocol.md section 6."""
    return {
        "dealer": deal.dealer,
        "deck": [TEXT[card] for card in deal.deck],
        "actions": [[seat, action] for seat, action in deal.actions],
        **_outcome(deal, scores, totals),
    }


def _outcome(deal: Deal, scores: tuple[int, ...], totals: tuple[int, ...]) -> dict[str, Any]:
    settled = not deal.void and deal.declarer >= 0
    counted = not deal.void and not deal.conceded
    return {
        "void": deal.void,
        "declarer": deal.declarer if settled else None,
        "contract": deal.contract if settled and deal.contract else None,
        "points": list(deal.points) if counted else [0] * len(deal.points),
        "scores": list(scores),
        "totals": list(totals),
    }


def places(ranks: Sequence[int], stand_ins: Sequence[dict[str, int]]) -> list[int]:
    """Places from ranks: seats that were stood in for last, an earlier stand-in lower."""
    order: dict[int, int] = {}
    for number, stand_in in enumerate(stand_ins):
        order.setdefault(stand_in["seat"], number)
    keys = [(1, -order[seat]) if seat in order else (0, rank) for seat, rank in enumerate(ranks)]
    return [1 + sum(other < key for other in keys) for key in keys]


def match_record(
    *,
    match: str,
    rules: dict[str, Any],
    seed: bytes | None,
    seats: Sequence[dict[str, Any]],
    deals: list[dict[str, Any]],
    stand_ins: Sequence[dict[str, int]],
    result: tuple[Sequence[int], Sequence[int], str] | None,
) -> dict[str, Any]:
    """The record with its keys in the documented order; ``result`` is (totals, ranks, reason) or None."""
    ended = None
    if result is not None:
        totals, ranks, reason = result
        ended = {
            "totals": list(totals),
            "ranks": list(ranks),
            "places": places(ranks, stand_ins),
            "reason": reason,
        }
    return {
        "format": FORMAT,
        "match": match,
        "rules": rules,
        "seed": None if seed is None else seed.hex(),
        "seed_sha256": None if seed is None else hashlib.sha256(seed).hexdigest(),
        "seats": [dict(seat) for seat in seats],
        "deals": list(deals),
        "stand_ins": [dict(stand_in) for stand_in in stand_ins],
        "result": ended,
    }


def events(
    finished: Sequence[Finished], current: Deal, seat: int, since: int
) -> tuple[list[dict[str, Any]], int]:
    """What ``seat`` (-1: anybody) may know of the moves since cursor ``since``, and the new cursor.

    The cursor counts everything that happened, hidden things too: it is for the host, not for a bot.
    """
    told: list[dict[str, Any]] = []
    first = len(finished)
    while first and end_of(finished[first - 1][0]) > since:
        first -= 1
    for deal, scores, totals in finished[first:]:
        told += _story(deal, seat, since - deal.begins)
        told.append(_deal_end(deal, scores, totals))
    if finished and finished[-1][0] is current:
        return told, end_of(current)
    told += _story(current, seat, since - current.begins)
    return told, end_of(current) - 1


def end_of(deal: Deal) -> int:
    """The cursor after a deal that is over: its start, its actions, its notes and its end count one each."""
    return deal.begins + len(deal.actions) + len(deal.notes) + 2


def _story(deal: Deal, seat: int, skip: int) -> list[dict[str, Any]]:
    """What ``seat`` may know of a deal, in order, without the first ``skip`` things that happened.

    Note ``k`` stands after the actions that were taken before it, and after ``k`` notes and the start.
    """
    story = [_deal_start(deal, seat)] if skip <= 0 else []
    actions, notes = deal.actions, deal.notes
    at = len(notes)
    while at and notes[at - 1][0] + at >= skip:
        at -= 1
    for number in range(max(0, skip - 1 - at), len(actions)):
        while at < len(notes) and notes[at][0] <= number:
            _tell(story, _note(notes[at], seat))
            at += 1
        _tell(story, _action(deal, actions[number], seat))
    for note in notes[at:]:
        _tell(story, _note(note, seat))
    return story


def _tell(story: list[dict[str, Any]], event: dict[str, Any] | None) -> None:
    if event is not None:
        story.append(event)


def _deal_start(deal: Deal, seat: int) -> dict[str, Any]:
    unseen = seat < 0 or (seat == deal.active[0] and deal.offered_dark)
    return {
        "event": "deal",
        "deal": deal.number,
        "dealer": deal.dealer,
        "sitting_out": deal.sitter if deal.sitter >= 0 else None,
        "golden": deal.golden,
        "cut": [TEXT[card] for card in deal.cut],
        "cut_payer": deal.cut_payer if deal.cut_payer >= 0 else None,
        "hand": None if unseen else hand_text(deal.dealt[seat]),
        "talons": [hand_text(talon) for talon in deal.talons] if deal.face_up else None,
    }


def _note(note: tuple[int, int, dict[str, Any]], seat: int) -> dict[str, Any] | None:
    _, viewer, event = note
    if viewer in (NOBODY, seat):
        return event
    if event["event"] == "hand":
        return None
    if event["event"] == "draw":
        return {"event": "draw", "seat": viewer, "card": None}
    return {"event": event["event"], "cards": None}


def _action(deal: Deal, taken: tuple[int, str], seat: int) -> dict[str, Any] | None:
    """An action; a card that moves is seen by its giver and its receiver alone."""
    who, action = taken
    if seat != who:
        if action == KEEP:
            return None
        if action.startswith("discard:") or (action.startswith("give:") and seat != _receiver(deal, action)):
            return {"event": "action", "seat": who, "action": action.partition(":")[0]}
    return {"event": "action", "seat": who, "action": action}


def _receiver(deal: Deal, action: str) -> int:
    return next(who for who, card in deal.given if card == MOVED_CARD[action])


def _deal_end(deal: Deal, scores: tuple[int, ...], totals: tuple[int, ...]) -> dict[str, Any]:
    return {"event": "deal_end", "deal": deal.number, **_outcome(deal, scores, totals)}
