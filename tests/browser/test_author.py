"""An author's way: from signing up to a bot with a rating on the ladder."""

from __future__ import annotations

import pytest

from tests.browser.addresses import CHECKED_MS, STARTER, signed_in, submitted
from tests.browser.chromium import Tab
from tests.browser.service import Service

pytestmark = pytest.mark.usefixtures("going_on")


def test_a_newcomer_signs_up_submits_a_file_and_finds_the_bot_on_the_ladder(
    service: Service, tab: Tab
) -> None:
    page = tab.page
    signed_in(tab)
    bot = submitted(tab, "main.py", STARTER)

    page.get_by_text("Passed", exact=False).first.wait_for(timeout=CHECKED_MS)
    tab.open(f"/me/bots/{bot}/")
    assert page.get_by_text("plays", exact=True).is_visible()

    service.ask_for(1)

    def rated() -> bool:
        tab.open("/ladder/")
        return page.get_by_role("link", name=bot).count() > 0

    service.until(rated, f"{bot} on the ladder", seconds=180)
    service.ask_for(0)
    page.get_by_role("link", name=bot).first.click()
    page.get_by_role("heading", level=1, name=bot).wait_for()


def test_a_file_that_is_no_bot_is_refused_in_words_that_help(tab: Tab) -> None:
    page = tab.page
    signed_in(tab)
    submitted(tab, "main.py", b"import sys\nprint('hello', file=sys.stderr)\nraise SystemExit(3)\n")

    page.get_by_text("Failed", exact=False).first.wait_for(timeout=CHECKED_MS)
    assert page.get_by_text("hello", exact=True).is_visible(), "what it wrote to stderr"
    assert page.get_by_role("button", name="Check it again").is_visible()
