"""A deal step by step: before each action how the table stood, who decided among what, and who could see it.

Pure: a finished deal of the engine and the legal actions at each of its actions go in, frozen values come out. What a
card, a word or a list may be seen by are the *views* of a replay: "0", "1", ... are seats, "live" is what everybody at the
table saw; "all" sees everything and is never written down. Steps count from 1, tricks too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import NUMBER, POINTS, hand_text
from engine.deal import ACES_SHOWN, Deal
from engine.record import replay
from games.faces import Card

LIVE: Final = "live"
ALL: Final = "all"


@dataclass(frozen=True)
class Shown:
    """A card in a moment; ``state`` are words of ``cards.css`` (lit, dimmed, chosen, won, meld, lead)."""

    card: Card
    state: str = ""


@dataclass(frozen=True)
class Zone:
    """Cards that lie together, with the views that see their faces."""

    cards: tuple[Shown, ...]
    seen: tuple[str, ...]


@dataclass(frozen=True)
class OnTable:
    """A card of the trick on the table."""

    seat: int
    shown: Shown


@dataclass(frozen=True)
class Moment:
    """The table before action ``number`` (from 1), or after the last one, when ``seat`` is None.

    ``legal`` are all actions the seat could take and ``action`` the one it took, in the protocol's text; ``receiver`` is
    who gets a card that is given. Hands are by seat of the match (None for a seat that sits out), ``calls`` the last word of
    each seat in the auction, "" for none. ``won`` is the trick before this one, as long as its successor is not begun.
    ``needed`` is None before there is a contract.
    """

    number: int
    seat: int | None
    action: str
    receiver: int | None
    legal: tuple[str, ...]
    trick: int | None
    hands: tuple[Zone | None, ...]
    table: tuple[OnTable, ...]
    won: tuple[OnTable, ...]
    winner: int | None
    trump: Card | None
    talons: tuple[Zone, ...]
    away: Zone
    stock: int
    calls: tuple[str, ...]
    declarer: int | None
    bid: int | None
    contract: int | None
    points: tuple[int, ...]
    needed: int | None


def of_record(record: Mapping[str, Any], number: int) -> tuple[Moment, ...]:
    """Every moment of deal ``number`` (from 1) of a record; none of a deal that there is not.

    Raises RecordError for a record the engine disagrees with, as far as it is played again: to the end of that deal.
    """
    legal: list[tuple[str, ...]] = []
    game = None
    for step in replay(record):
        if step.deal >= number:
            break
        game = step.game
        if step.deal == number - 1:
            legal.append(step.legal)
    if game is None or not legal:
        return ()
    return moments(game.finished[number - 1][0], legal, game.ruleset.dark_bid)


def moments(deal: Deal, legal: Sequence[Sequence[str]], dark_bid: int | None) -> tuple[Moment, ...]:
    """Every moment of a deal that is over; ``legal`` has a list for each of its actions."""
    table = _Table(deal, dark_bid)
    made = []
    for number, (seat, action) in enumerate(deal.actions):
        table.reach(number)
        made.append(table.moment(seat, action, tuple(legal[number])))
        table.take(seat, action)
    table.reach(len(deal.actions))
    made.append(table.ended())
    return tuple(made)


class _Table:
    """A deal as it goes on; what the engine noted (talon, draws, hands seen late) comes in by :meth:`reach`."""

    def __init__(self, deal: Deal, dark_bid: int | None) -> None:
        seats = len(deal.dealt)
        self.deal = deal
        self.dark_bid = dark_bid
        self.called = max(
            (at + 1 for at, (_, action) in enumerate(deal.actions) if _is_call(action)), default=0
        )
        """So many actions were taken when the auction was over."""
        self.taken = self.noted = self.tricks = self.drawn = 0
        self.hands = list(deal.dealt)
        self.blind = deal.offered_dark
        self.talon_taken = self.talon_public = False
        self.away = 0
        self.trick: list[OnTable] = []
        self.won: tuple[OnTable, ...] = ()
        self.calls = [""] * seats
        self.points = [0] * seats
        self.trump: Card | None = None
        self.bid: int | None = deal.bid if deal.golden and deal.declarer >= 0 else None
        self.contract: int | None = None

    def reach(self, number: int) -> None:
        """All that happened by itself before action ``number``."""
        self.taken = number
        notes = self.deal.notes
        while self.noted < len(notes) and notes[self.noted][0] <= number:
            _, viewer, event = notes[self.noted]
            self.noted += 1
            if event["event"] == "talon":
                self.hands[self.deal.declarer] |= self.deal.talon
                self.talon_taken, self.talon_public = True, viewer < 0
            elif event["event"] == "draw":
                self.hands[viewer] |= 1 << NUMBER[event["card"]]
                self.drawn += 1
            else:
                self.blind = False

    def take(self, seat: int, action: str) -> None:
        """What ``action`` changes."""
        verb, _, rest = action.partition(":")
        if verb in {"play", "meld"}:
            self._play(seat, rest, melds=verb == "meld")
        elif verb in {"give", "discard"}:
            self._part_with(seat, action)
        elif verb == "bid":
            self.calls[seat], self.bid = rest, int(rest)
        elif verb == "dark":
            self.calls[seat], self.bid = action, self.dark_bid
        elif verb == "contract":
            self.contract = int(rest)
        elif verb in {"pass", "look"}:
            self.calls[seat] = action

    def _part_with(self, seat: int, action: str) -> None:
        card, receiver = 1 << NUMBER[action.partition(":")[2]], self._receiver(action)
        self.hands[seat] &= ~card
        if receiver is None:
            self.away |= card
        else:
            self.hands[receiver] |= card

    def _receiver(self, action: str) -> int | None:
        """Who gets the card that is given."""
        if not action.startswith("give:"):
            return None
        return next(who for who, card in self.deal.given if card == NUMBER[action[5:]])

    def _play(self, seat: int, text: str, *, melds: bool) -> None:
        self.won = ()
        self.hands[seat] &= ~(1 << NUMBER[text])
        if melds:
            self.trump = Card(text)
            kind = ACES_SHOWN if text[0] == "A" else NUMBER[text] // 6
            self.points[seat] += next(
                value for who, what, value in self.deal.melds if (who, what) == (seat, kind)
            )
        state = " ".join(word for word, holds in (("lead", not self.trick), ("meld", melds)) if holds)
        self.trick.append(OnTable(seat, Shown(Card(text), state)))
        if len(self.trick) == len(self.deal.active):
            self._end_trick()

    def _end_trick(self) -> None:
        winner = self.deal.winners[self.tricks]
        self.points[winner] += sum(POINTS[NUMBER[laid.shown.card.text]] for laid in self.trick)
        self.won = tuple(
            OnTable(laid.seat, Shown(laid.shown.card, f"{laid.shown.state} won".strip()))
            if laid.seat == winner
            else laid
            for laid in self.trick
        )
        self.tricks += 1
        self.trick = []

    # -- what is shown -----------------------------------------------------------------------------

    def moment(self, seat: int, action: str, legal: tuple[str, ...]) -> Moment:
        """Now, with ``seat`` to decide."""
        return self._moment(seat, action, legal, tuple(self.points))

    def ended(self) -> Moment:
        """After the last action; points are the engine's, with what the last trick brings."""
        deal = self.deal
        counted = not deal.void and not deal.conceded
        return self._moment(None, "", (), tuple(deal.points) if counted else tuple(self.points))

    def _moment(
        self, seat: int | None, action: str, legal: tuple[str, ...], points: tuple[int, ...]
    ) -> Moment:
        deal = self.deal
        playing = 0 <= deal.play_start <= self.taken
        declarer = deal.declarer if deal.declarer >= 0 and self.taken >= self.called else None
        contract = self.contract or (deal.contract if playing and deal.contract else None)
        return Moment(
            number=self.taken + 1,
            seat=seat,
            action=action,
            receiver=self._receiver(action),
            legal=legal,
            trick=self.tricks + 1 if playing and seat is not None else None,
            hands=tuple(self._hand(who, seat, action, legal) for who in range(len(self.hands))),
            table=tuple(self.trick),
            won=self.won,
            winner=deal.winners[self.tricks - 1] if self.won else None,
            trump=self.trump,
            talons=tuple(self._talons()),
            away=Zone(_plain(self.away), () if declarer is None else (str(declarer),)),
            stock=len(deal.stock) - self.drawn,
            calls=tuple(self.calls),
            declarer=declarer,
            bid=self.bid,
            contract=contract,
            points=points,
            needed=None if contract is None or declarer is None else max(0, contract - points[declarer]),
        )

    def _hand(self, who: int, seat: int | None, action: str, legal: tuple[str, ...]) -> Zone | None:
        if who not in self.deal.active:
            return None
        seen = () if self.blind and who == self.deal.active[0] else (str(who),)
        if who != seat:
            return Zone(_plain(self.hands[who]), seen)
        allowed = {
            text.partition(":")[2]
            for text in legal
            if text.startswith(("play:", "meld:", "give:", "discard:"))
        }
        chosen = action.partition(":")[2]
        return Zone(
            tuple(Shown(Card(text), _state(text, allowed, chosen)) for text in hand_text(self.hands[who])),
            seen,
        )

    def _talons(self) -> Iterable[Zone]:
        deal = self.deal
        everybody = (*(str(seat) for seat in range(len(self.hands))), LIVE)
        for index, talon in enumerate(deal.talons):
            taken = self.talon_taken and index == deal.chosen
            seen: tuple[str, ...] = (str(deal.declarer),) if taken else ()
            if deal.face_up or (taken and self.talon_public):
                seen = everybody
            yield Zone(_plain(talon), seen)


def _state(text: str, allowed: set[str], chosen: str) -> str:
    if text == chosen:
        return "lit chosen"
    if not allowed:
        return ""
    return "lit" if text in allowed else "dimmed"


def _plain(hand: int) -> tuple[Shown, ...]:
    return tuple(Shown(Card(text)) for text in hand_text(hand))


def _is_call(action: str) -> bool:
    return action in {"pass", "dark", "look"} or action.startswith("bid:")
