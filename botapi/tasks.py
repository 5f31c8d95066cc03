"""Celery tasks of authors' webhooks: wake-ups for rows in PostgreSQL; a lost one costs seconds."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from botapi import webhook_sending, webhooks


@shared_task(name="botapi.send_webhooks")
def send_webhooks() -> None:
    """Send the webhook events that are due."""
    webhook_sending.send_due()


@shared_task(name="botapi.forget_webhook_events")
def forget_webhook_events() -> None:
    """Delete webhook events that are long over."""
    webhooks.forget_old(now=timezone.now())
