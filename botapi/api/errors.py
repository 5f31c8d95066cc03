"""Every refusal of the API in one shape: RFC 9457, ``application/problem+json``.

Members: ``type`` (about:blank), ``title``, ``status``, ``detail`` (a sentence), ``code`` (a stable word), and
for input errors ``errors``, a list of ``{"field", "code", "message"}`` with dotted field names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError,
)
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.defaults import server_error
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.serializers import as_serializer_error

from botapi import languages
from botapi.errors import DomainError

MEDIA_TYPE: Final = "application/problem+json"
_UNMATCHED: Final = re.compile(r"No (\w+) matches the given query\.")
DOMAIN_WAIT_S: Final = 60
"""Retry-After of a refusal whose cause passes with time."""


class BodyTooLarge(exceptions.APIException):
    """The request's body is over the limit of its kind."""

    status_code = 413
    default_code = "body_too_large"
    default_detail = "The request body is too large."


def problem(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. None for errors of ours, which stay errors."""
    known = _as_api_exception(exc)
    if known is None:
        return None
    if isinstance(exc, Http404):
        known = exceptions.NotFound(_nothing_there(str(known.detail), context.get("kwargs") or {}))
    body = document(known.status_code, _detail(known), _code(known))
    if isinstance(known, exceptions.ValidationError):
        body["errors"] = _fields(known.get_full_details())
    response = Response(body, status=known.status_code, content_type=MEDIA_TYPE)
    challenge = getattr(known, "auth_header", None)
    if challenge:
        response["WWW-Authenticate"] = challenge
    wait = getattr(known, "wait", None)
    if wait:
        response["Retry-After"] = str(max(1, round(wait)))
    return response


def _nothing_there(detail: str, address: dict[str, Any]) -> str:
    """Django's "No Bot matches the given query." in a person's words: "There is no bot X."."""
    found = _UNMATCHED.fullmatch(detail)
    if found is None:
        return detail
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", found[1]).lower()
    return f"There is no {words} {' '.join(str(part) for part in address.values())}".rstrip() + "."


def document(status: int, detail: str, code: str) -> dict[str, Any]:
    """The members every problem has."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }


def _as_api_exception(exc: Exception) -> exceptions.APIException | None:
    if isinstance(exc, exceptions.APIException):
        return exc
    if isinstance(exc, DomainError):
        return _of_domain(exc)
    for kind, made in _DJANGOS:
        if isinstance(exc, kind):
            return made(exc)
    return None


def _of_domain(exc: DomainError) -> exceptions.APIException:
    made = exceptions.APIException(languages.said(exc), exc.code)
    made.status_code = exc.status
    if exc.status == 429:
        made.wait = DOMAIN_WAIT_S  # type: ignore[attr-defined] # as DRF's Throttled has it
    return made


_DJANGOS: Final[tuple[tuple[type[Exception], Callable[[Any], exceptions.APIException]], ...]] = (
    (ValidationError, lambda exc: exceptions.ValidationError(as_serializer_error(exc))),
    (Http404, lambda exc: exceptions.NotFound(str(exc) or None)),
    (PermissionDenied, lambda _: exceptions.PermissionDenied()),
    (RequestDataTooBig, lambda _: BodyTooLarge()),
    (SuspiciousOperation, lambda _: exceptions.ParseError("The request is malformed.")),
)
"""Django's own refusals, the special ones first."""


def _detail(exc: exceptions.APIException) -> str:
    if isinstance(exc, exceptions.ValidationError):
        first = next(iter(_fields(exc.get_full_details())), None)
        if first is None:
            return "The input is not valid."
        return f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    return str(exc.detail)


def _code(exc: exceptions.APIException) -> str:
    codes = exc.get_codes()
    return codes if isinstance(codes, str) else "invalid"


def _fields(details: Any, path: str = "") -> list[dict[str, str]]:
    """DRF's nested details as a flat list."""
    if isinstance(details, dict) and set(details) == {"message", "code"} and isinstance(details["code"], str):
        return [{"field": path, "code": details["code"], "message": str(details["message"])}]
    if isinstance(details, dict):
        found: list[dict[str, str]] = []
        for name, inner in details.items():
            here = path if name == "non_field_errors" else f"{path}.{name}".strip(".")
            found += _fields(inner, here)
        return found
    return [entry for inner in details for entry in _fields(inner, path)]


@csrf_exempt
def unknown(request: HttpRequest) -> HttpResponse:
    """The answer under /api/ where there is nothing."""
    hint = "" if request.path.endswith("/") else " Addresses of the API end with a slash."
    body = document(404, f"There is nothing at this address.{hint}", "not_found")
    return JsonResponse(body, status=404, content_type=MEDIA_TYPE)


def broken(request: HttpRequest) -> HttpResponse:
    """The answer to a fault of ours: a problem document under /api/, a page elsewhere."""
    if not request.path.startswith("/api/"):
        return server_error(request)
    body = document(500, "The service failed; operators see it. Nothing of yours was lost.", "server_error")
    return JsonResponse(body, status=500, content_type=MEDIA_TYPE)
