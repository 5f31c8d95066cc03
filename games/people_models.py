"""People as players: who they are, the journal of their tables, and what each seat of theirs sees and is asked.

Verbs stand in ``games.people``, ``games.practice`` and ``games.journal``.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class Person(models.Model):
    """Who sits at tables, by alias: with an account, or as a guest whom one browser's session remembers.

    An account that is deleted leaves its person and the alias behind. ``bot_ms`` and ``trick_ms`` are the pace.
    ``origin`` tells guests of one address from those of another while they play (``botapi.addresses.digest``).
    """

    alias = models.CharField(max_length=40)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="person"
    )
    bot_ms = models.PositiveIntegerField(default=900, help_text="how long a bot waits before it plays")
    trick_ms = models.PositiveIntegerField(default=1600, help_text="how long a complete trick is shown")
    origin = models.CharField(max_length=24, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "people"
        indexes = [models.Index(fields=["origin"], condition=~Q(origin=""), name="guests_of_an_address")]

    def __str__(self) -> str:
        return self.alias


class JournalEntry(models.Model):
    """One decision at a table with a person, committed before anybody is shown it.

    ``number`` counts from 0 through all attempts of the match: the next attempt goes on where this one ended.
    """

    match = models.ForeignKey("games.Match", on_delete=models.CASCADE, related_name="journal")
    number = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    action = models.CharField(max_length=12)
    how = models.CharField(
        max_length=12, blank=True, help_text="empty: the seat's own; away: a house bot; else the fault"
    )
    bank_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="what is left to a person after it"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "journal entries"
        ordering = ["match_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="one_entry_a_decision_of_a_match")
        ]

    def __str__(self) -> str:
        return f"match {self.match_id} {self.number}: seat {self.seat} {self.action}"


class TableSeat(models.Model):
    """A person's seat while it is played: what it may see, what it is asked, what was answered.

    ``view`` is the engine's view of this seat alone (protocol.md section 4), ``events`` those of the deal in
    progress and ``last_deal`` those of the one before, as this seat may know them. ``question`` counts this
    seat's own decisions, from 1 and through all attempts; it is open while ``legal`` is not empty.
    """

    seat = models.OneToOneField(
        "games.Seat", on_delete=models.CASCADE, primary_key=True, related_name="table"
    )
    version = models.PositiveIntegerField(default=0, help_text="grows with each change that the seat may see")
    view = models.JSONField(null=True, blank=True)
    events = models.JSONField(default=list, blank=True)
    last_deal = models.JSONField(default=list, blank=True)
    question = models.PositiveIntegerField(default=0)
    legal = models.JSONField(default=list, blank=True)
    bank_ms = models.PositiveIntegerField(default=0)
    deadline_at = models.DateTimeField(null=True, blank=True)
    answer = models.CharField(max_length=12, blank=True)
    away = models.BooleanField(default=False, help_text="a house bot plays on until the person is back")
    given_up = models.BooleanField(default=False, help_text="away for good: a house bot plays it to the end")
    seen_at = models.DateTimeField()  # in the future for a hidden page, which tells of itself seldom

    def __str__(self) -> str:
        return f"table of {self.seat}"
