"""The play of the cards: legal cards, marriages, the claim, tricks and the stock (rules.md section 5).

:meth:`Tricks.play` is the engine's inner loop: it takes one action and all forced ones after it, and works out
the legal actions once a ply, on masks.
"""

from __future__ import annotations

from typing import Final

from engine.actions import CLAIM_CODE, CLAIM_TUPLE, MELD, MELD_CODE, PLAY, PLAY_CODE, PLAY_HIGH, PLAY_LOW
from engine.cards import (
    ACES,
    ALL,
    HIGHER,
    KING,
    KINGS,
    MARRIAGE_VALUE,
    POINTS,
    QUEEN,
    QUEENS,
    SUIT_MASK,
    SUIT_OF,
    TEXT,
    above_lowest,
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
ACES_BIT: Final = 1 << ACES_SHOWN
PAIR_CARDS: Final[tuple[int, ...]] = tuple(
    sum((1 << QUEEN | 1 << KING) << 6 * suit for suit in range(4) if pairs >> suit & 1) for pairs in range(16)
)


class Tricks:
    """Plays a deal by a rule set."""

    def __init__(self, rules: RuleSet) -> None:
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

    def play(self, deal: Deal, action: str) -> bool:
        """Take ``action`` and every forced one after it; True when all cards are played."""
        hands, actions, next_seat = deal.hands, deal.actions, deal.next_seat
        bound, seats = self.bound, len(deal.active)
        seat = deal.seat
        while True:
            actions.append((seat, action))
            card = PLAY_CODE[action]
            if card >= MELD_CODE:
                if card == CLAIM_CODE:
                    self._claim(deal, seat)
                    return True
                card -= MELD_CODE
                self._meld(deal, seat, card)
            hand = hands[seat] ^ (1 << card)
            hands[seat] = hand
            deal.played |= 1 << card
            deal.last_card = card
            trump = deal.trump
            position = deal.position
            if position == 0:
                deal.trick_points = POINTS[card]
                deal.led_mask = SUIT_MASK[SUIT_OF[card]]
                deal.winning = winning = card
                deal.winner = seat
            else:
                deal.trick_points += POINTS[card]
                winning = deal.winning
                if HIGHER[winning] >> card & 1 or (SUIT_OF[card] == trump and SUIT_OF[winning] != trump):
                    deal.winning = winning = card
                    deal.winner = seat
            position += 1
            if position == seats:
                deal.position = 0
                seat = deal.winner
                deal.points[seat] += deal.trick_points
                deal.winners.append(seat)
                if deal.drawn < len(deal.stock):
                    self._draw(deal, seat)
                deal.leader = seat
                hand = hands[seat]
                if not hand:
                    deal.points[seat] += points(deal.leftovers)
                    return True
                legal = self._lead(deal, seat, hand)
                if len(legal) != 1:
                    break
                action = legal[0]
                continue
            deal.position = position
            seat = next_seat[seat]
            hand = hands[seat]
            cards = hand & deal.led_mask
            if cards:
                if bound[position]:
                    cards = cards & HIGHER[winning] or cards
            elif trump < 0:
                cards = hand
            elif self.must_trump:
                trumps = hand & SUIT_MASK[trump]
                if bound[position] and SUIT_OF[winning] == trump:
                    trumps = trumps & HIGHER[winning] or trumps
                cards = trumps or hand
            elif self.beat and bound[position]:
                beating = HIGHER[winning] if SUIT_OF[winning] == trump else SUIT_MASK[trump]
                cards = hand & beating or hand
            else:
                cards = hand
            if self.over and HIGHER[deal.last_card] & cards & KINGS and QUEENS >> deal.last_card & 1:
                legal = self._over(deal, cards)
            elif not cards & (cards - 1):
                action = PLAY[cards.bit_length() - 1]
                continue
            else:
                legal = PLAY_LOW[cards & 4095] + PLAY_HIGH[cards >> 12]
            if len(legal) != 1:
                break
            action = legal[0]
        deal.seat = seat
        deal.legal = legal
        return False

    def _lead(self, deal: Deal, seat: int, hand: int) -> tuple[str, ...]:
        """The leader's actions: plays, melds, the claim."""
        melds = self._meldable(deal, hand)
        plays = hand & ~melds if melds and self.automatic else hand
        legal = PLAY_LOW[plays & 4095] + PLAY_HIGH[plays >> 12]
        if melds:
            legal += tuple([MELD[card] for card in members(melds)])
        if self.claim and seat == deal.declarer and self._certain(deal, hand):
            legal += CLAIM_TUPLE
        return legal

    def _meldable(self, deal: Deal, hand: int) -> int:
        """The cards of a leader's hand that he may meld by leading them (R8, R9, R11)."""
        later = len(deal.winners) > 0
        melds = 0
        if later or self.first_trick:
            pairs = marriages(hand) & ~deal.melded
            if pairs:
                melds = PAIR_CARDS[pairs] & self.leads
        if later and self.aces and hand & ACES == ACES and not deal.melded & ACES_BIT:
            melds |= ACES
        return melds

    def _over(self, deal: Deal, cards: int) -> tuple[str, ...]:
        """R28: a king right after the neighbour's queen of its suit, where it is a legal card."""
        suit = SUIT_OF[deal.last_card]
        plays = cards
        melds: tuple[str, ...] = ()
        if not deal.melded >> suit & 1 and (self.first_trick or deal.winners):
            king = 6 * suit + KING
            melds = (MELD[king],)
            if self.automatic:
                plays &= ~(1 << king)
        return PLAY_LOW[plays & 4095] + PLAY_HIGH[plays >> 12] + melds

    def _meld(self, deal: Deal, seat: int, card: int) -> None:
        suit = SUIT_OF[card]
        if ACES >> card & 1:
            kind, value = ACES_SHOWN, self.aces
        else:
            kind, value = suit, MARRIAGE_VALUE[suit]
        deal.trump = suit
        deal.melded |= 1 << kind
        deal.melds.append((seat, kind, value))
        deal.points[seat] += value

    def _certain(self, deal: Deal, hand: int) -> bool:
        """R33: no card that the declarer cannot place beats one of his, whatever is played."""
        if deal.drawn < len(deal.stock) or not hand & (hand - 1):
            return False
        outside = ALL & ~(hand | deal.discarded | deal.played)
        if deal.trump >= 0 and outside & SUIT_MASK[deal.trump]:
            return False
        return not outside & above_lowest(hand)

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
