"""How every bench says what it measured."""

from __future__ import annotations

import json


def figure(name: str, value: float, unit: str, n: int, digits: int = 4) -> None:
    """Print one figure, measured on ``n`` of whatever it is of, as one JSON line."""
    print(json.dumps({"name": name, "value": round(value, digits), "unit": unit, "n": n}), flush=True)


def at_most(name: str, value: float, unit: str, n: int, most: float) -> bool:
    """Print a figure that must not be more than ``most``; whether it is not."""
    good = value <= most
    said = {"name": name, "value": round(value, 4), "unit": unit, "n": n}
    print(json.dumps({**said, "must": f"<= {most:g}", "ok": good}), flush=True)
    return good
