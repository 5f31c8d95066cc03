"""``manage catalogues``: bring the translations in line with the pages and write what Django reads."""

from __future__ import annotations

from typing import Any

import polib  # type: ignore[import-untyped]
from django.core.management.base import BaseCommand

from ladder.catalogues import LANGUAGES, brought_in_line, path_of


class Command(BaseCommand):
    """Write the .po and .mo file of every language; the texts that are not translated yet are counted."""

    help = "Bring the catalogues of translations in line with the code, and compile them."

    def handle(self, *_args: Any, **_options: Any) -> None:
        for language in LANGUAGES:
            path = path_of(language)
            path.parent.mkdir(parents=True, exist_ok=True)
            known = polib.pofile(str(path)) if path.exists() else polib.POFile()
            catalogue = brought_in_line(known, language)
            catalogue.save(str(path))
            catalogue.save_as_mofile(str(path.with_suffix(".mo")))
            missing = len(catalogue.untranslated_entries())
            self.stdout.write(f"{language}: {len(catalogue)} messages, {missing} not translated")
