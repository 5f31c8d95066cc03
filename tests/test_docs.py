"""What the docs say is run: code compiles and plays, messages parse, commands and addresses exist."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from botapi import protocol
from engine import OPTIONS, notation
from games.cli import main
from ladder import docs

TOP = Path(__file__).parent.parent
PAGES = [
    "/docs/",
    "/docs/first-bot/",
    "/docs/protocol/",
    "/docs/errors/",
    "/docs/api/",
    "/docs/notation/",
    "/docs/rules/",
]
BLOCK = re.compile(
    r'<pre class="code" data-test="(\w+)"(?: tabindex="0")?><code>(.*?)</code></pre>', re.DOTALL
)

pytestmark = pytest.mark.django_db


def blocks(page: str, kind: str) -> list[str]:
    text = Client().get(page).content.decode()
    return [html.unescape(body) for found, body in BLOCK.findall(text) if found == kind]


@pytest.mark.parametrize("page", PAGES)
def test_every_docs_page_is_there(page):
    assert Client().get(page).status_code == 200


@pytest.mark.parametrize("page", ["/docs/first-bot/", "/docs/protocol/"])
def test_every_message_shown_is_json_with_an_id(page):
    shown = [json.loads(block) for block in blocks(page, "json")]
    assert len(shown) >= 4
    assert all("id" in message or message["type"] in {"deal_end", "match_end"} for message in shown)


def test_the_shown_answers_are_what_the_decoder_takes():
    told = docs.messages()
    act, answer = json.loads(told["act"]), json.loads(told["act_answer"])
    assert protocol.decode_hello(told["hello_answer"].encode()).ready
    assert protocol.decode_act(told["act_answer"].encode()).action in act["legal"]
    assert answer["id"] == act["id"]
    assert set(json.loads(told["hello"])["rules"]["options"]) >= {option.name for option in OPTIONS}


def test_the_shown_bot_plays_a_match_as_the_page_says(tmp_path):
    (bot,) = blocks("/docs/first-bot/", "python")
    (tmp_path / "my_bot.py").write_text(bot)
    command = [sys.executable, "-m", "games.cli", "play", "my_bot.py", "greedy", "counter", "--seed", "7"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "match.json").exists()


def test_the_shown_bot_is_what_init_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "my_bot.py"]) == 0
    assert (tmp_path / "my_bot.py").read_text() == blocks("/docs/first-bot/", "python")[0]


def test_every_shown_command_of_thousand_is_one():
    shown = re.findall(r"^thousand (\w+)", "\n".join(blocks("/docs/first-bot/", "thousand")), re.MULTILINE)
    assert {"play", "arena", "check", "upload", "status"} <= set(shown)
    for command in shown:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0


def test_every_shown_address_of_the_api_resolves():
    blocks_shown = blocks("/docs/first-bot/", "curl") + blocks("/docs/api/", "curl")
    shown = re.findall(r"(/api/v1/[^\s?\"]*)", "\n".join(blocks_shown))
    assert shown
    for address in shown:
        try:
            assert resolve(address).url_name != "api_unknown"
        except Resolver404:
            pytest.fail(f"{address} does not exist")


def test_the_shown_notation_is_a_match_that_can_be_read_back():
    (shown,) = blocks("/docs/notation/", "notation")
    record = notation.read(shown)
    assert notation.write(record) == shown
    assert len(record["deals"]) == 1


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md"])
def test_links_and_folders_of_the_readme_exist(file):
    text = (TOP / file).read_text()
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (TOP / link).exists(), link
    for folder in re.findall(r"^\| `([a-z]+/)`", text, re.MULTILINE):
        assert (TOP / folder).is_dir(), folder
    for command in re.findall(r"\./run ([a-z]+)", text):
        assert f"  {command} " in (TOP / "run").read_text(), command


@pytest.mark.parametrize("page", PAGES)
def test_a_docs_page_shows_no_messages_of_the_site(page):
    assert 'class="messages"' not in Client().get(page).content.decode()


def test_the_limits_of_the_sandbox_are_those_that_are_set():
    text = re.sub(r"\s+", " ", html.unescape(Client().get("/docs/errors/").content.decode())).replace(
        "\xa0", " "
    )
    for words in (
        "256.0 MB of memory and 32 threads",
        "without control groups 512.0 MB of address space and 64 threads",
        "64 open files",
        "200 lines on stdout",
        "64.0 KB of it are kept",
        "more than 16.0 MB end the bot",
        "raises <code>PermissionError</code>, and the bot goes on",
    ):
        assert words in text, words
    assert "What it must not do ends it" not in text
