"""The page of an author's webhook."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from botapi import languages, queries, webhooks
from botapi.errors import DomainError
from botapi.forms import WebhookForm
from botapi.views import author


@login_required
@never_cache
def webhook(request: HttpRequest) -> HttpResponse:
    """Where one's events go, what became of the newest, and the signing secret once."""
    user = author(request)
    form = WebhookForm(request.POST or None)
    context: dict[str, Any] = {"form": form}
    code = 400 if form.errors else 200
    if request.method == "POST" and form.is_valid():
        try:
            context["secret"] = webhooks.set_webhook(user, form.cleaned_data["url"])
        except DomainError as refusal:
            form.add_error("url", languages.said(refusal))
            code = refusal.status
    found = queries.webhook_of(user)
    context |= {
        "webhook": found,
        "events": queries.webhook_events(found) if found else [],
        "https_only": not settings.BOT_ENDPOINTS_ALLOW_PRIVATE,
    }
    return render(request, "botapi/webhook.html", context, status=code)


@login_required
@require_POST
def ping_webhook(request: HttpRequest) -> HttpResponse:
    """Send an event to try the address."""
    try:
        webhooks.ping(author(request))
    except DomainError as refusal:
        messages.error(request, languages.said(refusal))
    else:
        messages.success(
            request, gettext("An event is on its way: reload this page to see what became of it.")
        )
    return redirect("bots:webhook")


@login_required
@require_POST
def remove_webhook(request: HttpRequest) -> HttpResponse:
    """Send nothing more."""
    webhooks.remove_webhook(author(request))
    messages.success(request, gettext("Nothing more is sent."))
    return redirect("bots:webhook")
