"""Parsers that look at the size of a body before they read it, and never fall over what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser, MultiPartParser

from botapi.api.errors import BodyTooLarge
from botapi.limits import JSON_BYTES, UPLOAD_BYTES


class BoundedJson(JSONParser):
    """A JSON object of at most 256 KiB."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        _bound(parser_context, JSON_BYTES)
        try:
            parsed = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        if not isinstance(parsed, dict):
            raise ParseError("A JSON object is expected.")
        return parsed


class BoundedUpload(MultiPartParser):
    """multipart/form-data, no larger than an archive may be."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        _bound(parser_context, UPLOAD_BYTES)
        return super().parse(stream, media_type, parser_context)


def _bound(context: Mapping[str, Any] | None, limit: int) -> None:
    length = str(context["request"].META.get("CONTENT_LENGTH") or "0") if context else "0"
    if not length.isascii() or not length.isdecimal():
        raise ParseError("Content-Length is not a number.")
    if int(length) > limit:
        raise BodyTooLarge(f"The request body has {length} bytes; {limit} are the limit.")
