"""The application ``games``: its system check is registered when Django starts."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks


class GamesConfig(AppConfig):
    """Matches, from wish to result."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the check of the sandbox: it starts a canary, only ``check --deploy`` runs it."""
        from games.system_checks import check_sandbox

        checks.register(check_sandbox, "sandbox", deploy=True)
