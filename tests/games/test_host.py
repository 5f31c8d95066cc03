"""The match host as a process of its own, told by JSON lines, with an empty environment."""

import contextlib
import dataclasses
import hashlib
import json
import os
import select
import subprocess
import sys
import time

import pytest

from bench.http import endpoint
from engine import PRESETS
from engine.record import verify
from tests.botapi.drivers.asking import BAD, GOOD
from tests.botapi.drivers.test_http import SECRET, sample_bot, slow_server

HOUSE = [
    {"kind": "house", "house": name, "name": name, "version": "1"} for name in ("greedy", "counter", "random")
]
ENDS = ("finished", "failed", "refused", "checked")
CLOCKS = {"act_ms": 200, "bank_ms": 500, "hard_ms": 400, "start_ms": 5000}


class Host:
    """One host process."""

    def __init__(self, *arguments):
        argv = [sys.executable, "-I", "-m", "games.host", *arguments]
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0, cwd="/"
        )
        self._data = b""

    def send(self, message):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(raw + b"\n")

    def read(self, seconds=30):
        """The next event."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._data:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            assert ready, "the host said nothing"
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            assert chunk, f"the host ended with {self.process.wait()}"
            self._data += chunk
        line, self._data = self._data.split(b"\n", 1)
        return json.loads(line)

    def until(self, *kinds, seconds=60):
        """Events up to the first of these kinds."""
        events = [self.read(seconds)]
        while events[-1]["type"] not in kinds:
            events.append(self.read(seconds))
        return events

    def play(self, message, tries=10):
        """Send a job and wait for its last event; a starved machine's matches are repeated."""
        for attempt in range(1, tries + 1):
            self.send(message | {"attempt": attempt})
            last = self.until(*ENDS)[-1]
            if not last.get("reason", "").startswith("starved"):
                break
        return last

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(10)
        finally:
            self.process.kill()
            self.process.stdout.close()


@pytest.fixture
def host():
    """A host that may run plain processes, as the command line's does."""
    started = Host("--no-sandbox")
    assert started.read()["type"] == "ready"
    yield started
    started.close()


def job(match="1", seats=HOUSE, rules="pl-3", **changes):
    return {
        "type": "job",
        "job": "match",
        "match": match,
        "attempt": 1,
        "rules": rules if isinstance(rules, dict) else PRESETS[rules].to_json(),
        "seed": hashlib.sha256(match.encode()).hexdigest(),
        "purpose": "match",
        "clocks": CLOCKS,
        "seats": list(seats),
        "journal": [],
        "reveal_seed": True,
    } | changes


def process(how=None, *arguments, name="own"):
    argv = (
        [sys.executable, str(GOOD)] if how is None else [sys.executable, str(BAD), how, *map(str, arguments)]
    )
    return {"kind": "process", "name": name, "version": "3", "argv": argv}


def http(url, **changes):
    return {
        "kind": "http",
        "name": "web",
        "version": "1",
        "url": url,
        "secrets": [SECRET],
        "allow_private": True,
    } | changes


def test_house_bots_play_a_match_and_the_record_verifies(host):
    host.send(job())
    events = host.until("finished")
    assert events[0] == {"type": "started", "match": "1", "attempt": 1}
    finished = events[-1]
    verify(finished["record"])
    progress = [event for event in events if event["type"] == "progress"]
    assert len(progress) >= len(finished["record"]["deals"]) - 1
    assert progress[-1].keys() >= {"deal", "decisions", "totals", "open_ms"}
    assert finished["faults"] == []
    assert finished["decisions"] > 100
    assert len(finished["logs"]) == 3


def test_a_process_bot_plays_and_its_private_log_is_complete(host):
    finished = host.play(job(seats=[process(), *HOUSE[:2]]))
    verify(finished["record"])
    turns = finished["logs"][0]["turns"]
    assert turns[0]["request"]["type"] == "hello"
    assert [turn["n"] for turn in turns] == sorted({turn["n"] for turn in turns})
    assert turns[1].keys() >= {
        "request",
        "answer",
        "action",
        "verdict",
        "wall_ms",
        "used_ms",
        "cpu_ms",
        "delay_ms",
    }
    assert json.loads(turns[1]["answer"])["action"] == turns[1]["action"]
    assert finished["timings"]["0"]["turns"] == len(turns)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("sleep", "timeout"),
        ("crash", "crash"),
        ("bad_json", "bad_reply"),
        ("wrong_shape", "bad_reply"),
        ("wrong_id", "timeout"),
        ("illegal", "illegal"),
        ("huge", "bad_reply"),
        ("endless", "bad_reply"),
        ("noise", "bad_reply"),
        ("close_stdout", "crash"),
        ("stderr_flood", "crash"),
    ],
)
def test_a_bad_bot_is_stood_in_for_after_three_faults_and_the_match_goes_on(host, how, code):
    finished = host.play(job(seats=[process(how, 2), *HOUSE[:2]]))
    assert finished["type"] == "finished"
    assert {fault["seat"] for fault in finished["faults"]} == {0}
    assert finished["faults"][0]["code"] == code
    assert len(finished["faults"]) == 3
    assert finished["record"]["stand_ins"][0]["seat"] == 0
    assert finished["record"]["result"]["places"][0] == 3
    verify(finished["record"])


def test_a_bot_that_crashes_once_is_restarted_and_plays_on(host, tmp_path):
    host.send(job(seats=[process("crash_once", 5, tmp_path / "mark"), *HOUSE[:2]]))
    finished = host.until("finished", "failed")[-1]
    assert [fault["code"] for fault in finished["faults"][:1]] == ["crash"]
    verdicts = [turn["verdict"] for turn in finished["logs"][0]["turns"]]
    assert verdicts.count("ready") == 2


@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("no_hello", "start", "no answer"),
        ("crash_at_hello", "start", "status 1"),
        ("refuse", "refused", "at night"),
    ],
)
def test_a_bot_that_does_not_begin_costs_nobody_anything(host, how, code, words):
    host.send(job(seats=[HOUSE[0], process(how), HOUSE[1]], clocks=CLOCKS | {"start_ms": 600}))
    refused = host.until("finished", "refused", "failed")[-1]
    assert (refused["type"], refused["seat"], refused["code"]) == ("refused", 1, code)
    assert words in refused["message"]
    if how == "crash_at_hello":
        assert "cannot start" in refused["stderr"]


def test_an_http_bot_plays_over_real_sockets(host):
    with sample_bot() as url:
        host.send(job(seats=[http(url), *HOUSE[:2]]))
        finished = host.until("finished", "failed", "refused")[-1]
    assert finished["type"] == "finished"
    assert finished["faults"] == []
    verify(finished["record"])


def test_an_http_bot_on_a_private_address_does_not_begin(host):
    with sample_bot() as url:
        host.send(job(seats=[http(url, allow_private=False), *HOUSE[:2]]))
        refused = host.until("finished", "failed", "refused")[-1]
    assert (refused["type"], refused["code"]) == ("refused", "start")
    assert "not a public address" in refused["message"]


def test_an_endpoint_that_goes_down_in_the_middle_faults_and_the_match_ends(host):
    with sample_bot() as url:
        host.send(job(seats=[http(url), *HOUSE[:2]]))
        host.until("progress")
    finished = host.until("finished", "failed")[-1]
    assert finished["type"] == "finished"
    assert {fault["code"] for fault in finished["faults"]} <= {"crash", "timeout"}


def test_several_matches_are_played_at_once(host):
    with sample_bot() as url:
        for number in range(6):
            seats = [http(url), *HOUSE[:2]] if number % 2 else [process(), *HOUSE[:2]]
            host.send(job(str(number), seats=seats))
        events = []
        while sum(event["type"] == "finished" for event in events) < 6:
            events.append(host.read(60))
    assert not [event for event in events if event["type"] in ("failed", "refused", "error")]
    firsts = [event["match"] for event in events if event["type"] == "progress"]
    assert len(set(firsts[:12])) > 1


def test_a_hundred_matches_of_endpoints_with_latency_are_played_at_once(host):
    rules = dataclasses.replace(PRESETS["pl-3"], deal_limit=1).to_json()
    clocks = {"act_ms": 60_000, "bank_ms": 60_000, "hard_ms": 60_000, "start_ms": 60_000}
    with endpoint(100, os.sched_getaffinity(0)) as url:
        jobs = [job(str(number), seats=[http(url)] * 3, rules=rules, clocks=clocks) for number in range(100)]
        host.send(b"\n".join(json.dumps(each).encode() for each in jobs))
        ends, open_matches, most = [], set(), 0
        while len(ends) < 100:
            event = host.read(120)
            open_matches ^= {event["match"]} if event["type"] in ("started", *ENDS) else set()
            most = max(most, len(open_matches))
            ends += [event] if event["type"] in ENDS else []
    assert {event["type"] for event in ends} == {"finished"}
    assert [event["faults"] for event in ends] == [[]] * 100
    assert all(turn["wall_ms"] >= 100 for event in ends for log in event["logs"] for turn in log["turns"])
    assert most == 100


def test_a_person_is_asked_through_the_parent_and_answers(host):
    host.send(
        job(
            seats=[{"kind": "person", "name": "Anna"}, *HOUSE[:2]],
            rules="cz-3-short" if "cz-3-short" in PRESETS else "pl-3",
        )
    )
    asked = 0
    while (event := host.read())["type"] != "finished":
        if event["type"] == "question":
            assert event["view"]["you"] == event["seat"] == 0
            host.send({"type": "answer", "match": "1", "attempt": 1, "seat": 0, "action": "nonsense"})
            action = next(a for a in event["legal"] if a not in ("redeal", "concede"))
            host.send({"type": "answer", "match": "1", "attempt": 1, "seat": 0, "action": action})
            asked += 1
    assert asked > 10
    assert event["faults"] == []


def test_a_persons_time_runs_out_without_a_fault(host):
    clocks = {"act_ms": 1, "bank_ms": 0, "hard_ms": 1, "start_ms": 1}
    host.send(job(seats=[{"kind": "person", "name": "Anna", "clocks": clocks}, *HOUSE[:2]]))
    finished = host.until("finished")[-1]
    assert finished["faults"] == []
    assert finished["record"]["stand_ins"] == []


def test_a_journal_goes_on_where_it_ended(host):
    host.send(job())
    whole = host.until("finished")[-1]["record"]
    host.send(job("2", seed=job()["seed"], journal=[]))
    again = host.until("finished")[-1]["record"]
    assert again["deals"] == whole["deals"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules": {"name": "pl-3"}}, ""),
        ({"seed": "ab"}, "32 bytes"),
        ({"seed": "xy"}, ""),
        ({"seats": HOUSE[:2]}, "2 seats"),
        ({"seats": [HOUSE[0] | {"house": "nobody"}, *HOUSE[1:]]}, "nobody"),
        ({"journal": [[1, "pass"]]}, "journal"),
    ],
)
def test_a_job_that_makes_no_sense_fails_with_a_reason(host, changes, words):
    host.send(job(**changes))
    failed = host.until("failed", "finished")[-1]
    assert failed["type"] == "failed"
    assert words in failed["reason"]
    host.send(job("next"))
    assert host.until("finished")[-1]["match"] == "next"


@pytest.mark.parametrize(
    "line", [b"", b"nonsense", b"{}", b'{"type":"job"}', b'{"type":"what"}', b"\xff\xfe", b"[" * 9999]
)
def test_nonsense_from_the_parent_is_answered_and_survived(host, line):
    host.send(line)
    host.send(job())
    assert host.until("finished")[-1]["match"] == "1"


def test_stop_ends_the_host_and_its_bots(host):
    host.send(
        job(seats=[process("sleep"), *HOUSE[:2]], clocks=CLOCKS | {"hard_ms": 50_000, "act_ms": 40_000})
    )
    host.until("started")
    time.sleep(0.3)
    host.send({"type": "stop"})
    assert host.process.wait(5) == 0


def test_a_parent_that_is_gone_ends_the_host(host):
    host.send(
        job(seats=[process("sleep"), *HOUSE[:2]], clocks=CLOCKS | {"hard_ms": 50_000, "act_ms": 40_000})
    )
    host.until("started")
    assert host.close() == 0


def test_a_host_may_open_as_many_files_as_it_is_allowed(host):
    limits = (
        next(line for line in open(f"/proc/{host.process.pid}/limits") if line.startswith("Max open files"))
        .removeprefix("Max open files")
        .split()
    )
    assert int(limits[0]) == min(int(limits[1]), 65_536)


def test_without_the_owners_word_no_plain_process_runs():
    started = Host()
    try:
        first = started.read()
        if first["type"] == "ready":
            started.send(job(seats=[process(), *HOUSE[:2]]))
            failed = started.until("failed")[-1]
            assert "no unsandboxed" in failed["reason"]
        else:
            assert first["type"] == "unavailable"
    finally:
        started.close()


# -- in the sandbox ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sandboxing():
    started = Host()
    first = started.read()
    assert first["type"] == "ready", first
    yield started
    started.close()


def sandboxed(tmp_path, how=None, *arguments):
    """A bot's directory, as the archive unpacks it."""
    directory = tmp_path / (how or "good")
    directory.mkdir()
    source = (
        GOOD.read_text()
        if how is None
        else BAD.read_text().replace("sys.argv", repr(["", how, *map(str, arguments)]))
    )
    (directory / "main.py").write_text(source)
    (directory / "main.py").chmod(0o644)
    for parent in (directory, *directory.parents):
        if (
            parent.stat().st_uid == os.getuid()
            and parent.stat().st_mode & 0o005 != 0o005
            and parent != parent.parent
        ):
            parent.chmod(parent.stat().st_mode | 0o055)
    return {"kind": "sandbox", "name": "box", "version": "1", "dir": str(directory), "limits": {}}


def test_sandboxed_bots_play_a_match(sandboxing, tmp_path):
    seat = sandboxed(tmp_path)
    finished = sandboxing.play(job("s1", seats=[seat, seat, HOUSE[0]]))
    assert finished["type"] == "finished", finished
    assert finished["faults"] == []
    verify(finished["record"])
    assert finished["timings"]["0"]["cpu_ms"] > 0


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("spin", "timeout"),
        ("crash", "crash"),
        ("endless", "bad_reply"),
        ("stderr_flood", "crash"),
        ("illegal", "illegal"),
    ],
)
def test_a_bad_sandboxed_bot_is_stood_in_for(sandboxing, tmp_path, how, code):
    finished = sandboxing.play(job(f"s-{how}", seats=[sandboxed(tmp_path, how, 2), *HOUSE[:2]]))
    assert finished["type"] == "finished", finished
    assert finished["faults"][0]["code"] == code
    assert finished["record"]["stand_ins"][0]["seat"] == 0


# -- checks --------------------------------------------------------------------------------------


def check(seat, **changes):
    return job("c", seats=[seat], job="check", purpose="check", **changes)


def test_a_good_bot_passes_its_check(host):
    report = host.play(check(process(), clocks=CLOCKS | {"act_ms": 200, "hard_ms": 4000, "bank_ms": 60000}))[
        "report"
    ]
    assert report["verdict"] == "passed", report["message"]
    names = [step["name"] for step in report["steps"]]
    assert {"hello pl-3", "situations pl-3", "deals in seat 0", "deals in seat 2"} <= set(names)
    assert all(step["ok"] for step in report["steps"])
    assert {
        turn["request"]["view"]["phase"] for turn in report["turns"] if turn["request"]["type"] == "act"
    } >= {
        "auction",
        "exchange",
        "contract",
        "play",
    }


@pytest.mark.parametrize(
    ("how", "code"),
    [("crash", "crash"), ("illegal", "illegal"), ("bad_json", "bad_reply"), ("refuse", "refused")],
)
def test_a_bad_bot_fails_its_check_with_the_request_and_its_stderr(host, how, code):
    report = host.play(check(process(how, 3)))["report"]
    assert (report["verdict"], report["code"]) == ("failed", code)
    assert report["message"]
    last = report["turns"][-1]
    assert last["verdict"] == code
    assert last["request"]["type"] == ("hello" if how == "refuse" else "act")
    if how == "crash":
        assert "on purpose" in report["stderr"]


def test_the_check_of_an_endpoint_says_whether_it_verifies_signatures(host):
    with sample_bot() as url:
        host.send(check(http(url)))
        report = host.until("checked", "failed")[-1]["report"]
    assert report["verdict"] == "passed", report["message"]
    assert report["unsigned"] is False
    assert (report["steps"][0]["name"], report["steps"][0]["detail"]) == ("signature", "verified")


def test_an_endpoint_that_accepts_a_wrong_signature_is_unsigned(host):
    with slow_server(0) as url:
        report = host.play(check(http(url)))["report"]
    assert report["unsigned"] is True
    assert report["steps"][0]["detail"].startswith("unsigned")


def test_the_check_of_an_endpoint_refuses_private_addresses_too(host):
    with sample_bot() as url:
        report = host.play(check(http(url, allow_private=False)))["report"]
    assert (report["verdict"], report["code"]) == ("failed", "start")
    assert "not a public address" in report["message"]
