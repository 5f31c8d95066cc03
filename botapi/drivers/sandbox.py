"""Uploaded Python bots, in the sandbox (sandbox.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botapi.drivers.pipes import PipeDriver
from botapi.errors import PlatformError
from botapi.sandbox import DEFAULT_PYTHON, Limits, Runtime, SandboxUnavailable, choose_backend, spawn
from botapi.sandbox.proc import adopt_orphans

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from botapi.drivers.lag import LagMeter
    from botapi.sandbox import Kind


@dataclass(frozen=True, slots=True)
class Sandboxes:
    """The backend that works on this machine and what its sandboxes need."""

    name: Kind
    runtime: Runtime


def prepare(
    path: Path | None,
    backend: str,
    *,
    python: str = DEFAULT_PYTHON,
    bwrap: str = "",
    packages: Path | None = None,
    require_group: bool = False,
) -> Sandboxes:
    """Choose the backend (``auto``, ``bwrap``, ``landlock``) and set up its runtime directory.

    ``python`` is what bots run on, ``bwrap`` the path of bubblewrap (found by itself when empty), ``packages``
    where bots' packages are built; ``require_group`` demands a control group for each bot.

    Raises SandboxUnavailable, with each backend's reason, where nothing is safe.
    """
    try:
        runtime = Runtime(path, python=python, bwrap=bwrap, packages=packages, require_group=require_group)
    except (OSError, ValueError) as error:
        raise SandboxUnavailable({"bwrap": str(error), "landlock": str(error)}) from error
    adopt_orphans()
    return Sandboxes(choose_backend(backend, runtime), runtime)


def sandbox_driver(
    sandboxes: Sandboxes,
    bot_dir: Path,
    limits: Mapping[str, Any],
    *,
    failed: Callable[[BaseException], None],
    eager_ms: Callable[[], int],
    lag: LagMeter,
) -> PipeDriver:
    """A driver for the unpacked bot in ``bot_dir``; ``limits`` as ``sandbox.Limits`` names them."""
    try:
        bounds = Limits.from_mapping(limits)
    except (TypeError, ValueError) as error:
        raise PlatformError(f"limits of a sandbox: {error}") from error
    return PipeDriver(
        lambda: spawn(bot_dir, bounds, backend=sandboxes.name, runtime=sandboxes.runtime),
        failed,
        eager_ms,
        lag,
    )
