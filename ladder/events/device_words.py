"""What the device test of the lobby found, in words for the organiser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import get_language_info, gettext
from django.utils.translation import gettext_lazy as _

FOUND: Final[Mapping[str, tuple[Promise, Promise]]] = {
    "script": (_("scripts"), _("no scripts")),
    "stream": (_("live connection"), _("no live connection")),
    "touch": (_("touch screen"), _("no touch screen")),
}
"""What a device has, and the same if it has not. Without scripts the test itself says nothing."""


def device_words(device: Mapping[str, str]) -> str:
    """The findings in a row, "scripts, live connection, 390 × 844, Polish"; names that are not ours stay."""
    told = device or {"script": "no"}
    words = [str(FOUND[name][told[name] == "no"]) for name in FOUND if name in told]
    if "width" in told and "height" in told:
        words.append(f"{told['width']} × {told['height']}")
    if "language" in told:
        words.append(_language(told["language"]))
    known = {*FOUND, "width", "height", "language"}
    return ", ".join([*words, *(f"{name}: {value}" for name, value in told.items() if name not in known)])


def _language(code: str) -> str:
    """A browser's language ("pl-PL"), by its name where Django knows it."""
    try:
        return str(get_language_info(code.lower())["name_translated"])
    except KeyError:
        return gettext("language %(code)s") % {"code": code}
