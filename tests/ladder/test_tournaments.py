"""Tournaments against PostgreSQL: registration, rounds, voids, suspensions, standings, publication."""

from __future__ import annotations

import contextlib
import random
import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from botapi.errors import DomainError
from botapi.models import Bot, User
from games import queue, results
from games.models import Match, Series
from ladder import registration, seasons, tasks, tournaments
from ladder.formats import round_robin
from ladder.formats.draws import Sizes
from ladder.formats.lots import Lot, published_lot
from ladder.tournament_models import Entrant, Rest, Round, Table, Tournament, TournamentMatch
from ladder.tournament_queries import rounds_of, standings_of
from tests.ladder import making
from tests.ladder.tournament_making import (
    ONE_DEAL,
    enter,
    play,
    play_out,
    play_queued,
    started,
    suspend,
    tournament,
)

pytestmark = pytest.mark.django_db


def refused(code: str, verb: object, *arguments: object, **options: object) -> str:
    with pytest.raises(DomainError) as caught:
        verb(*arguments, **options)  # type: ignore[operator]
    assert caught.value.code == code
    return caught.value.message


def owner_of(bot: Bot) -> User:
    assert bot.owner
    return bot.owner


# --- Registration -----------------------------------------------------------------------------------------


def test_an_author_enters_once_up_to_the_limit_and_withdraws() -> None:
    cup = tournament(per_author=2)
    author = making.author()
    first, second, third = (making.bot(owner=author) for _ in range(3))
    entry = registration.register(cup, first, by=author)
    assert registration.register(cup, first, by=author) == entry
    registration.register(cup, second, by=author)
    assert "at most 2" in refused("too_many_entries", registration.register, cup, third, by=author)
    registration.withdraw(entry)
    registration.register(cup, third, by=author)
    refused("too_many_entries", registration.register, cup, first, by=author)
    assert [entrant.number for entrant in registration.entered(cup)] == [2, 3]


def test_only_ready_bots_of_ones_own_enter_while_registration_is_open() -> None:
    cup = tournament(max_entrants=3)
    bot = making.bot()
    refused("not_your_bot", registration.register, cup, bot, by=making.author())
    Bot.objects.filter(pk=bot.pk).update(state=Bot.State.PAUSED)
    refused("not_ready", registration.register, cup, Bot.objects.get(pk=bot.pk), by=owner_of(bot))
    Bot.objects.filter(pk=bot.pk).update(state=Bot.State.ACTIVE)
    User.objects.update(email_verified_at=None)
    bot = Bot.objects.get(pk=bot.pk)
    refused("not_ready", registration.register, cup, bot, by=owner_of(bot))
    User.objects.update(email_verified_at=timezone.now())
    bot = Bot.objects.get(pk=bot.pk)
    now = timezone.now()
    for field, at in (("registration_opens_at", 1), ("registration_closes_at", -1)):
        Tournament.objects.update(**{field: now + timedelta(hours=at)})
        refused("not_open", registration.register, cup, bot, by=owner_of(bot))
        Tournament.objects.update(**{field: None})
    enter(cup, 3)
    refused("full", registration.register, cup, bot, by=owner_of(bot))


def test_an_excluded_bot_does_not_come_back() -> None:
    cup = tournament()
    (entry,) = enter(cup, 1)
    registration.exclude(entry, reason="plays for another")
    assert "plays for another" in refused("excluded", registration.enter, cup, entry.bot)
    refused("not_entered", registration.withdraw, entry)


def test_a_draft_and_a_started_one_take_no_entries() -> None:
    cup = started(3)
    refused("not_open", registration.enter, cup, making.bot())
    refused("wrong_phase", tournaments.open_registration, cup)
    refused("wrong_phase", tournaments.start, cup)


@pytest.mark.django_db(transaction=True)
def test_many_who_register_at_once_find_no_more_places_than_there_are() -> None:
    cup = tournament(max_entrants=3)
    bots = [making.bot() for _ in range(8)]

    def join(bot: Bot) -> None:
        with contextlib.suppress(DomainError):
            registration.register(cup, bot, by=owner_of(bot))
        connection.close()

    threads = [threading.Thread(target=join, args=(bot,)) for bot in bots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(entrant.number for entrant in registration.entered(cup)) == [1, 2, 3]


# --- The start --------------------------------------------------------------------------------------------


def test_it_starts_in_time_with_the_versions_of_that_moment_and_publishes_its_lot() -> None:
    cup = tournament(starts_at=timezone.now() + timedelta(hours=1))
    entries = enter(cup, 3)
    tournaments.advance(cup)
    cup.refresh_from_db()
    assert (cup.phase, cup.lot) == ("registration", "")
    Tournament.objects.update(starts_at=timezone.now())
    tournaments.advance(cup)
    cup.refresh_from_db()
    assert cup.phase == "running"
    assert len(cup.lot) == 64
    played = entries[0].bot.active_version
    making.version(entries[0].bot)
    play_out(cup)
    seats = {seat.version for match in Match.objects.all() for seat in match.seats.all()}
    assert played in seats
    assert {version.number for version in seats if version} == {1}


def test_too_few_entrants_cancel_it_with_the_reason() -> None:
    cup = tournament(starts_at=timezone.now(), min_entrants=4)
    enter(cup, 3)
    refused("too_few", tournaments.start, cup)
    tournaments.advance(cup)
    cup.refresh_from_db()
    assert (cup.phase, cup.phase_reason) == ("cancelled", "3 entrants are ready; 4 are needed.")
    assert cup.series
    assert seasons.reveal_secrets() == 1


def test_a_bot_without_a_passed_version_at_the_start_is_not_drawn() -> None:
    cup = tournament()
    entries = enter(cup, 4)
    Bot.objects.filter(pk=entries[1].bot_id).update(active_version=None)
    tournaments.start(cup)
    entry = Entrant.objects.get(pk=entries[1].pk)
    assert (entry.state, entry.reason) == ("excluded", "no version had passed its check at the start")
    assert entry.number not in [line.number for line in standings_of(cup).overall]


# --- Rounds -----------------------------------------------------------------------------------------------


def test_matches_are_of_the_class_tournament_unrated_and_of_its_series() -> None:
    cup = started(6, rotations=3)
    matches = Match.objects.all()
    assert {(m.klass, m.rated, m.series_id) for m in matches} == {("tournament", False, cup.series_id)}
    assert len(matches) == 6
    assert Match.objects.values("block").distinct().count() == 2
    for table in Table.objects.all():
        seats = [
            tuple(s.version_id for s in link.match.seats.all()) for link in table.matches.order_by("rotation")
        ]
        assert seats[1] == seats[0][1:] + seats[0][:1]
        assert seats[2] == seats[0][2:] + seats[0][:2]
        assert len({queue.seed_of(link.match, 1) for link in table.matches.all()}) == 1


def test_a_table_with_an_endpoint_gets_new_cards_in_each_rotation_and_its_clocks() -> None:
    cup = tournament(rotations=3)
    enter(cup, 2)
    enter(cup, 1, kind=Bot.Kind.HTTP)
    tournaments.start(cup)
    tournaments.advance(cup)
    cup.refresh_from_db()
    assert {match.block for match in Match.objects.all()} == {None}
    assert {match.waiting for match in Match.objects.all()} == {True}
    assert all(match.clocks == cup.clocks["http"] for match in Match.objects.all())
    assert len({queue.seed_of(match, 1) for match in Match.objects.select_related("series")}) == 3


@pytest.mark.parametrize(
    ("count", "size", "properties", "rounds", "matches"),
    [
        (9, 3, {"format": "round_robin"}, 4, 12),
        (5, 2, {"format": "round_robin", "rotations": 2}, 5, 20),
        (16, 4, {"format": "round_robin"}, 5, 20),
        (9, 3, {"format": "round_robin", "cycles": 2}, 8, 24),
        (7, 3, {"format": "swiss", "rounds": 3}, 3, 6),
        (8, 4, {"format": "swiss", "rounds": 2, "rotations": 4}, 2, 16),
        (9, 3, {"format": "groups", "groups": 3, "quota": 1, "final_cycles": 2}, 3, 5),
        (12, 3, {"format": "groups", "groups": 2, "quota": 2, "final_cycles": 1}, 5, 14),
    ],
)
def test_each_format_is_played_to_its_podium(
    count: int, size: int, properties: dict[str, object], rounds: int, matches: int
) -> None:
    cup = play_out(started(count, size=size, **properties))
    assert (cup.phase, cup.published_at is not None) == ("finished", True)
    assert cup.schedule.count() == rounds
    assert set(cup.schedule.values_list("state", flat=True)) == {"finished"}
    assert Match.objects.count() == matches
    standings = standings_of(cup)
    assert [line.rank for line in standings.overall] == list(range(1, count + 1))
    assert len(standings.podium) == 3
    assert len({(line.played + line.credited) for line in standings.overall}) == 1 or standings.final


def test_finalists_are_the_best_of_each_group_and_stand_first() -> None:
    cup = play_out(started(12, format="groups", groups=3, quota=2, final_cycles=1))
    standings = standings_of(cup)
    finalists = {line.bot for line in standings.final}
    assert finalists == {line.bot for group in standings.groups for line in group[:2]}
    assert [line.bot for line in standings.overall[:6]] == [line.bot for line in standings.final]
    assert {line.group for line in standings.overall} == {1, 2, 3}
    final = Match.objects.filter(tournament_match__table__round__stage="final")
    assert {seat.name for match in final for seat in match.seats.all()} == finalists


def test_a_round_begins_when_the_one_before_is_over_and_its_time_has_come() -> None:
    cup = started(3, rounds=3, pace_minutes=10)
    first, second, _ = cup.schedule.order_by("number")
    assert (first.state, second.state) == ("running", "planned")
    assert second.starts_at
    assert second.starts_at - cup.started_at >= timedelta(minutes=10)  # type: ignore[operator]
    play_queued(cup)
    tournaments.advance(cup)
    assert [shown.round.state for shown in rounds_of(cup)] == ["finished", "planned", "planned"]
    assert "It begins at" in rounds_of(cup)[1].delay
    Round.objects.filter(pk=second.pk).update(starts_at=timezone.now())
    tournaments.advance(cup)
    assert [shown.round.state for shown in rounds_of(cup)] == ["finished", "running", "planned"]
    assert "1 match waits." in rounds_of(cup)[1].delay


def test_whoever_rests_gets_its_own_average_once_the_round_is_over() -> None:
    cup = started(4, rounds=3)
    rest = Rest.objects.get()
    assert not rest.absent
    play_out(cup)
    lines = standings_of(cup).overall
    assert Counter(line.credited for line in lines) == {1: 3, 0: 1}
    for line in lines:
        own = line.points * line.played / (line.played + line.credited)
        assert own == pytest.approx(round(own * 2) / 2, abs=0.01)


def test_tables_of_another_size_are_played_by_the_rules_for_them() -> None:
    cup = started(5, other_rules=[ONE_DEAL[2]], rounds=1)
    assert sorted(Match.objects.values_list("players", flat=True)) == [2, 3]
    assert not Rest.objects.exists()
    play_out(cup)
    assert {line.points for line in standings_of(cup).overall} <= {0, 0.5, 1, 1.5, 2}


def test_beat_may_come_twice_at_any_time_and_nothing_is_doubled() -> None:
    started(9, format="round_robin")
    for _ in range(5):
        tasks.move_tournaments_on()
    assert Match.objects.count() == 3
    play(Match.objects.order_by("pk")[0])
    tasks.move_tournaments_on()
    assert Match.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_two_beats_at_once_draw_a_round_once() -> None:
    cup = tournament(format="round_robin", starts_at=timezone.now())
    enter(cup, 9)

    def move_on() -> None:
        tournaments.advance(cup)
        connection.close()

    threads = [threading.Thread(target=move_on) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Match.objects.count() == 3
    assert cup.schedule.filter(state="running").count() == 1


def test_a_tournament_that_cannot_move_on_leaves_the_others_alone() -> None:
    for slug in ("broken", "cup"):
        enter(tournament(slug, starts_at=timezone.now()), 3)
    Tournament.objects.filter(slug="broken").update(rules={})
    for _ in range(2):
        tasks.move_tournaments_on()
    assert [match.series.name for match in Match.objects.all()] == ["tournament cup"]
    tasks.move_tournaments_on()


# --- What goes wrong --------------------------------------------------------------------------------------


def test_a_void_match_is_played_again_so_often_and_then_worth_each_ones_average() -> None:
    cup = started(3, rounds=1, rotations=2, repeats=2)
    for attempt in range(3):
        match = Match.objects.filter(state="queued").latest("pk") if attempt else Match.objects.latest("pk")
        results.void(match, reason="the cards were wrong")
        tournaments.advance(cup)
    assert TournamentMatch.objects.filter(replaced=True).count() == 2
    assert TournamentMatch.objects.filter(given_up=True).count() == 1
    cup = play_out(cup)
    assert cup.phase == "finished"
    assert {(line.played, line.credited) for line in standings_of(cup).overall} == {(1, 1)}


def test_a_match_that_an_operator_has_repeated_takes_the_place_of_the_void_one() -> None:
    cup = started(3, rounds=1)
    play_queued(cup)
    (old,) = Match.objects.all()
    new = results.repeat(old, reason="by an operator")
    tournaments.advance(cup)
    assert TournamentMatch.objects.get(replaced=False).match == new
    assert Match.objects.count() == 2
    cup.refresh_from_db()
    assert cup.phase == "running"
    assert play_out(cup).phase == "finished"


def test_a_suspended_bot_sits_out_for_nothing_and_the_others_are_credited() -> None:
    cup = started(6, rounds=2, rotations=2)
    table = Table.objects.get(number=1)
    gone = table.seats.get(index=0).entrant
    play(table.matches.get(rotation=0).match)
    suspend(gone.version)
    tournaments.advance(cup)
    assert table.matches.get(rotation=1).match.state == "void"
    assert gone.bot.name in table.matches.get(rotation=1).match.reason
    cup = play_out(cup)
    lines = {line.number: line for line in standings_of(cup).overall}
    assert (lines[gone.number].played, lines[gone.number].credited) == (1, 0)
    for seat in table.seats.exclude(entrant=gone):
        assert lines[seat.entrant.number].credited >= 1
    assert {line.played + line.credited for number, line in lines.items() if number != gone.number} == {4}
    absent = Rest.objects.get(absent=True)
    assert (absent.entrant, absent.round.number) == (gone, 2)
    assert "3 forfeits in a row" in absent.reason
    assert lines[gone.number].rank is not None


def test_a_bot_that_is_active_again_plays_on_in_the_next_round() -> None:
    cup = started(3, rounds=3, format="swiss")
    gone = Entrant.objects.order_by("number")[0]
    play_queued(cup)
    suspend(gone.version)
    tournaments.advance(cup)
    assert not Match.objects.filter(state="queued").exists()
    Bot.objects.update(state=Bot.State.ACTIVE)
    cup = play_out(cup)
    line = next(line for line in standings_of(cup).overall if line.number == gone.number)
    assert (line.played, line.credited) == (2, 0)


def test_whoever_withdraws_keeps_its_results_but_has_no_rank() -> None:
    cup = started(9, format="round_robin")
    play_queued(cup)
    gone = Entrant.objects.get(number=5)
    registration.withdraw(gone)
    cup = play_out(cup)
    lines = standings_of(cup).overall
    assert (lines[-1].number, lines[-1].rank, lines[-1].played) == (5, None, 1)
    assert [line.rank for line in lines[:-1]] == list(range(1, 9))
    assert {line.played + line.credited for line in lines[:-1]} == {4}
    assert not Match.objects.filter(seats__version=gone.version).exclude(
        pk__lte=3 + Match.objects.earliest("pk").pk
    )


def test_a_bot_that_does_not_start_gets_nothing_for_it_and_its_opponents_their_average() -> None:
    cup = started(3, rounds=2, repeats=0)
    match = Match.objects.get()
    claim = queue.claim(match.pk, "tester")
    assert claim
    results.refused(match.pk, claim.attempt, seat=1, code="refused", message="not today")
    tournaments.advance(cup)
    play_queued(cup)
    tournaments.advance(cup)
    names = [seat.name for seat in match.seats.all()]
    lines = {line.bot: line for line in standings_of(cup).overall}
    assert [(lines[name].played, lines[name].credited) for name in names] == [(1, 1), (1, 0), (1, 1)]


def test_an_operator_voids_a_finished_match_and_the_standings_follow() -> None:
    cup = play_out(started(3, rounds=1, rotations=2, objection_hours=1))
    assert (cup.phase, cup.published_at) == ("finished", None)
    first, second = TournamentMatch.objects.order_by("rotation")
    tournaments.void_match(first, reason="a wrong deal")
    assert {(line.played, line.credited) for line in standings_of(cup).overall} == {(1, 1)}
    new = tournaments.void_match(second, reason="once more", again=True)
    refused("not_over", tournaments.publish, cup)
    play(new)
    tournaments.advance(cup)
    assert {(line.played, line.credited) for line in standings_of(cup).overall} == {(1, 1)}
    Tournament.objects.update(finished_at=timezone.now() - timedelta(hours=2))
    tournaments.advance(cup)
    cup.refresh_from_db()
    assert cup.published_at
    refused("published", tournaments.void_match, TournamentMatch.objects.get(match=new), reason="too late")


def test_a_published_result_stands_whatever_happens_to_its_matches() -> None:
    cup = play_out(started(6, rounds=2))
    before = standings_of(cup)
    assert cup.result is not None
    results.void(Match.objects.earliest("pk"), reason="too late")
    assert standings_of(Tournament.objects.get()) == before
    refused("published", tournaments.publish, cup)


def test_the_secret_is_revealed_once_the_result_is_published_and_tells_the_lot() -> None:
    cup = play_out(started(3, rounds=1))
    assert seasons.reveal_secrets() == 1
    series = Series.objects.get(tournament=cup)
    assert series.revealed_at
    assert published_lot(bytes(series.secret)).seed.hex() == cup.lot


def test_a_cancelled_tournament_voids_what_is_open_and_moves_no_more() -> None:
    cup = started(6)
    play(Match.objects.earliest("pk"))
    tournaments.cancel(cup, reason="the hall is closed")
    tournaments.advance(cup)
    assert sorted(Match.objects.values_list("state", flat=True)) == ["finished", "void"]
    refused("wrong_phase", tournaments.cancel, cup)
    refused("not_over", tournaments.publish, cup)


def test_the_same_results_and_lot_draw_the_same_swiss_round() -> None:
    cup = started(9, rounds=3)
    play_queued(cup)
    tournaments.advance(cup)
    drawn = [
        [seat.entrant_id for seat in table.seats.all()] for table in Table.objects.filter(round__number=2)
    ]
    Round.objects.filter(number=2).delete()
    Match.objects.filter(state="queued").delete()
    Round.objects.create(tournament=cup, number=2, stage="main")
    tournaments.advance(cup)
    again = [
        [seat.entrant_id for seat in table.seats.all()] for table in Table.objects.filter(round__number=2)
    ]
    assert drawn == again


@pytest.mark.parametrize("count", [6, 12])
def test_standings_and_rounds_need_as_many_queries_for_many_as_for_few(
    count: int, django_assert_num_queries: object
) -> None:
    cup = started(count, rounds=2)
    play_queued(cup)
    tournaments.advance(cup)
    with django_assert_num_queries(4):  # type: ignore[operator]
        standings_of(cup)
    with django_assert_num_queries(15):  # type: ignore[operator]
        rounds_of(cup)


def test_a_bot_that_its_author_withdraws_from_the_service_leaves_the_tournament() -> None:
    cup = started(6, rounds=2)
    gone = Entrant.objects.get(number=2)
    Bot.objects.filter(pk=gone.bot_id).update(state=Bot.State.WITHDRAWN)
    cup = play_out(cup)
    line = standings_of(cup).overall[-1]
    assert (line.number, line.rank, line.state) == (2, None, "withdrawn")


def test_anybody_can_draw_the_schedule_again_from_what_is_published() -> None:
    cup = started(10, format="round_robin")
    plans = list(cup.schedule.order_by("number").values_list("plan", flat=True))
    again = round_robin.schedule(range(1, 11), Sizes(3), Lot(bytes.fromhex(cup.lot)))
    assert plans == [
        {"tables": [list(table) for table in draw.tables], "byes": list(draw.byes)} for draw in again
    ]


@pytest.mark.parametrize("seed", [0, 1, 4, 5, 6, 7])  # each format at tables of two and of three
def test_whatever_happens_a_tournament_ends_and_nobody_gets_more_than_its_rounds(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(["round_robin", "swiss", "groups"])
    size = rng.choice([2, 3])
    cup = started(
        rng.randrange(size + 3, 11),
        size=size,
        format=kind,
        rounds=4,
        rotations=2,
        repeats=rng.randrange(3),
        groups=2,
        quota=size,
        final_cycles=1,
    )
    ill: set[int] = set()
    for _ in range(400):
        tournaments.advance(cup)
        cup.refresh_from_db()
        if cup.phase != "running":
            break
        queued = list(Match.objects.filter(series=cup.series, state="queued").order_by("pk"))
        match = rng.choice(queued) if queued else None
        entrant = rng.choice(list(Entrant.objects.filter(state="entered").select_related("version")))
        chance = rng.random()
        if chance < 0.05:
            suspend(entrant.version)
            ill.add(entrant.number)
        elif chance < 0.10:
            Bot.objects.filter(state="suspended").update(state="active")
        elif chance < 0.12 and registration.entered(cup).count() > size + 2:
            registration.withdraw(entrant)
            ill.add(entrant.number)
        elif match is not None and chance < 0.25:
            results.void(match, reason="at random")
        elif match is not None:
            play(match)
    assert (cup.phase, cup.published_at is not None) == ("finished", True)
    assert not TournamentMatch.objects.filter(match__state__in=["queued", "running"]).exists()
    for round_ in cup.schedule.all():
        seated = [seat.entrant_id for table in round_.tables.all() for seat in table.seats.all()]
        seated += [rest.entrant_id for rest in round_.rests.all()]
        assert len(seated) == len(set(seated))
    standings = standings_of(cup)
    assert sorted(line.rank for line in standings.overall if line.rank) == list(
        range(1, sum(line.rank is not None for line in standings.overall) + 1)
    )
    for stage, lines in (("main", standings.overall), ("final", standings.final)):
        rounds = cup.schedule.filter(stage=stage).count() if kind != "groups" or stage == "final" else 0
        for line in lines if rounds else []:
            most = rounds * cup.rotations
            assert line.played + line.credited <= most
            assert line.number in ill or line.played + line.credited == most
