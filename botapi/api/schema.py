"""What the OpenAPI description says of refusals: any operation may answer with a problem document."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme

from botapi.api.errors import MEDIA_TYPE


class TokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call] # drf-spectacular has few types
    """How OpenAPI describes our tokens; drf-spectacular finds it by its being imported (see urls)."""

    target_class = "botapi.api.auth.TokenAuthentication"
    name = "token"


PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "description": "RFC 9457",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "a sentence for people"},
        "code": {"type": "string", "description": "a stable word for programs"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "code", "message"],
                "properties": {
                    "field": {"type": "string"},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                },
            },
        },
    },
}


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's post-processing hook: a ``default`` response for every operation."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    refusal = {
        "description": "a refusal, as a problem document",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result.get("paths", {}).values():
        for operation in operations.values():
            if isinstance(operation, dict) and "responses" in operation:
                operation["responses"].setdefault("default", refusal)
    return result
