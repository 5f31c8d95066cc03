"""Events: who takes part, which bots sit in them, the blocks of deals and the tables that play them.

Verbs stand in ``ladder.events.running``, ``registration`` and ``tables``; the phases in ``ladder.phases``.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class Event(models.Model):
    """An event of one organiser: its rules, dates, format, seats, aliases, and what came of it.

    The cards follow from the secret of its series, which is committed when registration opens and revealed with
    everything else at the publication; until then its matches are in no list.
    """

    class Format(models.TextChoices):
        OPEN = "open", "open: blocks of one's own, which the challenger plays again"
        TEAM = "team", "team: the seats of each deal taken by one person each, all at once"
        SHOW = "show", "show: full matches, live"

    class Phase(models.TextChoices):
        DRAFT = "draft"
        REGISTRATION = "registration"
        CHECK_IN = "check_in", "check-in"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"

    class Aliases(models.TextChoices):
        OWN = "own", "each person chooses an alias"
        GIVEN = "given", "everybody gets an alias by lot"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    notes = models.TextField(max_length=2000, blank=True, help_text="shown on its page")
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="events"
    )
    series = models.OneToOneField(
        "games.Series", null=True, blank=True, on_delete=models.PROTECT, related_name="event"
    )
    format = models.CharField(max_length=8, choices=Format)
    rules = models.JSONField(help_text="record form: name, base, every option")
    players = models.PositiveSmallIntegerField(help_text="size of a table")
    places = models.PositiveSmallIntegerField(
        default=30, help_text="people who take part; others are substitutes"
    )
    people_at_table = models.PositiveSmallIntegerField(default=1, help_text="show: people at each table")
    blocks = models.PositiveSmallIntegerField(
        default=4, help_text="open and team: blocks of deals; show: matches of each person"
    )
    deals = models.PositiveSmallIntegerField(default=8, help_text="open and team: deals of a block")
    aliases = models.CharField(max_length=8, choices=Aliases, default=Aliases.OWN)
    check_in_minutes = models.PositiveSmallIntegerField(default=30, help_text="so long before the start")
    starts_at = models.DateTimeField(help_text="when check-in ends and play begins")
    ends_at = models.DateTimeField(null=True, blank=True, help_text="open: no block is begun later")
    publishes_at = models.DateTimeField(null=True, blank=True, help_text="empty: as soon as all is played")
    phase = models.CharField(max_length=12, choices=Phase, default=Phase.DRAFT)
    phase_reason = models.CharField(max_length=300, blank=True)
    result = models.JSONField(null=True, blank=True, help_text="the results as published")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-starts_at"]
        constraints = [
            models.CheckConstraint(
                name="an_event_in_public_has_a_committed_secret",
                condition=Q(phase__in=["draft", "cancelled"]) | Q(series__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EventBot(models.Model):
    """A bot that is asked to sit in an event: as the challenger, or as an opponent of the people.

    Its author agrees first; house bots are the service's own. ``version`` is fixed at the start.
    """

    class Role(models.TextChoices):
        CHALLENGER = "challenger"
        OPPONENT = "opponent"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="bots")
    bot = models.ForeignKey("botapi.Bot", on_delete=models.PROTECT, related_name="events")
    role = models.CharField(max_length=12, choices=Role)
    version = models.ForeignKey("botapi.Version", null=True, blank=True, on_delete=models.PROTECT)
    asked_at = models.DateTimeField(auto_now_add=True)
    agreed_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["event_id", "role", "id"]
        constraints = [
            models.UniqueConstraint(fields=["event", "bot", "role"], name="a_bot_is_asked_once_a_role")
        ]

    def __str__(self) -> str:
        return f"{self.bot_id} as {self.role} of {self.event_id}"


class EventEntry(models.Model):
    """A person who takes part, under an alias; the aliases of bots are kept apart from people's by lot alone."""

    class State(models.TextChoices):
        ENTERED = "entered"
        SUBSTITUTE = "substitute"
        PLAYING = "playing"
        MISSED = "missed", "not checked in"
        LEFT = "left"

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="entries")
    person = models.ForeignKey("games.Person", on_delete=models.PROTECT, related_name="entries")
    alias = models.CharField(max_length=40)
    state = models.CharField(max_length=12, choices=State)
    team = models.PositiveSmallIntegerField(null=True, blank=True, help_text="from 1; a table's people")
    place = models.PositiveSmallIntegerField(null=True, blank=True, help_text="within the team, from 0")
    agreed_at = models.DateTimeField(
        help_text="when the rules were confirmed, and that some seats are bots and are not told before the end"
    )
    checked_in_at = models.DateTimeField(null=True, blank=True)
    device = models.JSONField(default=dict, blank=True, help_text="what the device test found")
    left_at = models.DateTimeField(null=True, blank=True)
    entered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["event_id", "id"]
        verbose_name_plural = "event entries"
        constraints = [
            models.UniqueConstraint(fields=["event", "person"], name="a_person_enters_an_event_once"),
            models.UniqueConstraint(fields=["event", "alias"], name="an_alias_is_one_persons_in_an_event"),
        ]

    def __str__(self) -> str:
        return f"{self.alias} in {self.event_id}"


class EventBlock(models.Model):
    """Cards that some tables share: ``number`` is the block of the event's series from which they are dealt.

    open: a block of deals of one person (``entry``). team: one deal of a ``team``. show: none, each match has
    cards of its own.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="card_blocks")
    number = models.PositiveIntegerField()
    entry = models.ForeignKey(
        EventEntry, null=True, blank=True, on_delete=models.PROTECT, related_name="card_blocks"
    )
    team = models.PositiveSmallIntegerField(null=True, blank=True)
    position = models.PositiveSmallIntegerField(help_text="the how manieth of the person or team, from 1")
    opened_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["event_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="one_row_a_block_of_an_event")
        ]

    def __str__(self) -> str:
        return f"block {self.number} of {self.event_id}"


class EventTable(models.Model):
    """A match of an event. ``seat`` is the one that counts: a person's, or the challenger's at the table played again."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="tables")
    block = models.ForeignKey(
        EventBlock, null=True, blank=True, on_delete=models.CASCADE, related_name="tables"
    )
    match = models.OneToOneField("games.Match", on_delete=models.PROTECT, related_name="event_table")
    entry = models.ForeignKey(
        EventEntry, null=True, blank=True, on_delete=models.PROTECT, related_name="tables"
    )
    seat = models.PositiveSmallIntegerField(default=0)
    round = models.PositiveSmallIntegerField(default=1, help_text="show: which match of its people")

    class Meta:
        ordering = ["event_id", "id"]

    def __str__(self) -> str:
        return f"match {self.match_id} of {self.event_id}"


class VoidDeal(models.Model):
    """A deal that the organiser declared void: it counts at no table that plays it."""

    block = models.ForeignKey(EventBlock, on_delete=models.CASCADE, related_name="void_deals")
    deal = models.PositiveSmallIntegerField(help_text="from 1, deals that were passed out not counted")
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["block_id", "deal"]
        constraints = [models.UniqueConstraint(fields=["block", "deal"], name="a_deal_is_void_once")]

    def __str__(self) -> str:
        return f"deal {self.deal} of {self.block_id}"
