"""Perfect information: what the play of a deal comes to when every hand is known and nobody errs.

The declarer maximises his points, cards and melds; all others act as one side and minimise them (what they
score themselves is of no account, as it is in a deal that is about a contract). The rules are those of
:mod:`engine.tricks`, under every option that touches the play (rules.md section 5).

>>> from engine.solver import Position, best, makes, points
>>> position = Position.of(game)            # doctest: +SKIP
>>> makes(position, 120)                    # doctest: +SKIP
{'play:AS': True, 'play:9S': False}

The search is an alpha-beta of width one ("at least n?") with fail-soft bounds and a table of them. The table
is keyed by the hands, the trump and the leader: what has been melded shows in the hands, since a melded
marriage has lost a card, and in how far the stock is drawn they show too. It holds bounds of the points
still to come, so that it serves every n, and every card of a position.

Inside, bit ``4 * rank + suit`` of a mask is a card, unlike elsewhere: the lowest bit is the cheapest card,
and kings and queens of all suits lie side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.actions import CLAIM, CLAIM_CODE, MELD, MELD_CODE, PLAY, PLAY_CODE
from engine.cards import ALL, MARRIAGES_VALUE, PACK, RANK_POINTS, members
from engine.errors import EngineError
from engine.game import Game
from engine.ruleset import RuleSet
from engine.tricks import BOUND

SUIT: Final = 0x111111
"""The cards of suit 0; shifted, of another."""
QUEEN, KING, ACE = 8, 12, 20
"""Where the four queens, kings and aces begin."""
QUEENS: Final = 15 << QUEEN


def ranked(mask: int) -> int:
    """A mask of the engine's cards as one of the solver's."""
    found = 0
    for card in range(PACK):
        if mask >> card & 1:
            found |= 1 << card % 6 * 4 + card // 6
    return found


def _points12(shift: int) -> list[int]:
    return [sum(RANK_POINTS[c // 4 + shift] for c in range(12) if half >> c & 1) for half in range(4096)]


LOW_POINTS: Final = _points12(0)
HIGH_POINTS: Final = _points12(3)
HIGHER: Final[list[int]] = [(SUIT << card % 4) & ~((2 << card) - 1) & ALL for card in range(PACK)]
SUIT_OF: Final[list[int]] = [SUIT << card % 4 for card in range(PACK)]
CARD_OF: Final[list[int]] = [card % 4 * 6 + card // 4 for card in range(PACK)]
"""The engine's number of a card of the solver."""
IN_ORDER: Final = [card % 6 * 4 + card // 6 for card in members(ALL)]
"""The cards as hands are written."""


@dataclass(frozen=True)
class Position:
    """A deal in play as the solver sees it. Places are active seats clockwise, 0 is the declarer.

    ``hands`` are the engine's masks; ``trick`` holds the cards that lie, from ``leader`` on; ``stock`` the
    cards still to be drawn, in order; ``leftovers`` go to the last trick; ``unseen`` are those of them that
    the declarer has not seen. ``points`` are the declarer's so far, ``later`` says that a trick is over.
    """

    rules: RuleSet
    hands: tuple[int, ...]
    leader: int
    trick: tuple[int, ...] = ()
    trump: int = -1
    stock: tuple[int, ...] = ()
    leftovers: int = 0
    unseen: int = 0
    points: int = 0
    later: bool = False

    @classmethod
    def of(cls, game: Game, seat: int | None = None) -> Position:
        """The position of a game in phase play. Where nobody declared, ``seat`` (else who is on turn) counts.

        Raises EngineError in any other phase.
        """
        if game.phase != "play":
            raise EngineError("only the play of a deal can be solved")
        deal = game.current
        first = deal.declarer if deal.declarer >= 0 else deal.seat if seat is None else seat
        seats = [first]
        while deal.next_seat[seats[-1]] != first:
            seats.append(deal.next_seat[seats[-1]])
        laid = deal.actions[-deal.position :] if deal.position else []
        return cls(
            rules=game.ruleset,
            hands=tuple(deal.hands[s] for s in seats),
            leader=seats.index(deal.leader),
            trick=tuple(PLAY_CODE[action] % MELD_CODE for _, action in laid),
            trump=deal.trump,
            stock=deal.stock[deal.drawn :],
            leftovers=deal.leftovers,
            unseen=deal.leftovers & ~deal.discarded,
            points=deal.points[first],
            later=len(deal.winners) > 0,
        )


class Solver:
    """The search from one position; its table serves every question about it.

    A move is a card, plus MELD_CODE for a meld. What :meth:`lead`, :meth:`led`, :meth:`follow`, :meth:`laid`,
    and :meth:`end` return is a bound of the points that the declarer still gets: a lower bound if it reaches
    ``need``, else an upper bound. In them ``trump``, ``led`` and ``beating`` are masks of cards, a card in
    hand is the bit of a mask, and ``left`` are the card points not yet won when the trick began.
    """

    def __init__(self, position: Position) -> None:
        rules = position.rules
        self.start: Position = position
        self.seats: int = len(position.hands)
        self.bound: tuple[bool, ...] = BOUND[rules.overtake]
        self.beat: bool = rules.void == "beat"
        self.must_trump: bool = rules.void == "trump"
        self.both: bool = rules.marriage_lead == "either"
        self.first_trick: bool = rules.marriage_first_trick
        self.automatic: bool = rules.marriage_announcement == "automatic"
        self.over: bool = rules.over_marriage
        self.aces: int = rules.ace_marriage
        self.claim: bool = rules.claim
        self.hands: list[int] = [ranked(hand) for hand in position.hands]
        self.stock: list[int] = [ranked(1 << card) for card in position.stock]
        self.size: int = len(self.stock)
        self.undrawn: list[int] = [sum(self.stock[drawn:]) for drawn in range(self.size + 1)]
        self.drawn: int = 0
        self.unseen: int = ranked(position.unseen)
        self.later: bool = position.later
        self.last: int = 0
        self.laid_by: list[int] = [0] * PACK
        self.table: dict[int, tuple[int, int, int]] = {}
        self.turn: int = (position.leader + len(position.trick)) % self.seats
        self.trump: int = SUIT << position.trump if position.trump >= 0 else 0
        self.trick: int = 0
        self.winner: int = -1
        self.beating: int = 0
        self.led_suit: int = 0
        self._lay_trick()
        still = sum(self.hands) | self.trick | self.undrawn[0] | ranked(position.leftovers)
        self.left: int = LOW_POINTS[still & 4095] + HIGH_POINTS[still >> 12]

    def lead(self, leader: int, trump: int, left: int, need: int) -> int:
        """``leader`` is to lead to a trick."""
        if need <= 0:
            return 0
        hands = self.hands
        mine = hands[leader]
        drawn = self.drawn
        if not mine & (mine - 1) and drawn == self.size:
            return self.last_trick(leader, trump, left)
        most = self.most(left)
        if most < need:
            return most
        if leader == 0 and self.claim and self.certain(trump):
            return most
        key = (drawn << 2 | leader) << 4 | trump & 15
        for hand in hands:
            key = key << 24 | hand
        low, high, first = self.table.get(key, (0, most, -1))
        if low >= need:
            return low
        if high < need:
            return high
        best = -1 if leader == 0 else 999
        chosen = -1
        for move in self.leads(leader, trump, first):
            value = self.led(leader, move, trump, left, need)
            if leader == 0:
                if value > best:
                    best, chosen = value, move
                    if best >= need:
                        break
            elif value < best:
                best, chosen = value, move
                if best < need:
                    break
        if best >= need:
            low = max(low, best)
        else:
            high = min(high, best)
        self.table[key] = (low, high, chosen)
        return best

    def most(self, left: int) -> int:
        """What the declarer can still get at best: all that is left and every marriage he may come to meld."""
        undrawn = self.undrawn[self.drawn]
        own = self.hands[0] | undrawn
        most = left + MARRIAGES_VALUE[own >> QUEEN & own >> KING & 15]
        if self.aces and own >> ACE == 15:
            most += self.aces
        if self.over:
            most += MARRIAGES_VALUE[(self.hands[-1] | undrawn) >> QUEEN & own >> KING & 15]
        return most

    def certain(self, trump: int) -> bool:
        """Whether the declarer, on lead, may claim: he then gets all that he can get at best."""
        hand = self.hands[0]
        if self.drawn < self.size or not hand & (hand - 1):
            return False
        outside = self.unseen
        for place in range(1, self.seats):
            outside |= self.hands[place]
        if outside & trump:
            return False
        while hand:
            card = (hand & -hand).bit_length() - 1
            if HIGHER[card] & outside:
                return False
            hand &= hand - 1
        return True

    def leads(self, leader: int, trump: int, first: int) -> list[int]:
        """The moves of a leader, likely good ones first: ``first`` (-1: none), melds, high cards."""
        hand = self.hands[leader]
        melds = self.meldable(hand)
        plays = hand & ~melds if self.automatic else hand
        moves = [first] if first >= 0 else []
        while melds:
            card = melds.bit_length() - 1
            melds ^= 1 << card
            moves.append(card | MELD_CODE)
        while plays:
            card = plays.bit_length() - 1
            plays ^= 1 << card
            moves.append(card)
        return moves

    def meldable(self, hand: int) -> int:
        """The cards of a leader's hand that he may meld by leading them."""
        melds = 0
        if self.later or self.first_trick:
            pairs = hand >> QUEEN & hand >> KING & 15
            melds = pairs << QUEEN
            if self.both:
                melds |= pairs << KING
        if self.later and self.aces and hand >> ACE == 15:
            melds |= 15 << ACE
        return melds

    def led(self, leader: int, move: int, trump: int, left: int, need: int) -> int:
        """``leader`` leads and perhaps melds."""
        card = move & 31
        bit = 1 << card
        led = SUIT_OF[card]
        value = 0
        if move >= MELD_CODE:
            trump = led
            if leader == 0:
                value = self.aces if card >= ACE else MARRIAGES_VALUE[led & 15]
        self.hands[leader] ^= bit
        self.last = bit
        self.laid_by[card] = leader
        beating = HIGHER[card] if bit & trump else HIGHER[card] | trump
        place = leader + 1 if leader + 1 < self.seats else 0
        value += self.follow(place, 1, bit, leader, beating, led, trump, left, need - value)
        self.hands[leader] ^= bit
        return value

    def cards(self, place: int, position: int, beating: int, led: int, trump: int) -> int:
        """The legal cards of a follower, ``position`` cards lying already."""
        hand = self.hands[place]
        cards = hand & led
        if cards:
            if self.bound[position]:
                return cards & beating & led or cards
            return cards
        if self.must_trump:
            cards = hand & trump
            if self.bound[position]:
                cards = cards & beating or cards
            return cards or hand
        if self.beat and self.bound[position]:
            return hand & beating or hand
        return hand

    def follow(
        self,
        place: int,
        position: int,
        trick: int,
        winner: int,
        beating: int,
        led: int,
        trump: int,
        left: int,
        need: int,
    ) -> int:
        """``place`` is to follow, ``position`` cards lying already."""
        cards = self.cards(place, position, beating, led, trump)
        best = -1 if place == 0 else 999
        king = 0
        if self.over:
            king = self.over_king(cards)
            if king:
                best = self.over_meld(place, position, king, trick, winner, led, left, need)
                if (best >= need) == (place == 0):
                    return best
                if self.automatic:
                    cards &= ~king
        while cards:
            bit = cards & -cards
            cards ^= bit
            value = self.laid(place, position, bit, trick, winner, beating, led, trump, left, need)
            if place == 0:
                if value > best:
                    best = value
                    if best >= need:
                        break
            elif value < best:
                best = value
                if best < need:
                    break
        return best

    def laid(
        self,
        place: int,
        position: int,
        bit: int,
        trick: int,
        winner: int,
        beating: int,
        led: int,
        trump: int,
        left: int,
        need: int,
    ) -> int:
        """``place`` lays the card ``bit``."""
        self.hands[place] ^= bit
        card = bit.bit_length() - 1
        if bit & beating:
            winner = place
            beating = HIGHER[card] if bit & trump else HIGHER[card] | trump
        if position + 1 == self.seats:
            value = self.end(winner, trick | bit, trump, left, need)
        else:
            self.last = bit
            self.laid_by[card] = place
            following = place + 1 if place + 1 < self.seats else 0
            value = self.follow(following, position + 1, trick | bit, winner, beating, led, trump, left, need)
        self.hands[place] ^= bit
        return value

    def over_king(self, cards: int) -> int:
        """The king that may be melded on the queen just laid (R28), else 0."""
        if self.last & QUEENS and (self.later or self.first_trick):
            return cards & self.last << 4
        return 0

    def over_meld(
        self, place: int, position: int, king: int, trick: int, winner: int, led: int, left: int, need: int
    ) -> int:
        """``place`` melds a king on his neighbour's queen; it takes the trick unless ace or ten lie there."""
        card = king.bit_length() - 1
        trump = SUIT_OF[card]
        value = 0 if place else MARRIAGES_VALUE[trump & 15]
        above = trick & HIGHER[card]
        if above:
            top = above.bit_length() - 1
            winner, beating = self.laid_by[top], HIGHER[top]
        else:
            beating = king
        return value + self.laid(
            place, position, king, trick, winner, beating, led, trump, left, need - value
        )

    def end(self, winner: int, trick: int, trump: int, left: int, need: int) -> int:
        """All have laid a card, and ``winner`` takes them."""
        hands = self.hands
        if not hands[winner] and self.drawn == self.size:
            return 0 if winner else left
        won = LOW_POINTS[trick & 4095] + HIGH_POINTS[trick >> 12]
        value = 0 if winner else won
        later, self.later = self.later, True
        if self.drawn < self.size:
            value += self.draw(winner, trump, left - won, need - value)
        else:
            value += self.lead(winner, trump, left - won, need - value)
        self.later = later
        return value

    def draw(self, winner: int, trump: int, left: int, need: int) -> int:
        """Each draws a card, the winner of the trick first, who then leads."""
        places = [*range(winner, self.seats), *range(winner)]
        for place in places:
            self.hands[place] |= self.stock[self.drawn]
            self.drawn += 1
        value = self.lead(winner, trump, left, need)
        for place in reversed(places):
            self.drawn -= 1
            self.hands[place] ^= self.stock[self.drawn]
        return value

    def last_trick(self, leader: int, trump: int, left: int) -> int:
        """What the declarer gets of a trick to which everybody has one card."""
        card = self.hands[leader].bit_length() - 1
        beating = HIGHER[card] if trump >> card & 1 else HIGHER[card] | trump
        winner = place = leader
        for _ in range(self.seats - 1):
            place = place + 1 if place + 1 < self.seats else 0
            bit = self.hands[place]
            if bit & beating:
                winner = place
                card = bit.bit_length() - 1
                beating = HIGHER[card] if bit & trump else HIGHER[card] | trump
        return 0 if winner else left

    def _lay_trick(self) -> None:
        """Lay the cards of the trick in progress; whatever was melded in it, its trump holds for all of it."""
        start = self.start
        for place, number in enumerate(start.trick, start.leader):
            bit = ranked(1 << number)
            card = bit.bit_length() - 1
            if not self.trick:
                self.led_suit = SUIT_OF[card]
            if not self.trick or bit & self.beating:
                self.winner = place % self.seats
                self.beating = HIGHER[card] if bit & self.trump else HIGHER[card] | self.trump
            self.trick |= bit
            self.last = bit
            self.laid_by[card] = place % self.seats

    def legal(self) -> dict[str, int]:
        """The legal actions and their moves, in the engine's order."""
        plays = hand = self.hands[self.turn]
        if self.trick:
            plays = self.cards(self.turn, len(self.start.trick), self.beating, self.led_suit, self.trump)
            melds = self.over_king(plays) if self.over else 0
        else:
            melds = self.meldable(hand)
        if self.automatic:
            plays &= ~melds
        moves = {PLAY[CARD_OF[card]]: card for card in IN_ORDER if plays >> card & 1}
        for card in IN_ORDER:
            if melds >> card & 1:
                moves[MELD[CARD_OF[card]]] = card | MELD_CODE
        if not self.trick and self.claim and self.turn == 0 and self.certain(self.trump):
            moves[CLAIM] = CLAIM_CODE
        return moves

    def after(self, move: int, need: int) -> int:
        """``move`` is made in the position itself."""
        place, left = self.turn, self.left
        if move == CLAIM_CODE:
            return self.most(left)
        if not self.trick:
            return self.led(place, move, self.trump, left, need)
        position, trick, winner, led = len(self.start.trick), self.trick, self.winner, self.led_suit
        if move >= MELD_CODE:
            return self.over_meld(place, position, 1 << move - MELD_CODE, trick, winner, led, left, need)
        return self.laid(place, position, 1 << move, trick, winner, self.beating, led, self.trump, left, need)

    def made(self, n: int) -> bool:
        """Whether the declarer comes to ``n`` points or more."""
        need = n - self.start.points
        if not self.trick:
            return self.lead(self.turn, self.trump, self.left, need) >= need
        position, winner, led = len(self.start.trick), self.winner, self.led_suit
        beating, trump, left = self.beating, self.trump, self.left
        return self.follow(self.turn, position, self.trick, winner, beating, led, trump, left, need) >= need

    def makes(self, n: int) -> dict[str, bool]:
        """For every legal action whether the declarer then comes to ``n`` points or more."""
        need = n - self.start.points
        return {action: self.after(move, need) >= need for action, move in self.legal().items()}

    def points(self) -> dict[str, int]:
        """For every legal action the points that the declarer then comes to."""
        found: dict[str, int] = {}
        guess = self.left // 2
        for action, move in self.legal().items():
            low, high = 0, self.most(self.left) + 0
            while low < high:
                need = max(guess, low + 1)
                guess = self.after(move, need)
                if guess >= need:
                    low = guess
                else:
                    high = guess
            guess = low
            found[action] = self.start.points + low
        return found

    def best(self) -> str:
        """The best action of the seat on turn, the first in the engine's order if some are equal."""
        found = self.points()
        return (max if self.turn == 0 else min)(found, key=found.__getitem__)


def points(position: Position) -> dict[str, int]:
    """For every legal action the declarer's points at the end of the deal, if nobody errs after it."""
    return Solver(position).points()


def makes(position: Position, n: int) -> dict[str, bool]:
    """For every legal action whether the declarer makes ``n`` points, if nobody errs after it."""
    return Solver(position).makes(n)


def made(position: Position, n: int) -> bool:
    """Whether the declarer makes ``n`` points, if nobody errs."""
    return Solver(position).made(n)


def best(position: Position) -> str:
    """The best action of the seat on turn: the most points for a declarer, the fewest for him else."""
    return Solver(position).best()
