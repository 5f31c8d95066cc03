"""Rows of tournaments: who takes part, the rounds as planned and drawn, their tables, the matches that count.

Verbs stand in ``ladder.tournaments``, ``registration`` and ``rounds``; the phases in ``ladder.phases``.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Tournament(models.Model):
    """A tournament: rules, format, registration, pace."""

    class Format(models.TextChoices):
        ROUND_ROBIN = "round_robin", _("round robin of tables")
        GROUPS = "groups", _("groups, then a final")
        SWISS = "swiss", _("Swiss")

    class Phase(models.TextChoices):
        DRAFT = "draft", _("Draft")
        REGISTRATION = "registration", _("Registration")
        RUNNING = "running", _("Running")
        FINISHED = "finished", _("Finished")
        CANCELLED = "cancelled", _("Cancelled")

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    notes = models.TextField(max_length=2000, blank=True, help_text="shown on its page")
    series = models.OneToOneField(
        "games.Series", null=True, blank=True, on_delete=models.PROTECT, related_name="tournament"
    )
    rules = models.JSONField(
        help_text="record form: name, base, every option; their players are the table size"
    )
    other_rules = models.JSONField(
        default=list,
        blank=True,
        help_text="rules (record form) for tables of other sizes; none: byes instead",
    )
    players = models.PositiveSmallIntegerField(help_text="size of a table")
    clocks = models.JSONField(help_text="per kind of bot, as a season's")
    format = models.CharField(max_length=12, choices=Format)
    cycles = models.PositiveSmallIntegerField(default=1, help_text="round robins of all, or of each group")
    rounds = models.PositiveSmallIntegerField(default=7, help_text="Swiss: rounds")
    groups = models.PositiveSmallIntegerField(default=3, help_text="groups: how many")
    quota = models.PositiveSmallIntegerField(default=3, help_text="groups: finalists of each")
    final_cycles = models.PositiveSmallIntegerField(default=5, help_text="groups: round robins of the final")
    rotations = models.PositiveSmallIntegerField(
        default=3, help_text="matches of a table, seats turned each time"
    )
    duplicate = models.BooleanField(
        default=True, help_text="the same cards in each rotation, where all bots forget (sandboxed and house)"
    )
    repeats = models.PositiveSmallIntegerField(default=2, help_text="how often a void match is played again")
    per_author = models.PositiveSmallIntegerField(default=1, help_text="entries of one author")
    min_entrants = models.PositiveSmallIntegerField(default=3)
    max_entrants = models.PositiveSmallIntegerField(default=64)
    registration_opens_at = models.DateTimeField(null=True, blank=True)
    registration_closes_at = models.DateTimeField(null=True, blank=True)
    starts_at = models.DateTimeField(null=True, blank=True, help_text="empty: started by an operator")
    pace_minutes = models.PositiveSmallIntegerField(
        default=0, help_text="at least so long from round to round"
    )
    objection_hours = models.PositiveSmallIntegerField(
        default=0, help_text="from the last match to the publication; until then a match may be declared void"
    )
    phase = models.CharField(max_length=12, choices=Phase, default=Phase.DRAFT)
    phase_reason = models.CharField(max_length=300, blank=True)
    lot = models.CharField(max_length=64, blank=True, help_text="hex; published at the start")
    result = models.JSONField(null=True, blank=True, help_text="the standings as published")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="a_tournament_in_public_has_a_committed_secret",
                condition=Q(phase__in=["draft", "cancelled"]) | Q(series__isnull=False),
            ),
            models.CheckConstraint(
                name="a_started_tournament_has_a_lot",
                condition=~Q(phase__in=["running", "finished"]) | ~Q(lot=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Entrant(models.Model):
    """A bot in a tournament; the version it had at the start plays to the end."""

    class State(models.TextChoices):
        ENTERED = "entered", _("Entered")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        EXCLUDED = "excluded", _("Excluded")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entrants")
    number = models.PositiveSmallIntegerField(help_text="by registration; draws speak of it")
    bot = models.ForeignKey("botapi.Bot", on_delete=models.PROTECT, related_name="entries")
    version = models.ForeignKey(
        "botapi.Version", null=True, blank=True, on_delete=models.PROTECT, related_name="entries"
    )
    group = models.PositiveSmallIntegerField(null=True, blank=True, help_text="from 0")
    state = models.CharField(max_length=10, choices=State, default=State.ENTERED)
    reason = models.CharField(max_length=300, blank=True, help_text="of leaving; public")
    entered_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["tournament_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "bot"], name="a_bot_enters_a_tournament_once"),
            models.UniqueConstraint(fields=["tournament", "number"], name="one_entrant_a_number"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.bot.name}"


class Round(models.Model):
    """One round of a tournament, planned when its stage begins, drawn for good when it begins itself."""

    class Stage(models.TextChoices):
        MAIN = "main", _("Main")
        GROUPS = "groups", _("Groups")
        FINAL = "final", _("Final")

    class State(models.TextChoices):
        PLANNED = "planned", _("Planned")
        RUNNING = "running", _("Running")
        FINISHED = "finished", _("Finished")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="schedule")
    number = models.PositiveSmallIntegerField()
    stage = models.CharField(max_length=8, choices=Stage)
    plan = models.JSONField(
        default=dict, blank=True, help_text="tables and byes by entrants' numbers; Swiss: none"
    )
    state = models.CharField(max_length=8, choices=State, default=State.PLANNED)
    starts_at = models.DateTimeField(null=True, blank=True, help_text="not before")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["tournament_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_round_a_number"),
            models.UniqueConstraint(
                fields=["tournament"], condition=Q(state="running"), name="one_round_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.tournament_id}"


class Table(models.Model):
    """Entrants who sit together in a round; it plays one match for each rotation of the seats."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="tables")
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["round_id", "number"]
        constraints = [models.UniqueConstraint(fields=["round", "number"], name="one_table_a_number")]

    def __str__(self) -> str:
        return f"table {self.number} of round {self.round_id}"


class TableSeat(models.Model):
    """An entrant at a table, in the order of the first rotation."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="seats")
    lost = models.PositiveSmallIntegerField(
        default=0, help_text="matches that were not played through its own fault: worth nothing"
    )

    class Meta:
        ordering = ["table_id", "index"]
        constraints = [
            models.UniqueConstraint(fields=["table", "index"], name="one_entrant_a_seat"),
            models.UniqueConstraint(fields=["table", "entrant"], name="one_seat_an_entrant"),
        ]

    def __str__(self) -> str:
        return f"entrant {self.entrant_id} at table {self.table_id}"


class Rest(models.Model):
    """An entrant without a table in a round: a bye, worth its own average, or its absence, worth nothing."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="rests")
    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="rests")
    absent = models.BooleanField(default=False)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["round_id", "entrant_id"]
        constraints = [models.UniqueConstraint(fields=["round", "entrant"], name="one_rest_a_round")]

    def __str__(self) -> str:
        return f"entrant {self.entrant_id} rests in round {self.round_id}"


class TournamentMatch(models.Model):
    """A match of the queue that a table plays in one rotation; a void one may be replaced by another."""

    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="matches")
    rotation = models.PositiveSmallIntegerField()
    match = models.OneToOneField("games.Match", on_delete=models.PROTECT, related_name="tournament_match")
    replaced = models.BooleanField(default=False, help_text="void, and another plays for it")
    given_up = models.BooleanField(default=False, help_text="void, and nothing plays for it")

    class Meta:
        ordering = ["table_id", "rotation", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "rotation"], condition=Q(replaced=False), name="one_match_counts_a_rotation"
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.match_id}, rotation {self.rotation} of table {self.table_id}"
