"""``manage.py prepare_demo``: what a first look at the service needs, made once."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from ladder.demo_data import prepare


class Command(BaseCommand):
    """Parses, calls ``demo_data.prepare``, and leaves the HTTP bot's secret in a private file."""

    help = "Make the demo's operator, season, authors and bots; what exists already stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("http_bot_url", help="where the sample HTTP bot listens")
        parser.add_argument("secret_file", type=Path, help="gets the HTTP bot's signing secret")

    def handle(self, *_args: Any, http_bot_url: str, secret_file: Path, **_options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError("The demo's accounts and bots are for DEBUG=1 only.")
        password = os.environ.get("DEMO_OPERATOR_PASSWORD")
        if not password:
            raise CommandError("DEMO_OPERATOR_PASSWORD is not set.")
        secret = prepare(operator_password=password, http_bot_url=http_bot_url)
        secret_file.unlink(missing_ok=True)
        secret_file.touch(mode=0o600)
        secret_file.write_text(secret)
