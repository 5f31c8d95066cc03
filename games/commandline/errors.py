"""How a command says no."""

from __future__ import annotations


class CommandFailed(Exception):  # noqa: N818 - it ends with one sentence, not with a traceback
    """The thing asked for failed: exit status 1.

    ``code`` is a word for programs, where a file was refused as the service would refuse it.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class UsageFailed(CommandFailed):
    """The command was asked wrongly: exit status 2."""


class MachineFailed(CommandFailed):
    """The machine could not do it, which says nothing about the thing asked about: exit status 3."""
