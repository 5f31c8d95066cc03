"""How the seed of a match follows from the secret of its series, and whether it did (architecture.md, "Seeds").

Pure: what the service deals from and what a stranger recomputes is the same code.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import RecordError
from engine.cards import TEXT
from engine.record import verify
from engine.shuffle import shuffled


@dataclass(frozen=True, slots=True)
class DeckCheck:
    """One deal (``number`` from 1): the deck that the seed gives and whether the record's is the same.

    ``label`` is what the shuffle was keyed with: finished deals before it and void ones in a row, "3.0".
    """

    number: int
    label: str
    deck: tuple[str, ...]
    same: bool


@dataclass(frozen=True, slots=True)
class SeedCheck:
    """What can be checked of a match with what is public. None where something is not public yet.

    ``seed_fits``: the seed has the hash that was published before the first card. ``replay_problem``: where the
    record disagrees with the rules (English, for the API), empty when it replays to its result; ``replay_deal``: in
    which deal (from 1), None where in no one of them. ``secret_fits``: the secret has the hash that was published
    when its series opened. ``seed_follows``: the seed is the one of ``message``.
    """

    seed_fits: bool
    decks: tuple[DeckCheck, ...]
    replay_problem: str
    replay_deal: int | None
    message: str
    secret_fits: bool | None
    seed_follows: bool | None

    @property
    def decks_same(self) -> bool:
        """Whether every deck is the one that the seed gives."""
        return all(deck.same for deck in self.decks)

    @property
    def holds(self) -> bool:
        """Whether nothing that can be checked disagrees."""
        public = self.seed_fits and self.decks_same and not self.replay_problem
        return public and self.secret_fits is not False and self.seed_follows is not False


def message_of(*, number: int, attempt: int, block: int | None, people: bool = False) -> str:
    """What the secret is keyed with for match ``number`` of its series.

    A duplicate block shares one seed. A table with ``people`` keeps that of its first attempt: the next ones go on
    with the same cards from where the service lost them.
    """
    if people:
        attempt = 1
    return f"match {number} attempt {attempt}" if block is None else f"block {block}"


def derived(secret: bytes, message: str) -> bytes:
    """The 32 bytes that ``message`` has under ``secret``: HMAC-SHA256."""
    return hmac.digest(secret, message.encode(errors="surrogateescape"), hashlib.sha256)


def check(
    record: Mapping[str, Any],
    *,
    published_sha256: str,
    message: str,
    secret: bytes | None = None,
    secret_sha256: str = "",
) -> SeedCheck:
    """Check a match's ``record`` against the hashes published before it, and ``secret`` once it is known."""
    seed = bytes.fromhex(record["seed"])
    problem = _replay_problem(record)
    return SeedCheck(
        seed_fits=hashlib.sha256(seed).hexdigest() == published_sha256 == record["seed_sha256"],
        decks=_decks(seed, record),
        replay_problem=str(problem or ""),
        replay_deal=None if problem is None or problem.deal is None else problem.deal + 1,
        message=message,
        secret_fits=None if secret is None else hashlib.sha256(secret).hexdigest() == secret_sha256,
        seed_follows=None if secret is None else derived(secret, message) == seed,
    )


def _decks(seed: bytes, record: Mapping[str, Any]) -> tuple[DeckCheck, ...]:
    """Each deal's deck, shuffled again: a void deal is dealt again under the next number (rules.md 9)."""
    checks: list[DeckCheck] = []
    finished = redeals = 0
    for number, deal in enumerate(record["deals"], start=1):
        deck = tuple(TEXT[card] for card in shuffled(seed, finished, redeals))
        checks.append(DeckCheck(number, f"{finished}.{redeals}", deck, list(deck) == deal["deck"]))
        finished, redeals = (finished, redeals + 1) if deal["void"] else (finished + 1, 0)
    return tuple(checks)


def _replay_problem(record: Mapping[str, Any]) -> RecordError | None:
    try:
        verify(dict(record))
    except RecordError as error:
        return error
    return None
