"""A bot with numpy in whole matches; what bots ran on, in rows, API, pages and the system check."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from botapi.sandbox import KINDS
from games import workers
from games.cli import main
from games.dispatch import Dispatcher
from games.models import Worker
from games.queries import bots_environment
from games.system_checks import check_sandbox
from tests.botapi.sandbox import carrying
from tests.games import making

NUMBERS = making.BOTS / "numbers.py"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bot_with_numpy_plays_a_whole_match_which_records_what_it_ran_on(kind, bots_packages, settings):
    carrying.require(kind)
    settings.SANDBOX_BACKEND = kind
    bot = making.sandboxed(NUMBERS.read_text())
    match = making.match([bot, making.house("greedy"), bot], rules=making.PRESETS["pl-3"])
    houses = making.match()
    assert Dispatcher("cpu", "tester").run() == 2
    match.refresh_from_db()
    assert match.state == "finished", match.reason
    assert not match.faults.exists()
    ran_on = match.attempts.get().environment
    assert (ran_on["name"], ran_on["packages"]) == (bots_packages.name, bots_packages.versions)
    assert ran_on["python"].startswith("3.")
    assert not ran_on["reason"]
    assert houses.attempts.get().environment == {}
    worker = Worker.objects.get(name="tester")
    assert (worker.backend, worker.environment) == (kind, ran_on)
    told = APIClient().get(f"/api/v1/matches/{match.pk}/").json()
    assert told["attempts"][0]["environment"] == ran_on
    assert (
        f"numpy {bots_packages.versions['numpy']}" in Client().get(f"/matches/{match.pk}/").content.decode()
    )


@pytest.mark.django_db
def test_the_docs_name_the_packages_that_workers_have_or_say_that_there_are_none():
    def page():
        return Client().get("/docs/errors/").content.decode()

    assert "known once a worker runs" in page()
    without = {"python": "3.11.2", "name": "", "packages": {}, "reason": "switched off"}
    workers.report("first", "cpu", backend="bwrap", environment=without)
    assert "3.11.2 alone" in page()
    assert "switched off" in page()
    built = without | {"name": "bots-1", "packages": {"numpy": "2.4.6"}, "reason": ""}
    workers.report("second", "cpu", backend="bwrap", environment=built)
    workers.report("third", "cpu", message="no sandbox")
    assert bots_environment() == built
    assert "<li>numpy 2.4.6</li>" in page()
    assert "bots-1" in page()


def test_the_system_check_warns_of_packages_that_were_not_built_unless_they_are_off(settings, tmp_path):
    settings.SANDBOX_PACKAGES = str(tmp_path)
    (warning,) = check_sandbox()
    assert warning.id == "games.W001"
    assert "has not been built" in warning.msg
    settings.SANDBOX_PACKAGES = "off"
    assert check_sandbox() == []


def test_the_command_line_plays_with_the_packages_that_are_there(
    bots_packages, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["play", str(NUMBERS), "greedy", "counter", "--seed", "7"]) == 0
    assert "fault" not in capsys.readouterr().out
    monkeypatch.setenv("SANDBOX_PACKAGES", "off")
    assert main(["play", str(NUMBERS), "greedy", "counter", "--seed", "7"]) == 1
    assert "numpy" in capsys.readouterr().err
