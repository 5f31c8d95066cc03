"""What the documents tell operators is there: commands run, benches exist, actions of the admin site have these names."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest
from django.contrib import admin
from django.core.management import call_command, load_command_class
from django.test import Client
from django.urls import resolve

from ladder import demo, settings

TOP = Path(__file__).parent.parent
OWN = {"await_rated", "prepare_demo", "catalogues"}
"""What the demo itself and translators use."""
FITTED_ONCE = {"fit_worth"}

pytestmark = pytest.mark.django_db


def told() -> str:
    """The operators' part of the README."""
    return (TOP / "README.md").read_text().partition("\n## Operate\n")[2].partition("\n## ")[0]


def commands() -> list[list[str]]:
    """Every management command that is named, with its arguments."""
    page = html.unescape(Client().get("/ratings/").content.decode())
    shown = re.findall(r"\./run manage ([^`<]+)[`<]", told() + page)
    return [shlex.split(command) for command in shown]


def test_every_management_command_that_is_named_takes_these_arguments_and_none_is_left_out():
    for name, *arguments in commands():
        load_command_class("ladder", name).create_parser("manage.py", name).parse_args(arguments)
    there = {path.stem for path in (TOP / "ladder/management/commands").glob("[a-z]*.py")}
    assert {name for name, *_ in commands()} == there - OWN


def test_the_audits_that_are_named_run():
    run = [command for command in commands() if command[0] != "fill"]
    assert len(run) >= 4, "three in the README, one on the page of the method"
    for name, *arguments in run:
        call_command(name, *arguments)


def test_the_page_of_the_method_names_the_command_that_replays_the_log():
    shown = Client().get("/ratings/").content.decode()
    assert '<pre class="code" data-test="manage"' in shown
    assert "./run manage audit_ratings --boards" in shown
    assert "thousand verify records.jsonl" in shown


def test_every_bench_is_named_and_there():
    line = next(line for line in told().splitlines() if "./run bench NAME" in line)
    named = set(re.findall(r"`([a-z_]+)`", line))
    there = {path.stem for path in (TOP / "bench").glob("[a-z]*.py")}
    assert named == there - FITTED_ONCE


def test_every_action_that_is_named_is_one_of_the_admin_site():
    known = {
        getattr(getattr(one, name, None), "short_description", "")
        for one in admin.site._registry.values()
        for name in one.actions or ()
    }
    named = set(re.findall(r"\*([^*`|]+)\*", told())) - {"actions"}
    assert len(named) >= 8
    assert named <= known


def test_settings_addresses_and_the_demos_options_that_are_named_are_there(capsys):
    for name in ("MATCH_MAX_ATTEMPTS", "ADMINS"):
        assert f"`{name}`" in told()
        assert hasattr(settings, name)
        assert f"# {name}=" in (TOP / ".env.example").read_text()
    for address in re.findall(r"`(/[a-z/]+/)`", told()):
        assert resolve(address)
    (chaos,) = re.findall(r"`\./run demo ([^`]+)`", told())
    with pytest.raises(SystemExit) as ended:
        demo.main([*shlex.split(chaos), "--help"])
    assert ended.value.code == 0
    told_by_itself = capsys.readouterr().out
    options = re.findall(r"--[a-z-]+", chaos)
    assert options
    assert all(f"{option} " in told_by_itself for option in options)
