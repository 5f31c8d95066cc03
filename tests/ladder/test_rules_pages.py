"""The rules pages: every preset and option, differences, in the reader's language."""

import html
import json
import re
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from engine import OPTIONS, PRESETS
from engine.options import BARREL_OPTIONS, CONCESSION_OPTIONS
from engine.wording import differences, parts
from ladder.templatetags.ladder import in_words

CODES = [code for code, _ in settings.LANGUAGES]
EVERY = (*OPTIONS, *CONCESSION_OPTIONS, *BARREL_OPTIONS)
VOID = {"meta", "link", "br", "input", "img", "hr"}

pytestmark = pytest.mark.django_db


class Reader(HTMLParser):
    """The language of each text of a page, and its tags, which must be closed in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.languages, self.texts = [], {}, []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "lang" in found:
            self.languages.setdefault(tag, []).append(found["lang"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def page(address, language="en", status=200):
    answer = Client(headers={"accept-language": language}).get(address)
    assert answer.status_code == status
    return answer.content.decode()


@pytest.mark.parametrize("language", CODES)
def test_the_rules_name_every_option_and_preset_in_the_readers_language(language):
    found = page("/docs/rules/", language)
    reader = Reader(found)
    assert reader.languages["html"] == [language]
    assert "main" not in reader.languages
    for name in PRESETS:
        assert f'href="/docs/rules/{name}/"' in found
    with translation.override(language):
        words = " ".join("".join(reader.texts).split())
        for option in EVERY:
            assert f"<code>{option.name}</code>" in found
            for text in (option.title, option.meaning, *(option.says[word] for word in option.words)):
                if "%(" not in text:
                    assert translation.gettext(text) in words, text


@pytest.mark.parametrize("language", CODES)
@pytest.mark.parametrize("name", ["pl-2-draw", "natjar-4", "cz-3-short", "ru-4-gold", "nl-3"])
def test_a_preset_is_told_in_the_readers_language(name, language):
    found = page(f"/docs/rules/{name}/", language)
    reader = Reader(found)
    assert reader.languages["html"] == [language]
    with translation.override(language):
        for _, sentences in parts(PRESETS[name]):
            assert {in_words(sentence) for sentence in sentences} <= set(reader.texts)
    shown = re.findall(r"<br><code>([\w.]+)</code></th><td><code>(.*?)</code></td>", found)
    values = {option: json.loads(html.unescape(value)) for option, value in shown}
    record = PRESETS[name].to_json()
    for part in ("concession", "barrel"):
        if record[part] is not None:
            record |= {f"{part}.{key}": value for key, value in record.pop(part).items()}
    assert values == {key: value for key, value in record.items() if key != "name"}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_its_page(name):
    Reader(page(f"/docs/rules/{name}/"))


@pytest.mark.parametrize("language", CODES)
@pytest.mark.parametrize(
    ("a", "b"), [("pl-3", "natjar-3"), ("cz-3", "cz-3-short"), ("nl-3", "ru-3"), ("pl-2-draw", "ru-2")]
)
def test_the_differences_are_exactly_those_options_that_differ(a, b, language):
    found = page(f"/docs/rules/differences/?a={a}&b={b}", language)
    Reader(found)
    shown = re.findall(r'<th scope="rowgroup" colspan="2">.*?<code>([\w.]+)</code></th>', found)
    assert shown == [difference.option.name for difference in differences(PRESETS[a], PRESETS[b])]


def test_a_preset_differs_from_itself_in_nothing_and_says_so():
    assert "They differ in nothing." in page("/docs/rules/differences/?a=pl-3&b=pl-3")
    assert "They differ in nothing." not in page("/docs/rules/differences/?a=pl-3")


@pytest.mark.parametrize(
    "address",
    [
        "/docs/rules/pl-9/",
        "/docs/rules/<script>alert(1)<script>/",
        "/docs/rules/differences/?a=pl-3&b=%3Cscript%3E",
        f"/docs/rules/{'x' * 2000}/",
        "/docs/rules/%00/",
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_an_unknown_preset_is_missing_in_words_with_the_known_ones(address, debug, settings):
    settings.DEBUG = debug
    found = page(address, "pl", 404)
    Reader(found)
    assert "Nie ma takiego zestawu" in found
    assert "<script>" not in found.replace("<script src", "")
    assert 'href="/docs/rules/ru-3/"' in found


def test_the_reader_chooses_the_language_by_a_form_and_keeps_it():
    client = Client(headers={"accept-language": "ru"})
    assert 'lang="ru"' in client.get("/docs/rules/").content.decode()
    chosen = client.post("/language/", {"language": "nl", "next": "/docs/rules/nl-3/"})
    assert (chosen.status_code, chosen.headers["Location"]) == (302, "/docs/rules/nl-3/")
    found = client.get("/docs/rules/nl-3/").content.decode()
    assert '<html lang="nl">' in found
    assert "De aangever neemt de prikup" in found
    assert re.search(r'value="nl" lang="nl" aria-current="true"', found)


def test_the_form_leads_back_to_the_page_that_it_stands_on_and_never_elsewhere():
    found = page("/docs/rules/differences/?a=pl-3&b=ru-3")
    assert 'name="next" value="/docs/rules/differences/?a=pl-3&amp;b=ru-3"' in found
    gone = Client().post("/language/", {"language": "pl", "next": "https://elsewhere.example/"})
    assert gone.headers["Location"] == "/"


def test_a_language_that_is_not_there_gives_english():
    assert '<html lang="en">' in page("/docs/rules/", "fr, de;q=0.5")


@pytest.mark.parametrize("address", ["/docs/", "/docs/first-bot/", "/docs/errors/", "/login/", "/settings/"])
@pytest.mark.django_db
def test_a_page_is_in_the_readers_language_throughout(address):
    reader = Reader(page(address, "cs"))
    assert reader.languages["html"] == ["cs"]
    assert "main" not in reader.languages


@pytest.mark.parametrize(
    "address", ["/docs/rules/", "/docs/rules/ru-3/", "/docs/rules/differences/?a=pl-3&b=ru-3"]
)
def test_the_rules_are_read_without_the_database(address, django_assert_num_queries):
    with django_assert_num_queries(0):
        page(address, "cs")
