"""Words of the active language, remembered: looked up anew each time, a replay's two thousand cost more than its cards.

Catalogues do not change while a process runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from django.utils import translation

KNOWN = 8192
"""More than all catalogues have together in what pages of many rows say."""


def gettext(text: str) -> str:
    """The text in the active language."""
    return _known(translation.get_language(), text)


def words() -> tuple[Callable[[str], str], Callable[[str, str], str]]:
    """``gettext`` and ``pgettext`` of the language that is active now, for as long as it stays so."""
    language = translation.get_language()
    return partial(_known, language), lambda context, text: _known(language, text, context)


@lru_cache(KNOWN)
def _known(_language: str | None, text: str, context: str | None = None) -> str:
    return translation.pgettext(context, text) if context else translation.gettext(text)
