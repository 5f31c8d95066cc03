"""What an operator must look at: said in the log as CRITICAL and by mail to ADMINS.

What it is about stays visible where it happened (a failed match, a red worker), so a mail that does not leave
costs nothing but time.
"""

from __future__ import annotations

import logging

from django.core.mail import mail_admins

logger = logging.getLogger(__name__)


def alarm(subject: str, text: str) -> None:
    """Raise an alarm; never raises an error. Not to be called while a row is locked: mail takes its time."""
    logger.critical("%s: %s", subject, text)
    try:
        mail_admins(subject, text)
    except Exception:  # a mail server may fail in any way, and the log has said it
        logger.exception("no mail left about: %s", subject)
