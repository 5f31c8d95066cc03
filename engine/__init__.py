"""The rules of Thousand: every variant as one set of options, pure Python, no dependencies.

>>> from engine import PRESETS, Game
>>> game = Game(PRESETS["pl-3"], seed=bytes(32))
>>> game.apply(game.legal[0])
"""

from engine.errors import EngineError, IllegalAction, NotationError, RecordError, RuleSetError
from engine.game import PHASES, Game, Result
from engine.options import OPTIONS
from engine.ruleset import PRESETS, Barrel, Concession, RuleSet

__all__ = [
    "OPTIONS",
    "PHASES",
    "PRESETS",
    "Barrel",
    "Concession",
    "EngineError",
    "Game",
    "IllegalAction",
    "NotationError",
    "RecordError",
    "Result",
    "RuleSet",
    "RuleSetError",
]
