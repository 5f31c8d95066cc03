"""A fault of the sandbox itself is never a bot's loss: the match fails as the service's own and is repeated."""

import os
import tempfile
from pathlib import Path

import pytest

from botapi.sandbox import KINDS
from tests.botapi.sandbox import carrying
from tests.games.test_host import HOUSE, Host, job, sandboxed

MACHINE = os.uname().machine


@pytest.fixture(params=KINDS)
def machine(request):
    """A host in one backend, and the directory of what its sandboxes need."""
    carrying.require(request.param)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        place.chmod(0o711)
        host = Host("--runtime", str(place / "runtime"), "--backend", request.param)
        assert host.read()["backend"] == request.param
        yield host, place / "runtime"
        host.close()


def damage(path):
    path.chmod(0o644)
    path.write_bytes(b"\x06\0\0\0\0\0\xff\x7f")


def ending(host, seat):
    host.send(job("m", seats=[seat, *HOUSE[:2]]))
    return host.until("finished", "refused", "failed")[-1]


def test_a_filter_that_is_damaged_before_the_start(machine, tmp_path):
    host, runtime = machine
    damage(runtime / f"inner-{MACHINE}.bpf")
    event = ending(host, sandboxed(tmp_path))
    assert event["type"] == "failed"
    assert "the filter is damaged" in event["reason"]


def test_a_filter_that_is_damaged_before_a_restart(machine, tmp_path):
    host, runtime = machine
    seat = sandboxed(tmp_path, "crash", 3)
    host.send(job("m", seats=[seat, *HOUSE[:2]], clocks=job()["clocks"] | {"hard_ms": 5000}))
    host.until("started")
    damage(runtime / f"inner-{MACHINE}.bpf")
    event = host.until("finished", "refused", "failed")[-1]
    assert event["type"] == "failed"
    assert "the filter is damaged" in event["reason"]


def test_a_bot_whose_files_are_gone(machine, tmp_path):
    host, _ = machine
    event = ending(host, sandboxed(tmp_path) | {"dir": str(tmp_path / "nowhere")})
    assert event["type"] == "failed"
    assert "the sandbox did not start" in event["reason"]


def test_after_all_that_the_host_plays_on(machine, tmp_path):
    host, runtime = machine
    whole = (runtime / f"inner-{MACHINE}.bpf").read_bytes()
    damage(runtime / f"inner-{MACHINE}.bpf")
    seat = sandboxed(tmp_path)
    assert ending(host, seat)["type"] == "failed"
    (runtime / f"inner-{MACHINE}.bpf").write_bytes(whole)
    event = ending(host, seat)
    assert event["type"] == "finished"
    assert event["faults"] == []
