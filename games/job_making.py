"""From rows to the job that a match host is handed (the host's side of it is :mod:`games.job`)."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path
from typing import Any

from django.conf import settings

from botapi import archive, bots, protocol, signing
from botapi.errors import PlatformError
from botapi.models import Artifact, Bot, Version
from botapi.sandbox import places
from botapi.sandbox.limits import cpu_seconds
from games import journal, queue, watching
from games.job import PERSON_CLOCKS
from games.models import Match, Seat
from games.queue import Claim, cards_stay_secret

HOST_PREFIX = "host-"
UNPACKED = "unpacked"
UNUSED_S = 24 * 3600
"""So long an unpacked bot is kept that no match takes: it can be unpacked again."""
SIGNED_WITHIN_S = 60
"""A host that waits longer for a signature has given its match up."""
SIGNED_BYTES = 256 * 1024
"""Far above what a match has to tell a bot, with as much ``state`` as the bot may have sent."""
CHECK_LEASE_S = 90
"""A check tells no progress; it stops by itself after 45 s, and each question has its limit."""
STARVED_PATIENCE = 3
"""The repeat of a match on a starved machine has clocks so many times longer (protocol.md section 5)."""


def runtime_directory() -> Path:
    """Where unpacked bots and hosts' own directories are, by SANDBOX_RUNTIME; raises PlatformError."""
    return places.runtime_directory(settings.SANDBOX_RUNTIME)


def host_directory() -> Path:
    """A fresh name for the own directory of one host of this process."""
    return runtime_directory() / f"{HOST_PREFIX}{os.getpid()}-{time.monotonic_ns()}"


def remove_orphaned_directories() -> None:
    """Delete what hosts of processes that are gone (kill -9) have left behind."""
    for left in runtime_directory().glob(f"{HOST_PREFIX}*"):
        pid = left.name.removeprefix(HOST_PREFIX).partition("-")[0]
        if not Path("/proc", pid).exists():
            shutil.rmtree(left, ignore_errors=True)


def remove_unused_bots() -> int:
    """Delete unpacked bots that no match has taken for UNUSED_S and that none is playing; how many.

    A match that takes one in that very moment is repeated: its bot is gone before it starts.
    """
    playing = Seat.objects.filter(match__state=Match.State.RUNNING)
    kept = set(playing.values_list("version__artifact_id", flat=True))
    removed = 0
    for found in (runtime_directory() / UNPACKED).glob("*"):
        with contextlib.suppress(OSError):
            if found.name not in kept and time.time() - found.stat().st_mtime > UNUSED_S:
                aside = found.rename(found.with_name(f".removing-{found.name}"))
                archive.remove(aside)
                removed += 1
    return removed


def is_mixed(job: dict[str, Any]) -> bool:
    """Whether sandboxed bots and endpoints sit at the same table."""
    return {"sandbox", "http"} <= {seat["kind"] for seat in job["seats"]}


def keep_secrets(job: dict[str, Any]) -> dict[int, list[str]]:
    """Take the endpoints' secrets out of a job: its host will ask for signatures. Returns them by seat."""
    kept: dict[int, list[str]] = {}
    for index, seat in enumerate(job["seats"]):
        if seat["kind"] == "http":
            kept[index] = seat["secrets"]
            seat |= {"secrets": [], "parent_signs": True}
    return kept


def sign(request: dict[str, Any], secrets: dict[int, list[str]], *, now: float) -> dict[str, Any]:
    """The answer to a host's event ``sign``; ``secrets`` by seat, ``now`` in seconds of the epoch.

    PlatformError for anything but a message of the match's own to one of these seats, just sent: a host with
    sandboxed bots in it must get no signature under which somebody could speak in our name later or elsewhere.
    """
    seat, message_id, body = request["seat"], request["id"], request["body"].encode()
    own = f"{request['match']}/{request['attempt']}/{seat}/"
    number = message_id.removeprefix(own)
    if seat not in secrets or number == message_id or not (number.isascii() and number.isdecimal()):
        raise PlatformError("the host asked for a signature for another than one of its endpoints")
    if abs(now - request["timestamp"]) > SIGNED_WITHIN_S or len(body) > SIGNED_BYTES:
        raise PlatformError("the host asked for a signature of another time, or of too much")
    if protocol.id_of(body) != message_id:
        raise PlatformError("the host asked for a signature of a message with another id")
    return {
        "type": "signed",
        "match": request["match"],
        "attempt": request["attempt"],
        "id": message_id,
        "headers": signing.headers(secrets[seat], message_id, request["timestamp"], body),
    }


def make_job(claim: Claim) -> dict[str, Any]:
    """The job of a claimed match. Raises PlatformError when what it needs cannot be read."""
    match = claim.match
    seats = match.seats.select_related("version__bot").order_by("index")
    check = match.klass == Match.Class.CHECK
    patience = STARVED_PATIENCE if claim.alone else 1
    clocks = {name: value * patience for name, value in match.clocks.items()}
    return {
        "type": "job",
        "job": "check" if check else "match",
        "purpose": "check" if check else "match",
        "match": str(match.pk),
        "attempt": claim.attempt,
        "rules": match.rules,
        "seed": claim.seed.hex(),
        "clocks": clocks,
        "seats": [_seat(seat, _limits(match, clocks)) for seat in seats],
        **(journal.job_part(match) if match.people else {}),
        # the tables of a block share a seed: it is told when the last of them is over
        "reveal_seed": not cards_stay_secret(match),
        "live": watching.is_public(match),
    }


def first_lease_s(job: dict[str, Any]) -> float:
    """Seconds until the first progress: all seats start side by side, then the first question is open."""
    if job["job"] == "check":
        return CHECK_LEASE_S + queue.lease_s(job["clocks"]["hard_ms"])
    return queue.lease_s(job["clocks"]["start_ms"])


def _limits(match: Match, clocks: dict[str, int]) -> dict[str, int]:
    """What a sandboxed bot may use beyond the sandbox's own values: processor time, by the match's clocks."""
    times = {name: clocks[name] for name in ("act_ms", "bank_ms", "start_ms")}
    return {"cpu_s": cpu_seconds(deal_limit=match.rules["deal_limit"], **times)}


def _seat(seat: Seat, limits: dict[str, int]) -> dict[str, Any]:
    version = seat.version
    if seat.person_id is not None:
        return {"kind": "person", "name": seat.name, "version": "", "clocks": PERSON_CLOCKS}
    if version is None:
        raise PlatformError(f"seat {seat.index} of match {seat.match_id} has no version to play it")
    bot = version.bot
    common = {"kind": bot.kind, "name": seat.name, "version": str(version.number)}
    if bot.kind == Bot.Kind.HOUSE:
        return {**common, "house": bot.house}
    if bot.kind == Bot.Kind.SANDBOX:
        return {**common, "dir": str(_materialise(version)), "limits": limits}
    if bot.kind != Bot.Kind.HTTP:
        raise PlatformError(f"nothing plays for a bot of kind {bot.kind}")
    return {
        **common,
        "url": version.url,
        "secrets": bots.endpoint_secrets(bot),
        "allow_private": settings.BOT_ENDPOINTS_ALLOW_PRIVATE,
    }


def _materialise(version: Version) -> Path:
    """The version's files, unpacked from PostgreSQL into a read-only directory named by their hash."""
    root = runtime_directory() / UNPACKED
    root.mkdir(mode=0o711, exist_ok=True)
    artifact = Artifact.objects.filter(pk=version.artifact_id).first()
    if artifact is None:
        raise PlatformError(f"{version} has no files")
    try:
        place = archive.unpack(bytes(artifact.data), artifact.sha256, root)
        os.utime(place)  # in use: see remove_unused_bots
    except OSError as error:
        raise PlatformError(f"{version} could not be unpacked: {error}") from error
    return place
