"""Verbs on people's accounts: sign up, prove an e-mail address, change it."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from botapi import account_mails
from botapi.account_mails import LINK_DAYS
from botapi.errors import DomainError
from botapi.leaving import PREFIX
from botapi.models import User

_SALT: Final = "botapi.accounts.verify"
_CHANGE_SALT: Final = "botapi.accounts.change"


@transaction.atomic
def sign_up(*, username: str, email: str, password: str, language: str = "") -> User:
    """A new account; a link to prove its address is on its way. ValidationError by field."""
    user = User(username=username, email=email.strip().lower(), language=language)
    if not settings.EMAIL_VERIFICATION:
        user.email_verified_at = timezone.now()
    user.set_password(password)
    errors: dict[str, list[str]] = {}
    try:
        user.full_clean()
    except ValidationError as error:
        errors.update(_by_field(error))
    if username.lower().startswith(PREFIX):
        errors["username"] = [gettext("This name is taken.")]
    try:
        validate_password(password, user)
    except ValidationError as error:
        errors["password"] = list(error.messages)
    if errors:
        raise ValidationError(errors)
    user.save(force_insert=True)
    if user.email_verified_at is None:
        transaction.on_commit(lambda: send_verification(user), robust=True)
    return user


@transaction.atomic
def end_sessions(user: User) -> None:
    """Log the person out on every device; the caller's own session may be renewed. Tokens stay."""
    fresh = User.objects.select_for_update().get(pk=user.pk)
    user.sessions_ended = fresh.sessions_ended = fresh.sessions_ended + 1
    fresh.save(update_fields=["sessions_ended"])


def _by_field(error: ValidationError) -> dict[str, list[str]]:
    """Django's errors; those of a constraint under the field it speaks of."""
    found = dict(error.message_dict)
    for one in found.pop("__all__", []):
        about = "email" if one == gettext("There is an account with this address already.") else "username"
        found.setdefault(about, []).append(one)
    return found


def send_verification(user: User) -> None:
    """Mail the link that proves the address."""
    account_mails.send_verification(user, verification_token(user))


def verification_token(user: User) -> str:
    """The signed content of the link: who, and which address."""
    return signing.dumps([user.pk, user.email], salt=_SALT)


@transaction.atomic
def verify_email(token: str) -> User:
    """Mark the address of the link as verified; DomainError for a link forged, old, or of an old address."""
    pk, email = _content(token, _SALT)
    user = _person(pk, email)
    if user.email_verified_at is None:
        user.email_verified_at = timezone.now()
        user.save(update_fields=["email_verified_at"])
    return user


@transaction.atomic
def change_email(user: User, *, email: str, password: str) -> bool:
    """Ask for another address: a link is sent there; True if it holds at once, where addresses are not proved.

    ValidationError by field. Of an address that another account has nothing is told: no link is sent.
    """
    wanted = email.strip().lower()
    if not user.check_password(password):
        raise ValidationError({"password": gettext("This is not your password.")})
    validate_email(wanted)
    if wanted == user.email.lower():
        raise ValidationError({"email": gettext("This is the address that your account has.")})
    token = signing.dumps([user.pk, user.email, wanted], salt=_CHANGE_SALT)
    if not settings.EMAIL_VERIFICATION:
        confirm_email(token)
        return True
    if not _taken(wanted):
        transaction.on_commit(lambda: account_mails.send_new_address(user, wanted, token), robust=True)
    return False


@transaction.atomic
def confirm_email(token: str) -> User:
    """Give the account the address of the link; DomainError for a link that does not work (any more)."""
    pk, old, wanted = _content(token, _CHANGE_SALT)
    user = _person(pk, old)
    if _taken(wanted):
        raise DomainError("address_taken", gettext("There is an account with this address already."), 409)
    user.email, user.email_verified_at = wanted, timezone.now()
    user.save(update_fields=["email", "email_verified_at"])
    transaction.on_commit(lambda: account_mails.tell_old_address(user, old), robust=True)
    return user


def _content(token: str, salt: str) -> Any:
    try:
        return signing.loads(token, salt=salt, max_age=LINK_DAYS * 86400)
    except signing.SignatureExpired:
        message = gettext("This link is too old; ask for another on the page of your account.")
        raise DomainError("link_expired", message, 400) from None
    except signing.BadSignature:
        message = gettext("This link is not one of ours: was it copied completely?")
        raise DomainError("bad_link", message, 400) from None


def _person(pk: int, email: str) -> User:
    """The account that has the address of the link, its row held; DomainError when it has another by now."""
    user = User.objects.select_for_update(no_key=True).filter(pk=pk, email=email, is_active=True).first()
    if user is None:
        message = gettext("This link is for an address that the account no longer has.")
        raise DomainError("bad_link", message, 400)
    return user


def _taken(email: str) -> bool:
    return User.objects.filter(email__iexact=email).exists()
