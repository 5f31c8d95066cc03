"""API tokens: several a person, named, scoped, shown once. Knox keeps only a digest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from knox.models import AuthToken

from botapi.bots import lock_author
from botapi.errors import DomainError
from botapi.limits import TOKENS
from botapi.models import TokenScope, User

READ: Final = "read"
BOTS_WRITE: Final = "bots:write"
LOGS_READ: Final = "logs:read"
EVENTS_JOIN: Final = "events:join"
EVENTS_RUN: Final = "events:run"

SCOPES: Final[dict[str, str | Promise]] = {
    READ: _("read what is yours: bots, versions, check reports"),
    BOTS_WRITE: _("make bots, submit versions, pause and resume; includes read"),
    LOGS_READ: _("read private logs of your bots' matches"),
    EVENTS_JOIN: _("register for tournaments and events"),
    EVENTS_RUN: _("make and run tournaments and events, for those who may"),
}
"""Every scope and what it allows, in words."""

_INCLUDED: Final = {BOTS_WRITE: {READ}}


@transaction.atomic
def create_token(user: User, *, name: str, scopes: Iterable[str]) -> tuple[TokenScope, str]:
    """A new token and its secret text, kept nowhere; DomainError for a bad name or scope, or too many."""
    wanted = sorted(set(scopes))
    unknown = [scope for scope in wanted if scope not in SCOPES]
    if unknown or not wanted:
        raise DomainError(
            "bad_scope",
            gettext("Choose one or more of the scopes %(scopes)s.") % {"scopes": ", ".join(SCOPES)},
        )
    if not name.strip() or len(name) > 60 or not name.isprintable():
        raise DomainError("bad_name", gettext("Give the token a name of 1 to 60 printable characters."))
    lock_author(user)
    if AuthToken.objects.filter(user=user).count() >= TOKENS:
        raise DomainError(
            "too_many_tokens",
            gettext("%(most)d tokens are the limit. Revoke one first.") % {"most": TOKENS},
            409,
        )
    token, text = AuthToken.objects.create(user=user)
    return TokenScope.objects.create(token=token, name=name.strip(), scopes=wanted), text


@transaction.atomic
def revoke_token(scope: TokenScope) -> None:
    """The token opens nothing from now on."""
    scope.token.delete()


def allows(token: AuthToken, scope: str) -> bool:
    """Whether the token was made for ``scope``; one without a list of scopes was made for nothing."""
    try:
        given = set(token.scope.scopes)
    except TokenScope.DoesNotExist:
        return False
    return scope in given or any(scope in _INCLUDED.get(one, ()) for one in given)
