"""Who is best: seasons, pools, ratings and their append-only log; the calendar (ratings.md)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ladder import play_models, tournament_models  # noqa: F401 - more rows of this app
from ladder.events import models as event_models  # noqa: F401 - Django looks for models here


class Season(models.Model):
    """Rules, players, clocks and dates under which bots compete; the seeds come from its series' secret."""

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        OPEN = "open", _("Open")
        CLOSED = "closed", _("Closed")

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    series = models.OneToOneField(
        "games.Series", null=True, blank=True, on_delete=models.PROTECT, related_name="season"
    )
    rules = models.JSONField(help_text="record form: name, base, every option")
    players = models.PositiveSmallIntegerField()
    clocks = models.JSONField(
        help_text='per kind: {"sandbox": {act_ms, bank_ms, hard_ms, start_ms}, "http": {...}}'
    )
    duplicate = models.BooleanField(default=False, help_text="duplicate tables (sandboxed bots only)")
    queue_target = models.PositiveSmallIntegerField(
        default=4, help_text="rated matches kept queued or running"
    )
    timetable = models.CharField(
        max_length=100,
        blank=True,
        help_text="when rounds begin, as cron says it (minute hour day month weekday, UTC); "
        "empty: the queue is kept full",
    )
    round_at = models.DateTimeField(
        null=True, blank=True, help_text="the time of the timetable whose round was queued last"
    )
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    opens_at = models.DateTimeField(
        null=True, blank=True, help_text="of a draft: when it will be opened; empty: by hand"
    )
    closes_at = models.DateTimeField(
        null=True, blank=True, help_text="until it is closed: when it will be; empty: by hand"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="a_season_that_was_opened_has_a_committed_secret",
                condition=Q(state="draft") | Q(series__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Pool(models.Model):
    """One rating pool for each rule set, number of players and season; its row is the lock of its log."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="pools")
    rules_hash = models.CharField(max_length=64)
    players = models.PositiveSmallIntegerField()
    last_seq = models.PositiveBigIntegerField(default=0)
    last_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["season", "rules_hash", "players"], name="one_pool_a_season_and_rules"
            ),
        ]

    def __str__(self) -> str:
        return f"pool {self.pk}"


class Rating(models.Model):
    """Live rating of one bot version in one pool: R (Elo), V (Elo squared), n rated matches."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="ratings")
    version = models.ForeignKey("botapi.Version", on_delete=models.PROTECT, related_name="ratings")
    r = models.DecimalField(max_digits=12, decimal_places=6)
    v = models.DecimalField(max_digits=14, decimal_places=6)
    n = models.PositiveIntegerField(default=0)
    updated_seq = models.PositiveBigIntegerField(default=0)
    places = models.JSONField(
        default=list, help_text="how often first, second, ...: sums of its rated matches"
    )
    deals = models.PositiveIntegerField(default=0)
    points = models.BigIntegerField(default=0, help_text="sum of its totals")
    declared = models.PositiveIntegerField(default=0)
    made = models.PositiveIntegerField(default=0)
    faults = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "version"], name="one_rating_a_version_and_pool")
        ]
        indexes = [models.Index(fields=["pool", "-r"], name="standings")]

    def __str__(self) -> str:
        return f"{self.version_id} in pool {self.pool_id}: {self.r}"


class RatingEvent(models.Model):
    """One entry of a pool's append-only log; ``sha256`` chains it to the one before (ratings.md)."""

    class Kind(models.TextChoices):
        MATCH = "match"
        VERSION = "version"
        REBASE = "rebase"
        VOID = "void"

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="events")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    match = models.ForeignKey(
        "games.Match", null=True, blank=True, on_delete=models.PROTECT, related_name="rating_events"
    )
    payload = models.TextField(help_text="canonical JSON, the bytes that were hashed")
    algorithm = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pool_id", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "seq"], name="gap_free_order"),
            models.UniqueConstraint(
                fields=["pool", "match"], condition=Q(kind="match"), name="a_match_is_rated_at_most_once"
            ),
            models.UniqueConstraint(
                fields=["pool", "match"], condition=Q(kind="void"), name="a_match_is_voided_at_most_once"
            ),
        ]
        indexes = [models.Index(fields=["pool", "seq"], condition=~Q(kind="match"), name="rare_events")]

    def __str__(self) -> str:
        return f"event {self.seq} of pool {self.pool_id}"


class UnratedMatch(models.Model):
    """A finished match that could not be rated: it is passed over, and an operator looks at it.

    Once its row is deleted the match is tried again.
    """

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="unrated")
    match = models.ForeignKey("games.Match", on_delete=models.CASCADE, related_name="unrated")
    reason = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "unrated matches"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "match"], name="a_match_is_passed_over_once"),
        ]

    def __str__(self) -> str:
        return f"match {self.match_id} without a rating: {self.reason}"


class RatingPoint(models.Model):
    """One version's state after an event of the log that changed it: what curves and histories are read from.

    Derived from the log; ``manage.py audit_ratings`` compares the last one of each version.
    """

    event = models.ForeignKey(RatingEvent, on_delete=models.PROTECT, related_name="points")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="points")
    version = models.ForeignKey("botapi.Version", on_delete=models.PROTECT, related_name="rating_points")
    r = models.DecimalField(max_digits=12, decimal_places=6)
    v = models.DecimalField(max_digits=14, decimal_places=6)
    n = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["event_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["event", "version"], name="one_point_a_version_and_event")
        ]
        indexes = [
            models.Index(fields=["pool", "version", "event"], name="history_of_a_version"),
            models.Index(fields=["pool", "version", "at"], name="rating_at_a_time"),
            models.Index(fields=["pool", "version", "n"], name="rating_after_a_match"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} after event {self.event_id}: {self.r}"


class PairTally(models.Model):
    """How two versions did against each other in the rated matches of a pool, sums by their relative seats.

    Kept by the log in the transaction of each event (:mod:`ladder.pair_tallies`), so that boards and pages need not
    read every match; ``manage.py audit_ratings`` counts them again. ``first`` is the version with the lower number.
    """

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="pair_tallies")
    first = models.ForeignKey("botapi.Version", on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey("botapi.Version", on_delete=models.PROTECT, related_name="+")
    offset = models.PositiveSmallIntegerField(
        help_text="seats from the first to the second, in playing order"
    )
    ahead = models.IntegerField(help_text="matches in which the first was placed better")
    level = models.IntegerField()
    behind = models.IntegerField()
    difference = models.BigIntegerField(help_text="sum of the first's totals less the second's")
    squares = models.BigIntegerField(help_text="sum of the squares of those differences")

    class Meta:
        verbose_name_plural = "pair tallies"
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "first", "second", "offset"], name="one_tally_a_pair_and_offset"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} against {self.second_id}, {self.offset} seats on, in pool {self.pool_id}"


class PairFlag(models.Model):
    """A pair of bots that an operator should look at: ``helped`` does too well, or too ill, beside ``helper``.

    Written by the nightly pair test (:mod:`ladder.pair_flags`); the figures are those of the latest night.
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="pair_flags")
    helper = models.ForeignKey("botapi.Bot", on_delete=models.CASCADE, related_name="+")
    helped = models.ForeignKey("botapi.Bot", on_delete=models.CASCADE, related_name="+")
    joint = models.PositiveIntegerField(help_text="rated matches in which both sat")
    surplus = models.FloatField(help_text="opponents beaten beyond expectation in those matches")
    z = models.FloatField(help_text="surplus in standard deviations")
    found_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(auto_now=True)
    cleared_at = models.DateTimeField(
        null=True, blank=True, help_text="when an operator looked and let it be"
    )

    class Meta:
        ordering = ["-found_at"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "helper", "helped"], name="one_flag_a_pair_and_pool")
        ]

    def __str__(self) -> str:
        return f"{self.helper} with {self.helped}"


class DealTally(models.Model):
    """Counts of the cards dealt in a season's public finished matches (:mod:`ladder.deal_counting`)."""

    season = models.OneToOneField(
        Season, on_delete=models.CASCADE, primary_key=True, related_name="deal_tally"
    )
    counted_to = models.PositiveBigIntegerField(
        default=0, help_text="finish number up to which every match is counted"
    )
    ahead = models.JSONField(
        default=list, help_text="finish numbers counted beyond it, while an earlier match is withheld"
    )
    counts = models.JSONField(default=dict)
    counted_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"deals of season {self.season_id}"


class DatedMatch(models.Model):
    """An unrated match of the calendar: who plays by which rules stands in its match, which waits for ``at``."""

    name = models.CharField(max_length=80)
    at = models.DateTimeField(help_text="the match begins then, or as soon after as a worker is free")
    match = models.OneToOneField("games.Match", on_delete=models.PROTECT, related_name="dated")
    planned_by = models.ForeignKey(
        "botapi.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "dated matches"
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["at"], name="calendar")]

    def __str__(self) -> str:
        return f"{self.name}, {self.at:%Y-%m-%d %H:%M}"
