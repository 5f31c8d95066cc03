"""Lines out of a stream, however it comes in pieces, with bounded memory."""

import random

import pytest

from botapi import protocol
from botapi.drivers.output import LineBuffer


@pytest.mark.parametrize("seed", range(20))
def test_lines_are_the_same_in_whatever_pieces_they_come(seed):
    rng = random.Random(seed)
    lines = [b"x" * rng.choice((0, 0, 1, 7, 300)) for _ in range(60)]
    stream, found, buffer = b"\n".join(lines) + b"\nrest", [], LineBuffer()
    while stream:
        cut = rng.randint(1, 500)
        buffer.feed(stream[:cut])
        stream = stream[cut:]
        while (line := buffer.next_line()) is not None:
            found.append(line)
    assert found == lines
    assert buffer.start_of_line() == b"rest"


def test_an_overlong_line_is_refused_once_and_its_rest_thrown_away():
    buffer, refused = LineBuffer(), 0
    for _ in range(4):
        buffer.feed(b"x" * protocol.REPLY_BYTES)
        try:
            assert buffer.next_line() is None
        except ValueError:
            refused += 1
        assert len(buffer.start_of_line()) <= protocol.REPLY_BYTES
    buffer.feed(b"end\nnext\n")
    assert buffer.next_line() == b"next"
    assert refused == 1
    assert buffer.next_line() is None


@pytest.mark.parametrize(
    ("held", "rest"), [(b"one\ntw", b"o\nthree\n"), (b"one\n", b"three\n"), (b"", b"three\n")]
)
def test_what_is_dropped_goes_with_the_rest_of_a_line_that_has_begun(held, rest):
    buffer = LineBuffer()
    buffer.feed(held)
    buffer.drop()
    buffer.feed(rest)
    assert buffer.next_line() == b"three"
    assert buffer.next_line() is None
