"""An author's pages: each parses, makes one call, renders. Another author's bot is as good as none: 404."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from botapi import bots, queries, submissions, tokens
from botapi.api_views import source_of
from botapi.errors import DomainError
from botapi.forms import NewBotForm, NewTokenForm, SubmitForm
from botapi.limits import LIMITS, TOKENS, UPLOAD_BYTES
from botapi.models import Bot, User, Version
from botapi.reports import Report, report_of


def author(request: HttpRequest) -> User:
    """The person of a request that passed ``login_required``."""
    assert isinstance(request.user, User)
    return request.user


def own_bot(request: HttpRequest, name: str) -> Bot:
    """The person's bot, or 404."""
    found = queries.bot_of(author(request), name)
    if found is None:
        raise Http404("You have no bot of this name.")
    return found


def own_version(request: HttpRequest, name: str, number: int) -> Version:
    """A version of the person's bot, or 404."""
    found = queries.version_of(author(request), name, number)
    if found is None:
        raise Http404("You have no such version.")
    return found


@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """One's bots, what is left of the limits, and what to do next."""
    user = author(request)
    lines = [(bot, queries.why_waiting(bot)) for bot in queries.bots_of(user)]
    context = {"lines": lines, "usage": submissions.usage(user), "limits": LIMITS}
    return render(request, "botapi/mine.html", context)


@login_required
@never_cache
def new_bot(request: HttpRequest) -> HttpResponse:
    """Make a bot."""
    form = NewBotForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            bot = bots.create_bot(author(request), **form.cleaned_data)
        except DomainError as refusal:
            return _refused(request, "botapi/new_bot.html", {"form": form}, refusal)
        if bot.kind == Bot.Kind.HTTP:
            return _show_secret(request, bot)
        return redirect("bots:submit", bot.name)
    return render(request, "botapi/new_bot.html", {"form": form}, status=400 if form.errors else 200)


@login_required
def bot(request: HttpRequest, name: str) -> HttpResponse:
    """A bot as its author sees it: state and its reason, versions, secrets, what can be done."""
    found = own_bot(request, name)
    context = {
        "bot": found,
        "why_waiting": queries.why_waiting(found),
        "versions": queries.versions_of(found)[:100],
        "secrets": found.secrets.all(),
        "can_recheck": found.state == Bot.State.SUSPENDED and found.suspended_for != Bot.Suspension.OPERATOR,
    }
    return render(request, "botapi/bot.html", context)


@login_required
def submit(request: HttpRequest, name: str) -> HttpResponse:
    """Submit a version."""
    found = own_bot(request, name)
    context = {"bot": found, "usage": submissions.usage(author(request)), "limits": LIMITS}
    if int(request.META.get("CONTENT_LENGTH") or 0) > UPLOAD_BYTES:
        refusal = DomainError("too_large", "The upload is too large: a .zip may have 5 MiB.", 413)
        return _refused(request, "botapi/submit.html", context | {"form": SubmitForm(found)}, refusal)
    form = SubmitForm(found, request.POST or None, request.FILES or None)
    context["form"] = form
    if request.method != "POST" or not form.is_valid():
        return render(request, "botapi/submit.html", context, status=400 if form.errors else 200)
    try:
        version, new = _submit(found, form)
    except DomainError as refusal:
        return _refused(request, "botapi/submit.html", context, refusal)
    if not new:
        messages.info(request, f"This content is version {version.number} already.")
    return redirect("bots:version", found.name, version.number)


def _submit(found: Bot, form: Form) -> tuple[Version, bool]:
    given = form.cleaned_data
    file = given.get("file")
    upload = submissions.Upload(file.name, file.read()) if file else None
    return submissions.submit_version(found, upload=upload, url=given.get("url", ""), label=given["label"])


@login_required
def version(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """A version with the report of its check; reloads itself while the check runs."""
    found = own_version(request, name, number)
    report: Report | None = report_of(found)
    return render(request, "botapi/version.html", {"version": found, "bot": found.bot, "report": report})


@login_required
def source(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The stored archive."""
    found = own_version(request, name, number)
    if found.artifact is None:
        raise Http404("A version of an HTTP bot has no files here.")
    return source_of(found)


def _change(request: HttpRequest, name: str, verb: Callable[[], object], done: str) -> HttpResponse:
    try:
        verb()
    except DomainError as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    return redirect("bots:manage", name)


@login_required
@require_POST
def pause(request: HttpRequest, name: str) -> HttpResponse:
    """No new matches."""
    found = own_bot(request, name)
    return _change(request, name, lambda: bots.pause_bot(found), f"{name} is paused.")


@login_required
@require_POST
def resume(request: HttpRequest, name: str) -> HttpResponse:
    """Matches again."""
    found = own_bot(request, name)
    return _change(request, name, lambda: bots.resume_bot(found), f"{name} plays again.")


@login_required
@require_POST
def withdraw(request: HttpRequest, name: str) -> HttpResponse:
    """Out of the ladder for good; the name is typed once more to show that it is meant."""
    found = own_bot(request, name)
    if request.POST.get("confirm") != name:
        messages.error(request, f"Type {name} to withdraw it: that cannot be undone.")
        return redirect("bots:manage", name)
    return _change(request, name, lambda: bots.withdraw_bot(found), f"{name} is withdrawn.")


@login_required
@require_POST
def check_again(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Another check of a version."""
    found = own_version(request, name, number)
    done = f"Version {number} is being checked again."
    return _change(request, name, lambda: submissions.check_again(found), done)


@login_required
@require_POST
def activate(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Which version plays."""
    found = own_version(request, name, number)
    return _change(
        request, name, lambda: bots.activate_version(found), f"Version {number} plays from now on."
    )


@login_required
@require_POST
def new_secret(request: HttpRequest, name: str) -> HttpResponse:
    """A new signing secret, shown once."""
    found = own_bot(request, name)
    try:
        return _show_secret(request, found)
    except DomainError as refusal:
        messages.error(request, refusal.message)
        return redirect("bots:manage", name)


@never_cache
def _show_secret(request: HttpRequest, found: Bot) -> HttpResponse:
    return render(request, "botapi/secret.html", {"bot": found, "secret": bots.rotate_secret(found)})


@login_required
@never_cache
def token_list(request: HttpRequest) -> HttpResponse:
    """One's API tokens: list them, make one (shown once)."""
    form = NewTokenForm(request.POST or None)
    context: dict[str, Any] = {"form": form, "tokens": queries.tokens_of(author(request)), "limit": TOKENS}
    if request.method == "POST" and form.is_valid():
        try:
            _, context["made"] = tokens.create_token(author(request), **form.cleaned_data)
        except DomainError as refusal:
            return _refused(request, "botapi/tokens.html", context, refusal)
        context["form"] = NewTokenForm()
    return render(request, "botapi/tokens.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """The token opens nothing from now on."""
    found = queries.tokens_of(author(request)).filter(pk=pk).first()
    if found is None:
        raise Http404("You have no such token.")
    tokens.revoke_token(found)
    messages.success(request, f"The token {found.name} is revoked.")
    return redirect("bots:tokens")


def _refused(
    request: HttpRequest, template: str, context: dict[str, Any], refusal: DomainError
) -> HttpResponse:
    """The page again, with the refusal above its form."""
    form: Form = context["form"]
    if form.is_bound and form.is_valid():
        form.add_error(None, refusal.message)
    else:
        messages.error(request, refusal.message)
    return render(request, template, context, status=refusal.status)
