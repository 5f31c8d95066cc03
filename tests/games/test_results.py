"""How attempts end: once, by the attempt that owns the match, in one transaction."""

import json
import zlib

import pytest
from django.core import mail
from django.utils import timezone

from botapi.errors import DomainError, PlatformError
from botapi.models import Bot
from games import queue, results
from games.models import Fault, Match, MatchRecord
from tests.games import making
from tests.games.test_queue import in_parallel

pytestmark = pytest.mark.django_db


def claimed(seats=None, **changes):
    return queue.claim(making.match(seats, **changes).pk, "tester")


def finish(claim, result=None, attempt=None):
    return results.finish(claim.match.pk, attempt or claim.attempt, result or making.result_of(claim))


def sandboxed_table():
    return [making.sandboxed(), making.sandboxed(), making.sandboxed()]


def test_a_finished_match_has_its_record_its_places_and_its_number_in_commit_order():
    first, second = claimed(), claimed()
    assert finish(second)
    assert finish(first)
    early, late = Match.objects.get(pk=second.match.pk), Match.objects.get(pk=first.match.pk)
    assert early.finish_seq < late.finish_seq
    assert late.state == "finished"
    assert late.finished_at
    assert late.lease_until is None
    record = json.loads(late.record.body)
    assert [seat.total for seat in late.seats.all()] == record["result"]["totals"]
    assert [seat.rank for seat in late.seats.all()] == record["result"]["ranks"]
    assert sum(seat.deals_declared for seat in late.seats.all()) == sum(
        d["declarer"] is not None for d in record["deals"]
    )
    assert late.attempts.get().outcome == "finished"
    assert (late.deals, late.decisions, late.end_reason) == (2, 7, "deal_limit")


@pytest.mark.django_db(transaction=True)
def test_a_result_sent_five_times_and_in_parallel_counts_once():
    claim = claimed()
    result = making.result_of(claim)
    assert sum(in_parallel(5, lambda: finish(claim, result))) == 1
    assert sum(finish(claim, result) for _ in range(5)) == 0
    assert MatchRecord.objects.count() == 1


def test_the_report_of_a_stale_attempt_is_refused():
    stale = claimed()
    assert results.infra_lost(stale.match.pk, 1, "paused")
    again = queue.claim(stale.match.pk, "other")
    assert again.attempt == 2
    assert again.seed != stale.seed
    assert not finish(stale)
    assert not results.infra_lost(stale.match.pk, 1, "late")
    assert not results.refused(stale.match.pk, 1, seat=0, code="start", message="late")
    assert finish(again)
    match = Match.objects.get()
    assert list(match.attempts.values_list("outcome", flat=True)) == ["infra_lost", "finished"]
    assert not Fault.objects.exists()


def test_a_table_of_a_block_keeps_its_seed_when_it_is_repeated():
    stale = claimed(block=1)
    results.infra_lost(stale.match.pk, 1, "lost")
    assert queue.claim(stale.match.pk, "other").seed == stale.seed


def test_a_table_repeated_after_its_block_is_over_is_dealt_cards_that_nobody_knows():
    first, second = claimed(block=1), claimed(block=1)
    assert first.seed == second.seed
    finish(first)
    early = results.repeat(first.match, reason="while the second table is open")
    assert early.block == 1
    results.void(early, reason="no longer wanted")
    finish(second)
    late = results.repeat(second.match, reason="when the cards of the block are public")
    assert late.block is None
    assert queue.claim(late.pk, "w").seed != second.seed


@pytest.mark.parametrize("what", ["totals", "match", "names", "versions", "seed", "no seed", "rules"])
def test_a_record_that_does_not_verify_or_is_of_another_match_is_not_stored(what):
    claim, other = claimed(), claimed(rules=making.PRESETS["pl-3"] if what == "rules" else making.SHORT)
    result = making.result_of(claim)
    record = result.record
    if what == "totals":
        record["deals"][0]["totals"][0] += 5
    elif what == "match":
        record["match"] = str(other.match.pk)
    elif what == "names":
        record["seats"][0]["name"] = "somebody"
    elif what == "versions":
        record["seats"][1]["version"] = "2"
    elif what == "no seed":  # other cards under the hash that was published
        foreign = making.result_of(other).record
        record |= {"seed": None, "deals": foreign["deals"], "result": foreign["result"]}
    else:
        record |= {**making.result_of(other).record, "match": str(claim.match.pk)}
    with pytest.raises(PlatformError, match="record"):
        finish(claim, result)
    assert not MatchRecord.objects.exists()
    assert Match.objects.get(pk=claim.match.pk).state == "running"


def test_faults_logs_and_notes_are_stored_with_the_result_whatever_characters_a_bot_sends():
    claim = claimed(sandboxed_table())
    result = making.result_of(claim, faults=[making.fault(1)])
    logs = [
        {},
        {
            "turns": b'[{"n": 1, "answer": "\\u0000"}]',
            "stderr": "a\0b",
            "notes": [{"deal": 0, "action": 3, "note": "hm\0"}],
        },
        {},
    ]
    assert finish(claim, results.Result(**{**vars_of(result), "logs": logs}))
    match = Match.objects.get()
    assert [seat.faults for seat in match.seats.all()] == [0, 1, 0]
    assert match.faults.get().code == "timeout"
    log = match.logs.get()
    assert log.seat == 1
    assert "\0" not in log.stderr
    assert json.loads(zlib.decompress(log.turns)) == [{"n": 1, "answer": "\0"}]
    assert match.record.notes[0]["seat"] == 1


def vars_of(result):
    return {
        name: getattr(result, name)
        for name in ("record", "faults", "logs", "timings", "seconds", "decisions")
    }


def test_a_lost_match_is_queued_again_at_once_and_later_ones_after_a_pause():
    claim = claimed()
    assert results.infra_lost(claim.match.pk, 1, "worker lost")
    match = Match.objects.get()
    assert (match.state, match.not_before, match.lease_until) == ("queued", None, None)
    assert "worker lost" in match.reason
    results.infra_lost(match.pk, queue.claim(match.pk, "w").attempt, "worker lost")
    assert Match.objects.get().not_before > timezone.now()


def test_after_too_many_lost_attempts_a_match_fails_with_an_alarm_and_nobody_is_charged(settings, caplog):
    settings.MATCH_MAX_ATTEMPTS = 2
    settings.ADMINS = [("operator", "operator@example.org")]
    match = making.match(sandboxed_table())
    for attempt in (1, 2):
        Match.objects.update(not_before=None)
        assert queue.claim(match.pk, "w").attempt == attempt
        results.infra_lost(match.pk, attempt, "disk full")
    match.refresh_from_db()
    assert match.state == "failed"
    assert "disk full" in match.reason
    (said,) = [record.message for record in caplog.records if record.levelname == "CRITICAL"]
    (letter,) = mail.outbox
    assert letter.to == ["operator@example.org"]
    for text in (said, letter.body):
        assert "2 attempts were lost, the last one: disk full" in text
    assert set(Bot.objects.values_list("state", flat=True)) == {"active"}


def test_a_mail_server_that_is_away_does_not_hold_up_a_match_that_fails(settings):
    settings.MATCH_MAX_ATTEMPTS = 1
    settings.ADMINS = [("operator", "operator@example.org")]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_PORT = 1
    claim = claimed()
    assert results.infra_lost(claim.match.pk, 1, "disk full")
    assert Match.objects.get().state == "failed"


def test_attempts_that_a_worker_gave_back_in_order_do_not_count_as_lost(settings):
    settings.MATCH_MAX_ATTEMPTS = 2
    match = making.match()
    for attempt in (1, 2, 3):
        assert queue.claim(match.pk, "w").attempt == attempt
        assert results.give_back(match.pk, attempt, "its worker was told to end")
        assert not results.give_back(match.pk, attempt, "once more")
        match.refresh_from_db()
        assert (match.state, match.not_before) == ("queued", None)
    for attempt, state in ((4, "queued"), (5, "failed")):
        queue.claim(match.pk, "w")
        results.infra_lost(match.pk, attempt, "worker lost")
        match.refresh_from_db()
        assert match.state == state
    outcomes = match.attempts.order_by("number").values_list("outcome", flat=True)
    assert list(outcomes) == ["returned"] * 3 + ["infra_lost"] * 2


def test_on_a_starved_machine_a_match_is_repeated_once():
    match = making.match()
    for attempt, state in ((1, "queued"), (2, "failed")):
        queue.claim(match.pk, "w")
        results.infra_lost(match.pk, attempt, "starved: seat 0 waited for a processor")
        match.refresh_from_db()
        assert match.state == state
    assert set(match.attempts.values_list("outcome", flat=True)) == {"starved"}


def test_a_bot_that_does_not_start_costs_nobody_a_match_and_is_suspended_the_second_time():
    table = sandboxed_table()
    for times in (1, 2):
        claim = claimed(table)
        assert results.refused(
            claim.match.pk, 1, seat=1, code="start", message="no answer", stderr="Traceback"
        )
        match = Match.objects.get(pk=claim.match.pk)
        assert match.state == "void"
        assert match.attempts.get().outcome == "refused"
        assert match.logs.get().stderr == "Traceback"
        assert [seat.place for seat in match.seats.all()] == [None] * 3
        states = [Bot.objects.get(pk=version.bot_id).state for version in table]
        assert states == ["active", "suspended" if times == 2 else "active", "active"]
    assert "start" in Bot.objects.get(pk=table[1].bot_id).state_reason


def test_a_polite_refusal_is_never_held_against_a_bot():
    table = sandboxed_table()
    for _ in range(3):
        claim = claimed(table)
        results.refused(claim.match.pk, 1, seat=0, code="refused", message="not four players")
    assert set(Match.objects.values_list("state", flat=True)) == {"void"}
    assert "not four players" in Match.objects.latest("pk").reason
    assert set(Bot.objects.values_list("state", flat=True)) == {"active"}


def test_three_matches_in_a_row_handed_to_a_house_bot_suspend_the_bot_and_tell_why(
    django_capture_on_commit_callbacks,
):
    table = sandboxed_table()
    stood_in = [{"seat": 2, "deal": 0, "action": 3}]
    for _ in range(3):
        assert Bot.objects.get(pk=table[2].bot_id).state == "active"
        with django_capture_on_commit_callbacks(execute=True):
            match = making.finished(table, stand_ins=stood_in, faults=[making.fault(2)] * 3)
        assert [seat.place for seat in match.seats.all()][2] == 3
    bot = Bot.objects.get(pk=table[2].bot_id)
    assert bot.state == "suspended"
    assert f"match {match.pk}" in bot.state_reason
    (letter,) = mail.outbox
    assert letter.to == [bot.owner.email]
    for words in (bot.state_reason, "what happened", 'Request: {"type": "act"}'):
        assert words in letter.body
        assert words == bot.state_reason or words not in bot.state_reason


def test_the_letter_shows_no_card_of_a_block_that_another_table_still_plays(
    django_capture_on_commit_callbacks,
):
    table = sandboxed_table()
    stood_in = [{"seat": 2, "deal": 0, "action": 3}]
    making.match(table, block=7, rotation=1)
    with django_capture_on_commit_callbacks(execute=True):
        for block in (None, None, 7):
            match = making.finished(
                table, stand_ins=stood_in, faults=[making.fault(2)] * 3, block=block, rotation=0
            )
    (letter,) = mail.outbox
    assert f"The private log of match {match.pk} opens when" in letter.body
    assert "what happened" not in letter.body
    assert "Request" not in letter.body


def test_the_ladder_sees_a_finished_match_as_void_once_an_operator_said_so():
    match = making.finished()
    seq = match.finish_seq
    results.void(match, reason="a disturbed machine")
    match.refresh_from_db()
    assert (match.state, match.reason, match.finish_seq) == ("void", "a disturbed machine", seq)
    with pytest.raises(DomainError):
        results.void(match, reason="again")


def test_a_running_match_that_is_made_void_refuses_its_result():
    claim = claimed()
    results.void(claim.match, reason="by an operator")
    assert not finish(claim)
    assert not queue.renew(claim.match.pk, 1, seconds=9)
    assert queue.claim(claim.match.pk, "w") is None


def test_an_ended_match_is_repeated_as_a_new_one_and_a_running_one_as_its_next_attempt():
    ended = making.finished(rated=True)
    new = results.repeat(ended, reason="by an operator")
    ended.refresh_from_db()
    assert (ended.state, new.state, new.rated) == ("void", "queued", True)
    assert [seat.version for seat in new.seats.all()] == [seat.version for seat in ended.seats.all()]
    with pytest.raises(DomainError, match="queued already"):
        results.repeat(new, reason="again")
    stale = queue.claim(new.pk, "w")
    assert results.repeat(new, reason="again") == new
    assert not finish(stale)
    assert queue.claim(new.pk, "w").attempt == 2


def test_the_check_of_a_version_that_the_service_lost_waits_for_another(settings):
    settings.MATCH_MAX_ATTEMPTS = 1
    version = making.sandboxed()
    version.state = "checking"
    version.save()
    claim = claimed([version], klass=Match.Class.CHECK)
    results.infra_lost(claim.match.pk, 1, "disk full")
    version.refresh_from_db()
    assert (Match.objects.get().state, version.state) == ("failed", "pending")
