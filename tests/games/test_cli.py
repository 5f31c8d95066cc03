"""The authors' command line: every command, its exit status, and what it says when it is asked wrongly."""

import io
import json
import random
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from botapi.sandbox.limits import cpu_seconds
from engine import PRESETS
from engine.record import verify
from games.cli import main
from tests.botapi.drivers.asking import BAD, GOOD
from tests.botapi.drivers.test_http import SECRET, sample_bot


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Commands write into the current directory: let that be a fresh one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THOUSAND_TOKEN", raising=False)
    monkeypatch.delenv("THOUSAND_SERVER", raising=False)


@pytest.mark.parametrize(
    "command",
    [
        *("", "init", "play", "arena", "check", "verify", "replay", "selfplay"),
        *("upload", "status", "set", "challenge", "logs", "rerun"),
    ],
)
def test_every_command_answers_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    assert ended.value.code == 0
    assert "usage: thousand" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [[], ["nothing"], ["play"], ["play", "first", "--rules"]])
def test_a_command_that_makes_no_sense_is_usage(argv, capsys):
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        (["play", "first", "first"], 2, "pl-3 is for 3 players, 2 bots were named"),
        (["play", "first", "first", "first", "--rules", "xx-9"], 2, "no rules called 'xx-9'"),
        (["play", "nowhere.py", "first", "first"], 2, "no file, no address and no house bot"),
        (["play", "first", "first", "first", "--set", "nonsense"], 2, "OPTION=VALUE"),
        (["play", "first", "first", "first", "--set", "colour=red"], 2, "OPTION=VALUE"),
        (["play", "first", "first", "first", "--set", "rounding=0"], 2, "rounding"),
        (["arena", "first", "first", "first", "--matches", "0"], 2, "at least 1"),
        (["selfplay", "--matches", "0"], 2, "at least 1"),
        (["selfplay", "--out", "no/such/dir/x"], 1, "cannot be written"),
        (["verify", "nowhere.jsonl"], 1, "cannot be read"),
        (["replay", "nowhere.jsonl"], 1, "cannot be read"),
        (["upload", "mine", "x.py"], 2, "a token is needed"),
        (["upload", "mine", "x.py", "--token", "t"], 2, "cannot be read"),
        (["status", "mine", "--token", "t", "--server", "ftp://x"], 2, "http or https"),
        (["status", "mine", "--token", "t", "--server", "http://127.0.0.1:1"], 1, "does not answer"),
        (["check", "nowhere.py"], 2, "no file"),
        (["check", "greedy"], 2, "a house bot needs no check"),
        (["check", f"http://{'a' * 80}.com/"], 2, "The host is no name"),
        (["check", "http://[::1"], 2, "The address is malformed"),
        (["play", "http://", "first", "first"], 2, "The address names no host"),
        (["check", "http://127.0.0.1:9/", "--secret", "bad"], 2, "starts with whsec_"),
        (["play", "http://127.0.0.1:9/", "first", "first", "--secret", "whsec_@@@"], 2, "is not base64"),
        (["logs", "1"], 2, "a token is needed"),
        (["challenge", "mine", "greedy"], 2, "a token is needed"),
        (["rerun", "nowhere.json", "x.py", "--seat", "1"], 1, "cannot be read"),
        (["rerun", "1", "x.py", "--seat", "1", "--server", "http://127.0.0.1:1"], 1, "does not answer"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_on_stderr(argv, status, words, capsys):
    assert main(argv) == status
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.startswith(f"thousand {argv[0]}: ")
    assert len(said.err.strip().splitlines()) == 1
    assert said.out == ""


def test_init_writes_a_bot_that_passes_the_check(capsys):
    assert main(["init"]) == 0
    assert main(["init"]) == 1
    assert "there already" in capsys.readouterr().err
    assert main(["init", "--force"]) == 0
    assert main(["check", "my_bot.py", "--no-sandbox"]) == 0
    assert "passed" in capsys.readouterr().out


def test_own_code_is_sandboxed_unless_asked_otherwise(capsys):
    assert main(["init"]) == 0
    assert main(["check", "my_bot.py", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["verdict"] == "passed"
    hello = report["turns"][0]["request"]
    assert hello["limits"]["cpu_s"] == cpu_seconds(
        deal_limit=200, act_ms=200, bank_ms=60_000, start_ms=10_000
    )
    assert main(["play", "my_bot.py", "greedy", "counter", "--seed", "7"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "fault" not in said.out


HALTING = """
import json, os, signal, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"v": 1, "id": asked["id"], "ready": True}), flush=True)
    else:
        open("begun", "a").write("b")
        time.sleep(0.05)
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(2.5)
        os.kill(os.getppid(), signal.SIGCONT)
"""
SHORT_CLOCKS = """
import sys
import games.job
from botapi.protocol import Clocks
from games.cli import main
games.job.SANDBOX_CLOCKS = Clocks(act_ms=200, bank_ms=0, hard_ms=200, start_ms=10_000)
sys.exit(main(["check", "halting.py", "--json", "--no-sandbox"]))
"""


def what_a_newcomer_does_first(place):
    (place / "empty.py").touch()
    (place / "large.py").write_bytes(b"#" * 300_000)
    (place / "broken.zip").write_bytes(b"PK\3\4")
    (place / "bot.txt").write_text("print(1)")
    (place / "directory").mkdir()


@pytest.mark.parametrize(
    ("bot", "status", "verdict", "code", "words"),
    [
        ("empty.py", 1, "failed", "bad_archive", "the file is empty"),
        ("large.py", 1, "failed", "bad_archive", "may have 262144"),
        ("broken.zip", 1, "failed", "bad_archive", "zip"),
        ("bot.txt", 1, "failed", "bad_archive", "one .py file or a .zip archive"),
        ("directory", 1, "failed", "bad_archive", "there is no main.py"),
        ("nowhere.py", 2, "none", "usage", "is no file"),
        ("greedy", 2, "none", "usage", "a house bot"),
    ],
)
@pytest.mark.parametrize("plain", [[], ["--no-sandbox"]])
def test_a_check_that_never_began_is_told_as_json_too(
    tmp_path, bot, status, verdict, code, words, plain, capsys
):
    what_a_newcomer_does_first(tmp_path)
    if plain and bot in ("empty.py", "large.py"):
        return
    assert main(["check", bot, "--json", *plain]) == status
    said = capsys.readouterr()
    report = json.loads(said.out)
    assert (report["verdict"], report["code"]) == (verdict, code)
    assert words in report["message"]
    assert (report["stderr"], report["turns"]) == ("", [])
    assert words in said.err


def test_a_check_on_a_starved_machine_is_begun_once_more_and_ends_in_words_about_the_machine(tmp_path):
    """The bot halts the process that asks it, as a machine does that gives it no time. Clocks are short."""
    (tmp_path / "halting.py").write_text(HALTING)
    done = subprocess.run([sys.executable, "-c", SHORT_CLOCKS], capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    report = json.loads(done.stdout)
    assert (report["verdict"], report["code"]) == ("none", "machine")
    assert "this machine is too busy" in done.stderr
    assert (tmp_path / "begun").read_text() == "bb"


def test_a_zip_and_a_directory_play_too(tmp_path, capsys):
    import shutil

    (tmp_path / "bot").mkdir()
    shutil.copy(GOOD, tmp_path / "bot" / "main.py")
    shutil.make_archive("bot", "zip", "bot")
    assert main(["play", "bot.zip", "bot", "greedy", "--seed", "7"]) == 0
    assert "bot.zip" in capsys.readouterr().out
    assert main(["play", "bot", "first", "greedy", "--seed", "7", "--no-sandbox"]) == 0


def test_what_a_killed_command_left_is_cleared_away_by_the_next_and_what_is_in_use_is_not(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "waiting.py").write_text("import sys; open('begun', 'w').close(); sys.stdin.read()")
    command = [sys.executable, "-m", "games.cli", "check", "waiting.py", "--no-sandbox"]

    def left():
        return set(tmp_path.glob("thousand-*"))

    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as killed:
        while not (tmp_path / "begun").exists():
            time.sleep(0.02)
        assert main(["check", str(GOOD), "--no-sandbox"]) == 0
        in_use = left()
        assert len(in_use) == 1
        killed.kill()
    assert left() == in_use
    assert main(["check", str(GOOD), "--no-sandbox"]) == 0
    assert left() == set()


def test_a_zip_without_main_is_refused_in_a_sentence(capsys):
    import zipfile

    with zipfile.ZipFile("bot.zip", "w") as file:
        file.writestr("other.py", "")
    assert main(["play", "bot.zip", "first", "first"]) == 1
    assert "main.py" in capsys.readouterr().err


def test_play_prints_the_deals_and_writes_a_record_that_verifies(capsys):
    assert main(["play", str(GOOD), "greedy", "counter", "--seed", "7", "--no-sandbox"]) == 0
    said = capsys.readouterr()
    assert said.err == "without the sandbox, with your own rights: good.py\n"
    assert "declarer" in said.out
    assert "place" in said.out
    with open("match.json") as file:
        record = json.load(file)
    verify(record)
    assert [seat["name"] for seat in record["seats"]] == ["good.py", "greedy", "counter"]
    assert main(["verify", "match.json"]) == 0
    assert main(["replay", "match.json"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1 record, no disagreement\ndeal 1, dealer good.py\n")
    assert re.search(r"^1 +\S+ ", said[said.index("declarer") :], re.MULTILINE), "the table counts from 1 too"
    assert main(["replay", "match.json", "--deal", "2"]) == 0
    assert re.findall(r"^deal (\d+), dealer (\S+)$", capsys.readouterr().out, re.MULTILINE) == [
        ("2", "greedy")
    ]
    for number in ("0", str(len(record["deals"]) + 1)):
        assert main(["replay", "match.json", "--deal", number]) == 2
        assert f"deals count from 1 to {len(record['deals'])}" in capsys.readouterr().err


def test_bots_of_one_name_are_told_apart_by_their_seats_from_one_as_pages_count(capsys):
    assert main(["play", "greedy", "greedy", "counter", "--seed", "7"]) == 0
    said = capsys.readouterr().out
    assert "greedy/1" in said
    assert "greedy/2" in said
    assert main(["arena", "greedy", "greedy", "counter", "--seed", "7", "--matches", "1"]) == 0
    said = capsys.readouterr().out
    assert "greedy/1" in said
    assert "greedy/2" in said


@pytest.mark.parametrize("command", ["play", "check", "replay", "verify", "logs", "rerun", "challenge"])
def test_the_help_says_that_json_counts_as_the_protocol_does(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "deals, actions and seats count from 0 in it" in " ".join(capsys.readouterr().out.split())


def test_the_same_seed_plays_the_same_match_again(capsys):
    for name in ("a", "b"):
        assert main(["play", "greedy", "counter", "random", "--seed", "7", "--json", "--out", name]) == 0
    assert open("a").read() == open("b").read()
    assert json.loads(capsys.readouterr().out.splitlines()[0])["result"]["reason"] in ("target", "deal_limit")


def test_play_shows_faults_and_the_stand_in(capsys):
    bad = f"{sys.executable}"
    assert bad
    with open("bad.py", "w") as file:
        file.write(f"import sys\nsys.argv[1:] = ['bad_json', '1']\nexec(open({str(BAD)!r}).read())\n")
    assert main(["play", "bad.py", "greedy", "counter", "--seed", "7", "--no-sandbox"]) == 0
    said = capsys.readouterr().out
    assert said.count("fault of bad.py") == 3
    assert "was stood in for" in said


def test_play_with_an_http_bot(capsys):
    with sample_bot() as url:
        assert main(["play", url, "greedy", "counter", "--seed", "7", "--secret", SECRET]) == 0
    assert "fault" not in capsys.readouterr().out


def test_a_bot_that_does_not_start_is_a_failure_with_its_stderr(capsys):
    with open("broken.py", "w") as file:
        file.write("raise SystemExit('I am broken')\n")
    assert main(["play", "broken.py", "greedy", "counter", "--no-sandbox"]) == 1
    assert "I am broken" in capsys.readouterr().err


def test_arena_rotates_seats_and_ranks_bots(capsys):
    argv = ["arena", "first", "counter", "greedy", "-n", "6", "--seed", "1", "--out", "arena.jsonl"]
    assert main([*argv, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["bot"] for row in rows} == {"first", "counter", "greedy"}
    assert all(row["matches"] == 6 for row in rows)
    assert sum(row["wins"] for row in rows) >= 6
    with open("arena.jsonl") as file:
        seats = [json.loads(line)["seats"][0]["name"] for line in file]
    assert seats[:3] == ["first", "counter", "greedy"]
    capsys.readouterr()
    assert main(["verify", "arena.jsonl"]) == 0
    with open("arena.jsonl") as file, open("one.jsonl", "w") as one:
        one.write(file.readline())
    assert main(["verify", "one.jsonl"]) == 0
    assert capsys.readouterr().out.endswith(" records, no disagreement\n1 record, no disagreement\n")
    assert main(argv) == 0
    assert "mean place" in capsys.readouterr().out


@pytest.mark.parametrize(("how", "code"), [("crash", "crash"), ("illegal", "illegal")])
def test_check_reports_the_failing_request(how, code, capsys):
    with open("bad.py", "w") as file:
        file.write(f"import sys\nsys.argv[1:] = ['{how}', '2']\nexec(open({str(BAD)!r}).read())\n")
    assert main(["check", "bad.py", "--no-sandbox", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["code"]) == ("failed", code)
    assert report["turns"][-1]["request"]["type"] == "act"
    assert report["turns"][-1].keys() >= {"request", "answer", "ms", "verdict"}
    assert main(["check", "bad.py", "--no-sandbox"]) == 1
    assert "request: {" in capsys.readouterr().out


def test_the_deals_of_a_check_are_always_the_same():
    with pytest.raises(SystemExit):
        main(["check", "my_bot.py", "--seed", "7"])


def test_check_of_an_endpoint(capsys):
    with sample_bot() as url:
        assert main(["check", url, "--secret", SECRET, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["unsigned"]) == ("passed", False)


def test_selfplay_writes_the_same_bytes_for_the_same_seed_and_verify_agrees(capsys):
    for name in ("a", "b"):
        assert main(["selfplay", "--matches", "3", "--seed", "7", "--legal", "--out", name]) == 0
    assert open("a", "rb").read() == open("b", "rb").read()
    assert main(["verify", "a"]) == 0
    assert "3 records" in capsys.readouterr().out
    with open("a") as file:
        deal = json.loads(file.readline())["deals"][0]
    keys = list(deal)
    assert keys[keys.index("actions") + 1] == "legal"
    assert len(deal["legal"]) == len(deal["actions"])
    assert all(action in legal for (_, action), legal in zip(deal["actions"], deal["legal"], strict=True))


def test_selfplay_seeds_are_the_documented_ones(capsys):
    import hashlib

    assert main(["selfplay", "--matches", "2", "--seed", "7"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[1])["seed"] == hashlib.sha256(b"thousand/1 selfplay 7 1").hexdigest()


def test_a_changed_table_is_called_custom(capsys):
    assert (
        main(["selfplay", "--rules", "pl-3", "--set", "rounding=5", "--set", "concession=null", "--out", "a"])
        == 0
    )
    with open("a") as file:
        rules = json.loads(file.readline())["rules"]
    assert (rules["name"], rules["base"], rules["rounding"], rules["concession"]) == (
        "custom",
        "pl-3",
        5,
        None,
    )
    assert main(["verify", "a"]) == 0


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_selfplay_of_every_preset_is_verified(name, capsys):
    assert main(["selfplay", "--rules", name, "--matches", "2", "--legal", "--out", "a"]) == 0
    with open("a") as file:
        records = [json.loads(line) for line in file]
    assert [record["rules"]["name"] for record in records] == [name, name]
    assert all(record["result"] for record in records)
    assert main(["verify", "a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


def test_verify_names_the_first_disagreement(capsys):
    assert main(["selfplay", "--matches", "2", "--out", "a"]) == 0
    with open("a") as file:
        lines = file.read().splitlines()
    record = json.loads(lines[1])
    record["deals"][1]["totals"][0] += 10
    with open("a", "w") as file:
        file.write(lines[0] + "\n" + json.dumps(record) + "\n")
    assert main(["verify", "a", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["line"], found["deal"]) == (False, 2, 1)
    assert main(["verify", "a"]) == 1
    assert "a line 2, deal 2: " in capsys.readouterr().err


def broken_record(capsys, **changes):
    """A self-played record with some keys changed, in file b."""
    assert main(["selfplay", "--rules", "cz-3-short", "--out", "a"]) == 0
    with open("a") as file:
        record = json.loads(file.read())
    record |= {key: change(record) for key, change in changes.items()}
    with open("b", "w", newline="\n") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
    capsys.readouterr()
    return record


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seats": [{}, {}, {}]}, "a seat has a name and a version"),
        ({"seats": [{"name": [1], "version": "1"}] * 3}, "a seat has a name and a version"),
        ({"stand_ins": [{"seat": 2, "deal": 99999, "action": -5}]}, "a stand-in is out of place"),
        ({"stand_ins": [{"seat": 2}]}, "a stand-in is seat, deal, action"),
        (
            {"stand_ins": [{"seat": 0, "deal": 2, "action": 1}, {"seat": 1, "deal": 0, "action": 9}]},
            "out of place",
        ),
        ({"seed": None, "seed_sha256": "zz"}, "64 hex digits"),
        ({"format": "x" * 5_000_000}, "another format"),
    ],
)
def test_a_record_of_another_shape_is_refused_in_a_short_sentence_by_verify_and_replay(
    changes, words, capsys
):
    broken_record(capsys, **{key: lambda _, value=value: value for key, value in changes.items()})
    for command in ("verify", "replay"):
        assert main([command, "b"]) == 1
        told = capsys.readouterr().err
        assert words in told
        assert len(told) < 5000


def test_a_forged_record_without_its_seed_does_not_keep_a_published_hash(capsys):
    record = broken_record(capsys, seed=lambda _: None)
    assert main(["verify", "b"]) == 0, "while a block is open a record has no seed"
    assert main(["verify", "b", "--seed-sha256", record["seed_sha256"]]) == 1
    assert "does not give its seed" in capsys.readouterr().err


def test_the_first_of_two_faults_of_a_file_is_named_and_every_fault_is_json_where_it_is_asked_for(capsys):
    broken_record(capsys, result=lambda record: {**record["result"], "reason": "another"})
    with open("b", "a") as file:
        file.write("{no json\n")
    assert main(["verify", "b", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["line"], found["message"]) == (1, "another result")
    with open("c", "w") as file:
        file.write("{no json\n")
    assert main(["verify", "c", "--json"]) == 1
    assert "no JSON" in json.loads(capsys.readouterr().out)["message"]


def test_names_may_hold_any_character(capsys):
    names = ["a\u2028b\u0085", "c", "d"]
    broken_record(capsys, seats=lambda _: [{"name": name, "version": "1"} for name in names])
    assert main(["verify", "b"]) == 0
    done = subprocess.run(
        [sys.executable, "-m", "games.cli", "replay", "b"],
        capture_output=True,
        env={"LC_ALL": "C"},
        check=True,
    )
    assert b"deal 1, " in done.stdout
    broken_record(capsys, seats=lambda _: [{"name": "x", "version": "1"}] * 3)
    with open("b") as file:
        text = file.read().replace('"x"', '"\\ud800"')
    with open("b", "w") as file:
        file.write(text)
    done = subprocess.run([sys.executable, "-m", "games.cli", "replay", "b"], capture_output=True, check=True)
    assert b"\\ud800" in done.stdout


def test_a_disagreement_in_text_notation_is_named_like_one_in_a_record(capsys):
    assert main(["selfplay", "--out", "a"]) == 0
    assert main(["replay", "a", "--notation"]) == 0
    text = capsys.readouterr().out
    with open("n", "w") as file:
        file.write(text.replace(" totals ", " totals 1", 1))
    assert main(["verify", "n", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["deal"] == 0
    assert found["found"] == "1" + found["expected"]
    assert main(["verify", "n"]) == 1
    assert f"n line {found['line']}: " in capsys.readouterr().err, "the text itself counts deals from 0"


def test_parts_of_a_barrel_are_set_by_their_public_names(capsys):
    assert main(["selfplay", "--rules", "ru-3", "--set", "barrel.threshold=900", "--out", "a"]) == 0
    with open("a") as file:
        assert json.loads(file.read())["rules"]["barrel"]["threshold"] == 900
    assert main(["selfplay", "--rules", "pl-3", "--set", "barrel.threshold=900"]) == 2
    assert "there is no barrel in these rules" in capsys.readouterr().err
    assert main(["selfplay", "--set", "vod=free"]) == 2
    assert "did you mean void?" in capsys.readouterr().err


def test_records_are_verified_from_the_standard_input(capsys, monkeypatch):
    assert main(["selfplay"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(capsys.readouterr().out))
    assert main(["verify", "-"]) == 0
    assert capsys.readouterr().out == "1 record, no disagreement\n"


@pytest.mark.parametrize(
    "words",
    [
        ["selfplay", "--seed", "\udcff"],
        ["selfplay", "--set", "talons=" + "[" * 100_000],
        ["verify", "a", "--secret", "00", "--message", "\udcff"],
    ],
)
def test_odd_words_of_a_command_end_in_no_traceback(words, capsys):
    assert main(["selfplay", "--out", "a"]) == 0
    assert main(words) in (0, 1, 2)
    capsys.readouterr()


@pytest.mark.parametrize(
    "text", ["{", "[1]", "{}", '{"format":"thousand-record/1"}', "nonsense", "{" * 100_000, "\x00", "7\n"]
)
def test_verify_of_nonsense_is_a_sentence(text, capsys):
    with open("a", "w") as file:
        file.write(text)
    assert main(["verify", "a"]) == 1
    assert capsys.readouterr().err.startswith("thousand verify: ")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("form", ["record", "notation"])
def test_verify_and_replay_of_damaged_files_end_with_a_sentence_and_never_a_traceback(form, capsys):
    assert main(["selfplay", "--rules", "cz-3-short", "--out", "a"]) == 0
    if form == "notation":
        assert main(["replay", "a", "--notation"]) == 0
        with open("a", "w") as file:
            file.write(capsys.readouterr().out)
    with open("a", "rb") as file:
        whole = file.read()
    rng, refused = random.Random(form), 0
    for _ in range(60):
        text = bytearray(whole)
        start = rng.randrange(len(text))
        damage = (b"", rng.randbytes(3), b'"', b"9" * 30, b"\n", "\u2028".encode(), b"null")
        text[start : start + rng.choice([0, 1, 2, 40, len(text)])] = rng.choice(damage)
        with open("b", "wb") as file:
            file.write(text)
        for command in ("verify", "replay"):
            status = main([command, "b"])
            said = capsys.readouterr().err
            assert status in (0, 1)
            assert status == 0 or said.startswith(f"thousand {command}: ")
            refused += status
    assert refused > 30


def test_text_notation_goes_out_and_comes_back(capsys):
    assert main(["selfplay", "--out", "a"]) == 0
    assert main(["replay", "a", "--notation"]) == 0
    with open("n", "w") as file:
        file.write(capsys.readouterr().out)
    assert main(["verify", "n"]) == 0
    capsys.readouterr()
    assert main(["replay", "n", "--json"]) == 0
    with open("a") as file:
        assert json.loads(capsys.readouterr().out)["deals"] == json.loads(file.read())["deals"]


def test_the_installed_module_runs_by_itself():
    done = subprocess.run(
        [sys.executable, "-I", "-m", "games.cli", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "usage: thousand" in done.stdout


def test_the_command_line_brings_no_django_and_no_aiohttp():
    code = "import sys, games.cli, games.host; print([m for m in ('django', 'aiohttp', 'celery', 'redis') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- rerun ---------------------------------------------------------------------------------------


def played(bot, capsys):
    """A record in match.json, with ``bot`` in the second seat."""
    assert main(["play", "greedy", str(bot), "counter", "--seed", "7", "--no-sandbox", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def bad_bot(how, when):
    with open("bad.py", "w") as file:
        file.write(f"import sys\nsys.argv[1:] = ['{how}', '{when}']\nexec(open({str(BAD)!r}).read())\n")
    return "bad.py"


def test_rerun_gets_the_same_answers_from_the_same_bot(capsys):
    played(GOOD, capsys)
    assert main(["rerun", "match.json", str(GOOD), "--seat", "2", "--no-sandbox", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["asked"] == found["same"] > 10
    assert (found["different"], found["faults"]) == ([], [])
    assert main(["rerun", "match.json", str(GOOD), "--seat", "2", "--no-sandbox"]) == 0
    assert "0 different, 0 faults" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("how", "code"), [("illegal", "illegal"), ("bad_json", "bad_reply"), ("crash", "crash")]
)
def test_rerun_repeats_the_faults_of_a_match_up_to_the_stand_in(how, code, capsys):
    result = played(bad_bot(how, 4), capsys)
    assert main(["rerun", "match.json", "bad.py", "--seat", "2", "--no-sandbox", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    place = [(fault["deal"], fault["action"], fault["code"]) for fault in found["faults"]]
    assert place == [(fault["deal"], fault["action"], fault["code"]) for fault in result["faults"]]
    assert {fault["code"] for fault in found["faults"]} == {code}
    assert main(["rerun", "match.json", "bad.py", "--seat", "2", "--no-sandbox"]) == 1
    assert "We sent: act" in " ".join(capsys.readouterr().out.split())


def test_rerun_of_another_bot_shows_where_it_differs(capsys):
    played("first", capsys)
    assert main(["rerun", "match.json", str(GOOD), "--seat", "3", "--no-sandbox", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["different"][0].keys() == {"deal", "action", "id", "recorded", "answered"}
    assert found["same"] + len(found["different"]) == found["asked"]


def test_rerun_asks_the_record_of_a_server_and_an_endpoint(capsys, api):
    played(GOOD, capsys)
    with open("match.json") as file:
        api.bodies["/record/"] = json.load(file)
    with sample_bot() as url:
        main(["rerun", "12", url, "--seat", "2", "--secret", SECRET, "--json"])
    assert json.loads(capsys.readouterr().out)["faults"] == []
    assert api.seen[0][1] == "/api/v1/matches/12/record/"


@pytest.mark.parametrize(
    ("argv", "words"),
    [(["--seat", "4"], "seats count from 1 to 3"), (["--seat", "0"], "seats count from 1 to 3")],
)
def test_rerun_of_a_seat_that_is_not_there_is_a_sentence(argv, words, capsys):
    played(GOOD, capsys)
    assert main(["rerun", "match.json", str(GOOD), *argv]) == 2
    assert words in capsys.readouterr().err


# -- the service ---------------------------------------------------------------------------------


class Api(BaseHTTPRequestHandler):
    """A server that remembers what it was asked."""

    seen: list[str] = []
    states = ["pending", "passed"]
    bodies: dict[str, object] = {}
    posted: object = {"bot": "mine", "number": 3, "state": "pending"}

    def _answer(self, status, body):
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append((self.command, self.path, dict(self.headers), body))
        if b"refuse me" in body:
            self._answer(400, {"title": "Bad", "detail": "main.py is missing", "status": 400})
        else:
            self._answer(201, self.posted)

    do_PATCH = do_POST  # noqa: N815 - http.server's word

    def do_GET(self):
        self.seen.append(("GET", self.path, dict(self.headers), b""))
        for end, body in self.bodies.items():
            if self.path.endswith(end):
                self._answer(200, body)
                return
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        names = ("hello pl-3", "deals in seat 0")
        steps = [{"name": name, "ms": 3, "ok": True, "detail": "ready"} for name in names]
        report = {"steps": steps, "verdict": "slow", "code": "", "message": "mind the clock", "stderr": "hm"}
        self._answer(200, {"bot": "mine", "number": 3, "state": state, "report": report})

    def log_message(self, *arguments):
        pass


@pytest.fixture
def api(monkeypatch):
    handler = type("Fresh", (Api,), {"seen": [], "states": ["pending", "passed"], "bodies": {}})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("THOUSAND_SERVER", f"http://127.0.0.1:{server.server_address[1]}/")
    monkeypatch.setenv("THOUSAND_TOKEN", "secret-token")
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


def test_upload_sends_the_file_and_waits_for_its_check(api, capsys):
    assert main(["upload", "my bot", str(GOOD), "--wait", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "passed"
    method, path, headers, body = api.seen[0]
    assert (method, path) == ("POST", "/api/v1/bots/my%20bot/versions/")
    assert headers["Authorization"] == "Token secret-token"
    assert headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="good.py"' in body
    assert GOOD.read_bytes() in body
    assert {path for _, path, _, _ in api.seen[1:]} == {"/api/v1/bots/my%20bot/versions/3/"}


def test_upload_of_an_address_is_json(api):
    assert main(["upload", "web", "https://bot.example/", "--json"]) == 0
    assert json.loads(api.seen[0][3]) == {"url": "https://bot.example/"}


def test_upload_fails_with_what_the_service_says(api, capsys):
    with open("x.py", "w") as file:
        file.write("# refuse me\n")
    assert main(["upload", "mine", "x.py"]) == 1
    assert capsys.readouterr().err == "thousand upload: main.py is missing (HTTP 400)\n"


def test_upload_that_fails_its_check_fails(api):
    api.states[:] = ["pending", "refused"]
    assert main(["upload", "mine", str(GOOD), "--wait"]) == 1


def test_status_shows_the_report(api, capsys):
    assert main(["status", "mine", "3"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("mine version 3: pending\n")
    assert "pl-3" in said
    assert "stderr:\nhm" in said
    assert re.search(r"^deals in seat 1 ", said, re.MULTILINE)
    assert said.endswith("slow: mind the clock\n")


def test_set_changes_what_is_named_and_nothing_else(api, capsys):
    bot = {"name": "mine", "kind": "sandbox", "state": "active", "active_version": 3, "waiting_because": ""}
    api.posted = bot | {"allow_tests": False}
    assert main(["set", "mine", "--no-allow-tests"]) == 0
    assert "test matches against it: its author alone" in capsys.readouterr().out
    method, path, _, body = api.seen[0]
    assert (method, path, json.loads(body)) == ("PATCH", "/api/v1/bots/mine/", {"allow_tests": False})
    assert main(["set", "mine", "--notes", "", "--allow-tests"]) == 0
    assert json.loads(api.seen[1][3]) == {"notes": "", "allow_tests": True}
    assert main(["set", "mine"]) == 2
    assert "say what to change" in capsys.readouterr().err


def test_upload_that_waits_says_what_became_of_it_in_a_few_lines(api, capsys):
    assert main(["upload", "mine", str(GOOD), "--wait"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["mine version 3 submitted: pending", "mine version 3: passed"]
    assert len(lines) < 15


def test_logs_tell_each_fault_where_the_pages_count_it_what_was_noticed_and_how_to_repeat_it(api, capsys):
    turn = {
        "n": 4,
        "request": {"type": "act"},
        "answer": "{}",
        "verdict": "illegal",
        "used_ms": 3.25,
        "action": "pass",
    }
    fault = {"code": "illegal", "detail": "", "deal": 2, "action": 9, "message": "Rule: JD.\n\nRequest: {}"}
    late = "late: the answer to 12/1/0/4 came 312 ms after its deadline"
    log = {"seat": 1, "attempt": 1, "stderr": "oops", "oddities": [late], "faults": [fault], "turns": [turn]}
    api.bodies |= {"/logs/": [{"seat": 1, "attempt": 1}], "/logs/1/": log}
    assert main(["logs", "12"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("match 12, seat 2: 1 request, 0 answered well, 1 fault\n")
    for words in (
        "illegal in deal 3, step 10: Rule: JD.",
        late,
        "It is no fault of its own",
        "oops",
    ):
        assert words in said
    assert said.endswith("Repeat it here: thousand rerun 12 FILE --seat 2\n")
    assert main(["logs", "12", "--seat", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [log]
    assert main(["logs", "12", "--turns"]) == 0
    assert json.loads(capsys.readouterr().out) == {"seat": 1, **turn}


def test_challenge_asks_for_a_match_and_waits_for_its_places(api, capsys):
    seat = {"index": 0, "bot": "mine", "place": 1, "total": 1000, "faults": 0}
    match = {"id": 9, "state": "queued", "reason": "", "seats": [seat]}
    api.posted = {"match": match, "used_today": 1, "a_day": 50}
    api.bodies["/matches/9/"] = match | {"state": "finished"}
    assert main(["challenge", "mine", "greedy", "counter", "--rules", "ru-3", "--wait"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("match 9 queued; 1 of 50 test matches used today\n")
    assert "thousand logs 9" in said
    _, path, _, body = api.seen[0]
    assert path == "/api/v1/test-matches/"
    assert json.loads(body) == {"bot": "mine", "opponents": ["greedy", "counter"], "rules": "ru-3"}
    api.bodies["/matches/9/"] = match | {"state": "void", "reason": "mine did not start"}
    assert main(["challenge", "mine", "greedy", "counter", "--wait"]) == 1
    assert "match 9 is void: mine did not start" in capsys.readouterr().out


def test_a_check_shows_what_was_noticed(capsys):
    bad_bot("some_noise", 2)
    assert main(["check", "bad.py", "--no-sandbox"]) == 0
    assert "noticed:\n  not an answer: noise" in capsys.readouterr().out
