"""A page that is missing looks the same in development and in production."""

from __future__ import annotations

import pytest
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize("path", ["/nowhere/", "/matches/999999/", "/bots/nosuch/", "/docs/nosuch/"])
def test_a_missing_page_is_the_sites_own(client, settings, debug, path):
    settings.DEBUG = debug
    answer = client.get(path)
    assert answer.status_code == 404
    text = answer.content.decode()
    assert "URLconf" not in text
    assert 'class="site-head"' in text


@pytest.mark.django_db
def test_a_slash_is_still_added(client, settings):
    settings.DEBUG = True
    assert client.get("/ladder").status_code == 301


@pytest.mark.django_db
def test_the_api_still_answers_with_a_problem_document(client, settings):
    settings.DEBUG = True
    assert client.get("/api/v1/nosuch/")["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_write_to_nowhere_under_api_is_a_problem_document_too(method):
    answer = Client(enforce_csrf_checks=True).generic(method, "/api/v1/nothing")
    assert (answer.status_code, answer["content-type"]) == (404, "application/problem+json")


@pytest.mark.django_db
def test_the_page_of_the_api_takes_no_other_method(client):
    assert client.options("/api/v1/").status_code == 405
