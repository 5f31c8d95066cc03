"""Forms of events: parsing and field errors only; verbs are called by the views."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from botapi.models import Bot
from engine import PRESETS, RuleSet
from ladder.events.editing import UNTIL_CHECK_IN
from ladder.events.models import Event, EventBot
from ladder.events.registration import ALIAS_CHARS

AS_IT_IS: Final = "own"
"""Choice of rules of an event whose rules are no preset."""


def _moment(**changes: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(widget=widget, **changes)


def _as_shown(value: Any) -> Any:
    """A moment as its field shows it, so that what was left alone is no change."""
    return value.replace(second=0, microsecond=0) if isinstance(value, datetime) else value


class EventForm(forms.Form):
    """Everything an organiser decides of an event. Times are UTC."""

    name = forms.CharField(label=pgettext_lazy("event", "Name"), max_length=80)
    slug = forms.SlugField(label=_("Address"), help_text=_("The last part of its page's address."))
    notes = forms.CharField(
        label=_("Notes"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Shown on its page."),
    )
    format = forms.ChoiceField(
        label=_("Format"),
        choices=(
            (Event.Format.OPEN, _("Open: blocks of one's own cards, which the challenger plays again")),
            (Event.Format.TEAM, _("Team: the seats of each deal taken by one person each, all at once")),
            (Event.Format.SHOW, _("Show: full matches, live")),
        ),
    )
    rules = forms.ChoiceField(label=_("Rules"), choices=[(name, name) for name in PRESETS], initial="pl-3")
    places = forms.IntegerField(
        label=pgettext_lazy("event", "Places"),
        initial=30,
        min_value=1,
        max_value=500,
        help_text=_("People who take part; whoever comes later is a substitute."),
    )
    blocks = forms.IntegerField(
        label=_("Blocks"),
        initial=4,
        min_value=1,
        max_value=100,
        help_text=_("Open and team: blocks of deals of each person. Show: matches of each person."),
    )
    deals = forms.IntegerField(
        label=_("Deals of a block"), initial=8, min_value=1, max_value=50, help_text=_("Open and team.")
    )
    people_at_table = forms.IntegerField(
        label=_("People at a table"), initial=1, min_value=1, max_value=4, help_text=_("Show.")
    )
    aliases = forms.ChoiceField(
        label=_("Aliases"),
        choices=(
            (Event.Aliases.OWN, _("Everybody chooses an alias")),
            (Event.Aliases.GIVEN, _("Everybody gets an alias by lot")),
        ),
    )
    starts_at = _moment(label=_("Start (UTC)"), help_text=_("Check-in ends and play begins."))
    check_in_minutes = forms.IntegerField(
        label=_("Minutes of check-in"), initial=30, min_value=1, max_value=1440
    )
    ends_at = _moment(label=_("End (UTC)"), required=False, help_text=_("Open: no block is begun later."))
    publishes_at = _moment(
        label=_("Publication (UTC)"), required=False, help_text=_("Empty: as soon as all is played.")
    )


class EditForm(EventForm):
    """What can still be changed of an event, as it is now."""

    def __init__(self, event: Event, data: QueryDict | None) -> None:
        now = {name: getattr(event, name) for name in self.base_fields}
        super().__init__(data, initial={name: _as_shown(value) for name, value in now.items()})
        own = RuleSet.from_json(event.rules)
        if own in PRESETS.values():
            self.initial["rules"] = own.name
        else:
            rules = self.fields["rules"]
            assert isinstance(rules, forms.ChoiceField)
            rules.choices = [(AS_IT_IS, _("as they are now")), *((name, name) for name in PRESETS)]
            self.initial["rules"] = AS_IT_IS
        if event.phase != Event.Phase.DRAFT:
            for name in self.fields.keys() - UNTIL_CHECK_IN:
                del self.fields[name]

    def changes(self) -> dict[str, Any]:
        """What was changed, as :func:`ladder.events.editing.edit_event` takes it."""
        given = {name: self.cleaned_data[name] for name in self.changed_data}
        return given | {"ruleset": PRESETS[given.pop("rules")]} if "rules" in given else given


class EntryForm(forms.Form):
    """A person registers."""

    alias = forms.CharField(
        label=_("Alias"),
        min_length=2,
        max_length=ALIAS_CHARS,
        help_text=_("The only name that is shown; it stays with the records."),
    )
    rules = forms.BooleanField(label=_("I have read the rules of this event and play by them."))
    consent = forms.BooleanField(
        label=_("Some seats are bots; I will not be told which until the event ends.")
    )

    def __init__(self, event: Event, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if event.aliases == Event.Aliases.GIVEN:
            del self.fields["alias"]


class BotForm(forms.Form):
    """A bot that is asked to sit in the event."""

    bot = forms.SlugField(label=_("Bot"), max_length=40)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=(
            (EventBot.Role.CHALLENGER, _("Challenger: what people are compared with")),
            (EventBot.Role.OPPONENT, _("Opponent: sits beside people")),
        ),
    )

    def clean_bot(self) -> Bot:
        """The bot of this name."""
        found = Bot.objects.filter(name=self.cleaned_data["bot"]).select_related("active_version").first()
        if found is None:
            raise forms.ValidationError(_("There is no such bot."))
        return found


class VoidDealForm(forms.Form):
    """A deal that shall count nowhere."""

    block = forms.IntegerField(label=_("Block"), min_value=1)
    deal = forms.IntegerField(label=_("Deal"), min_value=1, initial=1)
    reason = forms.CharField(label=_("Reason"), max_length=300)
