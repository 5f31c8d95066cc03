"""Throttles: courtesy, not quota (stack.md, trap 11: they are not atomic).

While Redis is away they let everyone through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from django.http import HttpRequest
from redis.exceptions import RedisError
from rest_framework import throttling
from rest_framework.request import Request

if TYPE_CHECKING:  # rest_framework.views imports this module when it reads the settings
    from rest_framework.views import APIView

log = structlog.get_logger()


class _Courteous(throttling.BaseThrottle):
    """Lets a request through while Redis is away."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        try:
            return super().allow_request(request, view)
        except (RedisError, OSError) as error:
            log.warning("throttle_without_redis", error=str(error))
            return True


class AnonThrottle(_Courteous, throttling.AnonRateThrottle):
    """Of an address without an account."""


class UserThrottle(_Courteous, throttling.UserRateThrottle):
    """Of a person."""


class ScopedThrottle(_Courteous, throttling.ScopedRateThrottle):
    """Of one kind of request, by the view's ``throttle_scope``; GET and HEAD are free."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method in ("GET", "HEAD", "OPTIONS") or super().allow_request(request, view)


class LoginThrottle(_Courteous, throttling.SimpleRateThrottle):
    """Of tries to log in on the page, by address."""

    scope = "login"

    def get_cache_key(self, request: Request | HttpRequest, view: object) -> str:  # noqa: ARG002 - DRF's signature
        return f"throttle_login_page_{request.META.get('REMOTE_ADDR', '')}"


def login_wait(request: HttpRequest) -> int:
    """Seconds to wait before another try to log in; 0 when it may be made now."""
    throttle = LoginThrottle()
    if throttle.allow_request(request, None):  # type: ignore[arg-type]
        return 0
    return max(1, round(throttle.wait() or 1))
