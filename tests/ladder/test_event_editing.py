"""An organiser changes an event: all of a draft, in registration what harms nobody, and nothing from check-in on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from botapi.errors import DomainError
from engine import PRESETS
from ladder.events import editing, registration, running
from ladder.events.models import Event, EventBot
from tests.games import making
from tests.ladder.test_event_pages import browser, press
from tests.ladder.test_events import begin, enter, event

pytestmark = pytest.mark.django_db
JSON = {"content_type": "application/json"}
Format, Phase = Event.Format, Event.Phase


def draft(kind=Format.SHOW, **changes):
    """An event that nobody but its organiser sees yet."""
    given = {
        "format": kind,
        "starts_at": timezone.now() + timedelta(hours=2),
        "ends_at": timezone.now() + timedelta(days=1),
    }
    return running.create_event(
        f"draft-{next(making.numbers)}",
        name="Cup",
        ruleset=PRESETS["pl-3"],
        organiser=making.author(is_organiser=True),
        **given | changes,
    )


def refusal(where, **changes):
    """Why these changes are refused; nothing of them is kept."""
    before = Event.objects.values().get(pk=where.pk)
    with pytest.raises(DomainError) as caught:
        editing.edit_event(where, **changes)
    assert Event.objects.values().get(pk=where.pk) == before
    return caught.value.code


def filled_in(form):
    """What a browser sends of a form that nobody touched."""
    fields = {bound.name: bound.value() for bound in form if bound.value() is not None}
    return fields | {name: f"{fields[name]:%Y-%m-%dT%H:%M}" for name in ("starts_at", "ends_at")}


def test_everything_of_a_draft_can_be_changed():
    where = draft()
    start = timezone.now() + timedelta(days=3)
    changed = editing.edit_event(
        where,
        ruleset=PRESETS["pl-2"],
        slug="other",
        name="Other",
        format=Format.TEAM,
        places=8,
        blocks=1,
        deals=2,
        aliases=Event.Aliases.GIVEN,
        starts_at=start,
        ends_at=None,
    )
    found = Event.objects.get(slug="other")
    assert (found.pk, found.name, found.format, found.players) == (where.pk, "Other", "team", changed.players)
    assert found.players == found.rules["players"] != where.players
    assert (found.starts_at, found.ends_at, found.aliases) == (start, None, "given")


def test_a_draft_that_could_not_be_played_or_has_anothers_address_is_refused():
    where, other = draft(), draft()
    assert refusal(where, blocks=0) == "bad_event"
    assert refusal(where, slug=other.slug) == "bad_event"
    assert refusal(where, slug="new") == "bad_event"


@pytest.mark.parametrize(
    "changes",
    [
        {"format": Format.SHOW},
        {"ruleset": PRESETS["cz-3"]},
        {"blocks": 3},
        {"deals": 4},
        {"people_at_table": 2},
        {"aliases": Event.Aliases.GIVEN},
        {"slug": "elsewhere"},
    ],
)
def test_what_people_registered_for_is_fixed(changes):
    assert refusal(event(), notes="x", **changes) == "fixed"


def test_in_registration_notes_and_dates_to_come_can_be_changed():
    where, now = event(), timezone.now()
    for moment in (now + timedelta(minutes=50), now + timedelta(hours=5)):
        editing.edit_event(
            where, notes="Bring tea.", starts_at=moment, publishes_at=moment + timedelta(days=3)
        )
        where.refresh_from_db()
        assert (where.starts_at, where.notes, where.publishes_at) == (
            moment,
            "Bring tea.",
            moment + timedelta(days=3),
        )
    assert refusal(where, starts_at=now - timedelta(minutes=1)) == "in_the_past"
    assert refusal(where, starts_at=now + timedelta(minutes=29)) == "in_the_past", "check-in would be over"
    assert refusal(where, check_in_minutes=1000) == "in_the_past"
    assert refusal(where, publishes_at=now - timedelta(days=1)) == "in_the_past"
    assert refusal(where, ends_at=now + timedelta(hours=1)) == "bad_event", "it would end before it starts"


def test_places_become_more_for_the_substitutes_and_never_less():
    where = event(places=1)
    first, second, third = enter(where), enter(where), enter(where)
    editing.edit_event(where, places=2)
    for entry, state in ((first, "entered"), (second, "entered"), (third, "substitute")):
        entry.refresh_from_db()
        assert entry.state == state
    assert refusal(where, places=1) == "fewer_places"


def test_from_check_in_on_nothing_is_changed():
    where = event()
    running.open_check_in(where)
    assert refusal(where, notes="late") == "wrong_phase"
    assert editing.edit_event(where, name=where.name).phase == Phase.CHECK_IN, (
        "what is as it was is no change"
    )


def test_authors_agree_again_when_a_draft_becomes_another_event():
    where, version = draft(), making.sandboxed()
    asked = registration.ask_bot(where, version.bot, "challenger")
    house = registration.ask_bot(where, making.house("greedy").bot, "opponent")
    registration.answer_for_bot(asked, by=version.bot.owner, agrees=True)
    for changes, agreed in (({"notes": "x", "places": 5, "name": "Y"}, True), ({"blocks": 2}, False)):
        editing.edit_event(where, **changes)
        asked.refresh_from_db(), house.refresh_from_db()
        assert (bool(asked.agreed_at), bool(house.agreed_at)) == (agreed, True)


def test_a_bot_that_could_remember_is_taken_back_before_the_format_gives_it_cards_twice():
    where, version = draft(), making.endpoint("https://bots.example/one")
    asked = registration.ask_bot(where, version.bot, "opponent")
    assert refusal(where, format=Format.TEAM) == "not_available"
    editing.take_back(asked)
    assert editing.edit_event(where, format=Format.TEAM).format == Format.TEAM


def test_a_bot_is_taken_back_until_the_start_and_not_after_it():
    where = event()
    challenger, opponent = where.bots.order_by("role")
    running.open_check_in(where)
    editing.take_back(opponent)
    assert list(where.bots.all()) == [challenger]
    begun = event()
    begin(begun, enter(begun))
    with pytest.raises(DomainError, match="has begun"):
        editing.take_back(begun.bots.first())
    assert begun.bots.count() == 2


def test_the_organiser_changes_an_event_on_a_page_that_shows_it_as_it_is():
    where = event(notes="Bring coffee.")
    address = f"/events/{where.slug}/organise/edit/"
    assert browser(making.author()).get(address).status_code == 404
    own = browser(where.organiser)
    form = own.get(address).context["form"]
    shown = form.as_div()
    assert "Bring coffee." in shown
    assert f'value="{where.starts_at:%Y-%m-%dT%H:%M}"' in shown
    assert "format" not in form.fields, "it is fixed"
    fields = filled_in(form)
    assert own.post(address, fields | {"places": 1}).status_code == 422
    assert "The event is changed." in press(own, address, **fields | {"notes": "Bring tea."})
    changed = Event.objects.get()
    assert (changed.notes, changed.starts_at) == ("Bring tea.", where.starts_at), "seconds are no change"


def test_a_draft_keeps_rules_of_its_own_on_its_page_unless_others_are_chosen():
    where = event(bots=())
    Event.objects.update(phase="draft")
    own, address = browser(where.organiser), f"/events/{where.slug}/organise/edit/"
    fields = filled_in(own.get(address).context["form"])
    press(own, address, **fields | {"deals": 7})
    changed = Event.objects.get()
    assert (changed.rules, changed.deals) == (where.rules, 7)
    press(own, address, **fields | {"rules": "cz-3"})
    assert Event.objects.get().rules == PRESETS["cz-3"].to_json()


def test_a_bot_is_taken_back_on_the_organisers_page_alone():
    where = event()
    asked = where.bots.first()
    address = f"/events/{where.slug}/organise/bot/{asked.pk}/back/"
    assert address in browser(where.organiser).get(f"/events/{where.slug}/organise/").content.decode()
    assert browser(making.author()).post(address).status_code == 404
    assert "is taken back" in press(browser(where.organiser), address)
    assert not EventBot.objects.filter(pk=asked.pk).exists()
    assert browser(where.organiser).post(address).status_code == 404


def test_an_event_is_changed_and_a_bot_taken_back_by_the_api():
    where = event()
    own, address = browser(where.organiser), f"/api/v1/events/{where.slug}/"
    assert browser(making.author()).patch(address, {"notes": "x"}, **JSON).status_code == 404
    answer = own.patch(address, {"notes": "Bring tea.", "slug": where.slug}, **JSON)
    assert (answer.status_code, answer.json()["notes"]) == (200, "Bring tea.")
    refused = own.patch(address, {"rules": "cz-3"}, **JSON)
    assert (refused.status_code, refused.json()["code"]) == (409, "fixed")
    asked = f"{address}bots/{where.bots.first().pk}/"
    assert browser(making.author()).delete(asked).status_code == 404
    assert (own.delete(asked).status_code, own.delete(asked).status_code) == (204, 404)
