"""What was played: series with their secrets, the queue of matches, attempts, seats, records, faults, logs.

PostgreSQL is the queue of record (architecture.md). A match has Seat rows, never player columns. Verbs stand
in ``games.queue``, ``games.dispatch`` and ``games.results``.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.people_models import Person


class Series(models.Model):
    """What a seed belongs to: a season, a tournament, an event, practice, tests, checks.

    ``secret`` (32 bytes) is made when the series opens and its SHA-256 published at once; it is revealed
    only when none of its matches is open.
    """

    class Kind(models.TextChoices):
        SEASON = "season"
        TOURNAMENT = "tournament"
        EVENT = "event"
        PRACTICE = "practice"
        TESTS = "tests"
        CHECKS = "checks"

    kind = models.CharField(max_length=12, choices=Kind)
    name = models.CharField(max_length=80, unique=True)
    secret = models.BinaryField()
    secret_sha256 = models.CharField(max_length=64)
    next_number = models.PositiveBigIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return self.name


class Match(models.Model):
    """One match of the queue, from wish to result. A version's check is a match of class ``check``."""

    class Class(models.TextChoices):
        PEOPLE = "people"
        CHECK = "check"
        TEST = "test"
        EVENT = "event"
        TOURNAMENT = "tournament"
        LADDER = "ladder"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        VOID = "void"
        FAILED = "failed", "failed (out of attempts)"

    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="matches")
    number = models.PositiveBigIntegerField(help_text="within its series; the seed is derived from it")
    klass = models.CharField("class", max_length=10, choices=Class)
    rated = models.BooleanField(default=False)
    rules = models.JSONField(help_text="record form: name, base, every option")
    rules_name = models.CharField(max_length=40)
    rules_hash = models.CharField(max_length=64)
    players = models.PositiveSmallIntegerField()
    clocks = models.JSONField(help_text="act_ms, bank_ms, hard_ms, start_ms")
    block = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="duplicate block: its tables share a seed"
    )
    rotation = models.PositiveSmallIntegerField(default=0)
    waiting = models.BooleanField(
        default=False, help_text="has an HTTP or person's seat: Celery queue 'waiting'"
    )
    people = models.BooleanField(
        default=False, help_text="has a person's seat: each attempt goes on with the first one's cards"
    )
    deal_of = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="its only deal is one of that match's, played again",
    )
    deal_number = models.PositiveSmallIntegerField(null=True, blank=True, help_text="which, from 0")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    reason = models.CharField(max_length=300, blank=True, help_text="of a delay, a void or a failure")
    attempt = models.PositiveSmallIntegerField(
        default=0, help_text="fencing token: only this attempt may report"
    )
    worker = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    woken_at = models.DateTimeField(null=True, blank=True)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    finish_seq = models.PositiveBigIntegerField(
        null=True, blank=True, unique=True, help_text="commit order of results"
    )
    deals = models.PositiveSmallIntegerField(default=0)
    decisions = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0)
    end_reason = models.CharField(max_length=12, blank=True, help_text="target or deal_limit")

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["series", "number"], name="match_numbers_are_unique_in_a_series"),
            models.CheckConstraint(
                name="a_running_match_has_a_lease",
                condition=~Q(state="running") | Q(lease_until__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["klass", "id"], condition=Q(state="queued"), name="queue_order"),
            models.Index(fields=["lease_until"], condition=Q(state="running"), name="leases"),
            models.Index(fields=["series", "-finish_seq"], name="finished_in_order"),
            models.Index(fields=["id"], condition=Q(state="void"), name="void_matches"),
            models.Index(fields=["id"], condition=Q(state="failed"), name="failed_matches"),
            models.Index(
                fields=["series", "block"], condition=Q(state__in=["queued", "running"]), name="open_matches"
            ),
            # However the list of matches is narrowed, a page of it is read and not the matches between.
            models.Index(fields=["klass", "-id"], name="matches_of_a_class"),
            models.Index(fields=["rules_name", "-id"], name="matches_by_rules"),
            models.Index(fields=["players", "-id"], name="matches_of_a_size"),
            models.Index(fields=["series", "-id"], name="matches_of_a_series"),
            models.Index(fields=["-id"], condition=Q(rated=False), name="unrated_matches"),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"


class Seat(models.Model):
    """One seat of a match: a bot's version or a person, and what came of it."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    version = models.ForeignKey(
        "botapi.Version", null=True, blank=True, on_delete=models.PROTECT, related_name="seats"
    )
    person = models.ForeignKey(Person, null=True, blank=True, on_delete=models.PROTECT, related_name="seats")
    name = models.CharField(max_length=60, help_text="as shown: the bot's name or the person's alias")
    total = models.IntegerField(null=True, blank=True)
    rank = models.PositiveSmallIntegerField(null=True, blank=True)
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    stood_in = models.BooleanField(default=False, help_text="its third fault handed it to a house bot")
    absences = models.PositiveSmallIntegerField(
        default=0, help_text="decisions that a house bot or the clock took for a person"
    )
    faults = models.PositiveSmallIntegerField(default=0)
    deals_declared = models.PositiveSmallIntegerField(default=0)
    deals_made = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["match_id", "index"]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="one_row_a_seat"),
            models.CheckConstraint(
                name="a_seat_is_a_bots_or_a_persons",
                condition=Q(version__isnull=False, person__isnull=True)
                | Q(version__isnull=True, person__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["version", "-match"], name="matches_of_a_version"),
            models.Index(
                fields=["-match"], condition=Q(person__isnull=False, place=1), name="matches_won_by_people"
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.index} of match {self.match_id}: {self.name}"


class MatchAttempt(models.Model):
    """One try at playing a match, under one lease; its number is the fencing token. Public with its cause."""

    class Outcome(models.TextChoices):
        RUNNING = "running"
        FINISHED = "finished"
        INFRA_LOST = "infra_lost", "lost by the service"
        RETURNED = "returned", "given back by a worker that was told to end"
        STARVED = "starved", "machine was starved"
        REFUSED = "refused", "a bot did not start"
        VOID = "void"

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=80)
    process = models.CharField(
        max_length=60, blank=True, help_text="which process of which machine: games.processes"
    )
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.RUNNING)
    cause = models.CharField(max_length=300, blank=True)
    seed_sha256 = models.CharField(max_length=64, help_text="published before the first card")
    deal = models.PositiveSmallIntegerField(default=0)
    environment = models.JSONField(
        default=dict, blank=True, help_text="what its sandboxed bots ran on: python, name, packages, reason"
    )
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["match_id", "number"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="one_row_an_attempt")]

    def __str__(self) -> str:
        return f"attempt {self.number} of match {self.match_id}"


class MatchRecord(models.Model):
    """The record of a finished match, ``thousand-record/1``, as text so that its bytes and key order stay."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="record")
    body = models.TextField()
    sha256 = models.CharField(max_length=64)
    notes = models.JSONField(
        default=list, blank=True, help_text="the bots' public notes: seat, deal, action, note"
    )
    timings = models.JSONField(default=dict, blank=True, help_text="per seat: turns and sums of milliseconds")

    def __str__(self) -> str:
        return f"record of match {self.match_id}"


class Fault(models.Model):
    """One fault of a bot in a match (protocol.md section 5)."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="faults")
    attempt = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=12)
    detail = models.CharField(max_length=300, blank=True)
    deal = models.PositiveSmallIntegerField(default=0)
    action = models.PositiveIntegerField(default=0)
    message = models.TextField(
        blank=True, help_text="what was sent, what came, what was expected, which rule"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["match_id", "id"]

    def __str__(self) -> str:
        return f"{self.code} of seat {self.seat} in match {self.match_id}"


class SeatLog(models.Model):
    """Private log of one seat in one attempt: for its author and operators only, kept LOG_DAYS days."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="logs")
    attempt = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    turns = models.BinaryField(help_text="zlib-compressed JSON list of turns")
    stderr = models.TextField(blank=True)
    oddities = models.JSONField(default=list, blank=True, help_text="what the driver noticed, one line each")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "attempt", "seat"], name="one_log_a_seat")]

    def __str__(self) -> str:
        return f"log of seat {self.seat} in match {self.match_id}"


class LogLook(models.Model):
    """Audit entry: an operator looked into a private log."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    log = models.ForeignKey(SeatLog, on_delete=models.CASCADE, related_name="looks")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.user_id} looked into log {self.log_id}"


class Worker(models.Model):
    """A worker process that plays matches, as it last told of itself."""

    name = models.CharField(max_length=80, unique=True)
    queue = models.CharField(max_length=20)
    backend = models.CharField(max_length=20, blank=True)
    healthy = models.BooleanField(default=True)
    message = models.CharField(max_length=600, blank=True)
    environment = models.JSONField(
        default=dict, blank=True, help_text="what its sandboxed bots run on: python, name, packages, reason"
    )
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
