"""What can go wrong in the engine: always the caller's input, never a bare traceback."""

from __future__ import annotations

from reprlib import Repr
from typing import Any, Final

_SHORT: Final = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 3, 60, 60, 60


def shown(value: object) -> str:
    """A value as an error's text names it: short, however large or deep it is."""
    return _SHORT.repr(value)


class EngineError(Exception):
    """Base of all errors of the engine."""


class IllegalAction(EngineError):  # noqa: N818 - architecture.md names it so
    """The action is not in the list of legal ones; nothing was changed."""


class RuleSetError(EngineError):
    """Rules that cannot be played; ``option`` names the one to change."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(f"{option}: {message}")
        self.option = option


class NotationError(EngineError):
    """Text that is no card, action or deal block; ``line`` counts from 1, 0 when there is none.

    Where it disagrees with the rules, ``deal``, ``action``, ``expected`` and ``found`` say where and in what.
    """

    def __init__(
        self,
        message: str,
        line: int = 0,
        *,
        deal: int | None = None,
        action: int | None = None,
        expected: Any = None,
        found: Any = None,
    ) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line
        self.deal = deal
        self.action = action
        self.expected = expected
        self.found = found


class RecordError(EngineError):
    """A record that does not replay to itself; says where, what was expected and what was found."""

    def __init__(
        self,
        message: str,
        *,
        deal: int | None = None,
        action: int | None = None,
        expected: Any = None,
        found: Any = None,
    ) -> None:
        super().__init__(message)
        self.deal = deal
        self.action = action
        self.expected = expected
        self.found = found
