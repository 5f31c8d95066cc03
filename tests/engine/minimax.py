"""Perfect play found the slow way: every line of a deal, tried out on copies of the real engine's game."""

import copy

from engine import Game
from engine.cards import ALL, SUIT_MASK, mask_of

from .tables import begin_play, seed, sensible


def tried(game, action):
    """A copy of the game after the action."""
    other = copy.copy(game)
    other.current = copy.copy(game.current)
    other.standing = copy.deepcopy(game.standing)
    other.finished = game.finished[:]
    for name in dir(other.current):
        value = getattr(other.current, name)
        if isinstance(value, list | dict) and not name.startswith("_"):
            setattr(other.current, name, value.copy())
    other.apply(action)
    return other


def worth(game, seat):
    """The points of ``seat`` at the end of the deal if he wants many and all others want him to have few."""
    number, deal = game.deal, game.current
    values = []
    for action in game.legal:
        other = tried(game, action)
        ended = len(other.finished) > len(game.finished)
        values.append(other.finished[number][0].points[seat] if ended else worth(other, seat))
    return max(values) if deal.seat == seat else min(values)


def worths(game, seat):
    """The same for every legal action."""
    found = {}
    for action in game.legal:
        other = tried(game, action)
        ended = len(other.finished) > len(game.finished)
        found[action] = other.finished[game.deal][0].points[seat] if ended else worth(other, seat)
    return found


def ending(rules, word, rng, tricks):
    """A game in play with at most so many tricks left, reached by random actions; None where there is none."""
    game = Game(rules, seed=seed(word))
    while game.seat is not None and game.deal < 3:
        if game.phase == "play":
            deal = game.current
            left = (
                max(hand.bit_count() for hand in deal.hands) + (len(deal.stock) - deal.drawn) // rules.active
            )
            if left <= tricks:
                return game
        game.apply(sensible(game.legal, rng))
    return None


def laid_out(rules, word, rng, tricks):
    """A game in play whose seats hold random hands of so many cards, rich in aces, kings and queens."""
    game = Game(rules, seed=seed(word))
    while game.phase != "play":
        game.apply(sensible(game.legal, rng))
    deal = game.current
    dear = [card for card in range(24) if card % 6 in (2, 3, 5)]
    cards = rng.sample(dear, rng.randrange(len(dear) + 1))
    cards += rng.sample([card for card in range(24) if card not in cards], 24 - len(cards))
    if rng.random() < 0.3:
        cards.sort(key=lambda card: card % 6 != 5)
    deal.hands = [0] * rules.players
    for place, seat in enumerate(deal.active):
        deal.hands[seat] = mask_of(cards[place * tricks : (place + 1) * tricks])
    deal.played = ALL & ~sum(deal.hands)
    deal.talons, deal.stock, deal.drawn, deal.discarded = (), (), 0, 0
    deal.winners = [deal.active[0]] * rng.randrange(2)
    deal.trump = rng.randrange(-1, 4) if deal.winners else -1
    deal.trump_mask = SUIT_MASK[deal.trump] if deal.trump >= 0 else 0
    if deal.declarer >= 0:
        deal.declarer = rng.choice(deal.active)
    return begin_play(game)
