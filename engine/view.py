"""What a seat may see, built key by key from an allow-list (protocol.md section 4).

Nothing here reads a hand, a talon or a stock that the seat has not seen: swapping unseen cards leaves a view
byte for byte the same. Keys beyond the obvious:

``barrel`` is null without the rule, else for each seat ``{on, attempts, falls}``; ``talon`` the cards of the
talon taken (or of the one face up; a list of lists where several lie face up); ``received`` the cards given
to this seat, ``given`` what it gave as ``[seat, card]``; ``shown_marriages`` ``[seat, suit]`` and ``melds``
``[seat, suit, value]``, with ``A`` for an ace marriage; a trick's ``meld`` the cards melded in it.
"""

from __future__ import annotations

from typing import Any, Final

from engine.actions import CLAIM, DARK, PASS
from engine.cards import SUITS, TEXT, hand_text
from engine.deal import Deal, Standing
from engine.exchange import Conceding
from engine.ruleset import RuleSet
from engine.scoring import multiplier

PRIVATE: Final = ("you", "hand", "dealt", "received", "given", "discarded")
"""Keys of a view that are a seat's own."""
MARRIAGES: Final = SUITS + "A"
SHOWN_PHASE: Final = {"redeal": "auction", "exchanged": "contract", "deal": "deal", "scoring": "play"}
"""A redeal decision is seen by the seat that has it alone: for others the next phase is on."""


class Viewer:
    """Builds views of a match by its rule set.

    A view is to be read only: ``rules`` is the same object in all of them.
    """

    def __init__(self, rules: RuleSet, conceding: Conceding) -> None:
        self.rules = {"name": rules.name, "base": rules.base or rules.name, "changed": rules.changed}
        self.players = rules.players
        self.face_up = rules.talon_face_up
        self.threshold = None if rules.barrel is None else rules.barrel.threshold
        self.conceding = conceding

    def view(self, deal: Deal, standing: Standing, phase: str, asked: int, seat: int) -> dict[str, Any]:
        """The view of ``seat``; ``asked`` is the seat that decides (-1 when nobody does)."""
        seen = self._sees_hand(deal, phase, seat)
        return {
            "rules": self.rules,
            "seats": self.players,
            "you": seat,
            "deal": deal.number,
            "dealer": deal.dealer,
            "sitting_out": deal.sitter if deal.sitter >= 0 else None,
            "phase": self._phase(phase, mine=seat == asked),
            "totals": list(standing.totals),
            "barrel": self._barrel(standing),
            "bolts": list(standing.bolts),
            "concessions_left": [self.conceding.left(used) for used in standing.concessions],
            "multiplier": multiplier(deal),
            "hand": hand_text(deal.hands[seat]) if seen else None,
            "dealt": hand_text(deal.dealt[seat]) if seen else None,
            "auction": _auction(deal),
            "shown_marriages": [[who, MARRIAGES[kind]] for who, kind in deal.shown],
            "declarer": deal.declarer if deal.declarer >= 0 else None,
            "bid": deal.bid or None,
            "contract": deal.contract or None,
            "talon": self._talon(deal, seat),
            "received": [TEXT[card] for who, card in deal.given if who == seat],
            "given": [[who, TEXT[card]] for who, card in deal.given] if seat == deal.declarer else [],
            "discarded": hand_text(deal.discarded) if seat == deal.declarer else [],
            **_play(deal),
        }

    def public(self, deal: Deal, standing: Standing, phase: str) -> dict[str, Any]:
        """What everybody at the table may see."""
        everything = self.view(deal, standing, phase, -2, -1)
        return {key: value for key, value in everything.items() if key not in PRIVATE}

    def _phase(self, phase: str, *, mine: bool) -> str:
        if mine:
            return "redeal" if phase == "exchanged" else phase
        return SHOWN_PHASE.get(phase, phase)

    def _sees_hand(self, deal: Deal, phase: str, seat: int) -> bool:
        if seat < 0:
            return False
        unseen = phase == "dark" or (deal.dark and deal.declarer < 0)
        return not (unseen and seat == deal.active[0])

    def _talon(self, deal: Deal, seat: int) -> Any:
        if self.face_up and len(deal.talons) > 1:
            return [hand_text(talon) for talon in deal.talons]
        if self.face_up and deal.talons:
            return hand_text(deal.talons[0])
        if deal.chosen >= 0 and (deal.talon_public or seat == deal.declarer):
            return hand_text(deal.talon)
        return None

    def _barrel(self, standing: Standing) -> list[dict[str, Any]] | None:
        if self.threshold is None:
            return None
        return [
            {"on": total >= self.threshold, "attempts": attempts, "falls": falls}
            for total, attempts, falls in zip(standing.totals, standing.attempts, standing.falls, strict=True)
        ]


def _auction(deal: Deal) -> list[list[Any]]:
    before_play = deal.actions if deal.play_start < 0 else deal.actions[: deal.play_start]
    return [
        [seat, action]
        for seat, action in before_play
        if action == PASS or action == DARK or action.startswith("bid:")  # noqa: PLR1714 - most are the same object
    ]


def _play(deal: Deal) -> dict[str, Any]:
    """The public part of the play."""
    tricks, trick = _tricks(deal)
    started = deal.play_start >= 0
    return {
        "trump": SUITS[deal.trump] if deal.trump >= 0 else None,
        "leader": deal.leader if started else None,
        "trick": trick,
        "tricks": tricks,
        "melds": [[who, MARRIAGES[kind], value] for who, kind, value in deal.melds],
        "points": list(deal.points),
        "stock": len(deal.stock) - deal.drawn,
    }


def _tricks(deal: Deal) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """The tricks that were completed, and the cards of the one on the table."""
    if deal.play_start < 0:
        return [], []
    actions, width, start = deal.actions, len(deal.active), deal.play_start
    tricks = []
    for winner in deal.winners:
        moves = actions[start : start + width]
        start += width
        tricks.append(
            {
                "cards": [[seat, action[5:]] for seat, action in moves],
                "winner": winner,
                "meld": [action[5:] for _, action in moves if action.startswith("meld")],
            }
        )
    return tricks, [[seat, action[5:]] for seat, action in actions[start:] if action != CLAIM]
