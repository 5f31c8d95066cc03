"""The catalogues: every message of the code is translated in every language, and compiled."""

import re

import polib  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.utils import translation

from engine import PRESETS
from engine.wording import messages, parts
from ladder.catalogues import (
    LANGUAGES,
    Message,
    brought_in_line,
    in_module,
    in_template,
    key_of,
    needed,
    path_of,
)
from ladder.templatetags.ladder import in_words

PARAMETER = re.compile(r"%\(\w+\)[sd]")


def catalogue(language):
    return polib.pofile(str(path_of(language)))


def texts(entry):
    """What stands in the catalogue for an entry, each form of it."""
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def test_there_is_a_catalogue_for_every_language_of_the_site_but_the_one_it_is_written_in():
    assert ("en", *LANGUAGES) == tuple(code for code, _ in settings.LANGUAGES)
    assert {Message(text) for text in messages()} < set(needed())


def test_texts_are_found_in_templates_and_modules_with_plurals_and_contexts():
    template = (
        "{% load i18n %}{% translate 'Ladder' %}{% translate 'May' context 'month' %}"
        "{% blocktranslate count n=x %}{{ n }} card{% plural %}{{ n }} cards{% endblocktranslate %}"
        "{% blocktranslate trimmed with a=b %}of\n {{ a }}{% endblocktranslate %}"
    )
    assert in_template(template) == [
        Message("Ladder"),
        Message("May", context="month"),
        Message("%(n)s card", "%(n)s cards"),
        Message("of %(a)s"),
    ]
    module = "gettext('One')\n_('Two') % {}\nngettext('%(n)d bot', '%(n)d bots', n)\npgettext('verb', 'Play')\ngettext(name)"
    assert in_module(module) == [
        Message("One"),
        Message("Two"),
        Message("%(n)d bot", "%(n)d bots"),
        Message("Play", context="verb"),
    ]
    assert in_module("print('One')") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_in_line_with_the_code(language):
    kept = catalogue(language)
    fresh = brought_in_line(kept, language)
    assert [key_of(entry) for entry in kept] == [key_of(entry) for entry in fresh], (
        "run: ./run manage catalogues"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated_with_its_parameters(language):
    for entry in catalogue(language):
        allowed = sorted(PARAMETER.findall(entry.msgid))
        for text in texts(entry):
            assert text, entry.msgid
            found = sorted(PARAMETER.findall(text))
            if entry.msgid_plural:  # one form may do without its number
                assert set(found) <= {*allowed, *PARAMETER.findall(entry.msgid_plural)}, entry.msgid
            else:
                assert found == allowed, entry.msgid
            if "python-format" in entry.flags:
                assert PARAMETER.sub("", text).replace("%%", "").count("%") == 0, entry.msgid
            assert entry.msgid.endswith(".") == text.endswith("."), entry.msgid
            assert ("<" in text) == ("<" in entry.msgid), entry.msgid
        assert not entry.fuzzy


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_django_reads_is_what_was_translated(language):
    compiled = polib.mofile(str(path_of(language).with_suffix(".mo")))
    assert {key_of(entry): texts(entry) for entry in compiled} == {
        key_of(entry): texts(entry) for entry in catalogue(language)
    }, "run: ./run manage catalogues"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("pl", {1: 0, 2: 1, 4: 1, 5: 2, 12: 2, 22: 1, 25: 2}),
        ("cs", {1: 0, 2: 1, 4: 1, 5: 2, 22: 2}),
        ("ru", {1: 0, 2: 1, 5: 2, 11: 2, 21: 0, 22: 1}),
        ("nl", {1: 0, 2: 1, 21: 1}),
    ],
)
def test_each_language_counts_in_its_own_forms(language, words):
    entry = next(entry for entry in catalogue(language) if entry.msgid_plural)
    with translation.override(language):
        for count, form in words.items():
            told = translation.ngettext(entry.msgid, entry.msgid_plural, count)
            assert told == entry.msgstr_plural[form], (language, count)


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
