"""The demo's data: made once, through the front door."""

from __future__ import annotations

import pytest

from botapi.models import Bot, User, Version
from ladder import demo_data
from ladder.models import Season
from ladder.tournament_models import Tournament

pytestmark = pytest.mark.django_db


def test_sample_authors_submit_their_bots_through_the_front_door():
    secret = demo_data.prepare(operator_password="a long password", http_bot_url="http://127.0.0.1:9/")
    assert secret.startswith("whsec_")
    pending = Version.objects.filter(state=Version.State.PENDING).values_list("bot__name", flat=True)
    assert set(pending) == {"ada-starter", "bogdan-sharp", "cecylia-http"}
    assert set(Bot.objects.filter(kind="house").values_list("name", flat=True)) == {
        "random",
        "first",
        "greedy",
        "counter",
    }
    assert Season.objects.get().state == Season.State.OPEN
    cup = Tournament.objects.get()
    assert (cup.phase, cup.entrants.count()) == ("registration", 4)


def test_a_second_start_makes_nothing_twice_and_keeps_the_secret():
    first = demo_data.prepare(operator_password="a long password", http_bot_url="http://127.0.0.1:9/")
    counts = [model.objects.count() for model in (User, Bot, Version, Season, Tournament)]
    again = demo_data.prepare(operator_password="another password", http_bot_url="http://127.0.0.1:9/")
    assert again == first
    assert counts == [model.objects.count() for model in (User, Bot, Version, Season, Tournament)]
