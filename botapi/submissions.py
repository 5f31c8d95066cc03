"""Verbs on versions: submit one, have it checked, write down what the check found.

A version is immutable and known by its content hash: the same content again is the same version. A submission
wakes the queue of checks after its commit; a lost wake-up costs two seconds, since beat asks as well.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Sum
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from botapi import archive_check, bots, wake_ups
from botapi.endpoints import accept_url
from botapi.errors import DomainError, PlatformError
from botapi.limits import LIMITS, RECHECK_AFTER, Limits
from botapi.models import Artifact, Bot, User, Version
from botapi.notices import tell_checked

State = Version.State

QUEUE_CHECKS: Final = "games.queue_checks"
"""The task that takes up what waits for its check."""
STEPS: Final[dict[str, frozenset[str]]] = {
    State.PENDING: frozenset({State.CHECKING, State.PASSED, State.REFUSED}),
    State.CHECKING: frozenset({State.PENDING, State.PASSED, State.REFUSED}),
    State.PASSED: frozenset({State.PENDING}),
    State.REFUSED: frozenset({State.PENDING}),
}
"""The only table of a version's states. Back to PENDING: the check was lost, or the author wants another."""


@dataclass(frozen=True)
class Upload:
    """A file as it was uploaded."""

    filename: str
    data: bytes


@dataclass(frozen=True)
class Usage:
    """What an author uses of the limits."""

    bots: int
    versions_today: int
    storage: int


def usage(author: User) -> Usage:
    """What ``author`` uses now: bots not withdrawn, versions of 24 hours, bytes of stored archives."""
    mine = Version.objects.filter(bot__owner=author)
    stored = (
        Artifact.objects.filter(version__bot__owner=author).distinct().aggregate(total=Sum("size"))["total"]
    )
    return Usage(
        bots=author.bots.exclude(state=Bot.State.WITHDRAWN).count(),
        versions_today=mine.filter(created_at__gt=timezone.now() - timedelta(days=1)).count(),
        storage=stored or 0,
    )


def submit_version(
    bot: Bot, *, upload: Upload | None = None, url: str = "", label: str = "", limits: Limits = LIMITS
) -> tuple[Version, bool]:
    """Store a version of ``bot`` and ask for its check; returns it, and whether it is new.

    Exactly one of ``upload`` (sandboxed bots) and ``url`` (HTTP bots). DomainError when the content will not
    do, the bot is withdrawn, or the author is at a limit: then nothing is stored.
    """
    content = _content(bot, upload, url)
    if len(label) > 60 or not label.isprintable():
        raise DomainError("bad_label", gettext("A label has at most 60 printable characters."))
    if bot.owner is None:
        raise DomainError("house_bot", gettext("A house bot takes no submissions."), 409)
    with transaction.atomic():
        bots.lock_author(bot.owner)
        locked = bots.lock_bot(bot)
        if locked.state == Bot.State.WITHDRAWN:
            raise DomainError(
                "withdrawn",
                gettext("%(name)s is withdrawn and takes no more versions.") % {"name": bot.name},
                409,
            )
        same = locked.versions.filter(sha256=content.sha256).first()
        if same is not None:
            return same, False
        _enforce(bot.owner, content, limits)
        return _store(locked, content, label), True


@dataclass(frozen=True)
class _Content:
    sha256: str
    data: bytes = b""
    url: str = ""


def _content(bot: Bot, upload: Upload | None, url: str) -> _Content:
    if bot.kind == Bot.Kind.HTTP:
        if upload is not None or not url:
            raise DomainError(
                "url_expected",
                gettext("%(name)s is an HTTP bot: send the url of its endpoint.") % {"name": bot.name},
            )
        address = accept_url(url, allow_private=settings.BOT_ENDPOINTS_ALLOW_PRIVATE)
        return _Content(hashlib.sha256(address.encode()).hexdigest(), url=address)
    if upload is None or url:
        raise DomainError(
            "file_expected",
            gettext("%(name)s is a sandboxed bot: send a .py file or a .zip archive.") % {"name": bot.name},
        )
    accepted = archive_check.accept(upload.filename, upload.data)
    return _Content(accepted.sha256, data=accepted.canonical_zip)


def _enforce(author: User, content: _Content, limits: Limits) -> None:
    used = usage(author)
    if used.versions_today >= limits.versions_a_day:
        raise DomainError(
            "too_many_versions",
            gettext("%(used)d versions in 24 hours; %(most)d is the limit.")
            % {"used": used.versions_today, "most": limits.versions_a_day},
            429,
        )
    if used.storage + len(content.data) > limits.storage:
        raise DomainError(
            "storage_full",
            gettext("Your versions take %(used)d bytes; this one would pass the limit of %(most)d.")
            % {"used": used.storage, "most": limits.storage},
            409,
        )


def _store(bot: Bot, content: _Content, label: str) -> Version:
    artifact = None
    if not content.url:
        artifact, _ = Artifact.objects.get_or_create(
            sha256=content.sha256, defaults={"data": content.data, "size": len(content.data)}
        )
    last = bot.versions.aggregate(last=Max("number"))["last"] or 0
    version = Version.objects.create(
        bot=bot, number=last + 1, sha256=content.sha256, artifact=artifact, url=content.url, label=label
    )
    wake_ups.send_after_commit(QUEUE_CHECKS)
    return version


@transaction.atomic
def check_again(version: Version) -> Version:
    """Ask for another check: of a refused version (an endpoint was down), or to end a suspension."""
    bot = bots.lock_bot(version.bot)
    found = _lock(version)
    if bot.state == Bot.State.WITHDRAWN:
        raise DomainError("withdrawn", gettext("%(name)s is withdrawn.") % {"name": bot.name}, 409)
    if found.state == State.CHECKING or (found.state == State.PENDING and found.check_code != Version.LOST):
        return found
    if found.state == State.PASSED and bot.state != Bot.State.SUSPENDED:
        raise DomainError(
            "passed_already", gettext("%(version)s has passed its check.") % {"version": found}, 409
        )
    if found.checked_at and timezone.now() < found.checked_at + RECHECK_AFTER:
        minutes = int(RECHECK_AFTER.total_seconds() // 60)
        raise DomainError(
            "too_soon",
            ngettext(
                "A version is checked at most once in %(minutes)d minute; try again soon.",
                "A version is checked at most once in %(minutes)d minutes; try again soon.",
                minutes,
            )
            % {"minutes": minutes},
            429,
        )
    if found.state != State.PENDING:
        _step(found, State.PENDING)
    if found.check_code == Version.LOST:
        found.check_code = ""
    found.save(update_fields=["state", "check_code"])
    wake_ups.send_after_commit(QUEUE_CHECKS)
    return found


@transaction.atomic
def begin_check(version: Version) -> bool:
    """Take a pending version for its check; False when it is not pending (any more)."""
    return bool(Version.objects.filter(pk=version.pk, state=State.PENDING).update(state=State.CHECKING))


@transaction.atomic
def give_back(version: Version) -> None:
    """The service lost the check: the version waits for another, nobody is charged, and its page says so."""
    lost = {"state": State.PENDING, "check_code": Version.LOST, "checked_at": timezone.now()}
    Version.objects.filter(pk=version.pk, state=State.CHECKING).update(**lost)
    wake_ups.send_after_commit(QUEUE_CHECKS)


@transaction.atomic
def record_check(version: Version, report: dict[str, Any]) -> Version:
    """Write down what the check found, in one transaction with what follows from it.

    ``report`` is the host's (``verdict`` passed, slow or failed; ``code``, ``message``, ``steps``,
    ``stderr``, ``turns``, ``unsigned``). A version that passed becomes the active one if it is newer than
    that; a refused one leaves it alone. A check that passed ends a suspension for faults, not an operator's.
    """
    bot = bots.lock_bot(version.bot)
    found = _lock(version)
    passed = _verdict(report)
    _step(found, State.PASSED if passed else State.REFUSED)
    found.check_code = str(report.get("code", ""))[:30]
    found.check_report = without_nul(report)
    found.checked_at = timezone.now()
    found.save(update_fields=["state", "check_code", "check_report", "checked_at"])
    if bot.kind == Bot.Kind.HTTP and report.get("unsigned") is not None:  # else it was not established
        bot.unsigned = bool(report["unsigned"])
        bot.save(update_fields=["unsigned"])
    tell_checked(found)
    if passed:
        _promote(bot, found)
    return found


def _verdict(report: dict[str, Any]) -> bool:
    verdict = report.get("verdict")
    if verdict not in ("passed", "slow", "failed"):
        raise PlatformError(f"a check report must say passed, slow or failed, not {verdict!r}")
    return bool(verdict != "failed")


def _promote(bot: Bot, version: Version) -> None:
    active = bot.active_version
    if active is None or active.number < version.number or active.state != State.PASSED:
        bot.active_version = version
        bot.save(update_fields=["active_version"])
    if bot.state == Bot.State.SUSPENDED and bot.suspended_for != Bot.Suspension.OPERATOR:
        bots.lift_suspension(bot)


def _lock(version: Version) -> Version:
    return (
        Version.objects.select_for_update(no_key=True, of=("self",)).select_related("bot").get(pk=version.pk)
    )


def _step(version: Version, to: str) -> None:
    if to not in STEPS[version.state]:
        words = gettext("%(name)s is “%(now)s”: it cannot become “%(wanted)s”.")
        names = {"name": version, "now": State(version.state).label, "wanted": State(to).label}
        raise DomainError("wrong_state", words % names, 409)
    version.state = State(to)


def without_nul(value: Any) -> Any:
    """JSON that PostgreSQL can keep: a bot's own text may hold U+0000 and lone surrogates."""
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {without_nul(key): without_nul(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_nul(inner) for inner in value]
    return value
