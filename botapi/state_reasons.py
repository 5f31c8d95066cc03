"""Why a bot is in its state, told in the reader's language.

Reasons are stored in English, for the log and the API. The service writes them after few patterns, which are told again
here; what a person wrote by hand stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from botapi.models import Bot

PATTERNS: Final[tuple[tuple[re.Pattern[str], Promise], ...]] = (
    (
        re.compile(r"(?P<n>\d+) matches in a row were handed to a house bot\."),
        _("%(n)s matches in a row were handed to a house bot."),
    ),
    (
        re.compile(r"(?P<n>\d+) of the last (?P<all>\d+) matches were handed to a house bot\."),
        _("%(n)s of the last %(all)s matches were handed to a house bot."),
    ),
    (
        re.compile(r"The last fault was (?P<code>\w+), in match (?P<match>\d+)\."),
        _("The last fault was %(code)s, in match %(match)s."),
    ),
    (
        re.compile(r"Version (?P<version>\d+) did not start for the second time, in match (?P<match>\d+)\."),
        _("Version %(version)s did not start for the second time, in match %(match)s."),
    ),
)


def state_reason(bot: Bot) -> str:
    """Why the bot is in its state; the state's name where nobody gave a reason."""
    return told(bot.state_reason) if bot.state_reason else bot.get_state_display()


def told(reason: str) -> str:
    """A stored reason: sentences of the service in the active language, all else as it was written."""
    for pattern, words in PATTERNS:
        reason = pattern.sub(lambda found, words=words: str(words) % found.groupdict(), reason)  # type: ignore[misc]
    return gettext(reason) if reason else ""
