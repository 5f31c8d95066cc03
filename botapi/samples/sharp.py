"""A bot that really plays: it counts which cards are out, leads its masters, and bids what it can expect.

One file, standard library only, protocol 1 on stdin and stdout.
"""

import json
import sys
from typing import Any

SUITS = "SCDH"
RANKS = "9JQKTA"
POINTS = {"9": 0, "J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
MARRIAGE = {"S": 40, "C": 60, "D": 80, "H": 100}
PACK = [rank + suit for suit in SUITS for rank in RANKS]


def power(card: str) -> int:
    """Place of the card in its suit, low to high."""
    return RANKS.index(card[0])


def number(action: str) -> int:
    """The number in bid:110 or contract:120."""
    return int(action.split(":")[1])


def pairs(hand: list[str]) -> list[str]:
    """Suits of the marriages held."""
    return [suit for suit in SUITS if "K" + suit in hand and "Q" + suit in hand]


def expectation(hand: list[str]) -> int:
    """Points that a declarer may hope for.

    Marriages, sure tricks, long suits, and something from the talon.
    """
    worth = 25
    for suit in SUITS:
        held = [card for card in hand if card[1] == suit]
        ranks = {card[0] for card in held}
        if "A" in ranks:
            worth += 17
            worth += 12 * ("T" in ranks) + 5 * ({"T", "K"} <= ranks)
        elif "T" in ranks and len(held) > 1:
            worth += 5
        if {"K", "Q"} <= ranks:
            worth += MARRIAGE[suit] + 5 * (len(held) - 2)
        elif ranks & {"K", "Q"}:
            worth += MARRIAGE[suit] // 10
    return worth


def seen_cards(view: dict[str, Any]) -> set[str]:
    """Cards this seat knows not to be in another hand."""
    seen = set(view["hand"]) | set(view["discarded"] or [])
    seen.update(card for _, card in view["trick"])
    for trick in view["tricks"]:
        seen.update(card if isinstance(card, str) else card[1] for card in trick["cards"])
    return seen


def winner(trick: list[Any], trump: str | None) -> str:
    """The card that is winning the trick."""
    best = str(trick[0][1])
    for _, card in trick[1:]:
        if (card[1] == best[1] and power(card) > power(best)) or (card[1] == trump != best[1]):
            best = str(card)
    return best


def best_meld(melds: list[str]) -> str:
    """The dearest marriage, led with its queen."""
    return max(melds, key=lambda action: (MARRIAGE[action[-1]], action[5] == "Q"))


def play(view: dict[str, Any], legal: list[str]) -> str:
    """Lead masters, meld early, take what is safe to take, else throw the cheapest."""
    hand, trump, trick = view["hand"], view["trump"], view["trick"]
    out = set(PACK) - seen_cards(view)

    def master(card: str) -> bool:
        beaten = any(other[1] == card[1] and power(other) > power(card) for other in out)
        trumps = trump and card[1] != trump and any(other[1] == trump for other in out)
        return not beaten and not trumps

    def cost(card: str) -> float:
        pair = MARRIAGE[card[1]] // 2 if card[0] in "KQ" and card[1] in pairs(hand) else 0
        useful = 5 * bool(card[1] == trump) + 6 * (master(card) and card[0] != "9")
        return POINTS[card[0]] + pair + useful

    melds = [action for action in legal if action.startswith("meld:")]
    cards = [action[5:] for action in legal if action.startswith("play:")]
    if not trick:
        masters = [card for card in cards if master(card)]
        if melds:
            return best_meld(melds)
        if masters:
            return "play:" + max(masters, key=lambda card: (card[1] == trump, POINTS[card[0]]))
        return "play:" + min(cards, key=cost)
    if melds:
        return melds[-1]
    best = winner(trick, trump)
    takers = [c for c in cards if (c[1] == best[1] and power(c) > power(best)) or (c[1] == trump != best[1])]
    last = len(trick) == view["seats"] - (view["sitting_out"] is not None) - 1
    sure = [card for card in takers if last or master(card)]
    if sure:
        return "play:" + max(sure, key=lambda card: POINTS[card[0]] - 10 * (card[1] == trump))
    return "play:" + min(cards, key=cost)


def choose(view: dict[str, Any], legal: list[str]) -> str:
    """One of the legal actions, phase by phase."""
    hand = view["hand"] or []
    numbers = [action for action in legal if action.startswith(("bid:", "contract:"))]
    if "claim" in legal:
        return "claim"
    if view["phase"] == "auction":
        return numbers[0] if numbers and number(numbers[0]) <= expectation(hand) - 15 else legal[0]
    if view["phase"] == "contract" and numbers:
        return ([action for action in numbers if number(action) <= expectation(hand) - 45] or numbers[:1])[-1]
    if view["phase"] == "exchange":
        given = [action for action in legal if action.startswith(("give:", "discard:"))]
        if given:
            return min(
                given,
                key=lambda action: expectation(hand) - expectation([c for c in hand if c != action[-2:]]),
            )
    if view["phase"] == "play":
        return play(view, legal)
    return next((action for action in legal if action not in ("redeal", "dark", "concede")), legal[0])


def main() -> None:
    """Answer hello and act, ignore the rest."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"v": 1, "id": message["id"], "ready": True}
        elif message["type"] == "act":
            answer = {"id": message["id"], "action": choose(message["view"], message["legal"])}
        else:
            continue
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
