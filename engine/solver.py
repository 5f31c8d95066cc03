"""Perfect information: what the play of a deal comes to when every hand is known and nobody errs.

The declarer wants as many points as he can get, cards and melds; all others act as one side and want him to
have few (what they score themselves is of no account). The rules are those of :mod:`engine.tricks`, with every
option that touches the play (rules.md section 5), the drawing from the stock included.

    position = Position.of(game)
    made(position, 120)     # True: the declarer can make it
    makes(position, 120)    # {"play:AS": True, "play:9S": False}: for each legal action
    points(position)        # {"play:AS": 131, "play:9S": 104}
    best(position)          # "play:AS"

Each question is alpha-beta with a window of one point, "does he still get ``need``?", whose answers are bounds
(fail-soft). A table keeps them by hands, trump and leader, so that one :class:`Solver` answers all questions
about a position from one table. Nothing else is needed in the key: a marriage that has been melded has lost a
card, and the bounds are of points still to come; only while there is a stock it counts how much of it is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.actions import CLAIM, CLAIM_CODE, MELD, MELD_CODE, PLAY, PLAY_CODE
from engine.cards import MARRIAGES_VALUE, PACK
from engine.errors import EngineError
from engine.game import Game
from engine.ranked import (
    CARD_OF,
    DEAREST,
    IN_ORDER,
    R_ACE,
    R_HIGHER,
    R_KING,
    R_NINES,
    R_QUEEN,
    R_QUEENS,
    R_SUIT_MASK_OF,
    R_SUITS,
    falling,
    r_marriages,
    r_points,
    ranked,
    rising,
    unbeaten,
)
from engine.ruleset import RuleSet
from engine.tricks import BOUND

NO_MOVE: Final = -1
LESS, MORE = -1, 999
"""Less and more than any number of points in a deal."""


@dataclass(frozen=True)
class Position:
    """A deal in play. Places are the active seats clockwise, 0 is the declarer; masks are the engine's.

    ``trick`` are the cards that lie, the first is the ``leader``'s; ``stock`` those to be drawn, in order.
    ``leftovers`` go to the last trick; the declarer has not seen those that are ``unseen``. ``points`` are the
    declarer's so far; ``later`` says that a trick has been taken, on which some rules make melds depend.
    """

    rules: RuleSet
    hands: tuple[int, ...]
    leader: int = 0
    trick: tuple[int, ...] = ()
    trump: int = -1
    stock: tuple[int, ...] = ()
    leftovers: int = 0
    unseen: int = 0
    points: int = 0
    later: bool = False

    @classmethod
    def of(cls, game: Game, seat: int = -1) -> Position:
        """The position of a game that is in phase play.

        Where there is no auction ``seat`` is taken for the declarer, or else the seat on turn. Raises EngineError
        in another phase.
        """
        if game.phase != "play":
            raise EngineError(f"a deal can be solved while it is played, not in phase {game.phase}")
        deal = game.current
        if deal.declarer >= 0:
            seat = deal.declarer
        elif seat < 0:
            seat = deal.seat
        seats = [seat]
        while len(seats) < len(deal.active):
            seats.append(deal.next_seat[seats[-1]])
        laid = deal.actions[len(deal.actions) - deal.position :]
        return cls(
            rules=game.ruleset,
            hands=tuple([deal.hands[seat] for seat in seats]),
            leader=seats.index(deal.leader),
            trick=tuple([PLAY_CODE[action] % MELD_CODE for _, action in laid]),
            trump=deal.trump,
            stock=deal.stock[deal.drawn :],
            leftovers=deal.leftovers,
            unseen=deal.leftovers & ~deal.discarded,
            points=deal.points[seat],
            later=len(deal.winners) > 0,
        )


def points(position: Position) -> dict[str, int]:
    """For every legal action the declarer's points at the end of the deal, if nobody errs after it."""
    return Solver(position).points()


def makes(position: Position, n: int) -> dict[str, bool]:
    """For every legal action whether the declarer comes to ``n`` points, if nobody errs after it."""
    return Solver(position).makes(n)


def made(position: Position, n: int) -> bool:
    """Whether the declarer comes to ``n`` points, if nobody errs."""
    return Solver(position).made(n)


def best(position: Position) -> str:
    """The best action of the seat on turn: most points for the declarer, or fewest if it is another's turn."""
    return Solver(position).best()


class Solver:
    """The search from one position.

    Inside, cards are those of :mod:`engine.ranked`, and a move is a card, plus MELD_CODE if it is melded. The
    methods with a ``need`` return a bound of the points that the declarer still gets: a lower one if it reaches
    ``need``, else an upper one. ``left`` are the card points not taken when the trick began; ``trump``, ``led``
    (the suit) and ``beating`` (what takes the trick from the card now winning it) are masks.
    """

    def __init__(self, position: Position) -> None:
        rules = position.rules
        self.bound: tuple[bool, ...] = BOUND[rules.overtake]
        self.beat: bool = rules.void == "beat"
        self.must_trump: bool = rules.void == "trump"
        self.both: bool = rules.marriage_lead == "either"
        self.first_trick: bool = rules.marriage_first_trick
        self.automatic: bool = rules.marriage_announcement == "automatic"
        self.over: bool = rules.over_marriage
        self.aces: int = rules.ace_marriage
        self.claim: bool = rules.claim
        self.seats: int = len(position.hands)
        self.hands: list[int] = [ranked(hand) for hand in position.hands]
        self.stock: list[int] = [ranked(1 << card) for card in position.stock]
        self.undrawn: list[int] = [sum(self.stock[drawn:]) for drawn in range(len(self.stock) + 1)]
        self.drawn: int = 0
        self.unseen: int = ranked(position.unseen)
        self.later: bool = position.later
        self.last: int = 0
        self.laid_by: list[int] = [0] * PACK
        self.table: dict[int, tuple[int, int, int]] = {}
        # the position itself
        self.so_far: int = position.points
        self.turn: int = (position.leader + len(position.trick)) % self.seats
        self.position: int = len(position.trick)
        self.trump: int = R_SUITS[position.trump] if position.trump >= 0 else 0
        self.trick: int = 0
        self.winner: int = 0
        self.beating: int = 0
        self.led_suit: int = 0
        for place, number in enumerate(position.trick, position.leader):
            self._lay(place % self.seats, ranked(1 << number))
        leftovers = ranked(position.leftovers)
        self.left: int = r_points(sum(self.hands) | self.trick | self.undrawn[0] | leftovers)
        self.legal: dict[str, int] = self._legal()
        """The legal actions and their moves, in the engine's order."""

    def _lay(self, place: int, bit: int) -> None:
        """Lay a card of the trick in progress. A trump that was made in it holds for the whole trick."""
        card = bit.bit_length() - 1
        if not self.trick:
            self.led_suit = R_SUIT_MASK_OF[card]
            self.beating = bit
        if bit & self.beating:
            self.winner = place
            self.beating = R_HIGHER[card] if bit & self.trump else R_HIGHER[card] | self.trump
        self.trick |= bit
        self.last = bit
        self.laid_by[card] = place

    # -- questions ---------------------------------------------------------------------------------

    def made(self, n: int) -> bool:
        """Whether the declarer comes to ``n`` points."""
        need = n - self.so_far
        if not self.position:
            return self.lead(self.turn, self.trump, self.left, need) >= need
        answers = (self.after(move, need) >= need for move in self.legal.values())
        return any(answers) if self.turn == 0 else all(answers)

    def makes(self, n: int) -> dict[str, bool]:
        """For every legal action whether the declarer then comes to ``n`` points."""
        need = n - self.so_far
        return {action: self.after(move, need) >= need for action, move in self.legal.items()}

    def points(self) -> dict[str, int]:
        """For every legal action the points that the declarer then comes to."""
        found: dict[str, int] = {}
        value = self.left // 2
        for action, move in self.legal.items():
            value = self.exactly(move, value)
            found[action] = self.so_far + value
        return found

    def best(self) -> str:
        """The best action of the seat on turn, the first in the engine's order of equal ones."""
        chosen = ""
        value = LESS if self.turn == 0 else MORE
        for action, move in self.legal.items():
            need = value + 1 if self.turn == 0 else value
            if (self.after(move, need) >= need) == (self.turn == 0):
                chosen, value = action, self.exactly(move, min(value, self.left))
        return chosen

    def exactly(self, move: int, guess: int) -> int:
        """The points that the declarer still gets after ``move``.

        Bounds close in on them from a guess, in growing steps, and halve what is between once they are passed.
        """
        low, high, step = 0, MORE, 1
        while low < high:
            if not low < guess <= high:
                guess = (low + high + 1) // 2
            value = self.after(move, guess)
            if value >= guess:
                low = value
                guess = value + step
            else:
                high = value
                guess = value + 1 - step
            step *= 2
        return low

    def _legal(self) -> dict[str, int]:
        if self.position:
            plays = self.cards(self.turn, self.position, self.beating, self.led_suit, self.trump)
            melds = self.over_king(plays)
        else:
            plays = self.hands[self.turn]
            melds = self.meldable(plays)
        if self.automatic:
            plays &= ~melds
        moves = {PLAY[CARD_OF[card]]: card for card in IN_ORDER if plays >> card & 1}
        for card in IN_ORDER:
            if melds >> card & 1:
                moves[MELD[CARD_OF[card]]] = card + MELD_CODE
        if self.claim and not self.position and self.turn == 0 and self.certain(self.trump):
            moves[CLAIM] = CLAIM_CODE
        return moves

    def after(self, move: int, need: int) -> int:
        """What is to come when ``move`` is made in the position itself."""
        place, left = self.turn, self.left
        if move == CLAIM_CODE:
            return self.most(left)
        if not self.position:
            return self.led(place, move, self.trump, left, need)
        position, trick, winner, led = self.position, self.trick, self.winner, self.led_suit
        if move >= MELD_CODE:
            return self.over_meld(place, position, move - MELD_CODE, trick, winner, led, left, need)
        return self.laid(place, position, move, trick, winner, self.beating, led, self.trump, left, need)

    # -- the rules of the play ---------------------------------------------------------------------

    def cards(self, place: int, position: int, beating: int, led: int, trump: int) -> int:
        """The legal cards of a follower when ``position`` cards lie (R4 to R7)."""
        hand = self.hands[place]
        bound = self.bound[position]
        cards = hand & led
        if cards:
            return (cards & beating or cards) if bound else cards
        if self.must_trump:
            cards = hand & trump
            return ((cards & beating or cards) if bound else cards) or hand
        if self.beat and bound:
            return hand & beating or hand
        return hand

    def meldable(self, hand: int) -> int:
        """The cards of a leader's hand that he may meld by leading them."""
        melds = 0
        if self.later or self.first_trick:
            pairs = r_marriages(hand)
            melds = pairs << R_QUEEN | (pairs << R_KING if self.both else 0)
        if self.later and self.aces and hand >> R_ACE == R_NINES:
            melds |= R_NINES << R_ACE
        return melds

    def over_king(self, cards: int) -> int:
        """The king among a follower's cards that he may meld on the queen just laid (R28), else 0."""
        if self.over and self.last & R_QUEENS and (self.later or self.first_trick):
            return cards & self.last << 4
        return 0

    def certain(self, trump: int) -> bool:
        """R33: whether the declarer, on lead, may claim. He then gets all that he can get at best."""
        hand = self.hands[0]
        if self.drawn < len(self.stock) or not hand & (hand - 1):
            return False
        outside = self.unseen
        for place in range(1, self.seats):
            outside |= self.hands[place]
        return not outside & trump and not hand & ~unbeaten(outside)

    def most(self, left: int) -> int:
        """What the declarer can still get at best: all that is left, and every marriage he may come to meld."""
        undrawn = self.undrawn[self.drawn]
        own = self.hands[0] | undrawn
        value = left + MARRIAGES_VALUE[r_marriages(own)]
        if self.aces and own >> R_ACE == R_NINES:
            value += self.aces
        if self.over:
            value += MARRIAGES_VALUE[(self.hands[-1] | undrawn) >> R_QUEEN & own >> R_KING & 15]
        return value

    # -- the search --------------------------------------------------------------------------------

    def lead(  # noqa: C901, PLR0912 - the inner loop, calls cost
        self, leader: int, trump: int, left: int, need: int
    ) -> int:
        """``leader`` is to lead to a trick."""
        if need <= 0:
            return 0
        hands, drawn = self.hands, self.drawn
        mine = hands[leader]
        settled = drawn == len(self.stock)
        if settled and not mine & (mine - 1) and not self.over:
            return self.last_trick(leader, trump, left)
        most = self.most(left)
        if most < need or (self.claim and leader == 0 and self.certain(trump)):
            return most
        key = (drawn << 2 | leader) << 4 | trump & 15
        for hand in hands:
            key = key << 24 | hand
        known = self.table.get(key)
        if known is not None:
            low, high, first = known
        else:
            low, high, first = 0, most, NO_MOVE
            if settled and not self.over:
                if leader == 0:
                    low = self.sure(0, trump, left)
                else:
                    high -= self.sure(leader, trump, left)
        if low >= need:
            return low
        if high < need:
            return high
        found, chosen = LESS if leader == 0 else MORE, NO_MOVE
        for move in self.leads(leader, first):
            value = self.led(leader, move, trump, left, need)
            if value > found if leader == 0 else value < found:
                found, chosen = value, move
                if (value >= need) == (leader == 0):
                    break
        if found >= need:
            low = max(low, found)
        else:
            high = min(high, found)
        self.table[key] = (low, high, chosen)
        return found

    def sure(self, leader: int, trump: int, left: int) -> int:
        """What the side of ``leader``, on lead, can at least get, by leading what nobody can beat.

        Its cards and the cheapest that the others can throw on them; a declarer's marriages too. He leads trumps
        first, then his good cards, and king and queen of a marriage after those.
        """
        mine = self.hands[leader]
        others = sum(self.hands) ^ mine
        if self.automatic and self.aces and mine >> R_ACE == R_NINES:
            return 0  # his first ace would make trump of a suit that others may hold
        winners = mine & unbeaten(others)
        value = 0
        if others & trump and self.longest(leader, trump) > (winners & trump).bit_count():
            winners &= trump
            if leader == 0 and (winners or self.later or self.first_trick):
                value = DEAREST[r_marriages(mine)]
        else:
            if leader == 0:
                value = self.sure_melds(mine, winners)
            for suit in R_SUITS:
                top = winners & suit
                if top and mine & suit != top and self.longest(leader, suit) <= top.bit_count():
                    winners |= mine & suit
        if winners == mine:
            return value + left
        return value + r_points(winners) + self.thrown(leader, winners.bit_count())

    def sure_melds(self, mine: int, winners: int) -> int:
        """The marriages that a declarer can meld while he leads his winners, and one more after them."""
        pairs = r_marriages(mine)
        if not pairs:
            return 0
        if not (self.later or self.first_trick or winners & ~(pairs << R_QUEEN | pairs << R_KING)):
            return 0
        told = pairs & winners >> (R_KING if self.both else R_QUEEN)
        return MARRIAGES_VALUE[told] + DEAREST[pairs & ~told]

    def longest(self, leader: int, suit: int) -> int:
        """The most cards of a suit that one of the others holds."""
        most = 0
        for place in range(self.seats):
            if place != leader:
                most = max(most, (self.hands[place] & suit).bit_count())
        return most

    def thrown(self, leader: int, tricks: int) -> int:
        """The points of the cheapest cards that the others can part with in so many tricks."""
        value = 0
        for place in range(self.seats):
            if place != leader:
                rest = hand = self.hands[place]
                for _ in range(tricks):
                    rest &= rest - 1
                value += r_points(hand ^ rest)
        return value

    def leads(self, leader: int, first: int) -> list[int]:
        """The moves of a leader: ``first`` if there is one, melds, then the dearest cards first."""
        hand = self.hands[leader]
        melds = self.meldable(hand)
        moves = [card + MELD_CODE for card in falling(melds)]
        moves += falling(hand & ~melds if self.automatic else hand)
        if first >= 0:
            moves.remove(first)
            moves.insert(0, first)
        return moves

    def led(self, leader: int, move: int, trump: int, left: int, need: int) -> int:
        """``leader`` leads, and melds perhaps."""
        card = move % MELD_CODE
        bit = 1 << card
        led = R_SUIT_MASK_OF[card]
        value = 0
        if move >= MELD_CODE:
            trump = led
            if leader == 0:
                value = self.aces if card >= R_ACE else MARRIAGES_VALUE[led & 15]
        self.hands[leader] ^= bit
        self.last = bit
        self.laid_by[card] = leader
        beating = R_HIGHER[card] if bit & trump else R_HIGHER[card] | trump
        place = leader + 1 if leader + 1 < self.seats else 0
        value += self.follow(place, 1, bit, leader, beating, led, trump, left, need - value)
        self.hands[leader] ^= bit
        return value

    def follow(  # noqa: PLR0913, PLR0917 - the state of a trick, and a call costs less than an object
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
        """``place`` is to follow when ``position`` cards lie."""
        cards = self.cards(place, position, beating, led, trump)
        found = LESS if place == 0 else MORE
        king = self.over_king(cards) if self.over else 0
        if king:
            card = king.bit_length() - 1
            found = self.over_meld(place, position, card, trick, winner, led, left, need)
            if (found >= need) == (place == 0):
                return found
            if self.automatic:
                cards ^= king
        for card in self.in_turn(place, cards, beating, winner):
            value = self.laid(place, position, card, trick, winner, beating, led, trump, left, need)
            if value > found if place == 0 else value < found:
                found = value
                if (value >= need) == (place == 0):
                    break
        return found

    def in_turn(self, place: int, cards: int, beating: int, winner: int) -> tuple[int, ...]:
        """A follower's cards, likely good ones first.

        The declarer takes a trick dear, another takes it from him cheaply; who cannot throws his cheapest card,
        and who need not, because the trick is his side's, his dearest.
        """
        if not cards & (cards - 1):
            return falling(cards)
        if place == 0:
            return falling(cards & beating) + rising(cards & ~beating)
        if winner == 0:
            return rising(cards & beating) + rising(cards & ~beating)
        return falling(cards)

    def laid(  # noqa: PLR0913, PLR0917 - as follow
        self,
        place: int,
        position: int,
        card: int,
        trick: int,
        winner: int,
        beating: int,
        led: int,
        trump: int,
        left: int,
        need: int,
    ) -> int:
        """``place`` follows with a card."""
        bit = 1 << card
        self.hands[place] ^= bit
        if bit & beating:
            winner = place
            beating = R_HIGHER[card] if bit & trump else R_HIGHER[card] | trump
        position += 1
        if position == self.seats:
            value = self.end(winner, trick | bit, trump, left, need)
        else:
            self.last = bit
            self.laid_by[card] = place
            following = place + 1 if place + 1 < self.seats else 0
            value = self.follow(following, position, trick | bit, winner, beating, led, trump, left, need)
        self.hands[place] ^= bit
        return value

    def over_meld(
        self, place: int, position: int, king: int, trick: int, winner: int, led: int, left: int, need: int
    ) -> int:
        """``place`` melds his king on the queen; it takes the trick unless ace or ten of the suit lie there."""
        trump = R_SUIT_MASK_OF[king]
        value = 0 if place else MARRIAGES_VALUE[trump & 15]
        above = trick & R_HIGHER[king]
        if above:
            top = above.bit_length() - 1
            winner, beating = self.laid_by[top], R_HIGHER[top]
        else:
            beating = 1 << king
        value += self.laid(place, position, king, trick, winner, beating, led, trump, left, need - value)
        return value

    def end(self, winner: int, trick: int, trump: int, left: int, need: int) -> int:
        """All have laid a card, and ``winner`` takes them."""
        if self.drawn == len(self.stock) and not self.hands[winner]:
            return 0 if winner else left
        won = r_points(trick)
        value = 0 if winner else won
        later, self.later = self.later, True
        if self.drawn == len(self.stock):
            value += self.lead(winner, trump, left - won, need - value)
        else:
            value += self.drawing(winner, trump, left - won, need - value)
        self.later = later
        return value

    def drawing(self, winner: int, trump: int, left: int, need: int) -> int:
        """Each draws a card, the winner of the trick first, who then leads."""
        places = [(winner + step) % self.seats for step in range(self.seats)]
        for place in places:
            self.hands[place] |= self.stock[self.drawn]
            self.drawn += 1
        value = self.lead(winner, trump, left, need)
        for place in reversed(places):
            self.drawn -= 1
            self.hands[place] ^= self.stock[self.drawn]
        return value

    def last_trick(self, leader: int, trump: int, left: int) -> int:
        """Everybody has one card, and no king can be melded on a queen."""
        card = self.hands[leader].bit_length() - 1
        beating = R_HIGHER[card] if trump >> card & 1 else R_HIGHER[card] | trump
        winner = leader
        for step in range(1, self.seats):
            place = (leader + step) % self.seats
            bit = self.hands[place]
            if bit & beating:
                winner = place
                card = bit.bit_length() - 1
                beating = R_HIGHER[card] if bit & trump else R_HIGHER[card] | trump
        return 0 if winner else left
