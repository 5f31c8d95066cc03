"""Why an action is not legal: the rule that forbids it, in words to the player who wanted it.

:func:`why_not` reads what the seat itself was given (its view and its legal actions), so that a reason can be
found again from a stored request, and never says more than the seat knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.cards import NUMBER
from engine.reason import Reason
from engine.ruleset import RuleSet
from engine.why_play import claim_reason, play_reason

VERBS: Final[dict[str, tuple[str, ...]]] = {
    "dark": ("dark", "look"),
    "redeal": ("redeal", "keep"),
    "auction": ("pass", "bid"),
    "talon": ("talon",),
    "exchange": ("give", "discard", "redeal", "concede"),
    "contract": ("contract", "concede"),
    "play": ("play", "meld", "claim"),
}
"""The verbs that a phase knows (protocol.md section 3)."""
WITH_CARD: Final = frozenset({"give", "discard", "play", "meld"})
WITH_NUMBER: Final = frozenset({"bid", "talon", "contract"})
ALL_VERBS: Final = frozenset(verb for verbs in VERBS.values() for verb in verbs)
_NUMBER: Final = re.compile(r"(0|[1-9][0-9]{0,5})", re.ASCII)


def why_not(rules: RuleSet, view: Mapping[str, Any], legal: Sequence[str], action: str) -> Reason:
    """The rule that forbids ``action`` to the seat whose ``view`` and ``legal`` these are.

    Any text will do for ``action``, a well-formed action or not. ValueError when it is legal.
    """
    if action in legal:
        raise ValueError(f"{action} is legal")
    verb, _, rest = action.partition(":")
    malformed = _malformed(verb, rest, action, legal)
    if malformed:
        return malformed
    phase = view["phase"]
    if verb not in VERBS.get(phase, ()):
        known = " or ".join(dict.fromkeys(text.partition(":")[0] for text in legal))
        return Reason("phase", f"the phase is {phase}: it asks for {known}, not for {verb}")
    if verb in ("play", "meld"):
        return play_reason(rules, view, legal, verb, rest)
    return _BY_VERB[verb](rules, view, legal, rest)


# --- The text itself --------------------------------------------------------------------------------------


def _malformed(verb: str, rest: str, action: str, legal: Sequence[str]) -> Reason | None:
    """What is wrong with a text that no phase knows as an action; None for one that could be legal somewhere."""
    if verb in WITH_CARD:
        fits = rest in NUMBER
    elif verb in WITH_NUMBER:
        fits = _NUMBER.fullmatch(rest) is not None
    else:
        fits = verb in ALL_VERBS and action == verb
    if fits:
        return None
    meant = _meant(action, legal)
    if meant:
        return Reason("form", f"it is no action; {meant} is")
    if verb in WITH_CARD:
        return Reason("form", f"{verb} takes a card, rank then suit, such as {verb}:TH for the ten of hearts")
    if verb in WITH_NUMBER:
        return Reason(
            "form", f"{verb} takes a whole number, such as {verb}:{'0' if verb == 'talon' else '110'}"
        )
    return Reason("form", f"it is no action: answer with one of the texts in legal, such as {legal[0]}")


def _meant(action: str, legal: Sequence[str]) -> str:
    """The legal action that was probably meant by a text in other letters, with spaces, or without its verb."""
    plain = re.sub(r"\s+", "", action[:60]).casefold().replace("10", "t")
    for text in legal if plain else ():
        if plain in (text.casefold().replace("10", "t"), text.partition(":")[2].casefold()):
            return text
    return ""


# --- Auction, exchange, contract --------------------------------------------------------------------------


def _numbers(legal: Sequence[str], verb: str) -> list[int]:
    return [int(text.partition(":")[2]) for text in legal if text.startswith(verb + ":")]


def _pass(_rules: RuleSet, _view: Mapping[str, Any], legal: Sequence[str], _rest: str) -> Reason:
    return Reason("must_open", f"somebody must bid, and you may not pass: {legal[0]}", option="opening")


def _bid(rules: RuleSet, view: Mapping[str, Any], legal: Sequence[str], rest: str) -> Reason:
    number, allowed = int(rest), _numbers(legal, "bid")
    if allowed and number < allowed[0]:
        return _low_bid(view, allowed[0])
    if number % rules.bid_step:
        return Reason("bid_step", f"bids are multiples of {rules.bid_step}", option="bid_step")
    if number > rules.ceiling:
        return Reason("bid_ceiling", f"no bid is above {rules.ceiling}", option="ceiling")
    if allowed and not rules.jump_bids:
        return Reason("bid_jump", f"a raise is one step: {allowed[0]}", option="jump_bids")
    most = f"at most {allowed[-1]}" if allowed else "no higher bid"
    return Reason("bid_limit", _limit_text(rules.bid_limit, "bid", most), option="bid_limit")


def _low_bid(view: Mapping[str, Any], least: int) -> Reason:
    if view["bid"] is None:
        return Reason("bid_low", f"the least bid is {least}", option="min_bid")
    return Reason("bid_low", f"the bid stands at {view['bid']}: the next is at least {least}")


def _limit_text(limit: str, what: str, most: str) -> str:
    if limit == "marriage":
        return f"your hand allows {most}: a {what} above 120 needs a marriage in hand, and you hold none"
    return f"your hand allows {most}: 120 and the value of the marriages in it"


def _contract(rules: RuleSet, view: Mapping[str, Any], legal: Sequence[str], rest: str) -> Reason:
    number, allowed = int(rest), _numbers(legal, "contract")
    if number < view["bid"]:
        return Reason("contract_low", f"the contract is at least your bid, {view['bid']}")
    if number % rules.contract_step:
        step = rules.contract_step
        return Reason(
            "contract_step", f"contracts are multiples of {step}, or the bid itself", option="contract_step"
        )
    if number > rules.ceiling:
        return Reason("contract_ceiling", f"no contract is above {rules.ceiling}", option="ceiling")
    most = f"a contract of at most {allowed[-1]}"
    return Reason(
        "contract_limit", _limit_text(rules.contract_limit, "contract", most), option="contract_limit"
    )


def _give(rules: RuleSet, _view: Mapping[str, Any], _legal: Sequence[str], card: str) -> Reason:
    if rules.exchange == "discard":
        text = f"at this table the declarer discards instead of giving: discard:{card}"
        return Reason("exchange", text, option="exchange")
    return Reason("not_held", f"you do not hold {card}")


def _discard(rules: RuleSet, _view: Mapping[str, Any], _legal: Sequence[str], card: str) -> Reason:
    if rules.exchange != "discard":
        text = f"at this table the declarer gives cards away instead of discarding: give:{card}"
        return Reason("exchange", text, option="exchange")
    return Reason("not_held", f"you do not hold {card}")


def _moved(view: Mapping[str, Any]) -> bool:
    return bool(view["given"] or view["discarded"])


def _redeal(rules: RuleSet, view: Mapping[str, Any], _legal: Sequence[str], _rest: str) -> Reason:
    if not rules.redeal_talon_below and not rules.redeal_talon_nines:
        return Reason("redeal", "no deal is given back for its talon here", option="redeal_talon_below")
    if _moved(view):
        return Reason("redeal", "the deal can only be given back before the first card leaves your hand")
    parts = []
    if rules.redeal_talon_below:
        parts.append(f"of fewer than {rules.redeal_talon_below} points")
    if rules.redeal_talon_nines:
        parts.append(f"with {rules.redeal_talon_nines} nines")
    return Reason(
        "redeal", f"only a talon {' or '.join(parts)} can be given back", option="redeal_talon_below"
    )


def _concede(  # noqa: PLR0911 - one line a rule
    rules: RuleSet, view: Mapping[str, Any], _legal: Sequence[str], _rest: str
) -> Reason:
    rule = rules.concession
    if rule is None:
        return Reason("concede", "there is no conceding at this table", option="concession")
    if view["phase"] == "exchange" and _moved(view):
        return Reason("concede", "you can only concede before the first card leaves your hand")
    if view["phase"] == "contract" and rules.exchange != "none":
        return Reason("concede", "you could concede before the exchange; now you must play")
    you = view["you"]
    if view["concessions_left"][you] == 0:
        return Reason("concede", f"you have conceded {rule.limit} times: no more", option="concession.limit")
    if rule.barred_at is not None and view["totals"][you] >= rule.barred_at:
        return Reason(
            "concede", f"from a total of {rule.barred_at} on nobody concedes", option="concession.barred_at"
        )
    if rule.upto == "forced":
        return Reason(
            "concede", "only a bid that you were forced to make can be conceded", option="concession.upto"
        )
    return Reason("concede", f"only bids of at most {rule.upto} can be conceded", option="concession.upto")


def _talon(_rules: RuleSet, _view: Mapping[str, Any], legal: Sequence[str], _rest: str) -> Reason:
    return Reason("talon", f"the talons are {' and '.join(legal)}")


def _claim(rules: RuleSet, view: Mapping[str, Any], _legal: Sequence[str], _rest: str) -> Reason:
    return claim_reason(rules, view)


_BY_VERB: Final[dict[str, Callable[[RuleSet, Mapping[str, Any], Sequence[str], str], Reason]]] = {
    "pass": _pass,
    "bid": _bid,
    "talon": _talon,
    "give": _give,
    "discard": _discard,
    "redeal": _redeal,
    "concede": _concede,
    "contract": _contract,
    "claim": _claim,
}
