"""Delete an account, with everything that each package holds of the person."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

import botapi.leaving
import games.leaving
from botapi.errors import DomainError
from botapi.models import User


def delete_account(user: User, *, password: str) -> None:
    """The person ``user`` leaves for good; ValidationError for a wrong password, DomainError for an operator."""
    if not user.check_password(password):
        raise ValidationError({"password": gettext("This is not your password.")})
    if user.is_staff:
        raise DomainError(
            "operator",
            gettext("An operator's account is not deleted: first another operator takes the role away."),
            409,
        )
    leave(user)


def leave(user: User) -> None:
    """As an operator does it, without a password."""
    with transaction.atomic():
        games.leaving.leave(user)
        botapi.leaving.leave(user)
    games.leaving.erase_left()
