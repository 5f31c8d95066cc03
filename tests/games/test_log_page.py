"""The page of a match's private logs: the fault in words, the requests, and who sees it."""

import json

import pytest

from botapi.drivers.base import Answer
from botapi.explanations import explain
from games import queue, results
from games.models import Fault, LogLook
from tests.botapi.test_explanations import RULES, asked
from tests.games import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def logged():
    author = making.author()
    table = [making.sandboxed(owner=author), making.sandboxed(), making.house()]
    claim = queue.claim(making.match(table).pk, "w")
    fault = making.fault(0, "illegal") | {"message": "Rule: diamonds were led and you hold JD."}
    result = making.result_of(claim, faults=[fault])
    turn = {"n": 4, "request": {"type": "act"}, "answer": '{"id":', "verdict": "illegal", "used_ms": 3.2}
    logs = [
        {
            "turns": json.dumps([turn] * 100).encode(),
            "stderr": f"secret of {seat} <b>",
            "oddities": ["late: the answer to 1/1/0/4 came 312 ms after its deadline"],
        }
        for seat in range(2)
    ]
    kept = results.Result(
        record=result.record, faults=result.faults, logs=[*logs, {}], seconds=1, decisions=7
    )
    assert results.finish(claim.match.pk, 1, kept)
    return claim.match, author


def test_an_author_reads_the_rule_the_request_and_how_to_repeat_it(client, logged):
    match, author = logged
    client.force_login(author)
    assert f"/matches/{match.pk}/log/" in client.get(f"/matches/{match.pk}/").content.decode()
    page = client.get(f"/matches/{match.pk}/log/").content.decode()
    assert "Rule: diamonds were led and you hold JD." in page
    assert "Request: {&quot;type&quot;: &quot;act&quot;}" in page
    assert "secret of 0 &lt;b&gt;" in page
    assert "secret of 1" not in page
    assert "312 ms after its deadline" in page
    assert "It is no fault of its own" in page
    assert "40 before them are in the API" in page
    assert f"thousand rerun {match.pk} FILE --seat 1 --server http" in page
    assert '<h2 id="seat-0">Seat 1</h2>' in page
    assert not LogLook.objects.exists()


def test_the_paragraph_is_in_the_readers_language_and_what_nobody_wrote_by_rule_stays_english(client, logged):
    match, author = logged
    told = explain("timeout", "", asked(), Answer(), rules=RULES, purpose="match")
    client.force_login(author)
    for message, words, english in (
        (told, "Oczekiwano: odpowiedź w ciągu 200 ms", False),
        ("Something else.", "Something else.", True),
    ):
        Fault.objects.filter(match=match).update(message=f"{message}\n\nRequest: {{}}")
        address = f"/matches/{match.pk}/log/"
        page = client.get(address, headers={"accept-language": "pl"}).content.decode()
        assert words in page
        assert ('<p lang="en">' in page) == english


def test_to_others_the_page_does_not_exist(client, logged):
    match, _ = logged
    address = f"/matches/{match.pk}/log/"
    assert client.get(address).status_code == 302
    client.force_login(making.author())
    assert client.get(address).status_code == 404
    assert client.get("/matches/999999/log/").status_code == 404
    assert address not in client.get(f"/matches/{match.pk}/").content.decode()


def test_an_operator_sees_all_seats_and_each_look_is_written_down(client, logged):
    match, _ = logged
    client.force_login(making.author(is_staff=True))
    assert "secret of 1" in client.get(f"/matches/{match.pk}/log/").content.decode()
    assert {look.log.seat for look in LogLook.objects.all()} == {0, 1}
