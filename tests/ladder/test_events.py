"""Events: registration, substitutes, blocks that the challenger plays again, teams behind a barrier, shows, results."""

import dataclasses
import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from botapi.errors import DomainError
from botapi.models import Bot
from engine import PRESETS, Game, RuleSet
from games import people, queries, queue, results
from games.models import Match, MatchRecord
from games.people_models import Person, TableSeat
from ladder import seasons
from ladder.events import registration, running, tables
from ladder.events.models import Event, EventBot, EventEntry, EventTable
from ladder.events.results import results as results_of
from ladder.events.scores import Difference, difference, replayed, rotated, t95
from tests.games import making

pytestmark = pytest.mark.django_db
RULES = dataclasses.replace(PRESETS["pl-3"], deal_limit=4)
GENEROUS = dataclasses.replace(PRESETS["pl-3"], redeal_below=18)
Phase, Format, State = Event.Phase, Event.Format, EventEntry.State


def organiser():
    return making.author(is_organiser=True)


def event(kind=Format.OPEN, bots=("greedy", "counter"), rules=RULES, **changes):
    """An event in registration that starts in an hour, its bots the house's."""
    now = timezone.now()
    given = {
        "format": kind,
        "blocks": 2,
        "deals": 3,
        "starts_at": now + timedelta(hours=1),
        "ends_at": now + timedelta(days=2) if kind == Format.OPEN else None,
    }
    made = running.create_event(
        f"event-{next(making.numbers)}", name="Cup", ruleset=rules, organiser=organiser(), **given | changes
    )
    for name, role in zip(bots, ("challenger", "opponent"), strict=False):
        registration.ask_bot(made, making.house(name).bot, role)
    return running.open_registration(made)


def person():
    user = making.author()
    return Person.objects.create(alias=user.username, user=user)


def enter(where, alias="", **changes):
    return registration.enter(
        where,
        person(),
        **{"alias": alias or f"Player {next(making.numbers)}", "rules": True, "consent": True} | changes,
    )


def begin(where, *entries):
    """Check these in and start; the event and its entries as they are then."""
    running.open_check_in(where)
    for entry in entries:
        registration.check_in(entry, device={"stream": "ok"})
    running.start(where)
    where.refresh_from_db()
    return [EventEntry.objects.select_related("event", "person").get(pk=entry.pk) for entry in entries]


def play(match):
    """Play a queued match as the same careful player in every seat."""
    claim = queue.claim(match.pk, "tester")
    assert results.finish(match.pk, claim.attempt, making.result_of(claim))


def play_all(where):
    """Play and move on until nothing is open."""
    running.advance(where)
    while open_matches := Match.objects.filter(series=where.series_id, state="queued"):
        for match in open_matches:
            play(match)
        running.advance(where)
    where.refresh_from_db()


# --- Scores -----------------------------------------------------------------------------------------------


def deals(*scores):
    return {"deals": [{"void": False, "scores": list(one)} for one in scores]}


def test_a_block_counts_seat_by_seat_on_the_same_cards_without_void_deals():
    mine, other = deals((10, 0, 0), (0, 60, 0), (5, 5, 5)), deals((0, 0, 0), (0, 100, 0), (5, 10, 5))
    assert replayed(mine, other, 0) == 10
    assert replayed(mine, other, 1) == -45
    assert replayed(mine, other, 1, void={2}) == -5


def test_deals_that_were_passed_out_are_not_counted():
    mine = {"deals": [{"void": True, "scores": [0, 0, 0]}, *deals((7, 0, 0))["deals"]]}
    assert replayed(mine, deals((3, 0, 0)), 0) == 4


def test_a_team_is_worth_what_its_people_make_more_than_the_bots_in_each_seat():
    rotation = [deals((100, 0, 20)), deals((60, 30, 20)), deals((60, 0, 40))]
    assert rotated(rotation) == (100 - 60) + (30 - 0) + (40 - 20)


def test_an_interval_that_holds_nought_is_a_draw_and_one_block_says_nothing():
    assert difference([50]) == Difference(50.0, None, 1)
    assert difference([50]).verdict == "draw"
    assert difference([10, -10, 5]).verdict == "draw"
    assert difference([50, 52, 51]).verdict == "won"
    assert difference([-50, -52, -51]).verdict == "lost"


def test_the_interval_is_students():
    found = difference([1, 2, 3, 4, 5])
    assert found.margin == pytest.approx(2.776 * 1.5811388 * 5**0.5)
    assert [t95(freedom) for freedom in (1, 10, 12, 15, 1000)] == [12.706, 2.228, 2.228, 2.131, 1.98]


# --- Who takes part ---------------------------------------------------------------------------------------


def test_whoever_registers_confirms_the_rules_and_that_some_seats_are_bots():
    where = event()
    for missing in ("rules", "consent"):
        with pytest.raises(DomainError, match="some seats are bots"):
            enter(where, **{missing: False})
    assert where.entries.count() == 0
    entry = enter(where, alias="Zofia")
    assert (entry.state, entry.alias) == (State.ENTERED, "Zofia")
    assert registration.enter(where, entry.person, alias="Other", rules=True, consent=True) == entry


def test_a_guest_cannot_register():
    with pytest.raises(DomainError, match="Log in"):
        registration.enter(
            event(), Person.objects.create(alias="Guest"), alias="Gu", rules=True, consent=True
        )


def test_an_alias_is_one_persons_and_no_bots_or_accounts_name():
    where = event()
    taken = enter(where, alias="Zofia")
    for alias in ("zofia", "greedy", taken.person.user.username, "Acacia Bunting"):
        with pytest.raises(DomainError, match="taken"):
            enter(where, alias=alias)
    with pytest.raises(DomainError, match="2 to 24"):
        enter(where, alias="x")


def test_given_aliases_come_from_the_secret_and_differ():
    where = event(aliases=Event.Aliases.GIVEN)
    names = [enter(where).alias for _ in range(5)]
    assert len(set(names)) == 5
    assert names == registration.aliases_in_order(where)[:5]


def test_beyond_the_places_are_substitutes_who_move_up_when_somebody_leaves():
    where = event(places=1)
    first, second = enter(where), enter(where)
    assert second.state == State.SUBSTITUTE
    registration.leave(first)
    second.refresh_from_db()
    assert second.state == State.ENTERED


def test_whoever_does_not_check_in_is_replaced_by_a_substitute_who_did():
    where = event(places=1)
    absent, there = enter(where), enter(where)
    begin(where, there)
    assert {entry.pk: entry.state for entry in where.entries.all()} == {
        absent.pk: State.MISSED,
        there.pk: State.PLAYING,
    }


def test_a_bot_sits_only_after_its_author_agreed():
    where, version = event(bots=()), making.sandboxed()
    asked = registration.ask_bot(where, version.bot, "challenger")
    registration.ask_bot(where, making.house("greedy").bot, "opponent")
    entry = enter(where)
    running.open_check_in(where)
    registration.check_in(entry, device={})
    with pytest.raises(DomainError, match="No bot has agreed"):
        running.start(where)
    with pytest.raises(DomainError, match="Only its author"):
        registration.answer_for_bot(asked, by=making.author(), agrees=True)
    registration.answer_for_bot(asked, by=version.bot.owner, agrees=True)
    running.start(where)
    assert tables.versions(where, "challenger") == [version]


def test_an_event_without_people_or_bots_is_cancelled_at_its_start_with_the_reason():
    where = event()
    with time_machine.travel(where.starts_at + timedelta(seconds=1), tick=False):
        running.advance(where)
    where.refresh_from_db()
    assert (where.phase, where.phase_reason) == (Phase.CANCELLED, "Too few people have checked in.")


def test_check_in_opens_by_itself():
    where = event()
    with time_machine.travel(where.starts_at - timedelta(minutes=29), tick=False):
        running.advance(where)
    where.refresh_from_db()
    assert where.phase == Phase.CHECK_IN


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"blocks": 0}, "1 to 100 blocks"),
        ({"ends_at": None}, "until when"),
        ({"kind": Format.SHOW, "people_at_table": 4}, "At a table"),
        ({"kind": Format.TEAM, "places": 2}, "each seat"),
        ({"kind": Format.SHOW, "people_at_table": 2}, "alias by lot"),
        ({"starts_at": datetime(1, 1, 1, tzinfo=UTC)}, "in the past"),
    ],
)
def test_an_event_that_cannot_be_played_is_refused_in_words(wrong, words):
    with pytest.raises(DomainError, match=words):
        event(**wrong)


def test_only_an_organiser_makes_events():
    with pytest.raises(DomainError, match="organiser"):
        running.create_event("x", name="X", ruleset=RULES, organiser=making.author())


# --- Open -------------------------------------------------------------------------------------------------


def test_the_challenger_plays_the_same_seat_cards_and_opponents_and_a_twin_is_a_draw():
    where = event()
    (entry,) = begin(where, enter(where))
    for position in (1, 2):
        match = running.begin_block(entry)
        assert running.begin_block(entry) == match, "a block that is not over is gone on with"
        assert match.seats.get(person=entry.person).index == position - 1
        assert match.seats.get(person=entry.person).name == entry.alias
        play(match)
        running.advance(where)
        again = Match.objects.exclude(pk=match.pk).filter(series=where.series_id, block=match.block).get()
        own = match.seats.get(person=entry.person)
        assert again.seats.get(index=own.index).version.bot.name == "greedy"
        others = list(match.seats.exclude(pk=own.pk).values_list("index", "version"))
        assert list(again.seats.exclude(index=own.index).values_list("index", "version")) == others
        play(again)
    with pytest.raises(DomainError, match="all your blocks"):
        running.begin_block(entry)
    play_all(where)
    assert where.phase == Phase.FINISHED
    assert where.published_at is not None
    (line,) = where.result["lines"]
    assert line["alias"] == entry.alias
    assert line["difference"] == {"total": 0.0, "margin": 0.0, "n": 2, "verdict": "draw"}
    decks = [
        [deal["deck"] for deal in queries_record(table)["deals"]] for table in where.tables.order_by("pk")
    ]
    assert decks[0] == decks[1] != decks[2]


def queries_record(table):
    return json.loads(table.match.record.body)


def test_a_last_block_that_ends_while_the_event_moves_on_is_compared_all_the_same(monkeypatch):
    show = event(blocks=1)
    (entry,) = begin(show, enter(show))
    match = running.begin_block(entry)
    playing = running._playing  # between the two looks at the tables

    def meanwhile(where):
        play(match)
        return playing(where)

    monkeypatch.setattr(running, "_playing", meanwhile)
    running.advance(show)
    monkeypatch.undo()
    show.refresh_from_db()
    assert show.phase == Phase.RUNNING
    play_all(show)
    assert show.phase == Phase.FINISHED
    assert EventTable.objects.filter(event=show, entry__isnull=True, match__state="finished").count() == 1


def test_who_withdrew_since_the_page_was_read_is_dealt_no_block():
    show = event()
    _, entry = begin(show, enter(show), enter(show))
    read_before = EventEntry.objects.select_related("event", "person").get(pk=entry.pk)
    registration.leave(EventEntry.objects.get(pk=entry.pk))
    with pytest.raises(DomainError, match="You take no part"):
        running.begin_block(read_before)


def test_two_people_never_meet_the_same_cards():
    where = event()
    first, second = begin(where, enter(where), enter(where))
    a, b = running.begin_block(first), running.begin_block(second)
    assert a.block != b.block
    assert queue.seed_of(a, 1) != queue.seed_of(b, 1)


def test_until_the_publication_no_match_of_an_event_is_in_any_list():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    match = running.begin_block(entry)
    assert people.table_state(match.pk, entry.person).people == (0,)
    play(match)
    running.advance(where)
    assert not queries.matches().filter(series=where.series_id).exists()
    assert not queries.match_details().filter(pk=match.pk).exists()
    play_all(where)
    assert queries.matches().filter(series=where.series_id).count() == 2
    assert seasons.reveal_secrets() == 1


def test_a_void_deal_counts_at_no_table():
    where = event(blocks=2)
    (entry,) = begin(where, enter(where))
    play(running.begin_block(entry))
    table = EventTable.objects.get(entry=entry)
    before = results_of(where)
    running.void_deal(table.block, deal=2, reason="a card was shown", by=where.organiser)
    running.void_deal(table.block, deal=2, reason="again", by=where.organiser)
    assert before.lines == ()
    running.advance(where)
    play(Match.objects.get(series=where.series_id, state="queued"))
    found = results_of(where).lines[0]
    scores = [deal["scores"][table.seat] for deal in queries_record(table)["deals"] if not deal["void"]]
    assert found.points == sum(scores) - scores[1]
    with pytest.raises(DomainError, match="no such deal"):
        running.void_deal(table.block, deal=4, reason="", by=where.organiser)


def test_a_block_that_the_service_lost_is_played_again_on_other_cards():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    lost = running.begin_block(entry)
    results.void(lost, reason="lost")
    again = running.begin_block(entry)
    assert again.block != lost.block


def test_the_event_ends_in_time_with_what_was_played():
    where = event(blocks=5)
    (entry,) = begin(where, enter(where))
    play(running.begin_block(entry))
    with time_machine.travel(where.ends_at + timedelta(seconds=1), tick=False):
        with pytest.raises(DomainError, match="time for new blocks is over"):
            running.begin_block(entry)
        running.advance(where)
        play_all(where)
    assert where.phase == Phase.FINISHED
    assert where.result["lines"][0]["difference"]["n"] == 1


def refuse(match, bot, code="refused"):
    """A worker begins a match, and this bot will not, in its first seat."""
    claim = queue.claim(match.pk, "tester")
    seat = match.seats.filter(version=bot).order_by("index")[0].index
    assert results.refused(match.pk, claim.attempt, seat=seat, code=code, message="not now")


def hired(where, role):
    """A bot of an author who agreed, in this role."""
    version = making.sandboxed()
    asked = registration.ask_bot(where, version.bot, role)
    registration.answer_for_bot(asked, by=version.bot.owner, agrees=True)
    return version


@pytest.mark.parametrize("code", ["refused", "start"])
def test_a_challenger_that_will_not_begin_takes_no_block_from_a_person(code, client):
    where = event(blocks=2, bots=())
    challenger = hired(where, "challenger")
    registration.ask_bot(where, making.house("greedy").bot, "opponent")
    stand_in = making.house("counter")
    (entry,) = begin(where, enter(where))
    play(running.begin_block(entry))
    for _ in range(tables.REFUSALS):
        running.advance(where)
        refuse(Match.objects.get(series=where.series_id, state="queued"), challenger, code)
    running.advance(where)
    again = Match.objects.get(series=where.series_id, state="queued")
    assert again.seats.get(index=0).version == stand_in
    play(again)
    running.advance(where)
    play(running.begin_block(entry))
    play_all(where)
    assert where.phase == Phase.FINISHED
    assert where.result["lines"][0]["difference"]["n"] == 2
    client.force_login(where.organiser)
    page = client.get(f"/events/{where.slug}/organise/").content.decode()
    assert page.count("a house bot sits in its place") == 1


def test_an_opponent_that_will_not_begin_does_not_keep_a_person_from_playing():
    where = event(blocks=1, bots=("greedy",))
    opponent = hired(where, "opponent")
    making.house("counter")
    (entry,) = begin(where, enter(where))
    for _ in range(tables.REFUSALS):
        refuse(running.begin_block(entry), opponent)
    match = running.begin_block(entry)
    assert not match.seats.filter(version=opponent).exists()
    play(match)
    running.advance(where)
    again = Match.objects.get(series=where.series_id, state="queued")
    own = match.seats.exclude(person=None).get()
    others = list(match.seats.exclude(pk=own.pk).values_list("index", "version"))
    assert list(again.seats.exclude(index=own.index).values_list("index", "version")) == others
    play_all(where)
    assert where.result["lines"][0]["difference"]["n"] == 1


def test_the_challenger_meets_the_opponents_whom_the_person_met_even_if_one_of_them_left_since():
    where = event(blocks=2, bots=("greedy",))
    opponent = hired(where, "opponent")
    making.house("counter")
    first, second = begin(where, enter(where), enter(where))
    match = running.begin_block(first)
    play(match)
    for _ in range(tables.REFUSALS):
        refuse(running.begin_block(second), opponent)
    running.advance(where)
    again = Match.objects.get(series=where.series_id, state="queued")
    assert again.seats.filter(version=opponent).count() == 2
    assert not running.begin_block(second).seats.filter(version=opponent).exists()


def test_a_block_whose_opponent_refuses_at_the_challengers_table_alone_is_played_again_without_it(client):
    where = event(blocks=2, bots=("greedy",))
    opponent = hired(where, "opponent")
    stand_in = making.house("counter")
    (entry,) = begin(where, enter(where))
    first = running.begin_block(entry)
    play(first)
    for _ in range(tables.REFUSALS):
        running.advance(where)
        refuse(Match.objects.get(series=where.series_id, state="queued"), opponent)
    running.advance(where)
    assert not Match.objects.filter(series=where.series_id, state="queued").exists()
    client.force_login(entry.person.user)
    shown = client.get(f"/events/{where.slug}/").content.decode()
    assert "1 block that you played could not be compared" in shown
    assert "2 blocks are left" in shown
    client.force_login(where.organiser)
    page = client.get(f"/events/{where.slug}/organise/").content.decode()
    assert page.count("could not be compared") == 1
    for seat in (0, 1):
        match = running.begin_block(entry)
        assert match.block != first.block
        assert match.seats.get(person=entry.person).index == seat
        assert match.seats.filter(version=stand_in).count() == 2
        play(match)
    play_all(where)
    assert where.phase == Phase.FINISHED
    assert where.result["lines"][0]["difference"]["n"] == 2


def test_a_challengers_table_that_the_service_always_loses_costs_the_person_no_block():
    where = event(blocks=1)
    (entry,) = begin(where, enter(where))
    play(running.begin_block(entry))
    for _ in range(tables.REPEATS + 1):
        running.advance(where)
        results.void(Match.objects.get(series=where.series_id, state="queued"), reason="lost")
    running.advance(where)
    where.refresh_from_db()
    assert where.phase == Phase.RUNNING
    play(running.begin_block(entry))
    play_all(where)
    assert where.phase == Phase.FINISHED
    assert where.result["lines"][0]["difference"]["n"] == 1


def test_a_person_who_never_begins_their_blocks_holds_nobody_up_beyond_the_end():
    where = event(blocks=2)
    entries = begin(where, enter(where), enter(where))
    play(running.begin_block(entries[0]))
    running.advance(where)
    assert where.phase == Phase.RUNNING
    with time_machine.travel(where.ends_at + timedelta(seconds=1), tick=False):
        play_all(where)
    assert where.phase == Phase.FINISHED
    assert [line["alias"] for line in where.result["lines"]] == [entries[0].alias]


# --- Team -------------------------------------------------------------------------------------------------


def test_a_team_takes_the_seats_of_each_deal_all_at_once_and_a_twin_team_draws():
    where = event(Format.TEAM, blocks=1, deals=4, bots=("greedy",))
    entries = begin(where, *(enter(where) for _ in range(3)))
    assert {entry.team for entry in entries} == {1}
    for position in range(1, 5):
        block = where.card_blocks.get(position=position)
        seats = {table.entry_id: table.seat for table in block.tables.all()}
        assert sorted(seats.values()) == [0, 1, 2]
        matches = [table.match for table in block.tables.select_related("match")]
        for match in matches[:2]:
            play(match)
            running.advance(where)
            assert not where.card_blocks.filter(position=position + 1).exists(), "the barrier holds"
        play(matches[2])
        running.advance(where)
    where.refresh_from_db()
    assert where.phase == Phase.FINISHED
    (line,) = where.result["lines"]
    assert (line["team"], line["difference"]["total"]) == (1, 0.0)


def test_a_bot_that_will_not_begin_does_not_end_a_teams_event():
    where = event(Format.TEAM, blocks=1, deals=3, bots=())
    bad = [hired(where, "challenger") for _ in range(2)]
    making.house("counter")
    begin(where, *(enter(where) for _ in range(3)))
    for _ in range(40):
        for match in Match.objects.filter(series=where.series_id, state="queued"):
            unwilling = [bot for bot in bad if match.seats.filter(version=bot).exists()]
            if unwilling:
                refuse(match, unwilling[0])
            else:
                play(match)
        running.advance(where)
    where.refresh_from_db()
    assert where.phase == Phase.FINISHED
    assert where.result["lines"][0]["difference"]["n"] == 3


def give_back(match):
    """Play a queued match of one deal as if somebody had been dealt too little, and gave the cards back."""
    claim = queue.claim(match.pk, "tester")
    rules = RuleSet.from_json(match.rules)
    seeds = (number.to_bytes(32, "big") for number in range(10_000))
    seed = next(found for found in seeds if Game(rules, seed=found).phase == "redeal")
    game = Game(rules, seed=seed)
    game.apply("redeal")
    assert game.result.reason == "deal_limit", "a deal that was given back is one of the limit"
    Match.objects.filter(pk=match.pk).update(state="finished", finished_at=timezone.now())
    seats = [{"name": seat.name, "version": ""} for seat in match.seats.order_by("index")]
    body = json.dumps(game.record(match=str(match.pk), seats=seats))
    MatchRecord.objects.create(match=match, body=body, sha256=f"{match.pk:064}")
    assert claim


def test_a_deal_that_somebody_gave_back_is_not_one_of_a_teams_deals():
    where = event(Format.TEAM, blocks=1, deals=2, bots=("greedy",), rules=GENEROUS)
    begin(where, *(enter(where) for _ in range(3)))
    (first, *others) = Match.objects.filter(series=where.series_id, state="queued")
    give_back(first)
    for match in others:
        play(match)
    play_all(where)
    assert where.phase == Phase.FINISHED
    assert where.result["lines"][0]["difference"]["n"] == 2
    assert where.card_blocks.count() == 3
    assert where.card_blocks.filter(void_deals__reason="").count() == 1


def test_deals_that_are_always_given_back_end_all_the_same():
    where = event(Format.TEAM, blocks=1, deals=1, bots=("greedy",), rules=GENEROUS)
    begin(where, *(enter(where) for _ in range(3)))
    for _ in range(6):
        for match in Match.objects.filter(series=where.series_id, state="queued"):
            give_back(match)
        running.advance(where)
    where.refresh_from_db()
    assert where.phase == Phase.FINISHED
    assert where.result["lines"] == []


def test_a_block_compares_what_both_finished_of_the_same_cards():
    """By the rules a deal that was given back is one of the block's; whoever has fewer is compared as far as that."""
    mine = {"deals": [*deals((10, 0, 0))["deals"], {"void": True, "scores": [0, 0, 0]}]}
    other = deals((30, 0, 0), (500, 0, 0))
    assert replayed(mine, other, 0) == -20


def test_people_beyond_whole_teams_stay_substitutes():
    where = event(Format.TEAM, bots=("greedy",))
    begin(where, *(enter(where) for _ in range(4)))
    assert where.entries.filter(state=State.PLAYING).count() == 3
    assert where.entries.filter(state=State.SUBSTITUTE).count() == 1


# --- Show -------------------------------------------------------------------------------------------------


def test_a_show_seats_people_and_bots_by_lot_under_names_that_tell_nothing():
    where = event(Format.SHOW, people_at_table=2, blocks=2, aliases=Event.Aliases.GIVEN)
    entries = begin(where, *(enter(where) for _ in range(4)))
    aliases = {entry.alias for entry in entries}
    first = list(where.tables.filter(round=1).select_related("match"))
    assert len(first) == 2
    for table in first:
        seats = list(table.match.seats.all())
        assert sum(seat.person_id is not None for seat in seats) == 2
        for seat in seats:
            assert (seat.name in aliases) == (seat.person_id is not None)
            assert not Bot.objects.filter(name=seat.name).exists()
        assert table.match.block is None
    play_all(where)
    assert where.phase == Phase.FINISHED
    assert {line["alias"] for line in where.result["lines"]} == aliases
    assert all(line["difference"]["n"] == 2 for line in where.result["lines"])


def test_whoever_leaves_a_show_is_drawn_no_more():
    where = event(Format.SHOW, people_at_table=1, blocks=2)
    entries = begin(where, enter(where), enter(where))
    registration.leave(entries[0])
    play_all(where)
    assert where.tables.filter(round=2).count() == 1


def test_whoever_leaves_in_mid_play_has_a_house_bot_in_the_seat_at_once():
    where = event(Format.SHOW, people_at_table=1)
    (entry,) = begin(where, enter(where))
    (table,) = EventTable.objects.filter(event=where)
    own = TableSeat.objects.get(seat__match=table.match)
    registration.leave(entry)
    own.refresh_from_db()
    assert own.away


def test_a_seat_of_an_event_that_somebody_withdrew_from_is_a_house_bots_to_the_end():
    where = event()
    entry, other = begin(where, enter(where), enter(where))
    match, theirs = running.begin_block(entry), running.begin_block(other)
    registration.leave(entry)
    with pytest.raises(DomainError, match="to the end") as refused:
        people.come_back(match.pk, entry.person)
    assert refused.value.code == "given_up"
    assert TableSeat.objects.get(seat__match=match).away
    people.come_back(theirs.pk, other.person)
    with pytest.raises(DomainError, match="no such table"):
        people.come_back(match.pk, other.person)


def test_a_cancelled_event_leaves_no_open_match():
    where = event()
    (entry,) = begin(where, enter(where))
    match = running.begin_block(entry)
    running.cancel(where, reason="rain")
    match.refresh_from_db()
    assert match.state == "void"
    assert EventBot.objects.filter(event=where).count() == 2
