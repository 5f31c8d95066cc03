"""Makes Django ready for a bench in this process: import it before any model."""

from __future__ import annotations

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ladder.settings")
os.environ.setdefault("THROTTLE_ANON", "1000000/min")
django.setup()
