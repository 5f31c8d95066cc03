"""Messages, clocks, and the decoding of whatever a bot may send."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botapi import faults, protocol
from botapi.protocol import Clocks, MalformedReply

GOOD = {"id": "m/1/0/5", "action": "play:JD"}


def reply(**extra):
    return json.dumps(GOOD | extra).encode()


def test_an_answer_with_unknown_keys_is_fine():
    assert protocol.decode_act(reply(future={"a": [1, 2]})).action == "play:JD"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"7",
        b'"text"',
        b"{",
        b'{"id":"a"}',
        b'{"action":"a"}',
        b'{"id":1,"action":"a"}',
        b'{"id":"a","action":null}',
        b'{"id":"a","action":true}',
        b'{"id":"a","action":["a"]}',
        b'{"id":"a","action":"b","v":2}',
        b'{"id":"a","action":"b","v":true}',
        b'{"id":"a","action":"b","x":NaN}',
        b'{"id":"a","action":"b","x":Infinity}',
        b'{"id":"a","action":"\xff"}',
        b'{"id":"a","action":"b"} more',
        b'{"id":"a","action":"b","state":7}',
        b'{"id":"a","action":"b","x":' + b"[" * 20000 + b"]" * 20000 + b"}",
        b"\xef\xbb\xbf{}",
        b"{" * 60000,
    ],
)
def test_what_is_no_answer_is_malformed(raw):
    with pytest.raises(MalformedReply):
        protocol.decode_act(raw)


def test_too_large_an_answer_and_too_long_a_state_are_malformed():
    with pytest.raises(MalformedReply, match="larger than 65536 bytes"):
        protocol.decode_act(reply(log="x" * 70000))
    with pytest.raises(MalformedReply, match="state is longer"):
        protocol.decode_act(reply(state="x" * 17000))


@given(st.binary(max_size=300))
def test_bytes_decode_or_are_malformed(raw):
    for decode in (protocol.decode_act, protocol.decode_hello):
        said = ""
        try:
            decode(raw)
        except MalformedReply as error:
            said = str(error)
        assert said.isprintable()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4)
    ),
    max_leaves=30,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.sampled_from(["id", "action", "v", "log", "note", "state", "ready", "subscribe"]), json_values
    )
)
def test_any_json_decodes_or_is_malformed(value):
    raw = json.dumps(value).encode()
    for decode in (protocol.decode_act, protocol.decode_hello):
        try:
            decoded = decode(raw)
        except MalformedReply:
            continue
        assert isinstance(decoded.id, str)


@given(st.text())
def test_printable_text_is_printable_and_encodes(text):
    cleaned = protocol.printable(text)
    assert all(char.isprintable() or char in "\n\t" for char in cleaned)
    cleaned.encode()


def test_lone_surrogates_cannot_break_our_own_output():
    raw = b'{"id":"a","action":"\\ud800"}'
    try:
        action = protocol.decode_act(raw).action
    except MalformedReply:
        return
    protocol.encode({"action": protocol.printable(action)})


def test_only_known_subscriptions_are_kept():
    answer = protocol.decode_hello(b'{"id":"a","ready":true,"subscribe":["deal_end","root","match_end"]}')
    assert answer.subscribe == ("deal_end", "match_end")


def test_the_clock_of_an_action_is_free_time_and_bank_up_to_the_hard_limit():
    clocks = Clocks(act_ms=200, bank_ms=1000, hard_ms=900, start_ms=1)
    assert clocks.limit_ms(1000) == 900
    assert clocks.limit_ms(300) == 500
    assert clocks.limit_ms(0) == 200


def test_the_bank_pays_only_what_goes_beyond_the_free_time():
    clocks = Clocks(act_ms=200, bank_ms=1000, hard_ms=900, start_ms=1)
    assert clocks.bank_after(1000, 150) == 1000
    assert clocks.bank_after(1000, 250) == 950
    assert clocks.bank_after(30, 900) == 0


@pytest.mark.parametrize("values", [{"act_ms": 0}, {"bank_ms": -1}, {"hard_ms": 10}, {"start_ms": 0}])
def test_clocks_that_cannot_be_are_refused(values):
    with pytest.raises(ValueError, match="clocks"):
        Clocks(**values)


def test_messages_are_one_line_and_carry_their_id():
    message = protocol.act(
        message_id="m/1/0/1",
        match="m",
        time={"bank_ms": 5},
        view={"hand": ["9S"]},
        legal=("pass",),
        events=[],
        state=None,
    )
    raw = protocol.encode(message)
    assert b"\n" not in raw
    assert protocol.id_of(raw) == "m/1/0/1"
    assert "state" not in json.loads(raw)
    assert list(json.loads(raw))[:3] == ["v", "type", "id"]


def test_players_are_aliases():
    message = protocol.hello(
        message_id="m/1/2/0",
        match="m",
        purpose="match",
        rules={},
        seats=3,
        you=2,
        seed_sha256="00",
        clocks=Clocks(),
    )
    assert message["players"] == ["Seat A", "Seat B", "Seat C"]


@pytest.mark.parametrize(
    ("legal", "action"),
    [
        (["redeal", "keep"], "keep"),
        (["dark", "look"], "look"),
        (["pass", "bid:110", "bid:120"], "pass"),
        (["bid:110", "bid:100"], "bid:100"),
        (["talon:0", "talon:1"], "talon:0"),
        (["give:AS", "give:9D", "give:9C", "concede"], "give:9C"),
        (["discard:TS", "discard:JD", "redeal"], "discard:JD"),
        (["contract:120", "contract:130", "concede"], "contract:120"),
        (["play:QH", "play:KH", "meld:QH", "claim"], "play:QH"),
        (["play:9H", "play:9C", "play:JS"], "play:9C"),
        (["meld:KH", "meld:QH"], "meld:QH"),
        (["redeal"], "redeal"),
    ],
)
def test_the_default_action(legal, action):
    assert faults.default_action(legal) == action
