"""Matches on the author's own machine, with the same host code that the service runs."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botapi import signing
from botapi.endpoints import accept_url
from botapi.errors import DomainError
from botapi.house import HOUSE_BOTS
from botapi.protocol import SANDBOX_CLOCKS
from botapi.sandbox.limits import cpu_seconds
from botapi.sandbox.places import packages_directory
from games.commandline.errors import CommandFailed, UsageFailed
from games.host import Host
from games.job import SeatJob
from games.seats import Drivers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from games.host import JobLine

TERMINAL = frozenset({"finished", "refused", "failed", "checked", "error"})


def add_seats(parser: argparse.ArgumentParser) -> None:
    """How the author's own code is run."""
    parser.add_argument(
        "--no-sandbox", action="store_true", help="run your own code as a plain process, without the sandbox"
    )
    parser.add_argument("--secret", help="signing secret for HTTP bots (default: a fresh one)")


def seat_of(word: str, options: argparse.Namespace, root: Path, *, deal_limit: int) -> SeatJob:
    """The seat that a word on the command line means: a house bot, an address, a file or a directory.

    A sandboxed bot has the service's limits, which depend on the longest match.
    """
    if word in HOUSE_BOTS:
        return SeatJob(kind="house", name=word, house=word)
    if word.startswith(("http://", "https://")):
        return _endpoint(word, options.secret or signing.new_secret())
    path = Path(word)
    if not path.exists():
        raise UsageFailed(f"{word!r} is no file, no address and no house bot ({', '.join(HOUSE_BOTS)})")
    main = _main_file(path)
    if options.no_sandbox and main is not None and main.is_file():
        return SeatJob(kind="process", name=path.name, argv=(sys.executable, str(main.resolve())))
    directory = _unpack(path, root)
    if options.no_sandbox:
        return SeatJob(kind="process", name=path.name, argv=(sys.executable, str(directory / "main.py")))
    clocks = SANDBOX_CLOCKS
    cpu_s = cpu_seconds(
        deal_limit=deal_limit, act_ms=clocks.act_ms, bank_ms=clocks.bank_ms, start_ms=clocks.start_ms
    )
    return SeatJob(kind="sandbox", name=path.name, dir=str(directory), limits={"cpu_s": cpu_s})


def _endpoint(url: str, secret: str) -> SeatJob:
    try:
        signing.secret_key(secret)
    except ValueError as error:
        raise UsageFailed(f"--secret: {error}") from None
    try:
        accepted = accept_url(url, allow_private=True)
    except DomainError as error:
        raise UsageFailed(f"{url}: {error.message}") from None
    return SeatJob(kind="http", name=url, url=accepted, secrets=(secret,), allow_private=True)


def _main_file(path: Path) -> Path | None:
    if path.is_dir():
        return path / "main.py"
    return path if path.suffix == ".py" else None


def _unpack(path: Path, root: Path) -> Path:
    from botapi.archive import accept, unpack
    from botapi.foreign_zip import CODE, MAIN

    if path.is_dir() and not (path / MAIN).is_file():
        raise CommandFailed(f"{path}: there is no {MAIN} in this directory", CODE)
    try:
        archive = accept(path.name if path.is_file() else path.name + ".zip", _bytes_of(path))
        return unpack(archive.canonical_zip, archive.sha256, root / "bots")
    except DomainError as error:
        raise CommandFailed(f"{path}: {error.message}", error.code) from error
    except OSError as error:
        raise CommandFailed(f"{path}: {error.strerror}") from error


def _bytes_of(path: Path) -> bytes:
    """The file, or a directory as the zip that would be uploaded."""
    if path.is_file():
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as place:
        return Path(shutil.make_archive(str(Path(place) / "bot"), "zip", path)).read_bytes()


def say_if_unsandboxed(options: argparse.Namespace, seats: Iterable[SeatJob]) -> None:
    """One line about what runs without the sandbox."""
    names = list(dict.fromkeys(seat.name for seat in seats if seat.kind == "process"))
    if options.no_sandbox and names:
        print(f"without the sandbox, with your own rights: {', '.join(names)}", file=sys.stderr)


def why(event: dict[str, Any]) -> str:
    """In one line, why a match or a check was not played."""
    return str(event.get("message") or event.get("reason") or "no reason given").splitlines()[0]


def run_jobs(
    jobs: Iterable[JobLine], root: Path, *, plain: bool, on_end: Callable[[dict[str, Any]], None]
) -> None:
    """Play jobs one after the other.

    ``on_end`` gets the last event of each. CommandFailed where no sandbox is safe.
    """
    asyncio.run(_run_jobs(jobs, root, plain=plain, on_end=on_end))


async def _run_jobs(
    jobs: Iterable[JobLine], root: Path, *, plain: bool, on_end: Callable[[dict[str, Any]], None]
) -> None:
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def emit(event: dict[str, Any]) -> None:
        if event["type"] in TERMINAL:
            events.put_nowait(event)

    host = Host(lambda host: drivers(root, plain=plain, eager_ms=host.eager_ms), emit)
    try:
        for job in jobs:
            if any(seat.kind == "sandbox" for seat in job.seats):
                prepare(host.drivers)
            host.begin(job)
            on_end(await events.get())
    finally:
        await host.close()


def drivers(root: Path, *, plain: bool, eager_ms: Callable[[], int]) -> Drivers:
    """Drivers for the author's own bots, with the packages that bots may import where they are built."""
    environ = os.environ
    packages = packages_directory(environ.get("SANDBOX_PACKAGES", ""), environ.get("SANDBOX_RUNTIME", ""))
    return Drivers(root / "runtime", "auto", plain=plain, eager_ms=eager_ms, packages=packages)


def prepare(made: Drivers) -> None:
    """Get the sandbox ready; CommandFailed where none is safe."""
    from botapi.sandbox import SandboxUnavailable

    try:
        made.prepare_sandbox()
    except SandboxUnavailable as error:
        raise CommandFailed(f"{error} (your own code also runs with --no-sandbox)") from error
