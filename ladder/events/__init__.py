"""Organised human-vs-bot events (service.md): announced, registered for, checked in to, played, published."""
