"""A person at a table with nothing but a keyboard: reads what the page offers, presses a key, waits for the next turn."""

from __future__ import annotations

import re

from playwright.sync_api import Page

TURN = "#table[data-your-turn], #table[data-over]"
CARD_KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "a", "b")
TURN_MS = 90_000
"""House bots and their pauses, on a busy machine."""


def table_of(page: Page) -> int:
    """The number of the table whose page this is."""
    found = re.search(r"/tables/(\d+)/", page.url)
    assert found, page.url
    return int(found[1])


def walk_to(page: Page, selector: str, most: int = 120) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def your_turn(page: Page) -> bool:
    """Wait for the next turn; False when the game is over."""
    page.wait_for_selector(TURN, timeout=TURN_MS)
    over = page.locator("#table[data-over]")
    assert not over.count() or over.get_attribute("data-state") == "finished", over.inner_text()
    return not over.count()


def shows(page: Page, selector: str) -> bool:
    """Whether the page has it now."""
    return page.locator(selector).count() > 0


def key_for(page: Page) -> str:
    """What somebody would press who passes and plays the first card that is lit."""
    if shows(page, "#confirm"):
        return "Enter"
    if shows(page, "#controls [data-letter=p]"):
        return "p"
    if shows(page, "#stepper"):
        return "Enter"
    lit = page.evaluate(
        """() => [...document.querySelectorAll('#hand .card-button')].findIndex(
            one => !one.hasAttribute('aria-disabled'))"""
    )
    return CARD_KEYS[lit] if lit >= 0 else "Enter"


def move(page: Page) -> None:
    """Make one decision, a card that is given in two steps, and wait until the page has taken it."""
    before = page.locator("#table").get_attribute("data-question")
    for _ in range(2):
        page.keyboard.press(key_for(page))
        page.wait_for_function(
            """before => {
                const table = document.getElementById('table');
                return !table.hasAttribute('aria-busy') && (table.dataset.question !== before
                    || !('yourTurn' in table.dataset) || document.getElementById('confirm'));
            }""",
            arg=before,
            timeout=TURN_MS,
        )
        still = page.locator("#table").get_attribute("data-question") == before
        if not (still and shows(page, "#confirm")):
            return


def play_on(page: Page, decisions: int = 10_000) -> int:
    """Play so many decisions or to the end; how many were made."""
    for made in range(decisions):
        if not your_turn(page):
            return made
        move(page)
    return decisions


def hurry(page: Page) -> None:
    """Ask the bots by the settings on the page not to wait; with the keyboard."""
    for name in ("bot_ms", "trick_ms"):
        page.locator(f"select[name={name}]").first.evaluate(
            "one => one.closest('details')?.setAttribute('open', '')"
        )
        page.locator(f"select[name={name}]").first.focus()
        page.keyboard.press("Home")
    page.locator("select[name=bot_ms]").first.evaluate("one => one.form.querySelector('button').focus()")
    page.keyboard.press("Enter")


def leave(page: Page) -> None:
    """End the game for good, so that others can sit down."""
    page.locator("#leave summary").click()
    page.locator("#leave form button").click()
    page.wait_for_load_state("load")
