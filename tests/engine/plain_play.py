"""The play of section 5 once more, slowly, on text: an independent count for perft and the solver."""

RANKS = "9JQKTA"
VALUES = {"S": 40, "C": 60, "D": 80, "H": 100}
POINTS = dict(zip(RANKS, (0, 2, 3, 4, 10, 11), strict=True))


def beats(card, other, trump):
    if card[1] == other[1]:
        return RANKS.index(card[0]) > RANKS.index(other[0])
    return card[1] == trump


def winning(trick, trump):
    best = trick[0]
    for seat, card in trick[1:]:
        if beats(card, best[1], trump):
            best = (seat, card)
    return best


def follower_cards(rules, hand, trick, trump):
    bound = {"all": True, "second": len(trick) == 1, "none": False}[rules.overtake]
    best = winning(trick, trump)[1]
    led = trick[0][1][1]
    same = [card for card in hand if card[1] == led]
    if same:
        higher = [card for card in same if beats(card, best, trump)] if best[1] == led else []
        return higher if bound and higher else same
    trumps = [card for card in hand if card[1] == trump]
    better = [card for card in trumps if beats(card, best, trump)]
    if rules.void == "beat":
        return better if bound and better else hand
    if rules.void == "trump":
        return (better if bound and better else trumps) or hand
    return hand


def moves(rules, hand, trick, trump, melded, tricks):
    """(card, melds) pairs a seat may choose from."""
    allowed = tricks > 0 or rules.marriage_first_trick
    if trick:
        cards = follower_cards(rules, hand, trick, trump)
        last = trick[-1][1]
        over = "K" + last[1] if rules.over_marriage and last[0] == "Q" else ""
        meldable = {over} if over in cards and allowed and over[1] not in melded else set()
    else:
        cards = hand
        ranks = "KQ" if rules.marriage_lead == "either" else "Q"
        pairs = (
            {c[1] for c in hand if {"K" + c[1], "Q" + c[1]} <= set(hand)} - set(melded) if allowed else set()
        )
        meldable = {card for card in hand if card[0] in ranks and card[1] in pairs}
    plays = [
        (card, False)
        for card in cards
        if not (card in meldable and rules.marriage_announcement == "automatic")
    ]
    return plays + [(card, True) for card in cards if card in meldable]


def lines(rules, hands, seat, order, *, trump=None, melded="", trick=(), tricks=0):
    """The number of ways to play the hands out."""
    if not any(hands.values()):
        return 1
    total = 0
    for card, meld in moves(rules, hands[seat], list(trick), trump, melded, tricks):
        now = card[1] if meld else trump
        told = melded + card[1] if meld else melded
        rest = {**hands, seat: [c for c in hands[seat] if c != card]}
        table = (*trick, (seat, card))
        if len(table) == len(order):
            # the highest trump, else the highest of the led suit
            trumps = [entry for entry in table if entry[1][1] == now]
            led = [entry for entry in table if entry[1][1] == table[0][1][1]]
            taker = max(trumps or led, key=lambda entry: RANKS.index(entry[1][0]))[0]
            total += lines(rules, rest, taker, order, trump=now, melded=told, tricks=tricks + 1)
        else:
            following = order[(order.index(seat) + 1) % len(order)]
            total += lines(rules, rest, following, order, trump=now, melded=told, trick=table, tricks=tricks)
    return total
