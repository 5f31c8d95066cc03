"""The match: which phase may follow which, and the game that walks through them (rules.md section 4).

:data:`PHASES` is the order alone. What is done in a phase stands in ``_enter`` and ``_take``, as branches with the
frequent ones first. A new phase is written there, too; in ``view.SHOWN_PHASE`` where seats see it under another
name, and in ``why.VERBS`` with what it asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import chronicle
from engine.auction import Auction
from engine.cards import parse_deck
from engine.deal import Actions, Deal, new_standing
from engine.dealing import Darkness, Dealing, Redeal
from engine.errors import EngineError, IllegalAction, shown
from engine.exchange import Conceding, Contract, Exchange, Talon
from engine.hand_limits import HandLimits
from engine.ruleset import RuleSet
from engine.scoring import Scoring
from engine.shuffle import shuffled
from engine.tricks import Tricks
from engine.view import Viewer

PHASES: Final[dict[str, tuple[str, ...]]] = {
    "deal": ("dark", "over"),
    "dark": ("redeal",),
    "redeal": ("auction", "scoring"),
    "auction": ("talon",),
    "talon": ("exchange",),
    "exchange": ("exchanged", "scoring"),
    "exchanged": ("contract", "scoring"),
    "contract": ("play", "scoring"),
    "play": ("scoring",),
    "scoring": ("deal", "over"),
    "over": (),
}
"""Each phase and what may follow it: first the usual successor, entered when nothing is left to decide, then
``scoring`` for a deal that is voided or conceded, and ``over``. A phase without a decision is walked
through."""


@dataclass(frozen=True)
class Result:
    """How a match ended: totals and ranks by seat, and ``target`` or ``deal_limit``."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str


class Game:
    """One match of Thousand.

    ``seat`` decides (None when the match is over) among ``legal``; ``apply`` takes one of them, and all
    decisions after it that leave no choice. ``phase`` is a key of :data:`PHASES`, ``deal`` counts deals from
    0. With ``decks`` instead of a ``seed`` the match stops, without a result, when they are used up.
    """

    def __init__(
        self, ruleset: RuleSet, *, seed: bytes | None = None, decks: Sequence[Sequence[str]] | None = None
    ) -> None:
        if (seed is None) == (decks is None) or (seed is not None and len(seed) != 32):
            raise EngineError("a game takes either a seed of 32 bytes or decks")
        self.ruleset = ruleset
        self.seed = seed
        self._decks = None if decks is None else [parse_deck(deck) for deck in decks]
        if self._decks == []:
            raise EngineError("a game needs at least one deck")
        self.standing = new_standing(ruleset)
        limits = HandLimits(ruleset)
        self.conceding = Conceding(ruleset)
        self.scoring = Scoring(ruleset, self.conceding)
        self._dealing = Dealing(ruleset)
        self._darkness = Darkness(ruleset)
        self._redeal = Redeal(ruleset, limits)
        self._auction = Auction(ruleset, limits)
        self._talon = Talon(ruleset)
        self._exchange = Exchange(ruleset, self.conceding)
        self._contract = Contract(ruleset, limits, self.conceding)
        self._tricks = Tricks(ruleset)
        self._viewer = Viewer(ruleset, self.conceding)
        self._exhausted = False
        self.finished: list[tuple[Deal, tuple[int, ...], tuple[int, ...]]] = []
        self._records: list[dict[str, Any]] = []
        self.deal = -1
        self.seat: int | None = None
        self.legal: tuple[str, ...] = ()
        self.phase = "deal"
        self._walk("deal")

    # -- the phases --------------------------------------------------------------------------------

    def apply(self, action: str) -> None:
        """Take a legal action. Raises IllegalAction, and changes nothing, when it is not one."""
        if action not in self.legal:
            raise IllegalAction(f"{shown(action)} is not legal here")
        deal = self.current
        if self.phase == "play":
            if not self._tricks.play(deal, action):
                self.seat, self.legal = deal.seat, deal.legal
                return
            self._walk("scoring")
        else:
            self._walk(self._take(self.phase, action))

    def _walk(self, phase: str) -> None:
        """Go on from ``phase`` until somebody has a choice or the match is over."""
        while phase != "over":
            self.phase = phase
            legal = self._enter(phase)
            if len(legal) > 1:
                self.seat, self.legal = self.current.seat, legal
                return
            if legal and phase == "play":  # a forced first lead, and what follows it
                if not self._tricks.play(self.current, legal[0]):
                    self.seat, self.legal = self.current.seat, self.current.legal
                    return
                phase = PHASES[phase][0]
            elif legal:
                phase = self._take(phase, legal[0])
            elif (phase == "scoring" and self.standing.reason) or self._exhausted:
                phase = "over"
            else:
                phase = PHASES[phase][0]
        self.phase, self.seat, self.legal = phase, None, ()

    def _enter(self, phase: str) -> tuple[str, ...]:  # noqa: PLR0911 - one line a phase, the frequent ones first
        """The legal actions of the phase's next decision; none when there is none left."""
        if phase == "deal":
            self._deal()
            return ()
        deal = self.current
        if phase == "auction":
            return self._auction.enter(deal)
        if phase == "exchange":
            return self._exchange.enter(deal, self.standing)
        if phase == "contract":
            return self._contract.enter(deal, self.standing)
        if phase == "play":
            return self._tricks.enter(deal)
        if phase == "talon":
            return self._talon.enter(deal)
        if phase == "redeal":
            return self._redeal.enter_dealt(deal)
        if phase == "exchanged":
            return self._redeal.enter_exchanged(deal)
        if phase == "dark":
            return self._darkness.enter(deal)
        self._score()
        return ()

    def _take(self, phase: str, action: str) -> str:
        """Take an action of a phase before the play; returns the phase to go on with."""
        deal = self.current
        deal.actions.append((deal.seat, action))
        if phase == "auction":
            self._auction.take(deal, action)
            return phase
        if phase == "exchange":
            self._exchange.take(deal, action)
        elif phase == "contract":
            self._contract.take(deal, action)
        elif phase == "talon":
            self._talon.take(deal, action)
        elif phase == "dark":
            self._darkness.take(deal, action)
            if deal.dark:
                self._auction.dark_bid(deal)
            return PHASES[phase][0]
        else:
            self._redeal.take(deal, action)
        return "scoring" if deal.void or deal.conceded else phase

    def _deal(self) -> None:
        standing = self.standing
        if self._decks is None:
            assert self.seed is not None
            deck = tuple(shuffled(self.seed, standing.finished, standing.redeals))
        elif self.deal + 1 < len(self._decks):
            deck = self._decks[self.deal + 1]
        else:
            self._exhausted = True
            return
        self.deal += 1
        begins = chronicle.end_of(self.finished[-1][0]) if self.finished else 0
        self.current = self._dealing.deal(self.deal, deck, self.seed, standing)
        self.current.begins = begins
        self.scoring.leave_after_cut(self.current, standing)

    def _score(self) -> None:
        deal = self.current
        scores = tuple(self.scoring.score(deal, self.standing))
        self.finished.append((deal, scores, tuple(self.standing.totals)))

    # -- what can be read --------------------------------------------------------------------------

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals by seat."""
        return tuple(self.standing.totals)

    @property
    def actions(self) -> Actions:
        """The (seat, action) pairs of the deal in progress, the engine's own included."""
        return self.current.actions

    @property
    def result(self) -> Result | None:
        """How the match ended, None until then."""
        standing = self.standing
        if not standing.reason:
            return None
        return Result(tuple(standing.totals), standing.ranks, standing.reason)

    @property
    def deals(self) -> list[dict[str, Any]]:
        """The deals that are over, as in the record (protocol.md section 6); to be read only."""
        records = self._records
        while len(records) < len(self.finished):
            records.append(chronicle.deal_record(*self.finished[len(records)]))
        return records

    def view(self, seat: int) -> dict[str, Any]:
        """What ``seat`` may see, JSON-ready (protocol.md section 4); to be read only, it shares parts with later views."""
        self._check_seat(seat)
        asked = -1 if self.seat is None else self.seat
        return self._viewer.view(self.current, self.standing, self.phase, asked, seat)

    def _check_seat(self, seat: object) -> None:
        if not isinstance(seat, int) or not 0 <= seat < self.ruleset.players:
            raise EngineError(f"there is no seat {shown(seat)}")

    def public(self) -> dict[str, Any]:
        """What everybody at the table may see: the view without private keys."""
        return self._viewer.public(self.current, self.standing, self.phase)

    def events(self, seat: int | None, since: int) -> tuple[list[dict[str, Any]], int]:
        """What ``seat`` (None: anybody) may know of what happened since a cursor, and the new cursor; to be read only."""
        if seat is not None:
            self._check_seat(seat)
        return chronicle.events(self.finished, self.current, -1 if seat is None else seat, since)

    def record(
        self,
        *,
        match: str,
        seats: Sequence[dict[str, Any]],
        stand_ins: Sequence[dict[str, int]] = (),
    ) -> dict[str, Any]:
        """The match record, thousand-record/1; ``result`` is None while the match goes on."""
        ended = self.result
        return chronicle.match_record(
            match=match,
            rules=self.ruleset.to_json(),
            seed=self.seed,
            seats=seats,
            deals=self.deals,
            stand_ins=stand_ins,
            result=None if ended is None else (ended.totals, ended.ranks, ended.reason),
        )
