"""How a command says no."""

from __future__ import annotations


class CommandFailed(Exception):  # noqa: N818 - it ends with one sentence, not with a traceback
    """The thing asked for failed: exit status 1."""


class UsageFailed(CommandFailed):
    """The command was asked wrongly: exit status 2."""
