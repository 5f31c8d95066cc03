"""A person's own pages that need every package: the account, all data as one archive, deletion."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from botapi import submissions
from botapi.account_forms import LeaveForm
from botapi.account_views import add_errors, must_wait
from botapi.errors import DomainError
from botapi.forms import DescribeForm
from botapi.limits import LIMITS, TOKENS
from botapi.models import Bot
from botapi.queries import tokens_of, versions_of
from botapi.views import author
from botapi.views import own_bot as bot_of_request
from games.queries import test_matches_today
from games.trials import A_DAY
from ladder import leaving, own_data, queries
from ladder.eligibility import why_no_match
from ladder.schedules import next_round


@login_required
def me(request: HttpRequest) -> HttpResponse:
    """One's account: address, settings, bots, tokens, limits, and the ways out."""
    user = author(request)
    context = {
        "usage": submissions.usage(user),
        "limits": LIMITS,
        "tokens": tokens_of(user).count(),
        "most_tokens": TOKENS,
        "tests_today": test_matches_today(user),
        "tests_a_day": A_DAY,
    }
    return render(request, "ladder/me.html", context)


@login_required
def own_bot(request: HttpRequest, name: str) -> HttpResponse:
    """A bot as its author sees it: when it plays next or why not, versions, secrets, what can be done."""
    found = bot_of_request(request, name)
    season = queries.current_season()
    context = {
        "bot": found,
        "next_match": queries.next_match(found),
        "why_no_match": why_no_match(found, season),
        "next_round": next_round(season),
        "versions": versions_of(found)[:100],
        "secrets": found.secrets.all(),
        "form": DescribeForm({"notes": found.notes, "allow_tests": found.allow_tests}),
        "can_recheck": found.state == Bot.State.SUSPENDED and found.suspended_for != Bot.Suspension.OPERATOR,
    }
    return render(request, "ladder/own_bot.html", context)


@login_required
@require_POST
def export(request: HttpRequest) -> HttpResponseBase:
    """All that the service holds of the person, as a .zip."""
    waiting = must_wait(request)
    if waiting:
        return waiting
    user = author(request)
    headers = {
        "Content-Disposition": 'attachment; filename="thousand-ladder.zip"',
        "Cache-Control": "no-store",
    }
    return StreamingHttpResponse(own_data.stream(user), content_type="application/zip", headers=headers)


@sensitive_post_parameters("password")
@login_required
@never_cache
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account: what goes and what stays, and the password to show that it is meant."""
    waiting = must_wait(request) if request.method == "POST" else None
    if waiting:
        return waiting
    user = author(request)
    form = LeaveForm(request.POST or None)
    code = 400 if form.errors else 200
    if request.method == "POST" and form.is_valid():
        try:
            leaving.delete_account(user, password=form.cleaned_data["password"])
        except ValidationError as error:
            add_errors(form, error)
            code = 400
        except DomainError as refusal:
            form.add_error(None, refusal.message)
            code = refusal.status
        else:
            logout(request)
            messages.success(request, gettext("Your account is deleted."))
            return redirect("home")
    return render(
        request,
        "ladder/leave.html",
        {"form": form, "bots": user.bots.exclude(state="withdrawn")},
        status=code,
    )
