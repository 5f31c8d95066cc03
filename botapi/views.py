"""An author's pages: each parses, makes one call, renders. Another author's bot is as good as none: 404."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from botapi import bots, complaints, languages, queries, submissions, tokens
from botapi.errors import DomainError
from botapi.foreign_zip import MAX_ZIP
from botapi.forms import ComplaintForm, DescribeForm, NewBotForm, NewTokenForm, SubmitForm
from botapi.limits import LIMITS, TOKENS, UPLOAD_BYTES
from botapi.models import Bot, User, Version
from botapi.reports import report_of
from botapi.version_api import source_of


def author(request: HttpRequest) -> User:
    """The person of a request that passed ``login_required``."""
    assert isinstance(request.user, User)
    return request.user


def own_bot(request: HttpRequest, name: str) -> Bot:
    """The person's bot, or 404."""
    found = queries.bot_of(author(request), name)
    if found is None:
        raise Http404(gettext("You have no bot of this name."))
    return found


def own_version(request: HttpRequest, name: str, number: int) -> Version:
    """A version of the person's bot, or 404."""
    found = queries.version_of(author(request), name, number)
    if found is None:
        raise Http404(gettext("You have no such version."))
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
def submit(request: HttpRequest, name: str) -> HttpResponse:
    """Submit a version."""
    found = own_bot(request, name)
    context = {"bot": found, "usage": submissions.usage(author(request)), "limits": LIMITS}
    if int(request.META.get("CONTENT_LENGTH") or 0) > UPLOAD_BYTES:
        refusal = DomainError(
            "too_large",
            gettext("The upload is too large: a .zip may have %(mib)d MiB.") % {"mib": MAX_ZIP >> 20},
            413,
        )
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
        messages.info(
            request, gettext("This content is version %(number)d already.") % {"number": version.number}
        )
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
    lost = found.state == Version.State.PENDING and found.check_code == Version.LOST
    context = {
        "version": found,
        "bot": found.bot,
        "report": report_of(found),
        "lost": lost,
        "running": found.state in (Version.State.PENDING, Version.State.CHECKING) and not lost,
    }
    return render(request, "botapi/version.html", context)


@login_required
def source(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The stored archive."""
    found = own_version(request, name, number)
    if found.artifact is None:
        raise Http404(gettext("A version of an HTTP bot has no files here."))
    return source_of(found)


def _change(request: HttpRequest, name: str, verb: Callable[[], object], done: str) -> HttpResponse:
    try:
        verb()
    except DomainError as refusal:
        messages.error(request, languages.said(refusal))
    else:
        messages.success(request, done)
    return redirect("own_bot", name)


@login_required
@require_POST
def describe(request: HttpRequest, name: str) -> HttpResponse:
    """The public notes, and whether others may play against it."""
    found = own_bot(request, name)
    form = DescribeForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(word) for words in form.errors.values() for word in words))
        return redirect("own_bot", name)
    done = gettext("What you say of %(name)s is changed.") % {"name": name}
    return _change(request, name, lambda: bots.describe_bot(found, **form.cleaned_data), done)


@login_required
@require_POST
def pause(request: HttpRequest, name: str) -> HttpResponse:
    """No new matches."""
    found = own_bot(request, name)
    return _change(
        request, name, lambda: bots.pause_bot(found), gettext("%(name)s is paused.") % {"name": name}
    )


@login_required
@require_POST
def resume(request: HttpRequest, name: str) -> HttpResponse:
    """Matches again."""
    found = own_bot(request, name)
    return _change(
        request, name, lambda: bots.resume_bot(found), gettext("%(name)s plays again.") % {"name": name}
    )


@login_required
@require_POST
def withdraw(request: HttpRequest, name: str) -> HttpResponse:
    """Out of the ladder for good; the name is typed once more to show that it is meant."""
    found = own_bot(request, name)
    if request.POST.get("confirm") != name:
        messages.error(
            request, gettext("Type %(name)s to withdraw it: that cannot be undone.") % {"name": name}
        )
        return redirect("own_bot", name)
    return _change(
        request, name, lambda: bots.withdraw_bot(found), gettext("%(name)s is withdrawn.") % {"name": name}
    )


@login_required
@require_POST
def check_again(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Another check of a version."""
    found = own_version(request, name, number)
    done = gettext("Version %(number)d is being checked again.") % {"number": number}
    _change(request, name, lambda: submissions.check_again(found), done)
    return redirect("bots:version", name, number)


@login_required
@require_POST
def activate(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Which version plays."""
    found = own_version(request, name, number)
    done = gettext("Version %(number)d plays from now on.") % {"number": number}
    return _change(request, name, lambda: bots.activate_version(found), done)


@login_required
@require_POST
def new_secret(request: HttpRequest, name: str) -> HttpResponse:
    """A new signing secret, shown once."""
    found = own_bot(request, name)
    try:
        return _show_secret(request, found)
    except DomainError as refusal:
        messages.error(request, languages.said(refusal))
        return redirect("own_bot", name)


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
        raise Http404(gettext("You have no such token."))
    tokens.revoke_token(found)
    messages.success(request, gettext("The token %(name)s is revoked.") % {"name": found.name})
    return redirect("bots:tokens")


@login_required
def complain(request: HttpRequest, name: str) -> HttpResponse:
    """Say that a bot's name or public notes should not be shown."""
    found = queries.public_bots().filter(name=name).first()
    if found is None:
        raise Http404(gettext("There is no such bot."))
    form = ComplaintForm(request.POST or None)
    context = {"form": form, "bot": found}
    if request.method == "POST" and form.is_valid():
        try:
            complaints.complain(author(request), found, **form.cleaned_data)
        except DomainError as refusal:
            return _refused(request, "botapi/complain.html", context, refusal)
        messages.success(request, gettext("Thank you: an operator looks at it."))
        return redirect("bot", found.name)
    return render(request, "botapi/complain.html", context, status=400 if form.errors else 200)


def _refused(
    request: HttpRequest, template: str, context: dict[str, Any], refusal: DomainError
) -> HttpResponse:
    """The page again, with the refusal above its form."""
    form: Form = context["form"]
    if form.is_bound and form.is_valid():
        form.add_error(None, languages.said(refusal))
    else:
        messages.error(request, languages.said(refusal))
    return render(request, template, context, status=refusal.status)
