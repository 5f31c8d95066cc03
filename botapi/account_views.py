"""Pages of accounts: sign up, log in, prove and change the address, passwords, settings."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import (
    LoginView,
    PasswordChangeView,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from botapi import accounts, display, languages
from botapi.account_forms import EmailForm, ResetForm, SettingsForm, SignUpForm
from botapi.api.throttles import login_wait
from botapi.errors import DomainError
from botapi.models import User
from botapi.views import author


class LogIn(LoginView):
    """Log in; too many tries from one address have to wait."""

    template_name = "botapi/login.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        return must_wait(request) or super().post(request, *args, **kwargs)


class ResetPassword(PasswordResetView):
    """Ask for a link to choose a new password; as limited as tries to log in."""

    template_name = "botapi/password_reset.html"
    form_class = ResetForm
    email_template_name = "botapi/password_reset_mail.txt"
    subject_template_name = "botapi/password_reset_subject.txt"
    extra_email_context = {"site": settings.SITE_URL.rstrip("/")}
    success_url = reverse_lazy("bots:password_sent")

    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        return must_wait(request) or super().post(request, *args, **kwargs)


class NewPassword(PasswordResetConfirmView):
    """The page of that link."""

    template_name = "botapi/password_new.html"
    success_url = reverse_lazy("bots:login")

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, gettext("Your password is changed. Log in with it."))
        return super().form_valid(form)


class ChangePassword(PasswordChangeView):
    """A new password for who knows the old one; other devices are logged out."""

    template_name = "botapi/password_change.html"
    success_url = reverse_lazy("me")

    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        return must_wait(request) or super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, gettext("Your password is changed; other devices are logged out."))
        return super().form_valid(form)


def must_wait(request: HttpRequest) -> HttpResponse | None:
    """The page for whom has tried too often from one address; None for everybody else."""
    seconds = login_wait(request)
    if not seconds:
        return None
    message = ngettext(
        "Too many tries from your address. Try again in %(seconds)d second.",
        "Too many tries from your address. Try again in %(seconds)d seconds.",
        seconds,
    ) % {"seconds": seconds}
    context = {"title": gettext("Please wait"), "message": message}
    response = render(request, "error.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


@sensitive_post_parameters("password")
@never_cache
def sign_up(request: HttpRequest) -> HttpResponse:
    """A new account, logged in at once and back at ``next``; what the guest had chosen goes with it."""
    if request.user.is_authenticated:
        return redirect("me")
    waiting = must_wait(request) if request.method == "POST" else None
    if waiting:
        return waiting
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        chosen = display.display_of(request)
        try:
            user = accounts.sign_up(**form.cleaned_data, language=get_language() or "")
        except ValidationError as error:
            add_errors(form, error)
        else:
            login(request, user)
            display.keep(request, chosen)
            return redirect(_came_from(request) or "me")
    context = {"form": form, "next": _came_from(request)}
    return render(request, "botapi/signup.html", context, status=400 if form.errors else 200)


def _came_from(request: HttpRequest) -> str:
    """The page of this site that the visitor wants to go back to; "" for none and for any other site."""
    asked = request.POST.get("next") or request.GET.get("next", "")
    ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, request.is_secure())
    return asked if ours else ""


def add_errors(form: Form, error: ValidationError) -> None:
    """A verb's refusal beside the fields it speaks of."""
    by_field = error.message_dict if hasattr(error, "error_dict") else {None: error.messages}
    for field, found in by_field.items():
        for message in found:
            form.add_error(field, message)


def verify(request: HttpRequest, token: str) -> HttpResponse:
    """The link from the e-mail: marks the address as proved."""
    try:
        user = accounts.verify_email(token)
    except DomainError as refusal:
        return _bad_link(request, refusal)
    messages.success(request, gettext("The address %(email)s is verified.") % {"email": user.email})
    return redirect("me" if request.user.is_authenticated else "bots:login")


def new_email(request: HttpRequest, token: str) -> HttpResponse:
    """The link that was sent to a new address: from now on it is the account's."""
    try:
        user = accounts.confirm_email(token)
    except DomainError as refusal:
        return _bad_link(request, refusal)
    messages.success(request, gettext("Your address is %(email)s now.") % {"email": user.email})
    return redirect("me" if request.user.is_authenticated else "bots:login")


def _bad_link(request: HttpRequest, refusal: DomainError) -> HttpResponse:
    context = {"title": gettext("The link does not work"), "message": refusal.message}
    return render(request, "error.html", context, status=refusal.status)


@login_required
@require_POST
def send_link(request: HttpRequest) -> HttpResponse:
    """The verification link once more."""
    waiting = must_wait(request)
    if waiting:
        return waiting
    user = author(request)
    if user.email_verified_at is None:
        accounts.send_verification(user)
        messages.success(request, gettext("A link was sent to %(email)s.") % {"email": user.email})
    return redirect("me")


@sensitive_post_parameters("password")
@login_required
@never_cache
def change_email(request: HttpRequest) -> HttpResponse:
    """Ask for another address."""
    waiting = must_wait(request) if request.method == "POST" else None
    if waiting:
        return waiting
    form = EmailForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            at_once = accounts.change_email(author(request), **form.cleaned_data)
        except ValidationError as error:
            add_errors(form, error)
        else:
            words = (
                gettext("Your address is %(email)s now.")
                if at_once
                else gettext("A link was sent to %(email)s.")
            )
            messages.success(request, words % {"email": form.cleaned_data["email"].lower()})
            return redirect("me")
    return render(request, "botapi/email.html", {"form": form}, status=400 if form.errors else 200)


@login_required
@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """Log out on all devices but this one."""
    user = author(request)
    accounts.end_sessions(user)
    update_session_auth_hash(request, user)
    messages.success(request, gettext("All other devices are logged out. Tokens of the API stay valid."))
    return redirect("me")


def change_settings(request: HttpRequest) -> HttpResponse:
    """How pages look: kept with the account, or for a guest in the session."""
    user = request.user if isinstance(request.user, User) else None
    now = display.display_of(request)
    first = {
        "theme": now.theme,
        "deck": now.deck,
        "motion": now.motion,
        "language": user.language if user else "",
    }
    form = SettingsForm(request.POST or None, initial=first, guest=user is None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        display.keep(request, display.Display(given["theme"], given["deck"], given["motion"]))
        if user is not None:
            languages.keep(user, given["language"])
            with languages.of(user):
                messages.success(request, gettext("Your settings are kept."))
        else:
            messages.success(request, gettext("Your settings are kept on this device."))
        response = redirect("bots:settings")
        if (
            user is not None and not given["language"]
        ):  # what was chosen at the foot of a page no longer counts
            response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
        return response
    return render(request, "botapi/settings.html", {"form": form}, status=400 if form.errors else 200)
