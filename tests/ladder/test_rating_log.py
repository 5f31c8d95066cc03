"""The append-only log against PostgreSQL: once each, in order, chained, replayable, also when eight write at once."""

from __future__ import annotations

import json
import threading
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from botapi.errors import DomainError
from games.models import Match, Seat
from ladder import audits, open_log, rating_log, replay
from ladder.audits import audit
from ladder.models import Pool, Rating, RatingEvent, RatingPoint, UnratedMatch
from ladder.open_log import state_of
from ladder.rating_log import enter_versions, rate_finished, void_rating
from ladder.ratings import State, rate
from tests.ladder import making


def states(pool: Pool) -> dict[int, State]:
    return {row.version_id: state_of(row) for row in Rating.objects.filter(pool=pool)}


@pytest.mark.django_db
def test_a_finished_rated_match_gets_one_event_and_the_formulas_states() -> None:
    pool = making.pool()
    a, b, c = making.versions(3)
    match = making.finished(pool, [a, b, c], [2, 1, 3])
    assert rate_finished(pool) == 1
    expected = rate([State()] * 3, [2, 1, 3])
    assert states(pool) == dict(zip((a.pk, b.pk, c.pk), expected, strict=True))
    event = RatingEvent.objects.get(match=match)
    assert [seat[:2] for seat in json.loads(event.payload)["seats"]] == [[a.pk, 2], [b.pk, 1], [c.pk, 3]]
    assert list(RatingEvent.objects.values_list("kind", flat=True)) == ["version"] * 3 + ["match"]


@pytest.mark.django_db
def test_rating_again_changes_nothing() -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), 12)
    assert rate_finished(pool) == 12
    before = states(pool), RatingEvent.objects.count()
    assert rate_finished(pool) == 0
    assert (states(pool), RatingEvent.objects.count()) == before


@pytest.mark.django_db
def test_the_database_itself_refuses_a_second_event_of_a_match() -> None:
    pool = making.pool()
    match = making.finished(pool, making.versions(3))
    rate_finished(pool)
    with pytest.raises(IntegrityError), transaction.atomic():
        RatingEvent.objects.create(
            pool=pool, seq=99, kind="match", match=match, payload="{}", algorithm="x", sha256="y"
        )


@pytest.mark.django_db
def test_unrated_and_unfinished_and_void_matches_are_not_rated() -> None:
    pool = making.pool()
    table = making.versions(3)
    making.finished(pool, table, finish=False)
    for change in ({"rated": False}, {"state": Match.State.VOID}, {"state": Match.State.FAILED}):
        Match.objects.filter(pk=making.finished(pool, table).pk).update(**change)
    assert rate_finished(pool) == 0
    assert not RatingEvent.objects.exists()


@pytest.mark.django_db
def test_a_match_with_one_version_in_two_seats_is_left_out_and_holds_up_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = making.pool()
    a, b, c = making.versions(3)
    making.finished(pool, [a, a, b])
    good = making.finished(pool, [a, b, c])
    assert rate_finished(pool) == 1
    assert pool.events.get(kind="match").match == good
    assert "cannot be rated" in caplog.text


@pytest.mark.django_db
def test_a_batch_full_of_matches_that_cannot_be_rated_stalls_no_pool_and_raises_one_alarm_each(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating_log, "BATCH", 2)
    pool = making.pool()
    a, b, c = making.versions(3)
    bad = [making.finished(pool, [a, a, b]) for _ in range(5)]
    good = making.finished(pool, [a, b, c])
    assert rate_finished(pool) == 1
    assert rate_finished(pool) == 0
    assert pool.events.get(kind="match").match == good
    assert {unrated.match for unrated in pool.unrated.all()} == set(bad)
    assert [record.levelname for record in caplog.records].count("CRITICAL") == 5
    audit(pool)
    Seat.objects.filter(match=bad[0], index=1).update(version=c)
    UnratedMatch.objects.filter(match=bad[0]).delete()
    assert rate_finished(pool) == 1
    audit(pool)


@pytest.mark.django_db
def test_a_match_whose_rating_cannot_be_worked_out_is_passed_over_and_the_log_stays_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(_states: object, _table: object, match: int) -> dict[str, object]:
        if match == bad.pk:
            raise ZeroDivisionError("a rating without a variance")
        return replay.match_payload(_states, _table, match)  # type: ignore[arg-type]

    pool = making.pool()
    table = making.versions(3)
    first, bad, last = (making.finished(pool, table) for _ in range(3))
    monkeypatch.setattr(open_log, "match_payload", breaks)
    assert rate_finished(pool) == 2
    assert list(pool.events.filter(kind="match").values_list("match", flat=True)) == [first.pk, last.pk]
    assert "without a variance" in pool.unrated.get(match=bad).reason
    audit(pool)


@pytest.mark.django_db
def test_a_match_that_could_not_be_rated_is_tried_again_however_long_ago_it_ended() -> None:
    pool = making.pool()
    table = making.versions(3)
    bad = making.finished(pool, table, (1, 2, 3))
    Seat.objects.filter(match=bad, index=1).update(version=table[0])
    assert rate_finished(pool) == 0
    note = pool.unrated.get()
    with pytest.raises(DomainError, match="cannot be rated still"):
        rating_log.try_again(note)
    assert pool.unrated.get() == note
    last = making.finished(pool, table)
    Match.objects.filter(pk=last.pk).update(finish_seq=(bad.finish_seq or 0) + rating_log.LATE + 1)
    assert rate_finished(pool) == 1
    Seat.objects.filter(match=bad, index=1).update(version=table[1])
    rating_log.try_again(note)
    rating_log.try_again(note)
    assert not pool.unrated.exists()
    assert set(pool.events.filter(kind="match").values_list("match", flat=True)) == {bad.pk, last.pk}
    audit(pool)


@pytest.mark.django_db
def test_matches_of_another_pool_are_left_to_it() -> None:
    spring, summer = making.pool("spring"), making.pool("summer")
    table = making.versions(3)
    making.finished(spring, table)
    assert rate_finished(summer) == 0
    assert rate_finished(spring) == 1


@pytest.mark.django_db
def test_order_is_that_of_the_results_commit_numbers() -> None:
    pool = making.pool()
    table = making.versions(3)
    first, second = making.finished(pool, table), making.finished(pool, table)
    Match.objects.filter(pk=first.pk).update(finish_seq=10**6)
    rate_finished(pool)
    rated = RatingEvent.objects.filter(kind="match").order_by("seq").values_list("match_id", flat=True)
    assert list(rated) == [second.pk, first.pk]


@pytest.mark.django_db
def test_seq_has_no_gap_and_each_hash_covers_the_one_before() -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), 20)
    rate_finished(pool)
    previous = ""
    for number, event in enumerate(pool.events.order_by("seq"), 1):
        assert event.seq == number
        assert event.sha256 == replay.chained(previous, event.payload)
        assert event.payload == replay.canonical(json.loads(event.payload))
        previous = event.sha256
    pool.refresh_from_db()
    assert pool.last_sha256 == previous


@pytest.mark.django_db
def test_a_new_version_carries_the_rating_with_more_variance_and_no_matches() -> None:
    pool = making.pool()
    table = making.versions(3)
    for _ in range(30):
        making.finished(pool, table)
    rate_finished(pool)
    old = states(pool)[table[0].pk]
    new = making.version(table[0].bot)
    enter_versions(pool, [new, table[1]])
    assert states(pool)[new.pk] == State(old.r, round(old.v + 3600, 6), 0)
    assert json.loads(pool.events.latest("seq").payload)["previous"] == table[0].pk
    enter_versions(pool, [new])
    assert pool.events.filter(kind="version").count() == 4
    assert audit(pool).matches == 30


@pytest.mark.django_db
def test_the_sums_shown_on_the_ladder_page_follow_the_matches() -> None:
    pool = making.pool()
    a, b, c = making.versions(3)
    making.finished(pool, [a, b, c], [2, 1, 3])
    making.finished(pool, [a, b, c], [1, 2, 2])
    rate_finished(pool)
    row = Rating.objects.get(version=a)
    assert (row.places, row.deals, row.points) == ([1, 1], 20, 1700)
    assert (row.declared, row.made, row.faults) == (8, 6, 0)
    void_rating(RatingEvent.objects.filter(kind="match").earliest("seq"), "test")
    row = Rating.objects.get(version=a)
    assert (row.places, row.deals, row.points) == ([1, 0], 10, 900)


@pytest.mark.django_db
def test_a_void_leaves_the_states_of_a_log_without_the_match() -> None:
    pool, other = making.pool("spring"), making.pool("summer")
    table = making.versions(5)
    matches = making.season_of_matches(pool, table, 25)
    rate_finished(pool)
    for match in matches:
        if match != matches[7]:
            seats = list(match.seats.all())
            making.finished(other, [s.version for s in seats if s.version], [s.place or 0 for s in seats])
    rate_finished(other)
    void_rating(RatingEvent.objects.get(match=matches[7]), "played on a broken machine")
    assert states(pool) == states(other)
    assert pool.events.latest("seq").kind == "void"
    assert audit(pool).matches == 25


@pytest.mark.django_db
def test_two_voids_and_matches_after_them_still_audit() -> None:
    pool = making.pool()
    table = making.versions(4)
    matches = making.season_of_matches(pool, table, 10)
    rate_finished(pool)
    for k in (2, 5):
        void_rating(RatingEvent.objects.get(kind="match", match=matches[k]), "test")
        making.season_of_matches(pool, table, 3, seed=k)
        rate_finished(pool)
    assert audit(pool).matches == 16


@pytest.mark.django_db
def test_a_match_is_voided_once_and_only_matches_are() -> None:
    pool = making.pool()
    making.finished(pool, making.versions(3))
    rate_finished(pool)
    event = RatingEvent.objects.get(kind="match")
    void_rating(event, "test")
    with pytest.raises(DomainError, match="already"):
        void_rating(event, "again")
    with pytest.raises(DomainError, match="Only the rating of a match"):
        void_rating(pool.events.get(seq=1), "a version")


@pytest.mark.django_db
def test_a_match_declared_void_after_it_was_rated_is_withdrawn_by_the_next_run() -> None:
    pool = making.pool()
    match = making.finished(pool, making.versions(3))
    rate_finished(pool)
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID, reason="withdrawn by an operator")
    assert rate_finished(pool) == 1
    assert rate_finished(pool) == 0
    assert set(states(pool).values()) == {State()}
    assert json.loads(pool.events.latest("seq").payload)["reason"] == "withdrawn by an operator"


@pytest.mark.django_db
def test_the_live_state_is_rebased_on_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_log, "REBASE_EVERY", 40)
    pool = making.pool()
    table = making.versions(6, house=2)
    making.season_of_matches(pool, table, 100)
    rate_finished(pool)
    assert pool.events.filter(kind="rebase").count() == 2
    event = pool.events.filter(kind="rebase").earliest("seq")
    payload = json.loads(event.payload)
    assert payload["log_sha256"] == pool.events.get(seq=event.seq - 1).sha256
    house = [r for version, r, _, _ in payload["states"] if version in {t.pk for t in table[:2]}]
    assert sum(house) / 2 == pytest.approx(1500, abs=1e-5)
    void_rating(pool.events.filter(kind="match").earliest("seq"), "test")
    assert audit(pool, with_boards=True).matches == 100


@pytest.mark.django_db(transaction=True)
def test_eight_commits_at_once_give_the_state_of_a_serial_replay() -> None:
    pool = making.pool()
    table = making.versions(6)
    matches = making.season_of_matches(pool, table, 80)
    ids = [match.pk for match in matches]
    Match.objects.filter(pk__in=ids).update(state=Match.State.RUNNING, lease_until="2030-01-01T00:00Z")
    start = threading.Barrier(8)
    errors: list[Exception] = []

    def commit_and_rate(mine: list[int]) -> None:
        try:
            start.wait()
            for pk in mine:
                Match.objects.filter(pk=pk).update(state=Match.State.FINISHED)
                rate_finished(pool)
        except Exception as error:  # noqa: BLE001 - reported by the test itself
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=commit_and_rate, args=(ids[k::8],)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert pool.events.filter(kind="match").count() == 80
    assert audit(pool).matches == 80
    serial = {version.pk: State() for version in table}
    for match in pool.events.filter(kind="match").order_by("seq").values_list("match_id", flat=True):
        seats = Seat.objects.filter(match=match).order_by("index").values_list("version_id", "place")
        after = rate([serial[v] for v, _ in seats if v], [place or 0 for _, place in seats])
        serial |= dict(zip([v for v, _ in seats if v], after, strict=True))
    assert states(pool) == {version: state for version, state in serial.items() if state.n}


@pytest.mark.django_db(transaction=True)
def test_an_audit_takes_no_notice_of_what_is_rated_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = making.pool()
    table = making.versions(3)
    making.finished(pool, table)
    rate_finished(pool)
    before = Pool.objects.get(pk=pool.pk).last_seq

    def rate_another() -> None:
        making.finished(pool, table)
        rate_finished(pool)
        connection.close()

    check = audits._check_head

    def meanwhile(*given: Any) -> None:
        other = threading.Thread(target=rate_another)
        other.start()
        other.join()
        check(*given)

    monkeypatch.setattr(audits, "_check_head", meanwhile)
    assert audit(pool).seq == before
    assert Pool.objects.get(pk=pool.pk).last_seq == before + 1


@pytest.mark.django_db
def test_the_audit_command_says_what_it_replayed() -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), 9)
    rate_finished(pool)
    out = StringIO()
    call_command("audit_ratings", pool=pool.pk, stdout=out)
    assert "14 events, 9 matches agree" in out.getvalue()
    with pytest.raises(CommandError, match="There is no pool 12345"):
        call_command("audit_ratings", pool=12345)


@pytest.mark.django_db
@pytest.mark.parametrize("tamper", ["payload", "forged", "row", "place", "gap", "point", "kind"])
def test_the_audit_names_the_first_event_that_was_tampered_with(tamper: str) -> None:
    pool = making.pool()
    making.season_of_matches(pool, making.versions(5), 30)
    rate_finished(pool)
    events = pool.events.filter(kind="match").order_by("seq")
    event = events[10]
    expected = event.seq
    if tamper == "payload":
        events.filter(pk=event.pk).update(payload=event.payload.replace('"states":[[', '"states": [['))
    elif tamper == "forged":
        expected = forge(pool, event)
    elif tamper == "row":
        row = pool.ratings.first()
        assert row
        Rating.objects.filter(pk=row.pk).update(r=1999)
        expected = row.updated_seq
    elif tamper == "place":
        Seat.objects.filter(match=event.match_id, index=0).update(place=4)
    elif tamper == "gap":
        RatingPoint.objects.filter(event=event).delete()
        event.delete()
        expected += 1
    elif tamper == "kind":
        events.filter(pk=event.pk).update(match=None)
    else:
        point = pool.points.latest("pk")
        RatingPoint.objects.filter(pk=point.pk).update(r=1)
        expected = pool.events.latest("seq").seq
    with pytest.raises(CommandError, match=rf"event {expected}: "):
        call_command("audit_ratings", pool=pool.pk)


def forge(pool: Pool, event: RatingEvent) -> int:
    """Better one rating and re-hash all that follows: only a replay can tell."""
    payload = json.loads(event.payload)
    payload["states"][0][1] += 5
    previous = pool.events.get(seq=event.seq - 1).sha256
    texts = {event.seq: replay.canonical(payload)}
    for later in pool.events.filter(seq__gte=event.seq).order_by("seq"):
        text = texts.get(later.seq, later.payload)
        previous = replay.chained(previous, text)
        RatingEvent.objects.filter(pk=later.pk).update(payload=text, sha256=previous)
    Pool.objects.filter(pk=pool.pk).update(last_sha256=previous)
    return event.seq
