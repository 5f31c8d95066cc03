"""The match that a worker plays for itself, in a real host and a real sandbox."""

import shutil

import pytest

from games import canary, workers
from games.host_process import HostProcess
from games.job_making import host_directory
from games.models import Match, Worker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def host():
    directory = host_directory()
    made = HostProcess(directory)
    yield made
    made.close()
    shutil.rmtree(directory, ignore_errors=True)


def test_a_worker_that_can_play_plays_a_match_for_itself_that_stands_in_no_row(settings, host):
    settings.DEBUG = True
    canary.play(host)
    assert workers.look("w@here", "cpu") == ""
    assert Worker.objects.get().healthy
    assert not Match.objects.exists()


ILLEGAL = b"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"v": 1, "id": message["id"], "ready": True}), flush=True)
    else:
        print(json.dumps({"id": message.get("id"), "action": "x"}), flush=True)
"""


@pytest.mark.parametrize(
    ("source", "told"), [(b"raise SystemExit(3)\n", "ended as refused"), (ILLEGAL, "at fault")]
)
def test_a_machine_on_which_the_sample_bots_do_not_play_well_turns_its_worker_red(
    settings, monkeypatch, source, told
):
    settings.DEBUG = True
    accept = canary.archive.accept
    monkeypatch.setattr(canary.archive, "accept", lambda name, _sample: accept(name, source))
    reason = workers.look("w@here", "cpu")
    assert told in reason
    assert (Worker.objects.get().healthy, Worker.objects.get().message) == (False, reason)


def test_a_host_that_says_nothing_is_not_waited_for_for_ever(monkeypatch, host):
    monkeypatch.setattr(canary, "PLAYED_IN_S", 0.5)
    monkeypatch.setattr(
        canary, "_job", lambda: {"type": "answer", "match": "0", "attempt": 1, "seat": 0, "action": "x"}
    )
    with pytest.raises(canary.CanaryFailed, match="not over within"):
        canary.play(host)
