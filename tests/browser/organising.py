"""An organiser at work, by the pages that an organiser sees: role, draft, bots, steps; and a person who joins."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tests.browser import playing
from tests.browser.addresses import signed_in
from tests.browser.chromium import Tab
from tests.browser.service import Service

BEGUN_MS = 60_000
"""Until a table of an event waits for a person, on a busy machine."""


def make_organiser(operator: Tab, service: Service, name: str) -> None:
    """The operator gives the role in the admin site."""
    operator.expected = ("Permissions policy", "/admin/")
    page = operator.page
    operator.open("/admin/login/")
    page.locator("[name=username]").fill("operator")
    page.locator("[name=password]").fill(service.password)
    page.locator("[type=submit]").click()
    operator.open(f"/admin/botapi/user/?q={name}")
    page.locator("#result_list tbody th a").first.click()
    page.locator("[name=is_organiser]").check()
    page.locator("[name=_save]").click()
    page.locator(".messagelist .success").wait_for()


def drafted(organiser: Tab, name: str, *, rules: str, bots: dict[str, str], **fields: str) -> str:
    """Make a draft and ask bots (name: role) for it; the last part of its address."""
    page, slug = organiser.page, f"cup-{secrets.token_hex(3)}"
    organiser.open("/events/")
    page.get_by_role("link", name="Make an event").click()
    page.locator("main [name=name]").fill(name)
    page.locator("[name=slug]").fill(slug)
    page.locator("[name=rules]").select_option(rules)
    if "format" in fields:
        page.locator("[name=format]").select_option(fields.pop("format"))
    for field, value in fields.items():
        page.locator(f"[name={field}]").fill(value)
    start = datetime.now(UTC) + timedelta(hours=2)
    page.locator("[name=starts_at]").fill(start.strftime("%Y-%m-%dT%H:%M"))
    page.locator("[name=ends_at]").fill((start + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="Make the draft").click()
    for bot, role in bots.items():
        page.locator("[name=bot]").fill(bot)
        page.locator("[name=role]").select_option(role)
        page.get_by_role("button", name="Ask for it").click()
    return slug


def step(organiser: Tab, slug: str, words: str) -> None:
    """Press a button of the organiser's page."""
    organiser.open(f"/events/{slug}/organise/")
    organiser.page.get_by_role("button", name=words, exact=True).click()
    organiser.page.wait_for_load_state("load")


def register(player: Tab, slug: str, alias: str) -> None:
    """Sign up and register under an alias."""
    signed_in(player)
    player.open(f"/events/{slug}/")
    player.page.get_by_label("Alias").fill(alias)
    for box in ("rules", "consent"):
        player.page.locator(f"[name={box}]").check()
    player.page.get_by_role("button", name="Register").click()
    player.page.get_by_text(f"You are {alias}").wait_for()


def check_in(player: Tab, slug: str) -> None:
    """Try the device in the lobby and say that one is there."""
    player.open(f"/events/{slug}/")
    player.page.get_by_text("The live connection works.").wait_for()
    player.page.get_by_role("button", name="I am here").click()
    player.page.get_by_text("You are checked in", exact=False).first.wait_for()


def begun(organiser: Tab, slug: str, players: dict[str, Tab], look: Callable[[Tab], None]) -> None:
    """From the draft to the start, with these people under their aliases; ``look`` at each new page of a person."""
    step(organiser, slug, "Open the registration")
    look(organiser)
    for alias, player in players.items():
        register(player, slug, alias)
        look(player)
    step(organiser, slug, "Open check-in now")
    for player in players.values():
        check_in(player, slug)
        look(player)
    step(organiser, slug, "Begin now")


def brought_to_table(player: Tab) -> int:
    """Wait in the lobby until it brings the person to their table, whose number this is."""
    player.page.wait_for_url("**/tables/*/", timeout=BEGUN_MS)
    return playing.table_of(player.page)


def published(organiser: Tab, service: Service, slug: str) -> None:
    """Wait for the results and stay on their page."""

    def there() -> bool:
        organiser.open(f"/events/{slug}/")
        return bool(organiser.page.get_by_role("heading", name="Results").count())

    service.until(there, "the results of the event")
