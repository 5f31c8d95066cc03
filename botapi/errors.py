"""Errors that say whose fault it is (architecture.md, "Errors say whose fault it is").

``EngineError`` (in the engine) leaves the decision to its caller; ``BotFault`` is the bot's, ``PlatformError`` is ours,
``DomainError`` is the service saying no to a caller.
"""

from __future__ import annotations


class BotFault(Exception):  # noqa: N818 - the protocol's own word: a fault has an owner, an error has not
    """A bot broke the protocol (protocol.md section 5).

    ``code`` is one of the protocol's codes, ``seat`` the seat at fault, ``detail`` what the sandbox or the decoder adds.
    """

    def __init__(self, code: str, seat: int, detail: str = "") -> None:
        super().__init__(f"seat {seat}: {code}" + (f" ({detail})" if detail else ""))
        self.code = code
        self.seat = seat
        self.detail = detail


class PlatformError(Exception):
    """The service failed. The match is repeated, nobody is rated or charged, operators see it."""


class DomainError(Exception):
    """The service says no: one problem document in the API (RFC 9457), one message on pages.

    ``code`` is a stable snake_case word, ``message`` a sentence for people, ``status`` the HTTP status that fits.
    """

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
