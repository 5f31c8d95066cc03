"""Pages of accounts: sign up, log in, prove the address; Django's own views reset passwords (see urls)."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, PasswordResetView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from botapi import accounts
from botapi.api.throttles import login_wait
from botapi.errors import DomainError
from botapi.forms import SignUpForm
from botapi.models import User


class LogIn(LoginView):
    """Log in; too many tries from one address have to wait."""

    template_name = "botapi/login.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        wait = login_wait(request)
        if wait:
            return _wait(request, wait)
        return super().post(request, *args, **kwargs)


class ResetPassword(PasswordResetView):
    """Ask for a link to choose a new password; as limited as tries to log in."""

    template_name = "botapi/password_reset.html"
    email_template_name = "botapi/password_reset_mail.txt"
    subject_template_name = "botapi/password_reset_subject.txt"
    success_url = reverse_lazy("bots:password_sent")

    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        wait = login_wait(request)
        if wait:
            return _wait(request, wait)
        return super().post(request, *args, **kwargs)


def _wait(request: HttpRequest, seconds: int) -> HttpResponse:
    message = f"Too many tries from your address. Try again in {seconds} seconds."
    response = render(request, "error.html", {"title": "Please wait", "message": message}, status=429)
    response["Retry-After"] = str(seconds)
    return response


@sensitive_post_parameters("password")
def sign_up(request: HttpRequest) -> HttpResponse:
    """A new account, logged in at once."""
    if request.user.is_authenticated:
        return redirect("bots:mine")
    if request.method == "POST":
        wait = login_wait(request)
        if wait:
            return _wait(request, wait)
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            user = accounts.sign_up(**form.cleaned_data)
        except ValidationError as error:
            for field, found in error.message_dict.items():
                form.add_error(field, found)
        else:
            login(request, user)
            return redirect("bots:mine")
    return render(request, "botapi/signup.html", {"form": form}, status=400 if form.errors else 200)


def verify(request: HttpRequest, token: str) -> HttpResponse:
    """The link from the e-mail: marks the address as proved."""
    try:
        user = accounts.verify_email(token)
    except DomainError as refusal:
        context = {"title": "The link does not work", "message": refusal.message}
        return render(request, "error.html", context, status=refusal.status)
    messages.success(request, f"The address {user.email} is verified.")
    return redirect("bots:mine" if request.user.is_authenticated else "bots:login")


@login_required
@require_POST
def send_link(request: HttpRequest) -> HttpResponse:
    """The verification link once more."""
    wait = login_wait(request)
    if wait:
        return _wait(request, wait)
    user = request.user
    assert isinstance(user, User)
    if user.email_verified_at is None:
        accounts.send_verification(user)
        messages.success(request, f"A link was sent to {user.email}.")
    return redirect("bots:mine")
