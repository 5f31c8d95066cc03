"""The ladder as a Django application."""

from __future__ import annotations

from django.apps import AppConfig


class LadderConfig(AppConfig):
    """Makes the project's Celery application the one that every process of it sends to."""

    name = "ladder"

    def ready(self) -> None:
        from ladder import celery  # noqa: F401 - it reads the settings, which must be complete by now
