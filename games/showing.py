"""What a table shows to everybody while it is played, built key by key from what is public (service.md).

Pure; runs in the match host. No hand, no talon that is not public, no deck, no seed is read here: the engine's
public view and the events that anybody may know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine import Game

OUTCOME: Final = ("void", "declarer", "contract", "points", "scores", "totals")
"""What is told of the deal before: nothing of its cards."""


def public_state(game: Game, names: Sequence[str]) -> dict[str, Any]:
    """``names`` by seat, the public ``view``, the public ``events`` of the deal in progress, ``before``: how the last ended.

    JSON-ready; to be read only, it shares parts with later states. ``before`` is null in the first deal.
    """
    events, _cursor = game.events(None, game.current.begins)
    deals = game.deals
    return {
        "names": list(names),
        "view": game.public(),
        "events": events,
        "before": {key: deals[-1][key] for key in OUTCOME} if deals else None,
    }
