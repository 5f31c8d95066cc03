"""The check of a match's cards with what is public: page, API, command line, and what it must notice."""

from __future__ import annotations

import copy
import hashlib
import json

import pytest
from django.utils import timezone

from engine import PRESETS, Game
from games import cli, queue, results, seeds
from games.fairness import fairness
from games.models import Match, MatchRecord, Series
from games.queries import match_details
from tests.games import making

pytestmark = pytest.mark.django_db


def reveal(match):
    Series.objects.filter(pk=match.series_id).update(closed_at=timezone.now(), revealed_at=timezone.now())


def found(match):
    return fairness(match_details().get(pk=match.pk))


def test_a_finished_match_holds_deck_by_deck_before_and_after_its_secret_is_revealed(client):
    match = making.finished()
    before = found(match).check
    assert (before.seed_fits, before.decks_same, before.replay_problem, before.holds) == (
        True,
        True,
        "",
        True,
    )
    assert (before.secret_fits, before.seed_follows) == (None, None)
    reveal(match)
    after = found(match)
    assert (after.check.secret_fits, after.check.seed_follows, after.check.holds) == (True, True, True)
    assert after.message == f"match {match.number} attempt 1"
    page = client.get(f"/matches/{match.pk}/fairness/").content.decode()
    for text in (after.secret, after.secret_sha256, after.seed, after.published_sha256, after.message):
        assert text in page.replace("&quot;", '"')
    assert "does not hold" not in page
    assert page.count("the same") >= match.deals


def test_nothing_secret_is_shown_while_the_match_or_a_table_of_its_block_is_open(client):
    series = making.series()
    first = making.match(series=series, block=3, rotation=0)
    second = making.match(series=series, block=3, rotation=1)
    claim = queue.claim(first.pk, "tester")
    assert results.finish(first.pk, claim.attempt, making.result_of(claim))
    for match in (first, second):
        page = client.get(f"/matches/{match.pk}/fairness/").content.decode()
        answer = client.get(f"/api/v1/matches/{match.pk}/fairness/").json()
        assert claim.seed.hex() not in page
        assert (answer["seed"], answer["secret"], answer["check"]) == (None, None, None)
    assert (
        hashlib.sha256(claim.seed).hexdigest()
        in client.get(f"/matches/{first.pk}/fairness/").content.decode()
    )


def test_another_seed_deck_secret_or_result_is_noticed():
    match = making.finished()
    record = json.loads(MatchRecord.objects.get(match=match).body)
    secret = bytes(match.series.secret)
    facts = {
        "published_sha256": record["seed_sha256"],
        "message": f"match {match.number} attempt 1",
        "secret": secret,
        "secret_sha256": match.series.secret_sha256,
    }
    assert seeds.check(record, **facts).holds
    assert not seeds.check(record, **facts | {"published_sha256": "0" * 64}).seed_fits
    assert seeds.check(record, **facts | {"message": "match 999 attempt 1"}).seed_follows is False
    other = seeds.check(record, **facts | {"secret": b"x" * 32})
    assert (other.secret_fits, other.seed_follows, other.holds) == (False, False, False)
    dealt = copy.deepcopy(record)
    deck = dealt["deals"][1]["deck"]
    deck[0], deck[1] = deck[1], deck[0]
    swapped = seeds.check(dealt, **facts)
    assert [deck.same for deck in swapped.decks] == [True, False, *[True] * (len(swapped.decks) - 2)]
    assert swapped.replay_problem
    assert swapped.replay_deal == 2
    cheated = copy.deepcopy(record)
    cheated["result"]["totals"][0] += 10
    totalled = seeds.check(cheated, **facts)
    assert totalled.replay_problem
    assert totalled.replay_deal is None


@pytest.mark.parametrize("language", ["pl", "ru"])
def test_what_differs_is_told_in_the_language_of_the_reader(client, language):
    match = making.finished()
    kept = MatchRecord.objects.get(match=match)
    record = json.loads(kept.body)
    record["deals"][1]["actions"].pop()
    kept.body = json.dumps(record)
    kept.save()
    address = f"/matches/{match.pk}/fairness/"
    problem = found(match).check.replay_problem
    english, told = (
        client.get(address, headers={"accept-language": code}).content.decode() for code in ("en", language)
    )
    assert "The first difference is in deal 2." in english
    assert problem
    assert problem not in english
    assert problem not in told
    assert "difference is in deal" not in told


def test_every_deck_of_the_worked_matches_with_void_deals_is_found_again():
    match = making.finished()
    seed = bytes.fromhex(json.loads(MatchRecord.objects.get(match=match).body)["seed"])
    decks = []
    for number in range(60):
        game = Game(PRESETS["ru-3"], seed=seeds.derived(seed, f"try {number}"))
        while game.seat is not None and len(game.finished) < 4:
            game.apply("redeal" if "redeal" in game.legal else game.legal[0])
        record = game.record(match="1", seats=[{"name": "a"}] * 3)
        if any(deal["void"] for deal in record["deals"]):
            checked = seeds.check(record, published_sha256=record["seed_sha256"], message="")
            decks.append(checked.decks_same)
    assert decks
    assert all(decks)


def test_the_command_line_checks_a_record_against_what_was_published(tmp_path, capsys):
    match = making.finished()
    path = tmp_path / "record.json"
    path.write_text(MatchRecord.objects.get(match=match).body)
    secret, message = bytes(match.series.secret).hex(), f"match {match.number} attempt 1"
    published = match.attempts.get().seed_sha256
    told = ["verify", str(path), "--seed-sha256", published, "--secret", secret, "--message", message]
    assert cli.main(told) == 0
    assert cli.main(["verify", str(path), "--seed-sha256", "0" * 64]) == 1
    assert cli.main(["verify", str(path), "--secret", secret, "--message", "match 0 attempt 1"]) == 1
    assert cli.main(["verify", str(path), "--secret", secret]) == 1
    assert "than was published" in capsys.readouterr().err


def test_the_match_page_leads_to_the_check(client):
    match = making.finished()
    assert f"/matches/{match.pk}/fairness/" in client.get(f"/matches/{match.pk}/").content.decode()
    assert client.get("/matches/999999/fairness/").status_code == 404
    assert client.get("/api/v1/matches/999999/fairness/").status_code == 404
    assert Match.objects.count() == 1
