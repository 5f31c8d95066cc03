"""Whose turn it is: each class of matches has a share of what its workers begin, and none starves.

Pure: the queue says what waits and what was begun last. The class that has had the least for its share is next; in
a class the match that was queued first. A class that nothing waits in leaves its share to the others, and brings
no claim for the past with it: only the latest :data:`LOOK_BACK` matches are counted.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

SHARES: Final = {"people": 12, "check": 6, "test": 6, "event": 4, "tournament": 4, "ladder": 2}
"""Of so many matches begun while something waits in every class; the first ones win ties."""
LOOK_BACK: Final = 48


def loads(begun: Iterable[str]) -> dict[str, float]:
    """What each class has had for its share, of the classes of matches begun last (in any order)."""
    counts = Counter(begun)
    return {klass: counts[klass] / share for klass, share in SHARES.items()}


def classes_in_turn(begun: Iterable[str]) -> list[str]:
    """The classes, the one whose turn it is first."""
    had = loads(begun)
    return sorted(SHARES, key=had.__getitem__)  # a stable sort: ties as in SHARES


def in_turn(waiting: Mapping[str, Sequence[int]], begun: Sequence[str]) -> Iterator[int]:
    """All that waits, by class in its own order, in the order in which it will be begun.

    ``begun`` are the classes of the latest matches, the oldest first.
    """
    lately = deque(begun, maxlen=LOOK_BACK)
    queues = {klass: deque(items) for klass, items in waiting.items() if items}
    while queues:
        klass = next(klass for klass in classes_in_turn(lately) if klass in queues)
        yield queues[klass].popleft()
        lately.append(klass)
        if not queues[klass]:
            del queues[klass]
