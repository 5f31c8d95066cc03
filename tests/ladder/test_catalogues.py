"""The catalogues: every message of options and pages is translated in every language, and compiled."""

import re

import polib  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.utils import translation

from engine import PRESETS
from engine.wording import messages, parts
from ladder.catalogues import LANGUAGES, brought_in_line, needed, path_of
from ladder.templatetags.ladder import in_words

PARAMETER = re.compile(r"%\(\w+\)[sd]")


def catalogue(language):
    return polib.pofile(str(path_of(language)))


def test_there_is_a_catalogue_for_every_language_of_the_site_but_the_one_it_is_written_in():
    assert ("en", *LANGUAGES) == tuple(code for code, _ in settings.LANGUAGES)
    assert set(messages()) < set(needed())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_in_line_with_options_and_pages(language):
    kept = catalogue(language)
    fresh = brought_in_line(kept)
    assert [entry.msgid for entry in kept] == [entry.msgid for entry in fresh], "run: ./run manage catalogues"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated_with_its_parameters(language):
    for entry in catalogue(language):
        assert entry.msgstr, entry.msgid
        assert not entry.fuzzy
        assert sorted(PARAMETER.findall(entry.msgstr)) == sorted(PARAMETER.findall(entry.msgid)), entry.msgid
        assert PARAMETER.sub("", entry.msgstr).count("%") == 0, entry.msgid
        assert entry.msgid.endswith(".") == entry.msgstr.endswith("."), entry.msgid
        assert "<" not in entry.msgstr


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_django_reads_is_what_was_translated(language):
    compiled = polib.mofile(str(path_of(language).with_suffix(".mo")))
    assert {entry.msgid: entry.msgstr for entry in compiled} == {
        entry.msgid: entry.msgstr for entry in catalogue(language)
    }, "run: ./run manage catalogues"


def sentences(rules):
    """The rules in words, without headings."""
    return [sentence for _, under in parts(rules) for sentence in under]


@pytest.mark.parametrize("language", LANGUAGES)
def test_presets_are_told_apart_in_every_language(language):
    with translation.override(language):
        told = {
            name: tuple(in_words(sentence) for sentence in sentences(rules))
            for name, rules in PRESETS.items()
        }
    assert len(set(told.values())) == len(PRESETS)
    for name, rules in PRESETS.items():
        english = [str(sentence) for sentence in sentences(rules)]
        assert not set(english) & set(told[name])
        for one, other in zip(english, told[name], strict=True):
            assert re.findall(r"\d+", one) == re.findall(r"\d+", other), (one, other)
