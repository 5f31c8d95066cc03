"""Who plays next: seeds, opponents, authors, seats, placement share, spread."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.pairing import PLACEMENT_SHARE, SPREAD, Candidate, newcomers, pair, seat


def unmet(_: Candidate) -> Mapping[int, int]:
    return {}


def candidates(count: int, **fields: object) -> list[Candidate]:
    return [Candidate(bot, bot, bot, 1500.0, 10, **fields) for bot in range(count)]  # type: ignore[arg-type]


def test_the_seed_is_the_bot_with_the_fewest_matches() -> None:
    field = [*candidates(5), Candidate(9, 9, 9, 1500.0, 7)]
    for seq in range(20):
        table = pair(field, unmet, players=3, pool=1, seq=seq, placement_share=0)
        assert table is not None
        assert table.members[0].bot == 9


def test_busy_bots_are_not_seated() -> None:
    field = [*candidates(3), *(Candidate(bot, bot, bot, 1500.0, 0, busy=True) for bot in (7, 8))]
    table = pair(field, unmet, players=3, pool=1, seq=1, placement_share=0)
    assert table is not None
    assert sorted(member.bot for member in table.members) == [0, 1, 2]
    assert pair(field, unmet, players=4, pool=1, seq=1, placement_share=0) is None


def test_near_ratings_and_few_meetings_are_preferred() -> None:
    field = [
        Candidate(0, 0, 0, 1500.0, 0),
        Candidate(1, 1, 1, 2100.0, 0),
        Candidate(2, 2, 2, 1500.0, 0),
        Candidate(3, 3, 3, 1520.0, 0),
    ]
    nearest = [pair(field, unmet, players=2, pool=1, seq=seq, placement_share=0) for seq in range(30)]
    assert not any({m.bot for m in table.members} == {0, 1} for table in nearest if table)
    tables = [
        pair(field, lambda _: {2: 9, 3: 9}, players=2, pool=1, seq=seq, placement_share=0)
        for seq in range(30)
    ]
    mets = [{m.bot for m in table.members} for table in tables if table and table.members[0].bot == 0]
    assert mets
    assert all(1 in members for members in mets)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_never_two_bots_of_one_author_and_never_one_bot_twice(seed: int) -> None:
    rng = random.Random(seed)
    field = [
        Candidate(bot, bot, rng.choice([None, 1, 2, 3]), rng.gauss(1500, 100), rng.randrange(9))
        for bot in range(rng.randrange(2, 12))
    ]
    players = rng.choice((2, 3, 4))
    table = pair(field, unmet, players=players, pool=1, seq=seed, placement_share=rng.random())
    distinct = len({c.author for c in field} - {None}) + sum(c.author is None for c in field)
    assert (table is None) == (distinct < players)
    if table:
        authors = [member.author for member in table.members if member.author is not None]
        assert len(set(authors)) == len(authors)
        assert len({member.bot for member in table.members}) == players


def test_house_bots_have_no_author_and_may_sit_together() -> None:
    field = [Candidate(bot, bot, None, 1500.0, 0) for bot in range(3)]
    assert pair(field, unmet, players=3, pool=1, seq=1, placement_share=0) is not None


def test_the_same_facts_give_the_same_table_in_any_order_of_the_field() -> None:
    field = candidates(12)
    first = pair(field, unmet, players=3, pool=4, seq=7, placement_share=0)
    assert first == pair(field[::-1], unmet, players=3, pool=4, seq=7, placement_share=0)
    others = {pair(field, unmet, players=3, pool=4, seq=seq, placement_share=0) for seq in range(30)}
    assert len(others) > 10


def test_seats_are_given_by_least_use() -> None:
    members = candidates(3)
    use = {(0, 0): 5, (0, 1): 5, (1, 0): 4, (1, 2): 4}
    assert [member.bot for member in seat(members, use, pool=1, seq=1)] == [2, 1, 0]


def test_nobody_is_a_newcomer_when_all_are_new() -> None:
    assert newcomers([Candidate(bot, bot, bot, 1500.0, bot % 3) for bot in range(9)]) == set()
    assert newcomers([]) == set()


def season(bots: int, joins: dict[int, int], matches: int) -> tuple[Counter[int], list[bool]]:
    """Play a season of random results; bots of ``joins`` come in at that match. Matches a bot, placement flags."""
    rng = random.Random(5)
    played: Counter[int] = Counter()
    met: dict[int, Counter[int]] = defaultdict(Counter)
    flags: list[bool] = []
    for seq in range(matches):
        field = [
            Candidate(bot, bot, bot, 1500.0 + 40 * (bot % 7) + rng.gauss(0, 20), played[bot])
            for bot in range(bots)
            if joins.get(bot, 0) <= seq
        ]
        share = sum(flags[-20:]) / 20
        table = pair(field, lambda c: met[c.bot], players=3, pool=1, seq=seq, placement_share=share)
        assert table is not None
        flags.append(table.placement)
        for member in table.members:
            played[member.bot] += 1
            met[member.bot].update(other.bot for other in table.members if other is not member)
    return played, flags


def test_bots_of_the_same_age_differ_by_at_most_five_matches() -> None:
    played, flags = season(30, {}, 900)
    assert max(played.values()) - min(played.values()) <= SPREAD
    assert not any(flags)


def test_newcomers_get_their_placement_matches_within_their_share_of_the_tables() -> None:
    joins = dict.fromkeys(range(27, 30), 400)
    played, flags = season(30, joins, 800)
    assert sum(flags[400:]) / 400 <= PLACEMENT_SHARE + 0.01
    assert all(played[bot] >= 30 for bot in joins)
    others = [played[bot] for bot in range(27)]
    assert max(others) - min(others) <= SPREAD
