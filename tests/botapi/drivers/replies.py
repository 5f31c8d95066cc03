"""Replies that no bot should send: bytes, JSON of any depth, numbers, right keys with wrong values (hypothesis)."""

import json

from hypothesis import strategies as st

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(st.characters(), max_size=40),
    st.sampled_from(
        ["<ID>", "<ACTION>", "play:9S", "redeal", "", "\x00", "\x1b[2J", "é" * 500, "\ud800", "💥" * 5000]
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(st.text(st.characters(), max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)
EXTRA = 4
"""The most lines too many that one reply has."""
KEYS = ("id", "action", "v", "ready", "reason", "subscribe", "log", "note", "state")
NUMBERS = ("1e999", "-1e999", "NaN", "Infinity", "-0", "0e1", "1" * 4000, "1.0", "1e1", "0x10", "٣")


def _dumped(value):
    return json.dumps(value).encode()


def _nested(pair):
    opening, depth = pair
    return opening * depth


def _numbered(pair):
    key, number = pair
    right = {"id": "<ID>", "action": "play:9S", "v": 1} | {key: "NUMBER"}
    return _dumped(right).replace(b'"NUMBER"', number.encode())


OBJECTS = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
RIGHT_ID = OBJECTS.map(lambda found: found | {"id": "<ID>"})
NEARLY = OBJECTS.map(lambda found: found | {"id": "<ID>", "action": "<ACTION>"})
TEXTS = st.one_of(
    st.text(st.characters(), max_size=60), st.sampled_from(["\x1b[2J", "\ud800", "💥" * 5000, "a\u2028b"])
)
TAKEN = st.dictionaries(st.sampled_from(("log", "note", "state")), TEXTS, max_size=3).map(
    lambda found: found | {"id": "<ID>", "action": "<ACTION>", "v": 1, "what": {"nobody": ["asked"]}}
)
"""Mostly good answers: what they bring along goes into logs, notes and later requests."""
REPLIES = st.one_of(
    st.binary(max_size=200),
    VALUES.map(_dumped),
    OBJECTS.map(_dumped),
    RIGHT_ID.map(_dumped),
    NEARLY.map(_dumped),
    NEARLY.map(lambda found: json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    NEARLY.map(lambda found: json.dumps(found).encode("utf-16")),
    st.tuples(
        st.sampled_from([b"[", b'{"id":', b'{"state":[', b'"', b"\\", b"\x00"]), st.integers(1, 30_000)
    ).map(_nested),
    st.tuples(st.sampled_from(KEYS), st.sampled_from(NUMBERS)).map(_numbered),
    st.builds(lambda found, end: _dumped(found)[:-end], NEARLY, st.integers(1, 10)),
    st.sampled_from(
        [b"{" * 70_000, b'{"id":"<ID>","action":"' + b"x" * 70_000 + b'"}', b"\n" * 300, b"{}\n" * EXTRA]
    ),
)
