"""Every hostile bot of ``tests/bots/hostile``, in both backends, as root and as an ordinary user.

A bot's first line says what must happen. The whole battery of a backend and a user is one process
(``battery.py``), all of them run side by side once, and each bot is judged by a test of its own.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botapi.sandbox import KINDS, Kind, Runtime, SandboxUnavailable, choose_backend
from tests.botapi.sandbox import batteries

MOST_MIB = 200
"""A gigabyte that a bot writes must pass through, not stay."""


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[tuple[str, str], dict[str, Any]]]:
    """What came of each bot and, as ``left``, what they left, by backend and user."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        batteries.copy_for_all(place)
        found: dict[tuple[str, str], dict[str, Any]] = {}
        carried = [form for form in batteries.FORMS if form[0] not in batteries.refusals()]
        with batteries.running(place, carried) as forms:
            for form in forms:
                out, err = form.process.communicate(timeout=250)
                assert form.process.returncode == 0, err
                lines = [json.loads(line) for line in out.splitlines()]
                verdicts = found[form.kind, form.user] = {"uid": form.uid}
                for line in lines:
                    if "bot" in line:
                        verdicts.setdefault(line["bot"], []).append(line)
                verdicts["left"] = lines[-1]["left"]
        yield found


@pytest.mark.parametrize("kind", KINDS)
def test_this_machine_carries_both_backends_or_refuses_one_with_its_reason(kind: Kind) -> None:
    reason = batteries.refusals().get(kind)
    if (
        reason is not None
    ):  # the battery of this backend says nothing here; CI must be a machine where it does
        runtime = Runtime()
        with pytest.raises(SandboxUnavailable, match=re.escape(reason)):
            choose_backend(kind, runtime)
        runtime.close()
        warnings.warn(f"{kind} is not carried here: {reason}", stacklevel=1)
        assert "CI" not in os.environ


@pytest.mark.parametrize("user", batteries.USERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", batteries.NAMES)
def test_a_hostile_bot_comes_to_its_expected_end(
    outcomes: dict[tuple[str, str], dict[str, Any]], name: str, kind: str, user: str
) -> None:
    if kind in batteries.refusals():
        return
    verdicts = outcomes[kind, user][name]
    assert len(verdicts) == (2 if name.startswith("persist") else 1)
    assert [verdict["faults"] for verdict in verdicts] == [[]] * len(verdicts), verdicts


@pytest.mark.parametrize("user", batteries.USERS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_or_changed_after_the_battery(
    outcomes: dict[tuple[str, str], dict[str, Any]], kind: str, user: str
) -> None:
    if kind in batteries.refusals():
        return
    left = outcomes[kind, user]["left"]
    assert left.pop("uid") == (0 if user == "root" else outcomes[kind, user]["uid"])
    assert left.pop("mib") < MOST_MIB
    assert left.pop("victim") == "alive"
    assert os.geteuid() != 0 or {"sockets", "written"} <= left.keys()
    assert os.geteuid() != 0 or user == "root" or "processes" in left
    assert {name: found for name, found in left.items() if found} == {}
