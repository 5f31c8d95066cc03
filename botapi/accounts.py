"""Verbs on people's accounts: sign up, prove an e-mail address."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from botapi.errors import DomainError
from botapi.models import User

LINK_DAYS: Final = 3
_SALT: Final = "botapi.accounts.verify"


@transaction.atomic
def sign_up(*, username: str, email: str, password: str) -> User:
    """A new account; a link to prove its address is on its way. ValidationError by field."""
    user = User(username=username, email=email.strip().lower())
    if not settings.EMAIL_VERIFICATION:
        user.email_verified_at = timezone.now()
    user.set_password(password)
    errors: dict[str, list[str]] = {}
    try:
        user.full_clean()
    except ValidationError as error:
        errors.update(_by_field(error))
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


def _by_field(error: ValidationError) -> dict[str, list[str]]:
    """Django's errors; those of a constraint under the field it speaks of."""
    found = dict(error.message_dict)
    for message in found.pop("__all__", []):
        found.setdefault("email" if "address" in message else "username", []).append(message)
    return found


def send_verification(user: User) -> None:
    """Mail the link that proves the address."""
    link = settings.SITE_URL.rstrip("/") + reverse("bots:verify", args=[verification_token(user)])
    send_mail(
        "Your address on the Thousand ladder",
        f"Hello {user.username},\n\n"
        f"open this link within {LINK_DAYS} days to show that this address is yours:\n\n"
        f"{link}\n\nBots of an account play rated matches once its address is verified.\n"
        "If you did not sign up, ignore this message.\n",
        None,
        [user.email],
    )


def verification_token(user: User) -> str:
    """The signed content of the link: who, and which address."""
    return signing.dumps([user.pk, user.email], salt=_SALT)


@transaction.atomic
def verify_email(token: str) -> User:
    """Mark the address of the link as verified; DomainError for a link forged, old, or of an old address."""
    try:
        pk, email = signing.loads(token, salt=_SALT, max_age=LINK_DAYS * 86400)
    except signing.SignatureExpired:
        raise DomainError(
            "link_expired", "This link is too old; ask for another on your page.", 400
        ) from None
    except signing.BadSignature:
        raise DomainError(
            "bad_link", "This link is not one of ours: was it copied completely?", 400
        ) from None
    user = User.objects.select_for_update().filter(pk=pk, email=email).first()
    if user is None:
        raise DomainError("bad_link", "This link is for an address that the account no longer has.", 400)
    if user.email_verified_at is None:
        user.email_verified_at = timezone.now()
        user.save(update_fields=["email_verified_at"])
    return user
