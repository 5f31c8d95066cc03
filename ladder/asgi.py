"""The ASGI application: ``uvicorn ladder.asgi:application --timeout-graceful-shutdown 3``."""

from __future__ import annotations

import os
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ladder.settings")
_django: Any = get_asgi_application()  # before the imports below, which need it set up

from botapi.limits import UPLOAD_BYTES  # noqa: E402
from games.live_face import form_of  # noqa: E402
from games.stream_app import with_streams  # noqa: E402
from ladder.body_limit import limited  # noqa: E402
from ladder.settled_memory import settle  # noqa: E402

application = with_streams(limited(_django, UPLOAD_BYTES), form_of)
settle()
