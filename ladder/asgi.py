"""The ASGI application: ``uvicorn ladder.asgi:application --timeout-graceful-shutdown 3``."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ladder.settings")
application = get_asgi_application()
