"""Pages that stay open: what a page does that gets no stream, and how a table behind other pages tells that it is there."""

from __future__ import annotations

import contextlib
from urllib.parse import urlsplit

from django.conf import settings

from tests.browser.chromium import Tab
from tests.browser.service import Service
from tests.games.web import Stream

HIDE = """
Object.defineProperty(document, "hidden", {value: %s, configurable: true});
document.dispatchEvent(new Event("visibilitychange"));
"""


def test_a_page_that_gets_no_stream_says_so_and_goes_on_by_itself(tab: Tab, service: Service) -> None:
    tab.expected = ("429",)
    said = tab.page.locator("#live-note .live-state")
    port = urlsplit(service.site).port
    with contextlib.ExitStack() as opened:
        for _ in range(settings.STREAMS_OPEN):
            opened.enter_context(Stream(port, "on=live"))
        tab.open("/schedule/")
        said.filter(has_text="looks again every 30 seconds").wait_for()
    tab.page.evaluate(HIDE % "false")  # as if somebody came back to it: it tries at once
    said.filter(has_text="updates itself").wait_for()


def test_a_table_that_is_hidden_goes_on_telling_that_its_person_is_there(tab: Tab) -> None:
    page = tab.open("/play/").page
    page.click("#play-now")
    page.wait_for_url("**/tables/*/")
    with page.expect_response(lambda answer: "/now/" in answer.url and "hidden=1" in answer.url) as told:
        page.evaluate(HIDE % "true")
    assert told.value.status in (200, 204)
    with page.expect_response(lambda answer: "/now/" in answer.url and "hidden" not in answer.url):
        page.evaluate(HIDE % "false")
