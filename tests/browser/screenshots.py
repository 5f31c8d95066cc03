"""``./run screenshots``: pictures of the main pages, on a desktop and a phone, in light and dark, of a real service.

Starts the demo from nothing, waits for matches, opens each page in the distribution's Chromium and writes PNG files to
``tests/browser/pictures`` (or ``--to``), where README links them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ViewportSize

from tests.browser import chromium, playing
from tests.browser.chromium import DESKTOP, PHONE, Tab
from tests.browser.service import Service, started

PICTURES = Path(__file__).parent / "pictures"
MATCHES = 12


def pages(service: Service) -> Iterator[tuple[str, str]]:
    """Name and address of each picture."""
    match = service.get("/api/v1/matches/?state=finished")["results"][0]["id"]
    bot = service.get(f"/api/v1/matches/{match}/")["seats"][0]["bot"]
    yield "home", "/"
    yield "ladder", "/ladder/"
    yield "bot", f"/bots/{bot}/"
    yield "replay", f"/matches/{match}/#d3t5"
    yield "schedule", "/schedule/"
    yield "rules", "/docs/rules/pl-3/"


def take(tab: Tab, to: Path) -> Path:
    """Write what is in the window, once it is quiet."""
    tab.page.wait_for_timeout(600)
    tab.page.screenshot(path=to)
    print(to.name, f"{to.stat().st_size // 1024} KiB", flush=True)
    return to


def at_the_table(tab: Tab) -> None:
    """Sit down and play until there is something to see."""
    tab.open("/play/")
    tab.page.locator("#play-now").click()
    tab.page.wait_for_url("**/tables/*/")
    for _ in range(60):
        if not playing.your_turn(tab.page):
            return
        if tab.page.locator("#table[data-phase=play]").count() and tab.page.locator("#last-trick").count():
            return
        playing.move(tab.page)


def picture_everything(browser: Browser, service: Service, to: Path) -> None:
    """All pictures."""
    looks: tuple[tuple[str, ViewportSize, Literal["light", "dark"]], ...] = (
        ("desktop", DESKTOP, "light"),
        ("phone", PHONE, "light"),
        ("dark", DESKTOP, "dark"),
    )
    for size, window, scheme in looks:
        context = browser.new_context(
            viewport=window, locale="en-GB", color_scheme=scheme, reduced_motion="reduce"
        )
        tab = Tab(context.new_page(), service.site)
        for name, address in pages(service):
            if size != "dark" or name in ("ladder", "replay"):
                take(tab.open(address), to / f"{name}-{size}.png")
        at_the_table(tab)
        take(tab, to / f"table-{size}.png")
        context.close()


def main(argv: Sequence[str] | None = None) -> int:
    """Parse, start, take the pictures."""
    parser = argparse.ArgumentParser(prog="./run screenshots", description=__doc__)
    parser.add_argument(
        "--to", type=Path, default=PICTURES, help="folder of the pictures (tests/browser/pictures)"
    )
    options = parser.parse_args(argv)
    if chromium.found() is None:
        print(f"screenshots: {chromium.MISSING}", file=sys.stderr)
        return 1
    options.to.mkdir(parents=True, exist_ok=True)
    with started(MATCHES) as service, chromium.running() as browser:
        picture_everything(browser, service, options.to)
    return 0


if __name__ == "__main__":
    sys.exit(main())
