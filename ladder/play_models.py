"""Rows of what is counted beside the rating log of how bots play (:mod:`ladder.play_counting`)."""

from __future__ import annotations

from django.db import models


class PlayTally(models.Model):
    """How a version played in the rated matches of a pool: places by seat, scores, contracts, as counts."""

    pool = models.ForeignKey("ladder.Pool", on_delete=models.PROTECT, related_name="play_tallies")
    version = models.ForeignKey("botapi.Version", on_delete=models.PROTECT, related_name="+")
    counts = models.JSONField(default=dict, help_text="as ladder.play_tally writes them")

    class Meta:
        verbose_name_plural = "play tallies"
        constraints = [
            models.UniqueConstraint(fields=["pool", "version"], name="one_play_tally_a_version_and_pool")
        ]

    def __str__(self) -> str:
        return f"play of {self.version_id} in pool {self.pool_id}"


class PlayCount(models.Model):
    """How far a pool's log is counted."""

    pool = models.OneToOneField(
        "ladder.Pool", on_delete=models.CASCADE, primary_key=True, related_name="play_count"
    )
    seq = models.PositiveBigIntegerField(default=0, help_text="entry of the log up to which all is counted")

    def __str__(self) -> str:
        return f"pool {self.pool_id} up to {self.seq}"
