"""What fair cards do: exact chances of hands, and how far counts may be from them. Pure, standard library only.

Chances are whole-number counts of hands, as Fractions. A hand of ``size`` cards is any of the 24 with equal
chance, whatever seat it is dealt to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Final

from engine import RuleSet
from engine.cards import ACE, KING, PACK, QUEEN, RANK_POINTS

SUITS: Final = 4
RANKS: Final = 6
MEAN_POINTS: Final = Fraction(sum(RANK_POINTS) * SUITS, PACK)
"""Card points of one card on average: 5."""


def hands(size: int) -> int:
    """How many hands of ``size`` cards there are."""
    return math.comb(PACK, size)


def holds(size: int, wanted: int) -> Fraction:
    """Chance that a hand holds ``wanted`` given cards (both of a marriage: 2; all four nines: 4)."""
    return Fraction(math.comb(PACK - wanted, size - wanted), hands(size)) if size >= wanted else Fraction(0)


def some_marriage(size: int) -> Fraction:
    """Chance that a hand holds a marriage or more, by inclusion and exclusion."""
    return sum(
        ((-1) ** (k + 1) * math.comb(SUITS, k) * holds(size, 2 * k) for k in range(1, SUITS + 1)), Fraction(0)
    )


def points(size: int) -> Fraction:
    """Card points of a hand on average."""
    return MEAN_POINTS * size


def entitled(rules: RuleSet) -> Fraction:
    """Chance that a dealt hand may be given back under ``rules`` (R5: four nines, too few points)."""
    four_nines = rules.redeal_four_nines in ("dealt", "both")
    counted = sum(
        number
        for (size, total, nines, aces, marriage), number in _kinds_of_hands().items()
        if size == rules.hand_size
        and (total < rules.redeal_below or (four_nines and nines == SUITS))
        and not (rules.redeal_barred_by_marriage and (marriage or (rules.ace_marriage > 0 and aces == SUITS)))
    )
    return Fraction(counted, hands(rules.hand_size))


@cache
def _kinds_of_hands() -> Counter[tuple[int, int, int, int, bool]]:
    """How many hands there are of each (size, points, nines, aces, has a marriage), suit after suit."""
    suit: Counter[tuple[int, int, int, int, bool]] = Counter()
    for held in product((0, 1), repeat=RANKS):
        value = sum(worth for worth, has in zip(RANK_POINTS, held, strict=True) if has)
        suit[sum(held), value, held[0], held[ACE], bool(held[QUEEN] and held[KING])] += 1
    found: Counter[tuple[int, int, int, int, bool]] = Counter({(0, 0, 0, 0, False): 1})
    for _ in range(SUITS):
        longer: Counter[tuple[int, int, int, int, bool]] = Counter()
        for (size, total, nines, aces, marriage), number in found.items():
            for (more, worth, nine, ace, pair), times in suit.items():
                kind = (size + more, total + worth, nines + nine, aces + ace, marriage or pair)
                longer[kind] += number * times
        found = longer
    return found


# --- How far counts may be from what is expected ----------------------------------------------------------


def chi_square(counts: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[float, int]:
    """The statistic of ``counts[place][card]`` against even dealing, and its degrees of freedom.

    ``sizes`` says how many cards a place gets of each of n decks. In one deck each card lies in one place and
    each place takes its size: of 24 x places cells only 23 x (places - 1) are free, and the plain sum of
    (count - expected)² / expected comes out 24/23 too large, which is taken off here.
    """
    decks = sum(sum(row) for row in counts) / PACK
    if not decks:
        return 0.0, (PACK - 1) * (len(sizes) - 1)
    total = 0.0
    for row, size in zip(counts, sizes, strict=True):
        expected = decks * size / PACK
        total += sum((count - expected) ** 2 for count in row) / expected
    return total * (PACK - 1) / PACK, (PACK - 1) * (len(sizes) - 1)


def chi_square_p(value: float, degrees: int) -> float:
    """Chance that a chi-square variable of so many ``degrees`` of freedom is ``value`` or more: a finite sum."""
    half = value / 2
    if half <= 0:
        return 1.0
    if degrees % 2:
        tail, powers = math.erfc(math.sqrt(half)), (k + 0.5 for k in range((degrees - 1) // 2))
    else:
        tail, powers = 0.0, (float(k) for k in range(degrees // 2))
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return min(1.0, tail + math.fsum(terms))


def normal_p(z: float) -> float:
    """Chance that a standard normal variable is as far from 0 as ``z``, on either side."""
    return math.erfc(abs(z) / math.sqrt(2))


def z_of_mean(number: int, total: float, squares: float, expected: Fraction) -> float | None:
    """Standard deviations between the mean of ``number`` decks and what is expected, from their own spread.

    ``total`` and ``squares`` are sums of a figure of each deck and of its square, so that it does not matter
    how hands of one deck hang together. None where nothing varied.
    """
    if number < 2:
        return None
    mean = total / number
    variance = (squares - number * mean * mean) / (number - 1)
    return (mean - float(expected)) / math.sqrt(variance / number) if variance > 1e-12 else None


def cell_z(count: int, decks: int, size: int) -> float:
    """Standard deviations between how often a card fell to a place and what is expected."""
    share = size / PACK
    spread = decks * share * (1 - share)
    return (count - decks * share) / math.sqrt(spread) if spread else 0.0


def greatest(values: Iterable[float]) -> float:
    """The value farthest from 0; 0 when there is none."""
    return max(values, key=abs, default=0.0)
