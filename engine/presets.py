"""The 21 presets as data: values for options, derived from another one or from the defaults (rules.md 8)."""

from __future__ import annotations

from typing import Any, Final

_PL_BOMB: Final = {"upto": "forced", "limit": 1, "pays": 60, "costs_bid": False, "barred_at": None}
_NATJAR_BOMB: Final = {"upto": "forced", "limit": 2, "pays": 60, "costs_bid": False, "barred_at": 900}
_RU_CONCESSION: Final = {"upto": "any", "limit": None, "pays": 60, "costs_bid": True, "barred_at": None}


def _barrel(threshold: int, **changes: Any) -> dict[str, Any]:
    return {
        "threshold": threshold,
        "clamp": False,
        "min_contract": 0,
        "needs_marriage": False,
        "attempts": None,
        "falls": None,
        **changes,
    }


_TWO_TALONS: Final = {"players": 2, "hand_size": 10, "talons": (2, 2)}
_NO_TALON: Final = {"talons": (), "choose_talon": False, "exchange": "none"}

TABLE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "pl-3": (
        "",
        {
            "contract_limit": "none",
            "ceiling": 360,
            "redeal_four_nines": "dealt",
            "redeal_below": 10,
            "redeal_barred_by_marriage": True,
            "talon_reveal": "not_at_minimum",
            "concession": _PL_BOMB,
            "void": "beat",
            "marriage_first_trick": True,
            "claim": True,
            "rounding": 10,
            "defender_limit": "cap",
        },
    ),
    "natjar-3": (
        "",
        {
            "jump_bids": False,
            "bid_limit": "marriage",
            "contract_limit": "none",
            "show_marriage_from": 130,
            "redeal_four_nines": "dealt",
            "redeal_below": 10,
            "redeal_automatic": True,
            "talon_reveal": "not_at_minimum",
            "concession": _NATJAR_BOMB,
            "overtake": "second",
            "void": "beat",
            "marriage_lead": "queen",
            "marriage_first_trick": True,
            "barrel": _barrel(900, min_contract=110, needs_marriage=True),
        },
    ),
    "cz-3": (
        "",
        {
            "redeal_four_nines": "dealt",
            "redeal_below": 10,
            "redeal_barred_by_marriage": True,
            "void": "trump",
            "marriage_announcement": "automatic",
            "rounding": 10,
            "defender_limit": "cap",
            "barrel": _barrel(800),
        },
    ),
    "ru-3": (
        "",
        {
            "bid_step": 5,
            "contract_step": 5,
            "ceiling": 420,
            "dark_bid": 120,
            "redeal_four_nines": "both",
            "redeal_below": 14,
            "cut_ritual": True,
            "redeal_talon_below": 5,
            "redeal_talon_nines": 2,
            "concession": _RU_CONCESSION,
            "overtake": "none",
            "ace_marriage": 200,
            "rounding": 5,
            "barrel": _barrel(880, clamp=True, min_contract=120, attempts=3, falls=3),
            "bolts": 3,
        },
    ),
    "nl-3": (
        "",
        {
            "opening": "free",
            "bid_step": 5,
            "contract_step": 5,
            "bid_limit": "marriage",
            "contract_limit": "marriage",
            "redeal_four_nines": "exchanged",
            "overtake": "none",
            "void": "trump",
            "rounding": 5,
        },
    ),
    "pl-2": ("pl-3", {**_TWO_TALONS, "choose_talon": True, "exchange": "discard"}),
    "pl-2-nine": ("pl-2", {"hand_size": 9, "talons": (3, 3)}),
    "pl-2-twelve": ("pl-2", {**_NO_TALON, "hand_size": 12}),
    "pl-2-draw": (
        "pl-2",
        {
            **_NO_TALON,
            "hand_size": 6,
            "auction": False,
            "redeal_four_nines": "no",
            "redeal_below": 0,
            "concession": None,
            "claim": False,
            "defender_limit": "none",
        },
    ),
    "pl-2-open": ("pl-2", {"hand_size": 7, "talons": (2,), "talon_face_up": True, "choose_talon": False}),
    "pl-4-sit": ("pl-3", {"players": 4, "dealer_sits_out": True, "sit_out_bonus": "aces"}),
    "pl-4-all": ("pl-3", {**_NO_TALON, "players": 4, "hand_size": 6, "over_marriage": True, "claim": False}),
    "natjar-4": (
        "natjar-3",
        {"players": 4, "dealer_sits_out": True, "sit_out_bonus": "aces", "talon_reveal": "always"},
    ),
    "natjar-2": ("natjar-3", {**_TWO_TALONS, "choose_talon": True, "exchange": "discard"}),
    "cz-3-short": ("cz-3", {"target": 500, "barrel": _barrel(400)}),
    "ru-2": ("ru-3", {**_TWO_TALONS, "exchange": "give_one", "dark_bid": None}),
    "ru-2-gold": ("ru-2", {"golden_deals": True}),
    "ru-3-gold": ("ru-3", {"golden_deals": True}),
    "ru-4": ("ru-3", {"players": 4, "dealer_sits_out": True, "sit_out_bonus": "points"}),
    "ru-4-gold": ("ru-4", {"golden_deals": True}),
    "nl-4": ("nl-3", {"players": 4, "dealer_sits_out": True}),
}
"""Name to (the preset it derives from, what differs); ``""`` are the defaults of the options."""


def differences(name: str) -> dict[str, Any]:
    """What a preset changes of the defaults, along its whole line of descent."""
    parent, own = TABLE[name]
    return {**(differences(parent) if parent else {}), **own}
