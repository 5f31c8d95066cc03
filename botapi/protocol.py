"""Protocol 1: the messages, the clocks, and the decoding of answers (protocol.md).

Pure: values in, bytes or values out. Every message is encoded once, by msgspec; every answer is decoded into
a strict structure, so that NaN, bad UTF-8, deep nesting, or a number where text belongs end here as
:class:`MalformedReply`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSION: Final = 1
REPLY_BYTES: Final = 64 * 1024
"""Largest answer that is read; one byte more is a ``bad_reply``."""
STATE_CHARS: Final = 16 * 1024
NOTE_CHARS: Final = 280
LOG_CHARS: Final = 4000
REASON_CHARS: Final = 500
SUBSCRIPTIONS: Final = ("deal_end", "match_end")

LIMITS: Final = {
    "reply_bytes": REPLY_BYTES,
    "state_chars": STATE_CHARS,
    "note_chars": NOTE_CHARS,
    "log_chars": LOG_CHARS,
}
"""Sent in ``hello``: a longer state is a ``bad_reply``, a longer note or log is cut."""

_encode = msgspec.json.Encoder().encode


class Clocks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times of a seat in milliseconds (protocol.md section 5), all positive."""

    act_ms: int = 200
    bank_ms: int = 60_000
    hard_ms: int = 5_000
    start_ms: int = 10_000

    def __post_init__(self) -> None:
        if self.act_ms < 1 or self.bank_ms < 0 or self.hard_ms < self.act_ms or self.start_ms < 1:
            msg = "clocks: act_ms, start_ms at least 1, bank_ms at least 0, hard_ms at least act_ms"
            raise ValueError(msg)

    def limit_ms(self, bank_left_ms: float) -> float:
        """How long the next action may take: its free time and the bank, at most the hard limit."""
        return min(self.hard_ms, self.act_ms + bank_left_ms)

    def bank_after(self, bank_left_ms: float, used_ms: float) -> float:
        """The bank after an action that used ``used_ms``."""
        return max(0.0, bank_left_ms - max(0.0, used_ms - self.act_ms))


SANDBOX_CLOCKS: Final = Clocks()
HTTP_CLOCKS: Final = Clocks(act_ms=2_000, bank_ms=120_000, hard_ms=15_000, start_ms=15_000)


class MalformedReply(Exception):  # noqa: N818 - a reply is malformed; the fault is made of it elsewhere
    """The answer is no JSON object of the expected shape. The text says what is wrong, in one line."""


class HelloReply(msgspec.Struct, frozen=True):
    """Answer to ``hello``. ``ready`` false with a reason is a polite refusal."""

    id: str
    ready: bool
    v: int = VERSION
    reason: str = ""
    subscribe: tuple[str, ...] = ()


class ActReply(msgspec.Struct, frozen=True):
    """Answer to ``act``: ``action`` as the bot wrote it, legal or not; the rest is optional."""

    id: str
    action: str
    v: int = VERSION
    log: str | None = None
    note: str | None = None
    state: str | None = None


Reply = HelloReply | ActReply

_hello_decoder = msgspec.json.Decoder(HelloReply)
_act_decoder = msgspec.json.Decoder(ActReply)


def message_id(match: str, attempt: int, seat: int, number: int) -> str:
    """``match/attempt/seat/number``: the number is counted per seat (protocol.md section 2)."""
    return f"{match}/{attempt}/{seat}/{number}"


def seat_alias(seat: int) -> str:
    """``Seat A`` for seat 0: players are seat aliases, never names."""
    return f"Seat {chr(ord('A') + seat)}"


def hello(  # noqa: PLR0913 - the message has that many independent parts
    *,
    message_id: str,
    match: str,
    purpose: str,
    rules: Mapping[str, Any],
    seats: int,
    you: int,
    seed_sha256: str,
    clocks: Clocks,
    limits: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The ``hello`` message. ``rules`` is :func:`rules_for_bots`."""
    return {
        "v": VERSION,
        "type": "hello",
        "id": message_id,
        "protocols": [VERSION],
        "purpose": purpose,
        "match": match,
        "rules": rules,
        "seats": seats,
        "you": you,
        "players": [seat_alias(seat) for seat in range(seats)],
        "seed_sha256": seed_sha256,
        "time": {"act_ms": clocks.act_ms, "bank_ms": clocks.bank_ms, "hard_ms": clocks.hard_ms},
        "limits": {**LIMITS, **(limits or {})},
    }


def act(
    *,
    message_id: str,
    match: str,
    time: Mapping[str, int],
    view: Mapping[str, Any],
    legal: Sequence[str],
    events: Sequence[Any],
    state: str | None,
) -> dict[str, Any]:
    """The ``act`` message; ``state`` is what the bot last sent in this match, absent at first."""
    message = {
        "v": VERSION,
        "type": "act",
        "id": message_id,
        "match": match,
        "time": time,
        "view": view,
        "legal": legal,
        "events": events,
    }
    if state is not None:
        message["state"] = state
    return message


def deal_end(
    *,
    message_id: str,
    match: str,
    deal: int,
    record: Mapping[str, Any],
    hands: Sequence[Sequence[str]] | None,
) -> dict[str, Any]:
    """One-way: how a deal ended, from its ``record`` (protocol.md section 6).

    ``hands`` null hides the cards.
    """
    contract, scores, declarer = record["contract"], record["scores"], record["declarer"]
    made = None if declarer is None or contract is None else record["points"][declarer] >= contract
    return {
        "v": VERSION,
        "type": "deal_end",
        "id": message_id,
        "match": match,
        "deal": deal,
        "void": record["void"],
        "declarer": declarer,
        "contract": contract,
        "made": made,
        "points": record["points"],
        "scores": scores,
        "totals": record["totals"],
        "hands": hands,
    }


def match_end(
    *,
    message_id: str,
    match: str,
    result: Mapping[str, Any],
    faults: int,
    seed: str | None,
    replay: str | None,
) -> dict[str, Any]:
    """One-way: the result of the match.

    ``faults`` is this seat's number of them, ``seed`` null while withheld, ``replay`` the replay's address.
    """
    return {
        "v": VERSION,
        "type": "match_end",
        "id": message_id,
        "match": match,
        "totals": result["totals"],
        "places": result["places"],
        "reason": result["reason"],
        "faults": faults,
        "seed": seed,
        "replay": replay,
    }


def encode(message: Mapping[str, Any]) -> bytes:
    """The bytes of a message, on one line, without the line's end."""
    return _encode(message)


def decode_hello(raw: bytes) -> HelloReply:
    """Decode an answer to ``hello`` or raise :class:`MalformedReply`."""
    reply = _decode(_hello_decoder, raw)
    return HelloReply(
        id=reply.id,
        ready=reply.ready,
        v=reply.v,
        reason=printable(reply.reason[:REASON_CHARS]),
        subscribe=tuple(word for word in reply.subscribe[:8] if word in SUBSCRIPTIONS),
    )


def decode_act(raw: bytes) -> ActReply:
    """Decode an answer to ``act`` or raise :class:`MalformedReply`.

    Notes and logs come back as sent: see :func:`clip`.
    """
    reply: ActReply = _decode(_act_decoder, raw)
    if reply.state is not None and len(reply.state) > STATE_CHARS:
        raise MalformedReply(f"state is longer than {STATE_CHARS} characters")
    return reply


def _decode(decoder: msgspec.json.Decoder[Any], raw: bytes) -> Any:
    if len(raw) > REPLY_BYTES:
        raise MalformedReply(f"the answer is larger than {REPLY_BYTES} bytes")
    try:
        reply = decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        raise MalformedReply(printable(str(error))[:300]) from None
    if reply.v != VERSION:
        raise MalformedReply(f"v is {reply.v}, this service speaks {VERSION}")
    return reply


def printable(text: str) -> str:
    """Text from a bot made fit for logs and terminals.

    Control and unpaired characters are escaped, lines kept.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\u{ord(char):04x}" for char in text)


def clip(text: str | None, chars: int) -> str | None:
    """A note or log cut to ``chars`` and made printable; None stays None."""
    return None if text is None else printable(text[:chars])


def rules_for_bots(
    name: str, base: str | None, changed: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """``rules`` of ``hello``: the table's name, its base, what differs from it, and every option."""
    return {"name": name, "base": base or name, "changed": dict(changed), "options": dict(options)}


class _Identified(msgspec.Struct):
    id: str


_id_decoder = msgspec.json.Decoder(_Identified)


def id_of(message: bytes) -> str:
    """The id of one of our own encoded messages."""
    return _id_decoder.decode(message).id


def id_in(line: bytes) -> str:
    """The id in a line of a bot's, whatever else is in it; empty if there is none."""
    try:
        return id_of(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError):
        return ""
