"""The frame of every page: vendored assets, no inline code, no other host, contrast, errors, navigation."""

from __future__ import annotations

import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

LADDER = Path(__file__).parents[2] / "ladder"
TEMPLATES = sorted(path for path in LADDER.parent.glob("*/templates/**/*.html"))
CSS = (LADDER / "static/ladder/site.css").read_text()
STYLES = [*sorted((LADDER / "static/ladder").glob("*.css")), LADDER.parent / "games/static/games/cards.css"]
GROUNDS = ("site-page", "site-panel")


class Reader(HTMLParser):
    """What a page links to, and what a strict Content-Security-Policy would refuse."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.inline: list[str] = []
        self._place = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        self.inline += [key for key in found if key == "style" or key.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in found):
            self.inline.append(tag)
        if tag == "link":
            self.loads.append(found["href"])
        if "src" in found:
            self.loads.append(found["src"])
        if tag == "nav":
            self._place = found.get("aria-label", "")
        if tag == "a" and self._place:
            self.links.append((self._place, found["href"]))

    def handle_endtag(self, tag: str) -> None:
        if tag == "nav":
            self._place = ""


def read(client: Client, address: str, status: int = 200) -> Reader:
    answer = client.get(address)
    assert answer.status_code == status, address
    return Reader(answer.content.decode())


@pytest.mark.parametrize("folder", sorted((LADDER / "static/vendor").glob("*/")), ids=lambda path: path.name)
def test_a_vendored_package_is_what_its_sums_say_with_version_and_licence(folder: Path) -> None:
    sums = dict(line.split()[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert set(sums) | {"VERSION", "SHA256SUMS"} == {path.name for path in folder.iterdir()}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", (folder / "VERSION").read_text())
    assert any(name.startswith("LICENSE") for name in sums)


@pytest.mark.django_db
def test_each_link_of_the_head_leads_to_a_page(client: Client) -> None:
    home = read(client, "/")
    site = [href for place, href in home.links if place == "Site"]
    assert {"/ladder/", "/matches/", "/bots/", "/docs/rules/", "/api/v1/"} <= set(site)
    assert {*site, "/login/", "/signup/"} == {href for place, href in home.links if place == "All pages"}
    for address in ["/", *site, *(href for place, href in home.links if place == "Account")]:
        read(client, address)


@pytest.mark.django_db
def test_the_bar_says_where_one_is(client: Client) -> None:
    there = re.findall(r'href="([^"]*)" aria-current="page"', client.get("/ladder/").content.decode())
    assert there == ["/ladder/", "/ladder/"]
    below = re.findall(
        r'href="([^"]*)" aria-current="true"', client.get("/docs/rules/pl-3/").content.decode()
    )
    assert below == ["/docs/rules/", "/docs/rules/"]
    assert 'aria-current="page"' not in client.get("/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/ladder/",
        "/matches/",
        "/bots/",
        "/seasons/",
        "/tournaments/",
        "/schedule/",
        "/docs/",
        "/nowhere/",
    ],
)
def test_a_page_needs_no_inline_code_and_no_other_host(client: Client, address: str) -> None:
    page = read(client, address, 404 if address == "/nowhere/" else 200)
    assert page.inline == []
    assert page.loads
    for loaded in page.loads:
        assert loaded.startswith("/static/")
        assert finders.find(loaded.removeprefix("/static/")), loaded


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_inline_style_or_script(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"""<style|\sstyle=|\son[a-z]+=["']|<script(?![^>]*\ssrc=)|javascript:""", text)
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//(?!www\.w3\.org)""", text)


def test_style_and_script_load_nothing_from_elsewhere() -> None:
    for path in (
        file for folder in ("ladder", "games") for file in (LADDER.parent / folder / "static").rglob("*.*")
    ):
        if path.suffix in {".css", ".js"}:
            text = path.read_text()
            assert "@import" not in text, path.name
            assert not re.search(r"url\((?!['\"]?data:)", text), path.name
            assert "sourceMappingURL" not in text, path.name
            vendored = "vendor" in path.parts
            assert not re.search(r"fetch\(|XMLHttpRequest" if vendored else r"https?://", text), path.name


@pytest.mark.django_db
def test_a_missing_page_says_so_within_the_frame(client: Client) -> None:
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    page = answer.content.decode()
    assert "There is no such page" in page
    assert "Skip to the content" in page


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_an_error_page_renders_without_a_request(name: str) -> None:
    page = render_to_string(f"{name}.html")
    assert "<h1>" in page
    assert 'href="/"' in page
    assert Reader(page).inline == []


@pytest.mark.django_db
def test_a_stale_form_is_told_so_within_the_frame() -> None:
    answer = Client(enforce_csrf_checks=True).post(reverse("bots:login"), {})
    assert answer.status_code == 403
    assert "This form is too old" in answer.content.decode()


def luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colours(theme: str) -> dict[str, str]:
    """The site's own colours in a theme."""
    pairs = re.findall(r"--([a-z0-9-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
    return {name: light if theme == "light" else dark for name, light, dark in pairs}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_colour_stands_out_at_least_four_and_a_half_times(theme: str) -> None:
    found = colours(theme)
    pairs = [(f"site-{word}", f"site-{word}-bg") for word in ("good", "bad", "warn", "info")]
    pairs += [
        (f"suit-{suit}", ground) for suit in "scdh" for ground in ("site-card", "site-page", "site-panel")
    ]
    pairs += [("site-muted", ground) for ground in GROUNDS]
    pairs += [(f"site-{word}", ground) for word in ("ink", "link", "link-hover") for ground in GROUNDS]
    pairs += [(f"site-{word}", "site-page") for word in ("good", "bad")]
    pairs += [("felt-ink", "felt"), ("felt-muted", "felt")]
    for text, ground in pairs:
        assert contrast(found[text], found[ground]) >= 4.5, (theme, text, ground)
    for number in range(4):
        assert contrast(found[f"line-{number}"], found["site-page"]) >= 3
    for ground in ("site-button", "site-button-hover"):
        assert contrast("#ffffff", found[ground]) >= 4.5


def test_every_class_that_the_style_promises_to_writers_of_pages_exists() -> None:
    comment = "".join(path.read_text().split("*/", 1)[0] for path in STYLES)
    rules = "".join(path.read_text().split("*/", 1)[1] for path in STYLES)
    promised = set(re.findall(r"(?<![\w/])\.([a-z][\w-]*)", comment)) - {"css", "js"}
    assert {"num", "muted", "badge", "table-scroll", "cards", "spark"} <= promised
    for name in promised:
        assert f".{name}" in rules, name
