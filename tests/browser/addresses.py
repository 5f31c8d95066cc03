"""The pages of the service that a running demo has, by address; how one comes to an account and submits a bot."""

from __future__ import annotations

import secrets
from importlib import resources

from tests.browser.chromium import Tab
from tests.browser.service import Service

STARTER = resources.files("botapi.samples").joinpath("starter.py").read_bytes()
"""A bot that passes its check."""
CHECKED_MS = 120_000
"""A check takes up to a minute, on a busy machine more."""
PLAIN = (
    "/",
    "/play/",
    "/practice/",
    "/live/",
    "/ladder/",
    "/matches/",
    "/bots/",
    "/seasons/",
    "/tournaments/",
    "/events/",
    "/schedule/",
    "/status/",
    "/ratings/",
    "/settings/",
    "/docs/",
    "/docs/first-bot/",
    "/docs/protocol/",
    "/docs/api/",
    "/docs/errors/",
    "/docs/notation/",
    "/docs/rules/",
    "/docs/rules/pl-3/",
    "/docs/rules/differences/?a=pl-3&b=cz-3",
    "/login/",
    "/signup/",
    "/password/",
    "/no-such-page/",
)
"""Those that everybody may read and that need nothing of the demo's."""
MEMBERS = (
    "/me/",
    "/me/bots/",
    "/me/bots/new/",
    "/me/tokens/",
    "/me/webhook/",
    "/me/email/",
    "/me/password/",
    "/me/delete/",
)
"""Those of an account."""


def everyones(service: Service) -> list[str]:
    """The public pages, one of each kind."""
    match = service.get("/api/v1/matches/?state=finished&klass=ladder")["results"][0]["id"]
    bots = [seat["bot"] for seat in service.get(f"/api/v1/matches/{match}/")["seats"]]
    season = service.get("/api/v1/seasons/")["results"][0]["slug"]
    return [
        *PLAIN,
        f"/matches/{match}/",
        f"/matches/{match}/deals/1/?step=6",
        f"/matches/{match}/fairness/",
        f"/bots/{bots[0]}/",
        f"/bots/{bots[0]}/rating/",
        f"/bots/{bots[0]}/against/{bots[1]}/",
        f"/seasons/{season}/",
        f"/bots/{bots[0]}/report/",
        f"/seasons/{season}/board/",
        f"/seasons/{season}/matrix/",
        f"/seasons/{season}/deals/",
        "/tournaments/first-cup/",
    ]


def members(bot: str, event: str) -> list[str]:
    """The pages of a person who is logged in, has a bot with one version and organises an event."""
    own = [f"/me/bots/{bot}/", f"/me/bots/{bot}/submit/", f"/me/bots/{bot}/versions/1/"]
    held = [f"/events/{event}/{part}" for part in ("", "organise/", "organise/edit/")]
    return [*MEMBERS, *own, "/events/new/", *held]


def speak(tab: Tab, language: str) -> None:
    """Choose the language as people do: by the form at the foot of every page, which is then seen in it."""
    foot = tab.page.locator(f"footer button[value='{language}']")
    with tab.page.expect_event("load"):
        if foot.count():
            foot.click()
        else:
            tab.page.locator("footer select").select_option(language)
            tab.page.locator("footer form button").click()
    assert tab.page.locator("html").get_attribute("lang") == language


def signed_in(tab: Tab) -> str:
    """Make an account as a newcomer does; its name."""
    name = f"anna{secrets.token_hex(4)}"
    tab.open("/signup/")
    fields = tab.page.locator("main form")
    fields.locator("[name=username]").fill(name)
    fields.locator("[name=email]").fill(f"{name}@example.org")
    for field in fields.locator("[type=password]").all():
        field.fill("four clubs and a talon")
    fields.locator("button[type=submit]").click()
    tab.page.wait_for_url(lambda address: not address.endswith("/signup/"))
    return name


def submitted(tab: Tab, file: str, content: bytes) -> str:
    """Make a bot and submit a file for it; the bot's name. The page is that of the version, its check going on."""
    page, bot = tab.page, f"bot-{secrets.token_hex(4)}"
    tab.open("/me/bots/new/")
    page.locator("main [name=name]").fill(bot)
    page.get_by_role("button", name="Make it").click()
    tab.open(f"/me/bots/{bot}/submit/")
    page.locator("[name=file]").set_input_files(
        {"name": file, "mimeType": "text/x-python", "buffer": content}
    )
    page.get_by_role("button", name="Submit").click()
    return bot
