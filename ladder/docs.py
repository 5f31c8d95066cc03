"""The docs pages. What they show of code and messages is read from the code and made by the engine, never typed in."""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
import json
from importlib import resources
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from botapi import explanations, house, protocol, signing
from botapi.drivers import output
from botapi.drivers.base import Answer, Question
from botapi.limits import LIMITS
from botapi.reports import pretty
from botapi.sandbox import limits as sandbox
from botapi.tokens import SCOPES
from engine import PRESETS, Game, notation
from games.match import Match
from games.queries import bots_environment
from games.steps import Greet, SeatPlan, Setup, Tell
from games.trials import A_DAY

SHOWN_ACT: Final = 6
"""Which question of the sample match is shown: early in its first deal."""

VECTOR_TIME: Final = 1_780_000_000
"""When the request of the signature vector was sent, in seconds."""


def index(request: HttpRequest) -> HttpResponse:
    """What there is to read."""
    return render(request, "docs/index.html", {"presets": PRESETS})


def first_bot(request: HttpRequest) -> HttpResponse:
    """From nothing to a first bot on the ladder, with the messages it gets."""
    context = {"bot": sample("starter.py"), "shown": messages(), "site": settings.SITE_URL.rstrip("/")}
    return render(request, "docs/first_bot.html", context)


def protocol_page(request: HttpRequest) -> HttpResponse:
    """The protocol: messages, clocks, faults, signatures."""
    context = {
        "shown": messages(),
        "sandbox": protocol.SANDBOX_CLOCKS,
        "http": protocol.HTTP_CLOCKS,
        "limits": protocol.LIMITS,
        "http_bot": sample("http_bot.py"),
        "signed": signed(),
    }
    return render(request, "docs/protocol.html", context)


def api_overview(request: HttpRequest) -> HttpResponse:
    """The API in short: who asks, lists, sending again, how often, downloads, errors."""
    context = {
        "site": settings.SITE_URL.rstrip("/"),
        "scopes": SCOPES.items(),
        "rates": settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"],
    }
    return render(request, "docs/api_overview.html", context)


def text_notation(request: HttpRequest) -> HttpResponse:
    """The text notation, with a match of one deal."""
    return render(request, "docs/notation.html", {"shown": notated()})


def errors(request: HttpRequest) -> HttpResponse:
    """Fault codes, errors of the API, limits."""
    environment = bots_environment()
    context = {
        "codes": explanations.MEANINGS.items(),
        "limits": LIMITS,
        "tests_a_day": A_DAY,
        "environment": environment,
        "bot": sandbox.Limits(),
        "space": {
            word: sandbox.Limits().rlimits(grouped=grouped, packages=bool(environment.get("name")))["AS"]
            for word, grouped in (("grouped", True), ("alone", False))
        },
        "noise_lines": output.NOISE_LINES,
        "stderr_kept": output.HEAD_BYTES + output.TAIL_BYTES,
        "stderr_bytes": output.STDERR_KILL_BYTES,
    }
    return render(request, "docs/errors.html", context)


def sample(file: str) -> str:
    """The source of a sample bot."""
    return resources.files("botapi.samples").joinpath(file).read_text(encoding="utf-8")


def signed() -> list[tuple[str, str]]:
    """A signature vector as lines of a name and a value: secret, signed headers, body."""
    secret = signing.PREFIX + base64.b64encode(bytes(range(signing.SECRET_BYTES))).decode()
    body = '{"v":1,"type":"hello","id":"12/1/0/0"}'
    headers = signing.headers([secret], "12/1/0/0", VECTOR_TIME, body.encode())
    return [("secret", secret), *headers.items(), ("body", body)]


@functools.cache
def messages() -> dict[str, str]:
    """One message of each kind from a real match, pretty-printed: hello, act, the answers, deal_end, match_end."""
    seen: dict[str, Any] = {}
    seed = hashlib.sha256(b"docs").digest()
    clocks = protocol.SANDBOX_CLOCKS
    seats = (
        SeatPlan("yours", "1", "process", clocks),
        *(SeatPlan(name, "1", "house", clocks, house=name) for name in ("greedy", "counter")),
    )
    talk = Match(Setup("1", 1, PRESETS["pl-3"], seed, seats)).play()
    draws, acts = house.Draws(seed, 0), 0
    answer: Answer | list[Answer] | None = None
    while True:
        try:
            step = talk.send(answer)
        except StopIteration:
            break
        answer = None
        if isinstance(step, Greet):
            hello = step.questions[0]
            seen["hello"] = dict(hello.content)
            reply = {"v": 1, "id": hello.id, "ready": True}
            seen["hello_answer"] = reply
            answer = [Answer(reply=protocol.decode_hello(json.dumps(reply).encode()))]
        elif isinstance(step, Question):
            acts += 1
            action = house.choose("greedy", step.view, step.legal, draws)
            reply = {"id": step.id, "action": action}
            if acts == SHOWN_ACT:
                seen["act"], seen["act_answer"] = dict(step.content), reply
            answer = Answer(reply=protocol.decode_act(json.dumps(reply).encode()))
        elif isinstance(step, Tell):
            seen.setdefault(step.kind, json.loads(step.message))
    return {kind: pretty(message) for kind, message in seen.items()}


@functools.cache
def notated() -> str:
    """A match of one deal between house bots, in text notation."""
    seed = hashlib.sha256(b"notation").digest()
    rules = dataclasses.replace(PRESETS["pl-3"], deal_limit=1)
    game, draws = Game(rules, seed=seed), house.Draws(seed, 0)
    while game.seat is not None:
        game.apply(house.choose("greedy", game.view(game.seat), game.legal, draws))
    seats = [{"name": name, "version": "1"} for name in ("you", "greedy", "counter")]
    return notation.write(json.loads(json.dumps(game.record(match="12", seats=seats))))
