"""Verbs on bots: create, describe, pause, resume, withdraw, suspend, rotate the signing secret.

What an author has is changed under a lock on the author's row, so that limits hold however many requests come
at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from botapi import secrets, signing
from botapi.errors import DomainError
from botapi.limits import LIMITS, SECRET_OVERLAP, Limits
from botapi.models import Bot, EndpointSecret, User, Version
from botapi.notices import tell_resumed, tell_suspended

State = Bot.State

STEPS: Final[dict[str, frozenset[str]]] = {
    State.ACTIVE: frozenset({State.PAUSED, State.SUSPENDED, State.WITHDRAWN}),
    State.PAUSED: frozenset({State.ACTIVE, State.SUSPENDED, State.WITHDRAWN}),
    State.SUSPENDED: frozenset({State.ACTIVE, State.WITHDRAWN}),
    State.WITHDRAWN: frozenset(),
}
"""The only table of a bot's states: from each, the states it may go to."""

BY_AUTHOR: Final = gettext_noop("by its author")
BY_OPERATOR: Final = gettext_noop("by an operator")
"""Reasons of a state as rows hold them; pages say them in the reader's language."""

RESERVED: Final = frozenset({"new"})
"""Names that are words of our addresses."""

HIDDEN: Final = "hidden-"
"""What a name that an operator hid begins with; nobody else's does."""

FORFEITS_IN_A_ROW: Final = 3
FORFEITS_OF_RECENT: Final = 5
RECENT_MATCHES: Final = 20
"""protocol.md section 5: three matches in a row, or 5 of the last 20."""


def lock_author(author: User) -> None:
    """Hold the author's row until the transaction ends."""
    User.objects.select_for_update(no_key=True).get(pk=author.pk)


def lock_bot(bot: Bot) -> Bot:
    """The bot as it stands now, its row held until the transaction ends."""
    return Bot.objects.select_for_update(no_key=True, of=("self",)).select_related("owner").get(pk=bot.pk)


@transaction.atomic
def create_bot(owner: User, *, name: str, kind: str, notes: str = "", limits: Limits = LIMITS) -> Bot:
    """A new bot of ``owner``, without a version yet; DomainError for a bad name or kind, or at the limit."""
    if kind not in (Bot.Kind.SANDBOX, Bot.Kind.HTTP):
        raise DomainError("bad_kind", gettext("A bot is of kind sandbox or http."))
    lock_author(owner)
    held = owner.bots.exclude(state=State.WITHDRAWN).count()
    if held >= limits.bots:
        raise DomainError(
            "too_many_bots",
            gettext("You have %(held)d bots; %(most)d is the limit. Withdraw one first.")
            % {"held": held, "most": limits.bots},
            409,
        )
    bot = Bot(owner=owner, name=name, kind=kind, notes=notes)
    _validate(bot)
    bot.save(force_insert=True)
    return bot


@transaction.atomic
def describe_bot(bot: Bot, *, notes: str | None = None, allow_tests: bool | None = None) -> Bot:
    """Change the public notes, or whether others may play test matches against it; None leaves a thing as it is.

    Notes that an operator hid stay hidden. Test matches that wait are played.
    """
    found = lock_bot(bot)
    if notes is not None:
        found.notes = notes
    if allow_tests is not None:
        found.allow_tests = allow_tests
    found.save(update_fields=["notes", "allow_tests"])
    return found


def _validate(bot: Bot) -> None:
    taken = Bot.objects.filter(Q(name=bot.name) | Q(former_name=bot.name))
    if bot.name in RESERVED or bot.name.startswith(HIDDEN) or taken.exists():
        raise DomainError("name_taken", gettext("The name %(name)s is taken.") % {"name": bot.name}, 409)
    try:
        bot.full_clean(exclude=["owner"], validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        raise DomainError("bad_bot", " ".join(error.messages)) from None


@transaction.atomic
def pause_bot(bot: Bot, *, reason: str = BY_AUTHOR) -> Bot:
    """No new matches until it is resumed; those that run are played out."""
    return _step(lock_bot(bot), State.PAUSED, reason)


@transaction.atomic
def withdraw_bot(bot: Bot) -> Bot:
    """Out of the ladder for good. Its matches and its name stay."""
    return _step(lock_bot(bot), State.WITHDRAWN, BY_AUTHOR)


@transaction.atomic
def resume_bot(bot: Bot) -> Bot:
    """Back among the active ones. A bot suspended for its faults needs ``submissions.check_again`` first."""
    found = lock_bot(bot)
    if found.state == State.ACTIVE:
        return found
    if found.state == State.SUSPENDED:
        raise DomainError(
            "suspended",
            gettext("An operator suspended this bot; ask them.")
            if found.suspended_for == Bot.Suspension.OPERATOR
            else gettext(
                "This bot is suspended until one of its versions passes a check: "
                "submit one, or have one checked again."
            ),
            409,
        )
    return _step(found, State.ACTIVE, "")


@transaction.atomic
def suspend_bot(bot: Bot, *, cause: str, reason: str, details: str = "") -> Bot:
    """No new matches: ``cause`` is a ``Bot.Suspension``, ``reason`` a sentence that everyone may read.

    ``details`` go to the author alone.
    """
    found = lock_bot(bot)
    if found.state == State.WITHDRAWN:
        return found
    if found.state != State.SUSPENDED:
        _step(found, State.SUSPENDED, reason)
    found.state_reason, found.suspended_for = reason[:300], cause
    found.save(update_fields=["state_reason", "suspended_for"])
    tell_suspended(found, details)
    return found


@transaction.atomic
def lift_suspension(bot: Bot) -> Bot:
    """Active again, and what happened before no longer counts towards a suspension."""
    found = lock_bot(bot)
    if found.state != State.SUSPENDED:
        raise DomainError("not_suspended", gettext("%(name)s is not suspended.") % {"name": found.name}, 409)
    found.forfeits_from = timezone.now()
    found.save(update_fields=["forfeits_from"])
    _step(found, State.ACTIVE, "")
    tell_resumed(found)
    return found


def note_forfeits(bot: Bot, stood_in: Sequence[bool], *, explanation: str = "", details: str = "") -> bool:
    """Suspend ``bot`` if it forfeited too often, in the transaction of a result; True if it did so now.

    ``stood_in``: for the bot's latest matches that finished after ``bot.forfeits_from``, newest first:
    whether its seat was handed to a house bot. At most 20 count. ``explanation``, a sentence for everybody, and
    ``details``, for the author alone, go with it.
    """
    recent = list(stood_in[:RECENT_MATCHES])
    in_a_row = len(recent) >= FORFEITS_IN_A_ROW and all(recent[:FORFEITS_IN_A_ROW])
    if bot.kind == Bot.Kind.HOUSE or not (in_a_row or sum(recent) >= FORFEITS_OF_RECENT):
        return False
    if lock_bot(bot).state in (State.SUSPENDED, State.WITHDRAWN):
        return False
    rule = (
        f"{FORFEITS_IN_A_ROW} matches in a row were handed to a house bot"
        if in_a_row
        else f"{sum(recent)} of the last {len(recent)} matches were handed to a house bot"
    )
    reason = f"{rule}. {explanation}".strip()
    suspend_bot(bot, cause=Bot.Suspension.FAULTS, reason=reason, details=details)
    return True


def _step(bot: Bot, to: str, reason: str) -> Bot:
    if bot.state == to:
        return bot
    if to not in STEPS[bot.state]:
        words = gettext("%(name)s is “%(now)s”: it cannot become “%(wanted)s”.")
        names = {"name": bot.name, "now": State(bot.state).label, "wanted": State(to).label}
        raise DomainError("wrong_state", words % names, 409)
    bot.state, bot.state_reason, bot.suspended_for = to, reason[:300], ""
    bot.save(update_fields=["state", "state_reason", "suspended_for"])
    return bot


@transaction.atomic
def hide_name(bot: Bot) -> Bot:
    """Give the bot a name that says nothing; the one that it had is nobody's any more."""
    found = lock_bot(bot)
    if not found.former_name:
        found.former_name, found.name = found.name, f"{HIDDEN}{found.pk}"
        found.save(update_fields=["name", "former_name"])
    return found


@transaction.atomic
def rotate_secret(bot: Bot, *, now: datetime | None = None) -> str:
    """A new signing secret, to be shown once. The one before it stays valid for a day, older ones end now."""
    if bot.kind != Bot.Kind.HTTP:
        raise DomainError("no_secret", gettext("Only an HTTP bot has a signing secret."), 409)
    lock_bot(bot)
    now = now or timezone.now()
    kept = (
        bot.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=now)).order_by("-created_at", "-pk").first()
    )
    bot.secrets.exclude(pk=kept.pk if kept else 0).delete()
    if kept:
        kept.expires_at = now + SECRET_OVERLAP
        kept.save(update_fields=["expires_at"])
    secret = signing.new_secret()
    EndpointSecret.objects.create(bot=bot, ciphertext=secrets.encrypt(secret))
    return secret


def endpoint_secrets(bot: Bot) -> list[str]:
    """The signing secrets that are valid now, the newest first: requests are signed with each."""
    valid = bot.secrets.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()))
    return [secrets.decrypt(row.ciphertext) for row in valid.order_by("-created_at", "-pk")]


@transaction.atomic
def activate_version(version: Version) -> Bot:
    """Make a passed version the one that plays, an older one too."""
    bot = lock_bot(version.bot)
    version.refresh_from_db(fields=["state"])
    if version.state != Version.State.PASSED:
        raise DomainError(
            "not_passed", gettext("%(version)s has not passed its check.") % {"version": version}, 409
        )
    bot.active_version = version
    bot.save(update_fields=["active_version"])
    return bot
