"""A spectator's way: from the ladder to a trick of a replay, and back by its link."""

from __future__ import annotations
