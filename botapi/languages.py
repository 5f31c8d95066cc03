"""The language of a person's pages: the account's wherever the person is logged in, else the browser's choice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.i18n import set_language

from botapi.errors import DomainError
from botapi.models import User


def known(language: str) -> bool:
    """Whether the site has this language."""
    return language in dict(settings.LANGUAGES)


def keep(user: User, language: str) -> None:
    """From now on the person's pages and mails are in ``language``; empty: what the browser asks for."""
    User.objects.filter(pk=user.pk).update(language=language)
    user.language = language


def of(user: User) -> AbstractContextManager[None]:
    """What is written within is in the person's language: for mails, which no browser asks for."""
    return translation.override(user.language if known(user.language) else settings.LANGUAGE_CODE)


def said(refusal: DomainError) -> str:
    """A refusal in the language of the reader."""
    sentence = translation.gettext(refusal.sentence)  # what a verb translated already stays as it is
    return sentence % refusal.values if refusal.values else sentence


def of_the_account(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, after that of accounts: the language that the person chose, on every device."""

    def answer(request: HttpRequest) -> HttpResponse:
        user = request.user
        if isinstance(user, User) and known(user.language):
            translation.activate(user.language)
            request.LANGUAGE_CODE = user.language  # as Django's own middleware does
        return get_response(request)

    return answer


def choose(request: HttpRequest) -> HttpResponse:
    """The languages at the foot of every page: Django's cookie for guests, and with the account for others."""
    chosen = request.POST.get("language", "")
    if request.method == "POST" and isinstance(request.user, User) and known(chosen):
        keep(request.user, chosen)
    return set_language(request)
