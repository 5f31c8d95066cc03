"""The Celery application: ``celery -A ladder.celery worker``.

Celery carries wake-ups only, PostgreSQL is the queue of record (architecture.md, "The flow of one match"), so
tasks are acknowledged early and a lost message costs seconds. All configuration is in the settings, beat's
schedule too.
"""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_process_init

from ladder.program import follow_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ladder.settings")

app = Celery("ladder")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()


@worker_process_init.connect
def _follow_the_worker(**_: object) -> None:
    """A pool process ends with its worker even if that is killed, so no match is played on for nobody."""
    follow_parent()
