"""The catalogues of translations: which messages they need, and how they are kept (stack.md, trap 12: no gettext here).

``./run manage catalogues`` brings the .po files in line with the pages and writes the .mo files that Django reads; the
messages of the options come from the engine, those of pages from their templates.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import polib  # type: ignore[import-untyped]
from django.utils.translation.template import templatize

from engine import wording
from ladder import rules_pages

HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("pl", "cs", "ru", "nl")
PAGES: Final = ("base.html", "_nav.html", "_account.html", "_languages.html", "docs/*rules*.html")
"""Templates that are translated: the frame of all pages, and the rules."""
TEXT: Final = re.compile(r"""gettext\((u(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))\)""")


def needed() -> dict[str, str]:
    """Every message that the catalogues must have, with where it comes from."""
    found = dict.fromkeys(wording.messages(), "engine/options.py")
    names = (*rules_pages.RANK_NAMES.values(), *rules_pages.SUIT_NAMES.values(), rules_pages.OFF)
    for name in names:
        found.setdefault(name, "ladder/rules_pages.py")
    for pattern in PAGES:
        for path in sorted((HERE / "templates").glob(pattern)):
            for message in _messages(path.read_text(encoding="utf-8")):
                found.setdefault(message, path.relative_to(HERE.parent).as_posix())
    return found


def path_of(language: str) -> Path:
    """Where the .po file of a language is; the .mo file lies beside it."""
    return HERE / "locale" / language / "LC_MESSAGES" / "django.po"


def brought_in_line(catalogue: polib.POFile) -> polib.POFile:
    """The catalogue with exactly the needed messages, in their order; new ones are not translated yet."""
    made = polib.POFile(wrapwidth=110)
    made.metadata = catalogue.metadata
    known = {entry.msgid: entry.msgstr for entry in catalogue}
    for message, place in needed().items():
        flags = ["python-format"] if "%(" in message else []
        made.append(
            polib.POEntry(
                msgid=message, msgstr=known.get(message, ""), occurrences=[(place, "")], flags=flags
            )
        )
    return made


def _messages(template: str) -> list[str]:
    """The texts of {% translate %} and {% blocktranslate %} in a template."""
    return [ast.literal_eval(text) for text in TEXT.findall(templatize(template))]
