"""The log as pure values: canonical payloads, the chain, what an audit notices."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings import ALGORITHM, State
from ladder.replay import (
    Audit,
    LogError,
    States,
    canonical,
    chained,
    match_payload,
    rebase_payload,
    settle,
    version_payload,
    void_payload,
    without,
)


class Log:
    """A log in memory."""

    def __init__(self) -> None:
        self.states: States = {}
        self.entries: list[tuple[int, str, str]] = []

    def add(self, body: dict[str, Any]) -> None:
        seq = len(self.entries) + 1
        text = canonical({"seq": seq, "algorithm": ALGORITHM, **body})
        previous = self.entries[-1][2] if self.entries else ""
        self.entries.append((seq, text, chained(previous, text)))
        settle(self.states, body["states"])

    def audit(self) -> Audit:
        audit = Audit()
        for entry in self.entries:
            audit.check(*entry)
        return audit


def random_log(seed: int) -> Log:
    rng, log = random.Random(seed), Log()
    for version in range(1, 6):
        log.add(version_payload(log.states, version, version, None))
    voided: set[int] = set()
    for match in range(30):
        chance = rng.random()
        if chance < 0.7:
            table = [(v, rng.randrange(1, 4)) for v in rng.sample(sorted(log.states), 3)]
            log.add(match_payload(log.states, table, match))
        elif chance < 0.8:
            new = len(log.states) + 1
            log.add(version_payload(log.states, new, 1, rng.choice(sorted(log.states))))
        elif chance < 0.9:
            board = {v: (rng.gauss(1500, 90), rng.uniform(10, 90)) for v in rng.sample(sorted(log.states), 3)}
            log.add(rebase_payload(log.states, board, log.entries[-1][2]))
        else:
            events = [json.loads(text) for _, text, _ in log.entries]
            open_ones = [e for e in events if e["kind"] == "match" and e["seq"] not in voided]
            if open_ones:
                event = rng.choice(open_ones)
                voided.add(event["seq"])
                replayed = without(events, voided)
                log.add(void_payload(log.states, replayed, event["match"], event["seq"], "test"))
    return log


@given(st.integers(0, 2**32))
def test_any_log_of_matches_versions_rebases_and_voids_replays_to_its_states(seed: int) -> None:
    log = random_log(seed)
    assert log.audit().states == log.states


@given(st.integers(0, 2**32))
def test_a_number_altered_anywhere_is_noticed_even_with_all_hashes_made_anew(seed: int) -> None:
    log = random_log(seed)
    rng = random.Random(seed)
    altered = rng.choice([i for i, (_, text, _) in enumerate(log.entries) if '"rebase"' not in text])
    event = json.loads(log.entries[altered][1])
    if not event["states"]:
        return
    rng.choice(event["states"])[1] += 1
    previous = log.entries[altered - 1][2] if altered else ""
    for i in range(altered, len(log.entries)):
        seq, text, _ = log.entries[i]
        text = canonical(event) if i == altered else text
        previous = chained(previous, text)
        log.entries[i] = (seq, text, previous)
    with pytest.raises(LogError) as error:
        log.audit()
    assert error.value.seq == altered + 1


def test_the_payload_is_the_same_text_whatever_the_order_of_its_keys() -> None:
    assert canonical({"b": 1500.0, "a": [1e-06, "ü"]}) == canonical({"a": [1e-06, "ü"], "b": 1500.0})
    assert canonical({"b": 1, "a": "ü"}) == '{"a":"ü","b":1}'


def test_states_survive_the_text_of_a_payload_exactly() -> None:
    log = random_log(4)
    for _, text, _ in log.entries:
        for version, r, v, n in json.loads(text)["states"]:
            assert (round(r, 6), round(v, 6)) == (r, v)
            assert isinstance(version, int)
            assert isinstance(n, int)


def test_a_gap_a_wrong_hash_a_foreign_algorithm_and_an_unknown_kind_are_named() -> None:
    log = random_log(1)
    with pytest.raises(LogError, match=r"event 2: .*gap"):
        Audit().check(*log.entries[1])
    seq, text, _ = log.entries[0]
    with pytest.raises(LogError, match="its hash"):
        Audit().check(seq, text, "0" * 64)
    for change, message in (({"algorithm": "x"}, "algorithm x"), ({"kind": "gift"}, "no event is of kind")):
        forged = canonical(json.loads(text) | change)
        with pytest.raises(LogError, match=message):
            Audit().check(1, forged, chained("", forged))


def test_a_match_of_an_unknown_version_does_not_follow() -> None:
    text = canonical(
        {"seq": 1, "algorithm": ALGORITHM, **match_payload({1: State(), 2: State()}, [(1, 1), (2, 2)], 7)}
    )
    with pytest.raises(LogError, match="does not follow"):
        Audit().check(1, text, chained("", text))


def test_a_void_needs_the_events_and_an_audit_told_of_none_says_so() -> None:
    log = Log()
    for version in (1, 2):
        log.add(version_payload(log.states, version, version, None))
    log.add(match_payload(log.states, [(1, 1), (2, 2)], 7))
    replayed = without([json.loads(text) for _, text, _ in log.entries], {3})
    log.add(void_payload(log.states, replayed, 7, 3, "test"))
    assert log.states == {1: State(), 2: State()}
    audit = Audit(keep=False)
    for entry in log.entries[:3]:
        audit.check(*entry)
    with pytest.raises(LogError, match="told there is none"):
        audit.check(*log.entries[3])
