"""The pages of the service that a running demo has, by address."""

from __future__ import annotations

import secrets

from tests.browser.chromium import Tab
from tests.browser.service import Service

PLAIN = (
    "/",
    "/ladder/",
    "/matches/",
    "/bots/",
    "/seasons/",
    "/tournaments/",
    "/schedule/",
    "/ratings/",
    "/docs/",
    "/docs/first-bot/",
    "/docs/protocol/",
    "/docs/errors/",
    "/docs/api/",
    "/docs/notation/",
    "/docs/rules/",
    "/docs/rules/pl-3/",
    "/login/",
    "/signup/",
    "/password/",
    "/settings/",
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
    match = service.get("/api/v1/matches/?state=finished")["results"][0]["id"]
    bots = [seat["bot"] for seat in service.get(f"/api/v1/matches/{match}/")["seats"]]
    season = service.get("/api/v1/seasons/")["results"][0]["slug"]
    return [
        *PLAIN,
        f"/matches/{match}/",
        f"/matches/{match}/fairness/",
        f"/bots/{bots[0]}/",
        f"/bots/{bots[0]}/rating/",
        f"/seasons/{season}/",
        "/tournaments/first-cup/",
        "/no-such-page/",
    ]


def members() -> list[str]:
    """The pages of a person who is logged in."""
    return list(MEMBERS)


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
