"""Who asks, and what they may: API tokens with scopes (knox), or a session with CSRF protection.

Reading what is public needs nobody. Anything else needs a person, and a token needs the scope of the view:
``read_scope`` for safe methods of private views, ``write_scope`` for all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import knox.auth
from knox.models import AuthToken
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from botapi.models import User
from botapi.tokens import BOTS_WRITE, READ, allows

if TYPE_CHECKING:  # rest_framework.views imports this module when it reads the settings
    from rest_framework.views import APIView


class TokenAuthentication(knox.auth.TokenAuthentication):  # type: ignore[misc] # knox has no types
    """``Authorization: Token ...``; what cannot be a token is a wrong one, never an error of ours."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, AuthToken]:
        if not token.isalnum():
            raise AuthenticationFailed("Invalid token.")
        user, found = super().authenticate_credentials(token)
        return user, found


class ScopedOrReadOnly(BasePermission):
    """Anyone reads; whoever writes is signed in, by session or by a token with the view's ``write_scope``."""

    message = "This needs a signed-in person."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or _allowed(self, request, view)


class Scoped(BasePermission):
    """Nobody unknown; a token needs the view's ``read_scope`` or ``write_scope``."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return _allowed(self, request, view)


class BySession(BasePermission):
    """A signed-in person on the site: a token cannot make or list tokens."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - DRF's signature
        if isinstance(request.auth, AuthToken):
            self.message = "Tokens are managed with a session (or on the site), not with a token."
            return False
        return bool(request.user.is_authenticated)


def _allowed(permission: Any, request: Request, view: APIView) -> bool:
    if not request.user.is_authenticated:
        return False
    if not isinstance(request.auth, AuthToken):
        return True
    safe = request.method in SAFE_METHODS
    scope: str = getattr(view, "read_scope", READ) if safe else getattr(view, "write_scope", BOTS_WRITE)
    if allows(request.auth, scope):
        return True
    permission.message = f"This needs a token with the scope {scope}."
    return False


def person(request: Request) -> User:
    """The signed-in user of a request that passed ``Scoped`` or ``BySession``."""
    assert isinstance(request.user, User)
    return request.user
