"""A person's data as one archive, streamed: what each package holds of the person, file after file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, Literal

from asgiref.sync import sync_to_async
from django.utils import timezone

import botapi.own_data
import games.own_data
from botapi.models import User
from botapi.own_data import File, as_json
from ladder.events.models import EventEntry
from ladder.models import Rating
from ladder.tournament_models import Entrant

MOST_BYTES: Final = 1 << 30
"""The archive ends where its contents would pass this; ``README.txt`` says so."""


def export_of(user: User) -> Iterator[File]:
    """Everything that the service holds of ``user``."""
    yield from botapi.own_data.export_of(user)
    yield from _competitions(user)
    yield from games.own_data.export_of(user)


def _competitions(user: User) -> Iterator[File]:
    ratings = Rating.objects.filter(version__bot__owner=user).order_by("pk")
    fields = ("pool__season__slug", "version__bot__name", "version__number", "r", "v", "n")
    yield "ratings.json", as_json(list(ratings.values(*fields)))
    entries = Entrant.objects.filter(bot__owner=user).order_by("pk")
    yield (
        "tournaments.json",
        as_json(list(entries.values("tournament__slug", "bot__name", "state", "reason"))),
    )
    events = EventEntry.objects.filter(person__user=user).order_by("pk")
    own = ("event__slug", "alias", "state", "agreed_at", "checked_in_at", "device", "left_at", "entered_at")
    yield "events.json", as_json(list(events.values(*own)))


class _Sink(io.RawIOBase):
    """What the archive writes, until it is taken; it cannot go back, so nothing has to be kept."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> Literal[True]:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since the last time."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def chunks(user: User) -> Iterator[bytes]:
    """The archive piece by piece: never more than one file is held."""
    sink, left = _Sink(), MOST_BYTES
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in export_of(user):
            left -= len(content)
            if left < 0:
                break
            archive.writestr(name, content)
            yield sink.take()
        archive.writestr("README.txt", _readme(user, whole=left >= 0))
    yield sink.take()


def _readme(user: User, *, whole: bool) -> str:
    words = [
        f"What the Thousand ladder holds of {user.username}, {timezone.now():%Y-%m-%d %H:%M} UTC.",
        "Secrets are left out. Records of matches are public: download them from the pages of the matches.",
        f"Of private logs the newest {games.own_data.NEWEST_LOGS} are here.",
    ]
    if not whole:
        words.append(
            f"There is more: an archive ends at {MOST_BYTES >> 20} MiB. Ask the operators for the rest."
        )
    return "\n".join(words) + "\n"


async def stream(user: User) -> AsyncIterator[bytes]:
    """As :func:`chunks`, for a server that must not be held up meanwhile."""
    pieces = chunks(user)

    def piece() -> bytes | None:
        return next(pieces, None)

    while (found := await sync_to_async(piece)()) is not None:
        yield found
