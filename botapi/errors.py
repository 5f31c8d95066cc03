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
    Code that runs without Django gives a sentence with ``%(names)s`` and their ``values``: pages and API say it in
    the reader's language (``botapi.languages.said``).
    """

    def __init__(self, code: str, message: str, status: int = 400, **values: object) -> None:
        self.sentence = message
        self.values = values
        self.message = message % values if values else message
        super().__init__(self.message)
        self.code = code
        self.status = status


def gettext_noop(message: str) -> str:
    """Marks a sentence that is translated where it is shown, in code that runs without Django."""
    return message
