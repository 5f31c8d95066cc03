"""A body that is too large is refused before it is read to its end."""

from __future__ import annotations

import asyncio
import json

import pytest

from ladder.body_limit import limited

LARGEST = 100


def ask(chunks, headers=()):
    """What comes back, and how many chunks were taken."""
    sent, taken = [], 0

    async def application(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})

    async def receive():
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": chunks[taken - 1], "more_body": taken < len(chunks)}

    async def send(message):
        sent.append(message)

    asyncio.run(limited(application, LARGEST)({"type": "http", "headers": list(headers)}, receive, send))
    return sent[0]["status"], sent[1]["body"], taken


def test_a_body_up_to_the_limit_passes():
    assert ask([b"x" * 60, b"x" * 40])[:2] == (200, b"fine")


def test_a_body_longer_than_announced_is_cut_off_where_it_passes_the_limit():
    status, body, taken = ask([b"x" * 60] * 50)
    assert (status, taken) == (413, 2)
    assert json.loads(body)["code"] == "body_too_large"


@pytest.mark.parametrize("length", [b"101", b"99999999999999"])
def test_an_announced_length_over_the_limit_is_refused_unread(length):
    assert ask([b""], [(b"content-length", length)])[::2] == (413, 0)


def test_a_chunked_body_is_asked_for_its_length():
    status, body, taken = ask([b"x"], [(b"transfer-encoding", b"Chunked")])
    assert (status, taken, json.loads(body)["code"]) == (411, 0, "length_required")
