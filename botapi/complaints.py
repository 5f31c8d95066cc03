"""Verbs on complaints about bots' names and public notes: anybody with an account makes one, an operator settles it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from botapi import bots
from botapi.errors import DomainError
from botapi.models import Bot, Complaint, User

A_DAY: Final = 10
"""Complaints of one person within 24 hours."""

State = Complaint.State


@transaction.atomic
def complain(reporter: User, bot: Bot, *, about: str, reason: str) -> Complaint:
    """Say that ``about`` (a ``Complaint.About``) of ``bot`` should not be shown; again changes nothing."""
    bots.lock_author(reporter)
    if about not in Complaint.About.values or not reason.strip():
        raise DomainError("bad_complaint", gettext("Say what should not be shown, and why."))
    known = reporter.complaints.filter(bot=bot, about=about, state=State.OPEN).first()
    if known is not None:
        return known
    since = timezone.now() - timedelta(days=1)
    if reporter.complaints.filter(created_at__gt=since).count() >= A_DAY:
        words = gettext("You made %(most)d reports in 24 hours, the limit.") % {"most": A_DAY}
        raise DomainError("too_many_complaints", words, 429)
    return Complaint.objects.create(reporter=reporter, bot=bot, about=about, reason=reason.strip()[:500])


@transaction.atomic
def settle(complaint: Complaint, *, upheld: bool) -> None:
    """An operator's word on it, and on all others that say the same; what is upheld is hidden."""
    found = Complaint.objects.select_for_update().get(pk=complaint.pk)
    if found.state != State.OPEN:
        raise DomainError("settled_already", gettext("This report was settled already."), 409)
    if upheld and found.about == Complaint.About.NOTES:
        Bot.objects.filter(pk=found.bot_id).update(notes_hidden=True)
    elif upheld:
        bots.hide_name(found.bot)
    same = Complaint.objects.filter(bot=found.bot_id, about=found.about, state=State.OPEN)
    same.update(state=State.UPHELD if upheld else State.DISMISSED, settled_at=timezone.now())
