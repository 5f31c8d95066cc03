"""The shuffle and the cut as rules.md section 9 words them, written down a second time."""

import hashlib
import hmac

import pytest

from engine import shuffle
from engine.cards import TEXT

from .tables import seed


def stream(key, label):
    block = 0
    while True:
        yield from hmac.new(key, f"{label} block {block}".encode(), hashlib.sha256).digest()
        block += 1


def plain_shuffle(key, finished, redeals):
    pack = list(TEXT)
    source = stream(key, f"thousand/1 deal {finished}.{redeals}")
    for i in range(23, 0, -1):
        b = next(source)
        while b >= 256 - 256 % (i + 1):
            b = next(source)
        j = b % (i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


@pytest.mark.parametrize("finished", [0, 1, 17, 199])
@pytest.mark.parametrize("redeals", [0, 3])
def test_a_deck_is_shuffled_as_the_specification_says(finished, redeals):
    key = seed(f"{finished} {redeals}")
    cards = shuffle.shuffled(key, finished, redeals)
    assert [TEXT[card] for card in cards] == plain_shuffle(key, finished, redeals)


def test_a_shuffle_that_runs_out_of_bytes_goes_on_in_the_next_block(monkeypatch):
    asked = []

    def scarce(key, message, name):
        asked.append(message)
        return b"\xff" * 32 if message.endswith(b"block 0") else hmac.digest(key, message, name)

    monkeypatch.setattr(shuffle, "digest", scarce)
    assert sorted(shuffle.shuffled(seed(1), 0, 0)) == list(range(24))
    assert asked[:2] == [b"thousand/1 deal 0.0 block 0", b"thousand/1 deal 0.0 block 1"]


def test_a_cut_that_runs_out_of_bytes_goes_on_in_the_next_block(monkeypatch):
    blocks = {
        b"thousand/1 cut 2.1 block 0": b"\xff" * 32,
        b"thousand/1 cut 2.1 block 1": bytes([24, 25, 240, 29]),
    }
    monkeypatch.setattr(shuffle, "digest", lambda _key, message, _name: blocks[message])
    assert [TEXT[card] for card in shuffle.cut_cards(seed(1), 2, 1)] == ["9S", "JS", "AS"]


def test_a_redeal_shifts_no_later_deck():
    assert shuffle.shuffled(seed(1), 3, 0) != shuffle.shuffled(seed(1), 3, 1)
    assert shuffle.shuffled(seed(1), 4, 0) == shuffle.shuffled(seed(1), 4, 0)
