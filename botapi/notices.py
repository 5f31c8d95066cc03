"""Mail to authors about their bots."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

from botapi.models import Bot


def tell_suspended(bot: Bot) -> None:
    """Tell the author why the bot gets no more matches, and what brings it back."""
    if bot.owner is None:
        return
    page = settings.SITE_URL.rstrip("/") + reverse("bots:manage", args=[bot.name])
    way_back = (
        "Ask the operators."
        if bot.suspended_for == Bot.Suspension.OPERATOR
        else "It plays again as soon as one of its versions passes a check."
    )
    send_mail(
        f"{bot.name} is suspended on the Thousand ladder",
        f"Hello {bot.owner.username},\n\nyour bot {bot.name} gets no more matches:\n\n"
        f"{bot.state_reason}\n\n{way_back}\n\n{page}\n",
        None,
        [bot.owner.email],
    )
