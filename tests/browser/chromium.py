"""The browser of the machine, its tabs, and what no page may do: scroll sideways, complain, ask other hosts, shut people out."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    Response,
    ViewportSize,
    sync_playwright,
)

AXE = Path(__file__).parent / "vendor/axe"
PHONE: ViewportSize = {"width": 360, "height": 640}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
"""Debian's builds of the same Chromium; the first has no window system in it and takes less of the machine."""
MISSING = "no chromium on this machine; on Debian: apt install chromium-headless-shell"
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
)


def found() -> str | None:
    """Where the distribution's Chromium is; None on a machine without one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """A Chromium without a window; as root it runs without its own sandbox, it sees our pages alone."""
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found(), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Tab:
    """One tab of one person's browser, and what went wrong in it since :meth:`forget`.

    ``expected`` are words of complaints that a test brings about on purpose.
    """

    page: Page
    site: str
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error in a script: {error}"))
        self.page.on("request", self._request)
        self.page.on("response", self._response)

    def open(self, path: str) -> Tab:
        """Go to ``path`` of the site; itself."""
        self.page.goto(self.site + path, wait_until="load")
        return self

    def forget(self) -> None:
        """Begin anew."""
        self.complaints.clear()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type} on the console: {message.text}")

    def _request(self, request: Request) -> None:
        host = urllib.parse.urlsplit(request.url)
        if host.scheme in ("data", "blob") or f"{host.scheme}://{host.netloc}" == self.site:
            return
        self.complaints.append(f"a request to another host: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status} for {response.url}")

    def unexpected(self) -> list[str]:
        """The complaints that nobody brought about on purpose."""
        return [text for text in self.complaints if not any(words in text for words in self.expected)]


def look_at_it(tab: Tab) -> None:
    """Nothing is wrong with the page that is open, as it stands."""
    tab.page.wait_for_load_state("load")
    found = sideways(tab.page) + shut_out(tab.page, axe_source()) + tab.unexpected()
    assert found == [], f"{tab.page.url}: {found}"


@functools.cache
def axe_source() -> str:
    """The script of axe-core, once its digest has been checked."""
    digest, name = next(
        line.split() for line in (AXE / "SHA256SUMS").read_text().splitlines() if ".js" in line
    )
    script = (AXE / name).read_bytes()
    assert hashlib.sha256(script).hexdigest() == digest, f"{name} is not the file that was vendored"
    return script.decode()


def shut_out(page: Page, script: str) -> list[str]:
    """What axe-core finds wrong with the page, a line each; ``script`` is :func:`axe_source`."""
    if page.evaluate("() => !('axe' in window)"):
        page.evaluate(script)
    run = """async () => {
        const found = await axe.run(document, {resultTypes: ['violations']});
        return JSON.stringify(found.violations.map(one => [one.id, one.help, one.nodes.map(node => node.html)]));
    }"""
    return [
        f"axe {name}: {words}; {len(nodes)} times, first {nodes[0][:200]}"
        for name, words, nodes in json.loads(page.evaluate(run))
    ]


def sideways(page: Page) -> list[str]:
    """By how much the page is wider than its window once it is drawn, and the elements that stick out."""
    run = """async () => {
        for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
        const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        if (wide <= 0) return [];
        const out = [...document.querySelectorAll('body *')].filter(
            one => !one.closest('.sheet') && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1);
        return [`${wide} px too wide: ` + out.slice(0, 4).map(
            one => one.tagName.toLowerCase() + '.' + one.className).join(', ')];
    }"""
    found: list[str] = page.evaluate(run)
    return found
