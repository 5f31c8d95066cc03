"""Every hostile bot of ``tests/bots/hostile``, in both backends, as root and as an ordinary user.

A bot's first line says what must happen. The whole battery of a backend and a user is one process
(``battery.py``), all of them run side by side once, and each bot is judged by a test of its own.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botapi.sandbox import Kind
from tests.botapi.sandbox import batteries, carrying

MOST_MIB = 200
"""A gigabyte that a bot writes must pass through, not stay."""


@pytest.fixture(scope="module")
def outcomes() -> Iterator[dict[tuple[str, str], dict[str, Any]]]:
    """What came of each bot and, as ``left``, what they left, by backend and user."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        batteries.copy_for_all(place)
        found: dict[tuple[str, str], dict[str, Any]] = {}
        carried = [form for form in batteries.FORMS if form[0] not in carrying.refusals()]
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


@pytest.mark.parametrize("user", batteries.USERS)
@pytest.mark.parametrize("name", batteries.NAMES)
def test_a_hostile_bot_comes_to_its_expected_end(
    outcomes: dict[tuple[str, str], dict[str, Any]], name: str, kind: Kind, user: str
) -> None:
    verdicts = outcomes[kind, user][name]
    assert len(verdicts) == (2 if name.startswith("persist") else 1)
    assert [verdict["faults"] for verdict in verdicts] == [[]] * len(verdicts), verdicts


@pytest.mark.parametrize("user", batteries.USERS)
def test_nothing_is_left_or_changed_after_the_battery(
    outcomes: dict[tuple[str, str], dict[str, Any]], kind: Kind, user: str
) -> None:
    left = outcomes[kind, user]["left"]
    assert left.pop("uid") == (0 if user == "root" else outcomes[kind, user]["uid"])
    assert left.pop("mib") < MOST_MIB
    assert left.pop("victim") == "alive"
    assert {"processes", "written"} <= left.keys()
    assert os.geteuid() != 0 or "sockets" in left
    assert {name: found for name, found in left.items() if found} == {}


NOTICED = [
    "calls_high_bits", "calls_unnamed", "channels", "daemonise", "exec_multiprocessing", "files_homes",
    "files_locks", "files_metadata", "files_path_descriptor", "files_secret", "filter_replaced",
    "limits_of_others", "limits_raised", "memory_kernel", "memory_locked", "memory_pipes", "memory_shared",
    "native_code", "net_listen", "net_odd_families", "net_pair_sendto", "net_pass_descriptor", "net_udp",
    "net_unix_path", "priorities", "shim_undone", "signals_descriptor_owner", "signals_parent",
    "signals_thread_call", "splicing", "terminal_push", "watching",
]  # fmt: skip
"""Bots that get through where the filters are gone and the secret is in sight."""


def test_without_the_filters_the_same_bots_break_out_and_it_is_noticed() -> None:
    carrying.require("bwrap")
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        batteries.copy_for_all(place)
        with batteries.running(place, [("bwrap", "user")], NOTICED, weakened=True) as (form,):
            out, err = form.process.communicate(timeout=250)
            assert form.process.returncode == 0, err
    verdicts = [line for line in map(json.loads, out.splitlines()) if "bot" in line]
    unnoticed = [
        line for line in verdicts if not any(fault.startswith("a breach: ") for fault in line["faults"])
    ]
    assert sorted(line["bot"] for line in verdicts) == NOTICED
    assert unnoticed == []
