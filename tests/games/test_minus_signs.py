"""One minus sign on every page, U+2212; what programs read keeps the plain one."""

import html
import json
import re
from collections import Counter

import pytest

from games.faces import minus
from games.models import Seat
from ladder.histograms import scores
from ladder.play_tally import PlayTally
from tests.games import making

pytestmark = pytest.mark.django_db
PLAIN = re.compile(r"(?<![\w\-.:/])-\d")


def text_of(page):
    """What a page says: without tags, addresses and code."""
    page = re.sub(r"<(script|code|pre)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def test_a_number_gets_the_sign_and_other_text_stays():
    assert [minus(value) for value in (-120, 0, 35, "-12,5", "–", None, "a-b")] == [
        *("−120", "0", "35", "−12,5", "–", "None", "a-b"),
    ]


@pytest.fixture
def lost():
    """A match in which somebody ended below nought."""
    for _ in range(60):
        match = making.finished()
        if Seat.objects.filter(match=match, total__lt=0).exists():
            return match
    raise AssertionError("nobody ever lost")


def test_totals_below_nought_bear_the_sign_of_changes_and_the_api_keeps_the_plain_one(lost, client):
    low = Seat.objects.filter(match=lost, total__lt=0).order_by("total")[0].total
    for address in ("/matches/", f"/matches/{lost.pk}/", f"/matches/{lost.pk}/deals/2/"):
        said = text_of(client.get(address).content.decode())
        assert not PLAIN.search(said), (address, PLAIN.search(said))
        assert address.endswith("/deals/2/") or f"−{-low}" in said
    told = client.get(f"/api/v1/matches/{lost.pk}/").content.decode()
    assert low in [seat["total"] for seat in json.loads(told)["seats"]]
    assert "−" not in told


def test_bars_below_nought_bear_it_too():
    found = scores(PlayTally(scores=Counter({-200: 1, 0: 2})))
    assert [bar.label for bar in found.bars] == ["−200", "−100", "0"]
