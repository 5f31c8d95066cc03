"""The play of the cards: legal cards, marriages, the claim, tricks and the stock (rules.md section 5).

:meth:`Tricks.play` is the engine's inner loop: it takes one action and all forced ones after it, and works
out the legal actions once a ply, on masks.
"""

from __future__ import annotations

from typing import Final

from engine.actions import (
    CLAIM_CODE,
    CLAIM_TUPLE,
    MELD,
    MELD_CODE,
    PLAY_CODE,
    PLAY_HIGH,
    PLAY_LOW,
    PLAY_SUIT,
    TAKEN,
)
from engine.cards import (
    ABOVE12,
    ACES,
    ALL,
    HIGHER,
    KING,
    KINGS,
    MARRIAGE_VALUE,
    PAIRS12,
    POINTS12,
    QUEEN,
    QUEENS,
    SUIT_MASK,
    SUIT_OF,
    TEXT,
    marriages,
    members,
    points,
)
from engine.deal import ACES_SHOWN, Deal
from engine.ruleset import RuleSet

BOUND: Final = {
    "all": (False, True, True, True),
    "second": (False, True, False, False),
    "none": (False, False, False, False),
}
"""Who must beat the trick if able, by place in the trick."""
SUIT_MASK_OF: Final[tuple[int, ...]] = tuple(SUIT_MASK[SUIT_OF[card]] for card in range(24))
"""The mask of a card's suit."""
ACES_BIT: Final = 1 << ACES_SHOWN
PAIR_CARDS: Final[tuple[int, ...]] = tuple(
    sum((1 << QUEEN | 1 << KING) << 6 * suit for suit in range(4) if pairs >> suit & 1) for pairs in range(16)
)


class Tricks:
    """Plays a deal by a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.seats: int = rules.active
        self.bound: tuple[bool, ...] = BOUND[rules.overtake]
        self.beat: bool = rules.void == "beat"
        self.must_trump: bool = rules.void == "trump"
        self.leads: int = QUEENS | (KINGS if rules.marriage_lead == "either" else 0)
        self.first_trick: bool = rules.marriage_first_trick
        self.automatic: bool = rules.marriage_announcement == "automatic"
        self.over: bool = rules.over_marriage
        self.aces: int = rules.ace_marriage
        self.claim: bool = rules.claim

    def enter(self, deal: Deal) -> tuple[str, ...]:
        """The first lead: the declarer's, or forehand's where there is no auction."""
        deal.play_start = len(deal.actions)
        deal.seat = deal.leader = deal.declarer if deal.declarer >= 0 else deal.active[0]
        deal.leftovers = deal.discarded
        for index, talon in enumerate(deal.talons):
            if index != deal.chosen:
                deal.leftovers |= talon
        return self._lead(deal, deal.seat, deal.hands[deal.seat])

    def play(self, deal: Deal, action: str) -> bool:  # noqa: C901, PLR0912, PLR0915 - the inner loop, calls cost
        """Take ``action`` and every forced one after it; True when all cards are played.

        ``beating`` holds the cards that would take the trick from the one now winning it.
        """
        hands, actions, next_seat, seats = deal.hands, deal.actions, deal.next_seat, self.seats
        seat, position, trick = deal.seat, deal.position, deal.trick
        beating, winner, led, trumps = deal.beating, deal.winner, deal.led_mask, deal.trump_mask
        code = PLAY_CODE[action]
        while True:
            actions.append(TAKEN[seat][code])
            card = code
            if code >= MELD_CODE:
                if code == CLAIM_CODE:
                    self._claim(deal, seat)
                    return True
                card -= MELD_CODE
                self._meld(deal, seat, card)
                trumps = deal.trump_mask
                if position:
                    beating, winner = self._over_king(deal, card, trick, winner)
            bit = 1 << card
            hands[seat] ^= bit
            if not position:
                led = SUIT_MASK_OF[card]
                beating = bit
            if beating & bit:
                winner = seat
                beating = HIGHER[card] if bit & trumps else HIGHER[card] | trumps
            trick |= bit
            position += 1
            if position == seats:
                seat = winner
                cards = self._end_trick(deal, seat, trick)
                position = trick = 0
                if not cards:
                    return True
                if cards & (cards - 1):
                    legal = self._lead(deal, seat, cards)
                    break
            else:
                seat = next_seat[seat]
                cards = hands[seat] & led
                if not cards:
                    cards = self.void_cards(hands[seat], beating, trumps, position)
                elif cards & beating and self.bound[position]:
                    cards &= beating
                if self.over and QUEENS & bit and cards & bit << 1:
                    legal = self._over(deal, card, cards)
                    if len(legal) > 1:
                        break
                    code = PLAY_CODE[legal[0]]
                    continue
                if cards & (cards - 1):
                    legal = (
                        PLAY_SUIT[cards] if cards & led else PLAY_LOW[cards & 4095] + PLAY_HIGH[cards >> 12]
                    )
                    break
            code = cards.bit_length() - 1
        deal.seat, deal.legal, deal.position, deal.trick = seat, legal, position, trick
        deal.beating, deal.winner, deal.led_mask = beating, winner, led
        return False

    def void_cards(self, hand: int, beating: int, trumps: int, position: int) -> int:
        """The legal cards of a follower without the led suit (R4 to R7)."""
        if self.must_trump:
            cards = hand & trumps
            if self.bound[position]:
                cards = cards & beating or cards
            return cards or hand
        if self.beat and self.bound[position]:
            return hand & beating or hand
        return hand

    def _end_trick(self, deal: Deal, seat: int, trick: int) -> int:
        """The trick is ``seat``'s, who leads to the next one; returns his hand, drawn cards included."""
        deal.points[seat] += POINTS12[trick & 4095] + POINTS12[trick >> 12]
        deal.played |= trick
        deal.winners.append(seat)
        deal.leader = seat
        if deal.drawn < len(deal.stock):
            self._draw(deal, seat)
        hand = deal.hands[seat]
        if not hand:
            deal.points[seat] += points(deal.leftovers)
        return hand

    def _lead(self, deal: Deal, seat: int, hand: int) -> tuple[str, ...]:
        """The leader's actions: plays, melds, the claim."""
        low, high = hand & 4095, hand >> 12
        legal = PLAY_LOW[low] + PLAY_HIGH[high]
        pairs = PAIRS12[low] | PAIRS12[high] << 2
        if pairs or (self.aces and hand & ACES == ACES):
            melds = self._meldable(deal, hand, pairs)
            if melds:
                if self.automatic:
                    plays = hand & ~melds
                    legal = PLAY_LOW[plays & 4095] + PLAY_HIGH[plays >> 12]
                legal += tuple([MELD[card] for card in members(melds)])
        if self.claim and seat == deal.declarer and self._certain(deal, hand):
            legal += CLAIM_TUPLE
        return legal

    def _meldable(self, deal: Deal, hand: int, pairs: int) -> int:
        """The cards of a leader's hand, with its marriages, that he may meld by leading them (R8, R9, R11)."""
        later = len(deal.winners) > 0
        melds = 0
        if later or self.first_trick:
            melds = PAIR_CARDS[pairs & ~deal.melded] & self.leads
        if later and self.aces and hand & ACES == ACES and not deal.melded & ACES_BIT:
            melds |= ACES
        return melds

    def _over(self, deal: Deal, queen: int, cards: int) -> tuple[str, ...]:
        """R28: a king right after the neighbour's queen of its suit, where it is a legal card."""
        suit = SUIT_OF[queen]
        plays = cards
        melds: tuple[str, ...] = ()
        if not deal.melded >> suit & 1 and (self.first_trick or deal.winners):
            king = 6 * suit + KING
            melds = (MELD[king],)
            if self.automatic:
                plays &= ~(1 << king)
        return PLAY_LOW[plays & 4095] + PLAY_HIGH[plays >> 12] + melds

    def _over_king(self, deal: Deal, king: int, trick: int, winner: int) -> tuple[int, int]:
        """The king makes its suit trump: it takes the trick, unless ace or ten of the suit lie there already.

        Returns the cards that take the trick from now on (the king among them or not), and who wins so far.
        """
        above = trick & HIGHER[king]
        if not above:
            return 1 << king, winner
        top = above.bit_length() - 1
        for seat, action in deal.actions[deal.play_start :]:
            if PLAY_CODE[action] % MELD_CODE == top:
                winner = seat
        return HIGHER[top], winner

    def _meld(self, deal: Deal, seat: int, card: int) -> None:
        suit = SUIT_OF[card]
        if ACES >> card & 1:
            kind, value = ACES_SHOWN, self.aces
        else:
            kind, value = suit, MARRIAGE_VALUE[suit]
        deal.trump = suit
        deal.trump_mask = SUIT_MASK[suit]
        deal.melded |= 1 << kind
        deal.melds.append((seat, kind, value))
        deal.points[seat] += value

    def _certain(self, deal: Deal, hand: int) -> bool:
        """R33: no card that the declarer cannot place beats one of his, whatever is played."""
        outside = ALL ^ (hand | deal.discarded | deal.played)
        if outside & (deal.trump_mask | ABOVE12[hand & 4095] | ABOVE12[hand >> 12] << 12):
            return False
        return deal.drawn == len(deal.stock) and hand & (hand - 1) > 0

    def _claim(self, deal: Deal, seat: int) -> None:
        """All that is left, and the marriages still in hand, are the declarer's."""
        deal.claimed = True
        pairs = marriages(deal.hands[seat])
        for suit in range(4):
            if pairs >> suit & 1:
                deal.melded |= 1 << suit
                deal.melds.append((seat, suit, MARRIAGE_VALUE[suit]))
                deal.points[seat] += MARRIAGE_VALUE[suit]
        for hand in deal.hands:
            deal.points[seat] += points(hand)
        deal.points[seat] += points(deal.leftovers)

    def _draw(self, deal: Deal, seat: int) -> None:
        """After a trick the winner draws a card, then the others in turn."""
        for _ in deal.active:
            card = deal.stock[deal.drawn]
            deal.drawn += 1
            deal.hands[seat] |= 1 << card
            deal.notes.append((len(deal.actions), seat, {"event": "draw", "card": TEXT[card]}))
            seat = deal.next_seat[seat]
