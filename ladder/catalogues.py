"""The catalogues of translations: which messages they need, and how they are kept (stack.md, trap 12: no gettext here).

``./run manage catalogues`` brings the .po files in line with the code and writes the .mo files that Django reads. Messages
come from the templates of all packages, from the gettext calls of their modules, and from the engine, which has none:
its options and the tables of words that pages pass through gettext.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import polib  # type: ignore[import-untyped]
from django.utils.translation.template import templatize
from jinja2 import Environment

from botapi import explanations
from engine import wording
from ladder import rules_pages

HERE: Final = Path(__file__).parent
PACKAGES: Final = ("botapi", "games", "ladder")
PLURALS: Final[Mapping[str, str]] = {
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
    "cs": "nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);",
    "ru": (
        "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);"
    ),
    "nl": "nplurals=2; plural=(n != 1);",
}
"""How each language counts: one, few, many; Dutch one and many."""
LANGUAGES: Final = tuple(PLURALS)
SINGULAR: Final = frozenset({"gettext", "gettext_lazy", "gettext_noop", "_"})
PLURAL: Final = frozenset({"ngettext", "ngettext_lazy"})
CONTEXT: Final = frozenset({"pgettext", "pgettext_lazy"})
TEXT: Final = r"""u((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))"""
CALL: Final = re.compile(rf"\b(p?)(n?)gettext\(\s*{TEXT}(?:\s*,\s*{TEXT})?")


_ROWS: Final = Environment(extensions=["jinja2.ext.i18n"])  # noqa: S701 - it only reads


class Message(NamedTuple):
    """A text to translate: ``plural`` where a count decides, ``context`` where one word has two meanings."""

    text: str
    plural: str = ""
    context: str = ""


def needed() -> dict[Message, str]:
    """Every message that the catalogues must have, with the file where it is first met."""
    found = dict.fromkeys(map(Message, wording.messages()), "engine/options.py")
    for path, messages in _everywhere():
        for message in messages:
            found.setdefault(message, path)
    return found


def _everywhere() -> Iterator[tuple[str, Iterable[Message]]]:
    names = (*rules_pages.RANK_NAMES.values(), *rules_pages.SUIT_NAMES.values(), rules_pages.OFF)
    yield "ladder/rules_pages.py", [Message(str(name)) for name in names]
    meanings = (*explanations.MEANINGS.values(), *explanations.CHECK_MEANINGS.values())
    yield "botapi/explanations.py", [Message(str(meaning)) for meaning in meanings]
    for package in PACKAGES:
        root = HERE.parent / package
        for path in sorted(root.rglob("*.html")) + sorted(root.rglob("templates/**/*.txt")):
            read = in_rows if "jinja2" in path.parts else in_template
            yield path.relative_to(HERE.parent).as_posix(), read(path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py")):
            yield path.relative_to(HERE.parent).as_posix(), in_module(path.read_text(encoding="utf-8"))


def in_template(template: str) -> list[Message]:
    """The texts of {% translate %} and {% blocktranslate %} in a template."""
    found = []
    for with_context, counted, first, second in CALL.findall(templatize(template)):
        texts = [ast.literal_eval(text) for text in (first, second) if text]
        if with_context:
            found.append(Message(texts[1], context=texts[0]))
        else:
            found.append(Message(texts[0], plural=texts[1] if counted else ""))
    return found


def in_rows(template: str) -> list[Message]:
    """The texts of the gettext calls in a template of Jinja2."""
    found = []
    for _line, function, said in _ROWS.extract_translations(template):  # type: ignore[attr-defined]
        texts = [text for text in (said if isinstance(said, tuple) else (said,)) if text]
        found.append(Message(texts[-1], context=texts[0] if function == "pgettext" else ""))
    return found


def in_module(source: str) -> list[Message]:
    """The texts of a module's gettext calls, in the order of its lines; what is no literal is another's to tell."""
    if "gettext" not in source:
        return []
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    found = []
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        texts = [
            arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        if name in SINGULAR and texts:
            found.append(Message(texts[0]))
        elif name in PLURAL and len(texts) >= 2:  # a lazy one's third is the name of its count
            found.append(Message(texts[0], plural=texts[1]))
        elif name in CONTEXT and len(texts) == 2:
            found.append(Message(texts[1], context=texts[0]))
    return found


def path_of(language: str) -> Path:
    """Where the .po file of a language is; the .mo file lies beside it."""
    return HERE / "locale" / language / "LC_MESSAGES" / "django.po"


def key_of(entry: polib.POEntry) -> Message:
    """The message that an entry of a catalogue translates."""
    return Message(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def brought_in_line(catalogue: polib.POFile, language: str) -> polib.POFile:
    """The catalogue with exactly the needed messages, in their order; new ones are not translated yet."""
    made = polib.POFile(wrapwidth=110)
    made.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": PLURALS[language],
    }
    known = {key_of(entry): entry for entry in catalogue}
    forms = int(re.findall(r"nplurals=(\d)", PLURALS[language])[0])
    for message, place in needed().items():
        old = known.get(message)
        entry = polib.POEntry(
            msgid=message.text,
            msgctxt=message.context or None,
            occurrences=[(place, "")],
            flags=["python-format"] if "%(" in message.text + message.plural else [],
        )
        if message.plural:
            entry.msgid_plural = message.plural
            entry.msgstr_plural = {
                form: old.msgstr_plural.get(form, "") if old else "" for form in range(forms)
            }
        else:
            entry.msgstr = old.msgstr if old else ""
        made.append(entry)
    return made
